import type * as THREE from 'three';
import type { Floor } from './floor';
import type { Bending } from './skin';

/** What draws the stage in place of WebGL. */
export interface Painter {
    readonly canvas: HTMLCanvasElement;
    setSize(width: number, height: number, ratio: number): void;
    /** Programs are being made that a picture may need: until then it draws none. */
    readonly isMaking: boolean;
    settled(): Promise<void>;
    draw(): void;
    /** Has the GPU make ready for what is to be drawn, a little at a time, while it is wanted: what has gone would stay there. */
    ready(root: THREE.Object3D, wanted?: () => boolean): Promise<void>;
    /** Where the GPU puts each vertex, three numbers each. */
    vertices(mesh: THREE.Mesh): Promise<Float32Array>;
    dispose(): void;
}

/** What a painter is told. */
export interface Painted {
    scene: THREE.Scene;
    camera: THREE.PerspectiveCamera;
    floor: Floor;
    lights: THREE.Light[];
    antialias: boolean;
    bendingOf: (mesh: THREE.Mesh) => Bending | null;
}
