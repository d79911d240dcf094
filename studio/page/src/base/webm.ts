// The WebM container (a subset of Matroska): one track of video, a cluster from key frame to key frame.

interface Chunk {
    bytes: Uint8Array;
    /** Milliseconds. */
    time: number;
    key: boolean;
}

type Part = Uint8Array | Part[];

const lengthOf = (part: Part): number => (Array.isArray(part) ? part.reduce((sum, one) => sum + lengthOf(one), 0) : part.length);
const flat = (part: Part): Uint8Array[] => (Array.isArray(part) ? part.flatMap(flat) : [part]);

/** An unsigned number in as few bytes as it takes. */
function uint(value: number): Uint8Array {
    const bytes: number[] = [];
    for (let left = value; left > 0 || bytes.length === 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
    return Uint8Array.from(bytes);
}

function float(value: number): Uint8Array {
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setFloat64(0, value);
    return new Uint8Array(bytes.buffer);
}

/** A length in eight bytes, the first of which says so. */
function size(value: number): Uint8Array {
    const bytes = new DataView(new ArrayBuffer(8));
    bytes.setUint32(0, 0x01000000 + Math.floor(value / 2 ** 32));
    bytes.setUint32(4, value % 2 ** 32);
    return new Uint8Array(bytes.buffer);
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const element = (id: number, content: Part): Part => [uint(id), size(lengthOf(content)), content];

function block({ bytes, time, key }: Chunk, from: number): Part {
    const head = new DataView(new ArrayBuffer(4));
    head.setUint8(0, 0x81); // track 1
    head.setInt16(1, time - from);
    head.setUint8(3, key ? 0x80 : 0);
    return element(0xa3, [new Uint8Array(head.buffer), bytes]);
}

/** `codec` is V_VP8 or V_VP9; the first chunk is a key frame, and a cluster holds half a minute at most. */
export function webm(chunks: Chunk[], width: number, height: number, codec: string, duration: number): Blob {
    const clusters: Chunk[][] = [];
    for (const chunk of chunks) {
        if (chunk.key) clusters.push([]);
        clusters.at(-1)!.push(chunk);
    }
    const header = element(0x1a45dfa3, [element(0x4286, uint(1)), element(0x42f7, uint(1)), element(0x42f2, uint(4)), element(0x42f3, uint(8)), element(0x4282, text('webm')), element(0x4287, uint(4)), element(0x4285, uint(2))]);
    const info = element(0x1549a966, [element(0x2ad7b1, uint(1e6)), element(0x4489, float(duration)), element(0x4d80, text('Limber')), element(0x5741, text('Limber'))]);
    const video = element(0xe0, [element(0xb0, uint(width)), element(0xba, uint(height))]);
    const track = element(0x1654ae6b, element(0xae, [element(0xd7, uint(1)), element(0x73c5, uint(1)), element(0x83, uint(1)), element(0x86, text(codec)), video]));
    const body = clusters.map((cluster) => element(0x1f43b675, [element(0xe7, uint(cluster[0]!.time)), ...cluster.map((chunk) => block(chunk, cluster[0]!.time))]));
    return new Blob(flat([header, element(0x18538067, [info, track, ...body])]) as BlobPart[], { type: 'video/webm' });
}
