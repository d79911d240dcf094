// What limber ik writes, seen by three.js: joints are where the targets are, feet that were not asked to move are where they were.
import path from 'node:path';
import { hasCommands, run, skip, work } from './harness.mjs';

if (!hasCommands('ik')) skip('this version has no limber ik');
const three = await import('three');
const { load } = await import('./three_character.mjs');

const person = path.join(work, 'person.glb'), posed = path.join(work, 'posed.glb');
let failed = 0;

function placesAt(gltf) {
  const mixer = new three.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[0]).play();
  mixer.setTime(0);
  gltf.scene.updateMatrixWorld(true);
  const places = new Map();
  gltf.scene.traverse((node) => places.set(node.name, node.getWorldPosition(new three.Vector3())));
  return places;
}

for (let seed = 0; seed < 4; ++seed) {
  await run('sample', 'humanoid', '--seed', String(seed), '--whole', '--rigged', '--triangles', '2000', '-o', person, '-q');
  const before = await load(person);
  before.scene.updateMatrixWorld(true);
  const at = (name) => before.scene.getObjectByName(name).getWorldPosition(new three.Vector3());
  const chest = at('neck'), hand = at('leftHand').sub(at('leftUpperArm')).length();
  const targets = { leftHand: chest.clone().add(new three.Vector3(0.5 * hand, 0.1 * hand, 0.7 * hand)), rightHand: chest.clone().add(new three.Vector3(-0.6 * hand, -0.6 * hand, 0.5 * hand)) };
  const goals = Object.entries(targets).flatMap(([name, p]) => ['--target', `${name}=${p.x},${p.y},${p.z}`]);
  const said = await run('ik', person, ...goals, '-o', posed);
  if (said.code !== 0) {
    console.log(`seed ${seed}: exit ${said.code}: ${said.stderr}`);
    ++failed;
    continue;
  }
  const places = placesAt(await load(posed));
  for (const name of ['leftFoot', 'rightFoot']) targets[name] = at(name);
  for (const [name, target] of Object.entries(targets)) {
    const off = places.get(name).distanceTo(target);
    if (!(off < 1e-3)) {
      console.log(`seed ${seed}: ${name} is ${(1e3 * off).toFixed(3)} mm off`);
      ++failed;
    }
  }
}
process.exit(failed > 0 ? 1 : 0);
