// Enough of the zip format for archives of models: stored and deflated entries, no encryption, no zip64.

const endMark = 0x06054b50;
const entryMark = 0x02014b50;

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
    const stream = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

function findEnd(view: DataView): number {
    // A comment of up to 65535 bytes may follow it.
    for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 65557); --at) if (view.getUint32(at, true) === endMark) return at;
    throw new Error('no zip archive: the end of its directory was not found');
}

/** The files of an archive by their paths. */
export async function unzip(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const end = findEnd(view);
    const out = new Map<string, Uint8Array>();
    let at = view.getUint32(end + 16, true);
    for (let left = view.getUint16(end + 10, true); left > 0; --left) {
        if (at + 46 > end || view.getUint32(at, true) !== entryMark) throw new Error('a zip archive whose directory is damaged');
        const [method, size] = [view.getUint16(at + 10, true), view.getUint32(at + 20, true)];
        const [nameSize, extraSize, commentSize, start] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true), view.getUint16(at + 32, true), view.getUint32(at + 42, true)];
        const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameSize));
        at += 46 + nameSize + extraSize + commentSize;
        if (name.endsWith('/') || name.startsWith('__MACOSX/')) continue;
        if (start + 30 > view.byteLength) throw new Error(`${name}: begins beyond the end of the zip archive`);
        const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
        if (from + size > view.byteLength) throw new Error(`${name}: ends beyond the end of the zip archive`);
        if (method !== 0 && method !== 8) throw new Error(`${name}: compressed by method ${method}, which is not known`);
        const content = bytes.subarray(from, from + size);
        out.set(name, method === 8 ? await inflate(content) : content.slice());
    }
    return out;
}
