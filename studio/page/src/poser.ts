import type { App } from './app';
import type { LiveShape } from './engine/live_module';
import type { Hand } from './hand';
import type { Look } from './history';

/** Changes of the pose: each is one step of the history, whatever made it. */
export class Poser {
    constructor(private readonly app: App, readonly hand: Hand) {}

    /** The hand takes over from the player the pose on show. */
    async takeOver(shape: LiveShape): Promise<void> {
        const { hand } = this;
        const { viewer } = this.app;
        if (hand.held) return;
        const clip = viewer.character.value?.clips.indexOf(viewer.player.clip!) ?? -1;
        viewer.player.play(false);
        if (clip >= 0) hand.show(shape, await hand.live(shape, 'sample', clip, viewer.player.time));
        // Of several clips at once the module knows nothing but what is seen.
        else hand.show(shape, viewer.player.clip ? await this.adopt(shape) : await hand.live(shape, 'rest'));
    }

    remember(step: string, before: Look | null): void {
        const { session } = this.app;
        const after = session.look();
        if (before && after) session.history.pushPose(step, before, after);
    }

    /** Another pose out of the one on show. */
    change(step: string, make: (shape: LiveShape) => Promise<Float32Array>): void {
        this.hand.inTurn(async () => {
            const before = this.app.session.look();
            const shape = await this.hand.open();
            await this.takeOver(shape);
            this.hand.show(shape, await make(shape));
            this.remember(step, before);
        });
    }

    /** The pose in which the joints of the picture are now becomes the one in hand. */
    async adopt(shape: LiveShape): Promise<Float32Array> {
        return this.hand.live(shape, 'setPose', this.hand.read(shape));
    }
}
