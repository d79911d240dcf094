import type * as THREE from 'three';

// Below this all of a geometry goes up within the picture that first shows it.
const smallBytes = 1 << 20;

/** Arrays below `root` that take long to be sent to the GPU, once each. */
export function largeArrays(root: THREE.Object3D): { vertices: Set<THREE.BufferAttribute>; indices: Set<THREE.BufferAttribute> } {
    const vertices = new Set<THREE.BufferAttribute>(), indices = new Set<THREE.BufferAttribute>();
    root.traverse((object) => {
        const geometry = (object as THREE.Mesh).geometry as THREE.BufferGeometry | undefined;
        for (const attribute of Object.values(geometry?.attributes ?? {})) if (isLarge(attribute)) vertices.add(attribute);
        if (geometry?.index && isLarge(geometry.index)) indices.add(geometry.index);
    });
    return { vertices, indices };
}

// Whichever three.js made it.
function isLarge(attribute: THREE.BufferAttribute | THREE.InterleavedBufferAttribute): attribute is THREE.BufferAttribute {
    return !('isInterleavedBufferAttribute' in attribute) && attribute.array.byteLength > smallBytes;
}
