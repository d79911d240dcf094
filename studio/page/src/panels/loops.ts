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
    /** What chose it, of a surface of that kind: undo and other weights leave it chosen. */
    private kept: { words: string[]; surface: string } = { words: [], surface: '' };
    private visible = false;

    constructor(private readonly app: App, private readonly hand: Hand, private readonly bend: Bend, fill: () => void) {
        this.fill = button('Fill', fill, { title: 'The brush, once on every chosen vertex' });
        this.element = h('section', { class: 'loops' }, h('h3', {}, 'Loops'), h('div', { class: 'row' }, this.point, this.more, this.less, this.none, this.fill), this.said);
        this.press(false);
        this.tell(null);
        // Another character in the hand has nothing chosen until it is chosen again; what was painted is taken over first.
        app.viewer.character.watch(() => setTimeout(() => this.again()));
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
        this.hand.inTurn(async () => {
            const shape = await this.hand.open();
            const pose = await this.bend.pose();
            if (!beside || this.shape !== shape) await this.hand.live(shape, 'chooseNone');
            this.shape = shape;
            this.tell(await this.hand.live(shape, 'chooseLoop', [position.x, position.y, position.z], pose));
            await this.keep(shape);
        });
    }

    /** Chosen vertices are seen while something can be done with them. */
    show(on: boolean): void {
        this.visible = on;
        if (on) this.again();
        else this.app.viewer.showChosen(null);
    }

    private get surface(): string {
        return JSON.stringify((this.app.session.current?.info.meshes ?? []).map(({ name, vertices, triangles }) => [name, vertices, triangles]));
    }

    private async keep(shape: LiveShape): Promise<void> {
        this.kept = { words: await this.hand.live(shape, 'choiceWords'), surface: this.surface };
    }

    private again(): void {
        const { words, surface } = this.kept;
        if (!words.length) return;
        const holds = this.visible && surface === this.surface && this.app.session.isRigged;
        if (!holds) return this.tell(null);
        this.hand.inTurn(async () => {
            const shape = await this.hand.open();
            // What was saved out of this one is open still, with what is chosen.
            const places = this.shape === shape ? await this.hand.live(shape, 'chosen', await this.bend.pose()) : await this.hand.live(shape, 'chooseAgain', words, await this.bend.pose());
            this.shape = shape;
            this.tell(places);
        });
    }

    private change(call: 'chooseMore' | 'chooseNone', rings = 0): void {
        this.hand.inTurn(async () => {
            const shape = await this.hand.open();
            this.tell(call === 'chooseNone' ? await this.hand.live(shape, 'chooseNone') : await this.hand.live(shape, 'chooseMore', rings, await this.bend.pose()));
            await this.keep(shape);
        });
    }

    private tell(places: Float32Array | null): void {
        const chosen = (places?.length ?? 0) / 3;
        for (const one of [this.more, this.less, this.none, this.fill]) one.disabled = chosen === 0;
        this.said.textContent = chosen === 0 ? 'Alt and a click on an edge choose its loop: the ring around a limb.' : `${count(chosen)} ${chosen === 1 ? 'vertex' : 'vertices'} chosen`;
        this.app.viewer.showChosen(chosen ? places : null);
    }
}
