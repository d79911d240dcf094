// Where Assimp has the joints of BVH, FBX and MD5 files at some of their keys, beside what Limber reads: up to a similarity, since the
// two have other units and axes, within 1e-4 of the size. Files of our own first, which must agree; of the collected ones, those
// that Assimp reads otherwise are listed, with a reason for each kind in docs/formats.md.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fail, filesBelow, finish, run, shared, skip, work } from './harness.mjs';

const three = await import('three');
const { load } = await import('./three_character.mjs');
const { mismatch } = await import('./similarity.mjs');
const here = path.dirname(new URL(import.meta.url).pathname), program = path.join(work, 'assimp_pose');
const built = spawnSync('cc', ['-O2', path.join(here, '../../bench/peers/assimp_pose.c'), '-lassimp', '-lm', '-o', program]);
if (built.status !== 0) skip('no libassimp-dev here');

function assimp(file) {
  const done = spawnSync(program, [file], { maxBuffer: 1 << 28, timeout: 60000 });
  return done.status === 0 ? JSON.parse(done.stdout.toString()) : null;
}

/** Places of the nodes of these names at the times, as a list of points; null for a name that is not there or there twice. */
async function places(file, names, times) {
  const gltf = await load(file), found = new Map();
  gltf.scene.traverse((node) => {
    const name = (node.userData.name ?? node.name).normalize();
    found.set(name, found.has(name) ? null : node);
  });
  const mixer = new three.AnimationMixer(gltf.scene), nodes = names.map((name) => found.get(three.PropertyBinding.sanitizeNodeName(name)) ?? found.get(name));
  if (gltf.animations.length) {
    const action = mixer.clipAction(gltf.animations[0]);
    action.setLoop(three.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
  }
  return times.map((time) => {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    return nodes.map((node) => node && new three.Vector3().setFromMatrixPosition(node.matrixWorld));
  });
}

/** null: agrees; else what is the matter. */
async function compare(file) {
  const theirs = assimp(file);
  if (!theirs) return 'assimp refuses it';
  const glb = path.join(work, 'one.glb'), done = await run('convert', file, glb, '-q');
  if (done.code !== 0) return `limber exits ${done.code}`;
  const ours = await places(glb, theirs.nodes, theirs.times), a = [], b = [];
  for (let t = 0; t < theirs.times.length; ++t) {
    theirs.nodes.forEach((_, n) => {
      if (!ours[t][n]) return;
      a.push(new three.Vector3(...theirs.places[t].slice(3 * n, 3 * n + 3)));
      b.push(ours[t][n]);
    });
  }
  if (a.length < 3 * theirs.times.length) return 'fewer than three nodes have the same names';
  const off = mismatch(a, b);
  return off < 1e-4 ? null : `off by ${off.toExponential(1)} of the size`;
}

for (const [kind, file] of [['bvh', 'walk.bvh']]) {
  const own = path.join(work, file);
  for (const args of [['sample', 'humanoid', '--seed', '4', '--rigged', '-o', path.join(work, 'm.glb'), '-q'], ['animate', path.join(work, 'm.glb'), 'walk', '-o', path.join(work, 'w.glb'), '-q'], ['convert', path.join(work, 'w.glb'), own, '-q']]) {
    const done = await run(...args);
    if (done.code !== 0) fail(`limber ${args.join(' ')}: ${done.stderr.trim()}`);
  }
  const found = await compare(own);
  if (found) fail(`our own ${kind}: ${found}`);
}
let agree = 0;
const others = new Map();
const folders = shared ? ['mocap/bvh', 'mocap/fbx', 'rigged/fbx', 'rigged/ufbx', 'rigged/md5'] : [];
for (const folder of folders) {
  const full = path.join(shared, 'data', folder);
  for (const file of fs.existsSync(full) ? filesBelow(full, ['.bvh', '.fbx', '.md5mesh']) : []) {
    const found = await compare(file);
    if (!found) ++agree;
    else others.set(path.relative(path.join(shared, 'data'), file), found);
  }
}
for (const [file, found] of others) console.log(`${file}: ${found}`);
finish(`${agree} collected files agree, ${others.size} do not`);
