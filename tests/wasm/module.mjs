// The studio's module as the tests use it: built from what stands in the tree, and the command run inside it.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const source = process.env.LIMBER_SOURCE ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const build = process.env.LIMBER_BUILD ?? path.join(source, 'build/dev');
export const wasmBuild = path.join(source, 'build/wasm');

export function canCompile() {
  const probe = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'limber-')), 'probe');
  fs.writeFileSync(`${probe}.c`, '#include <stdlib.h>\n');
  const done = spawnSync('clang', ['--target=wasm32-wasi', '-c', `${probe}.c`, '-o', `${probe}.o`]);
  fs.rmSync(path.dirname(probe), { recursive: true });
  return done.status === 0;
}

// Builds the wasm preset; ends the test with 77 where clang cannot compile for wasm32-wasi. Tests run side by side, and two
// builds of one folder would spoil each other.
export function buildModule() {
  if (!canCompile()) {
    console.log('skipped: clang does not compile for wasm32-wasi here');
    process.exit(77);
  }
  fs.mkdirSync(path.dirname(wasmBuild), { recursive: true });
  const configure = fs.existsSync(path.join(wasmBuild, 'build.ninja')) ? [] : [['--preset', 'wasm']];
  for (const args of [...configure, ['--build', wasmBuild]]) {
    const done = spawnSync('flock', [`${wasmBuild}.lock`, 'cmake', ...args], { cwd: source, encoding: 'utf8' });
    if (done.status !== 0) {
      console.log(done.stdout + done.stderr);
      process.exit(1);
    }
  }
}

export function readModule(name) {
  return new WebAssembly.Module(fs.readFileSync(path.join(wasmBuild, name)));
}

const stackSize = 1 << 20;
const untouched = 0xa5;

export class Limber {
  // A module that imports its memory gets `memory`.
  constructor(module, memory) {
    this.wasm = { memory, ...new WebAssembly.Instance(module, { env: { memory } }).exports };
    this.wasm._initialize();
  }

  bytes(pointer, size) {
    return new Uint8Array(this.wasm.memory.buffer, pointer, size);
  }

  // The text at a pointer, or null.
  text(pointer) {
    if (pointer === 0) return null;
    const all = new Uint8Array(this.wasm.memory.buffer, pointer);
    return Buffer.from(all.subarray(0, all.indexOf(0))).toString('utf8');
  }

  // Calls use(pointer) with bytes in the module's memory.
  with(bytes, use) {
    const pointer = this.wasm.limber_alloc(bytes.length);
    if (pointer === 0) throw new Error('out of memory');
    this.bytes(pointer, bytes.length).set(bytes);
    const result = use(pointer);
    this.wasm.limber_free(pointer);
    return result;
  }

  withText(text, use) {
    return this.with(Buffer.from(`${text}\0`), use);
  }

  put(name, bytes) {
    const done = this.withText(name, (n) => this.with(bytes, (b) => this.wasm.limber_file_put(n, b, bytes.length)));
    if (done !== 1) throw new Error('out of memory');
  }

  // A copy of the file's bytes, or null.
  get(name) {
    return this.withText(name, (n) => {
      const size = this.wasm.limber_file_size(n);
      return size < 0 ? null : Buffer.from(this.bytes(this.wasm.limber_file_bytes(n), size));
    });
  }

  remove(name) {
    this.withText(name, (n) => this.wasm.limber_file_remove(n));
  }

  names() {
    return Array.from({ length: this.wasm.limber_file_count() }, (_, k) => this.text(this.wasm.limber_file_name(k)));
  }

  // The stack lies in the first bytes of memory; between calls it is empty.
  #markStack() {
    this.bytes(0, stackSize - 4096).fill(untouched);
  }

  #stackUsed() {
    const stack = this.bytes(0, stackSize);
    let lowest = 0;
    while (lowest < stackSize && stack[lowest] === untouched) ++lowest;
    return stackSize - lowest;
  }

  run(...args) {
    const texts = ['limber', ...args].map((a) => Buffer.from(`${a}\0`));
    const pointers = texts.map((t) => {
      const pointer = this.wasm.limber_alloc(t.length);
      this.bytes(pointer, t.length).set(t);
      return pointer;
    });
    const argv = Buffer.from(new Uint32Array([...pointers, 0]).buffer);
    this.#markStack();
    const code = this.with(argv, (a) => this.wasm.limber_run(pointers.length, a));
    const stack = this.#stackUsed();
    pointers.forEach((p) => this.wasm.limber_free(p));
    const { limber_output, limber_output_size, limber_messages, limber_messages_size } = this.wasm;
    const output = Buffer.from(this.bytes(limber_output(), limber_output_size()));
    const messages = Buffer.from(this.bytes(limber_messages(), limber_messages_size())).toString('utf8');
    return { code, output, messages, stack };
  }
}
