// What limber learn writes, seen by three.js: its vertices at every frame against those of the character that it learned
// from, and the error that the command reported against the one found here.
import path from 'node:path';
import { fail, finish, hasCommands, run, skip, work } from './harness.mjs';
import { load, vertices } from './three_character.mjs';

if (!hasCommands('learn', 'sample', 'animate')) skip('this version has no learn');
const FPS = 15;
const mesh = path.join(work, 'person.obj'), taught = path.join(work, 'person.glb'), learned = path.join(work, 'learned.glb');
for (const args of [['sample', 'humanoid', '--bare', '--triangles', '3000', '--seed', '4', '-o', mesh], ['animate', mesh, 'walk', '-o', taught]]) {
  const done = await run(...args);
  if (done.code !== 0) fail(`limber ${args.join(' ')} exits ${done.code}: ${done.stderr.trim()}`);
}

const teacher = await load(taught);
const rest = vertices(teacher, -1, 0);
const corners = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
rest.forEach((x, k) => {
  corners[0][k % 3] = Math.min(corners[0][k % 3], x);
  corners[1][k % 3] = Math.max(corners[1][k % 3], x);
});
const diagonal = Math.hypot(...corners[1].map((x, k) => x - corners[0][k]));
// Primitives that share vertices show them each: every place counts once, as every vertex of this mesh is alone at its.
const first = new Set();
const seenAt = new Set();
for (let v = 0; v < rest.length; v += 3) {
  const key = rest.subarray(v, v + 3).join(' ');
  if (!seenAt.has(key)) first.add(v);
  seenAt.add(key);
}
const frames = Math.floor(teacher.animations[0].duration * FPS + 1e-4) + 1;
let worst = 0;

async function judge(limit, ...options) {
  const done = await run('learn', taught, '--fps', `${FPS}`, '--iterations', '12', '--json', ...options, '-o', learned);
  const what = `limber learn ${options.join(' ')}`;
  if (done.code !== 0) return fail(`${what} exits ${done.code}: ${done.stderr.trim()}`);
  const said = JSON.parse(done.stdout);
  const pupil = await load(learned);
  if (said.frames !== frames) fail(`${what}: ${said.frames} frames, expected ${frames}`);
  let sum = 0, most = 0;
  for (let k = 0; k < frames; ++k) {
    const wanted = vertices(teacher, 0, k / FPS), shown = vertices(pupil, 0, k / FPS);
    if (wanted.length !== shown.length) return fail(`${what}: ${shown.length / 3} vertices, expected ${wanted.length / 3}`);
    for (const v of first) {
      const square = (wanted[v] - shown[v]) ** 2 + (wanted[v + 1] - shown[v + 1]) ** 2 + (wanted[v + 2] - shown[v + 2]) ** 2;
      sum += square;
      most = Math.max(most, square);
    }
  }
  const rms = Math.sqrt(sum / (frames * first.size)), max = Math.sqrt(most);
  const kavan = 1000 * Math.sqrt(sum / (3 * frames * first.size)) * 2 / diagonal;
  if (said.vertices !== first.size) fail(`${what}: ${said.vertices} vertices, expected ${first.size}`);
  // Single precision in the file is what may differ.
  for (const [name, seen, told] of [['rms', rms, said.rms_m], ['max', max, said.max_m], ['E_RMS', kavan, said.e_rms]]) {
    const off = Math.abs(seen - told) / told;
    worst = Math.max(worst, off);
    if (!(off < 1e-4)) fail(`${what}: ${name} ${told} said, ${seen} seen`);
  }
  if (!(kavan < limit)) fail(`${what}: E_RMS ${kavan}`);
  console.log(`${what}: ${said.bones} bones, rms ${(1000 * rms).toFixed(3)} mm, max ${(1000 * max).toFixed(2)} mm, E_RMS ${kavan.toFixed(3)}`);
}

await judge(4, '--bones', '14');
await judge(2, '--bones', '14', '--skeleton', 'flat', '--smooth', '0');
await judge(50, '--bones', '3', '--influences', '1', '--skeleton', 'flat');
finish(`what was said differs from what is seen by ${worst.toExponential(1)} at most`);
