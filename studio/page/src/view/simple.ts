import * as THREE from 'three';
import { drawAs, Skin } from './skin';

const twins = new WeakMap<THREE.Material, THREE.Material>();
// The surroundings' part of the light that falls on what is seen.
const ambientGain = 1.5;

/** Only diffuse light and the colours: no surroundings, no reflections, no bumps. Freed with the material. */
function makeTwin(material: THREE.MeshStandardMaterial, skin: Skin | undefined): THREE.Material {
    const twin = new THREE.MeshLambertMaterial();
    THREE.Material.prototype.copy.call(twin, material);
    twin.color.copy(material.color).multiplyScalar(ambientGain);
    twin.emissive.copy(material.emissive);
    const { map, alphaMap, emissiveMap, emissiveIntensity, wireframe, flatShading } = material;
    Object.assign(twin, { map, alphaMap, emissiveMap, emissiveIntensity, wireframe, flatShading });
    material.addEventListener('dispose', () => twin.dispose());
    return skin ? skin.dress(twin) : twin;
}

/** What a mesh's material is drawn as in the simple picture. */
export function simplified(material: THREE.Material | THREE.Material[], skin: Skin | undefined): THREE.Material | THREE.Material[] {
    return Array.isArray(material) ? material.map((one) => twinOf(one, skin)) : twinOf(material, skin);
}

function twinOf(material: THREE.Material, skin: Skin | undefined): THREE.Material {
    if (!(material instanceof THREE.MeshStandardMaterial)) return material;
    let twin = twins.get(material);
    if (!twin) twins.set(material, (twin = makeTwin(material, skin)));
    return twin;
}

/** Whatever is drawn meanwhile is drawn simply. */
export function drawSimply(root: THREE.Object3D, draw: () => void): void {
    drawAs(root, (mesh) => simplified(mesh.material, Skin.of(mesh)), draw);
}
