import type * as THREE from 'three';
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js';
import type { Stage } from './stage';

/** Rings about an object that rotate it about its own axes, or arrows that move it along those of the scene. */
export class Gizmo {
    /** Called when a part of it is taken, and when that is let go. */
    begun: () => void = () => {};
    ended: () => void = () => {};
    moved: () => void = () => {};
    // Made where it is asked for first: it is many meshes.
    private controls: TransformControls | null = null;

    constructor(private readonly stage: Stage, private readonly kind: 'rotate' | 'translate') {}

    /** Whether the pointer is on a part of it. */
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
        controls.setMode(this.kind);
        controls.setSpace(this.kind === 'rotate' ? 'local' : 'world');
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
