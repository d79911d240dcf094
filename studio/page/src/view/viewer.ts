import * as THREE from 'three';
import { Signal } from '../base/signal';
import { Bones, type BoneParts } from './bones';
import { BrushRing, type Brush } from './brush_ring';
import { Character } from './character';
import { footingIn, type Footing } from './footing';
import { Graphics } from './graphics';
import { HeatMap, type NewWeights } from './heat';
import { Labels } from './labels';
import { Player } from './player';
import { PointPicker } from './point_picker';
import { Stage } from './stage';
import type { Surface } from './surfaces';

/** The picture: one character on the stage, its skeleton over it, and what the pointer does there. */
export class Viewer {
    readonly stage: Stage;
    readonly graphics: Graphics;
    readonly player = new Player();
    readonly labels = new Labels();
    readonly character = new Signal<Character | null>(null);
    readonly selected = new Signal(-1);
    readonly hovered = new Signal(-1);
    readonly skeleton = new Signal(false);
    /** Whether morph targets are drawn; their weights are kept where they are not. */
    readonly morphs = new Signal(true);
    /** Tools that are about joints show them, whatever the user's choice is elsewhere. */
    readonly needsSkeleton = new Signal(false);
    /** When set, joints can be dragged; called where one was let go. */
    onDrag: ((joint: number, position: THREE.Vector3) => void) | null = null;
    /** When set, the joint does not follow the pointer by itself: this moves it. */
    onDragging: ((joint: number, position: THREE.Vector3) => void) | null = null;
    /** When set, the left button on the skin paints and does not orbit the view. */
    brush: Brush | null = null;
    /** Tell whether a click is for something else than choosing a joint. */
    readonly holders = new Set<() => boolean>();
    /** Called in each picture with the seconds that the clip went on, once it has posed the joints. */
    onPlayed: ((seconds: number) => void) | null = null;
    /** Called in each picture when everything is where it is to be drawn. */
    onPosed: (() => void) | null = null;
    bones: Bones | null = null;
    private readonly picker: PointPicker;
    private readonly ring = new BrushRing();
    private readonly spot = new THREE.Mesh(new THREE.SphereGeometry(1, 12, 8), new THREE.MeshBasicMaterial({ color: 0xffffff, depthTest: false, transparent: true, toneMapped: false }));
    // Chosen vertices; those behind are seen through the skin.
    private readonly chosen = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: 0xffffff, size: 5, sizeAttenuation: false, depthTest: false, transparent: true, opacity: 0.85, toneMapped: false }));
    private heat: HeatMap | null = null;
    private heated = false;
    private readonly boneParts: BoneParts = { leaves: false, axes: false };
    private surface: Surface = 'own';
    /** Whether the camera goes along with the hips. */
    following = true;
    private readonly followed = new THREE.Vector3();
    /** At rest, with the places of the joints. */
    private rest: Footing = { floor: 0, facing: 0 };
    private restPlaces: THREE.Vector3[] = [];
    private footed: THREE.AnimationClip | null = null;

    constructor(readonly canvas: HTMLCanvasElement) {
        this.stage = new Stage(canvas);
        canvas.after(this.labels.element);
        this.graphics = new Graphics(this.stage);
        this.picker = new PointPicker(this.stage.renderer, this.stage.camera);
        this.stage.scene.add(this.ring.line);
        this.spot.visible = false;
        this.spot.renderOrder = 21;
        this.chosen.visible = false;
        this.chosen.renderOrder = 19;
        this.chosen.frustumCulled = false;
        this.stage.scene.add(this.spot, this.chosen);
        this.stage.floor.unshadowed.add(this.ring.line).add(this.spot).add(this.chosen);
        this.stage.before.add((seconds) => this.step(seconds));
        this.stage.after.add(() => this.labels.update(this.showsSkeleton ? this.bones : null, this.stage.camera, canvas.clientWidth, canvas.clientHeight, this.stage.freeWidth));
        this.player.changed.watch(() => {
            if (this.player.clip !== this.footed) this.standByClip();
            this.stage.draw();
        });
        this.stage.drawing = (draw) => this.asMorphed(draw);
        this.morphs.watch(() => this.stage.draw());
        this.skeleton.watch(() => this.dress());
        this.needsSkeleton.watch(() => this.dress());
        this.listen();
    }

    /** Puts a character on the stage; the camera moves only when it has another size or position. */
    show(next: Character, confidences: Map<string, number>, facing = 0): void {
        const before = this.character.value;
        // The joint that the user looks at stays chosen where the next character has one of that name.
        const chosen = before?.joints[this.selected.value] ? next.jointIndex(before.joints[this.selected.value]!.name) : -1;
        if (before) this.stand(this.rest);
        this.remove();
        next.wear(this.surface);
        this.stage.scene.add(next.root);
        this.heat = new HeatMap(next, () => this.stage.draw());
        this.bones = new Bones(next);
        this.bones.colourBy(confidences);
        this.bones.showParts(this.boneParts);
        this.stage.scene.add(this.bones.group);
        this.stage.floor.unshadowed.add(this.bones.group);
        this.stage.floor.fit(next.box);
        // A character of the same size stays where it is in the picture, however far the one before it went.
        this.rest = { floor: next.box.min.y, facing };
        this.stage.face(facing);
        if (!before || !sameBox(before.box, next.box)) {
            this.stage.frame(next.box);
            if (this.bones.count) this.followed.copy(this.bones.position(0));
        }
        this.restPlaces = next.joints.map((_, joint) => this.bones!.position(joint).clone());
        this.footed = null;
        this.player.attach(next.root);
        this.hovered.value = -1;
        this.selected.value = chosen;
        this.character.value = next;
        // Once more, for lists of joints that were made anew.
        this.select(this.selected.value);
    }

    /** Moves the floor there, and the camera with who stands on it. */
    stand({ floor, facing }: Footing): void {
        this.stage.shift(new THREE.Vector3(0, floor - this.stage.floor.height, 0), true);
        this.stage.floor.height = floor;
        this.stage.face(facing);
        this.stage.draw();
    }

    /** As in the clip on show. */
    standByClip(): void {
        const character = this.character.value;
        this.footed = this.player.clip;
        if (character) this.stand(footingIn(this.footed, character, this.rest, this.restPlaces));
    }

    select(joint: number): void {
        this.selected.value = joint;
        this.dress();
    }

    /** Whether weights of the selected joint are shown. */
    showHeat(on: boolean): void {
        this.heated = on;
        this.dress();
    }

    /** What the character is seen as, this one and those after it. */
    wear(surface: Surface): void {
        this.surface = surface;
        this.heat?.show(-1);
        this.character.value?.wear(surface);
        this.dress();
    }

    /** More of the skeleton: where its last bones end, and how its joints stand. */
    showBones(more: Partial<BoneParts>): void {
        Object.assign(this.boneParts, more);
        if (more.leaves || more.axes) this.skeleton.value = true;
        this.bones?.showParts(this.boneParts);
        this.dress();
    }

    /** A point of the scene that is shown; null: none. */
    mark(point: [number, number, number] | null): void {
        this.spot.visible = point !== null;
        if (point) this.spot.position.set(...point);
        const box = this.character.value?.box;
        if (box) this.spot.scale.setScalar(0.006 * (box.max.y - box.min.y));
        this.stage.draw();
    }

    /** Vertices that are chosen, three numbers each; null: none. */
    showChosen(places: Float32Array | null): void {
        this.chosen.visible = places !== null;
        if (places) this.chosen.geometry.setAttribute('position', new THREE.BufferAttribute(places, 3));
        this.stage.draw();
    }

    setBrush(brush: Brush | null): void {
        this.brush = brush;
        if (!brush) this.ring.show(null, 0, this.stage.camera);
        this.stage.draw();
    }

    /** Weights that are being painted, in place of those of the file. */
    showWeights(of: (mesh: THREE.Mesh) => NewWeights): void {
        this.heat?.showWeights(of);
        this.stage.draw();
    }

    setLabels(all: boolean): void {
        this.labels.all = all;
        this.stage.draw();
    }

    /** The picture as it stands, as a PNG. */
    async picture(): Promise<Blob | null> {
        await this.stage.settled();
        this.stage.again();
        return new Promise((resolve) => this.stage.shown.toBlob(resolve, 'image/png'));
    }

    get showsSkeleton(): boolean {
        return this.skeleton.value || this.needsSkeleton.value || this.character.value?.meshes.length === 0;
    }

    private remove(): void {
        this.heat?.dispose();
        if (this.bones) this.stage.floor.unshadowed.delete(this.bones.group);
        this.bones?.dispose();
        this.character.value?.dispose();
        this.bones = null;
        this.heat = null;
    }

    private dress(): void {
        if (this.bones) {
            this.bones.group.visible = this.showsSkeleton;
            this.bones.selected = this.selected.value;
            this.bones.hovered = this.hovered.value;
            this.bones.paint();
        }
        this.heat?.show(this.heated ? this.selected.value : -1);
        this.stage.draw();
    }

    private step(seconds: number): boolean {
        const moving = this.player.advance(seconds);
        if (moving) this.onPlayed?.(seconds);
        this.stage.scene.updateMatrixWorld();
        this.character.value?.bend();
        this.onPosed?.();
        this.bones?.update();
        this.follow();
        return moving;
    }

    // The camera and the shadow go where the hips go, along the floor.
    private follow(): void {
        if (!this.bones?.count) return;
        const hips = this.bones.position(0);
        const by = new THREE.Vector3(hips.x - this.followed.x, 0, hips.z - this.followed.z);
        this.followed.copy(hips);
        this.stage.shift(by, this.following);
        this.stage.floor.follow(hips.x, hips.z);
    }

    // ---- the pointer: points at joints, selects and drags them

    private pickAt(event: PointerEvent): number {
        if (!this.bones?.group.visible) return -1;
        const { left, top, width, height } = this.canvas.getBoundingClientRect();
        return this.bones.pick(this.stage.camera, event.clientX - left, event.clientY - top, width, height, event.pointerType === 'touch' ? 22 : 12);
    }

    private listen(): void {
        let dragged = -1;
        let painting = false;
        let moved = false;
        let start = [0, 0];
        const plane = new THREE.Plane();
        const position = new THREE.Vector3();
        this.canvas.addEventListener('pointerdown', (event) => {
            start = [event.clientX, event.clientY];
            moved = false;
            const joint = event.button === 0 && !this.holdsSelection ? this.pickAt(event) : -1;
            const hit = event.button === 0 && this.brush ? this.pointAt(event) : null;
            if (hit) {
                painting = true;
                this.stage.controls.enabled = false;
                this.canvas.setPointerCapture(event.pointerId);
                return this.brush?.begin(hit, pressureOf(event), event);
            }
            if (joint < 0 || !this.onDrag) return;
            dragged = joint;
            this.stage.controls.enabled = false;
            this.canvas.setPointerCapture(event.pointerId);
            plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), this.bones!.position(joint));
            this.select(joint);
        }, { capture: true });
        this.canvas.addEventListener('pointermove', (event) => {
            moved ||= Math.hypot(event.clientX - start[0]!, event.clientY - start[1]!) > 4;
            if (this.brush && (painting || !event.buttons)) {
                const hit = this.pointAt(event);
                this.ring.show(hit, this.brush.radius(), this.stage.camera);
                if (hit && painting) this.brush.move(hit, pressureOf(event));
                this.stage.draw();
                if (painting) return;
            }
            if (dragged < 0) return this.hover(event.buttons ? -1 : this.pickAt(event));
            if (!moved || !this.ray(event).intersectPlane(plane, position)) return;
            if (this.onDragging) this.onDragging(dragged, position.clone());
            else this.bones?.displace(dragged, position);
            this.stage.draw();
        });
        this.canvas.addEventListener('pointerup', (event) => {
            const joint = dragged;
            dragged = -1;
            this.stage.controls.enabled = true;
            if (painting) {
                painting = false;
                return this.brush?.end();
            }
            if (joint >= 0 && moved) this.onDrag?.(joint, position.clone());
            else if (!moved && event.button === 0 && this.bones?.group.visible && !this.holdsSelection) this.select(this.pickAt(event));
        });
        this.canvas.addEventListener('pointercancel', () => {
            dragged = -1;
            if (painting) this.brush?.end();
            painting = false;
            this.stage.controls.enabled = true;
            this.bones?.settle();
            this.stage.draw();
        });
        this.canvas.addEventListener('pointerleave', () => this.hover(-1));
    }

    private pointAt(event: PointerEvent): THREE.Vector3 | null {
        const root = this.character.value?.root;
        if (!root) return null;
        const { left, top, width, height } = this.canvas.getBoundingClientRect();
        return this.asMorphed(() => this.picker.pick(root, event.clientX - left, event.clientY - top, width, height));
    }

    private asMorphed<T>(act: () => T): T {
        const character = this.character.value;
        return character && !this.morphs.value ? character.withoutMorphs(act) : act();
    }

    private get holdsSelection(): boolean {
        return [...this.holders].some((holds) => holds());
    }

    private hover(joint: number): void {
        if (joint === this.hovered.value) return;
        this.hovered.value = joint;
        this.canvas.style.cursor = joint < 0 ? '' : this.onDrag ? 'grab' : 'pointer';
        this.dress();
    }

    private ray(event: PointerEvent): THREE.Ray {
        const { left, top, width, height } = this.canvas.getBoundingClientRect();
        const at = new THREE.Vector2(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2);
        const caster = new THREE.Raycaster();
        caster.setFromCamera(at, this.stage.camera);
        return caster.ray;
    }
}

function pressureOf(event: PointerEvent): number {
    return event.pointerType === 'pen' ? event.pressure : 1;
}

function sameBox(a: THREE.Box3, b: THREE.Box3): boolean {
    const size = a.getSize(new THREE.Vector3()).length();
    return a.min.distanceTo(b.min) < 0.25 * size && a.max.distanceTo(b.max) < 0.25 * size;
}
