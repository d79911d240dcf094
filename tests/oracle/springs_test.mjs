// What limber simulate --springs bakes, beside three-vrm's springs on the same file: 600 frames of a carrier that is swung about.
// Once as the specification has it, with one correction of three-vrm, and with --spring-length as three-vrm comes.
import fs from 'node:fs';
import path from 'node:path';
import { fail, finish, hasCommands, run, shared, skip, work } from './harness.mjs';

if (!hasCommands('simulate')) skip('this version has no limber simulate');
const here = path.dirname(new URL(import.meta.url).pathname);
if (!fs.existsSync(path.join(here, 'node_modules/@pixiv/three-vrm-springbone'))) skip('three-vrm-springbone is not installed; ./dev test installs it');
const three = await import('three');
const { load } = await import('./three_character.mjs');
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
const { VRMSpringBoneLoaderPlugin } = await import('@pixiv/three-vrm-springbone');

const FRAMES = 600, RATE = 60;

/** Turns and places of `node` that begin at rest, as an animation of a glTF document. */
function swing(document, node) {
  const base = document.nodes[node].translation ?? [0, 0, 0];
  const q0 = new three.Quaternion(...(document.nodes[node].rotation ?? [0, 0, 0, 1]));
  const times = [], places = [], turns = [];
  for (let f = 0; f <= FRAMES; ++f) {
    const t = f / RATE;
    times.push(t);
    places.push(base[0] + 0.2 * Math.sin(2.1 * t), base[1] + 0.05 * Math.sin(5 * t), base[2] + 0.15 * (1 - Math.cos(3.3 * t)));
    const q = new three.Quaternion().setFromEuler(new three.Euler(0.4 * Math.sin(1.7 * t), 0.9 * Math.sin(1.1 * t), 0.3 * Math.sin(2.9 * t))).multiply(q0);
    turns.push(q.x, q.y, q.z, q.w);
  }
  const blob = Buffer.from(new Float32Array([...times, ...places, ...turns]).buffer);
  const buffer = (document.buffers ??= []).push({ byteLength: blob.length, uri: `data:application/octet-stream;base64,${blob.toString('base64')}` }) - 1;
  const n = FRAMES + 1;
  const accessor = (first, count, type, extra = {}) => {
    const view = (document.bufferViews ??= []).push({ buffer, byteOffset: 4 * first, byteLength: 4 * count * n }) - 1;
    return (document.accessors ??= []).push({ bufferView: view, componentType: 5126, count: n, type, ...extra }) - 1;
  };
  const input = accessor(0, 1, 'SCALAR', { min: [0], max: [FRAMES / RATE] });
  const samplers = [{ input, output: accessor(n, 3, 'VEC3') }, { input, output: accessor(4 * n, 4, 'VEC4') }];
  document.animations = [{ name: 'swing', samplers, channels: ['translation', 'rotation'].map((path, sampler) => ({ sampler, target: { node, path } })) }];
}

/** Two chains on a carrier with what they meet. */
function ownDocument() {
  const nodes = [{ name: 'carrier', children: [1, 6], translation: [0, 1, 0] }];
  const s = Math.SQRT1_2;
  for (let k = 1; k <= 5; ++k) nodes.push({ name: `hair${k}`, translation: [0, k === 1 ? 0.1 : -0.08, k === 1 ? -0.05 : -0.02], rotation: k === 2 ? [0, s, 0, s] : [0.1, 0, 0, Math.sqrt(0.99)], ...(k < 5 && { children: [k + 1] }) });
  for (let k = 6; k <= 9; ++k) nodes.push({ name: `tail${k}`, translation: [k === 6 ? 0.2 : 0.1, 0, 0], ...(k < 9 && { children: [k + 1] }) });
  const joint = (node) => ({ node, stiffness: 0.4 + 0.1 * (node % 3), gravityPower: 0.2 * (node % 4), gravityDir: [0, -1, 0], dragForce: 0.3 + 0.1 * (node % 2), hitRadius: 0.01 * (node % 3) });
  const ex = (shape) => ({ VRMC_springBone_extended_collider: { specVersion: '1.0', shape } });
  return {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes,
    extensionsUsed: ['VRMC_springBone', 'VRMC_springBone_extended_collider'],
    extensions: { VRMC_springBone: {
      specVersion: '1.0',
      colliders: [
        { node: 0, shape: { sphere: { offset: [0, -0.05, -0.06], radius: 0.07 } } },
        { node: 0, shape: { capsule: { offset: [0.1, -0.12, -0.2], tail: [0.5, -0.1, 0.2], radius: 0.05 } } },
        { node: 0, shape: { sphere: {} }, extensions: ex({ sphere: { offset: [0.3, 0, 0], radius: 0.3, inside: true } }) },
        { node: 0, shape: { sphere: {} }, extensions: ex({ plane: { offset: [0, -0.15, 0], normal: [0.1, 1, 0] } }) },
      ],
      colliderGroups: [{ colliders: [0, 1] }, { colliders: [2, 3] }],
      springs: [
        { joints: [1, 2, 3, 4, 5].map(joint), colliderGroups: [0] },
        { joints: [6, 7, 8, 9].map(joint), colliderGroups: [1, 0], center: 0 },
      ],
    } },
  };
}

/** A binary file's document with its buffer inside. */
function documentOf(file) {
  const bytes = fs.readFileSync(file), size = bytes.readUInt32LE(12);
  const document = JSON.parse(bytes.subarray(20, 20 + size).toString());
  const blob = bytes.subarray(28 + size);
  if (document.buffers?.length) document.buffers[0].uri = `data:application/octet-stream;base64,${blob.toString('base64')}`;
  return document;
}

/** `length` is what --spring-length says. */
async function compare(name, document, carrier, length) {
  document = structuredClone(document);
  swing(document, carrier);
  const file = path.join(work, `${name}.gltf`), baked = path.join(work, `${name}.glb`);
  fs.writeFileSync(file, JSON.stringify(document));
  const said = await run('simulate', file, '--springs', '--spring-length', length, '--clip', '0', '--fps', `${RATE}`, '-o', baked);
  if (said.code !== 0) return fail(`${name}: exit ${said.code}: ${said.stderr}`);
  const ours = await load(baked);
  const loader = new GLTFLoader().register((parser) => new VRMSpringBoneLoaderPlugin(parser));
  const theirs = await loader.register(() => ({ name: 'WITHOUT_TEXTURES', loadTexture: () => Promise.resolve(new three.Texture()) })).parseAsync(fs.readFileSync(file, 'utf8'), '');
  const springs = theirs.userData.vrmSpringBoneManager;
  // Within a step three-vrm measures a joint's length to where its child was before the joints above it turned; the format's length is
  // that of the bone. The child is brought up to date first.
  for (const joint of length === 'bone' ? springs.joints : []) {
    const measure = joint._calcWorldSpaceBoneLength;
    joint._calcWorldSpaceBoneLength = function () {
      joint.child?.updateWorldMatrix(false, false);
      measure.call(this);
    };
  }
  const play = (gltf) => {
    const mixer = new three.AnimationMixer(gltf.scene), action = mixer.clipAction(gltf.animations[0]);
    action.setLoop(three.LoopOnce).clampWhenFinished = true;
    action.play();
    return mixer;
  };
  const a = play(ours), b = play(theirs), p = new three.Vector3(), q = new three.Vector3();
  const bones = [...springs.joints].map((joint) => joint.child ?? joint.bone);
  let worst = 0, moved = 0;
  for (let f = 1; f <= FRAMES; ++f) {
    a.setTime(f / RATE);
    b.setTime(f / RATE);
    ours.scene.updateMatrixWorld(true);
    // The documented loop updates the springs first and the scene when it is drawn.
    if (length !== 'three-vrm') theirs.scene.updateMatrixWorld(true);
    springs.update(1 / RATE);
    theirs.scene.updateMatrixWorld(true);
    for (const bone of bones) {
      worst = Math.max(worst, ours.scene.getObjectByName(bone.name).getWorldPosition(p).distanceTo(bone.getWorldPosition(q)));
      moved = Math.max(moved, 2 * Math.acos(Math.min(1, Math.abs(bone.parent.quaternion.w))));
    }
  }
  console.log(`${name}, ${length}: ${springs.joints.size} joints, ${FRAMES} frames, at most ${worst.toExponential(2)} m apart`);
  if (!(worst < 1e-4)) fail(`${name}, ${length}: ${worst} m apart`);
  if (!(moved > 0.1)) fail(`${name}: nothing swings`);
}

const lengths = ['bone', 'three-vrm', 'three-vrm-updated'];
for (const length of lengths) await compare('own', ownDocument(), 0, length);
const file = shared && path.join(shared, 'data/rigged/vrm/springbone_stiffness_1.vrm');
if (file && fs.existsSync(file)) {
  const document = documentOf(file);
  const joints = new Set(document.extensions.VRMC_springBone.springs.flatMap((spring) => spring.joints.map((joint) => joint.node)));
  const first = document.extensions.VRMC_springBone.springs[0].joints[0].node;
  const parent = document.nodes.findIndex((node) => node.children?.includes(first) && !joints.has(node));
  for (const length of lengths) await compare('sample', document, parent, length);
}
finish('springs as three-vrm has them');
