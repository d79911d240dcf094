import type * as THREE from 'three';
import { float, int, ivec2, normalLocal, positionLocal, reference, textureLoad, vertexIndex } from 'three/tsl';
import { DataArrayTexture, FloatType, RGBAFormat } from 'three/webgpu';

const width = 1024;

type Targets = THREE.BufferGeometry['morphAttributes'];

/** A layer a target, of each vertex its position's texel and its normal's. */
function textureOf({ position, normal }: Targets): DataArrayTexture {
    const layers = (position ?? normal)!, height = Math.ceil((2 * layers[0]!.count) / width), texels = new Float32Array(4 * width * height * layers.length);
    [position, normal].forEach((targets, kind) => targets?.forEach((target, layer) => {
        for (let v = 0; v < target.count; ++v) texels.set([target.getX(v), target.getY(v), target.getZ(v)], 4 * (layer * width * height + 2 * v + kind));
    }));
    const texture = new DataArrayTexture(texels, width, height, layers.length);
    return Object.assign(texture, { format: RGBAFormat, type: FloatType, needsUpdate: true });
}

/** What puts position and normal where the morph targets of a geometry have them, by the influences of what is drawn; for use
 * inside a function of nodes. Null: there are no targets. */
export function morphOf(geometry: THREE.BufferGeometry): (() => void) | null {
    const { morphAttributes, morphTargetsRelative } = geometry, { position, normal } = morphAttributes;
    if (!position && !normal) return null;
    const targets = textureOf(morphAttributes), layers = (position ?? normal)!;
    geometry.addEventListener('dispose', () => targets.dispose());
    return () => {
        const influences = layers.map((_, layer) => reference('morphTargetInfluences', 'float', undefined as never).element(int(layer)).toVar());
        // Targets that are whole shapes take the place of what is there.
        const rest = morphTargetsRelative ? float(1) : influences.reduce<ReturnType<typeof float>>((left, influence) => left.sub(influence) as never, float(1));
        [position && positionLocal, normal && normalLocal].forEach((sum, kind) => {
            if (!sum) return;
            sum.mulAssign(rest);
            const texel = int(vertexIndex).mul(2).add(kind), at = ivec2(texel.mod(width), texel.div(width));
            influences.forEach((influence, layer) => sum.addAssign(textureLoad(targets, at).depth(int(layer)).xyz.mul(influence)));
        });
    };
}
