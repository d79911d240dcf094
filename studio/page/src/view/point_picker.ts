import * as THREE from 'three';
import { drawWith } from './skin';

const makeDepth = (): THREE.MeshDepthMaterial => new THREE.MeshDepthMaterial({ side: THREE.DoubleSide });

/** Finds the point of the surface that is seen at a pixel of the canvas: the GPU draws that one pixel's depth. */
export class PointPicker {
    private readonly target = new THREE.WebGLRenderTarget(1, 1, { type: THREE.FloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });
    private readonly depth = makeDepth();
    private readonly pixel = new Float32Array(4);

    constructor(private readonly renderer: THREE.WebGLRenderer, private readonly camera: THREE.PerspectiveCamera) {}

    /** Null where nothing of `root` is seen. x and y in pixels of the page. */
    pick(root: THREE.Object3D, x: number, y: number, width: number, height: number): THREE.Vector3 | null {
        const scene = new THREE.Scene();
        const { offsetX, offsetY } = this.camera.view?.enabled ? this.camera.view : { offsetX: 0, offsetY: 0 };
        this.camera.setViewOffset(width, height, Math.floor(x) + offsetX, Math.floor(y) + offsetY, 1, 1);
        // Drawn where it stands: adding it to the scene would move it between parents.
        scene.children.push(root);
        this.renderer.setRenderTarget(this.target);
        this.renderer.setClearColor(0, 0);
        this.renderer.clear();
        drawWith(root, 'pick', makeDepth, this.depth, () => this.renderer.render(scene, this.camera));
        this.renderer.setRenderTarget(null);
        scene.children.length = 0;
        if (offsetX || offsetY) this.camera.setViewOffset(width, height, offsetX, offsetY, width, height);
        else this.camera.clearViewOffset();
        this.renderer.readRenderTargetPixels(this.target, 0, 0, 1, 1, this.pixel);
        // The material writes 1 - depth, and nothing where there is nothing.
        const nearness = this.pixel[0]!;
        if (nearness <= 0) return null;
        return new THREE.Vector3((2 * x) / width - 1, 1 - (2 * y) / height, 1 - 2 * nearness).unproject(this.camera);
    }

    dispose(): void {
        this.target.dispose();
        this.depth.dispose();
    }
}
