// Measures the tests: plants one-line bugs in a copy of the tree, one at a time, and reports those that no test sees.
//
//     node tools/mutate.mjs [ROOM] [--count N] [--seed N]
//
// A mutant is a comparison, a sign, a constant by half or a dropped call, in a line of src/ROOM (all rooms without one). It is
// killed when the room's tests or the command's fail, or take over two minutes. Mutants that change nothing are listed in
// tools/equivalent-mutants.txt, "FILE: LINE AS MUTATED", and not counted. Exits 1 when under 90 % are killed.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const copy = path.join(root, 'build/mutate');
const build = path.join(copy, 'build/dev');
const limit = 120;

function option(name, standard) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? standard : Number(process.argv[at + 1]);
}
const count = option('count', 10);
const room = /^[a-z]+$/.test(process.argv[2] ?? '') ? process.argv[2] : undefined;

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
  const rooms = room !== undefined ? [room] : fs.readdirSync(path.join(root, 'src')).filter((name) => fs.existsSync(path.join(root, 'tests', name)));
  return rooms.flatMap((name) => fs.readdirSync(path.join(root, 'src', name), { recursive: true })
    .filter((file) => /\.(c|inl)$/.test(file)).sort().map((file) => `src/${name}/${file}`));
}

function run(command, args, seconds) {
  const done = spawnSync(command, args, { cwd: copy, encoding: 'utf8', timeout: seconds * 1000, maxBuffer: 1 << 28 });
  return done.status === 0;
}

// Whether the tree in the copy builds, and whether its tests pass; the room's own come first.
function isBuilt(of) {
  const all = spawnSync('ninja', ['-C', build, '-t', 'targets', 'all'], { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout;
  const targets = [...all.matchAll(/^(test_\w+): phony$/gm)].map((match) => match[1]).filter((name) => name.startsWith(`test_${of}_`) || name.startsWith('test_cli_'));
  return run('cmake', ['--build', build, '--target', 'limber_command', ...targets], 1800);
}
function isKilled(of) {
  const ctest = (which) => run('ctest', ['--test-dir', build, '-R', which, '-LE', '^long$', '-j', '2', '--stop-on-failure'], limit);
  return !ctest(`^${of}/`) || !ctest('^cli/');
}

fs.mkdirSync(copy, { recursive: true });
const listed = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).stdout.split('\0').filter((name) => name !== '');
for (const name of listed) {
  const [from, to] = [path.join(root, name), path.join(copy, name)];
  if (!fs.existsSync(from) || (fs.existsSync(to) && fs.readFileSync(from).equals(fs.readFileSync(to)))) continue;
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(from, to);
}
if (!run('cmake', ['--preset', 'dev'], 300)) throw new Error('the copy cannot be configured');
// Rooms whose tests fail as they are would count every mutant as killed.
const sound = new Map();

const equivalent = fs.readFileSync(path.join(root, 'tools/equivalent-mutants.txt'), 'utf8').split('\n');
const files = sources();
let killed = 0, tried = 0;
for (let draws = 0; tried < count && draws < 100 * count; ++draws) {
  const file = pick(files);
  const of = file.split('/')[1];
  const original = fs.readFileSync(path.join(root, file), 'utf8');
  const lines = original.split('\n');
  const at = Math.floor(random() * lines.length);
  const spoiled = pick(mutations(lines[at]));
  if (spoiled === undefined || equivalent.includes(`${file}: ${spoiled.trim()}`)) continue;
  if (!sound.has(of)) sound.set(of, isBuilt(of) && !isKilled(of));
  if (!sound.get(of)) throw new Error(`the tree does not pass the tests of ${of} before a mutant is planted`);
  fs.writeFileSync(path.join(copy, file), [...lines.slice(0, at), spoiled, ...lines.slice(at + 1)].join('\n'));
  const built = isBuilt(of);
  const dies = built && isKilled(of);
  fs.writeFileSync(path.join(copy, file), original);
  if (!built) continue;
  ++tried;
  killed += dies ? 1 : 0;
  console.log(`${dies ? 'killed  ' : 'SURVIVED'} ${file}:${at + 1}: ${lines[at].trim()}  ->  ${spoiled.trim()}`);
}
console.log(`${killed} of ${tried} killed`);
process.exit(killed >= 0.9 * tried ? 0 : 1);
