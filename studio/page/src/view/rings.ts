import type * as THREE from 'three';
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js';
import type { Stage } from './stage';

/** Rings about a joint: dragging one rotates it. */
export class Rings {
    /** Called when a ring is taken, and when it is let go. */
    begun: () => void = () => {};
    ended: () => void = () => {};
    moved: () => void = () => {};
    // Made where a joint has them first: they are many meshes.
    private controls: TransformControls | null = null;

    constructor(private readonly stage: Stage) {}

    /** Whether the pointer is on one of them. */
    get pointedAt(): boolean {
        return Boolean(this.controls?.axis);
    }

    show(node: THREE.Object3D | null): void {
        if (!node && !this.controls) return;
        this.controls ??= this.make();
        const helper = this.controls.getHelper();
        if (node) {
            this.controls.attach(node);
            this.stage.scene.add(helper);
            this.stage.floor.unshadowed.add(helper);
        } else {
            this.controls.detach();
            helper.removeFromParent();
            this.stage.floor.unshadowed.delete(helper);
        }
        this.stage.draw();
    }

    private make(): TransformControls {
        const controls = new TransformControls(this.stage.camera, this.stage.canvas);
        controls.setMode('rotate');
        controls.setSpace('local');
        controls.setSize(0.6);
        controls.addEventListener('change', () => this.stage.draw());
        controls.addEventListener('objectChange', () => this.moved());
        controls.addEventListener('dragging-changed', ({ value }) => {
            this.stage.controls.enabled = !value;
            if (value) this.begun();
            else this.ended();
        });
        return controls;
    }
}
