import { Instance } from './instance';

// As tools/cmake/wasm.cmake links the module that shares its memory.
const firstPages = 128;
const mostPages = 65536;
const threadsMost = 8;

const fetched = (name: string): Promise<Response> => fetch(new URL(name, self.location.href));
// Servers that do not know the type of a .wasm file are common; then it is compiled once it is all here.
const compiled = (name: string): Promise<WebAssembly.Module> =>
    WebAssembly.compileStreaming(fetched(name)).catch(async () => WebAssembly.compile(await (await fetched(name)).arrayBuffer()));

/** The library, compiled: with threads where the browser lets the page share memory between them, else without. */
export class Library {
    private threads = self.crossOriginIsolated ? Math.min(navigator.hardwareConcurrency, threadsMost) : 1;
    private module = this.threads > 1 ? compiled('limber-threads.wasm').catch((error: unknown) => this.alone(error)) : compiled('limber.wasm');

    /** An instance, with helpers for its loops where `helped`. */
    async open(helped: boolean): Promise<Instance> {
        const module = await this.module;
        if (this.threads <= 1) return new Instance(module);
        try {
            const instance = new Instance(module, new WebAssembly.Memory({ initial: firstPages, maximum: mostPages, shared: true }));
            if (helped) await instance.help(this.threads - 1);
            return instance;
        } catch (error) {
            this.module = this.alone(error);
            return this.open(helped);
        }
    }

    private alone(error: unknown): Promise<WebAssembly.Module> {
        console.info(`one thread: ${String(error)}`);
        this.threads = 1;
        return compiled('limber.wasm');
    }
}
