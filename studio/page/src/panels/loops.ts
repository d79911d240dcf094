import type * as THREE from 'three';
import type { App } from '../app';
import { button, count } from '../base/controls';
import { h } from '../base/dom';
import type { LiveShape } from '../engine/live_module';
import type { Hand } from '../hand';
import type { Bend } from './bend';

/** Loops of edges that are chosen, for the brush to fill. */
export class Loops {
    readonly element: HTMLElement;
    private readonly point = button('Choose a loop', () => this.press(), { title: 'Click an edge (L); Alt and a click do it without this, with Shift beside what is chosen' });
    private readonly said = h('p', { class: 'hint', role: 'status' });
    private readonly more = button('Grow', () => this.change('chooseMore', 1));
    private readonly less = button('Shrink', () => this.change('chooseMore', -1));
    private readonly none = button('None', () => this.change('chooseNone'));
    private readonly fill: HTMLButtonElement;
    // Of which open character something is chosen.
    private shape: LiveShape | null = null;

    constructor(private readonly app: App, private readonly hand: Hand, private readonly bend: Bend, fill: () => void) {
        this.fill = button('Fill', fill, { title: 'The brush, once on every chosen vertex' });
        this.element = h('section', { class: 'loops' }, h('h3', {}, 'Loops'), h('div', { class: 'row' }, this.point, this.more, this.less, this.none, this.fill), this.said);
        this.press(false);
        this.tell(null);
        // Another character in the hand has nothing chosen.
        app.session.history.current.watch(() => setTimeout(() => void this.forget()));
        addEventListener('keydown', (event) => {
            const target = event.target as HTMLElement;
            if (event.key.toLowerCase() === 'l' && !event.ctrlKey && !event.metaKey && !event.altKey && this.element.offsetParent && !target.matches('input:not([type=checkbox]):not([type=range]), select, textarea')) this.press();
        });
    }

    /** Whether a click is for a loop. */
    get pointing(): boolean {
        return this.point.getAttribute('aria-pressed') === 'true';
    }

    press(on = !this.pointing): void {
        this.point.setAttribute('aria-pressed', `${on}`);
    }

    take(position: THREE.Vector3, beside: boolean): void {
        this.hand.soon(async () => {
            const shape = await this.hand.open();
            const pose = await this.bend.pose();
            if (!beside || this.shape !== shape) await this.hand.live(shape, 'chooseNone');
            this.shape = shape;
            this.tell(await this.hand.live(shape, 'chooseLoop', [position.x, position.y, position.z], pose));
        });
    }

    private async forget(): Promise<void> {
        if (this.shape && !(await this.hand.isOpen(this.shape))) {
            this.shape = null;
            this.tell(null);
        }
    }

    hide(): void {
        this.app.viewer.showChosen(null);
    }

    private change(call: 'chooseMore' | 'chooseNone', rings = 0): void {
        this.hand.soon(async () => {
            const shape = await this.hand.open();
            this.tell(call === 'chooseNone' ? await this.hand.live(shape, 'chooseNone') : await this.hand.live(shape, 'chooseMore', rings, await this.bend.pose()));
        });
    }

    private tell(places: Float32Array | null): void {
        const chosen = (places?.length ?? 0) / 3;
        for (const one of [this.more, this.less, this.none, this.fill]) one.disabled = chosen === 0;
        this.said.textContent = chosen === 0 ? 'Alt and a click on an edge choose its loop: the ring around a limb.' : `${count(chosen)} ${chosen === 1 ? 'vertex' : 'vertices'} chosen`;
        this.app.viewer.showChosen(chosen ? places : null);
    }
}
