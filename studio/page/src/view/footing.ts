import type * as THREE from 'three';
import type { Character } from './character';
import { pathsIn } from './clip_paths';

// A character at rest whose lowest point is within this fraction of its height of 0 stands on the floor as it is.
const nearFraction = 0.02;
// Frames of a clip that are looked at: one of them has a foot on the ground.
const looks = 8;
const leastDuration = 1e-3;

/** The height of the floor while a clip plays: where made motions put it, which is 0, or under the character at rest, as
 * the file may have it; the nearer to where the lowest joint goes. `restLow` is the height of that joint at rest. */
export function floorHeight({ box, root, joints }: Character, clip: THREE.AnimationClip | null, restLow: number): number {
    const rest = box.min.y;
    if (!clip || !joints.length || Math.abs(rest) < nearFraction * (box.max.y - rest)) return rest;
    const paths = pathsIn(clip, root, joints.map((joint) => joint.node), looks, looks / Math.max(clip.duration, leastDuration));
    const low = paths.flat().reduce((least, position) => Math.min(least, position.y), Infinity);
    // As far below the lowest joint as it is at rest.
    const floor = low - restLow + rest;
    return Math.abs(floor) < Math.abs(floor - rest) ? 0 : rest;
}
