// node tools/score-confidence.mjs LABELS ROOT: how well `limber rig` knows when it is wrong. LABELS has lines "right|wrong|close PATH [why]", judged by eye on
// pictures of what the rigger makes of ROOT/PATH; "close" is counted on neither side, a file that is refused by name as found out.
// Prints each confidence and the area under the curve: how often a right one is surer than a wrong one (1: always, 0.5: chance).
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [labels, root] = process.argv.slice(2);
const limber = process.env.LIMBER ?? 'build/limber';
const out = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'score-confidence-')), 'out.glb');
const sure = { right: [], wrong: [] };
for (const line of fs.readFileSync(labels, 'utf8').split('\n')) {
  const [label, file] = line.trim().split(/\s+/);
  if (!file || label.startsWith('#')) continue;
  let confidence = 0, what = 'refused';
  try {
    const rig = JSON.parse(execFileSync(limber, ['rig', path.join(root, file), '-o', out, '--weights', 'nearest', '--json', '-q'], { stdio: ['ignore', 'pipe', 'ignore'] }));
    ({ confidence, skeleton: what } = rig);
  } catch (e) {
    if (e.status !== 4) what = `exit ${e.status}`;
  }
  sure[label]?.push(confidence);
  console.log(`${confidence.toFixed(3)} ${label.padEnd(5)} ${what.padEnd(9)} ${file}`);
}
let wins = 0;
for (const r of sure.right) for (const w of sure.wrong) wins += r > w ? 1 : r === w ? 0.5 : 0;
const pairs = sure.right.length * sure.wrong.length;
const below = (xs) => xs.filter((x) => x < 0.5).length;
console.log(`${sure.right.length} right, ${sure.wrong.length} wrong: area under the curve ${pairs ? (wins / pairs).toFixed(3) : '-'}; doubted: ${below(sure.right)} of the right, ${below(sure.wrong)} of the wrong`);
fs.rmSync(path.dirname(out), { recursive: true });
