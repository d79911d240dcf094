import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';
import { Detail } from './detail';
import { Floor } from './floor';
import { GpuQueue } from './gpu_queue';
import type { Painted, Painter } from './painted';
import { Rehearsal, type Way } from './rehearsal';
import { drawSimply, simplified } from './simple';
import { Skin } from './skin';
import { Uploads } from './uploads';

// Nothing has moved for so long: the whole picture is drawn.
const restMs = 500;
const vertical = new THREE.Vector3(0, 1, 0);

/** The room that characters stand in: light, floor, camera. Draws when something changed, and not otherwise. */
export class Stage {
    readonly scene = new THREE.Scene();
    readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
    readonly renderer: THREE.WebGLRenderer;
    readonly controls: OrbitControls;
    readonly floor = new Floor();
    readonly detail = new Detail();
    /** Called before each picture with the seconds since the one before; true asks for another picture after it. */
    readonly before = new Set<(seconds: number) => boolean>();
    /** Draws what it is given in its own way. */
    drawing: (draw: () => void) => void = (draw) => draw();
    /** Called after each picture. */
    readonly after = new Set<() => void>();
    /** Pixels by which the middle of the picture lies aside, to the right and down, of a canvas of that size. */
    aside: ((width: number, height: number) => [number, number]) | null = null;
    /** Where who stands there looks, as an angle about the vertical from +Z: that side is the front. */
    facing = 0;
    /** How the camera was put last, seen from what it looks at. */
    private framed: { direction: THREE.Vector3 | undefined; arm: THREE.Vector3 } | null = null;
    /** Pixels at its rims over which something else lies. */
    private covered = { right: 0, bottom: 0, menu: 0 };
    /** How far to the right of what is looked at there is something else to see. */
    private beside = 0;
    private painter: Painter | null = null;
    private readonly lamps: THREE.Light[];
    private readonly key: THREE.DirectionalLight;
    private readonly queue: GpuQueue;
    private readonly rehearsal = new Rehearsal();
    /** How many wait for the GPU to have drawn all, or are at it: there is no picture meanwhile. */
    private alone = 0;
    private rehearsing = false;
    /** Whether a picture is asked for once that is done. */
    private wanted = false;
    private scheduled = false;
    private rest = 0;
    private surroundings: THREE.Texture | null = null;
    private moving = false;
    private last = 0;
    private size = '';
    private box = new THREE.Box3(new THREE.Vector3(-0.5, 0, -0.5), new THREE.Vector3(0.5, 1.8, 0.5));

    constructor(readonly canvas: HTMLCanvasElement) {
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: this.detail.antialias, alpha: true });
        this.renderer.toneMapping = THREE.NeutralToneMapping;
        // Asking for them waits for everything that the GPU has yet to draw.
        this.renderer.debug.checkShaderErrors = false;
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.18;
        this.controls.addEventListener('change', () => this.draw());
        this.key = this.lamp(1.9, 0, 0, 0);
        this.lamps = [new THREE.HemisphereLight(0xffffff, 0x8a8f9c, 0.7), this.lamp(0.6, -2, 1.4, -1.5), this.key];
        this.key.castShadow = true;
        this.key.shadow.mapSize.setScalar(1024);
        this.scene.add(...this.lamps, this.key.target);
        // Once a picture, and not for its passes.
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
        this.renderer.shadowMap.autoUpdate = false;
        this.scene.environmentIntensity = 0.45;
        this.scene.add(this.floor.group);
        this.queue = new GpuQueue(this.renderer.getContext() as WebGL2RenderingContext);
        // At once, if it can be: the canvas is cleared by its new size.
        new ResizeObserver(() => this.isOfOtherSize() && this.next(performance.now())).observe(canvas.parentElement!);
        this.resize();
        // The browser's own part in it, which it would make at the first while the GPU draws, and the page would wait.
        createImageBitmap(canvas, 0, 0, 1, 1).then((bitmap) => bitmap.close(), () => {});
        this.frame(this.box);
        this.detail.choice.watch(() => this.draw());
    }

    /** Asks for a picture soon. */
    draw(): void {
        clearTimeout(this.rest);
        if (this.scheduled) return;
        this.scheduled = true;
        requestAnimationFrame((now) => {
            this.scheduled = false;
            this.next(now);
        });
    }

    /** Whether the next picture waits for something that is new in it. */
    get isPreparing(): boolean {
        return this.rehearsing || this.alone > 0;
    }

    /** The picture, or what it waits for. */
    private next(now: number): void {
        const { simple } = this.detail;
        if (this.isPreparing || this.isMaking(simple) || this.hasNew(simple)) {
            this.wanted = true;
            if (this.isMaking(simple)) void this.settled().then(() => this.resume());
            else if (!this.isPreparing) void this.rehearse(simple);
            return;
        }
        // Before it and not after: a canvas that changes its size waits for the picture that is being drawn.
        const draw = (): void => {
            this.resize();
            this.render(now);
        };
        if (this.isOfOtherSize() && (simple || !this.queue.isEmpty)) void this.whenIdle(draw);
        else draw();
    }

    private resume(): void {
        if (this.isPreparing || !this.wanted) return;
        this.wanted = false;
        this.draw();
    }

    private isMaking(simple: boolean): boolean {
        return this.wayOf(simple) === 'painted' && this.painter!.isMaking;
    }

    private hasNew(simple: boolean): boolean {
        return this.rehearsal.fresh(this.scene, this.wayOf(simple)).length > 0;
    }

    private wayOf(simple: boolean): Way {
        return simple ? 'simple' : this.painter ? 'painted' : 'full';
    }

    /** Has all that the scene is drawn by made ready, as far as it is not. */
    private async rehearse(simple: boolean): Promise<void> {
        const { scene } = this, way = this.wayOf(simple), fresh = this.rehearsal.fresh(scene, way);
        this.rehearsing = true;
        try {
            if (way === 'painted') for (const object of fresh) await this.painter?.ready(object, () => isBelow(object, scene));
            else await this.rehearsePasses(simple);
        } catch {
            // What cannot be made says so where it is drawn.
        }
        this.rehearsal.learn(fresh, way);
        this.rehearsing = false;
        this.resume();
    }

    private async rehearsePasses(simple: boolean): Promise<void> {
        const { scene, renderer } = this;
        // What is around it is made there, once.
        if (!simple) await this.whenIdle(() => this.light(simple));
        await this.compile(scene, simple);
        const passes = [...(simple ? [] : [() => this.floor.shadow(renderer, scene)]), () => this.drawBy(simple)];
        for (const pass of passes) {
            await this.whenIdle(() => {
                this.light(simple);
                this.rehearsal.drawNothing(scene, pass);
            });
        }
    }

    /** Does what would wait for the GPU once that has nothing to do. */
    private async whenIdle(act: () => void, idle = this.queue.calm()): Promise<void> {
        ++this.alone;
        try {
            await idle;
            act();
        } finally {
            --this.alone;
            this.resume();
        }
    }

    /** Until the GPU has drawn what it was asked for. */
    drawn(): Promise<void> {
        return this.queue.calm();
    }

    /** The picture at once, to be read. */
    now(): void {
        this.resize(this.detail.simpleAtRest);
        const way = this.wayOf(this.detail.simpleAtRest), fresh = this.rehearsal.fresh(this.scene, way);
        this.render(performance.now(), this.detail.simpleAtRest);
        this.rehearsal.learn(fresh, way);
    }

    /** Until a picture that is to be read can be drawn at once. */
    async settled(): Promise<void> {
        await this.painter?.settled();
    }

    /** What stands there once more, as it stands, to be read. */
    again(): void {
        this.paint(this.detail.simpleAtRest);
    }

    /** Has the GPU make ready for what is to come onto the stage, so that its first picture does not hold the page up. */
    async ready(root: THREE.Object3D): Promise<void> {
        await this.compile(root, this.detail.simple);
        // A painter that draws no more meanwhile says so itself.
        await this.painter?.ready(root).catch(() => {});
        if (this.detail.simple || !this.painter) await new Uploads(this.renderer, this.camera, (send) => this.whenIdle(send, this.queue.emptied())).send(root);
    }

    // Has what draws it made, and nobody waits for it.
    private async compile(root: THREE.Object3D, simple: boolean): Promise<void> {
        if (this.painter && !simple) return;
        this.light(simple);
        const compile = (): void => void this.renderer.compile(root, this.camera, this.scene);
        if (simple) drawSimply(root, compile);
        else compile();
        // Not by compileAsync, which never ends where a material goes meanwhile.
        await this.queue.made(this.renderer.info.programs as unknown as { isReady(): boolean }[]);
    }

    /** Moves the camera so that the box is seen whole, from a little above and aside; directions are as who stands there looks along +Z. */
    frame(box: THREE.Box3, direction?: THREE.Vector3): void {
        this.box = box.clone();
        // Panels that have just come or gone leave it another place.
        this.takeAspect();
        const seen = box.clone();
        seen.max.x += this.beside;
        const centre = seen.getCenter(new THREE.Vector3());
        const radius = Math.max(seen.getSize(new THREE.Vector3()).length() / 2, 1e-4);
        this.aimKey(centre, radius);
        const from = (direction ?? new THREE.Vector3(0.45, 0.22, 1)).clone().normalize().applyAxisAngle(vertical, this.facing);
        const distance = this.distanceFor(seen, centre, from);
        this.camera.position.copy(centre).addScaledVector(from, distance);
        this.framed = { direction, arm: from.clone().multiplyScalar(distance) };
        this.camera.near = distance / 200;
        this.camera.far = distance * 60;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(centre);
        this.controls.minDistance = radius / 50;
        this.controls.maxDistance = distance * 8;
        this.controls.update();
        this.draw();
    }

    // The key light comes from above the camera's first position, with a shadow of all that is near.
    private aimKey(centre: THREE.Vector3, radius: number): void {
        const reach = 1.2 * radius;
        this.key.target.position.copy(centre);
        this.key.position.set(0.42, 0.78, 0.56).applyAxisAngle(vertical, this.facing).multiplyScalar(3 * reach).add(centre);
        const { camera } = this.key.shadow;
        Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: reach, far: 5 * reach });
        camera.updateProjectionMatrix();
        this.key.shadow.normalBias = reach / 180;
        this.key.shadow.bias = -0.0004;
    }

    /** Whether something else stands so far to the right of it, which is to be seen too. */
    lookAtBoth(offset: number): void {
        this.beside = offset;
        this.refit();
    }

    // How far back every corner of the box is in the picture, with a rim left free.
    private distanceFor(box: THREE.Box3, centre: THREE.Vector3, from: THREE.Vector3): number {
        const right = new THREE.Vector3(0, 1, 0).cross(from).normalize();
        const up = from.clone().cross(right);
        const { clientWidth, clientHeight } = this.canvas.parentElement!, { right: beside, bottom } = this.rims;
        const whole = 0.86 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
        const tall = whole * free(bottom, clientHeight), wide = whole * this.camera.aspect * free(beside, clientWidth);
        let distance = 1e-4;
        for (let k = 0; k < 8; ++k) {
            const corner = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(centre);
            const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / tall);
            distance = Math.max(distance, corner.dot(from) + across);
        }
        return distance;
    }

    /** Turns the camera about what it looks at: radians to the side and up. */
    orbit(side: number, up: number): void {
        const arm = new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(this.controls.target));
        arm.theta += side;
        arm.phi = THREE.MathUtils.clamp(arm.phi - up, 0.01, Math.PI - 0.01);
        this.camera.position.setFromSpherical(arm).add(this.controls.target);
        this.controls.update();
        this.draw();
    }

    /** Comes nearer by a factor below 1, goes away by one above. */
    zoom(factor: number): void {
        this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
        this.controls.update();
        this.draw();
    }

    /** Pixels at its rims that something else lies over, a menu at the right too: the character is framed beside it. */
    keepFree(rims: Partial<typeof this.covered>): void {
        const before = this.rims;
        this.covered = { ...this.covered, ...rims };
        if (this.rims.right === before.right && this.rims.bottom === before.bottom) return;
        this.settleAside();
        if (this.isAsFramed) this.refit(this.framed?.direction);
    }

    private get rims(): { right: number; bottom: number } {
        const { right, bottom, menu } = this.covered;
        return { right: Math.max(right, menu), bottom };
    }

    /** Pixels from the left up to what lies over the picture. */
    get freeWidth(): number {
        return this.canvas.clientWidth - this.rims.right;
    }

    /** Puts the middle of the picture where `aside` says, or amid what nothing lies over. */
    settleAside(): void {
        const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
        const { right, bottom } = this.rims;
        const [x, y] = this.aside?.(width, height) ?? [-right / 2, -bottom / 2];
        if (x || y) this.camera.setViewOffset(width, height, -x, -y, width, height);
        else this.camera.clearViewOffset();
        this.draw();
    }

    refit(direction?: THREE.Vector3): void {
        this.frame(this.box, direction);
    }

    private lamp(strength: number, x: number, y: number, z: number): THREE.DirectionalLight {
        const light = new THREE.DirectionalLight(0xffffff, strength);
        light.position.set(x, y, z);
        return light;
    }

    private sizeIn(simple: boolean): { width: number; height: number; ratio: number; key: string } {
        const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
        const ratio = Math.min(devicePixelRatio, simple ? 1 : 2);
        return { width, height, ratio, key: [width, height, ratio].join() };
    }

    /** Whether the canvas has another size than its place. */
    private isOfOtherSize(simple = this.detail.simple): boolean {
        const { width, height, key } = this.sizeIn(simple);
        return width > 0 && height > 0 && key !== this.size;
    }

    private resize(simple = this.detail.simple): void {
        if (!this.isOfOtherSize(simple)) return;
        const { width, height, ratio, key } = this.sizeIn(simple);
        this.size = key;
        // It gives the canvas the size that it has by the other ratio.
        if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height, false);
        this.painter?.setSize(width, height, ratio);
        this.takeAspect();
    }

    /** The camera sees as much as the canvas is to show. */
    private takeAspect(): void {
        const { width, height } = this.sizeIn(true), before = this.camera.aspect;
        if (!width || !height) return;
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        if (this.aside || this.rims.right || this.rims.bottom) this.settleAside();
        // A view that becomes narrower would cut the character off; who came nearer wants it so.
        if (before !== this.camera.aspect && this.isAsFramed) this.refit(this.framed?.direction);
        else if ((before < 1) !== (this.camera.aspect < 1)) this.refit();
    }

    private get isAsFramed(): boolean {
        const { framed, camera, controls } = this;
        return framed !== null && camera.position.clone().sub(controls.target).distanceTo(framed.arm) < 1e-4 * framed.arm.length();
    }

    /** What is looked at moves; the camera with it, or not. */
    shift(by: THREE.Vector3, follow: boolean): void {
        this.box.translate(by);
        this.key.position.add(by);
        this.key.target.position.add(by);
        if (!follow) return;
        this.camera.position.add(by);
        this.controls.target.add(by);
    }

    /** Who stands there looks elsewhere: camera and light stay where they are to him. */
    face(facing: number): void {
        const by = facing - this.facing;
        this.facing = facing;
        if (by === 0) return;
        this.camera.position.sub(this.controls.target).applyAxisAngle(vertical, by).add(this.controls.target);
        this.framed?.arm.applyAxisAngle(vertical, by);
        this.key.position.sub(this.key.target.position).applyAxisAngle(vertical, by).add(this.key.target.position);
        this.controls.update();
    }

    /** The camera and what it looks at, up. */
    lift(by: number): void {
        this.camera.position.y += by;
        this.controls.target.y += by;
    }

    private render(now: number, simple = this.detail.simple): void {
        clearTimeout(this.rest);
        const seconds = (now - this.last) / 1000;
        if (this.moving) this.detail.measure(seconds);
        this.last = now;
        let more = false;
        for (const step of this.before) more = step(Math.min(seconds, 0.1)) || more;
        this.moving = more;
        this.controls.update();
        this.paint(simple);
        for (const step of this.after) step();
        if (more) this.draw();
        else if (simple && !this.detail.simpleAtRest) this.rest = window.setTimeout(() => void this.comeToRest(), restMs);
    }

    /** All of the picture, unless something moves by then. */
    private async comeToRest(): Promise<void> {
        const { rest } = this;
        if (this.hasNew(false) && !this.isPreparing) await this.rehearse(false);
        await this.queue.emptied();
        await this.settled();
        if (rest === this.rest && !this.scheduled && !this.isPreparing) this.now();
    }

    /** The material by which the mesh is drawn while something moves. */
    drawnAs(mesh: THREE.Mesh): THREE.Material | THREE.Material[] {
        return this.detail.simple ? simplified(mesh.material, Skin.of(mesh)) : mesh.material;
    }

    private paint(simple: boolean): void {
        const painted = this.showPainter(!simple);
        this.light(simple);
        this.scene.updateMatrixWorld();
        this.drawing(() => {
            if (painted) return this.painter!.draw();
            if (!simple) this.floor.shadow(this.renderer, this.scene);
            this.drawBy(simple);
            this.queue.mark();
        });
    }

    private drawBy(simple: boolean): void {
        const render = (): void => this.renderer.render(this.scene, this.camera);
        // three.js takes what the shadows of the picture before were drawn of for looked at in this one already: arrays that
        // came since would be missing.
        ++this.renderer.info.render.frame;
        this.renderer.shadowMap.needsUpdate = !simple;
        if (simple) drawSimply(this.scene, render);
        else render();
    }

    /** The canvas that has the picture. */
    get shown(): HTMLCanvasElement {
        return this.painter && !this.painter.canvas.hidden ? this.painter.canvas : this.canvas;
    }

    /** What draws in place of WebGL from now on; null: nothing does. */
    async paintBy(make: ((painted: Painted) => Promise<Painter>) | null): Promise<void> {
        const { scene, camera, floor, lamps, detail } = this;
        const next = make && (await make({ scene, camera, floor, lights: lamps, antialias: detail.antialias, bendingOf: (mesh) => Skin.of(mesh)?.bending ?? null }));
        if (!next && !this.painter) return;
        await next?.ready(scene);
        this.showPainter(false);
        this.painter?.dispose();
        this.painter = next;
        this.rehearsal.forgetPainted();
        next?.canvas.classList.add('painted');
        next?.canvas.setAttribute('aria-hidden', 'true');
        if (next) this.canvas.after(next.canvas);
        this.size = '';
        this.draw();
    }

    /** The pointer stays with the first canvas. */
    private showPainter(on: boolean): boolean {
        if (!this.painter) return false;
        this.painter.canvas.hidden = !on;
        this.canvas.classList.toggle('unseen', on);
        return on;
    }

    /** Light and shadow of the one picture or of the other. */
    private light(simple: boolean): void {
        this.key.castShadow = !simple;
        this.floor.showShadows(!simple);
        // What paints has surroundings of its own.
        this.scene.environment = simple || this.shown !== this.canvas ? null : (this.surroundings ??= this.makeSurroundings());
    }

    // Metal shows what is around it: without surroundings it would be black. Twice the size is hardly seen, and is ten seconds
    // of work where no GPU does it.
    private makeSurroundings(): THREE.Texture {
        const generator = new THREE.PMREMGenerator(this.renderer);
        const { texture } = generator.fromScene(new RoomEnvironment(), 0.04, 0.1, 100, { size: 128 });
        generator.dispose();
        return texture;
    }
}

// Of a side, at least a third: the character is to be seen.
function free(covered: number, side: number): number {
    return Math.max(1 / 3, 1 - covered / Math.max(side, 1));
}

function isBelow(object: THREE.Object3D, root: THREE.Object3D): boolean {
    let top = object;
    while (top.parent) top = top.parent;
    return top === root;
}
