// The library gives the same bytes in WebAssembly as natively. Builds the wasm preset itself, so that what is compared
// is what stands in the tree; exits 77 where clang cannot compile for wasm32-wasi.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { build, buildModule, readModule } from './module.mjs';

buildModule();

let failed = false;
function fail(text) {
  console.log(text);
  failed = true;
}

for (const name of ['parity.wasm', 'limber.wasm']) {
  const module = readModule(name);
  const imports = WebAssembly.Module.imports(module).map((i) => `${i.module}.${i.name}`);
  if (imports.length > 0) fail(`${name} imports ${imports.join(', ')}; it must import nothing`);
  if (name === 'limber.wasm') new WebAssembly.Instance(module).exports._initialize();
}

const wasm = new WebAssembly.Instance(readModule('parity.wasm')).exports;
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
