import shaders from 'limber-shaders';
import * as THREE from 'three';
import { Palette } from './palette';
import { makeSurface, type Surface } from './surfaces';

/** How the GPU bends a mesh: by the module's shaders, or from vertices that the module has bent ("lanes"). */
export type SkinMode = 'linear' | 'dual' | 'lanes';

/** How a mesh is bent: by which text, of how many joints a vertex, by which palette. */
export interface Bending {
    mode: SkinMode;
    influences: 4 | 8 | 'more';
    palette: THREE.DataTexture;
    /** Whose meshes come and go together with it. */
    figure: object;
}

type Rewriter = THREE.Material['onBeforeCompile'];

// Of a matrix that only rotates and translates, columns are this near to being orthonormal.
const rigidTolerance = 1e-4;

// What three.js does itself to skinned vertices.
const itsOwn = /#include <(skinning_pars_vertex|skinbase_vertex|skinnormal_vertex|skinning_vertex|begin_vertex|morphtarget_vertex|morphnormal_vertex)>/g;

const lanesText = 'attribute vec3 lmb_position; attribute vec3 lmb_normal;';

/** Where three.js has a vertex's position and normal, they come out bent; morph targets come first. */
function bendText(mode: SkinMode, wide: boolean, lit: boolean): string {
    if (mode === 'lanes') return lit ? 'vec3 transformed = lmb_position;\n#include <beginnormal_vertex>\nobjectNormal = lmb_normal;' : 'vec3 transformed = lmb_position;';
    const further = wide ? 'lmb_in_joints2, lmb_in_weights2' : 'uvec4(0u), vec4(0.0)';
    return `
        #include <begin_vertex>
        #include <morphtarget_vertex>
        ${lit ? '#include <beginnormal_vertex>\n#include <morphnormal_vertex>' : ''}
        lmb_vertex bent = lmb_vertex(transformed, ${lit ? 'objectNormal' : 'vec3(0.0)'}, vec4(0.0));
        ${lit ? '#ifdef USE_TANGENT\nbent.tangent = vec4(objectTangent, tangent.w);\n#endif' : ''}
        lmb_skin(0, lmb_in_joints, lmb_in_weights, ${further}, bent);
        transformed = bent.position;
        ${lit ? 'objectNormal = bent.normal;\n#ifdef USE_TANGENT\nobjectTangent = bent.tangent.xyz;\n#endif' : ''}`;
}

function rewrite(vertexShader: string, mode: SkinMode, wide: boolean): string {
    // A depth pass has no normals.
    const lit = !vertexShader.includes('vHighPrecisionZW');
    const at = lit ? '#include <beginnormal_vertex>' : '#include <begin_vertex>';
    const mark = '/* bent here */';
    const text = mode === 'lanes' ? lanesText : shaders[mode][wide ? 8 : 4];
    return `${text}\n${vertexShader.replace(at, mark).replace(itsOwn, '').replace(mark, bendText(mode, wide, lit))}`;
}

/** One skinned mesh, bent by Limber and not by three.js: all joints of a vertex, by any of its methods. */
export class Skin {
    private static readonly known = new WeakMap<THREE.Object3D, Skin>();
    mode: SkinMode = 'linear';
    /** Whether a vertex follows more than four joints; more than eight are for the lanes. */
    readonly influences: Bending['influences'];
    /** What the file has it look like. */
    readonly own: THREE.Material | THREE.Material[];
    private readonly uniforms: { lmb_palettes: { value: THREE.DataTexture }; lmb_counts: { value: number[] } };
    private palette: Palette;
    private readonly dressed = new Set<THREE.Material>();
    private readonly twins = new Map<string, THREE.Material>();
    private readonly matrix = new THREE.Matrix4();

    constructor(readonly mesh: THREE.SkinnedMesh, private readonly figure: object) {
        Skin.known.set(mesh, this);
        this.influences = adopt(mesh.geometry);
        this.palette = Palette.of(figure, mesh.skeleton, 'linear');
        this.uniforms = { lmb_palettes: { value: this.palette.texture }, lmb_counts: { value: this.palette.counts } };
        // Its own skinning is not in the shaders, and its uniforms are not computed.
        mesh.skeleton.update = () => {};
        beInScene(mesh);
        this.own = mesh.material = Array.isArray(mesh.material) ? mesh.material.map((one) => this.dress(one.clone())) : this.dress(mesh.material.clone());
        mesh.customDepthMaterial = this.twin('light', () => new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking, side: THREE.DoubleSide }));
        if (this.influences === 'more') {
            const { position, normal } = mesh.geometry.attributes as Record<string, THREE.BufferAttribute | undefined>;
            this.setLanes(position!.array as Float32Array, (normal?.array as Float32Array | undefined) ?? null);
            this.mode = 'lanes';
        }
    }

    /** The palettes of where the joints are, once each. */
    static update(skins: Skin[]): void {
        for (const palette of new Set(skins.filter(({ mode }) => mode !== 'lanes').map((skin) => skin.palette))) palette.update();
    }

    static of(object: THREE.Object3D): Skin | undefined {
        return Skin.known.get(object);
    }

    /** The material bends the mesh from now on. One that draws other meshes is of no use here. */
    dress<M extends THREE.Material>(material: M): M {
        const before: Rewriter = material.onBeforeCompile.bind(material);
        material.onBeforeCompile = (shader, renderer) => {
            before(shader, renderer);
            Object.assign(shader.uniforms, this.uniforms);
            shader.vertexShader = rewrite(shader.vertexShader, this.mode, this.influences === 8);
        };
        const key = material.customProgramCacheKey.bind(material);
        material.customProgramCacheKey = () => `${key()} ${this.mode} ${this.influences}`;
        this.dressed.add(material);
        return material;
    }

    /** A material of this mesh's own for a pass of the picture, made once. */
    twin(pass: string, make: () => THREE.Material): THREE.Material {
        let material = this.twins.get(pass);
        if (!material) this.twins.set(pass, (material = this.dress(make())));
        return material;
    }

    wear(surface: Surface): void {
        this.mesh.material = surface === 'own' ? this.own : this.twin(surface, () => makeSurface(surface));
    }

    setMode(mode: SkinMode): void {
        const next = this.influences === 'more' ? 'lanes' : mode;
        if (next === this.mode) return;
        this.mode = next;
        for (const material of this.dressed) material.needsUpdate = true;
        if (next !== 'lanes') this.take(next);
    }

    get bending(): Bending {
        return { mode: this.mode, influences: this.influences, palette: this.uniforms.lmb_palettes.value, figure: this.figure };
    }

    /** Whether its joints only rotate and translate now: dual quaternions hold no more. */
    get rigid(): boolean {
        const { bones, boneInverses } = this.mesh.skeleton;
        return bones.every((bone, joint) => isRigid(this.matrix.multiplyMatrices(bone.matrixWorld, boneInverses[joint]!)));
    }

    private take(kind: 'linear' | 'dual'): void {
        const before = this.palette;
        this.palette = Palette.of(this.figure, this.mesh.skeleton, kind);
        before.release();
        this.palette.update();
        this.uniforms.lmb_palettes.value = this.palette.texture;
        this.uniforms.lmb_counts.value = this.palette.counts;
    }

    /** Vertices as the module has bent them, for the lanes. */
    setLanes(positions: Float32Array, normals: Float32Array | null): void {
        setVertices(this.mesh.geometry, 'lmb_position', positions);
        setVertices(this.mesh.geometry, 'lmb_normal', normals ?? (this.mesh.geometry.getAttribute('normal')?.array as Float32Array | undefined) ?? positions);
    }

    dispose(): void {
        for (const material of this.dressed) material.dispose();
        this.palette.release();
    }
}

/** The geometry's joints and weights under the names that the shader has for them. */
function adopt(geometry: THREE.BufferGeometry): Bending['influences'] {
    // Of Uint8 or Uint16, and whole numbers in the shader.
    const whole = (name: string): THREE.BufferAttribute => Object.assign(geometry.getAttribute(name) as THREE.BufferAttribute, { gpuType: THREE.IntType });
    geometry.setAttribute('lmb_in_joints', whole('skinIndex'));
    geometry.setAttribute('lmb_in_weights', geometry.getAttribute('skinWeight'));
    if (!geometry.getAttribute('joints_1')) return 4;
    geometry.setAttribute('lmb_in_joints2', whole('joints_1'));
    geometry.setAttribute('lmb_in_weights2', geometry.getAttribute('weights_1'));
    return geometry.getAttribute('joints_2') ? 'more' : 8;
}

/** Palettes lead to the scene, whatever node shows the mesh (glTF 2.0, 3.7.3.3). Nothing may hang from it. */
function beInScene(mesh: THREE.SkinnedMesh): void {
    mesh.matrixWorldAutoUpdate = false;
    mesh.matrixWorld.identity();
}

function isRigid({ elements: m }: THREE.Matrix4): boolean {
    const dot = (a: number, b: number): number => m[a]! * m[b]! + m[a + 1]! * m[b + 1]! + m[a + 2]! * m[b + 2]!;
    const off = [dot(0, 0) - 1, dot(4, 4) - 1, dot(8, 8) - 1, dot(0, 4), dot(4, 8), dot(8, 0)];
    return off.every((value) => Math.abs(value) < rigidTolerance);
}

function setVertices(geometry: THREE.BufferGeometry, name: string, from: Float32Array): void {
    const there = geometry.getAttribute(name) as THREE.BufferAttribute | undefined;
    if (!there || there.array.length !== from.length) {
        geometry.setAttribute(name, new THREE.BufferAttribute(from.slice(), 3).setUsage(THREE.DynamicDrawUsage));
        return;
    }
    (there.array as Float32Array).set(from);
    there.needsUpdate = true;
}

type Look = THREE.Material | THREE.Material[];

/** Draws with the materials that `other` gives in place of the meshes' own. */
export function drawAs(root: THREE.Object3D, other: (mesh: THREE.Mesh<THREE.BufferGeometry, Look>) => Look, draw: () => void): void {
    const own: [THREE.Mesh, Look][] = [];
    root.traverseVisible((object) => {
        const mesh = object as THREE.Mesh;
        if (!mesh.isMesh) return;
        own.push([mesh, mesh.material]);
        mesh.material = other(mesh);
    });
    draw();
    for (const [mesh, material] of own) mesh.material = material;
}

/** Draws with another material than the meshes have: of a skinned one a twin that bends it, made by `make` as the others' is. */
export function drawWith(root: THREE.Object3D, pass: string, make: () => THREE.Material, plain: THREE.Material, draw: () => void): void {
    drawAs(root, (mesh) => Skin.of(mesh)?.twin(pass, make) ?? plain, draw);
}
