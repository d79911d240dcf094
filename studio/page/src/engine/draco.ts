// Meshes that Draco compressed, decoded before the module sees the file: the module has no decoder of its own. The decoder is the one
// that three brings along.
import makeModule from 'three/examples/jsm/libs/draco/gltf/draco_wasm_wrapper.js';
import { dracoName, type Files } from './protocol';

interface Pointer {
    readonly ptr: number;
}
interface Decoder {
    DecodeArrayToMesh(bytes: Int8Array, size: number, mesh: Mesh): Pointer & { ok(): boolean; error_msg(): string };
    GetAttributeByUniqueId(mesh: Mesh, id: number): Pointer;
    GetAttributeDataArrayForAllPoints(mesh: Mesh, attribute: Pointer, type: number, size: number, out: number): boolean;
    GetTrianglesUInt32Array(mesh: Mesh, size: number, out: number): boolean;
}
interface Mesh {
    num_points(): number;
    num_faces(): number;
}
interface Draco {
    Decoder: new () => Decoder;
    Mesh: new () => Mesh;
    HEAPU8: Uint8Array;
    destroy(object: unknown): void;
    _malloc(size: number): number;
    _free(at: number): void;
    DT_INT8: number;
    DT_UINT8: number;
    DT_INT16: number;
    DT_UINT16: number;
    DT_FLOAT32: number;
}

interface Accessor {
    bufferView?: number;
    sparse?: unknown;
    componentType: number;
    count: number;
    type: string;
}
interface Primitive {
    attributes: Record<string, number>;
    indices?: number;
    extensions?: Record<string, unknown>;
}
interface Gltf {
    accessors: Accessor[];
    bufferViews: { buffer: number; byteOffset?: number; byteLength: number }[];
    buffers: { uri?: string; byteLength: number }[];
    meshes: { primitives: Primitive[] }[];
    extensionsUsed?: string[];
    extensionsRequired?: string[];
}

const widths: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
const sizes: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const u32 = 5125;
const jsonChunk = 0x4e4f534a;

/** A GLB, or the text of a .gltf, in parts. */
interface Parts {
    gltf: Gltf;
    binary: Uint8Array | null;
}

function takeApart(bytes: Uint8Array): Parts {
    const isText = bytes[0] !== 0x67;
    if (isText) return { gltf: JSON.parse(new TextDecoder().decode(bytes)) as Gltf, binary: null };
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), length = view.getUint32(12, true);
    return { gltf: JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length))) as Gltf, binary: bytes.subarray(28 + length) };
}

function putTogether({ gltf, binary }: Parts): Uint8Array {
    const text = new TextEncoder().encode(JSON.stringify(gltf));
    if (!binary) return text;
    const length = (text.length + 3) & ~3, out = new Uint8Array(28 + length + binary.length), view = new DataView(out.buffer);
    [0x46546c67, 2, out.length, length, jsonChunk].forEach((word, k) => view.setUint32(4 * k, word, true));
    out.fill(0x20, 20, 20 + length).set(text, 20);
    [binary.length, 0x004e4942].forEach((word, k) => view.setUint32(20 + length + 4 * k, word, true));
    out.set(binary, 28 + length);
    return out;
}

const base64 = (bytes: Uint8Array): string => {
    let text = '';
    for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return btoa(text);
};

/** What decodes one file; what is decoded goes to a buffer behind the others. */
class Unpacker {
    private readonly pieces: Uint8Array[] = [];
    private used = 0;

    constructor(private readonly draco: Draco, private readonly parts: Parts, private readonly folder: string, private readonly files: Files) {}

    async run(): Promise<Uint8Array> {
        const { gltf } = this.parts;
        for (const mesh of gltf.meshes) for (const primitive of mesh.primitives) await this.primitive(primitive);
        for (const key of ['extensionsUsed', 'extensionsRequired'] as const) {
            const names = gltf[key]?.filter((name) => name !== dracoName);
            if (names?.length) gltf[key] = names;
            else delete gltf[key];
        }
        const all = new Uint8Array(this.used);
        let at = 0;
        for (const piece of this.pieces) {
            all.set(piece, at);
            at += piece.length;
        }
        gltf.buffers.push({ uri: `data:application/octet-stream;base64,${base64(all)}`, byteLength: all.length });
        return putTogether(this.parts);
    }

    private async bytesOf(view: number): Promise<Uint8Array> {
        const { buffer, byteOffset = 0, byteLength } = this.parts.gltf.bufferViews[view]!, { uri } = this.parts.gltf.buffers[buffer]!;
        const whole = uri === undefined ? this.parts.binary
            : uri.startsWith('data:') ? new Uint8Array(await (await fetch(uri)).arrayBuffer()) : this.files.get(this.folder + decodeURIComponent(uri));
        if (!whole) throw new Error(`the buffer ${uri ?? buffer} is not here`);
        return whole.subarray(byteOffset, byteOffset + byteLength);
    }

    private append(accessor: Accessor, bytes: Uint8Array): void {
        const { bufferViews, buffers } = this.parts.gltf;
        accessor.bufferView = bufferViews.push({ buffer: buffers.length, byteOffset: this.used, byteLength: bytes.length }) - 1;
        const padded = new Uint8Array((bytes.length + 3) & ~3);
        padded.set(bytes);
        this.pieces.push(padded);
        this.used += padded.length;
    }

    /** `size` bytes of what `fill` writes to the decoder's memory. */
    private filled(size: number, fill: (at: number) => boolean): Uint8Array {
        const at = this.draco._malloc(size);
        try {
            if (!at || !fill(at)) throw new Error('the compressed mesh does not hold what the file says');
            return this.draco.HEAPU8.slice(at, at + size);
        } finally {
            this.draco._free(at);
        }
    }

    private async primitive(primitive: Primitive): Promise<void> {
        const packed = primitive.extensions?.[dracoName] as { bufferView: number; attributes: Record<string, number> } | undefined;
        if (!packed) return;
        delete primitive.extensions![dracoName];
        if (!Object.keys(primitive.extensions!).length) delete primitive.extensions;
        const isEmpty = (index: number | undefined): index is number => {
            const accessor = index === undefined ? undefined : this.parts.gltf.accessors[index];
            return accessor !== undefined && accessor.bufferView === undefined && accessor.sparse === undefined;
        };
        const wanted = Object.entries(packed.attributes).filter(([name]) => isEmpty(primitive.attributes[name]));
        if (!wanted.length) return;
        const { draco } = this, decoder = new draco.Decoder(), mesh = new draco.Mesh();
        try {
            const bytes = await this.bytesOf(packed.bufferView);
            const status = decoder.DecodeArrayToMesh(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes.byteLength, mesh);
            if (!status.ok() || !mesh.num_points()) throw new Error(`Draco: ${status.error_msg()}`);
            for (const [name, id] of wanted) this.attribute(decoder, mesh, id, this.parts.gltf.accessors[primitive.attributes[name]!]!);
            if (isEmpty(primitive.indices)) this.indices(decoder, mesh, this.parts.gltf.accessors[primitive.indices]!);
        } finally {
            draco.destroy(mesh);
            draco.destroy(decoder);
        }
    }

    private attribute(decoder: Decoder, mesh: Mesh, id: number, accessor: Accessor): void {
        const { draco } = this, attribute = decoder.GetAttributeByUniqueId(mesh, id);
        const type = ({ 5120: draco.DT_INT8, 5121: draco.DT_UINT8, 5122: draco.DT_INT16, 5123: draco.DT_UINT16, 5126: draco.DT_FLOAT32 } as Record<number, number>)[accessor.componentType];
        const size = accessor.count * (widths[accessor.type] ?? 0) * sizes[accessor.componentType]!;
        const fits = mesh.num_points() === accessor.count && attribute.ptr !== 0 && type !== undefined;
        this.append(accessor, this.filled(size, (at) => fits && decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, type, size, at)));
    }

    private indices(decoder: Decoder, mesh: Mesh, accessor: Accessor): void {
        const size = 4 * accessor.count, fits = 3 * mesh.num_faces() === accessor.count;
        accessor.componentType = u32;
        this.append(accessor, this.filled(size, (at) => fits && decoder.GetTrianglesUInt32Array(mesh, size, at)));
    }
}

/** The decoder, compiled from `wasm`. */
export const load = (wasm: ArrayBuffer): Promise<Draco> => (makeModule as unknown as (how: object) => Promise<Draco>)({ wasmBinary: wasm });

/** A glTF file as it would be without Draco. `files` has the buffers that it names, below the folder of `name`. */
export function unpack(draco: Draco, name: string, bytes: Uint8Array, files: Files): Promise<Uint8Array> {
    return new Unpacker(draco, takeApart(bytes), name.slice(0, name.lastIndexOf('/') + 1), files).run();
}
