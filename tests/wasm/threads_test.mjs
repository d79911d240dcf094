// Commands give with threads in the module what they give natively, byte for byte, whatever the number of threads; their memory
// stays flat. Exits 77 where clang cannot compile for wasm32-wasi.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build, buildModule, readModule } from './module.mjs';
import { SharedLimber } from './threads.mjs';

buildModule();
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-'));
const lines = [
  'sample humanoid --seed 7 --pose t --triangles 4000 -o person.obj',
  'rig person.obj -q -o person.glb',
  'sample snake --triangles 600 -o snake.obj',
  'rig snake.obj --weights bbw -q -o bbw.glb',
  'rig person.obj --weights voxel -q -o voxel.glb',
  'animate person.glb walk -q -o walk.glb',
  'weights smooth person.glb -q -o smooth.glb',
  'simulate walk.glb --flesh -q -o flesh.glb',
  'simulate walk.glb --ragdoll --seconds 1 -q -o ragdoll.glb',
  'check walk.glb --json',
  'sample quadruped --seed 3 --triangles 1500 -o dog.obj',
  'animate dog.obj trot -q -o trot.glb',
];
const native = lines.map((line) => execFileSync(path.join(build, 'limber'), line.split(' '), { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] }));

const limber = new SharedLimber(readModule('limber-threads.wasm'));
// What was said, and the files.
function run(threads) {
  lines.forEach((line, k) => {
    const { code, output, messages } = limber.run(...line.split(' '), '--threads', `${threads}`);
    assert.equal(code, 0, `${line}: ${messages}`);
    assert.ok(output.equals(native[k]), `${line} on ${threads} threads says something else`);
  });
  for (const name of fs.readdirSync(work)) {
    assert.ok(fs.readFileSync(path.join(work, name)).equals(limber.get(name)), `${name} on ${threads} threads has other bytes`);
  }
}
for (const helpers of [0, 1, 2]) {
  await limber.help(helpers);
  run(0);
}
run(2);
const before = limber.memory.buffer.byteLength;
for (let k = 0; k < 2; ++k) run(0);
// Where blocks of several threads lie differs from run to run.
assert.ok(limber.memory.buffer.byteLength <= 1.25 * before, `${before} bytes grew to ${limber.memory.buffer.byteLength}`);
console.log(`${lines.length} commands, ${fs.readdirSync(work).length} files, ${limber.memory.buffer.byteLength >> 20} MiB`);
await limber.end();
fs.rmSync(work, { recursive: true });
