// The library gives the same bytes in WebAssembly as natively. Builds the wasm preset itself, so that what is compared
// is what stands in the tree; exits 77 where clang cannot compile for wasm32-wasi.
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const source = process.env.LIMBER_SOURCE ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
const build = process.env.LIMBER_BUILD ?? path.join(source, 'build/dev');
const wasmBuild = path.join(source, 'build/wasm');

function canCompile() {
  const probe = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'limber-')), 'probe');
  fs.writeFileSync(`${probe}.c`, '#include <stdlib.h>\n');
  const done = spawnSync('clang', ['--target=wasm32-wasi', '-c', `${probe}.c`, '-o', `${probe}.o`]);
  fs.rmSync(path.dirname(probe), { recursive: true });
  return done.status === 0;
}
if (!canCompile()) {
  console.log('skipped: clang does not compile for wasm32-wasi here');
  process.exit(77);
}

function run(command, ...args) {
  const done = spawnSync(command, args, { cwd: source, encoding: 'utf8' });
  if (done.status !== 0) {
    console.log(done.stdout + done.stderr);
    process.exit(1);
  }
}
if (!fs.existsSync(path.join(wasmBuild, 'build.ninja'))) run('cmake', '--preset', 'wasm');
run('cmake', '--build', wasmBuild);

let failed = false;
function fail(text) {
  console.log(text);
  failed = true;
}

for (const name of ['parity.wasm', 'limber.wasm']) {
  const module = new WebAssembly.Module(fs.readFileSync(path.join(wasmBuild, name)));
  const imports = WebAssembly.Module.imports(module).map((i) => `${i.module}.${i.name}`);
  if (imports.length > 0) fail(`${name} imports ${imports.join(', ')}; it must import nothing`);
  if (name === 'limber.wasm') new WebAssembly.Instance(module).exports._initialize();
}

const module = new WebAssembly.Module(fs.readFileSync(path.join(wasmBuild, 'parity.wasm')));
const wasm = new WebAssembly.Instance(module).exports;
wasm._initialize();

function text(pointer) {
  const bytes = new Uint8Array(wasm.memory.buffer, pointer);
  return Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString('utf8');
}

for (let k = 0; k < wasm.parity_case_count(); ++k) {
  const native = execFileSync(path.join(build, 'tests/wasm/parity'), [`${k}`], { maxBuffer: 1 << 28 });
  const size = wasm.parity_run(k);
  const ours = Buffer.from(new Uint8Array(wasm.memory.buffer, wasm.parity_output(), size));
  const name = text(wasm.parity_case_name(k));
  if (size === 0) fail(`${name}: no output`);
  if (native.equals(ours)) {
    console.log(`${name}: ${size} equal bytes`);
    continue;
  }
  let at = 0;
  while (at < Math.min(size, native.length) && native[at] === ours[at]) ++at;
  at -= at % 4;
  fail(`${name}: ${native.length} bytes natively, ${size} in wasm; the first difference is in float ${at / 4}: ` +
    `${at < native.length - 3 ? native.readFloatLE(at) : 'none'} natively, ${at < size - 3 ? ours.readFloatLE(at) : 'none'} in wasm`);
}
process.exit(failed ? 1 : 0);
