// node tools/score-rigs.mjs TOOLS FILE…: rigs each artist's character from its bare mesh and scores the joints against the artist's.
// TOOLS is a folder with rig-truth.mjs, rig-truth.py and rig-score.mjs and their packages installed. FBX and Collada need Blender.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [tools, ...files] = process.argv.slice(2);
const limber = process.env.LIMBER ?? 'build/limber';
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'score-rigs-'));
const quiet = { stdio: ['ignore', 'pipe', 'pipe'] };
const scores = [];
for (const file of files) {
  const name = path.basename(file), out = path.join(work, name), rigged = out + '.glb';
  const blender = /\.(fbx|dae)$/i.test(file);
  try {
    if (blender) execFileSync('blender', ['-b', '--python', path.join(tools, 'rig-truth.py'), '--', file, out], quiet);
    else execFileSync('node', [path.join(tools, 'rig-truth.mjs'), file, out], quiet);
    const rig = JSON.parse(execFileSync(limber, ['rig', out + '.obj', '-o', rigged, '--json', '-q'], quiet));
    const score = JSON.parse(execFileSync('node', [path.join(tools, 'rig-score.mjs'), rigged, out + '.json', '--json'], quiet));
    scores.push(score);
    console.log(`${name}: confidence ${rig.confidence.toFixed(2)}, body CD ${score.cd_j2j_body_percent?.toFixed(2)}%, limbs ${score.limb_mean_percent?.toFixed(2)}% (worst ${score.limb_max_percent?.toFixed(1)}%), PCK@5 ${score.pck5 === undefined ? '-' : (100 * score.pck5).toFixed(0)}${score.swapped ? ', SWAPPED' : ''}`);
  } catch (e) {
    console.log(`${name}: ${String(e.stderr ?? e).trim().split('\n').pop()}`);
  }
}
const median = (key) => {
  const xs = scores.map((s) => s[key]).filter((x) => x !== undefined).sort((a, b) => a - b);
  return xs.length ? xs[Math.floor(xs.length / 2)] : NaN;
};
console.log(`median of ${scores.length}: body CD ${median('cd_j2j_body_percent').toFixed(2)}%, limbs ${median('limb_mean_percent').toFixed(2)}%, PCK@5 ${(100 * median('pck5')).toFixed(0)}`);
fs.rmSync(work, { recursive: true });
