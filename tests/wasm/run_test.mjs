// The command gives in the module what it gives natively: the same files byte for byte, the same output, messages and exit
// codes. One instance runs them all, as a page does. Exits 77 where clang cannot compile for wasm32-wasi.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build, buildModule, Limber, readModule, source } from './module.mjs';

// Of 1 MiB. What is left is for meshes and trees that are not tried here.
const stackLimit = 512 * 1024;

buildModule();
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-'));
const limber = new Limber(readModule('limber.wasm'));

let failed = false;
function fail(text) {
  console.log(text);
  failed = true;
}

function put(name, bytes) {
  fs.mkdirSync(path.dirname(path.join(work, name)), { recursive: true });
  fs.writeFileSync(path.join(work, name), bytes);
  limber.put(name, bytes);
}

// Seconds are told by a clock, which stands still in the module.
function untimed(text) {
  return text.replace(/, made in \d+\.\d+ s/g, '').replace(/"seconds": [0-9.e+-]+/g, '"seconds": 0');
}

function firstDifference(a, b) {
  let at = 0;
  while (at < Math.min(a.length, b.length) && a[at] === b[at]) ++at;
  return at;
}

let count = 0, deepest = 0;
// Runs a command line in both; `code` is the exit code to expect.
function run(line, code = 0) {
  const args = line.split(' ');
  const native = spawnSync(path.join(build, 'limber'), args, { cwd: work, maxBuffer: 1 << 28 });
  const ours = limber.run(...args);
  ++count;
  deepest = Math.max(deepest, ours.stack);
  if (ours.stack > stackLimit) fail(`${line}: ${ours.stack} bytes of stack`);
  if (native.status !== code) fail(`${line}: exits ${native.status} natively, not ${code}\n${native.stderr}`);
  if (ours.code !== native.status) fail(`${line}: exits ${ours.code} in wasm, ${native.status} natively\n${ours.messages}`);
  const outputs = [untimed(native.stdout.toString('latin1')), untimed(ours.output.toString('latin1'))];
  if (outputs[0] !== outputs[1]) {
    const at = firstDifference(...outputs);
    fail(`${line}: stdout differs at byte ${at}:\n${outputs[0].slice(at, at + 200)}\n-- in wasm\n${outputs[1].slice(at, at + 200)}`);
  }
  const messages = [untimed(native.stderr.toString('utf8')), untimed(ours.messages)];
  if (messages[0] !== messages[1]) fail(`${line}: messages differ:\n${messages[0]}-- in wasm\n${messages[1]}`);
}

// Bytes of every file on both sides.
function compareFiles() {
  const native = fs.readdirSync(work, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile()).map((e) => path.relative(work, path.join(e.parentPath ?? e.path, e.name)))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const ours = limber.names();
  if (native.join('\n') !== ours.join('\n')) fail(`files: ${native.join(' ')}\n-- in wasm: ${ours.join(' ')}`);
  for (const name of native) {
    const a = fs.readFileSync(path.join(work, name)), b = limber.get(name);
    if (b !== null && !a.equals(b)) {
      fail(`${name}: ${a.length} bytes natively, ${b.length} in wasm, the first difference at ${firstDifference(a, b)}`);
    }
  }
  return native.length;
}

for (const name of ['arm.gltf', 'body.npz', 'body_walk.npz']) {
  put(`data/${name}`, fs.readFileSync(path.join(source, 'tests/cli', name)));
}

// Making, rigging, moving.
run('--version');
run('help rig');
for (const kind of ['humanoid', 'quadruped', 'bird', 'hand']) {
  run(`sample ${kind} --seed 3 --triangles 1500 -o out/${kind}.obj`);
  run(`rig out/${kind}.obj --json -o out/${kind}.glb`);
  run(`check out/${kind}.glb --json`);
}
run('sample humanoid --seed 7 --pose t --triangles 8000 -o ./out/../out/person.glb');
for (const weights of ['voxel', 'nearest']) run(`rig out/humanoid.obj --weights ${weights} -o out/${weights}.glb`);
run('sample snake --triangles 600 -o out/snake.obj');
run('rig out/snake.obj --weights bbw -o out/snake.glb');
run('animate out/person.glb walk --json -o out/walking.glb');
run('animate out/humanoid.obj wave -q -o -');
run('animate out/quadruped.obj trot -o out/trot.glb');
run('retarget out/humanoid.glb walk --save-map out/map.json -o out/run.glb');
run('retarget out/humanoid.glb out/walking.glb --map out/map.json --named w -o out/again.glb', 2);
run('retarget out/humanoid.glb out/walking.glb --map out/map.json -o out/again.glb');
run('info out/walking.glb --json');
run('info out/walking.glb -v');

// From each format to each format.
for (const to of ['glb', 'gltf', 'obj', 'ply', 'bvh', 'limb', 'c3d', 'trc', 'csv', 'npz', 'vrma']) {
  run(`convert out/walking.glb out/to/walking.${to}`);
}
for (const from of ['gltf', 'obj', 'ply', 'bvh']) {
  run(`convert out/to/walking.${from} out/from/${from}.glb`);
  run(`info out/to/walking.${from} --json`);
}
run('convert out/walking.glb out/small.limb --compress');
for (const from of ['c3d', 'trc', 'csv', 'npz', 'limb']) run(`info out/to/walking.${from}`);
run('convert data/arm.gltf out/arm.glb');
run('bake data/body.npz --betas 1,-1 -o out/body.obj');
run('bake data/body.npz --pose data/body_walk.npz -o out/body.glb');

// Editing.
run('weights smooth out/humanoid.glb -o out/smooth.glb');
run('weights prune out/humanoid.glb --least 0.05 -o out/prune.glb');
run('weights limit out/humanoid.glb --influences 2 --json -o out/limit.glb');
run('weights normalize out/humanoid.glb -o out/normalize.glb');
run('weights mirror out/humanoid.glb --side right -o out/mirror.glb');
run('weights transfer out/walking.glb --from out/humanoid.glb -o out/transfer.glb');
run('weights check out/limit.glb --influences 2 --json');
run('weights check out/humanoid.glb --influences 1', 6);
run('clean out/walking.glb --smooth 8 --loop -o out/clean.glb');
run('clean out/walking.glb --mirror --reduce 0.001 -o out/mirrored.bvh');
run('blend out/walking.glb --layer walk:0.5 --layer run:0.5 -o out/blend.glb');
run('blend out/walking.glb --sequence walk,idle:1,jump -o out/sequence.glb');
run('ik out/walking.glb --target leftHand=0.4,1.2,0.4 --json -o out/reach.glb');
for (const solver of ['two-bone', 'ccd', 'fabrik', 'jacobian']) {
  run(`ik out/walking.glb --target rightHand=-0.4,1,0.3 --solver ${solver} -o out/${solver}.glb`);
}
run('ik out/walking.glb --clip walk --ground slope:10 -o out/slope.glb');
run('simulate out/walking.glb --ragdoll --seconds 1 -o out/ragdoll.glb');
run('simulate out/walking.glb --springs --chain leftHand -o out/springs.glb');
run('simulate out/walking.glb --idle --seconds 2 -o out/idle.glb');
run('simulate out/walking.glb --gait run -o out/gait.glb');
run('simulate out/walking.glb --flesh -o out/flesh.glb');
run('clean out/walking.glb --cut 0,0.3 --rate 30 -o out/short.bvh');
run('convert out/short.bvh out/short.trc');
run('fit out/humanoid.glb out/short.trc -o out/fit.glb');
run('bake out/run.glb --fps 4 -o out/frame.obj');
run('bake out/walking.glb --time 0.3 --skin dqs -o out/moment.ply');
run('learn out/frame_0000.obj out/frame_0001.obj out/frame_0002.obj out/frame_0003.obj --bones 4 --iterations 10 -o out/learned.glb');

// What goes wrong.
put('bad.glb', Buffer.from('glTF\x02\0\0\0\x40\0\0\0\x10\0\0\0JSON{"asset":{"ver'));
put('bad.gltf', Buffer.from('{"asset": {"version": "2.0"}, "nodes": [{"children": [0]}], "scene": }'));
put('bad.obj', Buffer.from('v 1 2\nf 1 2 3\n'));
put('bad.bvh', Buffer.from('HIERARCHY\nROOT hips\n{\n OFFSET 0 0 zero\n'));
put('lfs.glb', Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n'));
for (const name of ['bad.glb', 'bad.gltf', 'bad.obj', 'bad.bvh', 'lfs.glb', 'none.glb', 'out', '-']) run(`info ${name}`, 3);
run('', 2);
run('rigg out/humanoid.obj', 2);
run('rig out/humanoid.obj --wieghts heat -o out/x.glb', 2);
run('rig out/humanoid.obj -o out/x.xyz', 2);
run('rig out/humanoid.obj -o out', 2);
run('convert out/walking.glb -o out/from', 2);
run('animate out/humanoid.obj wlak -o out/x.glb', 2);
run('animate out/humanoid.obj none.bvh -o out/x.glb', 3);

const files = compareFiles();

// Without a system: refused by name, and nothing else changes.
for (const line of ['render out/walking.glb -o x.png', 'listen out/walking.glb -o x.glb', 'clean out/walking.glb --plot x.png -o y.glb', 'studio out/walking.glb']) {
  const { code, messages } = limber.run(...line.split(' '));
  if (code !== 4 || !messages.includes('not supported')) fail(`${line}: exits ${code}: ${messages}`);
}
if (limber.get('x.png') !== null) fail('a refused command wrote a file');

// The same command again and again does not take more and more memory.
const line = 'animate out/person.glb walk -q -o out/walking.glb'.split(' ');
limber.run(...line);
const before = limber.wasm.memory.buffer.byteLength;
for (let k = 0; k < 5; ++k) limber.run(...line);
if (limber.wasm.memory.buffer.byteLength > before) fail('memory grows with every run');

console.log(`${count} commands alike, ${files} files of equal bytes, at most ${deepest} bytes of stack`);
fs.rmSync(work, { recursive: true });
process.exit(failed ? 1 : 0);
