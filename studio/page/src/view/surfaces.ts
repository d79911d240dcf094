import * as THREE from 'three';

/** What a character is seen as: its own materials, or one that shows its shape. */
export type Surface = 'own' | 'clay' | 'normals' | 'wire';

const side = THREE.DoubleSide;
const made: Record<Exclude<Surface, 'own'>, () => THREE.Material> = {
    clay: () => new THREE.MeshStandardMaterial({ color: 0xb7a99a, roughness: 0.75, metalness: 0, side }),
    normals: () => new THREE.MeshNormalMaterial({ side }),
    wire: () => new THREE.MeshBasicMaterial({ color: 0x6f8cff, wireframe: true, transparent: true, opacity: 0.45, toneMapped: false }),
};

export function makeSurface(surface: Exclude<Surface, 'own'>): THREE.Material {
    return made[surface]();
}
