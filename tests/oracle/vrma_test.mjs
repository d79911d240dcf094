// What limber retarget makes of a VRM animation on a VRM 1.0 character, beside three-vrm: turns of the bones in the world, morph
// weights of the expressions, turns of the eyes. Animations made here, and animations that Limber wrote.
import fs from 'node:fs';
import path from 'node:path';
import { fail, finish, ownCharacters, run, shared, skip, work } from './harness.mjs';

const here = path.dirname(new URL(import.meta.url).pathname);
if (!fs.existsSync(path.join(here, 'node_modules/@pixiv/three-vrm-animation'))) skip('three-vrm-animation is not installed; ./dev test installs it');
const three = await import('three');
const { load } = await import('./three_character.mjs');
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
const { VRMAnimationLoaderPlugin, createVRMAnimationClip, VRMLookAtQuaternionProxy } = await import('@pixiv/three-vrm-animation');
const { VRMCoreLoaderPlugin } = await import('@pixiv/three-vrm-core');

/** Name, parent, place in it: a body in T-pose. */
const bones = [
  ['hips', null, 0, 0.95, 0], ['spine', 'hips', 0, 0.1, 0], ['chest', 'spine', 0, 0.15, 0], ['upperChest', 'chest', 0, 0.1, 0],
  ['neck', 'upperChest', 0, 0.15, 0], ['head', 'neck', 0, 0.1, 0.01], ['leftEye', 'head', 0.03, 0.08, 0.07], ['rightEye', 'head', -0.03, 0.08, 0.07],
];
for (const [side, s] of [['left', 1], ['right', -1]]) {
  bones.push([`${side}UpperLeg`, 'hips', 0.09 * s, -0.05, 0], [`${side}LowerLeg`, `${side}UpperLeg`, 0, -0.42, 0],
    [`${side}Foot`, `${side}LowerLeg`, 0, -0.42, 0], [`${side}Toes`, `${side}Foot`, 0, -0.06, 0.13],
    [`${side}Shoulder`, 'upperChest', 0.04 * s, 0.1, 0], [`${side}UpperArm`, `${side}Shoulder`, 0.13 * s, 0, 0],
    [`${side}LowerArm`, `${side}UpperArm`, 0.27 * s, 0, 0], [`${side}Hand`, `${side}LowerArm`, 0.25 * s, 0, 0]);
}
const index = new Map(bones.map(([name], k) => [name, k]));

/** Some turn for every bone: the character's own axes. */
const axes = (k) => new three.Quaternion().setFromEuler(new three.Euler(0.7 * Math.sin(k + 1), 1.3 * Math.sin(2 * k), 0.9 * Math.cos(3 * k)));

/** A document with the body; `rolled`: every bone has axes of its own at rest. */
function body(scale, rolled) {
  const world = bones.map((_, k) => (rolled ? axes(k) : new three.Quaternion()));
  const nodes = bones.map(([name, parent, x, y, z], k) => {
    const back = parent ? world[index.get(parent)].clone().invert() : new three.Quaternion();
    const place = new three.Vector3(x, y, z).multiplyScalar(scale).applyQuaternion(back);
    return { name: `b_${name}`, translation: place.toArray(), rotation: back.multiply(world[k]).toArray(),
      children: bones.flatMap(([, p], c) => (p === name ? [c] : [])) };
  });
  for (const node of nodes) if (!node.children.length) delete node.children;
  const humanBones = Object.fromEntries(bones.map(([name], node) => [name, { node }]));
  return { asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes, humanBones };
}

function addData(document, list, type, extra = {}) {
  const blob = Buffer.from(new Float32Array(list).buffer), width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[type];
  const buffer = (document.buffers ??= []).push({ byteLength: blob.length, uri: `data:application/octet-stream;base64,${blob.toString('base64')}` }) - 1;
  const bufferView = (document.bufferViews ??= []).push({ buffer, byteLength: blob.length }) - 1;
  return (document.accessors ??= []).push({ bufferView, componentType: 5126, count: list.length / width, type, ...extra }) - 1;
}

/** VRM 1.0: the body, a face with three targets, expressions of one and of two of them. */
function character() {
  const document = body(1.1, true);
  const position = addData(document, [0, 0, 0, 1, 0, 0, 0, 1, 0], 'VEC3', { min: [0, 0, 0], max: [1, 1, 0] });
  const targets = [0, 1, 2].map((k) => ({ POSITION: addData(document, [0, 0, k, 0, 1, 0, 0, 0, 1], 'VEC3', { min: [0, 0, 0], max: [0, 1, k + 1] }) }));
  document.meshes = [{ primitives: [{ attributes: { POSITION: position }, targets }], weights: [0, 0, 0] }];
  const node = document.nodes.push({ name: 'face', mesh: 0 }) - 1;
  document.scenes[0].nodes.push(node);
  const bind = (target, weight) => ({ node, index: target, weight });
  const range = (inputMaxValue, outputScale) => ({ inputMaxValue, outputScale });
  document.extensionsUsed = ['VRMC_vrm'];
  document.extensions = { VRMC_vrm: {
    specVersion: '1.0', meta: { name: 'made', authors: ['a test'], licenseUrl: 'https://vrm.dev/licenses/1.0/' }, humanoid: { humanBones: document.humanBones },
    expressions: { preset: { happy: { overrideMouth: 'blend', morphTargetBinds: [bind(0, 1), bind(1, 0.5)] }, aa: { morphTargetBinds: [bind(1, 0.5)] } }, custom: { Tongue: { isBinary: true, morphTargetBinds: [bind(2, 1)] } } },
    lookAt: { type: 'bone', offsetFromHeadBone: [0, 0.06, 0], rangeMapHorizontalInner: range(60, 12), rangeMapHorizontalOuter: range(45, 20), rangeMapVerticalDown: range(50, 10), rangeMapVerticalUp: range(50, 10) },
  } };
  delete document.humanBones;
  return document;
}

/** An animation: every bone turns, the hips move, a face, a gaze. */
function animation() {
  const document = body(0.8, false), keys = 31, times = [], channels = [], samplers = [];
  for (let k = 0; k < keys; ++k) times.push(k / 30);
  const input = addData(document, times, 'SCALAR', { min: [0], max: [times.at(-1)] });
  const animate = (node, path, value, type) => {
    const sampler = samplers.push({ input, output: addData(document, times.flatMap(value), type) }) - 1;
    channels.push({ sampler, target: { node, path } });
  };
  const euler = (x, y, z) => new three.Quaternion().setFromEuler(new three.Euler(x, y, z)).toArray();
  for (const [name] of bones) {
    if (name.endsWith('Eye')) continue;
    const k = index.get(name), size = name === 'hips' ? 0.3 : 0.5;
    animate(k, 'rotation', (t) => euler(size * Math.sin(3 * t + k), 0.4 * size * Math.sin(2 * t + 2 * k), 0.4 * size * Math.sin(4 * t)), 'VEC4');
  }
  animate(0, 'translation', (t) => [0.1 * Math.sin(2 * t), 0.8 * 0.95 + 0.02 * Math.sin(5 * t), 0.5 * t], 'VEC3');
  const extra = (name) => document.scenes[0].nodes.push(document.nodes.push({ name }) - 1) && document.nodes.length - 1;
  const [happy, aa, tongue, gaze] = ['happy', 'aa', 'Tongue', 'gaze'].map(extra);
  animate(happy, 'translation', (t) => [0.5 + 0.5 * Math.sin(6 * t), 0, 0], 'VEC3');
  animate(aa, 'translation', (t) => [t, 0, 0], 'VEC3');
  animate(tongue, 'translation', (t) => [t > 0.5 ? 1 : 0, 0, 0], 'VEC3');
  animate(gaze, 'rotation', (t) => new three.Quaternion().setFromEuler(new three.Euler(0.5 * Math.sin(5 * t), 0.9 * Math.sin(4 * t), 0, 'YXZ')).toArray(), 'VEC4');
  document.animations = [{ samplers, channels }];
  document.extensionsUsed = ['VRMC_vrm_animation'];
  for (const eye of ['leftEye', 'rightEye']) delete document.humanBones[eye];
  document.extensions = { VRMC_vrm_animation: { specVersion: '1.0', humanoid: { humanBones: document.humanBones },
    expressions: { preset: { happy: { node: happy }, aa: { node: aa } }, custom: { Tongue: { node: tongue } } }, lookAt: { node: gaze, offsetFromHeadBone: [0, 0.06, 0] } } };
  delete document.humanBones;
  return document;
}

async function loadWith(plugin, file) {
  const bytes = fs.readFileSync(file);
  const source = bytes.subarray(0, 4).toString() === 'glTF' ? new Uint8Array(bytes).buffer : bytes.toString();
  return new GLTFLoader().register(plugin).parseAsync(source, '');
}

/** What three-vrm shows at the times: world turns by bone, morph weights. */
async function shown(characterFile, animationFile, times) {
  const gltf = await loadWith((parser) => new VRMCoreLoaderPlugin(parser), characterFile);
  const { vrmAnimations } = (await loadWith((parser) => new VRMAnimationLoaderPlugin(parser), animationFile)).userData;
  const vrm = gltf.userData.vrmCore, proxy = new VRMLookAtQuaternionProxy(vrm.lookAt);
  proxy.name = 'lookAtQuaternionProxy';
  vrm.scene.add(proxy);
  const mixer = new three.AnimationMixer(vrm.scene);
  mixer.clipAction(createVRMAnimationClip(vrmAnimations[0], vrm)).play();
  return times.map((time) => {
    mixer.setTime(time);
    vrm.update(0);
    vrm.scene.updateMatrixWorld(true);
    return look((name) => vrm.humanoid.getRawBoneNode(name), vrm.scene, vrm);
  });
}

function look(bone, scene) {
  const turns = new Map();
  for (const [name] of bones) {
    const node = bone(name);
    if (node) turns.set(name, node.getWorldQuaternion(new three.Quaternion()));
  }
  let weights = [];
  scene.traverse((node) => { weights = node.morphTargetInfluences ? [...node.morphTargetInfluences] : weights; });
  return { turns, weights, hips: bone('hips').getWorldPosition(new three.Vector3()) };
}

async function played(file, times) {
  const gltf = await load(file), mixer = new three.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[0]).play();
  return times.map((time) => {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    return look((name) => gltf.scene.getObjectByName(`b_${name}`), gltf.scene);
  });
}

let worst = 0, worstWeight = 0;
/** `eyes`: the gaze is compared too; `legs`: they are not, since ours keep above the ground. */
async function compare(name, characterFile, animationFile, times, { eyes = false, legs = true } = {}) {
  const out = path.join(work, `${name}.glb`);
  const done = await run('retarget', characterFile, animationFile, '--no-lock-feet', '--free-hands', '-o', out, '-q');
  if (done.code !== 0) return fail(`${name}: exit ${done.code}: ${done.stderr.trim()}`);
  const theirs = await shown(characterFile, animationFile, times), ours = await played(out, times);
  times.forEach((time, k) => {
    for (const [bone, turn] of theirs[k].turns) {
      if ((bone.endsWith('Eye') && !eyes) || (/Leg$|Foot$|Toes$/.test(bone) && !legs)) continue;
      const angle = 2 * Math.asin(Math.min(1, Math.hypot(...turn.clone().invert().multiply(ours[k].turns.get(bone)).toArray().slice(0, 3))));
      worst = Math.max(worst, angle);
      if (angle > 2e-3) fail(`${name}: ${bone} at ${time} s is ${(angle * 180 / Math.PI).toFixed(3)} degrees off`);
    }
    theirs[k].weights.forEach((w, t) => {
      const off = Math.abs(w - ours[k].weights[t]);
      worstWeight = Math.max(worstWeight, off);
      if (!(off < 1e-4)) fail(`${name}: target ${t} at ${time} s is ${ours[k].weights[t]}, not ${w}`);
    });
  });
}

const model = path.join(work, 'model.vrm'), made = path.join(work, 'made.vrma');
fs.writeFileSync(model, JSON.stringify(character()));
fs.writeFileSync(made, JSON.stringify(animation()));
const times = [0.1, 0.3, 0.4, 0.6, 0.8, 0.9];
await compare('made', model, made, times, { eyes: true });

// On the model itself, out again as an animation that Limber writes, and back.
const onModel = path.join(work, 'made.glb'), written = path.join(work, 'written.vrma');
const done = await run('convert', onModel, written, '-q');
if (done.code !== 0) fail(`convert to VRMA: exit ${done.code}: ${done.stderr.trim()}`);
await compare('written', model, written, times, { eyes: true });
const back = path.join(work, 'back.glb'), again = await run('retarget', model, written, '--no-lock-feet', '--free-hands', '-o', back, '-q');
if (again.code !== 0) fail(`back on the model: exit ${again.code}`);
else {
  // What went out as a gaze comes back as the same turns of the eyes.
  const before = await played(onModel, times), after = await played(back, times);
  times.forEach((time, k) => {
    for (const eye of ['leftEye', 'rightEye']) {
      const off = before[k].turns.get(eye).angleTo(after[k].turns.get(eye));
      if (off > 0.02) fail(`${eye} at ${time} s comes back ${off} rad off`);
    }
  });
}

for (const own of await ownCharacters([2, 6])) {
  const vrma = `${own}.vrma`, wrote = await run('convert', own, vrma, '-q');
  if (wrote.code !== 0) fail(`convert ${path.basename(own)}: exit ${wrote.code}: ${wrote.stderr.trim()}`);
  else await compare(path.basename(own, '.glb'), model, vrma, times, { legs: false });
}
const collected = shared && path.join(shared, 'data/mocap/vrma/test.vrma');
if (collected && fs.existsSync(collected)) await compare('test.vrma', model, collected, times, { legs: false });
finish(`bones within ${(worst * 180 / Math.PI).toExponential(1)} degrees, weights within ${worstWeight.toExponential(1)}`);
