// Malformed input ends with a message, never with a crash: every file of the shared data's bad/, and 1000 cuts and
// byte flips of good files, through `limber info`. Exit 0, 3 or 4 within a second; a refusal names the place.
// `./dev test` runs this on the build with sanitizers too, where a finding shows as another exit code.
import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const limber = process.env.LIMBER ?? 'build/limber';
const shared = process.env.LIMBER_SHARED ?? null;
const MUTATIONS = 1000;
const SECONDS_MAX = 1;
const SIZE_MAX = 120_000; // of a file to mutate: larger ones take long to read and fail no differently

if (spawnSync(limber, ['info', '--help']).status !== 0) {
  console.log('skipped: this version has no info');
  process.exit(77);
}
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-bad-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));

const readable = ['.obj', '.ply', '.off', '.stl', '.gltf', '.glb', '.vrm', '.vrma', '.bvh', '.asf', '.amc', '.c3d', '.trc',
  '.md5mesh', '.md5anim', '.iqm', '.fbx'];

function filesBelow(folder) {
  return fs.readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(path.join(folder, entry.name)) : [path.join(folder, entry.name)]));
}

// ---- running

function info(file) {
  return new Promise((resolve) => {
    const begun = process.hrtime.bigint();
    execFile(limber, ['info', file], { timeout: 20_000, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
      resolve({ code: error ? (error.code ?? error.signal ?? 'killed') : 0, stderr, seconds });
    });
  });
}

const namesPlace = (text) => /:\d+:\d+: /.test(text) || /byte \d+/.test(text);

/** What is wrong with how the command took the file, or null. */
async function fault(file) {
  let done = await info(file);
  // A busy machine is not a slow reader: a late answer is asked for again.
  if (done.seconds > SECONDS_MAX) done = await info(file);
  const said = done.stderr.trim().split('\n').slice(0, 12).join('\n    ');
  if (![0, 3, 4].includes(done.code)) return { done, text: `exits ${done.code}: ${said}` };
  if (/Sanitizer|runtime error:/.test(done.stderr)) return { done, text: `sanitizer: ${said}` };
  if (done.code !== 0 && said === '') return { done, text: `exits ${done.code} without a message` };
  if (done.code === 3 && !namesPlace(done.stderr)) return { done, text: `names no place: ${said}` };
  if (done.seconds > SECONDS_MAX) return { done, text: `takes ${done.seconds.toFixed(2)} s` };
  return { done, text: null };
}

let failures = 0;
const codes = { 0: 0, 3: 0, 4: 0 };

/** Runs all, as many at once as there are cores. `judge` may add a complaint of its own. */
async function runAll(jobs, judge = () => null) {
  let next = 0;
  const lane = async () => {
    while (next < jobs.length) {
      const job = jobs[next++];
      const file = job.make();
      const { done, text } = await fault(file);
      codes[done.code] = (codes[done.code] ?? 0) + 1;
      const complaint = text ?? judge(job, done);
      if (complaint) {
        ++failures;
        if (failures <= 25) console.log(`FAILED ${job.name} ${complaint}`);
      }
      job.drop?.(file);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, os.cpus().length) }, lane));
}

// ---- the collected files, with what their catalogue expects of each

function expectations() {
  const rows = fs.readFileSync(path.join(shared, 'data/README.md'), 'utf8').split('## Malformed')[1] ?? '';
  const out = new Map();
  for (const row of rows.split('\n')) {
    const cells = row.split('|').map((cell) => cell.trim());
    if (/^`.*`$/.test(cells[1] ?? '')) out.set(cells[1].slice(1, -1), cells[5]);
  }
  return out;
}

/** The collected .amc are of subject 01, whose .asf stands elsewhere: a copy of each goes beside a copy of it. */
function besideItsSkeleton(file) {
  const skeleton = path.join(shared, 'data/mocap/asf_amc/01.asf');
  if (!file.endsWith('.amc') || !fs.existsSync(skeleton)) return file;
  fs.copyFileSync(skeleton, path.join(work, '01.asf'));
  const copy = path.join(work, `01_${path.basename(file)}`);
  fs.copyFileSync(file, copy);
  return copy;
}

if (shared) {
  const folder = path.join(shared, 'data/bad');
  const expected = expectations();
  const jobs = filesBelow(folder)
    .filter((file) => !/\.(bin|mtl|xml|png|jpg)$/.test(file))
    .map((file) => ({ name: path.relative(folder, file), make: () => besideItsSkeleton(file) }));
  const taken = [];
  const refused = [];
  await runAll(jobs, (job, done) => {
    const want = expected.get(job.name);
    if (want === 'error' && done.code === 0) taken.push(job.name);
    if (want !== 'accept' || done.code !== 3) return null;
    // Whole files that were made as controls; the others may need a file that was not collected.
    if (job.name.startsWith('made/')) return `should be read: ${done.stderr.trim()}`;
    refused.push(job.name);
    return null;
  });
  console.log(`${jobs.length} collected files`);
  console.log(`${taken.length} that the catalogue calls errors are read: ${taken.join(' ')}`);
  console.log(`${refused.length} that it calls readable are refused: ${refused.join(' ')}`);
}

// ---- cuts and byte flips of good files

/** Deterministic 32-bit numbers (xorshift, Marsaglia 2003). */
function randomNumbers(seed) {
  let x = seed;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
}

/** Our own mesh in every format that the command writes; with the shared data, its small files too. */
function goodFiles() {
  const out = [];
  const mesh = path.join(work, 'good.obj');
  if (spawnSync(limber, ['sample', 'humanoid', '--seed', '3', '-o', mesh], { timeout: 60_000 }).status === 0) {
    const character = path.join(work, 'good.glb');
    spawnSync(limber, ['animate', mesh, 'walk', '-o', character], { timeout: 120_000 });
    if (fs.existsSync(character)) out.push(character);
    for (const extension of ['.ply', '.stl', '.off', '.bvh', '.gltf']) {
      const to = path.join(work, `good${extension}`);
      const from = fs.existsSync(character) ? character : mesh;
      if (spawnSync(limber, ['convert', from, to], { timeout: 60_000 }).status === 0) out.push(to);
    }
    out.push(mesh);
  } else {
    fs.writeFileSync(mesh, 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nf 1/1 2/1 3/1\nf 1 2 4\n');
    out.push(mesh);
  }
  if (shared) {
    for (const folder of ['meshes', 'rigged', 'mocap']) {
      out.push(...filesBelow(path.join(shared, 'data', folder))
        .filter((file) => readable.includes(path.extname(file).toLowerCase()) && fs.statSync(file).size <= SIZE_MAX));
    }
  }
  return out;
}

function mutate(bytes, random) {
  if (random() % 3 === 0) return bytes.subarray(0, random() % bytes.length);
  const out = Buffer.from(bytes);
  // The head of a file has its counts and offsets: every other flip goes there.
  const reach = random() % 2 ? out.length : Math.min(out.length, 512);
  for (let k = 1 + (random() % 8); k > 0; --k) out[random() % reach] = random() & 255;
  return out;
}

const good = goodFiles();
const jobs = Array.from({ length: MUTATIONS }, (_, k) => {
  const base = good[k % good.length];
  return {
    name: `mutation ${k} of ${path.basename(base)}`,
    make: () => {
      const file = path.join(work, `mutation${k}${path.extname(base)}`);
      fs.writeFileSync(file, mutate(fs.readFileSync(base), randomNumbers(0x9e3779b9 ^ (k * 2654435761))));
      return file;
    },
    drop: (file) => fs.rmSync(file),
  };
});
await runAll(jobs);
console.log(`${MUTATIONS} mutations of ${good.length} files; exit codes of all: ${Object.entries(codes).map(([code, count]) => `${code}: ${count}`).join(', ')}`);
process.exit(failures ? 1 : 0);
