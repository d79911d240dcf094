import type * as THREE from 'three';
import { float, neutralToneMapping, output, sRGBTransferOETF, vec4 } from 'three/tsl';
import type { NodeMaterial, WebGPURenderer } from 'three/webgpu';
import type { Bending } from '../view/skin';
import { bentPosition } from './bend';

type Look = THREE.Material | THREE.Material[];

// Of this material alone, and not of its twin.
const ownOnly = new Set(['uuid', 'version', '_listeners', 'onBeforeCompile', 'customProgramCacheKey']);

/** Materials as nodes: what three.js has for WebGL alone, made once more for WebGPU. */
export class Twins {
    private readonly made = new WeakMap<THREE.Material, { key: string; twin: NodeMaterial }>();

    constructor(private readonly renderer: WebGPURenderer, private readonly bendingOf: (mesh: THREE.Mesh) => Bending | null) {}

    /** This one is drawn as that. */
    put(material: THREE.Material, twin: NodeMaterial): void {
        this.made.set(material, { key: '', twin });
    }

    of(mesh: THREE.Mesh<THREE.BufferGeometry, Look>): Look {
        const { material } = mesh;
        return Array.isArray(material) ? material.map((one) => this.twin(one, mesh)) : this.twin(material, mesh);
    }

    private twin(material: THREE.Material, mesh: THREE.Mesh): THREE.Material {
        const bending = this.bendingOf(mesh);
        const before = this.made.get(material);
        const key = bending ? `${bending.mode} ${material.version}` : `${material.version}`;
        if (before && (before.key === key || before.key === '')) {
            before.twin.opacity = material.opacity;
            return before.twin as unknown as THREE.Material;
        }
        before?.twin.dispose();
        const twin = this.make(material);
        if (bending) twin.positionNode = bentPosition(bending, mesh) as NodeMaterial['positionNode'];
        this.made.set(material, { key, twin });
        if (!before) material.addEventListener('dispose', () => this.made.get(material)?.twin.dispose());
        return twin as unknown as THREE.Material;
    }

    // Tones are mapped where WebGL maps them, before blending.
    private make(material: THREE.Material): NodeMaterial {
        const { library } = this.renderer;
        const Class = library.getMaterialNodeClass(material.type) as (new () => NodeMaterial) | null;
        if (!Class) throw new Error(`WebGPU has no ${material.type}`);
        const twin = new Class();
        for (const [key, value] of Object.entries(material)) if (!ownOnly.has(key)) (twin as unknown as Record<string, unknown>)[key] = value;
        const mapped = material.toneMapped && material.type !== 'MeshNormalMaterial';
        twin.outputNode = vec4(sRGBTransferOETF(mapped ? neutralToneMapping(output.rgb, float(1)) : output.rgb), output.a);
        return twin;
    }
}
