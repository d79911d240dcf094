import * as THREE from 'three';
import type { Character } from './character';
import { pathsIn } from './clip_paths';

/** Where somebody stands: the height of the floor, and where he looks, as an angle about the vertical from +Z. */
export interface Footing {
    floor: number;
    facing: number;
}

/** Made motions have the floor at 0 and look along +Z. */
export const madeFooting: Footing = { floor: 0, facing: 0 };

// A character at rest whose lowest point is within this fraction of its height of 0 stands on the floor as it is.
const nearFraction = 0.02;
// Frames of a clip that are looked at: one of them has a foot on the ground.
const looks = 8;
const leastDuration = 1e-3;

/** The footing in a clip. The floor is where made motions put it or under the character at rest, as the file may have it: the
 * nearer to where the lowest joint goes. The front is that of rest, or behind it where the clip begins turned round.
 * `places` are those of the joints at rest. */
export function footingIn(clip: THREE.AnimationClip | null, { box, root, joints }: Character, rest: Footing, places: THREE.Vector3[]): Footing {
    if (!clip || places.length === 0) return rest;
    const elsewhere = Math.abs(rest.floor) > nearFraction * (box.max.y - box.min.y);
    const paths = pathsIn(clip, root, joints.map(({ node }) => node), elsewhere ? looks : 0, looks / Math.max(clip.duration, leastDuration));
    // As far below the lowest joint as it is at rest.
    const floor = lowest(paths.flat()) - lowest(places) + rest.floor;
    return {
        floor: elsewhere && Math.abs(floor) < Math.abs(floor - rest.floor) ? 0 : rest.floor,
        facing: rest.facing + (isTurnedRound(places, paths.map((path) => path[0]!)) ? Math.PI : 0),
    };
}

function lowest(places: THREE.Vector3[]): number {
    return places.reduce((least, { y }) => Math.min(least, y), Infinity);
}

/** Whether the rotation about the vertical that takes these places to those, by least squares, is over a quarter turn. */
function isTurnedRound(from: THREE.Vector3[], to: THREE.Vector3[]): boolean {
    const [a, b] = [from, to].map((places) => places.reduce((sum, place) => sum.add(place), new THREE.Vector3()).divideScalar(places.length)) as [THREE.Vector3, THREE.Vector3];
    return from.reduce((sum, { x, z }, k) => sum + (x - a.x) * (to[k]!.x - b.x) + (z - a.z) * (to[k]!.z - b.z), 0) < 0;
}
