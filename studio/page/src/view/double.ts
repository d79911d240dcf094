import * as THREE from 'three';
import type { Character } from './character';
import { sharing } from './sharing';
import { Skin } from './skin';
import type { Surface } from './surfaces';

/** The same character once more beside itself, bent by another method. */
export class Double {
    readonly skins: Skin[];
    readonly offset: number;
    private readonly group = new THREE.Group();
    private readonly still: { copy: THREE.Mesh; of: THREE.Mesh }[] = [];

    constructor(character: Character, scene: THREE.Scene) {
        this.offset = 0.85 * Math.max(character.box.max.x - character.box.min.x, 0.4 * (character.box.max.y - character.box.min.y));
        this.skins = character.skins.map(({ mesh }) => new Skin(copyOf(mesh), this));
        for (const mesh of character.meshes) if (!Skin.of(mesh)) this.still.push({ copy: Object.assign(mesh.clone(false), { matrixWorldAutoUpdate: false }), of: mesh });
        this.group.add(...this.skins.map(({ mesh }) => mesh), ...this.still.map(({ copy }) => copy));
        scene.add(this.group);
        this.update();
    }

    update(): void {
        for (const { mesh } of this.skins) mesh.matrixWorld.makeTranslation(this.offset, 0, 0);
        Skin.update(this.skins);
        for (const { copy, of } of this.still) {
            copy.material = of.material; // as the other one wears it
            copy.matrixWorld.makeTranslation(this.offset, 0, 0).multiply(of.matrixWorld);
        }
    }

    wear(surface: Surface): void {
        for (const skin of this.skins) skin.wear(surface);
    }

    dispose(): void {
        for (const skin of this.skins) {
            skin.mesh.geometry.dispose();
            skin.dispose();
        }
        this.group.removeFromParent();
    }
}

function copyOf(mesh: THREE.SkinnedMesh): THREE.SkinnedMesh {
    const copy = new THREE.SkinnedMesh(sharing(mesh.geometry), Skin.of(mesh)!.own);
    copy.skeleton = mesh.skeleton;
    copy.morphTargetInfluences = mesh.morphTargetInfluences;
    copy.morphTargetDictionary = mesh.morphTargetDictionary;
    copy.frustumCulled = false;
    copy.castShadow = copy.receiveShadow = true;
    copy.boundingSphere = mesh.boundingSphere;
    return copy;
}
