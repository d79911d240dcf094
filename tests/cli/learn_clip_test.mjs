// A rig's own clip comes back: `learn` of its frames alone shows them to 0.05 % of the diagonal, with weights within 0.02 of
// the rig's where bones move as joints do; and `--fit weights` finds the weights of a rig that lost them. Of a made human
// and quadruped, finer with LIMBER_LONG, and then of artists' characters too. What files hold is read here, not by Limber.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { apart, readMoving } from './skinned.mjs';

const limber = path.resolve(process.env.LIMBER ?? 'build/limber');
if (!fs.existsSync(limber)) {
  console.log('the command is not built');
  process.exit(77);
}
const long = Boolean(process.env.LIMBER_LONG);
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));
// Percent of the diagonal. Motions that differ by less than the first are one: a vertex may follow either. A bone is a
// joint's where that one alone is as near, and no other within the second.
const ALIKE = 0.05, APART = 4 * ALIKE;
let failures = 0;

function run(...args) {
  const done = spawnSync(limber, args, { cwd: work, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`limber ${args.join(' ')}: exit ${done.status}\n${done.stderr}`);
  return done.stdout;
}

function hold(what, value, most) {
  console.log(`${what}: ${value.toFixed(4)}${most === undefined ? '' : `, at most ${most}`}`);
  if (most !== undefined && !(value <= most)) {
    console.log(`FAILED ${what}`);
    ++failures;
  }
}

function diagonalOf(vertices) {
  const sides = [0, 1, 2].map((c) => {
    const all = vertices.map((v) => v.at[c]);
    return all.reduce((x, y) => Math.max(x, y)) - all.reduce((x, y) => Math.min(x, y));
  });
  return Math.hypot(...sides);
}

// At most 40 of the vertices that follow a joint, those that follow it much where there are some.
function skin(vertices, joint) {
  const all = vertices.filter((v) => v.row.has(joint)).map((v) => [v.at, v.row.get(joint)]);
  const much = all.filter(([, w]) => w > 0.3), from = much.length > 0 ? much : all;
  return from.filter((_, k) => k % Math.ceil(from.length / 40) === 0);
}

// Joints of a rig that bind vertices, those that move alike in one group.
function groupsOf(rig, percent) {
  const groups = [];
  for (const j of [...rig.motions.keys()].filter((joint) => rig.vertices.some((v) => v.row.has(joint)))) {
    const points = skin(rig.vertices, j);
    const found = groups.find((g) => g.joints.some((k) => percent(rig.motions.get(j), rig.motions.get(k), points) < ALIKE));
    if (found) found.joints.push(j);
    else groups.push({ joints: [j] });
  }
  return groups;
}

// Mean difference of weights of a group and of bones.
function difference(rig, group, other, bones) {
  const sum = (row, joints) => joints.reduce((total, j) => total + (row.get(j) ?? 0), 0);
  const all = rig.vertices.map((v, k) => Math.abs(sum(v.row, group.joints) - sum(other.vertices[k].row, bones)));
  return all.reduce((x, y) => x + y, 0) / all.length;
}

function judgeWeights(name, rig, learned, given) {
  const diagonal = diagonalOf(rig.vertices);
  const percent = (a, b, points) => 100 * apart(a, b, points) / diagonal;
  const groups = groupsOf(rig, percent);
  if (rig.vertices.length !== learned.vertices.length) throw new Error(`${name}: other vertices`);
  const bones = [...learned.motions.keys()].filter((b) => learned.vertices.some((v) => v.row.has(b)));
  for (const b of given ? [] : bones) {
    const points = skin(learned.vertices, b);
    const near = groups.map((g) => Math.min(...g.joints.map((j) => percent(learned.motions.get(b), rig.motions.get(j), points))));
    const least = Math.min(...near), group = groups[near.indexOf(least)];
    if (least < ALIKE && near.filter((d) => d < APART).length === 1) group.bones = [...(group.bones ?? []), b];
  }
  const found = groups.filter((g) => given || g.bones);
  const off = found.map((g) => difference(rig, g, learned, given ? g.joints : g.bones));
  const mean = off.reduce((x, y) => x + y, 0) / off.length;
  console.log(`${name}: ${found.length} of ${groups.length} motions are matched, weights of the worst ${Math.max(...off).toFixed(4)} off`);
  return given ? Math.max(...off) : mean;
}

// Of a decomposition `most` percent is asked, where it is given; weights are compared where joints are matched.
function judge(name, rigFile, clip, fps, bones, skeleton, most) {
  const rig = readMoving(rigFile, clip, fps), learned = path.join(work, 'learned.glb'), bare = path.join(work, 'bare.glb');
  const said = JSON.parse(run('learn', rigFile, '--clip', clip, '--fps', `${fps}`, '--bones', `${bones}`, '--skeleton', skeleton, '--json', '-q', '-o', learned));
  hold(`${name}, ${skeleton}: percent of the diagonal`, said.rmse_percent, most);
  hold(`${name}, ${skeleton}: mean difference of weights`, judgeWeights(name, rig, readMoving(learned, 'frames', fps), false), most === undefined ? undefined : 0.02);
  run('weights', 'limit', rigFile, '--influences', '1', '-q', '-o', bare);
  const fit = JSON.parse(run('learn', bare, rigFile, '--clip', clip, '--fps', `${fps}`, '--fit', 'weights', '--json', '-q', '-o', learned));
  hold(`${name}, under its joints: percent of the diagonal`, fit.rmse_percent, 0.05);
  hold(`${name}, under its joints: difference of weights`, judgeWeights(name, rig, readMoving(learned, clip, fps), true), 0.02);
}

for (const [kind, seed, motion, bones] of [['humanoid', '6', 'walk', 22], ['quadruped', '4', 'trot', 24]]) {
  run('sample', kind, '--seed', seed, '--triangles', long ? '20000' : '1000', '-q', '-o', 'mesh.obj');
  run('animate', 'mesh.obj', motion, '-q', '-o', 'rig.glb');
  judge(`a made ${kind}`, path.join(work, 'rig.glb'), motion, long ? 20 : 8, bones, 'tree', 0.05);
}
// One that rests with a leg and an arm raised is learned as it was bound: no weights show blends of a blend.
function raise(file, to, names) {
  const bytes = fs.readFileSync(file), length = bytes.readUInt32LE(12), json = JSON.parse(bytes.subarray(20, 20 + length));
  for (const node of json.nodes.filter((n) => names.includes(n.name))) node.rotation = [Math.SQRT1_2, 0, 0, Math.SQRT1_2];
  const text = Buffer.from(JSON.stringify(json)), chunk = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
  const head = Buffer.from(bytes.subarray(0, 20)), data = bytes.subarray(20 + length);
  head.writeUInt32LE(20 + chunk.length + data.length, 8);
  head.writeUInt32LE(chunk.length, 12);
  fs.writeFileSync(to, Buffer.concat([head, chunk, data]));
}
run('sample', 'humanoid', '--seed', '6', '--triangles', '1000', '-q', '-o', 'mesh.obj');
run('animate', 'mesh.obj', 'walk', '-q', '-o', 'rig.glb');
raise(path.join(work, 'rig.glb'), path.join(work, 'raised.glb'), ['leftUpperLeg', 'rightUpperArm']);
judge('a person who rests with raised limbs', path.join(work, 'raised.glb'), 'walk', 8, 22, 'tree', 0.05);

const characters = process.env.LIMBER_SHARED && path.join(process.env.LIMBER_SHARED, 'data/characters');
if (long && characters && fs.existsSync(characters)) {
  // Joints of the first one's clip travel.
  judge('a man of boxes', path.join(characters, 'g_boxman.glb'), 'close_door_sitting_left', 24, 14, 'flat', 0.05);
  judge('a stegosaurus', path.join(characters, 'q_Stegosaurus.glb'), 'Armature|Stegosaurus_Run', 24, 29, 'flat', 0.05);
}
process.exit(failures > 0 ? 1 : 0);
