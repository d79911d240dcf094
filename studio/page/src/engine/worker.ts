import { LimberModule } from './module';
import type { Reply, Request } from './protocol';

// Memory of an instance never shrinks: one that grew beyond this is left to the collector.
const memoryLimit = 512 * 1024 * 1024;

const compiled = WebAssembly.compileStreaming(fetch(new URL('limber.wasm', self.location.href)));
let instance: LimberModule | null = null;

async function answer({ id, args, files }: Request): Promise<Reply> {
    try {
        instance ??= new LimberModule(await compiled);
        const result = instance.run(args, files);
        if (instance.memorySize > memoryLimit) instance = null;
        return { id, result };
    } catch (error) {
        const said = instance?.messages() ?? '';
        instance = null;
        return { id, trap: [said.trim(), error instanceof Error ? error.message : String(error)].filter(Boolean).join('\n') };
    }
}

self.onmessage = async (event: MessageEvent<Request>) => {
    const reply = await answer(event.data);
    const buffers = 'result' in reply ? [reply.result.output, ...reply.result.files.values()].map((bytes) => bytes.buffer) : [];
    self.postMessage(reply, { transfer: buffers as ArrayBuffer[] });
};
