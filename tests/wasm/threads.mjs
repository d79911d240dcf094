// A module that shares its memory, with helpers in threads of Node.
import { Worker } from 'node:worker_threads';
import { Limber } from './module.mjs';

const firstPages = 128, mostPages = 65536;

export class SharedLimber extends Limber {
  #helpers = [];

  constructor(module) {
    const memory = new WebAssembly.Memory({ initial: firstPages, maximum: mostPages, shared: true });
    super(module, memory);
    this.module = module;
    this.memory = memory;
  }

  // Has so many helpers take part from now on; `stacks` has theirs where they are not to get new ones.
  async help(count, stacks = []) {
    for (let k = 0; k < count; ++k) {
      const stack = stacks[k] ?? this.wasm.limber_helper_stack();
      const worker = new Worker(new URL('helper.mjs', import.meta.url), { workerData: { module: this.module, memory: this.memory, stack } });
      worker.unref();
      this.#helpers.push(worker);
    }
    while (this.wasm.limber_helper_count() < this.#helpers.length) await new Promise((done) => setTimeout(done, 1));
  }

  async end() {
    await Promise.all(this.#helpers.map((helper) => helper.terminate()));
  }
}
