import type * as THREE from 'three';

/** How a picture is drawn: a material has other programs in each. */
export type Way = 'simple' | 'full' | 'painted';

type Drawn = THREE.Object3D & { material?: THREE.Material | THREE.Material[]; geometry?: THREE.BufferGeometry };

/** Which materials were drawn before. Programs of others are still to be made: what is drawn first by a new one holds the page up
 * for all that the GPU has to draw before, so that new ones draw nothing at first. */
export class Rehearsal {
    /** By their versions. */
    private known = { simple: new WeakMap<THREE.Material, number>(), full: new WeakMap<THREE.Material, number>(), painted: new WeakMap<THREE.Material, number>() };

    /** What is to be seen in the scene by a material that is new there. */
    fresh(scene: THREE.Object3D, way: Way): THREE.Object3D[] {
        const known = this.known[way], found: THREE.Object3D[] = [];
        scene.traverseVisible((object: Drawn) => {
            if (materialsOf(object).some((material) => known.get(material) !== material.version)) found.push(object);
        });
        return found;
    }

    /** These are drawn by now; what has come since may not be. */
    learn(objects: THREE.Object3D[], way: Way): void {
        for (const material of objects.flatMap(materialsOf)) this.known[way].set(material, material.version);
    }

    /** Another painter has no programs. */
    forgetPainted(): void {
        this.known.painted = new WeakMap();
    }

    /** Draws no triangle of the scene. */
    drawNothing(scene: THREE.Object3D, draw: () => void): void {
        const ranges = new Map<THREE.BufferGeometry, { start: number; count: number }>();
        scene.traverseVisible(({ geometry }: Drawn) => geometry && ranges.set(geometry, geometry.drawRange));
        for (const geometry of ranges.keys()) geometry.drawRange = { start: 0, count: 0 };
        try {
            draw();
        } finally {
            for (const [geometry, range] of ranges) geometry.drawRange = range;
        }
    }
}

function materialsOf({ material }: Drawn): THREE.Material[] {
    return material ? [material].flat() : [];
}
