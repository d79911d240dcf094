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
if (!fs.existsSync(hero) || compared === 0) fail('nothing was compared');
finish(`${compared} joints compared, the farthest is turned by ${(farthest * 180 / Math.PI).toFixed(3)} degrees`);
