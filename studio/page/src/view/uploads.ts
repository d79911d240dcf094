import * as THREE from 'three';
import { largeArrays } from './large_arrays';

/** Sends large arrays to the GPU one a frame: all at once, as three.js does it at the first picture, takes long. */
export class Uploads {
    private static readonly nothing = new THREE.BufferAttribute(new Float32Array(3), 3);
    // One for all: the renderer counts geometries, and frees the arrays of one that goes.
    private static readonly carrier = new THREE.Points(new THREE.BufferGeometry().setAttribute('position', Uploads.nothing), new THREE.PointsMaterial());
    private static readonly target = new THREE.WebGLRenderTarget(1, 1);

    /** `whenIdle` calls what it is given once the GPU has nothing to do: else an array waits for that. */
    constructor(private readonly renderer: THREE.WebGLRenderer, private readonly camera: THREE.Camera, private readonly whenIdle: (send: () => void) => Promise<void>) {
        Uploads.carrier.frustumCulled = false;
        Uploads.carrier.geometry.setDrawRange(0, 0);
        // Else the renderer finds one, of every array anew.
        Uploads.carrier.geometry.boundingSphere = new THREE.Sphere();
    }

    async send(root: THREE.Object3D): Promise<void> {
        const { vertices, indices } = largeArrays(root);
        for (const attribute of vertices) await this.carry(attribute, null);
        for (const index of indices) await this.carry(Uploads.nothing, index);
        Uploads.carrier.geometry.deleteAttribute('carried').setIndex(null);
    }

    // Draws none of it, which has it sent.
    private async carry(attribute: THREE.BufferAttribute, index: THREE.BufferAttribute | null): Promise<void> {
        // Under a name that no shader has: joints are whole numbers, and no position.
        Uploads.carrier.geometry.setAttribute('carried', attribute).setIndex(index);
        await this.whenIdle(() => {
            this.renderer.setRenderTarget(Uploads.target);
            this.renderer.render(Uploads.carrier as unknown as THREE.Scene, this.camera);
            this.renderer.setRenderTarget(null);
        });
    }
}
