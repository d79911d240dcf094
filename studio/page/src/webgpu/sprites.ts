import type * as THREE from 'three';
import { attribute } from 'three/tsl';
import { InstancedBufferAttribute, InstancedBufferGeometry, Mesh, PlaneGeometry, type Node } from 'three/webgpu';

const place = attribute('place', 'vec3');

/** Points as squares that face the camera: by themselves they are a pixel wide in WebGPU. */
export class Sprites {
    private readonly made = new WeakMap<THREE.Points, Mesh>();
    private readonly squares = new WeakSet<object>();

    /** Where the middle of a square is; null: the mesh is none. */
    placeOf(mesh: THREE.Mesh): Node | null {
        return this.squares.has(mesh) ? place : null;
    }

    /** Draws with squares in place of the points of the scene. */
    stand(scene: THREE.Scene, draw: () => void): void {
        const all: THREE.Points[] = [];
        scene.traverseVisible((object) => void ((object as THREE.Points).isPoints && all.push(object as THREE.Points)));
        const squares = all.map((points) => this.of(points));
        try {
            for (const points of all) points.visible = false;
            if (squares.length) scene.add(...(squares as unknown as THREE.Mesh[]));
            draw();
        } finally {
            for (const square of squares) square.removeFromParent();
            for (const points of all) points.visible = true;
        }
    }

    private of(points: THREE.Points): Mesh {
        const places = points.geometry.getAttribute('position') as THREE.BufferAttribute;
        let square = this.made.get(points);
        if (!square) {
            this.made.set(points, (square = new Mesh()));
            this.squares.add(square);
            square.matrixAutoUpdate = false;
            square.frustumCulled = false;
        }
        const shown = square.geometry.getAttribute('place') as InstancedBufferAttribute | undefined;
        if (shown?.array !== places.array) {
            square.geometry.dispose();
            square.geometry = squaresAt(places.array);
        } else if (shown.version !== places.version) shown.needsUpdate = true;
        square.material = points.material as never;
        square.renderOrder = points.renderOrder;
        square.matrix.copy(points.matrixWorld as never);
        return square;
    }
}

function squaresAt(places: THREE.TypedArray): InstancedBufferGeometry {
    const { attributes: { position }, index } = new PlaneGeometry(1, 1);
    const geometry = new InstancedBufferGeometry().setIndex(index!).setAttribute('position', position!) as InstancedBufferGeometry;
    geometry.setAttribute('place', new InstancedBufferAttribute(places, 3));
    geometry.instanceCount = places.length / 3;
    return geometry;
}
