import * as THREE from 'three';

/** What a pointer that paints does; positions are on the skin. */
export interface Brush {
    radius(): number;
    /** `pressure` of a pen, 0 to 1; 1 for what has none. */
    begin(position: THREE.Vector3, pressure: number, keys: { altKey: boolean; shiftKey: boolean }): void;
    move(position: THREE.Vector3, pressure: number): void;
    end(): void;
}

/** How far the brush reaches, as a ring that faces the camera. */
export class BrushRing {
    readonly line = new THREE.LineLoop(
        new THREE.BufferGeometry().setFromPoints(Array.from({ length: 48 }, (_, k) => new THREE.Vector3(Math.cos((k / 24) * Math.PI), Math.sin((k / 24) * Math.PI), 0))),
        new THREE.LineBasicMaterial({ color: 0xffffff, depthTest: false, transparent: true, toneMapped: false }));

    constructor() {
        this.line.visible = false;
        this.line.renderOrder = 20;
        this.line.frustumCulled = false;
    }

    show(position: THREE.Vector3 | null, radius: number, camera: THREE.Camera): void {
        this.line.visible = position !== null;
        if (!position) return;
        this.line.position.copy(position);
        this.line.quaternion.copy(camera.quaternion);
        this.line.scale.setScalar(radius);
    }
}
