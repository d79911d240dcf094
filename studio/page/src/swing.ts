import type { App } from './app';
import { Signal } from './base/signal';
import { Cancelled } from './engine/engine';
import type { LiveShape } from './engine/live_module';
import type { Hand } from './hand';

// A page that was hidden does not leap.
const longestFrame = 0.25; // seconds
const still = 1e-6;

/** What hangs swings while a clip plays: what the file names, and the joint that is chosen, with all below it. Nothing of it is kept. */
export class Swing {
    readonly on = new Signal(false);
    /** The character that is open, once its springs are there. */
    private shape: LiveShape | null = null;
    private beginning = false;
    private waiting = false;
    /** Seconds that no step has had yet. */
    private due = 0;
    private last = 0;
    /** The newest answer, and the joints that it moved. */
    private pose: Float32Array | null = null;
    private readonly swinging = new Set<number>();
    /** What the clip had of those in the picture: it writes again only what changes. */
    private held: { shape: LiveShape; pose: Float32Array; joints: number[] } | null = null;

    constructor(private readonly app: App, private readonly hand: Hand) {
        const { viewer } = app;
        viewer.player.onPosing = () => this.release();
        viewer.onPlayed = (seconds) => this.follow(seconds);
        hand.posed.watch((pose) => pose && (this.held = null));
        viewer.character.watch(() => {
            this.held = null;
            this.restart();
        });
        viewer.selected.watch(() => this.restart());
        this.on.watch((on) => on || this.restart());
    }

    private release(): void {
        const { held } = this;
        this.held = null;
        for (const joint of held?.joints ?? []) this.hand.put(held!.shape, held!.pose, joint);
    }

    private restart(): void {
        this.shape = this.pose = null;
        this.swinging.clear();
        this.due = 0;
    }

    /** In each picture, once the clip has posed the joints: those that swing are as the module left them. */
    private follow(seconds: number): void {
        if (!this.on.value || this.app.session.busy.value) return;
        if (!this.shape) {
            if (!this.beginning) void this.begin();
            return;
        }
        const { time } = this.app.viewer.player;
        const asPlayed = this.hand.read(this.shape);
        if (this.pose) {
            this.held = { shape: this.shape, pose: asPlayed, joints: [...this.swinging] };
            for (const joint of this.swinging) this.hand.put(this.shape, this.pose, joint);
        }
        // A clip that begins anew may stand elsewhere.
        if (time < this.last) this.shape = null;
        this.last = time;
        this.due = Math.min(this.due + seconds, longestFrame);
        if (this.shape && !this.waiting) void this.ask(this.shape, asPlayed);
    }

    private async begin(): Promise<void> {
        const { session, viewer } = this.app;
        this.beginning = true;
        try {
            const shape = await this.hand.open();
            const joint = this.hand.jointOf(shape, viewer.selected.value);
            const count = await this.hand.live(shape, 'swing', joint);
            if (count > 0) this.shape = shape;
            else {
                this.on.value = false;
                session.notice.value = { kind: 'info', title: 'Nothing swings', text: 'The file names nothing that does. Choose the first joint of hair, a tail or a skirt.' };
            }
        } catch (error) {
            this.fail(error);
        } finally {
            this.beginning = false;
        }
    }

    private async ask(shape: LiveShape, pose: Float32Array): Promise<void> {
        this.waiting = true;
        const seconds = this.due;
        this.due = 0;
        try {
            const swung = await this.hand.live(shape, 'swingStep', pose, seconds);
            if (this.shape !== shape) return;
            this.pose = swung;
            for (let k = 0; k < pose.length; ++k) if (Math.abs(pose[k]! - swung[k]!) > still) this.swinging.add(Math.floor(k / 10));
        } catch (error) {
            this.fail(error);
        } finally {
            this.waiting = false;
        }
    }

    // Where another character came, or a command was cancelled, it begins anew by itself.
    private fail(error: unknown): void {
        this.restart();
        if (!(error instanceof Cancelled)) this.on.value = false;
        this.hand.fail(error);
    }
}
