import * as THREE from 'three';
import type { Character } from './character';

const up = new THREE.Vector3(0, 1, 0);

/** What of a skeleton is shown beside its bones and joints. */
export interface BoneParts {
    /** Where joints without children end. */
    leaves: boolean;
    /** How each joint stands: x red, y green, z blue. */
    axes: boolean;
}

// Of a last bone, as a fraction of the one above it.
const leafLength = 0.5;
const axisColours = [0xe5484d, 0x46a758, 0x3e8bff].map((colour) => new THREE.Color(colour));

/** Colours from doubtful to sure, readable over a light and a dark ground. */
export function confidenceColour(confidence: number, out = new THREE.Color()): THREE.Color {
    const t = THREE.MathUtils.clamp((confidence - 0.4) / 0.5, 0, 1);
    return out.setHSL(THREE.MathUtils.lerp(0.02, 0.4, t), 0.75, 0.5);
}

// A bone: thick near its joint, thin towards its child, from 0 to 1 along y.
function boneShape(): THREE.BufferGeometry {
    const shape = new THREE.ConeGeometry(1, 0.85, 4).translate(0, 0.575, 0);
    const root = new THREE.ConeGeometry(1, 0.15, 4).rotateX(Math.PI).translate(0, 0.075, 0);
    const merged = new THREE.BufferGeometry();
    const parts = [root, shape].map((part) => part.toNonIndexed().getAttribute('position').array);
    merged.setAttribute('position', new THREE.BufferAttribute(new Float32Array(parts.flatMap((part) => [...part])), 3));
    merged.computeVertexNormals();
    return merged;
}

function axisLines(count: number): THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(18 * count), 3));
    const colours = Array.from({ length: count }, () => axisColours.flatMap((colour) => [...colour.toArray(), ...colour.toArray()])).flat();
    geometry.setAttribute('color', new THREE.BufferAttribute(new Float32Array(colours), 3));
    const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, toneMapped: false }));
    lines.renderOrder = 12;
    lines.frustumCulled = false;
    lines.visible = false;
    return lines;
}

/** The skeleton, seen through the mesh: bones, and joints that can be pointed at. */
export class Bones {
    readonly group = new THREE.Group();
    readonly radius: number;
    selected = -1;
    hovered = -1;
    private readonly bones: THREE.InstancedMesh;
    private readonly knobs: THREE.InstancedMesh;
    private readonly axes: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
    private readonly leaves: number[];
    /** In the joint's own frame, the direction its bone came from at rest. */
    private readonly leafWays: THREE.Vector3[];
    private parts: BoneParts = { leaves: false, axes: false };
    private readonly positions: THREE.Vector3[];
    private readonly sizes: number[];
    private readonly pairs: [number, number][] = [];
    private readonly colours: THREE.Color[];

    constructor(readonly character: Character) {
        const joints = character.joints;
        const size = character.box.getSize(new THREE.Vector3());
        this.radius = 0.009 * Math.max(size.x, size.y, size.z);
        this.positions = joints.map(() => new THREE.Vector3());
        joints.forEach((joint, index) => joint.parent >= 0 && this.pairs.push([joint.parent, index]));
        const material = (opacity: number): THREE.MeshLambertMaterial =>
            new THREE.MeshLambertMaterial({ transparent: true, opacity, depthTest: false, depthWrite: false, toneMapped: false });
        this.bones = new THREE.InstancedMesh(boneShape(), material(0.75), Math.max(2 * joints.length, 1));
        this.knobs = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 12, 8), material(1), Math.max(joints.length, 1));
        this.leaves = joints.flatMap((joint, index) => (joint.parent >= 0 && !this.pairs.some(([from]) => from === index) ? [index] : []));
        this.leafWays = this.leaves.map((leaf) => joints[leaf]!.node.position.clone().applyQuaternion(joints[leaf]!.node.quaternion.clone().invert()));
        this.axes = axisLines(joints.length);
        this.bones.count = this.pairs.length;
        this.knobs.count = joints.length;
        this.bones.renderOrder = 10;
        this.knobs.renderOrder = 11;
        for (const mesh of [this.bones, this.knobs]) mesh.frustumCulled = false;
        this.group.add(this.bones, this.knobs, this.axes);
        this.colours = joints.map(() => new THREE.Color(0.25, 0.55, 1));
        this.measure();
        this.sizes = joints.map((_, index) => this.knobSize(index));
        this.paint();
    }

    get count(): number {
        return this.positions.length;
    }

    position(index: number): THREE.Vector3 {
        return this.positions[index]!;
    }

    /** One confidence a joint name; joints without one stay blue. */
    colourBy(confidences: Map<string, number>): void {
        this.character.joints.forEach((joint, index) => {
            const confidence = confidences.get(joint.name);
            if (confidence === undefined) this.colours[index]!.setRGB(0.25, 0.55, 1);
            else confidenceColour(confidence, this.colours[index]!);
        });
        this.paint();
    }

    showParts(parts: BoneParts): void {
        this.parts = { ...parts };
        this.bones.count = this.pairs.length + (parts.leaves ? this.leaves.length : 0);
        this.axes.visible = parts.axes;
        this.paint();
        this.update();
    }

    /** Follows the joints. */
    update(): void {
        this.measure();
        const matrix = new THREE.Matrix4();
        const rotation = new THREE.Quaternion();
        this.pairs.forEach(([from, to], k) => this.setBone(k, this.positions[from]!, new THREE.Vector3().subVectors(this.positions[to]!, this.positions[from]!)));
        if (this.parts.leaves) this.leaves.forEach((leaf, k) => this.placeLeaf(this.pairs.length + k, leaf));
        if (this.parts.axes) this.placeAxes();
        for (let k = 0; k < this.positions.length; ++k) {
            const size = this.sizes[k]! * (k === this.selected || k === this.hovered ? 1.7 : 1);
            this.knobs.setMatrixAt(k, matrix.compose(this.positions[k]!, rotation.identity(), new THREE.Vector3(size, size, size)));
        }
        this.bones.instanceMatrix.needsUpdate = true;
        this.knobs.instanceMatrix.needsUpdate = true;
    }

    /** Shows a joint elsewhere than it is, while it is dragged. */
    displace(index: number, position: THREE.Vector3): void {
        this.displaced.set(index, position.clone());
    }

    settle(): void {
        this.displaced.clear();
    }

    /** The joint that is seen nearest to a point of the canvas, within so many pixels; -1 for none. */
    pick(camera: THREE.Camera, x: number, y: number, width: number, height: number, within: number): number {
        const seen = new THREE.Vector3();
        let best = -1;
        let least = within;
        this.positions.forEach((position, index) => {
            seen.copy(position).project(camera);
            if (seen.z > 1) return;
            const away = Math.hypot(((seen.x + 1) / 2) * width - x, ((1 - seen.y) / 2) * height - y);
            if (away < least) [best, least] = [index, away];
        });
        return best;
    }

    paint(): void {
        const colour = new THREE.Color();
        this.colours.forEach((own, index) => this.knobs.setColorAt(index, index === this.selected ? colour.set(1, 1, 1) : own));
        this.pairs.forEach(([from], k) => this.bones.setColorAt(k, this.colours[from]!));
        this.leaves.forEach((leaf, k) => this.bones.setColorAt(this.pairs.length + k, this.colours[leaf]!));
        for (const mesh of [this.bones, this.knobs]) if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }

    dispose(): void {
        for (const mesh of [this.bones, this.knobs]) {
            mesh.geometry.dispose();
            (mesh.material as THREE.Material).dispose();
            mesh.dispose();
        }
        this.axes.geometry.dispose();
        this.axes.material.dispose();
        this.group.removeFromParent();
    }

    private setBone(index: number, from: THREE.Vector3, along: THREE.Vector3): void {
        const length = along.length();
        const rotation = new THREE.Quaternion().setFromUnitVectors(up, length > 0 ? along.divideScalar(length) : up);
        const width = Math.min(0.1 * length, this.radius);
        this.bones.setMatrixAt(index, new THREE.Matrix4().compose(from, rotation, new THREE.Vector3(width, length, width)));
    }

    // A last bone goes on as the one above it came, rotated with its joint.
    private placeLeaf(index: number, leaf: number): void {
        const { node, parent } = this.character.joints[leaf]!;
        const length = leafLength * this.positions[leaf]!.distanceTo(this.positions[parent]!);
        const along = this.leafWays[index - this.pairs.length]!.clone().applyQuaternion(node.getWorldQuaternion(new THREE.Quaternion()));
        this.setBone(index, this.positions[leaf]!, along.setLength(length));
    }

    private placeAxes(): void {
        const ends = this.axes.geometry.getAttribute('position') as THREE.BufferAttribute;
        const along = new THREE.Vector3();
        this.character.joints.forEach(({ node }, joint) => {
            for (let axis = 0; axis < 3; ++axis) {
                along.setFromMatrixColumn(node.matrixWorld, axis).setLength(5 * this.sizes[joint]!).add(this.positions[joint]!);
                ends.setXYZ(6 * joint + 2 * axis, this.positions[joint]!.x, this.positions[joint]!.y, this.positions[joint]!.z);
                ends.setXYZ(6 * joint + 2 * axis + 1, along.x, along.y, along.z);
            }
        });
        ends.needsUpdate = true;
    }

    private readonly displaced = new Map<number, THREE.Vector3>();

    private measure(): void {
        this.character.joints.forEach((joint, index) => {
            const elsewhere = this.displaced.get(index);
            if (elsewhere) this.positions[index]!.copy(elsewhere);
            else this.positions[index]!.setFromMatrixPosition(joint.node.matrixWorld);
        });
    }

    // Knobs of fingers are not to hide the hand.
    private knobSize(index: number): number {
        let size = this.radius;
        for (const [from, to] of this.pairs) {
            if (from !== index && to !== index) continue;
            const length = this.positions[from]!.distanceTo(this.positions[to]!);
            if (length > 1e-3 * this.radius) size = Math.min(size, 0.16 * length);
        }
        return Math.max(size, 0.25 * this.radius);
    }
}
