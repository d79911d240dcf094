import type * as THREE from 'three';
import { float, neutralToneMapping, output, sRGBTransferOETF, vec4 } from 'three/tsl';
import { LineBasicNodeMaterial, MeshBasicNodeMaterial, MeshLambertNodeMaterial, MeshMatcapNodeMaterial, MeshNormalNodeMaterial, MeshPhysicalNodeMaterial, MeshStandardNodeMaterial, PointsNodeMaterial, ShadowNodeMaterial, type Node, type NodeMaterial } from 'three/webgpu';

type Look = THREE.Material | THREE.Material[];

// By what the stage has, and GLTFLoader makes.
const nodeMaterials: Record<string, new () => NodeMaterial> = {
    LineBasicMaterial: LineBasicNodeMaterial, MeshBasicMaterial: MeshBasicNodeMaterial, MeshLambertMaterial: MeshLambertNodeMaterial, MeshMatcapMaterial: MeshMatcapNodeMaterial, MeshNormalMaterial: MeshNormalNodeMaterial,
    MeshPhysicalMaterial: MeshPhysicalNodeMaterial, MeshStandardMaterial: MeshStandardNodeMaterial, PointsMaterial: PointsNodeMaterial, ShadowMaterial: ShadowNodeMaterial,
};

// Of this material alone, and not of its twin.
const ownOnly = new Set(['uuid', 'version', '_listeners', 'onBeforeCompile', 'customProgramCacheKey']);

// Tones are mapped where WebGL maps them, before blending. One for all: three.js makes a program of each.
const inDisplayTones = {
    mapped: vec4(sRGBTransferOETF(neutralToneMapping(output.rgb, float(1))), output.a),
    plain: vec4(sRGBTransferOETF(output.rgb), output.a),
};

interface Made {
    twin: NodeMaterial;
    /** Of the material that it was made of; null: it was put in its place. */
    version: number | null;
    /** How vertices are bent. */
    position: Node | null;
}

/** Materials as nodes: what three.js has for WebGL alone, made once more for WebGPU. */
export class Twins {
    private readonly made = new Map<THREE.Material, Made>();

    /** `positionOf` is how the vertices of a mesh are bent; null: not at all. */
    constructor(private readonly positionOf: (mesh: THREE.Mesh) => Node | null) {}

    /** This one is drawn as that. */
    put(material: THREE.Material, twin: NodeMaterial): void {
        this.made.set(material, { twin, version: null, position: null });
    }

    of(mesh: THREE.Mesh<THREE.BufferGeometry, Look>): Look {
        const { material } = mesh;
        return Array.isArray(material) ? material.map((one) => this.twin(one, mesh)) : this.twin(material, mesh);
    }

    private twin(material: THREE.Material, mesh: THREE.Mesh): THREE.Material {
        const position = this.positionOf(mesh);
        const before = this.made.get(material);
        if (before && (before.version === null || (before.version === material.version && before.position === position))) {
            before.twin.opacity = material.opacity;
            return before.twin as unknown as THREE.Material;
        }
        before?.twin.dispose();
        const twin = this.make(material);
        twin.positionNode = position as NodeMaterial['positionNode'];
        this.made.set(material, { twin, version: material.version, position });
        if (!before) material.addEventListener('dispose', () => this.forget(material));
        return twin as unknown as THREE.Material;
    }

    /** Before the renderer goes: what it has of a material that is freed later is then gone. */
    dispose(): void {
        for (const material of [...this.made.keys()]) this.forget(material);
    }

    private forget(material: THREE.Material): void {
        this.made.get(material)?.twin.dispose();
        this.made.delete(material);
    }

    private make(material: THREE.Material): NodeMaterial {
        const Class = nodeMaterials[material.type];
        if (!Class) throw new Error(`WebGPU has no ${material.type}`);
        const twin = new Class();
        for (const [key, value] of Object.entries(material)) if (!ownOnly.has(key)) (twin as unknown as Record<string, unknown>)[key] = value;
        const mapped = material.toneMapped && material.type !== 'MeshNormalMaterial';
        twin.outputNode = mapped ? inDisplayTones.mapped : inDisplayTones.plain;
        return twin;
    }
}
