import type { Limber } from './limber';

/** A character that is open in the module: its joints, its pose, its skin. */
export class Actor {
    readonly handle: number;
    readonly names: string[];
    readonly parents: number[];
    readonly clips: { name: string; duration: number }[];
    readonly indices: Uint32Array;
    readonly vertexCount: number;

    constructor(readonly limber: Limber, bytes: Uint8Array, name = 'actor.glb') {
        limber.file(name, bytes);
        this.handle = limber.withText(name, (at) => limber.need('limber_character_open', at));
        const joints = range(limber.call('limber_joint_count', this.handle));
        this.names = joints.map((joint) => limber.textOf(limber.call('limber_joint_name', this.handle, joint)));
        this.parents = joints.map((joint) => limber.call('limber_joint_parent', this.handle, joint));
        this.clips = range(limber.call('limber_clip_count', this.handle)).map((clip) => ({
            name: limber.textOf(limber.call('limber_clip_name', this.handle, clip)),
            duration: limber.call('limber_clip_duration', this.handle, clip),
        }));
        this.vertexCount = limber.call('limber_mesh_vertex_count', this.handle, 0);
        const corners = limber.call('limber_mesh_index_count', this.handle, 0);
        this.indices = limber.integers(limber.need('limber_mesh_indices', this.handle, 0), corners);
    }

    close(): void {
        this.limber.call('limber_character_close', this.handle);
    }

    /** By its name, or what VRM calls it. */
    joint(name: string): number {
        const joint = this.limber.withText(name, (at) => this.limber.call('limber_joint_find', this.handle, at));
        if (joint < 0) this.limber.complain();
        return joint;
    }

    clip(name: string): number {
        const clip = this.clips.findIndex((one) => one.name === name);
        if (clip < 0) throw new Error(`there is no clip "${name}"`);
        return clip;
    }

    rest(): void {
        this.limber.need('limber_pose_rest', this.handle);
    }

    sample(clip: number, time: number): void {
        this.limber.need('limber_pose_sample', this.handle, clip, time);
    }

    get pose(): Float32Array {
        return this.limber.floats(this.limber.call('limber_pose', this.handle), 10 * this.names.length);
    }

    set pose(numbers: Float32Array) {
        this.limber.need('limber_pose_set', this.handle, 0, numbers.length / 10, numbers);
    }

    /** Turns one joint from how it stands at rest: about an axis of its own. */
    rotate(joint: number, axis: readonly number[], angle: number): void {
        const pose = this.pose, q = pose.subarray(10 * joint + 3, 10 * joint + 7);
        const s = Math.sin(angle / 2);
        q.set(multiply([...q], [axis[0]! * s, axis[1]! * s, axis[2]! * s, Math.cos(angle / 2)]));
        this.limber.need('limber_pose_set', this.handle, joint, 1, pose.slice(10 * joint, 10 * joint + 10));
    }

    /** Turns one joint about an axis of the scene, and all that hangs from it. */
    rotateInScene(joint: number, axis: readonly number[], angle: number): void {
        const m = this.matrix(joint);
        const along = [0, 1, 2].map((k) => m[4 * k]! * axis[0]! + m[4 * k + 1]! * axis[1]! + m[4 * k + 2]! * axis[2]!);
        const length = Math.hypot(...along);
        this.rotate(joint, along.map((x) => x / length), angle);
    }

    /** Sixteen numbers a joint, column after column: from the joint to the scene. */
    get model(): Float32Array {
        return this.limber.floats(this.limber.call('limber_pose_model', this.handle), 16 * this.names.length);
    }

    matrix(joint: number): Float32Array {
        return this.model.subarray(16 * joint, 16 * joint + 16);
    }

    position(joint: number): [number, number, number] {
        const m = this.matrix(joint);
        return [m[12]!, m[13]!, m[14]!];
    }

    /** The vertices as the pose has them. */
    skin(method = 0): Float32Array {
        return this.vertices(this.limber.call('limber_lesson_skin', this.handle, 0, method));
    }

    get restSkin(): Float32Array {
        return this.vertices(this.limber.call('limber_mesh_rest', this.handle, 0));
    }

    vertices(at: number): Float32Array {
        return this.limber.floats(at, 3 * this.vertexCount);
    }

    weights(joint: number): Float32Array {
        return this.limber.floats(this.limber.call('limber_joint_weights', this.handle, 0, joint), this.vertexCount);
    }

    /** How much each joint holds a vertex, the most first. */
    row(vertex: number): { joint: number; weight: number }[] {
        return range(this.names.length)
            .map((joint) => ({ joint, weight: this.weights(joint)[vertex]! }))
            .filter(({ weight }) => weight > 0)
            .sort((a, b) => b.weight - a.weight);
    }
}

export function range(count: number): number[] {
    return Array.from({ length: count }, (_, k) => k);
}

/** The product of two quaternions x y z w. */
export function multiply([ax, ay, az, aw]: number[], [bx, by, bz, bw]: number[]): number[] {
    return [
        aw! * bx! + ax! * bw! + ay! * bz! - az! * by!,
        aw! * by! - ax! * bz! + ay! * bw! + az! * bx!,
        aw! * bz! + ax! * by! - ay! * bx! + az! * bw!,
        aw! * bw! - ax! * bx! - ay! * by! - az! * bz!,
    ];
}
