// Main outputs keep their bytes: outputs.sha256 holds a hash of each file that commands.txt makes, the same for gcc, clang and
// WebAssembly, for every instruction set, for one thread and two. `node tests/golden/outputs_test.mjs --update` writes
// the hashes anew; do that only in a change that means to change outputs, and say in its message which and why.
// LIMBER_LONG=1 tries every instruction set with one thread and with two.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build, buildModule, canCompile, Limber, readModule, source } from '../wasm/module.mjs';

const folder = path.join(source, 'tests/golden');
const hashFile = path.join(folder, 'outputs.sha256');
const lines = fs.readFileSync(path.join(folder, 'commands.txt'), 'utf8').split('\n').filter((line) => line !== '' && line[0] !== '#');

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex');
const byName = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

// "HASH  NAME" of all that the command lines write natively.
function hashesNative(limber, simd, threads) {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-'));
  for (const line of lines) {
    const done = spawnSync(limber, [...line.split(' '), '--threads', String(threads)],
      { cwd: work, env: { ...process.env, LIMBER_SIMD: simd }, maxBuffer: 1 << 28 });
    if (done.status !== 0) throw new Error(`${limber} ${line} (${simd}): exit ${done.status}\n${done.stderr}`);
    if (!line.includes(' -o ') && !line.startsWith('convert')) fs.writeFileSync(path.join(work, line.replaceAll(/[ /]/g, '_')), done.stdout);
  }
  const names = fs.readdirSync(work).sort(byName);
  const result = names.map((name) => `${digest(fs.readFileSync(path.join(work, name)))}  ${name}`);
  fs.rmSync(work, { recursive: true });
  return result;
}

function hashesWasm() {
  buildModule();
  const limber = new Limber(readModule('limber.wasm'));
  for (const line of lines) {
    const done = limber.run(...line.split(' '));
    if (done.code !== 0) throw new Error(`${line} (wasm): exit ${done.code}\n${done.messages}`);
    if (!line.includes(' -o ') && !line.startsWith('convert')) limber.put(line.replaceAll(/[ /]/g, '_'), done.output);
  }
  return limber.names().sort(byName).map((name) => `${digest(limber.get(name))}  ${name}`);
}

// The sets that this machine runs, of all that a build may know.
function setsOf(limber) {
  return ['scalar', 'sse2', 'avx2', 'avx512', 'neon'].filter((set) =>
    spawnSync(limber, ['info', path.join(source, 'tests/cli/arm.gltf'), '--simd', set]).status === 0);
}

if (process.argv.includes('--update')) {
  fs.writeFileSync(hashFile, `${hashesNative(path.join(build, 'limber'), 'best', 1).join('\n')}\n`);
  process.exit(0);
}

const expected = fs.readFileSync(hashFile, 'utf8').trim().split('\n');
let failed = false;
function compare(title, found) {
  const changed = found.filter((line) => !expected.includes(line)).map((line) => line.slice(66));
  const missing = expected.filter((line) => !found.some((other) => other.slice(66) === line.slice(66))).map((line) => line.slice(66));
  console.log(`${title}: ${found.length} files, ${changed.length} changed, ${missing.length} missing`);
  if (changed.length + missing.length > 0) {
    console.log(`  changed: ${changed.join(' ')}\n  missing: ${missing.join(' ')}`);
    failed = true;
  }
}

const limber = path.join(build, 'limber');
const sets = setsOf(limber);
if (!sets.includes('scalar')) throw new Error('--simd scalar does not run');
sets.forEach((set, k) => {
  for (const threads of process.env.LIMBER_LONG ? [1, 2] : [1 + k % 2]) compare(`${set}, ${threads} thread(s)`, hashesNative(limber, set, threads));
});
const clang = path.join(source, 'build/clang/limber');
if (fs.existsSync(clang) && path.resolve(limber) !== clang) compare('clang', hashesNative(clang, 'best', 2));
if (canCompile()) compare('WebAssembly', hashesWasm());
process.exit(failed ? 1 : 0);
