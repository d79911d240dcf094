import * as THREE from 'three';
import type { Picture } from '../engine/picture';
import { sharing } from './sharing';
import { Skin } from './skin';
import { makeSurface, type Surface } from './surfaces';
import { together } from './together';
import { GLTFLoader, type GLTF, type GLTFLoaderPlugin, type GLTFParser } from 'three/examples/jsm/loaders/GLTFLoader.js';

/** A joint as the file has it, and as three moves it. */
export interface Joint {
    /** As in the file: three.js takes some letters out of the names of nodes. */
    name: string;
    node: THREE.Object3D;
    parent: number;
    /** Where it is to its parent at rest. */
    rest: THREE.Quaternion;
    restPosition: THREE.Vector3;
    /** How far to the left it is at rest. */
    left: number;
}

type MeshSurface = THREE.Mesh<THREE.BufferGeometry, THREE.Material | THREE.Material[]>;

// What a file without materials looks like: by glTF's own defaults it would be metal.
function beClay(material: THREE.Material): void {
    if (!(material instanceof THREE.MeshStandardMaterial)) return;
    material.color.set(0xa9a298);
    material.metalness = 0;
    material.roughness = 0.8;
    material.side = THREE.DoubleSide;
}

interface TextureParts {
    textures?: { source?: number }[];
    images?: { uri?: string; bufferView?: number }[];
}

// Last of the plugins: the others know pictures of their own. GLTFLoader stumbles over a texture without one, and the
// character is not to be lost with it.
class PicturelessTextures implements GLTFLoaderPlugin {
    readonly name = 'pictureless textures';

    constructor(private readonly parser: GLTFParser) {}

    loadTexture(index: number): Promise<THREE.Texture> | null {
        const { textures, images } = this.parser.json as TextureParts;
        const image = images?.[textures?.[index]?.source ?? -1];
        // What the loader makes of a texture that it cannot load.
        return image && (image.uri !== undefined || image.bufferView !== undefined) ? null : Promise.resolve(null as unknown as THREE.Texture);
    }
}

// The parts of the file as the worker cut them: nothing is copied here.
class CutViews implements GLTFLoaderPlugin {
    readonly name = 'cut views';

    constructor(private readonly views: ArrayBuffer[]) {}

    loadBufferView(index: number): Promise<ArrayBuffer> | null {
        const view = this.views[index];
        return view ? Promise.resolve(view) : null;
    }
}

// The worker has done it; GLTFLoader would do it once more, a vertex after the other.
THREE.SkinnedMesh.prototype.normalizeSkinWeights = () => {};

async function parse({ json, views }: Picture): Promise<GLTF> {
    const loader = new GLTFLoader().register((parser) => new PicturelessTextures(parser)).register(() => new CutViews(views));
    try {
        // The loader takes JSON that is parsed already, which its types do not say.
        return await loader.parseAsync(json as unknown as string, '');
    } catch (error) {
        throw new Error(`It was read, and cannot be drawn: ${(error as Error).message}`);
    }
}

interface MeshSource {
    node: number;
    primitive: number;
}

function sourcesOf({ scene, parser: { associations } }: GLTF): Map<THREE.Object3D, MeshSource> {
    const sources = new Map<THREE.Object3D, MeshSource>();
    scene.traverse((mesh) => {
        if (!(mesh as MeshSurface).isMesh) return;
        // Several primitives hang from their node.
        const node = associations.get(mesh)?.nodes ?? (mesh.parent && associations.get(mesh.parent)?.nodes);
        const { primitives = 0 } = (associations.get(mesh) ?? {}) as { primitives?: number };
        if (typeof node === 'number') sources.set(mesh, { node, primitive: primitives });
    });
    return sources;
}

// Figures that share a mesh of the file are bent and coloured each for itself.
function haveOwnGeometries(meshes: MeshSurface[]): void {
    const taken = new Set<THREE.BufferGeometry>();
    for (const mesh of meshes) {
        if (mesh instanceof THREE.SkinnedMesh && taken.has(mesh.geometry)) mesh.geometry = sharing(mesh.geometry);
        taken.add(mesh.geometry);
    }
}

// A skinned mesh stands in the scene and not where its node is: what hangs from that node, or is moved by it as a joint,
// gets a node of its own there.
function freeNodes({ scene, parser, animations }: GLTF): void {
    const skinned: THREE.SkinnedMesh[] = [];
    scene.traverse((object) => object instanceof THREE.SkinnedMesh && skinned.push(object));
    for (const mesh of skinned) {
        if (mesh.children.length === 0 && !skinned.some(({ skeleton }) => skeleton.bones.includes(mesh as unknown as THREE.Bone))) continue;
        const node = new THREE.Object3D();
        node.position.copy(mesh.position);
        node.quaternion.copy(mesh.quaternion);
        node.scale.copy(mesh.scale);
        // Clips find it by its name or its number; morph weights are the mesh's.
        Object.assign(node, { name: mesh.name, uuid: mesh.uuid });
        Object.assign(mesh, { name: '', uuid: THREE.MathUtils.generateUUID() });
        const weights = [node.name, node.uuid].map((name) => `${name}.morphTargetInfluences`);
        for (const { tracks } of animations) for (const track of tracks) if (weights.includes(track.name)) track.name = `${mesh.uuid}.morphTargetInfluences`;
        node.add(...mesh.children);
        mesh.parent!.add(node);
        for (const { skeleton } of skinned) skeleton.bones = skeleton.bones.map((bone) => ((bone as unknown) === mesh ? (node as THREE.Bone) : bone));
        const { nodes, ...association } = (parser.associations.get(mesh) ?? {}) as { nodes?: number };
        parser.associations.set(node, { nodes } as never);
        parser.associations.set(mesh, association as never);
    }
}

/** A GLB on the stage: its meshes, joints and clips. */
export class Character {
    readonly root: THREE.Group;
    /** Those of the file. */
    readonly clips: THREE.AnimationClip[];
    /** Clips of several figures at once, where the file has one a figure. */
    readonly together: THREE.AnimationClip[];
    readonly meshes: MeshSurface[] = [];
    /** Of those meshes that joints bend. */
    readonly skins: Skin[];
    readonly joints: Joint[] = [];
    /** Nodes by their index in the file. */
    readonly nodes: Map<number, THREE.Object3D>;
    /** Which node of the file shows a mesh, and which primitive of the node's mesh it is. */
    readonly sources = new Map<THREE.Mesh, MeshSource>();
    readonly box: THREE.Box3;
    /** What meshes that no joints bend look like by themselves, and what they are shown as else. */
    private readonly ownLooks = new Map<MeshSurface, THREE.Material | THREE.Material[]>();
    private readonly otherLooks = new Map<Surface, THREE.Material>();

    private constructor(gltf: GLTF, names: Map<THREE.Object3D, string>, nodes: Map<number, THREE.Object3D>, sources: Map<THREE.Object3D, MeshSource>, skinJoints: Set<THREE.Object3D>, bounds: Picture['bounds']) {
        this.root = gltf.scene;
        this.clips = gltf.animations;
        this.nodes = nodes;
        this.root.updateMatrixWorld(true);
        this.root.traverse((object) => {
            if (!(object as MeshSurface).isMesh) return;
            object.frustumCulled = false;
            object.castShadow = object.receiveShadow = true;
            this.meshes.push(object as MeshSurface);
            const source = sources.get(object);
            if (source) this.sources.set(object as MeshSurface, source);
        });
        haveOwnGeometries(this.meshes);
        this.skins = this.meshes.filter((mesh) => mesh instanceof THREE.SkinnedMesh).map((mesh) => new Skin(mesh, this));
        this.gather(names, skinJoints);
        this.together = together(this.root, this.joints, new Set(this.skins.map(({ mesh }) => mesh.skeleton)), this.clips);
        this.box = this.boxOf(bounds);
        // Else the renderer finds one, on the page's thread, by skinning every vertex twice.
        const sphere = this.box.getBoundingSphere(new THREE.Sphere());
        for (const mesh of this.meshes) if (mesh instanceof THREE.SkinnedMesh) mesh.boundingSphere = sphere;
    }

    static async load(picture: Picture): Promise<Character> {
        const gltf = await parse(picture);
        const sources = sourcesOf(gltf);
        freeNodes(gltf);
        const names = new Map<THREE.Object3D, string>();
        const indices = new Map<number, THREE.Object3D>();
        const json = gltf.parser.json as { nodes?: { name?: string }[]; skins?: { joints: number[] }[] };
        gltf.scene.traverse((object) => {
            const index = gltf.parser.associations.get(object)?.nodes;
            if (index === undefined) return;
            names.set(object, json.nodes?.[index]?.name ?? `node ${index}`);
            indices.set(index, object);
        });
        gltf.scene.traverse((object) => {
            if ((object as MeshSurface).isMesh) for (const material of [(object as MeshSurface).material].flat()) if (!gltf.parser.associations.has(material)) beClay(material);
        });
        const skinned = (json.skins ?? []).flatMap((skin) => skin.joints.map((index) => indices.get(index)));
        return new Character(gltf, names, indices, sources, new Set(skinned.filter((node) => node !== undefined)), picture.bounds);
    }

    wear(surface: Surface): void {
        for (const skin of this.skins) skin.wear(surface);
        for (const mesh of this.meshes) {
            if (Skin.of(mesh)) continue;
            if (!this.ownLooks.has(mesh)) this.ownLooks.set(mesh, mesh.material);
            if (surface !== 'own' && !this.otherLooks.has(surface)) this.otherLooks.set(surface, makeSurface(surface));
            mesh.material = surface === 'own' ? this.ownLooks.get(mesh)! : this.otherLooks.get(surface)!;
        }
    }

    /** The skin follows where the joints are. */
    bend(): void {
        Skin.update(this.skins);
    }

    /** Frees what the GPU holds of it. */
    dispose(): void {
        this.wear('own');
        for (const material of this.otherLooks.values()) material.dispose();
        const textures = new Set<THREE.Texture>();
        for (const mesh of this.meshes) {
            mesh.geometry.dispose();
            if (mesh instanceof THREE.SkinnedMesh) mesh.skeleton.dispose();
            for (const material of [mesh.material].flat()) {
                for (const value of Object.values(material)) if (value instanceof THREE.Texture) textures.add(value);
                material.dispose();
            }
        }
        for (const skin of this.skins) skin.dispose();
        for (const texture of textures) texture.dispose();
        this.root.removeFromParent();
    }

    /** Names of the morph targets, once each. */
    get morphs(): string[] {
        return [...new Set(this.meshes.flatMap((mesh) => Object.keys(mesh.morphTargetDictionary ?? {})))];
    }

    morph(name: string, amount?: number): number {
        let now = 0;
        for (const mesh of this.meshes) {
            const index = mesh.morphTargetDictionary?.[name];
            if (index === undefined || !mesh.morphTargetInfluences) continue;
            if (amount !== undefined) mesh.morphTargetInfluences[index] = amount;
            now = mesh.morphTargetInfluences[index]!;
        }
        return now;
    }

    /** Does something with every morph target at rest. */
    withoutMorphs<T>(act: () => T): T {
        const shapes = this.meshes.flatMap((mesh) => (mesh.morphTargetInfluences ? [{ weights: mesh.morphTargetInfluences, kept: [...mesh.morphTargetInfluences] }] : []));
        for (const { weights } of shapes) weights.fill(0);
        try {
            return act();
        } finally {
            for (const { weights, kept } of shapes) weights.splice(0, kept.length, ...kept);
        }
    }

    /** All that can be played: clips of the file by their numbers, and then several of them at once. */
    get playable(): THREE.AnimationClip[] {
        return [...this.clips, ...this.together];
    }

    jointIndex(name: string): number {
        return this.joints.findIndex((joint) => joint.name === name);
    }

    // The joints of skins; in a file without meshes every node is one.
    private gather(names: Map<THREE.Object3D, string>, skinJoints: Set<THREE.Object3D>): void {
        const indices = new Map<THREE.Object3D, number>();
        const isJoint = (object: THREE.Object3D): boolean => (skinJoints.size ? skinJoints.has(object) : this.meshes.length === 0 && names.has(object));
        this.root.traverse((node) => {
            if (!isJoint(node)) return;
            let above = node.parent;
            while (above && !indices.has(above)) above = above.parent;
            indices.set(node, this.joints.length);
            this.joints.push({ name: names.get(node) ?? node.name, node, parent: above ? indices.get(above)! : -1, rest: node.quaternion.clone(), restPosition: node.position.clone(), left: node.matrixWorld.elements[12] });
        });
    }

    private boxOf(bounds: Picture['bounds']): THREE.Box3 {
        const box = new THREE.Box3();
        const at = new THREE.Vector3();
        if (bounds) box.setFromArray(bounds);
        else for (const joint of this.joints) box.expandByPoint(joint.node.getWorldPosition(at));
        if (box.isEmpty()) box.set(new THREE.Vector3(-0.5, 0, -0.5), new THREE.Vector3(0.5, 1, 0.5));
        return box;
    }
}
