import * as THREE from 'three';

/** A joint, as far as it tells which figure it belongs to. */
interface Jointed {
    node: THREE.Object3D;
    parent: number;
}

// Two keys at one moment are none: what comes again begins so much later.
const seamSeconds = 1e-5;

/** Which figure each joint belongs to, by nodes: joints of one tree, or of one skin, are one figure. */
function figuresOf(joints: readonly Jointed[], skeletons: Iterable<THREE.Skeleton>): Map<THREE.Object3D, THREE.Object3D> {
    const roots = new Map<THREE.Object3D, THREE.Object3D>();
    for (const { node, parent } of joints) roots.set(node, parent < 0 ? node : roots.get(joints[parent]!.node)!);
    for (const { bones } of skeletons) {
        const mine = new Set(bones.map((bone) => roots.get(bone))), [first] = mine;
        if (first && mine.size > 1) for (const [node, root] of roots) if (mine.has(root)) roots.set(node, first);
    }
    return roots;
}

/** The one figure that a clip moves; null where it moves none, or several. */
function movedBy(clip: THREE.AnimationClip, root: THREE.Object3D, figures: Map<THREE.Object3D, THREE.Object3D>): THREE.Object3D | null {
    const moved = new Set<THREE.Object3D>();
    for (const { name } of clip.tracks) {
        const node = THREE.PropertyBinding.findNode(root, THREE.PropertyBinding.parseTrackName(name).nodeName) as THREE.Object3D | null;
        const figure = node && figures.get(node);
        if (figure) moved.add(figure);
    }
    return moved.size === 1 ? [...moved][0]! : null;
}

/** The track again and again until an end. */
function repeated(track: THREE.KeyframeTrack, seconds: number, end: number): THREE.KeyframeTrack {
    const rounds = seconds > 0 ? Math.ceil(end / seconds - 1e-3) : 1;
    if (rounds <= 1) return track;
    const { times, values } = track, copy = track.clone();
    copy.times = new Float32Array(rounds * times.length);
    copy.values = new Float32Array(rounds * values.length);
    for (let round = 0; round < rounds; ++round) {
        copy.times.set(times.map((time, k) => time + round * seconds + (round && !k ? seamSeconds : 0)), round * times.length);
        copy.values.set(values, round * values.length);
    }
    return copy;
}

/** Clips that move all figures at once, of a file in which each clip moves one of several: the first of each figure, the second
 * of each, and so on; shorter ones come again, and a figure that has fewer goes on with its last. */
export function together(root: THREE.Object3D, joints: readonly Jointed[], skeletons: Iterable<THREE.Skeleton>, clips: readonly THREE.AnimationClip[]): THREE.AnimationClip[] {
    const figures = figuresOf(joints, skeletons), own = new Map<THREE.Object3D, THREE.AnimationClip[]>();
    if (new Set(figures.values()).size < 2) return [];
    for (const clip of clips) {
        const figure = clip.duration > 0 ? movedBy(clip, root, figures) : null;
        if (figure) own.set(figure, [...(own.get(figure) ?? []), clip]);
    }
    if (own.size < 2) return [];
    const most = Math.max(...[...own.values()].map(({ length }) => length));
    return Array.from({ length: most }, (_, k) => {
        const parts = [...own.values()].map((all) => all[Math.min(k, all.length - 1)]!);
        const seconds = Math.max(...parts.map(({ duration }) => duration));
        return new THREE.AnimationClip(k ? `all together ${k + 1}` : 'all together', seconds, parts.flatMap(({ tracks, duration }) => tracks.map((track) => repeated(track, duration, seconds))));
    });
}
