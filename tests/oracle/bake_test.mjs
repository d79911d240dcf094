// three.js and `limber bake` show the same vertices: at five times of every clip, within 1e-5 of the character's size,
// for characters that the command made and for every rigged glTF file of the shared data.
import fs from 'node:fs';
import path from 'node:path';
import { fail, finish, hasCommands, ownCharacters, riggedFiles, run, shared, skip, work } from './harness.mjs';
import { clips, compare, hasStrayJoints, load, objVertices, vertices } from './three_character.mjs';

const TOLERANCE = 1e-5;
const MOMENTS = [0, 0.21, 0.5, 0.83, 1];

if (!hasCommands('bake')) skip('this version has no bake');
const own = hasCommands('sample', 'animate') ? await ownCharacters([7, 8]) : [];
const files = [...own, ...riggedFiles()];
if (files.length === 0) skip('neither limber animate nor the shared data is there');

let compared = 0;
let farthest = 0;

async function compareAt(file, gltf, index, time) {
  const baked = path.join(work, 'baked.obj');
  const clip = index < 0 ? [] : ['--clip', `${index}`];
  const done = await run('bake', file, ...clip, '--time', `${time}`, '-o', baked);
  const what = `${path.relative(shared ?? '/', file)} clip ${index} at ${time.toFixed(4)} s`;
  if (done.code !== 0) return fail(`${what}: limber exits ${done.code}: ${done.stderr.trim()}`);
  const found = compare(vertices(gltf, index, time), objVertices(fs.readFileSync(baked, 'utf8')));
  if (found.expected !== undefined) return fail(`${what}: ${found.count} vertices, three.js has ${found.expected}`);
  ++compared;
  farthest = Math.max(farthest, found.worst / found.size || 0);
  if (!(found.worst <= TOLERANCE * found.size)) {
    fail(`${what}: vertex ${found.at} is off by ${(found.worst / found.size).toExponential(2)} of the size`);
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
  if (list.length === 0) await compareAt(file, gltf, -1, 0);
  for (let index = 0; index < list.length; ++index) {
    for (const moment of MOMENTS) await compareAt(file, gltf, index, moment * list[index].duration);
  }
}
finish(`${files.length} files, ${compared} moments compared, the farthest vertex is off by ${farthest.toExponential(2)} of the size`);
