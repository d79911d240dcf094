// node skin_at.mjs FILE CLIP|- TIME BAKED.obj: how far another program's vertices are from those that three.js shows.
// CLIP is a number or a name; exits 1 when a vertex is off by more than 1e-5 of the character's size.
import fs from 'node:fs';
import { clips, compare, load, objVertices, vertices } from './three_character.mjs';

const [file, clip, time, baked] = process.argv.slice(2);
if (!baked) {
  console.error('usage: skin_at.mjs FILE CLIP|- TIME BAKED.obj');
  process.exit(2);
}
const gltf = await load(file);
const named = clips(gltf).findIndex((c) => c.name === clip);
const index = clip === '-' ? -1 : named >= 0 ? named : Number(clip);
const found = compare(vertices(gltf, index, Number(time)), objVertices(fs.readFileSync(baked, 'utf8')));
if (found.expected !== undefined) {
  console.log(`three.js shows ${found.expected} vertices, ${baked} has ${found.count}`);
  process.exit(1);
}
console.log(`${found.count} vertices, the farthest is off by ${(found.worst / found.size).toExponential(2)} of the size (vertex ${found.at})`);
process.exit(found.worst <= 1e-5 * found.size ? 0 : 1);
