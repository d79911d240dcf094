// A body that Limber rigged, written as VRM 1.0, in three-vrm's own loader: its human bones are the nodes of the same
// joints, its licence what the command was told, and its normalised humanoid stands as the body does.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { fail, finish, run, skip, work } from './harness.mjs';

const here = path.dirname(new URL(import.meta.url).pathname);
if (!fs.existsSync(path.join(here, 'node_modules/@pixiv/three-vrm-core'))) skip('three-vrm-core is not installed; ./dev test installs it');
const three = await import('three');
await import('./three_character.mjs');
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
const { VRMCoreLoaderPlugin, VRMRequiredHumanBoneName } = await import('@pixiv/three-vrm-core');

for (const [names, pose] of [['vrm', 't'], ['mixamo', 't']]) {
  const file = (name) => path.join(work, `${names}.${name}`);
  for (const args of [
    ['sample', 'humanoid', '--seed', '4', '--pose', 'a', '--triangles', '2000', '-o', file('obj')],
    ['rig', file('obj'), '--rest', pose, '--names', names, '-o', file('glb')],
    ['convert', file('glb'), '-o', file('vrm'), '--author', 'Änne', '--permit', 'corporation', '--permit', 'without-credit'],
  ]) {
    const done = await run(...args);
    if (done.code !== 0) fail(`${args[0]} of ${names}: ${done.stderr}`);
  }
  const bytes = new Uint8Array(fs.readFileSync(file('vrm'))).buffer;
  const { vrmCore: vrm } = (await new GLTFLoader().register((parser) => new VRMCoreLoaderPlugin(parser)).parseAsync(bytes, '')).userData;
  assert.deepEqual(vrm.meta.authors, ['Änne']);
  assert.equal(vrm.meta.name, names);
  assert.equal(vrm.meta.commercialUsage, 'corporation');
  assert.equal(vrm.meta.creditNotation, 'unnecessary');
  assert.equal(vrm.meta.avatarPermission, 'onlyAuthor');
  vrm.humanoid.rawHumanBones.hips.node.updateWorldMatrix(true, true);
  for (const bone of Object.values(VRMRequiredHumanBoneName)) {
    const node = vrm.humanoid.getRawBoneNode(bone);
    if (!node) fail(`${names}: three-vrm finds no ${bone}`);
    if (names === 'vrm') assert.equal(node.name, bone);
  }
  const at = (bone) => vrm.humanoid.getRawBoneNode(bone).getWorldPosition(new three.Vector3());
  const arm = at('leftHand').sub(at('leftUpperArm')).normalize();
  if (!(arm.x > 0.98)) fail(`${names}: the left arm points to ${arm.toArray()}`);
  // Raised by its humanoid, the arm goes up whatever axes its joint has.
  vrm.humanoid.getNormalizedBoneNode('leftUpperArm').rotation.z = Math.PI / 2;
  vrm.update(0);
  vrm.humanoid.rawHumanBones.hips.node.updateWorldMatrix(true, true);
  const raised = at('leftLowerArm').sub(at('leftUpperArm')).normalize();
  if (!(raised.y > 0.98)) fail(`${names}: the raised arm points to ${raised.toArray()}`);
}
const refused = await run('convert', path.join(work, 'vrm.obj'), '-o', path.join(work, 'no.vrm'), '--author', 'X');
assert.equal(refused.code, 4);
assert.ok(!fs.existsSync(path.join(work, 'no.vrm')));
finish();
