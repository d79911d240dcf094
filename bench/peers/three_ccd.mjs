// three.js's CCDIKSolver on the free chains of ik_bench: 20 iterations, straight at first. JSON lines on stdout.
//     node bench/peers/three_ccd.mjs [PATH/TO/node_modules/three]
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const root = pathToFileURL(resolve(process.argv[2] ?? 'tests/oracle/node_modules/three') + '/');
const THREE = await import(new URL('build/three.module.js', root));
const { CCDIKSolver } = await import(new URL('examples/jsm/animation/CCDIKSolver.js', root));

let state = 7;
const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;

function direction() {
    for (;;) {
        const v = new THREE.Vector3(2 * random() - 1, 2 * random() - 1, 2 * random() - 1);
        if (v.lengthSq() <= 1 && v.lengthSq() > 0.01) return v.normalize();
    }
}

for (const links of [2, 3, 5, 10, 20, 50]) {
    const bones = [];
    for (let i = 0; i <= links + 1; ++i) {
        const bone = new THREE.Bone();
        if (i > 0 && i <= links) {
            bones[i - 1].add(bone);
            bone.position.x = 1;
        }
        bones.push(bone);
    }
    const target = bones[links + 1];
    const mesh = new THREE.SkinnedMesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial());
    mesh.add(bones[0]);
    mesh.add(target);
    mesh.bind(new THREE.Skeleton(bones));
    const ik = { target: links + 1, effector: links, links: [], iteration: 20 };
    for (let i = links - 1; i >= 0; --i) ik.links.push({ index: i });
    const solver = new CCDIKSolver(mesh, [ik]);
    const count = links > 10 ? 100 : 300;
    let met = 0, left = 0, us = 0;
    for (let k = 0; k < count; ++k) {
        bones.forEach((bone) => bone.quaternion.identity());
        target.position.copy(direction()).multiplyScalar(0.95 * links * Math.cbrt(random()));
        mesh.updateMatrixWorld(true);
        const begun = process.hrtime.bigint();
        solver.update();
        us += Number(process.hrtime.bigint() - begun) / 1e3;
        mesh.updateMatrixWorld(true);
        const d = new THREE.Vector3().setFromMatrixPosition(bones[links].matrixWorld).distanceTo(target.position);
        met += d <= 1e-3 ? 1 : 0;
        left += d;
    }
    console.log(JSON.stringify({ links, solver: 'three.js CCDIKSolver', us: +(us / count).toFixed(2), success: met / count, left_mean: left / count }));
}
