import * as THREE from 'three';
import type { App } from '../app';
import { h } from '../base/dom';
import type { Poser } from '../poser';
import { Gizmo } from '../view/gizmo';

const axes = ['x', 'y', 'z'] as const;
const toDegrees = (angle: number): number => Math.round(THREE.MathUtils.radToDeg(angle) * 10) / 10;

/** The chosen joint is rotated about its own axes, by rings in the picture or by numbers: degrees from its rest. */
export class JointRotation {
    readonly element: HTMLElement;
    private readonly numbers = axes.map((axis) => h('input', { type: 'number', min: '-180', max: '180', step: '5', 'aria-label': `Turned about ${axis.toUpperCase()}, degrees` }));
    private readonly rings: Gizmo;
    private on = false;

    constructor(private readonly app: App, private readonly poser: Poser, private readonly rotated: (joint: number) => Promise<void>) {
        this.element = h('div', { class: 'angles' }, ...axes.map((axis, k) => h('label', { class: `axis ${axis}` }, axis.toUpperCase(), this.numbers[k]!)));
        for (const input of this.numbers) input.addEventListener('change', () => this.byNumbers());
        this.rings = new Gizmo(app.viewer.stage, 'rotate');
        this.rings.moved = () => this.tell();
        this.rings.begun = () => app.viewer.player.play(false);
        this.rings.ended = () => this.keep();
        app.viewer.selected.watch(() => this.attach());
        app.viewer.character.watch(() => this.attach());
        app.viewer.player.changed.watch(() => this.on && this.tell());
        poser.hand.posed.watch(() => this.tell());
        app.viewer.holders.add(() => this.on && this.rings.pointedAt);
    }

    /** Whether rings are shown. */
    show(on: boolean): void {
        this.on = on;
        this.attach();
    }

    private get joint(): { node: THREE.Object3D; rest: THREE.Quaternion; name: string } | null {
        const { viewer } = this.app;
        return viewer.character.value?.joints[viewer.selected.value] ?? null;
    }

    private attach(): void {
        this.rings.show(this.on ? (this.joint?.node ?? null) : null);
        this.tell();
    }

    private tell(): void {
        const { joint } = this;
        if (!joint) return;
        const { x, y, z } = new THREE.Euler().setFromQuaternion(joint.rest.clone().invert().multiply(joint.node.quaternion));
        [x, y, z].forEach((angle, k) => document.activeElement !== this.numbers[k] && (this.numbers[k]!.value = `${toDegrees(angle)}`));
    }

    private byNumbers(): void {
        const { joint } = this;
        const angles = this.numbers.map((input) => THREE.MathUtils.degToRad(Number(input.value)));
        if (!joint || !angles.every(Number.isFinite)) return;
        this.change((node) => node.quaternion.copy(joint.rest).multiply(new THREE.Quaternion().setFromEuler(new THREE.Euler(angles[0], angles[1], angles[2]))));
    }

    // The ring has rotated the joint of the picture already.
    private keep(): void {
        const rotation = this.joint?.node.quaternion.clone();
        if (rotation) this.change((node) => node.quaternion.copy(rotation));
    }

    private change(rotate: (node: THREE.Object3D) => void): void {
        const { joint } = this;
        const index = this.app.viewer.selected.value;
        if (!joint) return;
        this.poser.change(`rotate ${joint.name}`, async (shape) => {
            rotate(joint.node);
            const pose = await this.poser.adopt(shape);
            this.poser.hand.show(shape, pose);
            await this.rotated(index);
            return this.poser.hand.live(shape, 'pose');
        });
    }
}
