import type * as THREE from 'three';
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js';
import type { Stage } from './stage';

/** Rings about a joint: dragging one rotates it. */
export class Rings {
    /** Called when a ring is taken, and when it is let go. */
    begun: () => void = () => {};
    ended: () => void = () => {};
    moved: () => void = () => {};
    private readonly controls: TransformControls;
    private readonly helper: THREE.Object3D;

    constructor(private readonly stage: Stage) {
        this.controls = new TransformControls(stage.camera, stage.canvas);
        this.controls.setMode('rotate');
        this.controls.setSpace('local');
        this.controls.setSize(0.6);
        this.helper = this.controls.getHelper();
        this.controls.addEventListener('change', () => stage.draw());
        this.controls.addEventListener('objectChange', () => this.moved());
        this.controls.addEventListener('dragging-changed', ({ value }) => {
            stage.controls.enabled = !value;
            if (value) this.begun();
            else this.ended();
        });
    }

    /** Whether the pointer is on one of them. */
    get pointedAt(): boolean {
        return this.controls.axis !== null;
    }

    show(node: THREE.Object3D | null): void {
        if (node) {
            this.controls.attach(node);
            this.stage.scene.add(this.helper);
            this.stage.floor.unshadowed.add(this.helper);
        } else {
            this.controls.detach();
            this.helper.removeFromParent();
            this.stage.floor.unshadowed.delete(this.helper);
        }
        this.stage.draw();
    }
}
