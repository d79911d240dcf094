// Pictures for the sheets of this folder: PNG of 8 bits a channel, read as limber writes them.
import { writeFileSync } from 'node:fs';
import { crc32 as crcOf, deflateSync, inflateSync } from 'node:zlib';

const table = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n >>> 0;
});
const crc = crcOf ?? ((bytes) => {
    let c = 0xffffffff;
    for (const b of bytes) c = table[(c ^ b) & 255] ^ (c >>> 8);
    return (c ^ 0xffffffff) >>> 0;
});

/** The picture's width, height and RGB bytes; 8 bits a channel, not interlaced, as limber writes them. */
export function readPng(bytes) {
    const data = [];
    let w = 0, h = 0, channels = 3;
    for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
        const kind = bytes.toString('latin1', at + 4, at + 8), body = bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at));
        if (kind === 'IHDR') {
            [w, h] = [body.readUInt32BE(0), body.readUInt32BE(4)];
            channels = body[9] === 6 ? 4 : 3;
        } else if (kind === 'IDAT') {
            data.push(body);
        }
    }
    const raw = inflateSync(Buffer.concat(data)), stride = w * channels, lines = Buffer.alloc(stride * h);
    for (let y = 0; y < h; ++y) {
        const filter = raw[y * (stride + 1)];
        for (let x = 0; x < stride; ++x) {
            const a = x >= channels ? lines[y * stride + x - channels] : 0, b = y ? lines[(y - 1) * stride + x] : 0;
            const c = x >= channels && y ? lines[(y - 1) * stride + x - channels] : 0;
            const p = a + b - c, da = Math.abs(p - a), db = Math.abs(p - b), dc = Math.abs(p - c);
            const guess = [0, a, b, (a + b) >> 1, da <= db && da <= dc ? a : db <= dc ? b : c][filter];
            lines[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess;
        }
    }
    const rgb = Buffer.alloc(3 * w * h);
    for (let k = 0; k < 3 * w * h; ++k) rgb[k] = lines[Math.floor(k / 3) * channels + (k % 3)];
    return { w, h, rgb };
}

/** Writes RGB bytes. */
export function writePng(path, w, h, rgb) {
    const lines = Buffer.alloc((3 * w + 1) * h);
    for (let y = 0; y < h; ++y) { // each line less the one above: skies and floors become zeros
        lines[y * (3 * w + 1)] = 2;
        for (let x = 0; x < 3 * w; ++x) lines[y * (3 * w + 1) + 1 + x] = rgb[y * 3 * w + x] - (y ? rgb[(y - 1) * 3 * w + x] : 0);
    }
    const chunk = (kind, body) => {
        const all = Buffer.alloc(12 + body.length);
        all.writeUInt32BE(body.length, 0);
        all.write(kind, 4, 'latin1');
        body.copy(all, 8);
        all.writeUInt32BE(crc(all.subarray(4, 8 + body.length)), 8 + body.length);
        return all;
    };
    const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
    head.writeUInt32BE(w, 0);
    head.writeUInt32BE(h, 4);
    writeFileSync(path, Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head),
        chunk('IDAT', deflateSync(lines, { level: 9 })), chunk('IEND', Buffer.alloc(0))]));
}
