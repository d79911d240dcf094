// three.js and `limber bake` show the same vertices: at five times of every clip and at its end, within 1e-5 of the character's
// size, for characters that the command made and for every rigged glTF file of the shared data. A clip is baked by one process.
import fs from 'node:fs';
import path from 'node:path';
import { fail, finish, hasCommands, ownCharacters, riggedFiles, run, shared, skip, work } from './harness.mjs';
import { clips, compare, hasStrayJoints, load, objVertices, vertices } from './three_character.mjs';

const TOLERANCE = 1e-5;
const MOMENTS = 5, SHARE = 1 / 4.7; // moments of a clip, and how much of it lies between two: no round part of it

if (!hasCommands('bake')) skip('this version has no bake');
const own = hasCommands('sample', 'animate') ? await ownCharacters([7, 8]) : [];
const files = [...own, ...riggedFiles()];
if (files.length === 0) skip('neither limber animate nor the shared data is there');

let compared = 0;
let farthest = 0;

async function bake(what, ...args) {
  const done = await run('bake', ...args);
  if (done.code !== 0) fail(`${what}: limber exits ${done.code}: ${done.stderr.trim()}`);
  return done.code === 0;
}

function judge(what, gltf, index, time, baked) {
  const found = compare(vertices(gltf, index, time), objVertices(fs.readFileSync(baked, 'utf8')));
  if (found.expected !== undefined) return fail(`${what} at ${time} s: ${found.count} vertices, three.js has ${found.expected}`);
  ++compared;
  farthest = Math.max(farthest, found.worst / found.size || 0);
  if (!(found.worst <= TOLERANCE * found.size)) {
    fail(`${what} at ${time.toFixed(4)} s: vertex ${found.at} is off by ${(found.worst / found.size).toExponential(2)} of the size`);
  }
}

/** At one time; index -1: a file without clips. */
async function compareAt(what, file, gltf, index, time) {
  const baked = path.join(work, 'baked.obj');
  if (await bake(what, file, ...(index < 0 ? [] : ['--clip', `${index}`]), '--time', `${time}`, '-o', baked)) judge(what, gltf, index, time, baked);
}

async function compareOver(what, file, gltf, index, duration) {
  const fps = 1 / (SHARE * duration), frame = (k) => path.join(work, `frame_${String(k).padStart(4, '0')}.obj`);
  for (let k = 0; k < MOMENTS; ++k) fs.rmSync(frame(k), { force: true });
  if (!(await bake(what, file, '--clip', `${index}`, '--fps', `${fps}`, '-o', path.join(work, 'frame_{frame}.obj')))) return;
  for (let k = 0; k < MOMENTS; ++k) {
    if (fs.existsSync(frame(k))) judge(what, gltf, index, k / fps, frame(k));
    else fail(`${what}: no frame ${k} at ${fps} a second`);
  }
}

for (const file of files) {
  const name = path.relative(shared ?? '/', file);
  let gltf;
  try {
    gltf = await load(file);
  } catch (error) {
    console.log(`passed over ${name}: three.js does not read it: ${error.message}`);
    continue;
  }
  if (/"JOINTS_1"/.test(fs.readFileSync(file, 'latin1'))) {
    console.log(`passed over ${name}: three.js leaves out influences beyond the fourth`);
    continue;
  }
  if (hasStrayJoints(gltf)) {
    console.log(`passed over ${name}: a joint is not in the scene, and three.js does not place it`);
    continue;
  }
  if (vertices(gltf, -1, 0).length === 0) continue; // a skeleton without a mesh has nothing to bake
  const list = clips(gltf);
  if (list.length === 0) await compareAt(name, file, gltf, -1, 0);
  for (let index = 0; index < list.length; ++index) {
    const what = `${name} clip ${index}`, { duration } = list[index];
    if (duration > 0) await compareOver(what, file, gltf, index, duration);
    if (index === 0 || !(duration > 0)) await compareAt(what, file, gltf, index, duration);
  }
}
finish(`${files.length} files, ${compared} moments compared, the farthest vertex is off by ${farthest.toExponential(2)} of the size`);
