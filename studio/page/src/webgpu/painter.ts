import type * as THREE from 'three';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';
import { positionLocal, vec4, vertexIndex, float } from 'three/tsl';
import { BufferGeometry, type Camera, DirectionalLight, FloatType, HemisphereLight, LinearSRGBColorSpace, NearestFilter, NodeMaterial, NoToneMapping, OrthographicCamera, PCFSoftShadowMap, PerspectiveCamera, PMREMGenerator, Points, RenderTarget, Scene, WebGPURenderer } from 'three/webgpu';
import type { Painter, Painted } from '../view/painted';
import { Bends } from './bend';
import { gridMaterial, Nearness } from './ground';
import { Sprites } from './sprites';
import { Twins } from './twins';
import { Uploads } from './uploads';

const readWidth = 256;

/** Meshes and lines: whatever has a material. */
type Drawn = THREE.Mesh<THREE.BufferGeometry, THREE.Material | THREE.Material[]> & { isLine?: boolean; isSkinnedMesh?: boolean };

/** Draws the stage by WebGPU, onto a canvas of its own. */
class WebGPUPainter implements Painter {
    readonly canvas: HTMLCanvasElement;
    private readonly camera = new PerspectiveCamera();
    private readonly eye = new OrthographicCamera();
    private readonly bends = new Bends();
    private readonly twins: Twins;
    private readonly sprites = new Sprites();
    private readonly uploads: Uploads;
    private readonly nearness: Nearness;
    private readonly lights: [THREE.Light, THREE.Light][];
    private readonly surroundings: THREE.Texture;
    /** Programs that are being made. Meshes share them: what is drawn by one that is not there yet fails. */
    private readonly making = new Set<Promise<void>>();

    constructor(private readonly stage: Painted, private readonly renderer: WebGPURenderer, private readonly lost: (why: string) => void) {
        this.canvas = renderer.domElement;
        renderer.toneMapping = NoToneMapping;
        renderer.outputColorSpace = LinearSRGBColorSpace;
        renderer.shadowMap.enabled = true;
        renderer.shadowMap.type = PCFSoftShadowMap;
        this.twins = new Twins((mesh) => this.sprites.placeOf(mesh) ?? this.bends.of(stage.bendingOf(mesh), mesh));
        this.uploads = new Uploads(renderer);
        this.nearness = new Nearness(stage.floor);
        this.twins.put(stage.floor.grid.material, gridMaterial(stage.floor));
        this.twins.put(stage.floor.ground.material, this.nearness.material);
        this.lights = stage.lights.map((light) => [light, this.copyOf(light)]);
        const generator = new PMREMGenerator(renderer);
        this.surroundings = generator.fromScene(new RoomEnvironment() as unknown as Scene, 0.04, 0.1, 100, { size: 128 }).texture;
        generator.dispose();
    }

    setSize(width: number, height: number, ratio: number): void {
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height, false);
    }

    draw(): void {
        if (this.isMaking) return;
        try {
            this.paint();
        } catch (error) {
            this.lost((error as Error).message);
        }
    }

    private paint(): void {
        const { scene, floor } = this.stage;
        this.aim();
        this.lit(() => {
            floor.drawShadowed(() => this.drawNearness());
            this.sprites.stand(scene, () => this.as(scene, (mesh) => this.twins.of(mesh), () => this.renderer.render(scene as unknown as Scene, this.camera)));
        });
    }

    async ready(root: THREE.Object3D, wanted = (): boolean => true): Promise<void> {
        await this.uploads.send(root);
        const meshes: Drawn[] = [];
        root.traverse((one) => void ((one as Drawn).isMesh && meshes.push(one as Drawn)));
        for (const mesh of meshes) {
            if (wanted()) await this.compile(mesh, (one) => this.passOf(one), this.eye, this.nearness.target);
            if (wanted()) await this.compile(mesh, (one) => this.twins.of(one), this.camera, null);
        }
    }

    // In a task of its own: three.js takes long to put a program together.
    private async compile(mesh: Drawn, other: (mesh: Drawn) => Drawn['material'], camera: Camera, target: RenderTarget | null): Promise<void> {
        const { scene } = this.stage, { children } = scene;
        let made: Promise<void> = Promise.resolve();
        this.aim();
        this.lit(() => this.as(mesh, other, () => {
            // Alone in the light of the stage, of which programs are; it may not stand there yet.
            scene.children = [...children.filter((one) => (one as THREE.Light).isLight), mesh];
            this.renderer.setRenderTarget(target);
            made = this.renderer.compileAsync(scene as unknown as Scene, camera);
            this.renderer.setRenderTarget(null);
            scene.children = children;
        }));
        this.making.add(made);
        await made.finally(() => this.making.delete(made));
        await new Promise((resolve) => setTimeout(resolve));
    }

    get isMaking(): boolean {
        return this.making.size > 0;
    }

    async settled(): Promise<void> {
        while (this.making.size) await Promise.allSettled(this.making);
    }

    /** The cameras of the stage, as WebGPU has depths. */
    private aim(): void {
        const { camera, floor } = this.stage;
        this.camera.copy(camera as unknown as PerspectiveCamera);
        this.eye.copy(floor.eye as unknown as OrthographicCamera);
        for (const one of [this.camera, this.eye]) {
            one.coordinateSystem = this.renderer.coordinateSystem;
            one.updateProjectionMatrix();
        }
    }

    async vertices(mesh: THREE.Mesh): Promise<Float32Array> {
        const { count } = mesh.geometry.getAttribute('position');
        const height = Math.ceil(count / readWidth);
        const target = new RenderTarget(readWidth, height, { type: FloatType, minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false });
        const material = new NodeMaterial();
        const bending = this.stage.bendingOf(mesh);
        material.positionNode = this.bends.of(bending, mesh) as NodeMaterial['positionNode'];
        const index = float(vertexIndex), row = index.div(readWidth).floor(), column = index.sub(row.mul(readWidth));
        material.vertexNode = vec4(column.add(0.5).div(readWidth / 2).sub(1), float(1).sub(row.add(0.5).div(height / 2)), 0, 1);
        material.fragmentNode = vec4(positionLocal, 1);
        // Without the triangles: they leave vertices out.
        const geometry = Object.assign(new BufferGeometry(), { attributes: mesh.geometry.attributes });
        const points = Object.assign(new Points(geometry as never, material), { frustumCulled: false, morphTargetInfluences: mesh.morphTargetInfluences });
        if (bending) this.bends.putPalette(points as never, bending);
        const scene = new Scene();
        scene.add(points);
        this.renderer.setRenderTarget(target);
        this.renderer.render(scene, this.camera);
        this.renderer.setRenderTarget(null);
        const pixels = (await this.renderer.readRenderTargetPixelsAsync(target, 0, 0, readWidth, height)) as Float32Array;
        target.dispose();
        material.dispose();
        return Float32Array.from({ length: 3 * count }, (_, k) => pixels[4 * Math.floor(k / 3) + (k % 3)]!);
    }

    dispose(): void {
        for (const [, copy] of this.lights) copy.removeFromParent();
        this.twins.dispose();
        this.nearness.dispose();
        this.renderer.dispose();
        this.canvas.remove();
    }

    // Of the three.js that draws; and shadows of one renderer are nothing to the other.
    private copyOf(light: THREE.Light): THREE.Light {
        const { color, intensity } = light, { groundColor } = light as THREE.HemisphereLight;
        const copy = (groundColor ? new HemisphereLight(color, groundColor, intensity) : new DirectionalLight(color, intensity)) as unknown as THREE.DirectionalLight;
        const { shadow } = light as THREE.DirectionalLight;
        if (shadow) copy.shadow.mapSize.copy(shadow.mapSize);
        this.stage.scene.add(copy);
        copy.visible = false;
        return copy;
    }

    private lit(draw: () => void): void {
        const { scene } = this.stage;
        const { environment } = scene;
        for (const [light, copy] of this.lights) {
            [light.visible, copy.visible] = [false, true];
            copy.position.copy(light.position);
            copy.updateMatrixWorld();
            const { target, shadow } = light as THREE.DirectionalLight, other = copy as THREE.DirectionalLight;
            if (!target) continue;
            other.castShadow = (light as THREE.DirectionalLight).castShadow;
            other.target.position.copy(target.position);
            other.target.updateMatrixWorld();
            Object.assign(other.shadow, { bias: shadow.bias, normalBias: shadow.normalBias });
            const { left, right, top, bottom, near, far } = shadow.camera;
            Object.assign(other.shadow.camera, { left, right, top, bottom, near, far });
            other.shadow.camera.updateProjectionMatrix();
        }
        scene.environment = this.surroundings;
        try {
            draw();
        } finally {
            scene.environment = environment;
            for (const [light, copy] of this.lights) [light.visible, copy.visible] = [true, false];
        }
    }

    private drawNearness(): void {
        const { scene } = this.stage;
        this.renderer.setRenderTarget(this.nearness.target);
        this.as(scene, (mesh) => this.passOf(mesh), () => this.renderer.render(scene as unknown as Scene, this.eye));
        this.renderer.setRenderTarget(null);
    }

    private passOf(mesh: Drawn): THREE.Material {
        return this.nearness.pass(this.bends.of(this.stage.bendingOf(mesh), mesh), mesh) as unknown as THREE.Material;
    }

    // By other materials, and bent by them: not once more by three.js.
    private as(root: THREE.Object3D, other: (mesh: Drawn) => Drawn['material'], draw: () => void): void {
        const drawn: [Drawn, Drawn['material']][] = [], bent: [Drawn, THREE.BufferGeometry['morphAttributes']][] = [];
        root.traverseVisible((one) => {
            const object = one as Drawn;
            if (!object.isMesh && !object.isLine) return;
            drawn.push([object, object.material]);
            if (object.isSkinnedMesh) bent.push([object, object.geometry.morphAttributes]);
        });
        try {
            for (const [object] of drawn) object.material = other(object);
            for (const [object] of bent) Object.assign(object, { isSkinnedMesh: false }).geometry.morphAttributes = {};
            draw();
        } finally {
            for (const [object, material] of drawn) object.material = material;
            for (const [object, targets] of bent) Object.assign(object, { isSkinnedMesh: true }).geometry.morphAttributes = targets;
        }
    }
}

/** `lost` is told why, where it draws no more. Fails where it cannot begin. */
export async function makePainter(stage: Painted, lost: (why: string) => void): Promise<Painter> {
    const adapter = await navigator.gpu.requestAdapter();
    const device = await adapter?.requestDevice({ requiredFeatures: [...(adapter.features as Set<GPUFeatureName>)] });
    if (!device) throw new Error('the device did not come');
    const renderer = new WebGPURenderer({ antialias: stage.antialias, alpha: true, device });
    await renderer.init();
    // One that is disposed of is lost too.
    renderer.onDeviceLost = ({ message, reason }) => reason !== 'destroyed' && lost(message);
    device.addEventListener('uncapturederror', ({ error }) => lost(error.message));
    return new WebGPUPainter(stage, renderer, lost);
}
