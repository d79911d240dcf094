import * as THREE from 'three';
import { inSlices } from '../base/slices';
import type { Character } from './character';
import { Skin } from './skin';

type Ramp = [number, THREE.Color][];

// Dark where nothing is felt; equal steps of weight look equal.
const ramp: Ramp = [
    [0, new THREE.Color(0x59617a)], [0.001, new THREE.Color(0x4560b0)], [0.25, new THREE.Color(0x2a90b8)],
    [0.5, new THREE.Color(0x56b870)], [0.75, new THREE.Color(0xe9c446)], [1, new THREE.Color(0xe0452f)],
];

export function heatColour(weight: number, out: THREE.Color): THREE.Color {
    for (let k = 1; k < ramp.length; ++k) {
        const [from, low] = ramp[k - 1]!;
        const [to, high] = ramp[k]!;
        if (weight <= to) return out.lerpColors(low, high, (weight - from) / (to - from));
    }
    return out.copy(ramp[ramp.length - 1]![1]);
}

// Bytes: four times as many as floats wait long for a GPU that is busy. Four a vertex: WebGPU takes no three.
function writeColour({ r, g, b }: THREE.Color, out: THREE.TypedArray, vertex: number): void {
    out[4 * vertex] = 255 * r + 0.5;
    out[4 * vertex + 1] = 255 * g + 0.5;
    out[4 * vertex + 2] = 255 * b + 0.5;
    out[4 * vertex + 3] = 255;
}

interface Influences {
    joints: THREE.BufferAttribute;
    weights: THREE.BufferAttribute;
}

// Behind the first four joints of a vertex GLTFLoader keeps what the file has under the file's own names.
function furtherInfluences(geometry: THREE.BufferGeometry): Influences[] {
    const sets: Influences[] = [];
    for (;;) {
        const joints = geometry.getAttribute(`joints_${sets.length + 1}`) as THREE.BufferAttribute | undefined;
        const weights = geometry.getAttribute(`weights_${sets.length + 1}`) as THREE.BufferAttribute | undefined;
        if (!joints || !weights) return sets;
        sets.push({ joints, weights });
    }
}

/** How much a vertex follows a bone. */
function boneWeights(geometry: THREE.BufferGeometry, bone: number): (vertex: number) => number {
    const sets = [{ joints: geometry.getAttribute('skinIndex') as THREE.BufferAttribute, weights: geometry.getAttribute('skinWeight') as THREE.BufferAttribute }, ...furtherInfluences(geometry)];
    return (v) => {
        let weight = 0;
        for (const { joints, weights } of sets) for (let k = 0; k < 4; ++k) if (joints.getComponent(v, k) === bone) weight += weights.getComponent(v, k);
        return weight;
    };
}

/** Weights that are being painted: of some of the vertices from `first` on, in their order, or of all where `vertices` is null. */
export interface NewWeights {
    first: number;
    vertices: Uint32Array | null;
    weights: Float32Array;
}

/** Colours that are to be written, all of them. */
interface Job {
    colours: THREE.BufferAttribute;
    weightOf: (vertex: number) => number;
}

/** Where the first number of a sorted list is that is not below a limit. */
function lowerBound(sorted: Uint32Array, limit: number): number {
    let [low, high] = [0, sorted.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle]! < limit) low = middle + 1;
        else high = middle;
    }
    return low;
}

const rimSize = 64;
// Of the radius of the ball; surfaces inside it face the viewer within 58 degrees.
const rimBegin = 0.85;
const rimDarkest = 0.45;

/** A ball in one tone that darkens at its rim: what faces the viewer has the very colour of the legend, and limbs before each
 * other stay apart. */
function makeRim(): THREE.DataTexture {
    const data = new Uint8Array(4 * rimSize * rimSize).fill(255);
    for (let at = 0; at < rimSize * rimSize; ++at) {
        const radius = Math.hypot(2 * ((at % rimSize) + 0.5) / rimSize - 1, 2 * (Math.floor(at / rimSize) + 0.5) / rimSize - 1);
        data.fill(255 * (1 - (1 - rimDarkest) * THREE.MathUtils.smoothstep(radius, rimBegin, 1)), 4 * at, 4 * at + 3);
    }
    const texture = new THREE.DataTexture(data, rimSize, rimSize);
    texture.magFilter = texture.minFilter = THREE.LinearFilter;
    texture.needsUpdate = true;
    return texture;
}

let rim: THREE.DataTexture | null = null;

// Freed with the mesh.
function material(mesh: THREE.SkinnedMesh): THREE.Material {
    rim ??= makeRim();
    const matcap = rim;
    return Skin.of(mesh)!.twin('heat', () => new THREE.MeshMatcapMaterial({ matcap, vertexColors: true, side: THREE.DoubleSide, toneMapped: false }));
}

/** Shows how much each vertex follows one joint, in place of the mesh's own look. */
export class HeatMap {
    private readonly own = new Map<THREE.Mesh, { material: THREE.Material | THREE.Material[]; colour: THREE.BufferAttribute | undefined }>();
    private readonly made = new Map<string, THREE.BufferAttribute>();
    // Colours of large meshes come a slice at a time; those of an earlier joint are not to come after those of a later one.
    private generation = 0;
    private shown = -1;
    // Of this generation: whether some have not their colours yet, and what is painted over those.
    private unfinished = false;
    private waiting: (() => void)[] = [];

    /** `changed` is called when colours have come later. */
    constructor(private readonly character: Character, private readonly changed: () => void) {}

    /** -1 gives the mesh its own look back. What is painted meanwhile stays. */
    show(joint: number): void {
        if (joint === this.shown) return;
        this.shown = joint;
        // Meshes of one skin often share their vertices; figures that share a mesh have a skin each.
        const sharing = new Map<string, THREE.SkinnedMesh[]>();
        this.begin();
        for (const mesh of this.character.meshes) {
            const indices = mesh.geometry.getAttribute('skinIndex') as THREE.BufferAttribute | undefined;
            if (!(mesh instanceof THREE.SkinnedMesh) || !indices) continue;
            const key = `${indices.id} ${mesh.skeleton.uuid}`;
            if (joint < 0) this.restore(mesh);
            else sharing.set(key, [...(sharing.get(key) ?? []), mesh]);
        }
        const jobs = [...sharing].map(([key, meshes]) => this.jobOf(key, meshes[0]!, this.character.joints[joint]!.node));
        const groups = [...sharing.values()];
        this.colourAll(jobs, () => groups.forEach((meshes, k) => meshes.forEach((mesh) => this.dress(mesh, jobs[k]!.colours))));
    }

    /** The same from weights that change while a brush is on the skin. */
    showWeights(of: (mesh: THREE.Mesh) => NewWeights): void {
        if (this.unfinished) return void this.waiting.push(() => this.showWeights(of));
        // Primitives of one skin may share their colours.
        const seen = new Set<THREE.BufferAttribute>(), jobs: Job[] = [];
        for (const mesh of this.own.keys()) {
            const colours = mesh.geometry.getAttribute('color') as THREE.BufferAttribute, changed = of(mesh);
            if (seen.has(colours)) continue;
            seen.add(colours);
            if (changed.vertices) this.recolour(colours, changed.first, changed.vertices, changed.weights);
            else jobs.push({ colours, weightOf: (v) => changed.weights[changed.first + v] ?? 0 });
        }
        this.colourAll(jobs, () => {});
    }

    private recolour(colours: THREE.BufferAttribute, first: number, vertices: Uint32Array, weights: Float32Array): void {
        const from = lowerBound(vertices, first), to = lowerBound(vertices, first + colours.count);
        if (from === to) return;
        const colour = new THREE.Color();
        for (let k = from; k < to; ++k) writeColour(heatColour(weights[k]!, colour), colours.array, vertices[k]! - first);
        const [low, high] = [vertices[from]! - first, vertices[to - 1]! - first];
        colours.addUpdateRange(4 * low, 4 * (high - low + 1));
        colours.needsUpdate = true;
    }

    /** A slice of them all at a time; `end` is called when all have theirs, unless other colours are asked for by then. */
    private colourAll(jobs: Job[], end: () => void): void {
        const { generation } = this, colour = new THREE.Color();
        let [job, vertex] = [0, 0];
        this.unfinished = true;
        const paint = (): void => {
            while (vertex === jobs[job]!.colours.count) [job, vertex] = [job + 1, 0];
            const { colours, weightOf } = jobs[job]!;
            writeColour(heatColour(weightOf(vertex), colour), colours.array, vertex);
            ++vertex;
        };
        const done = (later: boolean): void => {
            for (const { colours } of jobs) {
                // A part that is sent later is not to be taken for all that is new.
                colours.addUpdateRange(0, colours.array.length);
                colours.needsUpdate = true;
            }
            end();
            this.unfinished = false;
            for (const show of this.waiting.splice(0)) show();
            if (later) this.changed();
        };
        inSlices(jobs.reduce((sum, { colours }) => sum + colours.count, 0), paint, done, () => generation === this.generation);
    }

    private begin(): void {
        ++this.generation;
        this.unfinished = false;
        this.waiting = [];
    }

    dispose(): void {
        this.show(-1);
        this.made.clear();
    }

    private jobOf(key: string, { geometry, skeleton }: THREE.SkinnedMesh, node: THREE.Object3D): Job {
        const { count } = geometry.getAttribute('skinIndex');
        let colours = this.made.get(key);
        if (!colours) this.made.set(key, (colours = new THREE.BufferAttribute(new Uint8Array(4 * count), 4, true)));
        return { colours, weightOf: boneWeights(geometry, skeleton.bones.indexOf(node as THREE.Bone)) };
    }

    private dress(mesh: THREE.SkinnedMesh, colours: THREE.BufferAttribute): void {
        const { geometry } = mesh;
        if (!this.own.has(mesh)) this.own.set(mesh, { material: mesh.material, colour: geometry.getAttribute('color') as THREE.BufferAttribute | undefined });
        geometry.setAttribute('color', colours);
        mesh.material = material(mesh);
    }

    private restore(mesh: THREE.SkinnedMesh): void {
        const own = this.own.get(mesh);
        if (!own) return;
        mesh.material = own.material;
        // Where there was none ours stays: unused without vertexColors, and freed with the geometry.
        if (own.colour) mesh.geometry.setAttribute('color', own.colour);
        this.own.delete(mesh);
    }
}
