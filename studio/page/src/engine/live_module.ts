import { LimberModule, type LiveExports } from './module';

/** A mesh of an open character: the node that shows it, and where each primitive of the file's mesh finds its vertices among
 * all of them. */
export interface LiveMesh {
    node: number;
    firsts: number[];
}

/** What an open character is made of; joints by the index of their node in the file. */
export interface LiveShape {
    nodes: number[];
    meshes: LiveMesh[];
    /** Whether the pose turns correctives on, or moves helpers. */
    driven: boolean;
}

export interface Dab {
    op: number;
    joint: number;
    position: [number, number, number];
    radius: number;
    strength: number;
    value: number;
    flags: number;
}

/** A vertex of an open character: where it is at rest, and the joints that it follows, the strongest first. */
export interface VertexRow {
    mesh: number;
    vertex: number;
    rest: [number, number, number];
    row: [number, number][];
}

/** How much vertices of each mesh follow the joint that is painted: those that do so otherwise than was told last, in their
 * order, or, where `vertices` is null, all of them. */
export interface Painted {
    vertices: (Uint32Array | null)[];
    weights: Float32Array[];
}

/** All meshes bent at a pose: positions and normals a mesh, and the space that they enclose. */
export interface Bent {
    positions: Float32Array[];
    /** Empty where the mesh has none. */
    normals: Float32Array[];
    volume: number;
    /** The same at rest. */
    restVolume: number;
}

/** A character that is to be steered: its joints by the index of their node in the file, and the course that it walks on. */
export interface Steered {
    nodes: number[];
    /** Half its width, 0 where there is none; the height of the level; then z and height over it, point after point. */
    course: number[];
    /** How many joints swing by themselves. */
    swinging: number;
}

/** As LIMBER_PLAY_… */
export const playPhases = ['moves', 'falls', 'lies', 'rises'] as const;
export type PlayPhase = (typeof playPhases)[number];

/** As LIMBER_BODY_… in studio/live_exports.h. */
export const bodyKinds = { human: 1, walks: 2 };

/** As lmb_motion_body; what is after the last is nobody's. */
export const motionBodies = ['human', 'quadruped', 'bird', 'fish', 'spider', 'snake'];

const inputName = 'open.glb';
const steeredName = 'steered.glb';
const longestStep = 1 / 30; // seconds

// In the words of a file of strokes: as LIMBER_BRUSH_… and LIMBER_FALLOFF_….
const brushWords = ['add', 'replace', 'scale', 'smooth', 'mirror'];
const falloffWords = ['smooth', 'linear', 'constant', 'gaussian'];
export const bothSides = 1;

/** One character in an instance of its own, posed and painted by hand. Poses are ten numbers a joint. */
export class LiveModule extends LimberModule {
    private readonly live = this.wasm as LiveExports;
    private handle = 0;
    private steered = 0;
    private swings = false;
    private restVolume: number | null = null;
    // What `limber weights paint` does the same by: lines since the character was saved, the settings that the last of them left.
    private strokes: string[] = [];
    private settings = new Map<string, string>();
    private locked = new Set<number>();
    private falloffKind = 0;
    // How much all vertices followed the joint that was painted last, when that was told.
    private told: { joint: number; weights: Float32Array[] } | null = null;
    // What chose the chosen vertices, in the words of a file of strokes.
    private choice: string[] = [];

    open(glb: Uint8Array): LiveShape {
        if (this.handle) this.live.limber_character_close!(this.handle);
        this.restVolume = null;
        this.locked.clear();
        this.falloffKind = 0;
        this.choice = [];
        this.strokesBegin();
        this.put(inputName, glb);
        this.handle = this.withText(inputName, (name) => this.need(this.live.limber_character_open!(name)));
        const meshes = range(this.live.limber_mesh_count!(this.handle)).map((mesh) => ({
            node: this.live.limber_mesh_node!(this.handle, mesh),
            firsts: range(this.live.limber_mesh_primitive_count!(this.handle, mesh)).map((primitive) =>
                new Int32Array(this.wasm.memory.buffer, this.live.limber_mesh_primitive!(this.handle, mesh, primitive), 6)[2]!),
        }));
        return { nodes: range(this.jointCount).map((joint) => this.live.limber_joint_node!(this.handle, joint)), meshes, driven: this.live.limber_driven!(this.handle) === 1 };
    }

    /** The flags of bodyKinds. */
    body(): number {
        const kind = this.live.limber_body!(this.handle);
        if (kind < 0) this.complain();
        return kind;
    }

    /** Whose made motions it takes: an lmb_motion_body. */
    motionBody(): number {
        const body = this.live.limber_motion_body!(this.handle);
        if (body < 0) this.complain();
        return body;
    }

    pose(): Float32Array {
        return this.floats(this.live.limber_pose!(this.handle), 10 * this.jointCount);
    }

    /** How much the pose has of the morph targets of each mesh. */
    morphs(): Float32Array[] {
        return range(this.live.limber_mesh_count!(this.handle)).map((mesh) => {
            const count = this.live.limber_mesh_target_count!(this.handle, mesh);
            return count ? this.floats(this.live.limber_mesh_weights!(this.handle, mesh), count) : new Float32Array();
        });
    }

    rest(): Float32Array {
        this.need(this.live.limber_pose_rest!(this.handle));
        return this.pose();
    }

    sample(clip: number, time: number): Float32Array {
        this.need(this.live.limber_pose_sample!(this.handle, clip, time));
        return this.pose();
    }

    /** The poses of a clip at times, one after the other. */
    poses(clip: number, times: number[]): Float32Array {
        const size = 10 * this.jointCount;
        const out = new Float32Array(size * times.length);
        const now = this.pose();
        times.forEach((time, k) => out.set(this.sample(clip, time), size * k));
        this.setPose(now);
        return out;
    }

    /** Other slopes of a joint at a key, towards it and away: six numbers, radians a second about its own axes; null as smoothing has it. The clip becomes the first. The text that does so. */
    slope(clip: number, joint: number, time: number, velocities: number[] | null): string {
        const at = velocities ? this.floatsIn(Float32Array.from(velocities)) : 0;
        const done = this.live.limber_clip_slope!(this.handle, clip, joint, time, at);
        if (at) this.live.limber_free(at);
        this.need(done);
        return this.keysText();
    }

    /** A clip of keys as the first, in place of the clip `replaced` (-1: none). The text that does so. */
    keys(replaced: number, name: string, times: number[], poses: Float32Array, interpolation: number): string {
        const [at, values] = [this.floatsIn(Float32Array.from(times)), this.floatsIn(poses)];
        const done = this.withText(name, (text) => this.live.limber_clip_of_keys!(this.handle, replaced, text, times.length, at, values, interpolation));
        for (const block of [at, values]) this.live.limber_free(block);
        this.need(done);
        return this.keysText();
    }

    /** What `limber animate` does the last change of a clip by. */
    private keysText(): string {
        return this.read(this.need(this.live.limber_keys_text!(this.handle)));
    }

    setPose(pose: Float32Array): Float32Array {
        const block = this.floatsIn(pose);
        const done = this.live.limber_pose_set!(this.handle, 0, pose.length / 10, block);
        this.live.limber_free(block);
        this.need(done);
        return this.pose();
    }

    /** Every mesh at a pose, by a LIMBER_SKIN_… method; the open character's own pose stays. */
    deform(method: number, pose: Float32Array): Bent {
        const block = this.floatsIn(pose);
        const done = this.live.limber_deform!(this.handle, method, block);
        this.live.limber_free(block);
        this.need(done);
        const meshes = range(this.live.limber_mesh_count!(this.handle));
        const size = (mesh: number): number => 3 * this.live.limber_mesh_vertex_count!(this.handle, mesh);
        const positions = meshes.map((mesh) => this.floats(this.live.limber_deformed!(this.handle, mesh), size(mesh)));
        const normals = meshes.map((mesh) => {
            const at = this.live.limber_deformed_normals!(this.handle, mesh);
            return at ? this.floats(at, size(mesh)) : new Float32Array();
        });
        this.restVolume ??= this.volumeOf((mesh) => this.floats(this.live.limber_mesh_rest!(this.handle, mesh), size(mesh)));
        return { positions, normals, volume: this.volumeOf((mesh) => positions[mesh]!), restVolume: this.restVolume };
    }

    /** How high the lowest point of the skin lies at a pose. */
    lowest(pose: Float32Array): number {
        let least = Infinity;
        for (const positions of this.deform(0, pose).positions) for (let at = 1; at < positions.length; at += 3) least = Math.min(least, positions[at]!);
        return least;
    }

    /** What closed surfaces enclose: the sum over triangles of a · (b × c) / 6. */
    private volumeOf(positions: (mesh: number) => Float32Array): number {
        let sum = 0;
        for (const mesh of range(this.live.limber_mesh_count!(this.handle))) {
            const at = positions(mesh);
            const indices = new Uint32Array(this.wasm.memory.buffer, this.live.limber_mesh_indices!(this.handle, mesh), this.live.limber_mesh_index_count!(this.handle, mesh));
            for (let k = 0; k + 2 < indices.length; k += 3) {
                const [a, b, c] = [3 * indices[k]!, 3 * indices[k + 1]!, 3 * indices[k + 2]!];
                sum += at[a]! * (at[b + 1]! * at[c + 2]! - at[b + 2]! * at[c + 1]!) + at[a + 1]! * (at[b + 2]! * at[c]! - at[b]! * at[c + 2]!) + at[a + 2]! * (at[b]! * at[c + 1]! - at[b + 1]! * at[c]!);
            }
        }
        return sum / 6;
    }

    /** The pose, its sides exchanged, or one (1 the left, 2 the right) put on the other. */
    mirror(side: number): Float32Array {
        this.need(this.live.limber_pose_mirror!(this.handle, side));
        return this.pose();
    }

    drag(joint: number, position: [number, number, number], mode: number): Float32Array {
        if (this.live.limber_drag!(this.handle, joint, ...position, mode) < 0) this.complain();
        return this.pose();
    }

    endDrag(): void {
        this.live.limber_drag_end!(this.handle);
    }

    pin(joint: number, on: boolean): void {
        this.need(this.live.limber_pin!(this.handle, joint, on ? 1 : 0));
    }

    pinned(): boolean[] {
        return range(this.jointCount).map((joint) => this.live.limber_pinned!(this.handle, joint) === 1);
    }

    /** The pose becomes the first clip. The text that does so. */
    keep(name: string): string {
        this.withText(name, (text) => this.need(this.live.limber_clip_keep!(this.handle, text)));
        return this.keysText();
    }

    /** Puts the brush down at each position; gives what became of the joint's weights. */
    paint(dabs: Dab[], pose: Float32Array | null): Painted {
        this.need(this.live.limber_paint_begin!(this.handle));
        this.beginTelling(dabs[0]!.joint);
        for (const { op, joint, position: seen, radius, strength, value, flags } of dabs) {
            // Brushes go where the skin is at rest.
            const position = pose ? (this.vertexAt(seen, pose)?.rest ?? seen) : seen;
            this.need(this.live.limber_paint_stroke!(this.handle, op, joint, ...position, radius, strength, value, flags));
            this.set('joint', this.wordOf(joint));
            this.set('brush', brushWords[op]!);
            this.set('radius', `${Math.fround(radius)}`);
            this.set('value', `${Math.fround(value)}`);
            this.set('falloff', falloffWords[this.falloffKind]!);
            this.set('both-sides', flags & bothSides ? 'yes' : 'no');
            this.strokes.push(`at ${[...position, strength].map((number) => Math.fround(number)).join(' ')}`);
        }
        return this.tellPainted(dabs[0]!.joint);
    }

    /** Also chooses the loop of edges at a point as it is seen; gives where the chosen vertices are. */
    chooseLoop(seen: [number, number, number], pose: Float32Array | null): Float32Array {
        this.need(this.live.limber_paint_begin!(this.handle));
        const at = (pose ? this.atRest(seen, pose) : seen).map((number) => Math.fround(number));
        this.need(this.live.limber_paint_loop!(this.handle, ...at));
        this.choice.push(`loop ${at.join(' ')}`);
        return this.chosen(pose);
    }

    /** So many rings more are chosen, or, below 0, fewer. */
    chooseMore(rings: number, pose: Float32Array | null): Float32Array {
        this.need(this.live.limber_paint_begin!(this.handle));
        this.need(this.live.limber_paint_grow!(this.handle, rings));
        this.choice.push(`grow ${rings}`);
        return this.chosen(pose);
    }

    /** What chose the chosen vertices, to choose them again where the same surface is open. */
    choiceWords(): string[] {
        return [...this.choice];
    }

    /** Chooses by such words, in place of what is chosen. */
    chooseAgain(words: string[], pose: Float32Array | null): Float32Array {
        this.chooseNone();
        for (const word of words) {
            const [what, ...numbers] = word.split(' ');
            if (what === 'loop') this.need(this.live.limber_paint_loop!(this.handle, ...numbers.map(Number)));
            else this.need(this.live.limber_paint_grow!(this.handle, ...numbers.map(Number)));
        }
        this.choice = [...words];
        return this.chosen(pose);
    }

    chooseNone(): Float32Array {
        this.need(this.live.limber_paint_begin!(this.handle));
        this.need(this.live.limber_paint_none!(this.handle));
        this.choice = [];
        return this.chosen(null);
    }

    /** Where the chosen vertices are, three numbers each; each position once. */
    chosen(pose: Float32Array | null): Float32Array {
        const bent = pose && this.deform(0, pose).positions;
        const found = new Map<string, [number, number, number]>();
        for (const mesh of range(this.live.limber_mesh_count!(this.handle))) {
            const at = bent?.[mesh] ?? this.restOf(mesh);
            const marks = this.floats(this.need(this.live.limber_paint_chosen!(this.handle, mesh)), at.length / 3);
            marks.forEach((mark, v) => mark && found.set(`${at[3 * v]} ${at[3 * v + 1]} ${at[3 * v + 2]}`, [at[3 * v]!, at[3 * v + 1]!, at[3 * v + 2]!]));
        }
        return Float32Array.from([...found.values()].flat());
    }

    // The point at rest of the edge that is seen nearest at a pose: between the nearest vertex and the next one.
    private atRest(seen: [number, number, number], pose: Float32Array): [number, number, number] {
        const bent = this.deform(0, pose).positions;
        const nearest = (beside: number[] | null): { mesh: number; vertex: number; at: number[] } | null => {
            let [least, best] = [Infinity, null as { mesh: number; vertex: number; at: number[] } | null];
            bent.forEach((places, mesh) => range(places.length / 3).forEach((vertex) => {
                const at = [...places.subarray(3 * vertex, 3 * vertex + 3)];
                const away = Math.hypot(...at.map((value, axis) => value - seen[axis]!));
                if (away < least && !(beside && at.every((value, axis) => value === beside[axis]))) [least, best] = [away, { mesh, vertex, at }];
            }));
            return best;
        };
        const a = nearest(null);
        const b = a && nearest(a.at);
        if (!a || !b) return seen;
        const [from, to] = [this.vertex(a.mesh, a.vertex).rest, this.vertex(b.mesh, b.vertex).rest];
        return from.map((value, axis) => value + (to[axis]! - value) / 3) as [number, number, number];
    }

    /** The brush on all chosen vertices; gives what became of the joint's weights. */
    fill(op: number, joint: number, strength: number, value: number, flags: number): Painted {
        this.need(this.live.limber_paint_begin!(this.handle));
        this.beginTelling(joint);
        this.need(this.live.limber_paint_fill!(this.handle, op, joint, strength, value, flags));
        this.set('joint', this.wordOf(joint));
        this.set('brush', brushWords[op]!);
        this.set('value', `${Math.fround(value)}`);
        this.set('strength', `${Math.fround(strength)}`);
        this.set('both-sides', flags & bothSides ? 'yes' : 'no');
        this.strokes.push('none', ...this.choice, 'fill');
        return this.tellPainted(joint);
    }

    /** The text of the strokes since the last time, for `limber weights paint`. */
    takeStrokes(): string {
        const text = `${this.strokes.join('\n')}\n`;
        this.strokesBegin();
        return text;
    }

    private strokesBegin(): void {
        this.strokes = ['limber-strokes 1', ...[...this.locked].map((joint) => `lock ${this.wordOf(joint)}`)];
        this.settings.clear();
        this.told = null;
    }

    // The page shows the weights of the file, or those that it was told.
    private beginTelling(joint: number): void {
        if (this.told?.joint === joint) return;
        // Strokes for another joint have changed this one's too.
        const painted = this.settings.size > 0;
        this.told = { joint, weights: painted ? [] : this.weights(joint) };
    }

    private tellPainted(joint: number): Painted {
        const before = this.told!.weights, weights = this.weights(joint);
        this.told = { joint, weights };
        const vertices = weights.map((now, mesh) => before[mesh] && differing(before[mesh], now));
        return { vertices: vertices.map((some) => some ?? null), weights: weights.map((now, mesh) => (vertices[mesh] ? Float32Array.from(vertices[mesh], (v) => now[v]!) : now.slice())) };
    }

    private set(setting: string, to: string): void {
        if (this.settings.get(setting) !== to) this.strokes.push(`${setting} ${to}`);
        this.settings.set(setting, to);
    }

    // Its name, or its number where others have that too, or a line cannot hold it.
    private wordOf(joint: number): string {
        const nameOf = (index: number): string => this.read(this.live.limber_joint_name!(this.handle, index));
        const name = nameOf(joint);
        const first = range(this.jointCount).find((index) => nameOf(index) === name);
        return first === joint && name.length < 200 && /^[^\s\p{C}]+( [^\s\p{C}]+)*$/u.test(name) ? name : `${joint}`;
    }

    /** Weights of a joint do not change while others are painted. */
    lock(joint: number, on: boolean): void {
        this.need(this.live.limber_paint_begin!(this.handle));
        this.need(this.live.limber_paint_lock!(this.handle, joint, on ? 1 : 0));
        this.strokes.push(`${on ? 'lock' : 'unlock'} ${this.wordOf(joint)}`);
        if (on) this.locked.add(joint);
        else this.locked.delete(joint);
    }

    /** How strokes fall off towards their rim: as LIMBER_FALLOFF_… */
    falloff(kind: number): void {
        this.need(this.live.limber_paint_begin!(this.handle));
        this.need(this.live.limber_paint_falloff!(this.handle, kind));
        this.falloffKind = kind;
    }

    /** The vertex that is nearest to a point of the scene, of the meshes at rest or at a pose. */
    vertexAt(point: [number, number, number], pose: Float32Array | null): VertexRow | null {
        const seen = pose && this.deform(0, pose).positions;
        let best: { mesh: number; vertex: number } | null = null;
        let least = Infinity;
        for (const mesh of range(this.live.limber_mesh_count!(this.handle))) {
            const at = seen?.[mesh] ?? this.restOf(mesh);
            for (let v = 0; v < at.length / 3; ++v) {
                const away = (at[3 * v]! - point[0]) ** 2 + (at[3 * v + 1]! - point[1]) ** 2 + (at[3 * v + 2]! - point[2]) ** 2;
                if (away < least) [best, least] = [{ mesh, vertex: v }, away];
            }
        }
        return best && this.vertex(best.mesh, best.vertex);
    }

    vertex(mesh: number, vertex: number): VertexRow {
        const rest = this.restOf(mesh);
        return { mesh, vertex, rest: [rest[3 * vertex]!, rest[3 * vertex + 1]!, rest[3 * vertex + 2]!], row: this.rowOf(mesh, vertex) };
    }

    /** Vertices that follow other joints than those they share an edge with, the most different first: by the sum of differences of
     * weights to the mean of the neighbours, up to 2. Those without weights come before them. */
    oddVertices(most: number): { mesh: number; vertex: number; off: number }[] {
        const found: { mesh: number; vertex: number; off: number }[] = [];
        for (const mesh of range(this.live.limber_mesh_count!(this.handle))) {
            const count = this.live.limber_mesh_vertex_count!(this.handle, mesh);
            const rows = range(count).map((v) => this.rowOf(mesh, v));
            if (rows.every((row) => row.length === 0)) continue; // not skinned
            for (const [v, around] of this.neighbours(mesh, count)) found.push({ mesh, vertex: v, off: rows[v]!.length ? difference(rows[v]!, around.map((k) => rows[k]!)) : 2 });
        }
        return found.sort((a, b) => b.off - a.off || a.mesh - b.mesh || a.vertex - b.vertex).slice(0, most);
    }

    private neighbours(mesh: number, count: number): Map<number, number[]> {
        const indices = new Uint32Array(this.wasm.memory.buffer, this.live.limber_mesh_indices!(this.handle, mesh), this.live.limber_mesh_index_count!(this.handle, mesh));
        const around = range(count).map(() => new Set<number>());
        for (let k = 0; k + 2 < indices.length; k += 3) {
            for (let c = 0; c < 3; ++c) {
                const [a, b] = [indices[k + c]!, indices[k + ((c + 1) % 3)]!];
                around[a]!.add(b);
                around[b]!.add(a);
            }
        }
        return new Map(around.flatMap((others, v) => (others.size ? [[v, [...others]]] : [])));
    }

    private restOf(mesh: number): Float32Array {
        return new Float32Array(this.wasm.memory.buffer, this.need(this.live.limber_mesh_rest!(this.handle, mesh)), 3 * this.live.limber_mesh_vertex_count!(this.handle, mesh));
    }

    private rowOf(mesh: number, vertex: number): [number, number][] {
        const at = this.need(this.live.limber_vertex_row!(this.handle, mesh, vertex)) / 4;
        const memory = new Float32Array(this.wasm.memory.buffer);
        return range(memory[at]!).map((k): [number, number] => [memory[at + 1 + 2 * k]!, memory[at + 2 + 2 * k]!]).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    }

    /** How many vertices the stroke changed. */
    endStroke(): number {
        this.strokes.push('stroke');
        return this.live.limber_paint_end!(this.handle);
    }

    weights(joint: number): Float32Array[] {
        return range(this.live.limber_mesh_count!(this.handle)).map((mesh) => {
            const at = this.live.limber_joint_weights!(this.handle, mesh, joint);
            return at ? this.floats(at, this.live.limber_mesh_vertex_count!(this.handle, mesh)) : new Float32Array();
        });
    }

    /** What the file names swings from now on, from rest, and a joint with all below it, unless that is -1. How many joints do. */
    swing(joint: number): number {
        this.need(this.live.limber_springs_end!(this.handle));
        const count = joint < 0 ? this.live.limber_springs_begin!(this.handle) : this.live.limber_springs_add!(this.handle, joint);
        if (count < 0) this.complain();
        return count;
    }

    /** A frame of what swings, at a pose: the pose as it is to be shown. */
    swingStep(pose: Float32Array, seconds: number): Float32Array {
        this.setPose(pose);
        const steps = Math.max(1, Math.ceil(seconds / longestStep));
        let at = 0;
        for (let k = 0; k < steps; ++k) at = this.need(this.live.limber_springs_step!(this.handle, seconds / steps));
        return this.floats(at, 10 * this.jointCount);
    }

    /** Opens a character beside the one in the user's hands, to be steered by clips of its own. */
    steer(glb: Uint8Array, stand: string, walk: string, run: string): Steered {
        this.endSteering();
        this.put(steeredName, glb);
        this.steered = this.withText(steeredName, (name) => this.need(this.live.limber_character_open!(name)));
        this.withText(stand, (a) => this.withText(walk, (b) => this.withText(run, (c) => this.need(this.live.limber_play_begin!(this.steered, a, b, c)))));
        const swinging = Math.max(0, this.live.limber_springs_begin!(this.steered));
        this.swings = swinging > 0;
        const nodes = range(this.live.limber_joint_count!(this.steered)).map((joint) => this.live.limber_joint_node!(this.steered, joint));
        return { nodes, course: [...this.floats(this.live.limber_play_course!(this.steered), 22)], swinging };
    }

    /** Goes on by seconds, in steps that feet and bodies bear. `speed`: 0 stands, 1 walks, 2 runs; `yawRate`: radians a second to the left. */
    steerStep(seconds: number, speed: number, yawRate: number): { pose: Float32Array; phase: number } {
        const count = this.live.limber_joint_count!(this.steered);
        const steps = Math.max(1, Math.ceil(seconds / longestStep));
        let pose = 0;
        for (let k = 0; k < steps; ++k) {
            pose = this.need(this.live.limber_play_step!(this.steered, seconds / steps, speed, yawRate));
            if (!this.swings) continue;
            this.need(this.live.limber_pose_set!(this.steered, 0, count, pose));
            pose = this.need(this.live.limber_springs_step!(this.steered, seconds / steps));
        }
        return { pose: this.floats(pose, 10 * count), phase: this.live.limber_play_phase!(this.steered) };
    }

    jump(): void {
        this.need(this.live.limber_play_jump!(this.steered));
    }

    /** Lets it fall; one that fell gets up. */
    fall(): void {
        this.need(this.live.limber_play_fall!(this.steered));
    }

    endSteering(): void {
        if (this.steered) this.live.limber_character_close!(this.steered);
        this.steered = 0;
    }

    private get jointCount(): number {
        return this.live.limber_joint_count!(this.handle);
    }

    private floats(at: number, count: number): Float32Array {
        return new Float32Array(this.wasm.memory.buffer, at, count).slice();
    }

    private floatsIn(numbers: Float32Array): number {
        const block = this.block(numbers.byteLength);
        new Float32Array(this.wasm.memory.buffer, block, numbers.length).set(numbers);
        return block;
    }

    private withText<T>(text: string, use: (at: number) => T): T {
        const at = this.text(text);
        try {
            return use(at);
        } finally {
            this.wasm.limber_free(at);
        }
    }

    private need(result: number): number {
        if (!result) this.complain();
        return result;
    }

    private complain(): never {
        throw new Error(this.read(this.live.limber_error!()));
    }
}

/** The sum of differences to the mean of the others. */
function difference(row: [number, number][], others: [number, number][][]): number {
    const off = new Map(row);
    for (const other of others) for (const [joint, weight] of other) off.set(joint, (off.get(joint) ?? 0) - weight / others.length);
    return [...off.values()].reduce((sum, value) => sum + Math.abs(value), 0);
}

function range(count: number): number[] {
    return Array.from({ length: count }, (_, index) => index);
}

/** What the page can ask for, by name. */
export type LiveCall = Exclude<keyof LiveModule, 'run' | 'messages' | 'memorySize' | 'end'>;

function differing(a: Float32Array, b: Float32Array): Uint32Array {
    const at: number[] = [];
    for (let k = 0; k < a.length; ++k) if (a[k] !== b[k]) at.push(k);
    return Uint32Array.from(at);
}
