import * as THREE from 'three';

/** The ground that a steered character walks on, as the module tells it. */
export class Course {
    readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;

    /** Half its width, the height of the level, then z and height over it, point after point. */
    constructor([half = 0, floor = 0, ...profile]: number[]) {
        const points: number[] = [];
        const quad = (...corners: [number, number, number][]): void => {
            const [a, b, c, d] = corners as [[number, number, number], [number, number, number], [number, number, number], [number, number, number]];
            points.push(...a, ...b, ...c, ...a, ...c, ...d);
        };
        for (let k = 0; k + 3 < profile.length; k += 2) {
            const [z, y, toZ, toY] = [profile[k]!, floor + profile[k + 1]!, profile[k + 2]!, floor + profile[k + 3]!];
            quad([-half, y, z], [-half, toY, toZ], [half, toY, toZ], [half, y, z]);
            if (toZ > z) {
                quad([half, floor, z], [half, y, z], [half, toY, toZ], [half, floor, toZ]);
                quad([-half, floor, toZ], [-half, toY, toZ], [-half, y, z], [-half, floor, z]);
            }
        }
        const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(points), 3));
        geometry.computeVertexNormals();
        this.mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: 0x5f6880, roughness: 0.9, side: THREE.DoubleSide }));
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        this.mesh.visible = half > 0;
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
        this.mesh.removeFromParent();
    }
}
