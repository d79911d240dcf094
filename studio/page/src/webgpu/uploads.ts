import type * as THREE from 'three';
import { attribute } from 'three/tsl';
import { BufferAttribute, BufferGeometry, Camera, NodeMaterial, Points, type WebGPURenderer } from 'three/webgpu';
import { largeArrays } from '../view/large_arrays';

const nothing = new BufferAttribute(new Float32Array(3), 3);

/** Sends large arrays to the GPU one a task: all at once, as three.js does it at the first picture, takes long. */
export class Uploads {
    // One for all: the renderer counts geometries, and frees the arrays of one that goes.
    private readonly geometry = new BufferGeometry().setAttribute('position', nothing);
    private readonly camera = new Camera();

    constructor(private readonly renderer: WebGPURenderer) {}

    async send(root: THREE.Object3D): Promise<void> {
        const { vertices, indices } = largeArrays(root);
        for (const attribute of vertices) await this.carry(attribute, null);
        for (const index of indices) await this.carry(nothing as never, index);
        this.geometry.deleteAttribute('carried').setIndex(null);
    }

    // Compiles a program that reads it, which has it sent.
    private async carry(carried: THREE.BufferAttribute, index: THREE.BufferAttribute | null): Promise<void> {
        this.geometry.setAttribute('carried', carried as never).setIndex(index as never);
        const material = new NodeMaterial();
        material.vertexNode = attribute('carried', 'vec4');
        await this.renderer.compileAsync(new Points(this.geometry, material), this.camera);
        material.dispose();
        await new Promise((resolve) => setTimeout(resolve));
    }
}
