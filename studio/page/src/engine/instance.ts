import type { Exports } from './module';

// Helpers that have not started by then join later.
const patience = 1000; // milliseconds

/** What a helper is handed; `stack` is where its stack begins. */
export interface HelperStart {
    module: WebAssembly.Module;
    memory: WebAssembly.Memory;
    stack: number;
}

/** A module on memory of its own, which it shares with those that help it where it imports it. */
export class Instance {
    readonly exports: Exports;
    private readonly helpers: Worker[] = [];

    constructor(private readonly module: WebAssembly.Module, memory?: WebAssembly.Memory) {
        const imports = { env: { memory } } as WebAssembly.Imports;
        this.exports = { memory, ...new WebAssembly.Instance(module, imports).exports } as unknown as Exports;
        this.exports._initialize();
    }

    /** Starts helpers, each with an instance on the same memory (studio/wasm_threads.h). */
    async help(count: number): Promise<void> {
        for (let k = 0; k < count; ++k) {
            const stack = this.exports.limber_helper_stack!();
            if (!stack) break;
            const helper = new Worker(new URL('helper.js', self.location.href), { type: 'module' });
            helper.postMessage({ module: this.module, memory: this.exports.memory, stack } satisfies HelperStart);
            this.helpers.push(helper);
        }
        const start = performance.now();
        while (this.exports.limber_helper_count!() < this.helpers.length && performance.now() - start < patience) await new Promise((done) => setTimeout(done, 2));
    }

    end(): void {
        for (const helper of this.helpers) helper.terminate();
    }
}
