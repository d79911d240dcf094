import * as THREE from 'three';

/** A geometry of its own for a mesh that is bent by itself: the module puts vertices in it. What does not change is shared. */
export function sharing(other: THREE.BufferGeometry): THREE.BufferGeometry {
    const geometry = new THREE.BufferGeometry();
    for (const [name, attribute] of Object.entries(other.attributes)) if (!['lmb_position', 'lmb_normal'].includes(name)) geometry.setAttribute(name, attribute);
    geometry.setIndex(other.index);
    const { groups, morphAttributes, morphTargetsRelative } = other;
    return Object.assign(geometry, { groups, morphAttributes, morphTargetsRelative });
}
