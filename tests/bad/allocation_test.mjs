// A failed allocation ends the command with 1, or it makes no difference: the same bytes come out. Never a third thing. Each command
// line runs once for all failures (tests/bad/failing_malloc.c): the first allocation of every call stack, and some spread
// evenly over all. With LIMBER_LONG every one of the first 10 000 allocations fails in turn.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const build = process.env.LIMBER_BUILD ?? 'build/dev';
const source = process.env.LIMBER_SOURCE ?? '.';
const limber = path.resolve(build, 'limber');
const shim = path.resolve(build, 'tests/bad/failing_malloc.so');
if (!fs.existsSync(shim)) {
  console.log('skipped: no allocation can be made to fail here');
  process.exit(77);
}
const most = 10000;
const spread = process.env.LIMBER_LONG ? most : 60;
const top = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-'));
const inputs = path.join(top, 'in');
fs.mkdirSync(inputs);

function run(cwd, line, env = {}) {
  return spawnSync(limber, [...line.split(' '), '--threads', '1', '-q'], { cwd, env: { ...process.env, ...env }, encoding: 'utf8', maxBuffer: 1 << 26 });
}

function make(line) {
  const done = run(inputs, line);
  if (done.status !== 0) throw new Error(`${line}: exit ${done.status}\n${done.stderr}`);
}

// Files of a folder with their bytes, as one text that two folders can be compared by.
function contents(folder) {
  return fs.readdirSync(folder).sort().map((name) => `${name}:${fs.readFileSync(path.join(folder, name)).toString('base64')}`).join('\n');
}

make('sample humanoid --seed 3 --triangles 700 -o human.obj');
make('rig human.obj -o rigged.glb');
make('animate human.obj walk -o walking.glb');
make('clean walking.glb --cut 0,0.2 --rate 15 -o short.glb');
make('convert walking.glb walking.bvh');
make('convert short.glb short.c3d');
make('convert short.glb short.trc');
make('convert short.glb short.vrma');
make('convert short.glb short.limb --compress');
for (const name of ['arm.gltf', 'body.npz', 'body_walk.npz']) fs.copyFileSync(path.join(source, 'tests/cli', name), path.join(inputs, name));
make('sample snake --triangles 500 -o snake.obj');

const lines = [
  'animate IN/human.obj walk -o out.glb',
  'rig IN/human.obj -o out.glb',
  'rig IN/human.obj --weights voxel -o out.glb',
  'rig IN/snake.obj --weights bbw -o out.glb',
  'retarget IN/rigged.glb IN/walking.bvh -o out.glb',
  'blend IN/walking.glb --layer walk:0.5 --layer 0:0.5 -o out.glb',
  'simulate IN/short.glb --ragdoll --seconds 0.2 -o out.glb',
  'simulate IN/short.glb --springs --chain leftHand -o out.glb',
  'simulate IN/rigged.glb --gait walk -o out.glb',
  'learn IN/short.glb --bones 3 --iterations 2 -o out.glb',
  'ik IN/walking.glb --target leftHand=0.4,1.2,0.4 -o out.glb',
  'clean IN/walking.glb --smooth 8 --loop -o out.glb',
  'weights smooth IN/rigged.glb -o out.glb',
  'convert IN/walking.glb out.gltf',
  'convert IN/walking.bvh out.glb',
  'convert IN/human.obj out.glb',
  'convert IN/short.c3d out.trc',
  'convert IN/short.trc out.csv',
  'convert IN/arm.gltf out.glb',
  'bake IN/body.npz --pose IN/body_walk.npz -o out.glb',
  'fit IN/rigged.glb IN/short.trc -o out.glb',
  'retarget IN/rigged.glb IN/short.vrma -o out.glb',
  'retarget IN/rigged.glb IN/body_walk.npz -o out.bvh',
];
// Readers of formats that nothing here writes.
const shared = process.env.LIMBER_SHARED;
if (shared !== undefined) {
  for (const name of ['rigged/ufbx/maya_skinned_pivot_7700_ascii.fbx', 'rigged/ufbx/maya_anim_layers_7500_binary.fbx', 'rigged/iqm/guy.iqm', 'rigged/md5/SimpleCube.md5mesh', 'rigged/vrm/basic_armature_vrm1.vrm']) {
    if (fs.existsSync(path.join(shared, 'data', name))) lines.push(`convert ${path.join(shared, 'data', name)} out.glb`);
  }
}

let failed = false;
function judge(line, allocation, status, signal, folder, reference) {
  const files = fs.existsSync(folder) ? contents(folder) : '';
  if (status === 1 && files === '') return;
  if (status === 0 && files === reference) return;
  failed = true;
  const what = signal !== 0 && signal !== null ? `ended by signal ${signal}` : `exit ${status}`;
  const left = files === '' ? 'nothing written' : files === reference ? 'the same bytes' : 'other bytes';
  console.log(`${line}: allocation ${allocation} failed: ${what}, ${left}`);
}

const only = process.argv[2];
for (const [k, pattern] of lines.entries()) {
  if (only !== undefined && !pattern.startsWith(only)) continue;
  const line = pattern.replaceAll('IN/', `${inputs}/`);
  const folder = path.join(top, String(k));
  const fresh = (name) => {
    fs.mkdirSync(path.join(folder, name), { recursive: true });
    return path.join(folder, name);
  };
  const first = run(fresh('reference'), line, { FAIL_FOLDER: fresh('none'), LD_PRELOAD: shim });
  if (first.status !== 0) throw new Error(`${line}: exit ${first.status}\n${first.stderr}`);
  const reference = contents(path.join(folder, 'reference'));
  const count = Number(fs.readFileSync(path.join(folder, 'none/count'), 'utf8'));
  const every = Math.max(1, Math.floor(Math.min(count, most) / spread));
  const tries = fresh('tries');
  run(fresh('parent'), line, { FAIL_FOLDER: tries, FAIL_EVERY: every, FAIL_MOST: most, FAIL_STACKS: 1, LD_PRELOAD: shim });
  if (contents(path.join(folder, 'parent')) !== reference) throw new Error(`${line}: the run that forks writes other bytes`);
  const log = fs.readFileSync(path.join(tries, 'log'), 'utf8').trim().split('\n').map((text) => text.split(' ').map(Number));
  for (const [index, allocation, status, signal] of log) judge(pattern, allocation, status, signal, path.join(tries, String(index)), reference);
  const later = fs.existsSync(path.join(tries, 'later')) ? fs.readFileSync(path.join(tries, 'later'), 'utf8').trim().split('\n') : [];
  for (const at of later) {
    const done = run(fresh(`at${at}`), line, { FAIL_AT: at, LD_PRELOAD: shim });
    judge(pattern, at, done.status, done.signal, path.join(folder, `at${at}`), reference);
  }
  console.log(`${pattern}: ${count} allocations, ${log.length + later.length} made to fail`);
  fs.rmSync(folder, { recursive: true });
}
fs.rmSync(top, { recursive: true });
process.exit(failed ? 1 : 0);
