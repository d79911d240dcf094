// A font whose every character is the same block, so that text takes the same room on every machine: TrueType (OpenType 1.9).

const last = 0x2fff; // the last character that it has
const space = 0x20;
const em = 1000, ascent = 930, descent = 240, advance = 560;
const block = { left: 40, right: 520, low: 0, high: 560 };

const u16 = (...values) => Buffer.concat(values.map((value) => Buffer.from([(value >> 8) & 255, value & 255])));
const u32 = (...values) => u16(...values.flatMap((value) => [value >>> 16, value & 65535]));

/** One contour of four points, given by the steps from one to the next; padded to four bytes. */
function outline() {
    const { left, right, low, high } = block;
    const contour = [u16(1, left, low, right, high, 3, 0), Buffer.from([1, 1, 1, 1]), u16(left, 0, right - left, 0), u16(low, high - low, 0, low - high)];
    return Buffer.concat([...contour, Buffer.alloc(2)]);
}

function tables() {
    const glyph = outline(), shown = last - space, count = shown + 2; // one for what is missing and one for the space are empty
    const offsets = Buffer.concat([u32(0, 0), ...Array.from({ length: shown + 1 }, (_, k) => u32(k * glyph.length))]);
    const group = u32(1, space, last, 1), format12 = Buffer.concat([u16(12, 0), u32(12 + group.length, 0), group]);
    return {
        'OS/2': Buffer.concat([u16(4, advance, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0), Buffer.alloc(10), u32(1, 0, 0, 0), Buffer.from('LMBR'),
            u16(0x40, space, last, ascent, -descent, 0, ascent, descent), u32(1, 0), u16(block.high, 700, 0, space, 1)]),
        cmap: Buffer.concat([u16(0, 1, 3, 10), u32(12), format12]),
        glyf: Buffer.concat(Array.from({ length: shown }, () => glyph)),
        head: Buffer.concat([u32(0x10000, 0x10000, 0, 0x5f0f3cf5), u16(3, em), Buffer.alloc(16), u16(block.left, block.low, block.right, block.high, 0, 8, 2, 1, 0)]),
        hhea: Buffer.concat([u32(0x10000), u16(ascent, -descent, 0, advance, block.left, advance - block.right, block.right, 1, 0, 0, 0, 0, 0, 0, 0, 1)]),
        hmtx: Buffer.concat([u16(advance, block.left), ...Array.from({ length: count - 1 }, () => u16(block.left))]),
        loca: offsets,
        maxp: Buffer.concat([u32(0x10000), u16(count, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)]),
        name: u16(0, 0, 6),
        post: Buffer.concat([u32(0x30000, 0), u16(-100, 50), u32(0, 0, 0, 0, 0)]),
    };
}

function sum(bytes) {
    let total = 0;
    for (let at = 0; at < bytes.length; at += 4) total = (total + bytes.readUInt32BE(at)) >>> 0;
    return total;
}

/** The font's bytes. */
export function blockFont() {
    const all = Object.entries(tables()).map(([tag, body]) => ({ tag, size: body.length, body: Buffer.concat([body, Buffer.alloc(-body.length & 3)]) }));
    const power = 2 ** Math.floor(Math.log2(all.length));
    let offset = 12 + 16 * all.length;
    const directory = all.map(({ tag, size, body }) => {
        const row = Buffer.concat([Buffer.from(tag), u32(sum(body), offset, size)]);
        offset += body.length;
        return row;
    });
    return Buffer.concat([u32(0x10000), u16(all.length, 16 * power, Math.log2(power), 16 * (all.length - power)), ...directory, ...all.map(({ body }) => body)]);
}
