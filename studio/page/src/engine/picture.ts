// What a GLB is to be drawn as, worked out beside the page: its parts cut apart, so that the page copies nothing, and where
// its vertices are at rest. Of the formats the command writes one: a GLB whose only buffer is its own.

type Numbers = Float32Array | Uint32Array | Uint16Array | Int16Array | Uint8Array | Int8Array;
type Matrix = Float64Array;

interface Accessor {
    bufferView?: number;
    byteOffset?: number;
    componentType: number;
    normalized?: boolean;
    count: number;
    type: string;
}

export interface Gltf {
    bufferViews?: { byteOffset?: number; byteLength: number; byteStride?: number }[];
    accessors?: Accessor[];
    nodes?: { children?: number[]; matrix?: number[]; translation?: number[]; rotation?: number[]; scale?: number[]; mesh?: number; skin?: number }[];
    meshes?: { primitives: { attributes: Record<string, number> }[] }[];
    skins?: { joints: number[]; inverseBindMatrices?: number }[];
    scenes?: { nodes?: number[] }[];
    scene?: number;
}

export interface Picture {
    json: Gltf;
    views: ArrayBuffer[];
    /** The low and the high corner of all vertices, skins applied; null without any. */
    bounds: [number, number, number, number, number, number] | null;
}

const kinds: Record<number, [new (buffer: ArrayBuffer, offset: number, length: number) => Numbers, number, number]> = {
    5120: [Int8Array, 1, 127], 5121: [Uint8Array, 1, 255], 5122: [Int16Array, 2, 32767], 5123: [Uint16Array, 2, 65535], 5125: [Uint32Array, 4, 1], 5126: [Float32Array, 4, 1],
};
const widths: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

/** Numbers of an accessor where they lie: component c of element k is at[from + k * step + c] * scale. */
interface Column {
    at: Numbers;
    from: number;
    step: number;
    scale: number;
    count: number;
}

function column({ json, views }: Picture, index: number | undefined): Column | null {
    const accessor = index === undefined ? undefined : json.accessors?.[index];
    const kind = accessor && kinds[accessor.componentType];
    if (!accessor || !kind || accessor.bufferView === undefined) return null;
    const [Kind, size, most] = kind;
    const view = views[accessor.bufferView]!;
    const stride = json.bufferViews![accessor.bufferView]!.byteStride ?? size * widths[accessor.type]!;
    return { at: new Kind(view, 0, Math.floor(view.byteLength / size)), from: (accessor.byteOffset ?? 0) / size, step: stride / size, scale: accessor.normalized ? 1 / most : 1, count: accessor.count };
}

function multiply(a: ArrayLike<number>, b: ArrayLike<number>): Matrix {
    const out = new Float64Array(16);
    for (let c = 0; c < 4; ++c) for (let r = 0; r < 4; ++r) for (let k = 0; k < 4; ++k) out[4 * c + r]! += a[4 * k + r]! * b[4 * c + k]!;
    return out;
}

function compose([x, y, z]: number[], [qx, qy, qz, qw]: number[], [sx, sy, sz]: number[]): Matrix {
    const rows = [
        [1 - 2 * (qy! * qy! + qz! * qz!), 2 * (qx! * qy! + qz! * qw!), 2 * (qx! * qz! - qy! * qw!)],
        [2 * (qx! * qy! - qz! * qw!), 1 - 2 * (qx! * qx! + qz! * qz!), 2 * (qy! * qz! + qx! * qw!)],
        [2 * (qx! * qz! + qy! * qw!), 2 * (qy! * qz! - qx! * qw!), 1 - 2 * (qx! * qx! + qy! * qy!)],
    ];
    const scale = [sx!, sy!, sz!];
    return Float64Array.from([...rows.flatMap((row, k) => [...row.map((value) => value * scale[k]!), 0]), x!, y!, z!, 1]);
}

/** From each node of the scene to the scene. */
function modelMatrices({ nodes = [], scenes = [], scene = 0 }: Gltf): Map<number, Matrix> {
    const out = new Map<number, Matrix>();
    const waiting: [number, Matrix | null][] = (scenes[scene]?.nodes ?? []).map((node) => [node, null]);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [index, above] = next;
        const node = nodes[index];
        if (!node || out.has(index)) continue;
        const own = node.matrix ? Float64Array.from(node.matrix) : compose(node.translation ?? [0, 0, 0], node.rotation ?? [0, 0, 0, 1], node.scale ?? [1, 1, 1]);
        const model = above ? multiply(above, own) : own;
        out.set(index, model);
        for (const child of node.children ?? []) waiting.push([child, model]);
    }
    return out;
}

class Bounds {
    private readonly low = [Infinity, Infinity, Infinity];
    private readonly high = [-Infinity, -Infinity, -Infinity];

    add(m: Matrix, x: number, y: number, z: number): void {
        for (let r = 0; r < 3; ++r) this.widen(r, m[r]! * x + m[4 + r]! * y + m[8 + r]! * z + m[12 + r]!);
    }

    private widen(axis: number, value: number): void {
        if (value < this.low[axis]!) this.low[axis] = value;
        if (value > this.high[axis]!) this.high[axis] = value;
    }

    get corners(): Picture['bounds'] {
        return this.low.every(Number.isFinite) ? ([...this.low, ...this.high] as NonNullable<Picture['bounds']>) : null;
    }
}

/** Joints and weights of a vertex, four a set. */
type Influences = { joints: Column; weights: Column }[];

function influencesOf(picture: Picture, attributes: Record<string, number>): Influences {
    const sets: Influences = [];
    for (;;) {
        const joints = column(picture, attributes[`JOINTS_${sets.length}`]);
        const weights = column(picture, attributes[`WEIGHTS_${sets.length}`]);
        if (!joints || !weights) return sets;
        sets.push({ joints, weights });
    }
}

function addSkinned(bounds: Bounds, positions: Column, influences: Influences, matrices: Matrix[]): void {
    const blend = new Float64Array(16);
    for (let v = 0; v < positions.count; ++v) {
        blend.fill(0);
        for (const { joints, weights } of influences) {
            for (let c = 0; c < 4; ++c) {
                const weight = weights.at[weights.from + v * weights.step + c]! * weights.scale;
                const matrix = weight > 0 ? matrices[joints.at[joints.from + v * joints.step + c]!] : undefined;
                if (matrix) for (let k = 0; k < 16; ++k) blend[k]! += weight * matrix[k]!;
            }
        }
        const p = positions.from + v * positions.step;
        bounds.add(blend, positions.at[p]! * positions.scale, positions.at[p + 1]! * positions.scale, positions.at[p + 2]! * positions.scale);
    }
}

function measure(picture: Picture): Picture['bounds'] {
    const { nodes = [], meshes = [], skins = [] } = picture.json;
    const bounds = new Bounds();
    const models = modelMatrices(picture.json);
    for (const [index, model] of models) {
        const { mesh, skin } = nodes[index]!;
        const bones = skin === undefined ? undefined : skins[skin];
        const binds = bones && column(picture, bones.inverseBindMatrices);
        const matrices = bones?.joints.map((joint, k) => {
            const at = models.get(joint) ?? compose([0, 0, 0], [0, 0, 0, 1], [1, 1, 1]);
            return binds ? multiply(at, binds.at.subarray(binds.from + k * binds.step, binds.from + k * binds.step + 16)) : at;
        });
        for (const { attributes } of mesh === undefined ? [] : (meshes[mesh]?.primitives ?? [])) {
            const positions = column(picture, attributes.POSITION);
            if (!positions) continue;
            const influences = influencesOf(picture, attributes);
            if (matrices && influences.length) {
                addSkinned(bounds, positions, influences, matrices);
            } else {
                for (let v = 0, k = positions.from; v < positions.count; ++v, k += positions.step) bounds.add(model, positions.at[k]! * positions.scale, positions.at[k + 1]! * positions.scale, positions.at[k + 2]! * positions.scale);
            }
        }
    }
    return bounds.corners;
}

export function makePicture(glb: Uint8Array): Picture {
    const head = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
    const size = head.getUint32(12, true);
    const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + size))) as Gltf;
    const bytes = glb.subarray(Math.min(20 + size + 8, glb.length));
    const views = (json.bufferViews ?? []).map(({ byteOffset = 0, byteLength }) => bytes.slice(byteOffset, byteOffset + byteLength).buffer as ArrayBuffer);
    const picture: Picture = { json, views, bounds: null };
    picture.bounds = measure(picture);
    return picture;
}
