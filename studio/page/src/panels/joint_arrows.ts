import * as THREE from 'three';
import type { App } from '../app';
import type { Hand } from '../hand';
import { Gizmo } from '../view/gizmo';

/** Arrows at the chosen joint: dragging one pulls the joint along an axis of the scene. */
export class JointArrows {
    private readonly gizmo: Gizmo;
    // The gizmo moves this and not the joint, which is reached by inverse kinematics.
    private readonly target = new THREE.Object3D();
    private on = false;
    private dragging = false;

    /** `pull` is called while the joint is dragged, `drop` when it is let go. */
    constructor(private readonly app: App, hand: Hand, pull: (joint: number, position: THREE.Vector3) => void, drop: () => void) {
        const { viewer } = app;
        this.gizmo = new Gizmo(viewer.stage, 'translate');
        this.gizmo.begun = () => {
            this.dragging = true;
            viewer.player.play(false);
        };
        this.gizmo.moved = () => pull(viewer.selected.value, this.target.position.clone());
        this.gizmo.ended = () => {
            this.dragging = false;
            drop();
        };
        viewer.stage.scene.add(this.target);
        viewer.selected.watch(() => this.attach());
        viewer.character.watch(() => this.attach());
        viewer.player.changed.watch(() => this.follow());
        hand.posed.watch(() => this.follow());
        viewer.holders.add(() => this.on && this.gizmo.pointedAt);
    }

    show(on: boolean): void {
        this.on = on;
        this.attach();
    }

    private attach(): void {
        const { viewer } = this.app, joint = viewer.character.value?.joints[viewer.selected.value];
        this.gizmo.show(this.on && joint ? this.target : null);
        this.follow();
    }

    private follow(): void {
        const { viewer } = this.app, joint = viewer.character.value?.joints[viewer.selected.value];
        if (this.on && joint && !this.dragging) joint.node.getWorldPosition(this.target.position);
    }
}
