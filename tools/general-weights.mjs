// node tools/general-weights.mjs DATA [--folds K] [--epochs N] [--samples N] [--json OUT]: would one model of learned weights for
// every character beat heat? Trains `limber train` on the characters of bench/ownership_rigs.txt below DATA, whole families left
// out in turn, and compares heat and the model on those. Families are dealt to K folds, the largest first.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.join(path.dirname(new URL(import.meta.url).pathname), '..');
const limber = process.env.LIMBER ?? path.join(root, 'build/release/limber');

function options(words) {
  const told = { folds: '6', epochs: '30', samples: '1200', json: '' }, rest = [];
  for (let i = 0; i < words.length; i++) {
    if (words[i].startsWith('--')) told[words[i].slice(2)] = words[++i];
    else rest.push(words[i]);
  }
  return { ...told, data: path.resolve(rest[0]) };
}

// The characters of each family, with MakeHuman's made beside the data.
function families(data, work) {
  execFileSync('python3', [path.join(root, 'tools/makehuman-rigs.py'), data, work]);
  const found = new Map();
  for (const line of fs.readFileSync(path.join(root, 'bench/ownership_rigs.txt'), 'utf8').split('\n')) {
    const row = /^(\w+) (\S+) family: (.*)$/.exec(line);
    if (!row) continue;
    const file = row[2].startsWith('makehuman/') ? path.join(work, path.basename(row[2])) : path.join(data, row[2]);
    found.set(row[3], [...(found.get(row[3]) ?? []), file]);
  }
  return found;
}

function deal(found, count) {
  const folds = Array.from({ length: count }, () => ({ names: [], size: 0 }));
  for (const [name, files] of [...found].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))) {
    const least = folds.reduce((a, b) => (b.size < a.size ? b : a));
    least.names.push(name);
    least.size += files.length;
  }
  return folds.map((fold) => fold.names);
}

const compare = (files, style) =>
  JSON.parse(execFileSync(limber, ['weights', 'compare', ...files, ...(style ? ['--style', style] : []), '--json', '-q'])).files;

function score(found, left, told, work) {
  const trained = [...found].filter(([name]) => !left.includes(name)).flatMap(([, files]) => files);
  const style = path.join(work, 'general.lmbs'), start = process.cpuUsage(), from = Date.now();
  execFileSync(limber, ['train', ...trained, '-o', style, '--quick', '-q', '--epochs', told.epochs, '--samples', told.samples], { stdio: 'inherit' });
  console.log(`${trained.length} characters trained on in ${((Date.now() - from) / 1000).toFixed(0)} s`);
  return left.map((name) => {
    const files = found.get(name), heat = compare(files), learned = compare(files, style);
    return { name, files: files.map((f, i) => ({ file: path.basename(f), heat: heat[i].l1_mean, learned: learned[i].l1_mean })) };
  });
}

const mean = (xs) => xs.reduce((a, b) => a + b, 0) / xs.length;

function table(families) {
  console.log('| family left out | files | heat | general model | nearer on |\n|---|---|---|---|---|');
  for (const f of families) {
    const heat = mean(f.files.map((x) => x.heat)), learned = mean(f.files.map((x) => x.learned));
    console.log(`| ${f.name} | ${f.files.length} | ${heat.toFixed(2)} | ${learned.toFixed(2)} | ${f.files.filter((x) => x.learned < x.heat).length} |`);
  }
  const both = families.map((f) => [mean(f.files.map((x) => x.heat)), mean(f.files.map((x) => x.learned))]);
  console.log(`| mean of ${families.length} families | ${families.reduce((n, f) => n + f.files.length, 0)} | ${mean(both.map((b) => b[0])).toFixed(3)} | ` +
    `${mean(both.map((b) => b[1])).toFixed(3)} | better on ${both.filter((b) => b[1] < b[0]).length} families |`);
}

const told = options(process.argv.slice(2));
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'general-weights-'));
const found = families(told.data, work);
const scored = deal(found, Number(told.folds)).flatMap((left) => score(found, left, told, work));
table(scored);
if (told.json) fs.writeFileSync(told.json, JSON.stringify(scored, null, 1) + '\n');
fs.rmSync(work, { recursive: true });
