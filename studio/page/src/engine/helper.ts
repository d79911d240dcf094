// A thread that takes part in the loops of an instance in the engine's worker, by another one on the same memory.
import type { HelperStart } from './instance';

interface HelperExports {
    __stack_pointer: WebAssembly.Global;
    limber_helper_run(stack: number): void;
    limber_helper_failed(): void;
}

self.onmessage = ({ data: { module, memory, stack } }: MessageEvent<HelperStart>) => {
    const helper = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as HelperExports;
    helper.__stack_pointer.value = stack;
    try {
        helper.limber_helper_run(stack);
    } catch {
        // Whoever waits for this thread is told that it stopped, and says so.
        helper.limber_helper_failed();
    }
};
