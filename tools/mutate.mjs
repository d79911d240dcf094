// Measures the tests: plants one-line bugs in a copy of the tree, one at a time, and reports those that no test sees.
//
//     node tools/mutate.mjs [ROOM,…] [--own] [--count N] [--skip N] [--seed N] [--limit SECONDS] [-DNAME=VALUE for CMake]
//
// A mutant is a comparison, a sign, a constant by half or a dropped call, in a line of src/ROOM (all rooms without one). It is
// killed when a test of the room, of the command or of the main outputs fails or takes over two minutes (--limit: more on a busy
// machine); a test is built when it is its turn, those named like the file first. With --own only the room's tests count. --skip
// leaves out the first mutants of a draw, for a draw that is run in parts. Mutants that change nothing are listed in
// tools/equivalent-mutants.txt, "FILE: LINE AS MUTATED", and not counted. Exits 1 when under 90 % are killed.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const copy = path.join(root, 'build/mutate');
const build = path.join(copy, 'build/dev');

function option(name, standard) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? standard : Number(process.argv[at + 1]);
}
const limit = option('limit', 120);
const count = option('count', 10);
const skip = option('skip', 0);
const rooms = /^[a-z,]+$/.test(process.argv[2] ?? '') ? process.argv[2].split(',') : undefined;
const isOwnAlone = process.argv.includes('--own');

// Numbers in [0, 1) from a seed (mulberry32).
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}
const random = randomFrom(option('seed', 1));
const pick = (list) => list[Math.floor(random() * list.length)];

const swaps = [
  [/ < /, ' <= '], [/ <= /, ' < '], [/ > /, ' >= '], [/ >= /, ' > '], [/ == /, ' != '], [/ != /, ' == '], [/ && /, ' || '], [/ \|\| /, ' && '],
  [/ \+ /, ' - '], [/(?<=[\w)\]]) - /, ' + '], [/ \+= /, ' -= '], [/ -= /, ' += '],
];

// All ways to spoil a line.
function mutations(line) {
  const code = line.replace(/\/\/.*$/, '');
  if (/^\s*(#|\/\/|\*|assert|static const char|case |LMBI_)/.test(line) || code.includes('"')) return [];
  const found = swaps.filter(([what]) => what.test(code)).map(([what, by]) => code.replace(what, by));
  for (const match of code.matchAll(/(?<![\w.])\d+\.\d+(?=f?\b)/g)) {
    if (Number(match[0]) === 0) continue;
    const by = (Number(match[0]) * pick([0.5, 1.5])).toString();
    const text = by.includes('.') || by.includes('e') ? by : `${by}.0`;
    found.push(code.slice(0, match.index) + text + code.slice(match.index + match[0].length));
  }
  if (/^ {4,}[a-z_][\w.>-]*\(.*\);\s*$/.test(code)) found.push(code.replace(/\S.*$/, ';'));
  return found;
}

function sources() {
  const all = fs.readdirSync(path.join(root, 'src')).filter((name) => fs.existsSync(path.join(root, 'tests', name)));
  return (rooms ?? all).flatMap((name) => fs.readdirSync(path.join(root, 'src', name), { recursive: true })
    .filter((file) => /\.(c|inl)$/.test(file)).sort().map((file) => `src/${name}/${file}`));
}

function run(command, args, seconds) {
  const done = spawnSync(command, args, { cwd: copy, encoding: 'utf8', timeout: seconds * 1000, maxBuffer: 1 << 28 });
  return done.status === 0;
}

// The tests of a room by ctest's name, those whose names share most words with the file first, then the command's, then the
// hashes of main outputs.
function testsOf(of, file) {
  const words = path.basename(file).replace(/\.\w+$/, '').split('_');
  const likeness = (name) => words.filter((word) => name.includes(word)).length;
  const list = spawnSync('ctest', ['--test-dir', build, '-N', '-LE', '^long$'], { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout;
  const all = [...list.matchAll(/^ +Test +#\d+: (\S+)$/gm)].map((match) => match[1]);
  const own = all.filter((name) => name.startsWith(`${of}/`)).sort((a, b) => likeness(b) - likeness(a));
  return isOwnAlone ? own : [...own, ...all.filter((name) => name.startsWith('cli/')), ...all.filter((name) => name.startsWith('golden/'))];
}

const targets = () => new Set([...spawnSync('ninja', ['-C', build, '-t', 'targets', 'all'], { encoding: 'utf8', maxBuffer: 1 << 28 })
  .stdout.matchAll(/^(test_\w+): phony$/gm)].map((match) => match[1]));

// Builds what a test needs, and runs it.
function passes(test, programs) {
  const program = `test_${test.replace('/', '_')}`;
  const isBuilt = run('cmake', ['--build', build, '--target', programs.has(program) ? program : 'limber_command'], 1800);
  return isBuilt && run('ctest', ['--test-dir', build, '-R', `^${test}$`], limit);
}

// The first test that fails on the mutant and not on the tree as it is; tests that fail there too are left out from then on.
const sound = new Map();
function killer(of, file, original, mutant) {
  const programs = targets();
  for (const test of testsOf(of, file).filter((name) => sound.get(name) !== false)) {
    if (passes(test, programs)) continue;
    if (!sound.has(test)) {
      fs.writeFileSync(path.join(copy, file), original);
      sound.set(test, passes(test, programs));
      fs.writeFileSync(path.join(copy, file), mutant);
    }
    if (sound.get(test)) return test;
    console.log(`left out: ${test}, which fails without a mutant`);
  }
  return undefined;
}

fs.mkdirSync(copy, { recursive: true });
const listed = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).stdout.split('\0').filter((name) => name !== '');
for (const name of listed) {
  const [from, to] = [path.join(root, name), path.join(copy, name)];
  if (!fs.existsSync(from) || (fs.existsSync(to) && fs.readFileSync(from).equals(fs.readFileSync(to)))) continue;
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(from, to);
}
if (!run('cmake', ['--preset', 'dev', ...process.argv.filter((word) => word.startsWith('-D'))], 300)) throw new Error('the copy cannot be configured');
const equivalent = fs.readFileSync(path.join(root, 'tools/equivalent-mutants.txt'), 'utf8').split('\n');
const files = sources();
let killed = 0, tried = 0, drawn = 0;
for (let draws = 0; tried < count && draws < 100 * count; ++draws) {
  const file = pick(files);
  const of = file.split('/')[1];
  const original = fs.readFileSync(path.join(copy, file), 'utf8'); // the tree may change meanwhile
  const lines = original.split('\n');
  const at = Math.floor(random() * lines.length);
  const spoiled = pick(mutations(lines[at]));
  if (spoiled === undefined || equivalent.includes(`${file}: ${spoiled.trim()}`) || ++drawn <= skip) continue;
  const mutant = [...lines.slice(0, at), spoiled, ...lines.slice(at + 1)].join('\n');
  fs.writeFileSync(path.join(copy, file), mutant);
  const isBuilt = run('cmake', ['--build', build, '--target', 'limber'], 1800);
  const by = isBuilt ? killer(of, file, original, mutant) : undefined;
  fs.writeFileSync(path.join(copy, file), original);
  if (!isBuilt) continue;
  ++tried;
  killed += by !== undefined ? 1 : 0;
  console.log(`${drawn}: ${by !== undefined ? `killed by ${by}` : 'SURVIVED'} ${file}:${at + 1}: ${lines[at].trim()}  ->  ${spoiled.trim()}`);
}
console.log(`${killed} of ${tried} killed`);
process.exit(killed >= 0.9 * tried ? 0 : 1);
