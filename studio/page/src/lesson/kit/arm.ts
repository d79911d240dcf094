import type { Limber } from './limber';
import type { Point } from './plane';

/** A transform in the plane as the module has it: translated by x and y, rotated about z. */
export function planar(x: number, y: number, angle: number): number[] {
    return [x, y, 0, 0, 0, Math.sin(angle / 2), Math.cos(angle / 2), 1, 1, 1];
}

export interface Posed {
    /** Of every joint, and the tip. */
    positions: Point[];
    /** Sixteen numbers a joint. */
    model: Float32Array;
}

/** An arm in the plane: each bone at the end of the one before, rotated against it. */
export function poseArm(limber: Limber, base: Point, lengths: readonly number[], angles: readonly number[]): Posed {
    const parents = [...lengths.keys(), lengths.length].map((k) => k - 1);
    const local = parents.map((_, k) => planar(k ? lengths[k - 1]! : base[0], k ? 0 : base[1], angles[k] ?? 0));
    const model = limber.forward(parents, local);
    return { model, positions: parents.map((_, k): Point => [model[16 * k + 12]!, model[16 * k + 13]!]) };
}

/** Two rows: how the tip moves, in x and y, when each angle changes. */
export function jacobian(positions: readonly Point[]): number[][] {
    const tip = positions.at(-1)!, joints = positions.slice(0, -1);
    return [joints.map(([, y]) => -(tip[1] - y)), joints.map(([x]) => tip[0] - x)];
}

/** Where a point of a joint's frame is in the scene. */
export function pointOf(model: ArrayLike<number>, joint: number, [x, y]: Point): Point {
    const at = 16 * joint;
    return [model[at]! * x + model[at + 4]! * y + model[at + 12]!, model[at + 1]! * x + model[at + 5]! * y + model[at + 13]!];
}
