// Joints of a character that are edited: each edit gives others, and the text of a glTF file that `rig --skeleton` takes.
import * as THREE from 'three';
import type { Triple } from './reports';
import type { Character } from './view/character';

/** A joint as it stands at rest in the scene. */
export interface Bone {
    name: string;
    parent: number;
    model: THREE.Matrix4;
}

/** The joint of the other side by its name; null in the middle. */
export function otherSide(name: string): string | null {
    const swapped = name.replace(/left|right|Left|Right|_[lr]$|\.[LR]$/, (side) => ({ left: 'right', right: 'left', Left: 'Right', Right: 'Left', _l: '_r', _r: '_l', '.L': '.R', '.R': '.L' })[side] ?? side);
    return swapped === name ? null : swapped;
}

export function readBones(character: Character): Bone[] {
    const rests = new Map(character.joints.map(({ node, rest, restPosition }) => [node, new THREE.Matrix4().compose(restPosition, rest, node.scale)]));
    const modelOf = (node: THREE.Object3D | null): THREE.Matrix4 => (node ? modelOf(node.parent).multiply(rests.get(node) ?? node.matrix) : new THREE.Matrix4());
    return character.joints.map(({ name, parent, node }) => ({ name, parent, model: modelOf(node) }));
}

function copy(bones: Bone[]): Bone[] {
    return bones.map(({ name, parent, model }) => ({ name, parent, model: model.clone() }));
}

export function freeName(bones: Bone[], wanted: string): string {
    const taken = new Set(bones.map(({ name }) => name));
    for (let k = 1; ; ++k) if (!taken.has(k === 1 ? wanted : `${wanted}${k}`)) return k === 1 ? wanted : `${wanted}${k}`;
}

/** Joints go to other positions; what hangs from them stays where it is. */
export function moveBones(bones: Bone[], positions: ReadonlyMap<string, Triple>): Bone[] {
    const out = copy(bones);
    for (const { name, model } of out) {
        const position = positions.get(name);
        if (position) model.setPosition(...position);
    }
    return out;
}

/** One more, at the end of the chain that leads to `parent`. */
export function addBone(bones: Bone[], parent: number, name: string): Bone[] {
    const out = copy(bones);
    const from = out[parent]!;
    const above = from.parent >= 0 ? out[from.parent]! : null;
    const at = new THREE.Vector3().setFromMatrixPosition(from.model);
    const direction = above ? at.clone().sub(new THREE.Vector3().setFromMatrixPosition(above.model)) : new THREE.Vector3();
    const model = from.model.clone().setPosition(at.addScaledVector(direction, 0.75));
    return [...out, { name, parent, model }];
}

/** What hung from those that go hangs from what they hung from. */
export function removeBones(bones: Bone[], gone: (bone: Bone, index: number) => boolean): Bone[] {
    const goes = bones.map(gone);
    const kept = (index: number): number => (index >= 0 && goes[index] ? kept(bones[index]!.parent) : index);
    const indices = new Map<number, number>();
    bones.forEach((_, index) => goes[index] || indices.set(index, indices.size));
    return bones.flatMap((bone, index) => (goes[index] ? [] : [{ ...bone, parent: indices.get(kept(bone.parent)) ?? -1 }]));
}

/** Whether one is another or hangs from it. */
export function isBelow(bones: Bone[], index: number, other: number): boolean {
    for (let at = index; at >= 0; at = bones[at]!.parent) if (at === other) return true;
    return false;
}

export function hangBone(bones: Bone[], index: number, parent: number): Bone[] {
    const out = copy(bones);
    if (!isBelow(bones, parent, index)) out[index]!.parent = parent;
    return out;
}

/** The other side of a joint and of what hangs from it becomes its image; joints that are not there come. */
export function mirrorBone(bones: Bone[], index: number): Bone[] {
    const out = copy(bones);
    const middle = new THREE.Vector3().setFromMatrixPosition(bones[0]!.model).x;
    const partner = (of: number): number => {
        const other = of >= 0 ? otherSide(bones[of]!.name) : null;
        return other === null ? of : out.findIndex(({ name }) => name === other);
    };
    for (const [k, bone] of bones.entries()) {
        const other = otherSide(bone.name);
        if (other === null || !isBelow(bones, k, index)) continue;
        const image = imageOf(bone.model, middle);
        const there = out.find(({ name }) => name === other);
        if (there) there.model = image;
        else out.push({ name: other, parent: partner(bone.parent), model: image });
    }
    return out;
}

// At the plane x = middle: rotations about x stay, others are reversed.
function imageOf(model: THREE.Matrix4, middle: number): THREE.Matrix4 {
    const [position, rotation, scale] = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3()];
    model.decompose(position, rotation, scale);
    return new THREE.Matrix4().compose(new THREE.Vector3(2 * middle - position.x, position.y, position.z), new THREE.Quaternion(rotation.x, -rotation.y, -rotation.z, rotation.w), scale);
}

// From the one that is kept longest on.
const fingers = [/thumb/i, /index/i, /middle/i, /ring/i, /little|pinky/i];
const fingerOf = (name: string): number => fingers.findIndex((finger) => finger.test(name));

/** How many fingers of a hand have joints. */
export function fingerCount(bones: Bone[]): number {
    return new Set(bones.map(({ name }) => fingerOf(name)).filter((finger) => finger >= 0)).size;
}

export function keepFingers(bones: Bone[], count: number): Bone[] {
    return removeBones(bones, ({ name }) => fingerOf(name) >= count);
}

const round = (value: number): number => Number(value.toPrecision(8)) + 0;

/** A joint a line, parents before children. */
export function toGltf(bones: Bone[]): string {
    const order: number[] = [];
    const visit = (parent: number): void => bones.forEach((bone, index) => {
        if (bone.parent !== parent) return;
        order.push(index);
        visit(index);
    });
    visit(-1);
    const nodes = order.map((index) => {
        const { name, parent, model } = bones[index]!;
        const [position, rotation, scale] = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3()];
        (parent >= 0 ? bones[parent]!.model.clone().invert().multiply(model) : model).decompose(position, rotation, scale);
        const children = order.flatMap((other, at) => (bones[other]!.parent === index ? [at] : []));
        return JSON.stringify({
            name, translation: position.toArray().map(round),
            ...(Math.abs(rotation.w) < 1 - 1e-10 ? { rotation: rotation.toArray().map(round) } : {}), ...(scale.distanceTo(new THREE.Vector3(1, 1, 1)) > 1e-5 ? { scale: scale.toArray().map(round) } : {}),
            ...(children.length ? { children } : {}),
        });
    });
    const roots = order.flatMap((index, at) => (bones[index]!.parent < 0 ? [at] : []));
    return `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":${JSON.stringify(roots)}}],"nodes":[\n${nodes.join(',\n')}\n]}\n`;
}
