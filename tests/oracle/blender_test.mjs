// Where Blender has joints and vertices, at up to seven keys of the first animation, beside Limber: of BVH, FBX and glTF files as
// they are, and of what Limber writes. Files of our own must agree; of the collected ones those that do not are listed, with the
// reasons in docs/formats.md. BLENDER_FILES names the only files to compare.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fail, filesBelow, finish, run, shared, skip, work } from './harness.mjs';

const three = await import('three');
const { load, vertices } = await import('./three_character.mjs');
const { similarity } = await import('./similarity.mjs');
const here = path.dirname(new URL(import.meta.url).pathname);
const TOLERANCE = 1e-4;
if (spawnSync('blender', ['--version']).status !== 0) skip('no Blender here');

/** What Blender reads of the files: a list of objects as blender_pose.py has them. */
function blender(files) {
  const list = path.join(work, 'list.json'), out = path.join(work, 'read.json');
  fs.writeFileSync(list, JSON.stringify(files));
  const done = spawnSync('blender', ['-b', '--factory-startup', '--python', path.join(here, 'blender_pose.py'), '--', list, out], { maxBuffer: 1 << 28 });
  if (!fs.existsSync(out)) throw new Error(`blender_pose.py wrote nothing: ${done.stderr}`);
  const read = JSON.parse(fs.readFileSync(out, 'utf8'));
  fs.rmSync(out);
  return read;
}

/** Blender's vertices of a moment, as points. */
function points(base64) {
  const bytes = Buffer.from(base64, 'base64'), out = [];
  for (let k = 0; k + 12 <= bytes.length; k += 12) out.push(new three.Vector3(bytes.readFloatLE(k), bytes.readFloatLE(k + 4), bytes.readFloatLE(k + 8)));
  return out;
}

/** How far the farthest of `from` is from the nearest of `to`, where that is more than `near`: by cells of that size. */
function farthest(from, to, near) {
  const key = (x, y, z) => `${x},${y},${z}`, cells = new Map();
  const cell = (v) => Math.floor(v / near);
  for (const p of to) {
    const k = key(cell(p.x), cell(p.y), cell(p.z));
    if (cells.has(k)) cells.get(k).push(p);
    else cells.set(k, [p]);
  }
  let worst = 0;
  for (const p of from) {
    let best = Infinity;
    for (let i = -1; i <= 1; ++i) for (let j = -1; j <= 1; ++j) for (let k = -1; k <= 1; ++k) for (const q of cells.get(key(cell(p.x) + i, cell(p.y) + j, cell(p.z) + k)) ?? []) best = Math.min(best, p.distanceTo(q));
    if (best > near) best = Math.min(...to.map((q) => p.distanceTo(q)));
    worst = Math.max(worst, best);
    if (worst > 100 * near) break;
  }
  return worst;
}

/** Our reading, as three.js shows the GLB that was written of it: joints by name, and the vertices that a face uses. */
async function ours(glb, times, isFbx) {
  const gltf = await load(glb), index = gltf.animations.length ? 0 : -1, used = [], places = new Map(), nodes = new Map();
  const start = isFbx ? gltf.animations[0]?.userData.start_s ?? 0 : 0; // an FBX keeps its own clock
  gltf.scene.traverse((node) => {
    if (!node.isMesh && !node.isLine && !node.isPoints) return;
    const count = node.geometry.attributes.position.count, seen = new Uint8Array(count);
    if (node.geometry.index) node.geometry.index.array.forEach((k) => (seen[k] = 1));
    else seen.fill(1);
    used.push(...seen);
  });
  gltf.scene.traverse((node) => {
    const name = node.userData.name ?? node.name;
    nodes.set(name, nodes.has(name) ? null : node);
  });
  const moments = times.map((time) => {
    const flat = vertices(gltf, index, time - start), list = [];
    for (let k = 0; k < used.length; ++k) if (used[k]) list.push(new three.Vector3().fromArray(flat, 3 * k));
    return list;
  });
  const mixer = new three.AnimationMixer(gltf.scene);
  if (index >= 0) {
    const action = mixer.clipAction(gltf.animations[0]);
    action.setLoop(three.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
  }
  for (const time of times) {
    mixer.setTime(Math.max(0, time - start));
    gltf.scene.updateMatrixWorld(true);
    for (const [name, node] of nodes) if (node) places.set(name, [...(places.get(name) ?? []), new three.Vector3().setFromMatrixPosition(node.matrixWorld)]);
  }
  return { places, moments, wide: /"JOINTS_1"/.test(fs.readFileSync(glb, 'latin1')) };
}

const sizeOf = (list) => new three.Box3().setFromPoints(list).getSize(new three.Vector3()).length() || 1;

/** null where both have the same, else what differs. `exact`: in the same units and axes too. */
async function compare(theirs, job) {
  const { glb, exact } = job;
  if (theirs.refused) return `Blender refuses it: ${theirs.refused.slice(0, 90)}`;
  const our = await ours(glb, theirs.times, /\.fbx$/i.test(job.file) && !job.written), a = [], b = [], names = [];
  for (const [name, flat] of Object.entries(theirs.joints)) {
    const place = our.places.get(name);
    if (!place) continue;
    names.push(name);
    theirs.times.forEach((_, t) => {
      a.push(new three.Vector3().fromArray(flat, 3 * t));
      b.push(place[t]);
    });
  }
  const same = { apply: (p) => p, scale: 1 }, fit = exact || names.length < 2 ? same : similarity(a, b);
  const size = sizeOf([...b, ...our.moments.flat()]), wrong = [];
  let off = 0, who = '';
  a.forEach((p, k) => {
    const distance = fit.apply(p).distanceTo(b[k]);
    if (distance > off) [off, who] = [distance, names[Math.floor(k / theirs.times.length)]];
  });
  if (off > TOLERANCE * size) wrong.push(`joints off by ${(off / size).toExponential(1)} of the size (${who})`);
  let skin = 0;
  for (let t = 0; t < theirs.times.length && !our.wide; ++t) {
    const their = points(theirs.vertices[t]).map(fit.apply);
    if (their.length === 0 || our.moments[t].length === 0) {
      if (their.length !== our.moments[t].length) skin = Infinity;
      continue;
    }
    skin = Math.max(skin, farthest(their, our.moments[t], TOLERANCE * size), farthest(our.moments[t], their, TOLERANCE * size));
  }
  if (skin > TOLERANCE * size) wrong.push(`vertices off by ${(skin / size).toExponential(1)}`);
  if (job.ours && exact && names.length < theirs.bones) wrong.push(`${theirs.bones} bones, only ${names.length} of them by our names`);
  if (job.ours && exact && theirs.scales.some((s) => Math.abs(s - 1) > 1e-6)) wrong.push(`an armature scaled by ${theirs.scales}`);
  if (!job.file.endsWith('.bvh') && Math.abs(fit.scale - 1) > 1e-3) wrong.push(`scale ${fit.scale.toPrecision(4)}`);
  return wrong.length ? wrong.join(', ') : null;
}

const own = [];
for (const [kind, seed, motion] of [['humanoid', 4, 'walk'], ['humanoid', 9, 'run']]) {
  const mesh = path.join(work, `m${seed}.glb`), glb = path.join(work, `own${seed}.glb`), bvh = path.join(work, `own${seed}.bvh`);
  for (const args of [['sample', kind, '--seed', `${seed}`, '--rigged', '-o', mesh], ['animate', mesh, motion, '-o', glb], ['convert', glb, bvh]]) {
    const done = await run(...args, '-q');
    if (done.code !== 0) fail(`limber ${args.join(' ')}: ${done.stderr.trim()}`);
  }
  own.push({ name: `our own ${path.basename(glb)}`, file: glb, glb, exact: true, ours: true });
  own.push({ name: `our own ${path.basename(bvh)}`, file: bvh, exact: false, ours: true });
}

/** A file as Blender reads it beside what Limber does, and, where it has vertices, as Blender reads what Limber wrote of it. */
const jobs = [...own];
const folders = ['mocap/bvh', 'mocap/fbx', 'rigged/fbx', 'rigged/ufbx', 'rigged/rignet', 'skinning', 'rigged/gltf', 'rigged/mesh2motion', 'rigged/vrm'];
const collected = shared ? folders.map((f) => path.join(shared, 'data', f)).filter((f) => fs.existsSync(f)).flatMap((f) => filesBelow(f, ['.bvh', '.fbx', '.glb', '.gltf', '.vrm'])) : [];
for (const file of process.env.BLENDER_FILES?.split(':') ?? collected) {
  const name = shared ? path.relative(path.join(shared, 'data'), file) : file, isGltf = /\.(glb|gltf|vrm)$/.test(file);
  jobs.push({ name, file, exact: isGltf });
  if (!file.endsWith('.bvh')) jobs.push({ name: `${name} as written`, file, exact: true, written: true });
}
for (const [k, job] of jobs.entries()) {
  job.glb ??= path.join(work, `c${k}.glb`);
  if (fs.existsSync(job.glb)) continue;
  const done = await run('convert', job.file, job.glb, '-q');
  if (done.code !== 0) job.refused = `limber exits ${done.code}`;
}
const able = jobs.filter((job) => !job.refused);
const read = blender(able.map((job) => (job.written ? job.glb : job.file)));
const others = [];
let agree = 0;
for (const [k, job] of able.entries()) {
  const found = await compare(read[k], job).catch((error) => `three.js: ${error.message}`);
  if (!found) ++agree;
  else if (job.ours) fail(`${job.name}: ${found}`);
  else others.push(`${job.name}: ${found}`);
}
for (const line of others) console.log(line);
finish(`${agree} readings agree, ${others.length} do not`);
