import * as THREE from 'three';
import type { App } from '../app';
import { button } from '../base/controls';
import { h } from '../base/dom';
import type { Hand } from '../hand';
import type { Poser } from '../poser';
import type { Character } from '../view/character';

// How long nothing has changed before the height is looked at.
const restMs = 150;
// What is nearer than this stands on the floor.
const onFloor = 0.0005;

/** Moves all of the body up or down. */
function lift({ joints }: Character, by: number): void {
    const at = new THREE.Vector3();
    for (const { node, parent } of joints) {
        if (parent >= 0) continue;
        node.getWorldPosition(at).setY(at.y + by);
        node.position.copy(node.parent ? node.parent.worldToLocal(at) : at);
    }
}

/** How high over the floor the pose on show is, and a button that puts it down there. */
export class FloorDistance {
    readonly element: HTMLElement;
    private readonly said = h('span', { class: 'hint grow', role: 'status' });
    private timer = 0;
    private on = false;

    constructor(private readonly app: App, private readonly hand: Hand, private readonly poser: Poser) {
        const put = button('Put on the floor', () => this.put(), { title: 'Moves the body up or down, until its lowest point is on the floor' });
        this.element = h('div', { class: 'row' }, put, this.said);
        const refresh = (): void => this.soon();
        app.viewer.player.changed.watch(refresh);
        app.viewer.character.watch(refresh);
        hand.posed.watch(refresh);
    }

    show(on: boolean): void {
        this.on = on;
        this.soon();
    }

    private soon(): void {
        clearTimeout(this.timer);
        const { viewer, session } = this.app;
        if (!this.on || !session.isRigged || viewer.player.playing || session.current?.info.meshes.length === 0) return;
        this.timer = window.setTimeout(() => void this.tell().catch((error: unknown) => this.hand.fail(error)), restMs);
    }

    private async height(): Promise<number> {
        const shape = await this.hand.open();
        return (await this.hand.live(shape, 'lowest', this.hand.read(shape))) - this.app.viewer.stage.floor.height;
    }

    private async tell(): Promise<void> {
        const height = await this.height(), much = `${(100 * Math.abs(height)).toFixed(1)} cm`;
        this.said.textContent = Math.abs(height) < onFloor ? 'It stands on the floor.' : height > 0 ? `${much} over the floor.` : `${much} in the floor.`;
    }

    private put(): void {
        this.poser.change('put on the floor', async (shape) => {
            const by = -(await this.height());
            lift(this.app.viewer.character.value!, by);
            return this.poser.adopt(shape);
        });
    }
}
