// A tube along x, bound to two bones that meet in its middle, as a glTF file: what skinning is tried on.

export interface TubeOptions {
    /** From one end to the other, in metres. */
    length: number;
    radius: number;
    rings: number;
    sides: number;
    /** Along how much of the length the weight goes over from one bone to the other; 0: at once. */
    soft: number;
}

/** Smooth from 0 to 1 between -1 and 1. */
function smooth(x: number): number {
    const t = Math.max(0, Math.min(1, 0.5 + 0.5 * x));
    return t * t * (3 - 2 * t);
}

/** Weight of the second bone at x. */
export function weightAt(x: number, soft: number): number {
    return soft > 0 ? smooth(x / (soft / 2)) : x > 0 ? 1 : x < 0 ? 0 : 0.5;
}

interface Arrays {
    positions: number[];
    weights: number[];
    indices: number[];
}

function build({ length, radius, rings, sides, soft }: TubeOptions): Arrays {
    const out: Arrays = { positions: [], weights: [], indices: [] };
    const vertex = (x: number, y: number, z: number): void => {
        const w = weightAt(x, soft);
        out.positions.push(x, y, z);
        out.weights.push(1 - w, w, 0, 0);
    };
    for (let r = 0; r <= rings; ++r) {
        for (let s = 0; s < sides; ++s) {
            const angle = (2 * Math.PI * s) / sides;
            vertex(length * (r / rings - 0.5), radius * Math.cos(angle), radius * Math.sin(angle));
        }
    }
    vertex(-length / 2, 0, 0);
    vertex(length / 2, 0, 0);
    const caps = [(rings + 1) * sides, (rings + 1) * sides + 1];
    for (let s = 0; s < sides; ++s) {
        const next = (s + 1) % sides;
        for (let r = 0; r < rings; ++r) {
            const [a, b, c, d] = [r * sides + s, r * sides + next, (r + 1) * sides + s, (r + 1) * sides + next];
            out.indices.push(a, c, b, b, c, d);
        }
        out.indices.push(caps[0]!, s, next, caps[1]!, rings * sides + next, rings * sides + s);
    }
    return out;
}

function base64(bytes: Uint8Array): string {
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
}

/** Joints "first" at its left end and "second" in the middle. */
export function tubeFile(options: TubeOptions): Uint8Array {
    const { positions, weights, indices } = build(options);
    const count = positions.length / 3, half = options.length / 2;
    const joints = Array.from({ length: count }, () => [0, 1, 0, 0]).flat();
    const inverse = [half, 0].flatMap((x) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, 0, 0, 1]);
    const parts = [Float32Array.from(positions), Float32Array.from(weights), Uint16Array.from(joints), Float32Array.from(inverse), Uint32Array.from(indices)];
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
    let at = 0;
    const views = parts.map((part) => {
        whole.set(new Uint8Array(part.buffer), at);
        at += part.byteLength;
        return { buffer: 0, byteOffset: at - part.byteLength, byteLength: part.byteLength };
    });
    const { length, radius } = options;
    const gltf = {
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 2] }],
        nodes: [{ name: 'first', translation: [-length / 2, 0, 0], children: [1] }, { name: 'second', translation: [length / 2, 0, 0] }, { mesh: 0, skin: 0 }],
        skins: [{ joints: [0, 1], inverseBindMatrices: 3 }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0, WEIGHTS_0: 1, JOINTS_0: 2 }, indices: 4 }] }],
        accessors: [
            { bufferView: 0, componentType: 5126, count, type: 'VEC3', min: [-length / 2, -radius, -radius], max: [length / 2, radius, radius] },
            { bufferView: 1, componentType: 5126, count, type: 'VEC4' },
            { bufferView: 2, componentType: 5123, count, type: 'VEC4' },
            { bufferView: 3, componentType: 5126, count: 2, type: 'MAT4' },
            { bufferView: 4, componentType: 5125, count: indices.length, type: 'SCALAR' },
        ],
        bufferViews: views,
        buffers: [{ byteLength: whole.byteLength, uri: `data:application/octet-stream;base64,${base64(whole)}` }],
    };
    return new TextEncoder().encode(JSON.stringify(gltf));
}

/** The volume inside a closed surface: a sixth of the sum of its triangles' spat products. */
export function volumeOf(p: Float32Array, indices: Uint32Array): number {
    let sum = 0;
    for (let k = 0; k < indices.length; k += 3) {
        const [a, b, c] = [3 * indices[k]!, 3 * indices[k + 1]!, 3 * indices[k + 2]!];
        sum += p[a]! * (p[b + 1]! * p[c + 2]! - p[b + 2]! * p[c + 1]!) - p[a + 1]! * (p[b]! * p[c + 2]! - p[b + 2]! * p[c]!) + p[a + 2]! * (p[b]! * p[c + 1]! - p[b + 1]! * p[c]!);
    }
    return sum / 6;
}
