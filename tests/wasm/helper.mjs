// A thread that helps an instance of a module on the same memory (studio/wasm_threads.h).
import { workerData } from 'node:worker_threads';

const { module, memory, stack } = workerData;
const helper = new WebAssembly.Instance(module, { env: { memory } }).exports;
helper.__stack_pointer.value = stack;
try {
  helper.limber_helper_run(stack);
} catch {
  helper.limber_helper_failed();
}
