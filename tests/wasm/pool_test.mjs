// The pool of the module that shares its memory: loops come to each index once whatever the number of threads, which do take
// part, on stacks of their own; the heap holds; a helper that stops dead stops the caller. Exits 77 where clang cannot compile
// for wasm32-wasi.
import assert from 'node:assert/strict';
import { buildModule, readModule } from './module.mjs';
import { SharedLimber } from './threads.mjs';

buildModule();
const module = readModule('pool.wasm');
for (const one of [module, readModule('limber-threads.wasm')]) {
  assert.deepEqual(WebAssembly.Module.imports(one).map((i) => `${i.module}.${i.name}`), ['env.memory']);
}

const pool = new SharedLimber(module), { wasm } = pool;
for (const helpers of [0, 1, 2]) {
  await pool.help(helpers);
  const threads = wasm.limber_helper_count() + 1;
  for (const count of [0, 1, 7, 100, 1001, 30000]) {
    for (const grain of [0, 1, 3, 64, 1000, 40000]) {
      assert.equal(wasm.loops_run(count, grain, 0), 1, `${count} by ${grain} on ${threads} threads`);
    }
  }
  // A busy machine may leave one of them out of a loop.
  let most = 0;
  for (let k = 0; k < 100 && most < threads; ++k) {
    wasm.loops_run(20000, 1, 0);
    most = Math.max(most, wasm.loops_stacks());
  }
  assert.equal(most, threads, 'threads that took part');
  for (let k = 0; k < 10; ++k) {
    assert.equal(wasm.loops_run(20000, 1, 1), 1);
    assert.equal(wasm.loops_stacks(), 1, 'one thread was asked for');
    assert.equal(wasm.loops_nested(500), 1);
    assert.equal(wasm.loops_heap(500), 1);
  }
  console.log(`${threads} threads`);
}
// What `loops_deep` sums: the piece's number k and all below it, 64 numbers a level.
const depth = 1000, pieces = 64;
let sum = 0n;
for (let k = 0; k < pieces; ++k) for (let level = 0; level <= depth; ++level) sum += BigInt(64 * (k + level) + 2016);
for (let k = 0; k < 20; ++k) assert.equal(wasm.loops_deep(pieces, depth), sum);
for (let k = 0; k < 20000; ++k) assert.equal(wasm.loops_run(50, 1, 0), 1);
await pool.end();

// A helper that traps, and one that writes beyond its stack, of which 2040 levels take 1 MiB: the caller stops as well.
for (const depth of [0, 2100]) {
  const dying = new SharedLimber(module);
  dying.wasm.limber_helper_stack(); // what lies below the helper's, and is of no use
  await dying.help(1);
  assert.throws(() => { for (let k = 0; k < 100; ++k) dying.wasm.loops_fatal(1000, depth); }, WebAssembly.RuntimeError, `${depth} levels`);
  await dying.end();
}
