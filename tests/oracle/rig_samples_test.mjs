// limber rig on bodies whose skeleton is known: the joints it finds against the true ones, both ways round, at any size.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const limber = process.env.LIMBER ?? 'build/limber';
if (!fs.existsSync(limber)) process.exit(77);
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-rig-'));
const run = (...args) => execFileSync(limber, args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();

// Mean and largest distance over the joints that both name, in percent of the height; `swapped` when crossing sides would be nearer.
function errors(truth, rig) {
  const found = new Map(rig.joints.map((j) => [j.name, j.position]));
  const distance = (a, b) => (100 * Math.hypot(...a.map((x, i) => x - b[i]))) / truth.height;
  const other = (name) => (name.startsWith('left') ? 'right' + name.slice(4) : name.startsWith('right') ? 'left' + name.slice(5) : name);
  const body = truth.joints.filter((j) => found.has(j.name) && !/Thumb|Index|Middle|Ring|Little/.test(j.name));
  const straight = body.map((j) => distance(j.position, found.get(j.name)));
  const crossed = body.map((j) => distance(j.position, found.get(other(j.name)) ?? j.position));
  const mean = (xs) => xs.reduce((s, x) => s + x, 0) / xs.length;
  return { mean: mean(straight), worst: Math.max(...straight), swapped: mean(crossed) < mean(straight) };
}

const variants = [[], ['--up', 'z', '--yaw', '90'], ['--yaw', '180', '--scale', '100'], ['--yaw', '270', '--scale', '0.01']];
let failed = 0, sum = 0;
const seeds = 8;
for (let seed = 0; seed < seeds; ++seed) {
  const mesh = path.join(work, 'mesh.obj'), truthFile = path.join(work, 'truth.json'), out = path.join(work, 'out.glb');
  const turned = variants[seed % variants.length];
  run('sample', 'humanoid', '--seed', String(seed), '--whole', '--triangles', '6000', ...turned, '-o', mesh, '--truth', truthFile, '-q');
  const truth = JSON.parse(fs.readFileSync(truthFile, 'utf8'));
  const up = turned.includes('z');
  if (up) for (const j of truth.joints) j.position = [j.position[0], j.position[2], -j.position[1]]; // the result stands along +Y
  const rig = JSON.parse(run('rig', mesh, '-o', out, '--weights', 'nearest', '--json', '-q'));
  const box = fs.readFileSync(mesh, 'utf8').split('\n').filter((l) => l.startsWith('v ')).map((l) => Number(l.split(' ')[up ? 3 : 2]));
  truth.height = Math.max(...box) - Math.min(...box);
  const e = errors(truth, rig);
  sum += e.mean;
  if (e.mean > 3 || e.worst > 6 || e.swapped) {
    console.log(`FAILED seed ${seed} ${turned.join(' ')}: mean ${e.mean.toFixed(2)}%, worst ${e.worst.toFixed(2)}%${e.swapped ? ', left and right swapped' : ''}`);
    ++failed;
  }
}
console.log(`mean joint error ${(sum / seeds).toFixed(2)}% of the height over ${seeds} bodies`);
if (sum / seeds > 2) ++failed;
fs.rmSync(work, { recursive: true });
process.exit(failed ? 1 : 0);
