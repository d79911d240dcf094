// three.js's AnimationMixer and `limber blend` agree where they mean the same: translations of weighted clips everywhere,
// rotations at equal weights and wherever two poses are near (three.js slerps one after the other, Limber averages: apart by what
// the arc between the poses allows), additive clips at any weight.
import path from 'node:path';
import fs from 'node:fs';
import { fail, finish, hasCommands, run, skip, work } from './harness.mjs';
import { load } from './three_character.mjs';

const three = await import('three');
if (!hasCommands('sample', 'animate', 'retarget', 'blend')) skip('this version has no blend');

const RATE = 20;
const SECONDS = 2;

async function limber(...args) {
  const done = await run(...args);
  if (done.code !== 0) fail(`limber ${args.join(' ')} exits ${done.code}: ${done.stderr.trim()}`);
  return done.code === 0;
}

async function character() {
  const mesh = path.join(work, 'mesh.obj');
  const out = path.join(work, 'hero.glb');
  await limber('sample', 'humanoid', '--seed', '11', '--triangles', '2000', '-o', mesh);
  await limber('animate', mesh, 'walk', '-o', out);
  for (const motion of ['run', 'wave', 'idle']) await limber('retarget', out, motion, '-o', out);
  return out;
}

/** Local transforms of every node by name, after `set` has put up the actions. */
function threeAt(gltf, time, set) {
  const mixer = new three.AnimationMixer(gltf.scene);
  set(mixer, time);
  mixer.setTime(time);
  const seen = new Map();
  gltf.scene.traverse((node) => seen.set(node.name, { position: node.position.clone(), quaternion: node.quaternion.clone() }));
  mixer.stopAllAction();
  return seen;
}

const smooth = (s) => s * s * (3 - 2 * s);
const named = (gltf, name) => gltf.animations.find((clip) => clip.name === name);

function play(mixer, clip, weight) {
  mixer.clipAction(clip).setEffectiveWeight(weight).play();
}

/** The most that normalised averages and slerp can be apart between two rotations, with a margin. */
function allowance(a, b) {
  const angle = a.angleTo(b);
  return 2e-3 + (8.16 * Math.PI / 180) * (angle / Math.PI) ** 3 * 1.05;
}

let compared = 0;
let farthest = 0;
function compare(what, limberNodes, threeNodes, allowed) {
  for (const [name, want] of threeNodes) {
    const got = limberNodes.get(name);
    if (!got) continue;
    ++compared;
    const moved = got.position.distanceTo(want.position);
    const turned = got.quaternion.angleTo(want.quaternion);
    farthest = Math.max(farthest, turned);
    if (!(moved < 1e-5)) fail(`${what}: ${name} is ${moved} away from where three.js has it`);
    if (!(turned <= allowed(name))) fail(`${what}: ${name} is turned by ${turned} against three.js, ${allowed(name)} is allowed`);
  }
}

const hero = await character();
const source = await load(hero);
const walk = named(source, 'walk');
const runs = named(source, 'run');

const cases = [
  { name: 'a third and two', args: ['--layer', 'walk:1', '--layer', 'run:2'], weights: () => [1 / 3, 2 / 3], loose: true },
  { name: 'halves', args: ['--layer', 'walk', '--layer', 'run'], weights: () => [0.5, 0.5] },
  { name: 'crossfade', args: ['--layer', 'walk:1@0.5,0@1.5', '--layer', 'run:0@0.5,1@1.5'], loose: true, weights: (t) => {
    const w = smooth(Math.min(Math.max(t - 0.5, 0), 1));
    return [1 - w, w];
  } },
];
for (const one of cases) {
  const file = path.join(work, 'blend.glb');
  if (!await limber('blend', hero, ...one.args, '--no-sync', '--no-root', '--no-lock', '--rate', `${RATE}`, '--seconds', `${SECONDS}`, '--replace', '-o', file)) continue;
  const made = await load(file);
  for (let k = 0; k < RATE * SECONDS; ++k) {
    const time = k / RATE;
    const [a, b] = one.weights(time);
    const ours = threeAt(made, time, (mixer) => play(mixer, made.animations[0], 1));
    const theirs = threeAt(source, time, (mixer) => {
      play(mixer, walk, a);
      play(mixer, runs, b);
    });
    const first = threeAt(source, time, (mixer) => play(mixer, walk, 1));
    const second = threeAt(source, time, (mixer) => play(mixer, runs, 1));
    const exact = !one.loose || a < 1e-6 || b < 1e-6;
    compare(`${one.name} at ${time}`, ours, theirs, (name) => (exact ? 2e-3 : allowance(first.get(name).quaternion, second.get(name).quaternion)));
  }
}

for (const weight of [1, 0.4]) {
  const file = path.join(work, 'added.glb');
  if (!await limber('blend', hero, '--layer', 'idle', '--add', `wave:${weight}`, '--no-sync', '--no-root', '--no-lock', '--rate', `${RATE}`, '--seconds', `${SECONDS}`, '--replace', '-o', file)) continue;
  const made = await load(file);
  const added = three.AnimationUtils.makeClipAdditive(named(source, 'wave').clone(), 0, named(source, 'wave'), 60);
  for (let k = 0; k < RATE * SECONDS; ++k) {
    const time = k / RATE;
    const ours = threeAt(made, time, (mixer) => play(mixer, made.animations[0], 1));
    const theirs = threeAt(source, time, (mixer) => {
      play(mixer, named(source, 'idle'), 1);
      play(mixer, added, weight);
    });
    compare(`wave added by ${weight} at ${time}`, ours, theirs, () => 2e-3);
  }
}
// Turning what goes in turns what comes out, and does nothing else to it: clips that go another way than the character faces at
// rest, and a character that faces another way itself.
const yawOf = (degrees) => new three.Quaternion().setFromAxisAngle(new three.Vector3(0, 1, 0), (degrees * Math.PI) / 180);

/** A copy with its clips turned about +Y, or with the whole turned by a node above it. */
function turnedCopy(file, degrees, how) {
  const gltf = JSON.parse(fs.readFileSync(file, 'utf8'));
  const yaw = yawOf(degrees);
  if (how === 'rest') {
    gltf.nodes.push({ name: 'stand', rotation: yaw.toArray(), children: [0] });
    gltf.scenes[0].nodes = gltf.scenes[0].nodes.map((node) => (node === 0 ? gltf.nodes.length - 1 : node));
  } else {
    const [head, base64] = gltf.buffers[0].uri.split(',');
    const bytes = Buffer.from(base64, 'base64');
    const done = new Set();
    for (const animation of gltf.animations) {
      for (const { sampler, target } of animation.channels.filter((channel) => channel.target.node === 0)) {
        const accessor = gltf.accessors[animation.samplers[sampler].output];
        const at = gltf.bufferViews[accessor.bufferView].byteOffset + (accessor.byteOffset ?? 0);
        const width = target.path === 'rotation' ? 4 : 3;
        for (let k = 0; k < accessor.count && !done.has(at); ++k) {
          const from = Array.from({ length: width }, (_, i) => bytes.readFloatLE(at + 4 * (width * k + i)));
          const to = width === 4 ? new three.Quaternion(...from).premultiply(yaw) : new three.Vector3(...from).applyQuaternion(yaw);
          to.toArray().forEach((value, i) => bytes.writeFloatLE(value, at + 4 * (width * k + i)));
        }
        done.add(at);
      }
    }
    gltf.buffers[0].uri = `${head},${bytes.toString('base64')}`;
  }
  const out = path.join(work, `turned_${how}_${degrees}.gltf`);
  fs.writeFileSync(out, JSON.stringify(gltf));
  return out;
}

/** World places of all joints over time. */
function places(gltf) {
  const mixer = new three.AnimationMixer(gltf.scene);
  play(mixer, gltf.animations[0], 1);
  const out = [];
  for (let k = 0; k < RATE * SECONDS; ++k) {
    mixer.setTime(k / RATE);
    gltf.scene.updateMatrixWorld(true);
    gltf.scene.traverse((node) => {
      if (node.name !== 'stand' && node.parent !== null) out.push({ name: node.name, at: new three.Vector3().setFromMatrixPosition(node.matrixWorld) });
    });
  }
  return out;
}

const plain = path.join(work, 'plain.gltf');
await limber('convert', hero, plain);
const blends = [
  { name: 'layers', args: ['--layer', 'walk', '--layer', 'run'] },
  { name: 'a sequence', args: ['--sequence', 'walk:1,run:1'] },
  { name: 'in place', args: ['--layer', 'walk', '--layer', 'run', '--in-place'] },
];
for (const one of blends) {
  const played = async (file) => {
    const out = path.join(work, 'way.glb');
    return (await limber('blend', file, ...one.args, '--rate', `${RATE}`, '--seconds', `${SECONDS}`, '--replace', '-o', out)) ? places(await load(out)) : [];
  };
  const want = await played(plain);
  for (const how of ['clip', 'rest']) {
    for (const degrees of [90, 180]) {
      const got = await played(turnedCopy(plain, degrees, how));
      let worst = { off: 0 };
      want.forEach(({ name, at }, i) => {
        const off = got[i].name === name ? at.clone().applyQuaternion(yawOf(degrees)).distanceTo(got[i].at) : Infinity;
        if (!(off <= worst.off)) worst = { name, off };
      });
      compared += want.length;
      if (!(worst.off < 2e-3)) fail(`${one.name} of what is turned by ${degrees} degrees (${how}): ${worst.name} is ${worst.off} m off`);
    }
  }
}
if (!fs.existsSync(hero) || compared === 0) fail('nothing was compared');
finish(`${compared} joints compared, the farthest is turned by ${(farthest * 180 / Math.PI).toFixed(3)} degrees`);
