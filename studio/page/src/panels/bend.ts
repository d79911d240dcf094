import * as THREE from 'three';
import type { App } from '../app';
import { choice } from '../base/controls';
import { h } from '../base/dom';
import type { Hand } from '../hand';

const axes = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];

/** Bends the chosen joint to see what its weights do there; nothing of it is kept. */
export class Bend {
    readonly element: HTMLElement;
    private readonly slider = h('input', { type: 'range', min: '-120', max: '120', step: '1', value: '0', 'aria-label': 'How far the chosen joint is bent' });
    private readonly axis = choice([['0', 'X'], ['1', 'Y'], ['2', 'Z']], '2', () => this.apply());
    private readonly said = h('span', { class: 'much' });
    private on = false;
    private applied = false;

    constructor(private readonly app: App, private readonly hand: Hand) {
        this.axis.setAttribute('aria-label', 'About which axis');
        this.slider.addEventListener('input', () => this.apply());
        this.element = h('section', {}, h('h3', {}, 'Bend it to see'), h('div', { class: 'row bend' }, this.axis, this.slider, this.said));
        const { viewer } = app;
        viewer.selected.watch(() => this.apply());
        // Painted weights come as another character, which is bent as the one before it.
        viewer.character.watch(() => this.apply());
        this.tell();
    }

    /** Whether the picture is bent. */
    get bent(): boolean {
        return this.on && this.angle !== 0 && this.app.viewer.selected.value >= 0;
    }

    show(on: boolean): void {
        this.on = on;
        this.apply();
    }

    /** At rest, but for the joint that is bent: where brushes go. */
    stand(): void {
        this.app.viewer.player.select(null);
        this.apply();
    }

    /** The pose on show, as the module takes it; null at rest. */
    async pose(): Promise<Float32Array | null> {
        return this.bent ? this.hand.read(await this.hand.open()) : null;
    }

    private get angle(): number {
        return Number(this.slider.value);
    }

    private tell(): void {
        this.said.textContent = `${this.angle}°`;
        this.slider.style.setProperty('--at', `${(100 * (this.angle + 120)) / 240}%`);
        this.slider.setAttribute('aria-valuetext', `${this.angle} degrees`);
    }

    private rest(): void {
        for (const { node, rest } of this.app.viewer.character.value?.joints ?? []) node.quaternion.copy(rest);
        this.app.viewer.stage.draw();
    }

    private apply(): void {
        this.tell();
        const { viewer } = this.app;
        if (!this.bent) {
            if (this.applied) this.rest();
            this.applied = false;
            return;
        }
        viewer.player.select(null);
        this.applied = true;
        this.rest();
        const joint = viewer.character.value?.joints[viewer.selected.value];
        joint?.node.quaternion.copy(joint.rest).multiply(new THREE.Quaternion().setFromAxisAngle(axes[Number(this.axis.value)]!, THREE.MathUtils.degToRad(this.angle)));
        viewer.stage.draw();
    }
}
