// The zip format as unzip.ts reads it, stored without compression: characters are packed binaries already.
import { blobOf } from './blob';
import { inPieces } from './slices';
import type { Files } from '../engine/protocol';

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; ++bit) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
    return value;
});

async function checksum(bytes: Uint8Array): Promise<number> {
    let value = 0xffffffff;
    await inPieces(bytes, (piece) => {
        for (const byte of piece) value = table[(value ^ byte) & 255]! ^ (value >>> 8);
    });
    return ~value >>> 0;
}

// Names are UTF-8 (bit 11); the date is the format's first day, so that equal contents are equal bytes.
const utf8 = 0x0800;
const firstDay = 0x0021;

async function shared(bytes: Uint8Array, nameSize: number): Promise<number[]> {
    const words = (...values: number[]): number[] => values.flatMap((value) => [value & 255, (value >>> 8) & 255]);
    const long = (value: number): number[] => words(value & 0xffff, value >>> 16);
    return [...words(20, utf8, 0, 0, firstDay), ...long(await checksum(bytes)), ...long(bytes.length), ...long(bytes.length), ...words(nameSize, 0)];
}

function longs(...values: number[]): Uint8Array<ArrayBuffer> {
    return new Uint8Array(Uint32Array.from(values).buffer);
}

/** An archive of these files, in this order; up to 4 GB. */
export async function zip(files: Files): Promise<Blob> {
    const parts: BlobPart[] = [];
    const directory: Uint8Array<ArrayBuffer>[] = [];
    let at = 0;
    for (const [name, bytes] of files) {
        const label = new TextEncoder().encode(name);
        const head = Uint8Array.from(await shared(bytes, label.length));
        parts.push(longs(0x04034b50), head, label, await blobOf(bytes));
        directory.push(longs(0x02014b50), Uint8Array.from([20, 0]), head, new Uint8Array(10), longs(at), label);
        at += 4 + head.length + label.length + bytes.length;
        if (at > 0xffffffff) throw new Error('a document of more than 4 GB cannot be one file');
    }
    const size = directory.reduce((sum, part) => sum + part.length, 0);
    const count = new Uint8Array(Uint16Array.from([0, 0, files.size, files.size]).buffer);
    return new Blob([...parts, ...directory, longs(0x06054b50), count, longs(size, at), new Uint8Array(2)], { type: 'application/zip' });
}
