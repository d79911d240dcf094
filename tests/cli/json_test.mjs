// What --json prints: an object that begins with its schema, keys in snake_case everywhere but where names of the file's own
// or of human bones are keys.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const limber = path.resolve(process.env.LIMBER_BUILD ?? 'build/dev', 'limber');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'limber-'));
// Objects whose keys are names.
const named = new Set(['slots', 'chains', 'target_chains', 'source_chains', 'codes']);

let failed = false;
function look(line, value, where) {
  if (Array.isArray(value)) return value.forEach((item) => look(line, item, where));
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (!named.has(where) && !/^[a-z][a-z0-9_]*$/.test(key)) {
      console.log(`${line}: the key "${key}" in ${where} is not in snake_case`);
      failed = true;
    }
    look(line, inner, key);
  }
  return undefined;
}

function run(line, codes = [0]) {
  const done = spawnSync(limber, [...line.split(' '), '--json', '-q'], { cwd: work, encoding: 'utf8' });
  if (!codes.includes(done.status)) throw new Error(`${line}: exit ${done.status}\n${done.stderr}`);
  if (done.stdout === '') throw new Error(`${line}: prints no JSON`);
  const result = JSON.parse(done.stdout);
  if (Object.keys(result)[0] !== 'schema' || result.schema !== 1) {
    console.log(`${line}: does not begin with "schema": 1`);
    failed = true;
  }
  look(line, result, 'the result');
}

spawnSync(limber, 'sample humanoid --seed 3 --triangles 1500 -o h.obj'.split(' '), { cwd: work });
spawnSync(limber, 'sample quadruped --seed 3 --triangles 1500 -o q.obj'.split(' '), { cwd: work });
run('rig h.obj -o h.glb');
run('rig h.obj --weights voxel -o v.glb');
run('animate h.obj walk -o walk.glb');
run('animate q.obj trot -o trot.glb');
run('retarget h.glb walk -o r.glb');
run('retarget h.glb walk.glb -o r2.glb');
run('info walk.glb');
run('check walk.glb', [0, 6]);
run('weights check h.glb');
run('weights smooth h.glb -o s.glb');
run('weights prune h.glb -o p.glb');
run('weights limit h.glb --influences 2 -o l.glb');
run('weights mirror h.glb -o m.glb');
run('weights transfer walk.glb --from h.glb -o t.glb');
run('clean walk.glb --loop -o c.glb');
run('blend walk.glb --layer walk:0.5 --layer idle:0.5 -o b.glb');
run('ik walk.glb --target leftHand=0.4,1.2,0.4 -o i.glb');
run('ik walk.glb --clip 0 --ground slope:10 -o g.glb');
run('simulate walk.glb --ragdoll --seconds 0.5 -o rag.glb');
run('simulate walk.glb --gait run -o gait.glb');
run('simulate walk.glb --idle --seconds 1 -o idle.glb');
run('simulate walk.glb --springs --chain leftHand -o spring.glb');
run('learn walk.glb --bones 4 --iterations 2 --fps 5 -o learn.glb');
run('sample bird --triangles 600 -o bird.obj');
run('convert walk.glb walk.trc');
run('fit h.glb walk.trc -o fit.glb');
fs.rmSync(work, { recursive: true });
process.exit(failed ? 1 : 0);
