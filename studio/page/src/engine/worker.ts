import { companions } from '../companions';
import { Inbox } from './handover';
import { LiveModule } from './live_module';
import { LimberModule } from './module';
import { makePicture } from './picture';
import { dracoName, type Files, type Handing, type Reply, type Request } from './protocol';

// Memory of an instance never shrinks: one that grew beyond this is left to the collector.
const memoryLimit = 512 * 1024 * 1024;

const fetched = (): Promise<Response> => fetch(new URL('limber.wasm', self.location.href));
// Servers that do not know the type of a .wasm file are common; then it is compiled once it is all here.
const compiled = WebAssembly.compileStreaming(fetched()).catch(async () => WebAssembly.compile(await (await fetched()).arrayBuffer()));
let commands: LimberModule | null = null;
let running = 0;
// The character in the user's hands has an instance to itself: a command that stops dead does not take it along.
let live: LiveModule | null = null;
const inbox = new Inbox();

/** Whether a glTF file says that it has meshes that Draco compressed: in its text, which stands first in a GLB. */
function isCompressed(name: string, bytes: Uint8Array): boolean {
    if (!/\.(glb|gltf|vrm)$/i.test(name) || bytes.length < 20) return false;
    const length = bytes[0] === 0x67 ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true) : bytes.length;
    return new TextDecoder().decode(bytes.subarray(0, 20 + length)).includes(dracoName);
}

// A bundle of its own: a name that the bundler does not follow.
const beside = (name: string): string => new URL(name, self.location.href).href;

/** The files without meshes that Draco compressed. What cannot be decoded stays: the command says what it is. */
async function uncompressed(files: Files): Promise<Files> {
    const compressed = [...files].filter(([name, bytes]) => isCompressed(name, bytes));
    if (!compressed.length) return files;
    const { load, unpack } = (await import(beside('draco.js'))) as typeof import('./draco');
    const draco = await load(await (await fetch(beside('draco.wasm'))).arrayBuffer());
    const out = new Map(files);
    for (const [name, bytes] of compressed) out.set(name, await unpack(draco, name, bytes, files).catch(() => bytes));
    return out;
}

/** A small picture in the format of files. Reading its pixels waits for the GPU, which the page is not to. */
async function encode(bitmap: ImageBitmap): Promise<Blob> {
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
    bitmap.close();
    return canvas.convertToBlob({ type: 'image/webp', quality: 0.8 });
}

async function answer(request: Request): Promise<Reply> {
    const { id } = request;
    if ('picture' in request) return { id, picture: makePicture(inbox.find(request.picture)) };
    if ('naming' in request) return { id, named: { names: companions(request.naming, request.bytes), bytes: request.bytes } };
    if ('bitmap' in request) return { id, encoded: await encode(request.bitmap) };
    if ('live' in request) {
        const module = await compiled;
        live ??= new LiveModule(module);
        const call = live[request.live] as (...args: unknown[]) => unknown;
        return { id, value: call.apply(live, request.args.map((value) => inbox.find(value))) };
    }
    const given: Files = new Map([...request.files].map(([name, bytes]) => [name, inbox.find(bytes)]));
    const files = await uncompressed(given), module = await compiled;
    if (!commands) {
        commands = new LimberModule(module);
        commands.watch((progress) => self.postMessage({ id: running, progress } satisfies Reply));
    }
    running = id;
    const result = commands.run(request.args, files);
    if (commands.memorySize > memoryLimit) commands = null;
    return { id, result };
}

/** What was said before the module stopped, and how it stopped. */
function explain(request: Request, error: unknown): Reply {
    const reason = error instanceof Error ? error.message : String(error);
    if (!('live' in request || 'args' in request)) return { id: request.id, trap: reason };
    // A call by the frame that fails says so and goes on; only what the engine throws leaves an instance that is not to be trusted.
    const trapped = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    const said = trapped ? (('live' in request ? live : commands)?.messages().trim() ?? '') : '';
    if (trapped && 'live' in request) live = null;
    else if (!('live' in request)) commands = null;
    return { id: request.id, trap: [said, reason].filter(Boolean).join('\n') };
}

function buffersOf(reply: Reply): ArrayBufferLike[] {
    if ('result' in reply) return [reply.result.output, ...reply.result.files.values()].map((bytes) => bytes.buffer);
    if ('picture' in reply) return reply.picture.views;
    if ('named' in reply) return [reply.named.bytes.buffer];
    const value = 'value' in reply ? reply.value : null;
    const values = value !== null && typeof value === 'object' && !ArrayBuffer.isView(value) ? Object.values(value).flat() : [value];
    return values.filter((value) => ArrayBuffer.isView(value)).map((value) => value.buffer);
}

self.onmessage = async (event: MessageEvent<Request | Handing>) => {
    const { data } = event;
    if (!('id' in data)) return inbox.take(data);
    const reply = await answer(data).catch((error: unknown) => explain(data, error));
    self.postMessage(reply, { transfer: buffersOf(reply) as ArrayBuffer[] });
};
