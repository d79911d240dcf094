import type { App } from './app';
import { Signal } from './base/signal';
import { motionBodies, playPhases, type PlayPhase, type Steered } from './engine/live_module';
import type { Hand } from './hand';
import { Course } from './view/course';
import { madeFooting } from './view/footing';

// What bodies stand, walk and run by, and what more they can do.
const gaits: Record<string, { stand: string; walk: string; run: string; more: string[] }> = {
    human: { stand: 'idle', walk: 'walk', run: 'run', more: ['jump', 'get-up'] },
    quadruped: { stand: 'quadruped-idle', walk: 'quadruped-walk', run: 'quadruped-gallop', more: [] },
    spider: { stand: 'spider-idle', walk: 'spider-walk', run: 'spider-run', more: [] },
};
const anybody = { stand: '', walk: 'walk', run: 'run', more: [] };

const cameraRate = 2; // a second
const turnSpeed = 2; // radians a second
const longestFrame = 0.25; // seconds; a page that was hidden does not leap

/** The character is steered with keys: it walks, runs, jumps, falls. Nothing of it is kept. */
export class Tryout {
    /** Null while nobody is steered. */
    readonly phase = new Signal<PlayPhase | null>(null);
    /** From 0, standing, over 1, walking, to 2, running: what going ahead means. */
    readonly pace = new Signal(1);
    readonly jumps = new Signal(false);
    going = false;
    turning = 0;
    private course: Course | null = null;
    private steered: Steered | null = null;
    private before: { clip: number; time: number; playing: boolean } | null = null;
    private waiting = false;
    private last = 0;
    /** Height of the hips when it began, and how far the camera was moved up since. */
    private level: number | null = null;
    private lifted = 0;
    /** How far the course lies above the floor at rest. */
    private risen = 0;
    private readonly step = (): boolean => this.advance();

    constructor(private readonly app: App, private readonly hand: Hand) {
        app.session.history.current.watch(() => this.leave(false));
        app.session.busy.watch((busy) => busy && this.leave(false));
    }

    get active(): boolean {
        return this.steered !== null;
    }

    /** Has it walk by clips that are made for it now. */
    async enter(): Promise<void> {
        const { session, viewer } = this.app;
        const current = session.current;
        if (!current || !session.isRigged || this.active) return;
        const glb = await session.attempt('Getting ready to walk', () => this.prepare());
        if (!glb || session.current !== current) return;
        const { gait, bytes } = glb;
        const { player } = viewer;
        this.before = { clip: player.clip ? viewer.character.value!.playable.indexOf(player.clip) : -1, time: player.time, playing: player.playing };
        this.steered = await session.engine.live('steer', bytes, gait.stand, gait.walk, gait.run);
        player.select(null);
        this.risen = -viewer.stage.floor.height;
        viewer.stand(madeFooting);
        this.course = new Course(this.steered.course);
        viewer.stage.scene.add(this.course.mesh);
        viewer.stage.floor.unshadowed.add(this.course.mesh);
        viewer.stage.before.add(this.step);
        this.going = false;
        this.turning = 0;
        this.jumps.value = gait.more.includes('jump');
        this.last = performance.now();
        this.level = null;
        this.lifted = 0;
        this.phase.value = 'moves';
        viewer.stage.draw();
    }

    /** Back to what was shown; unless another character comes. */
    leave(restore = true): void {
        if (!this.steered) return;
        const { session, viewer } = this.app;
        this.steered = null;
        viewer.stage.before.delete(this.step);
        if (this.course) viewer.stage.floor.unshadowed.delete(this.course.mesh);
        this.course?.dispose();
        this.course = null;
        this.phase.value = null;
        viewer.stage.lift(-this.lifted);
        viewer.standByClip();
        void session.engine.live('endSteering').catch(() => undefined);
        if (!restore || !this.before) return;
        const { clip, time, playing } = this.before;
        viewer.player.select(viewer.character.value?.playable[clip] ?? null);
        viewer.player.seek(time);
        viewer.player.play(playing);
    }

    jump(): void {
        if (this.jumps.value) this.tell('jump');
    }

    /** Lets it fall, or has it get up. */
    fall(): void {
        this.tell('fall');
    }

    private tell(call: 'jump' | 'fall'): void {
        if (this.active) void this.app.session.engine.live(call).catch((error: unknown) => this.fail(error));
    }

    private fail(error: unknown): void {
        this.leave();
        this.hand.fail(error);
    }

    private async prepare(): Promise<{ gait: (typeof gaits)[string]; bytes: Uint8Array }> {
        const { session } = this.app;
        const current = session.current!;
        await this.hand.open();
        const gait = gaits[motionBodies[await session.engine.live('motionBody')] ?? ''] ?? anybody;
        const motions = [gait.stand, gait.walk, gait.run, ...gait.more].filter((name) => name !== '');
        const result = await session.engine.run(['animate', current.file, ...motions, '-q', '-o', 'steered.glb'], new Map([[current.file, current.glb]]));
        const bytes = result.files.get('steered.glb');
        if (!bytes) throw new Error(result.messages.trim());
        return { gait, bytes };
    }

    /** In each picture: the next frame is asked for once the one before is here. */
    private advance(): boolean {
        if (!this.waiting) void this.ask().catch((error: unknown) => this.active && this.fail(error));
        return true;
    }

    private async ask(): Promise<void> {
        const { steered } = this;
        if (!steered) return;
        const now = performance.now();
        const seconds = Math.min((now - this.last) / 1000, longestFrame);
        this.last = now;
        this.waiting = true;
        try {
            const { pose, phase } = await this.app.session.engine.live('steerStep', seconds, this.going ? this.pace.value : 0, this.turning * turnSpeed);
            if (this.steered !== steered) return;
            this.show(steered, pose);
            this.rise(seconds);
            const name = playPhases[phase] ?? 'moves';
            if (name !== this.phase.value) this.phase.value = name;
        } finally {
            this.waiting = false;
        }
    }

    // The camera goes up ramps and looks down at who lies there, slowly.
    private rise(seconds: number): void {
        const { bones, stage } = this.app.viewer;
        if (!bones?.count) return;
        const hips = bones.position(0).y;
        this.level ??= hips + this.risen;
        const by = (hips - this.level - this.lifted) * Math.min(1, cameraRate * seconds);
        this.lifted += by;
        stage.lift(by);
    }

    private show({ nodes }: Steered, pose: Float32Array): void {
        const character = this.app.viewer.character.value;
        nodes.forEach((index, joint) => {
            const node = character?.nodes.get(index);
            node?.position.fromArray(pose, 10 * joint);
            node?.quaternion.fromArray(pose, 10 * joint + 3);
            node?.scale.fromArray(pose, 10 * joint + 7);
        });
    }
}
