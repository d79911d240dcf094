import { companions } from '../companions';
import { Inbox } from './handover';
import { Held, isTrap, reasonOf } from './held';
import { Library } from './library';
import { LiveModule } from './live_module';
import { LimberModule } from './module';
import { makePicture } from './picture';
import { dracoName, type Files, type Handing, type Reply, type Request } from './protocol';

// Memory of an instance never shrinks: one that grew beyond this is left to the collector.
const memoryLimit = 512 * 1024 * 1024;

const library = new Library();
let running = 0;
const commands = new Held(async () => {
    const module = new LimberModule(await library.open(true));
    module.watch((progress) => self.postMessage({ id: running, progress } satisfies Reply));
    return module;
}, () => false);
// The character in the user's hands has an instance to itself: a command that stops dead does not take it along.
// A call by the frame that fails says so and goes on; only what the engine throws leaves an instance that is not to be trusted.
const live = new Held(async () => new LiveModule(await library.open(false)), (error) => !isTrap(error));
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
        const args = request.args.map((value) => inbox.find(value));
        return { id, value: await live.use((module) => (module[request.live] as (...args: unknown[]) => unknown).apply(module, args)) };
    }
    const given: Files = new Map([...request.files].map(([name, bytes]) => [name, inbox.find(bytes)]));
    const files = await uncompressed(given);
    const result = await commands.use((module) => {
        running = id;
        const done = module.run(request.args, files);
        if (module.memorySize > memoryLimit) commands.drop(module);
        return done;
    });
    return { id, result };
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
    const reply = await answer(data).catch((error: unknown): Reply => ({ id: data.id, trap: reasonOf(error) }));
    self.postMessage(reply, { transfer: buffersOf(reply) as ArrayBuffer[] });
};
