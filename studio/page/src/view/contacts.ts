import type * as THREE from 'three';
import type { Character } from './character';
import { pathsIn } from './clip_paths';

export interface FootRow {
    name: string;
    down: boolean[];
    /** How fast what stands of it goes along the floor, in metres a second; 0 while it does not stand. */
    slide: number[];
}

const sides: [string, RegExp][] = [['Left', /^(mixamorig[:_]?)?(l(eft)?)[ _.-]?(foot|toes?|toebase|ball)|(foot|toes?|ball)[ _.-]?l$/i], ['Right', /^(mixamorig[:_]?)?(r(ight)?)[ _.-]?(foot|toes?|toebase|ball)|(foot|toes?|ball)[ _.-]?r$/i]];

// A foot stands when it is within this fraction of the body's height of its lowest position, and slower than so many heights a second.
const nearFraction = 0.02;
const slowFraction = 0.25;

/** Which feet of a person stand in which frames, and how far they slide there; none where the names of the joints do not tell feet. */
export function footContacts(character: Character, clip: THREE.AnimationClip, frames: number, fps: number): FootRow[] {
    const feet = sides.map(([name, pattern]) => ({ name, nodes: character.joints.filter((joint) => pattern.test(joint.name)).map((joint) => joint.node) }));
    if (feet.some(({ nodes }) => nodes.length === 0) || frames > 6000) return [];
    const height = character.box.max.y - character.box.min.y;
    const paths = pathsIn(clip, character.root, feet.flatMap(({ nodes }) => nodes), frames, fps);
    let next = 0;
    return feet.map(({ name, nodes }) => {
        const down = new Array<boolean>(frames + 1).fill(false), slide = new Array<number>(frames + 1).fill(Infinity);
        for (const _ of nodes) {
            const path = paths[next++]!;
            const low = path.reduce((least, position) => Math.min(least, position.y), Infinity);
            path.forEach((position, frame) => {
                const before = path[Math.max(frame - 1, 0)]!, speed = position.distanceTo(before) * fps;
                if (position.y >= low + nearFraction * height || speed >= slowFraction * height) return;
                // Of an ankle and toes one stands while the other rolls.
                slide[frame] = Math.min(slide[frame]!, Math.hypot(position.x - before.x, position.z - before.z) * fps);
                down[frame] = true;
            });
        }
        return { name, down, slide: slide.map((speed) => (Number.isFinite(speed) ? speed : 0)) };
    });
}
