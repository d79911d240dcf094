// three.js reads the same triangles as Limber: each mesh of the shared data by the loader of its own format, and by
// PLYLoader from what the command writes, in both encodings. Triangles are compared one by one where the file has no others; where
// polygons may be cut differently, by their number.
import fs from 'node:fs';
import path from 'node:path';
import { fail, filesBelow, finish, run, shared, skip, work } from './harness.mjs';

globalThis.self ??= globalThis;
const { OBJLoader } = await import('three/addons/loaders/OBJLoader.js');
const { PLYLoader } = await import('three/addons/loaders/PLYLoader.js');
const { STLLoader } = await import('three/addons/loaders/STLLoader.js');

if (!shared) skip('the shared data is not there');

const toBuffer = (file) => new Uint8Array(fs.readFileSync(file)).buffer;

/** Corners of triangles, nine numbers each, of one geometry. */
function corners(geometry) {
  const positions = geometry.attributes.position.array;
  if (!geometry.index) return Array.from(positions);
  const out = [];
  for (const i of geometry.index.array) out.push(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
  return out;
}

/** What the loader of its own format makes of a file. Groups of an OBJ come as several meshes, in order. */
function expected(file) {
  if (file.endsWith('.ply')) return corners(new PLYLoader().parse(toBuffer(file)));
  const out = [];
  new OBJLoader().parse(fs.readFileSync(file, 'latin1')).traverse((node) => {
    if (node.isMesh) for (const value of corners(node.geometry)) out.push(value);
  });
  return out;
}

/** An ascii STL of triangles, to judge that reader with. */
function stlText(values) {
  let text = 'solid made\n';
  for (let i = 0; i < values.length; i += 9) {
    const vertex = (k) => `vertex ${values[i + k]} ${values[i + k + 1]} ${values[i + k + 2]}\n`;
    text += `facet normal 0 0 0\nouter loop\n${vertex(0)}${vertex(3)}${vertex(6)}endloop\nendfacet\n`;
  }
  return `${text}endsolid made\n`;
}

let triangles = 0;
let files = 0;

async function judge(file, want, exact) {
  const out = path.join(work, 'out.ply');
  const done = await run('convert', file, out);
  const name = path.basename(file);
  if (done.code !== 0) return fail(`${name}: limber convert exits ${done.code}: ${done.stderr.trim()}`);
  const got = corners(new PLYLoader().parse(toBuffer(out)));
  if (got.length !== want.length) return fail(`${name}: ${got.length / 9} triangles, three.js has ${want.length / 9}`);
  for (let i = 0; exact && i < want.length; ++i) {
    if (got[i] !== Math.fround(want[i])) return fail(`${name}: triangle ${Math.floor(i / 9)} is not where three.js has it`);
  }
  ++files;
  triangles += exact ? want.length / 9 : 0;
}

const meshes = [...filesBelow(path.join(shared, 'data/meshes'), ['.obj']), ...filesBelow(path.join(shared, 'data/skinning'), ['.ply'])];
for (const file of meshes) {
  const want = expected(file);
  const text = file.endsWith('.obj') ? fs.readFileSync(file, 'latin1') : '';
  if (/^f(?:[ \t]+\S+){5}/m.test(text)) continue; // PLYLoader drops polygons of more than four corners
  const onlyTriangles = !/^f(?:[ \t]+\S+){4}/m.test(text);
  await judge(file, want, onlyTriangles);
  if (want.length < 100000 && onlyTriangles) {
    const stl = path.join(work, 'made.stl');
    fs.writeFileSync(stl, stlText(want));
    await judge(stl, corners(new STLLoader().parse(toBuffer(stl))), true);
  }
}
finish(`${files} files, ${triangles} triangles compared`);
