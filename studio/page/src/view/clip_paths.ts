import * as THREE from 'three';

/** Where nodes below the root are in each frame of a clip, the last one included. What is shown stays as it is: this has a
 * mixer of its own and puts the nodes back where they were. */
export function pathsIn(clip: THREE.AnimationClip, root: THREE.Object3D, nodes: THREE.Object3D[], frames: number, fps: number): THREE.Vector3[][] {
    const kept: { node: THREE.Object3D; position: THREE.Vector3; rotation: THREE.Quaternion; scale: THREE.Vector3 }[] = [];
    root.traverse((node) => kept.push({ node, position: node.position.clone(), rotation: node.quaternion.clone(), scale: node.scale.clone() }));
    const mixer = new THREE.AnimationMixer(root);
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce, 1).clampWhenFinished = true;
    action.play();
    const paths: THREE.Vector3[][] = nodes.map(() => []);
    for (let frame = 0; frame <= frames; ++frame) {
        action.time = Math.min(frame / fps, clip.duration);
        action.paused = false;
        action.enabled = true;
        mixer.update(0);
        root.updateWorldMatrix(true, true);
        nodes.forEach(({ matrixWorld }, k) => paths[k]!.push(new THREE.Vector3().setFromMatrixPosition(matrixWorld)));
    }
    action.stop();
    mixer.uncacheRoot(root);
    for (const { node, position, rotation, scale } of kept) {
        node.position.copy(position);
        node.quaternion.copy(rotation);
        node.scale.copy(scale);
    }
    return paths;
}
