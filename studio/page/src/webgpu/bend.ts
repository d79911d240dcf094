import texts from 'limber-wgsl';
import type * as THREE from 'three';
import { attribute, Fn, int, normalLocal, positionLocal, tangentLocal, texture, uvec4, vec3, vec4, wgsl, wgslFn } from 'three/tsl';
import type { Node } from 'three/webgpu';
import type { Bending } from '../view/skin';
import { morphOf } from './morphs';

// The palette is declared by three.js under its name; there is one, and no morph targets, of which the counts tell.
const ofThree = (text: string): string => text.replace(/@group\(0\) @binding\(0\) var lmb_palettes.*\n/, '').replace(/@group\(0\) @binding\(4\) var<uniform> lmb_counts: (.*);/, 'const lmb_counts = $1(0u);');

const call = `
fn lmb_bent(lmb_from: texture_2d<f32>, position: vec3<f32>, normal: vec3<f32>, tangent: vec3<f32>, joints: vec4<u32>, weights: vec4<f32>, joints2: vec4<u32>, weights2: vec4<f32>) -> mat3x3<f32> {
    let bent = lmb_skin(0u, lmb_row(joints, weights, joints2, weights2), lmb_vertex(position, normal, vec4<f32>(tangent, 1.0)));
    return mat3x3<f32>(bent.position, bent.normal, bent.tangent.xyz);
}`;

/** Where a vertex is, and how its normal stands: one node for all meshes of a figure that are bent alike, so that three.js
 * makes one program of it. Each mesh has its palette looked up as it is drawn. */
export class Bends {
    // Not for other figures: what three.js shares with one that goes loses its textures.
    private readonly shared = new WeakMap<object, Map<string, Node>>();
    private readonly palettes = new WeakMap<object, THREE.Texture>();

    /** Null: the mesh is drawn as it is. */
    of(bending: Bending | null, mesh: THREE.Mesh): Node | null {
        if (!bending) return null;
        this.putPalette(mesh, bending);
        // Morph targets of one mesh are nothing to another.
        const { figure } = bending, { position, normal } = mesh.geometry.morphAttributes, own = position || normal ? ` ${mesh.geometry.id}` : '';
        const key = keyOf(bending, mesh) + own;
        let shared = this.shared.get(figure);
        if (!shared) this.shared.set(figure, (shared = new Map()));
        let node = shared.get(key);
        if (!node) shared.set(key, (node = this.make(bending, mesh)));
        return node;
    }

    /** The object is drawn by what was made for another one that is bent so. */
    putPalette(object: THREE.Object3D, { palette }: Bending): void {
        this.palettes.set(object, palette);
    }

    // Morph targets come first: three.js would have them come last, so that the mesh is to be drawn without them.
    private make({ mode, influences, palette }: Bending, { geometry }: THREE.Mesh): Node {
        if (mode === 'lanes') {
            return Fn(() => {
                normalLocal.assign(attribute('lmb_normal', 'vec3'));
                return attribute('lmb_position', 'vec3');
            })();
        }
        const wide = influences === 8, tangents = geometry.hasAttribute('tangent'), morph = morphOf(geometry);
        const bend = wgslFn(call, [wgsl(ofThree(texts[mode][wide ? 8 : 4]))]);
        const matrices = texture(palette).setName('lmb_palettes').onObjectUpdate(({ object }) => this.palettes.get(object!) as never);
        return Fn(() => {
            morph?.();
            const bent = bend(
                matrices, positionLocal, normalLocal, tangents ? tangentLocal : vec3(0, 0, 0), attribute('lmb_in_joints', 'uvec4'), attribute('lmb_in_weights', 'vec4'),
                wide ? attribute('lmb_in_joints2', 'uvec4') : uvec4(0, 0, 0, 0), wide ? attribute('lmb_in_weights2', 'vec4') : vec4(0, 0, 0, 0),
            ).toVar();
            normalLocal.assign(bent.element(int(1)));
            if (tangents) tangentLocal.assign(bent.element(int(2)));
            return bent.element(int(0));
        })();
    }
}

function keyOf({ mode, influences }: Bending, { geometry }: THREE.Mesh): string {
    return mode === 'lanes' ? mode : `${mode} ${influences}${geometry.hasAttribute('tangent') ? ' tangents' : ''}`;
}
