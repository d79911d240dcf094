// SMPL and STAR bodies: what the command bakes is what the papers' formulas give in double precision, and the character it
// writes shows the same in three.js, at the keys of the motion; the Khronos validator finds no error in it.
import fs from 'node:fs';
import path from 'node:path';
import { evaluate, makeModel, makeMotion, modelArchive, motionArchive } from './body_model.mjs';
import { fail, finish, hasCommands, run, skip, work } from './harness.mjs';
import { compare, load, objVertices, vertices } from './three_character.mjs';
import { findings } from './validator.mjs';

if (!hasCommands('bake')) skip('this version has no bake');

const FRAMES = 12;
let farthest = 0;

/** +Z up to +Y up. */
function upright(points) {
  const out = points.slice();
  for (let k = 0; k < points.length; k += 3) {
    out[k + 1] = points[k + 2];
    out[k + 2] = -points[k + 1];
  }
  return out;
}

function near(what, expected, got, tolerance) {
  const found = compare(expected, got);
  if (found.expected !== undefined) return fail(`${what}: ${found.count} vertices, not ${found.expected}`);
  farthest = Math.max(farthest, found.worst / found.size - tolerance);
  if (!(found.worst <= tolerance + 1e-5 * found.size)) fail(`${what}: vertex ${found.at} is off by ${found.worst.toExponential(2)} m`);
}

async function bake(...args) {
  const done = await run('bake', ...args);
  if (done.code !== 0) fail(`limber bake ${args.join(' ')} exits ${done.code}: ${done.stderr.trim()}`);
  return done.code === 0;
}

for (const kind of ['smpl', 'star']) {
  const model = makeModel(kind, 5);
  const motion = makeMotion(6, FRAMES);
  const file = path.join(work, `${kind}.npz`);
  const amass = path.join(work, 'motion.npz');
  fs.writeFileSync(file, modelArchive(model));
  fs.writeFileSync(amass, motionArchive(motion));
  const row = (f) => [motion.poses.slice(f * 72, f * 72 + 72), motion.trans.slice(3 * f, 3 * f + 3)];
  const obj = path.join(work, 'baked.obj');
  const still = async (what, expected, ...args) => {
    if (await bake(file, ...args, '-o', obj)) near(`${kind} ${what}`, expected, objVertices(fs.readFileSync(obj, 'utf8')), 0);
  };

  await still('at rest', evaluate(model, [], [], [0, 0, 0]));
  await still('of a shape', evaluate(model, [1.5, -2, 0.5], [], [0, 0, 0]), '--betas', '1.5,-2,0.5');
  const typed = [0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0, 0.9, 0];
  await still('typed', evaluate(model, [0, 2], typed, [0, 0, 0]), '--betas', '0,2', '--pose', typed.join(','));
  for (const frame of [0, 5, FRAMES - 1]) {
    await still(`frame ${frame}`, upright(evaluate(model, motion.betas, ...row(frame))), '--pose', amass, '--frame', `${frame}`);
  }
  await still('another shape', upright(evaluate(model, [2], ...row(3))), '--pose', amass, '--betas', '2', '--frame', '3');

  for (const [tolerance, args] of [[0, ['--tolerance', '0']], [1e-4, []], [2e-3, ['--tolerance', '2']]]) {
    const glb = path.join(work, 'body.glb');
    if (!(await bake(file, '--pose', amass, ...args, '-o', glb))) continue;
    for (const { severity, text } of await findings(glb)) if (severity === 'error') fail(`${kind}: ${text}`);
    const gltf = await load(glb);
    for (let frame = 0; frame < FRAMES; frame += 2) {
      const time = Math.fround(frame / motion.rate);
      const expected = upright(evaluate(model, motion.betas, ...row(frame)));
      // Skinning may stretch the correctives' error a little.
      near(`${kind} in three.js, tolerance ${tolerance}, frame ${frame}`, expected, vertices(gltf, 0, time), 1.25 * tolerance);
    }
  }
}
finish(`the farthest vertex is off by ${farthest.toExponential(2)} of the size beyond what was allowed`);
