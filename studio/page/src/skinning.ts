import type * as THREE from 'three';
import type { App } from './app';
import { Signal } from './base/signal';
import type { Bent, LiveShape } from './engine/live_module';
import { writePose, type Hand } from './hand';
import { Double } from './view/double';
import type { Skin, SkinMode } from './view/skin';
import type { Surface } from './view/surfaces';

/** A method of skinning: its LIMBER_SKIN_… number, and how the GPU does it, or that it is for the module. */
interface Method {
    number: number;
    mode: SkinMode;
}

export const methods = {
    linear: { number: 0, mode: 'linear' }, dual: { number: 1, mode: 'dual' }, center: { number: 2, mode: 'lanes' },
    deltaMush: { number: 3, mode: 'lanes' }, mush: { number: 4, mode: 'lanes' }, rigid: { number: 5, mode: 'lanes' },
} satisfies Record<string, Method>;
export type MethodName = keyof typeof methods;

/** Volume as a fraction of that at rest; null while it is not known. */
export type Volumes = [number | null, number | null];

// How often volumes are worked out while the character moves.
const volumeMs = 300;

/** By which methods the character is bent: one, or two beside each other. */
export class Skinning {
    readonly method = new Signal<MethodName>('linear');
    /** Of the second one beside it; null: there is none. */
    readonly beside = new Signal<MethodName | null>(null);
    readonly volumes = new Signal<Volumes>([null, null]);
    double: Double | null = null;
    private wanted: Float32Array | null = null;
    private shown: Float32Array | null = null;
    private working = false;
    private measured = 0;
    private timer = 0;

    constructor(private readonly app: App, private readonly hand: Hand) {
        const { viewer } = app;
        viewer.onPosed = () => this.follow();
        viewer.character.watch(() => this.restart());
        this.method.watch(() => this.restart());
        this.beside.watch(() => this.restart());
    }

    wear(surface: Surface): void {
        this.app.viewer.wear(surface);
        this.double?.wear(surface);
        this.app.viewer.stage.draw();
    }

    /** When the picture shows what the pose asks for. */
    async settled(): Promise<void> {
        while (this.working) await new Promise((resolve) => setTimeout(resolve, 5));
    }

    /** Each skin with its method. */
    private get figures(): [Skin[], MethodName][] {
        const { value } = this.app.viewer.character;
        const all: [Skin[], MethodName][] = value ? [[value.skins, this.method.value]] : [];
        if (this.double && this.beside.value) all.push([this.double.skins, this.beside.value]);
        return all;
    }

    private restart(): void {
        const { viewer } = this.app;
        const character = viewer.character.value;
        const was = this.double !== null;
        this.double?.dispose();
        this.double = character && character.skins.length && this.beside.value ? new Double(character, viewer.stage.scene) : null;
        if (this.double || was) viewer.stage.lookAtBoth(this.double?.offset ?? 0);
        this.shown = null;
        this.volumes.value = [null, null];
        // The module's vertices come a moment later; until then the GPU's do.
        for (const [skins, name] of this.figures) for (const skin of skins) if (methods[name].mode === 'lanes') skin.setMode('linear');
        viewer.stage.draw();
    }

    // What the module bends is shown once its vertices are here.
    private takeMode(skin: Skin, mode: SkinMode): void {
        if (mode !== 'lanes') skin.setMode(mode);
        else if (skin.mode === 'dual') skin.setMode('linear');
    }

    // Dual quaternions of the shader are for joints that do not stretch.
    private modeOf(skin: Skin, name: MethodName): SkinMode {
        const { mode } = methods[name];
        return mode === 'dual' && !skin.rigid ? 'lanes' : mode;
    }

    /** In each picture: where the pose is another one, what the module has to do for it is asked for. */
    private follow(): void {
        this.double?.update();
        const character = this.app.viewer.character.value;
        if (!character?.skins.length) return;
        for (const [skins, name] of this.figures) for (const skin of skins) this.takeMode(skin, this.modeOf(skin, name));
        if (!this.needed()) return;
        const pose = new Float32Array(10 * character.nodes.size);
        let at = 0;
        for (const node of character.nodes.values()) writePose(node, pose, at++);
        if (this.shown && same(this.shown, pose)) return;
        this.shown = pose;
        this.wanted = pose;
        if (!this.working) void this.work();
    }

    private needed(): boolean {
        return this.double !== null || this.figures.some(([skins, name]) => skins.some((skin) => this.modeOf(skin, name) === 'lanes' || skin.influences === 'more'));
    }

    private async work(): Promise<void> {
        this.working = true;
        while (this.wanted) {
            this.wanted = null;
            await this.bend().catch((error: unknown) => this.hand.fail(error));
        }
        this.working = false;
    }

    private async bend(): Promise<void> {
        const { viewer } = this.app;
        const character = viewer.character.value;
        const shape = await this.hand.open();
        const pose = this.hand.read(shape);
        const measure = this.double !== null && performance.now() - this.measured > volumeMs;
        const volumes: Volumes = [...this.volumes.value];
        for (const [index, [skins, name]] of this.figures.entries()) {
            const lanes = skins.some((skin) => this.modeOf(skin, name) === 'lanes' || skin.influences === 'more');
            if (!lanes && !measure) continue;
            const bent = await this.hand.live(shape, 'deform', methods[name].number, pose);
            if (lanes) for (const skin of skins) this.put(skin, index === 0 ? skin.mesh : (character!.skins[skins.indexOf(skin)]?.mesh ?? skin.mesh), shape, bent);
            volumes[index] = bent.restVolume > 0 ? bent.volume / bent.restVolume : null;
        }
        if (measure) this.measured = performance.now();
        else if (this.double) this.measureLater();
        this.volumes.value = volumes;
        viewer.stage.draw();
    }

    /** The volume of the pose at which it comes to rest. */
    private measureLater(): void {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => {
            this.shown = null;
            this.app.viewer.stage.draw();
        }, volumeMs);
    }

    private put(skin: Skin, named: THREE.Mesh, shape: LiveShape, bent: Bent): void {
        const source = this.app.viewer.character.value?.sources.get(named);
        const mesh = shape.meshes.findIndex(({ node }) => node === source?.node);
        const positions = bent.positions[mesh];
        if (!positions || !source) return;
        const first = 3 * (shape.meshes[mesh]!.firsts[source.primitive] ?? 0);
        const size = 3 * skin.mesh.geometry.getAttribute('position').count;
        const normals = bent.normals[mesh]!;
        skin.setLanes(positions.subarray(first, first + size), normals.length ? normals.subarray(first, first + size) : null);
        skin.setMode('lanes');
    }
}

function same(a: Float32Array, b: Float32Array): boolean {
    return a.length === b.length && a.every((value, k) => value === b[k]);
}
