import type * as THREE from 'three';
import type { App } from './app';
import { Signal } from './base/signal';
import { Cancelled } from './engine/engine';
import type { LiveCall, LiveModule, LiveShape } from './engine/live_module';
import type { Snapshot } from './history';

/** The current character in the user's hands: open in the worker, its pose shown on the stage. */
export class Hand {
    private opened: { snapshot: Snapshot; worker: unknown; shape: Promise<LiveShape>; known: LiveShape | null } | null = null;
    private waiting: { act: () => Promise<void>; replaceable: boolean }[] = [];
    private running = false;

    /** Which joints stay where they are while others are dragged, by the user's choice: by their names. */
    readonly pins = new Signal<ReadonlyMap<string, boolean>>(new Map());

    /** The pose on show, while it is the user's and not the player's. */
    readonly posed = new Signal<Float32Array | null>(null);

    constructor(private readonly app: App) {
        app.viewer.player.changed.watch(() => (this.posed.value = null));
    }

    get held(): Float32Array | null {
        return this.posed.value;
    }

    /** Opens the current character unless it is open: after a cancelled command it is not. Cancelled where another one came meanwhile. */
    async open(): Promise<LiveShape> {
        const shape = await this.opening();
        this.need(shape);
        return shape;
    }

    /** Calls the character that was opened as `shape`: what another one would answer is of no use. Cancelled where another one came. */
    async live<C extends LiveCall>(shape: LiveShape, call: C, ...args: Parameters<LiveModule[C]>): Promise<ReturnType<LiveModule[C]>> {
        this.need(shape);
        const value = await this.app.session.engine.live(call, ...args);
        this.need(shape);
        return value;
    }

    private isNow(shape: LiveShape): boolean {
        const { session } = this.app;
        return this.opened?.known === shape && this.opened.snapshot === session.current && this.opened.worker === session.engine.generation;
    }

    private need(shape: LiveShape): void {
        if (!this.isNow(shape)) throw new Cancelled('another character came');
    }

    private opening(): Promise<LiveShape> {
        const { session } = this.app;
        const snapshot = session.current;
        if (!snapshot) return Promise.reject(new Error('there is no character yet'));
        if (this.opened?.snapshot !== snapshot || this.opened.worker !== session.engine.generation) {
            const shape = session.engine.live('open', snapshot.glb).then(async (opened) => {
                await this.applyPins(opened, this.pins.value);
                record.known = opened;
                return opened;
            });
            const record: NonNullable<typeof this.opened> = { snapshot, worker: session.engine.generation, shape, known: null };
            this.opened = record;
            // What failed is tried again the next time.
            shape.catch(() => this.opened === record && (this.opened = null));
        }
        return this.opened.shape;
    }

    /** Whether it is what is open, as far as is known yet. */
    async isOpen(shape: LiveShape | null): Promise<boolean> {
        await this.opened?.shape.catch(() => undefined);
        return shape !== null && this.isNow(shape);
    }

    /** Joints stay where they are, or do not. */
    async hold(pins: ReadonlyMap<string, boolean>): Promise<void> {
        await this.applyPins(await this.open(), pins);
        this.pins.value = pins;
    }

    private async applyPins(shape: LiveShape, pins: ReadonlyMap<string, boolean>): Promise<void> {
        const { viewer, session } = this.app;
        for (const [name, on] of pins) {
            const joint = this.jointOf(shape, viewer.character.value?.jointIndex(name) ?? -1);
            if (joint >= 0) await session.engine.live('pin', joint, on);
        }
    }

    /** What is open was changed and is what the session shows by now, or is of no use any more. */
    adopted(done: boolean): void {
        const { current } = this.app.session;
        if (this.opened && current && done) this.opened.snapshot = current;
        else this.opened = null;
    }

    /** The joint of the open character that is this one of the picture; -1 when there is none. */
    jointOf(shape: LiveShape, joint: number): number {
        const character = this.app.viewer.character.value;
        const node = character?.joints[joint]?.node;
        return node ? shape.nodes.findIndex((index) => index >= 0 && character.nodes.get(index) === node) : -1;
    }

    /** Shows a pose: ten numbers a joint, from the joint to its parent. */
    show(shape: LiveShape, pose: Float32Array): void {
        shape.nodes.forEach((_, joint) => this.put(shape, pose, joint));
        this.posed.value = pose;
        this.app.viewer.stage.draw();
        if (shape.driven) void this.showMorphs(shape).catch((error: unknown) => this.fail(error));
    }

    /** What the pose turns on: of the newest, since the worker answers in order. */
    private async showMorphs(shape: LiveShape): Promise<void> {
        const { viewer, session } = this.app;
        const morphs = await session.engine.live('morphs');
        if (!this.held || !(await this.isOpen(shape))) return;
        viewer.character.value?.sources.forEach(({ node }, mesh) => {
            const weights = morphs[shape.meshes.findIndex((one) => one.node === node)];
            if (weights) mesh.morphTargetInfluences?.splice(0, weights.length, ...weights);
        });
        viewer.stage.draw();
    }

    /** Of a pose one joint alone, until the picture is posed anew. */
    put(shape: LiveShape, pose: Float32Array, joint: number): void {
        const node: THREE.Object3D | undefined = this.app.viewer.character.value?.nodes.get(shape.nodes[joint] ?? -1);
        node?.position.fromArray(pose, 10 * joint);
        node?.quaternion.fromArray(pose, 10 * joint + 3);
        node?.scale.fromArray(pose, 10 * joint + 7);
    }

    /** The pose that the picture has now, as `show` takes it. */
    read(shape: LiveShape): Float32Array {
        const pose = new Float32Array(10 * shape.nodes.length);
        shape.nodes.forEach((index, joint) => writePose(this.app.viewer.character.value?.nodes.get(index), pose, joint));
        return pose;
    }

    /** Opens the character and puts it into a pose. */
    async take(pose: Float32Array): Promise<void> {
        const shape = await this.open();
        this.show(shape, await this.live(shape, 'setPose', pose));
    }

    /** Does it when those before are done. */
    inTurn(act: () => Promise<void>): void {
        this.await(act, false);
    }

    /** As `inTurn`, for what comes faster than it is done: the next that comes by this call takes its place. */
    newest(act: () => Promise<void>): void {
        if (this.waiting.at(-1)?.replaceable) this.waiting.pop();
        this.await(act, true);
    }

    private await(act: () => Promise<void>, replaceable: boolean): void {
        this.waiting.push({ act, replaceable });
        if (!this.running) void this.work();
    }

    /** When nothing waits any more. */
    async settled(): Promise<void> {
        while (this.running) await new Promise((resolve) => setTimeout(resolve, 5));
    }

    private async work(): Promise<void> {
        this.running = true;
        for (let due = this.waiting.shift(); due; due = this.waiting.shift()) await due.act().catch((error: unknown) => this.fail(error));
        this.running = false;
    }

    fail(error: unknown): void {
        if (error instanceof Cancelled) return;
        this.app.session.notice.value = { kind: 'error', title: 'This did not work', text: (error as Error).message };
    }
}

/** Ten numbers of a joint: where it is to its parent. One that the picture does not have is where its parent is. */
export function writePose(node: THREE.Object3D | undefined, out: Float32Array, joint: number): void {
    const { position: p, quaternion: q, scale: s } = node ?? { position: { x: 0, y: 0, z: 0 }, quaternion: { x: 0, y: 0, z: 0, w: 1 }, scale: { x: 1, y: 1, z: 1 } };
    out.set([p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z], 10 * joint);
}
