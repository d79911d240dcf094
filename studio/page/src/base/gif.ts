// GIF 89a: a palette for all frames, LZW, a loop without end.

/** Pixels of a frame: r g b a a pixel. */
type Frame = Uint8ClampedArray;

const most = 255; // and one that nothing has, so that the table is full
const key = (r: number, g: number, b: number): number => ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);

interface Box {
    keys: number[];
    count: number;
    axis: number;
    /** How much halving it is worth. */
    score: number;
}

const channel = (packed: number, axis: number): number => (packed >> (10 - 5 * axis)) & 31;

/** The colours that the frames have most need of: boxes of colours are halved at their median, the fullest and widest first. */
function choosePalette(frames: Frame[]): { palette: number[]; indexOf: Uint8Array } {
    const counts = new Uint32Array(32768);
    for (const frame of frames) for (let k = 0; k < frame.length; k += 4) counts[key(frame[k]!, frame[k + 1]!, frame[k + 2]!)]!++;
    const keys = [...counts.keys()].filter((one) => counts[one]! > 0);
    const make = (some: number[]): Box => {
        const count = some.reduce((sum, one) => sum + counts[one]!, 0);
        const widths = [0, 1, 2].map((axis) => Math.max(...some.map((one) => channel(one, axis))) - Math.min(...some.map((one) => channel(one, axis))));
        const widest = Math.max(...widths);
        return { keys: some, count, axis: widths.indexOf(widest), score: Math.sqrt(count) * widest };
    };
    const boxes = [make(keys)];
    while (boxes.length < most) {
        const at = boxes.reduce((best, { score }, k) => (score > boxes[best]!.score ? k : best), 0);
        const { keys: some, count, axis, score } = boxes[at]!;
        if (score === 0) break; // one colour each
        const sorted = [...some].sort((a, b) => channel(a, axis) - channel(b, axis) || a - b);
        let half = 0;
        for (let sum = 0; half < sorted.length - 1 && sum < count / 2; ++half) sum += counts[sorted[half]!]!;
        half = Math.max(1, half);
        boxes.splice(at, 1, make(sorted.slice(0, half)), make(sorted.slice(half)));
    }
    const indexOf = new Uint8Array(32768);
    const palette = boxes.flatMap((box, index) => {
        for (const one of box.keys) indexOf[one] = index;
        return [0, 1, 2].map((axis) => Math.round(box.keys.reduce((sum, one) => sum + counts[one]! * (channel(one, axis) * 8 + 4), 0) / Math.max(box.count, 1)));
    });
    return { palette, indexOf };
}

/** Codes of 9 to 12 bits, the lowest bit first, in blocks of 255 bytes. */
function compress(pixels: Uint8Array): number[] {
    const clear = 256, end = 257;
    const out: number[] = [];
    const block: number[] = [];
    let bits = 0, filled = 0, width = 9, next = 258;
    const flush = (): void => {
        if (block.length) out.push(block.length, ...block.splice(0));
    };
    const emit = (code: number): void => {
        bits |= code << filled;
        for (filled += width; filled >= 8; filled -= 8) {
            block.push(bits & 255);
            bits >>>= 8;
            if (block.length === 255) flush();
        }
    };
    const known = new Map<number, number>();
    emit(clear);
    let prefix = pixels[0]!;
    for (let k = 1; k < pixels.length; ++k) {
        const pair = (prefix << 8) | pixels[k]!;
        const code = known.get(pair);
        if (code !== undefined) {
            prefix = code;
            continue;
        }
        emit(prefix);
        if (next < 4096) {
            known.set(pair, next++);
            if (next > 1 << width && width < 12) ++width;
        } else {
            emit(clear);
            known.clear();
            next = 258;
            width = 9;
        }
        prefix = pixels[k]!;
    }
    emit(prefix);
    if (next >= 1 << width && width < 12) ++width;
    emit(end);
    if (filled > 0) block.push(bits & 255);
    flush();
    return [...out, 0];
}

const word = (value: number): number[] => [value & 255, value >> 8];

/** `delay`: hundredths of a second a frame. `written` is called after each. */
export async function gif(frames: Frame[], width: number, height: number, delay: number, written: (frame: number) => Promise<void>): Promise<Blob> {
    const { palette, indexOf } = choosePalette(frames);
    const table = new Uint8Array(768);
    table.set(palette);
    const parts: BlobPart[] = [new TextEncoder().encode('GIF89a'), Uint8Array.from([...word(width), ...word(height), 0xf7, 0, 0]), table];
    parts.push(Uint8Array.from([0x21, 0xff, 11, ...new TextEncoder().encode('NETSCAPE2.0'), 3, 1, 0, 0, 0]));
    for (const [index, frame] of frames.entries()) {
        const pixels = new Uint8Array(width * height);
        for (let k = 0; k < pixels.length; ++k) pixels[k] = indexOf[key(frame[4 * k]!, frame[4 * k + 1]!, frame[4 * k + 2]!)]!;
        parts.push(Uint8Array.from([0x21, 0xf9, 4, 4, ...word(delay), 0, 0, 0x2c, 0, 0, 0, 0, ...word(width), ...word(height), 0, 8]), Uint8Array.from(compress(pixels)));
        await written(index);
    }
    return new Blob([...parts, Uint8Array.from([0x3b])], { type: 'image/gif' });
}
