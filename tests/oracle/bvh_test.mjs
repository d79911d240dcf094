// three.js and Limber put every joint of a motion capture file at the same place: each clip is converted to glTF and
// read there by hand, and compared with what BVHLoader makes of the file, in the file's own units and axes. Both conventions that
// a BVH leaves open are taken from what the command says it decided: up, and whether positions add to offsets. A second
// conversion, back to BVH, must give the first numbers again.
import fs from 'node:fs';
import path from 'node:path';
import { fail, filesBelow, finish, run, shared, skip, work } from './harness.mjs';

globalThis.self ??= globalThis;
const three = await import('three');
const { BVHLoader } = await import('three/addons/loaders/BVHLoader.js');

if (!shared) skip('the shared data is not there');
const TOLERANCE = 5e-6; // of the distances in the file: two readings in single precision

/** The JSON of a GLB and its accessors as arrays of numbers. */
function readGlb(file) {
  const bytes = fs.readFileSync(file);
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  const accessor = (index) => {
    const a = json.accessors[index];
    const view = json.bufferViews[a.bufferView];
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[a.type];
    const start = 20 + length + 8 + (view.byteOffset ?? 0) + (a.byteOffset ?? 0);
    return Array.from({ length: a.count * width }, (_, i) => bytes.readFloatLE(start + 4 * i));
  };
  return { json, accessor };
}

/** World position of every node at a key. */
function limberPlaces(glb, key) {
  const { json } = glb;
  const local = json.nodes.map((n) => ({ t: n.translation ?? [0, 0, 0], r: n.rotation ?? [0, 0, 0, 1] }));
  for (const { node, path: property, values } of glb.channels) {
    const width = property === 'rotation' ? 4 : 3;
    local[node][property === 'rotation' ? 'r' : 't'] = values.slice(width * key, width * key + width);
  }
  const world = [];
  const one = new three.Vector3(1, 1, 1);
  const visit = (index, parent) => {
    const own = new three.Matrix4().compose(new three.Vector3(...local[index].t), new three.Quaternion(...local[index].r), one);
    world[index] = new three.Matrix4().multiplyMatrices(parent, own);
    for (const child of json.nodes[index].children ?? []) visit(child, world[index]);
  };
  for (const root of json.scenes[0].nodes) visit(root, new three.Matrix4());
  return world.map((m) => new three.Vector3().setFromMatrixPosition(m));
}

/** Which joints of the file, in its order, have position channels. BVHLoader adds those to the offset. */
function positionsPerJoint(text) {
  const out = [];
  for (const line of text.split(/[\r\n]+/)) {
    if (/^\s*(ROOT|JOINT)\b/i.test(line)) out.push(false);
    if (/^\s*CHANNELS\b/i.test(line)) out[out.length - 1] = /position/i.test(line);
    if (/^\s*MOTION/i.test(line)) break;
  }
  return out;
}

/** World position of every joint at a frame, from the loader's tracks: position and rotation of each joint in turn. */
function threePlaces(bvh, joints, frame, extras) {
  const world = new Map();
  const one = new three.Vector3(1, 1, 1);
  return joints.map((bone, j) => {
    const t = new three.Vector3().fromArray(bvh.clip.tracks[2 * j].values, 3 * frame);
    const r = new three.Quaternion().fromArray(bvh.clip.tracks[2 * j + 1].values, 4 * frame);
    const replaces = extras[j].moves && extras[j].positions !== 'add';
    if (replaces) t.sub(bone.position);
    const own = new three.Matrix4().compose(t, r, one);
    const parent = world.get(bone.parent);
    world.set(bone, parent ? new three.Matrix4().multiplyMatrices(parent, own) : own);
    return new three.Vector3().setFromMatrixPosition(world.get(bone));
  });
}

const turned = { '+Y': (v) => [v.x, v.y, v.z], '+Z': (v) => [v.x, -v.z, v.y] };

/** Rows of numbers after the header. */
function rows(text) {
  const body = text.slice(text.search(/Frame\s*Time/i));
  return body.split(/[\r\n]+/).slice(1).map((line) => line.trim().split(/\s+/).map(Number)).filter((row) => row.length > 1);
}

let compared = 0;
let farthest = 0;
let turns = 0;
for (const file of filesBelow(path.join(shared, 'data/mocap/bvh'), ['.bvh'])) {
  const name = path.basename(file);
  const text = fs.readFileSync(file, 'latin1');
  const out = path.join(work, 'motion.glb');
  const back = path.join(work, 'back.bvh');
  for (const [from, to] of [[file, out], [out, back]]) {
    const done = await run('convert', from, to);
    if (done.code !== 0) fail(`${name}: limber convert exits ${done.code}: ${done.stderr.trim()}`);
  }
  if (!fs.existsSync(back)) continue;

  const glb = readGlb(out);
  const animation = glb.json.animations[0];
  glb.channels = animation.channels.map(({ sampler, target }) => ({
    ...target, values: glb.accessor(animation.samplers[sampler].output),
  }));
  const { unit_m: unit, up } = animation.extras.bvh;
  const moves = positionsPerJoint(text);
  const extras = glb.json.nodes.map((node, j) => ({ ...node.extras.bvh, moves: moves[j] }));
  // The loader writes to the console about rows beyond the declared ones.
  console.log = ((log) => (...args) => (String(args[0]).startsWith('THREE.') ? undefined : log(...args)))(console.log);
  const bvh = new BVHLoader().parse(text.replace(/^(\s*End) site/gim, '$1 Site'));
  const joints = bvh.skeleton.bones.filter((bone) => bone.name !== 'ENDSITE');
  if (joints.length !== glb.json.nodes.length) {
    fail(`${name}: ${glb.json.nodes.length} joints, three.js has ${joints.length}`);
    continue;
  }
  const frames = bvh.clip.tracks[0].times.length;
  for (const frame of new Set([0, 0.21, 0.5, 0.83, 1].map((share) => Math.round(share * (frames - 1))))) {
    const ours = limberPlaces(glb, frame);
    const theirs = threePlaces(bvh, joints, frame, extras);
    const size = Math.max(...theirs.map((p) => p.length()), 1e-9);
    for (let j = 0; j < ours.length; ++j) {
      const [x, y, z] = turned[up](ours[j].divideScalar(unit));
      const off = theirs[j].distanceTo(new three.Vector3(x, y, z)) / size;
      farthest = Math.max(farthest, off);
      ++compared;
      if (!(off <= TOLERANCE)) {
        fail(`${name}: frame ${frame}, joint ${joints[j].name} is off by ${off.toExponential(2)} of the size`);
        break;
      }
    }
  }
  const first = rows(text);
  const second = rows(fs.readFileSync(back, 'latin1'));
  if (first.length !== second.length) fail(`${name}: ${second.length} rows come back of ${first.length}`);
  for (let f = 0; f < Math.min(first.length, second.length); ++f) {
    for (let c = 0; c < first[f].length; ++c) turns = Math.max(turns, Math.abs(first[f][c] - second[f][c]));
  }
  if (turns > 5e-4) {
    fail(`${name}: numbers come back with a difference of ${turns}`);
    turns = 0;
  }
}
finish(`${compared} joints compared, the farthest is off by ${farthest.toExponential(2)}; numbers come back within ${turns.toExponential(2)}`);
