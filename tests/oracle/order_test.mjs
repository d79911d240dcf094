// A mesh in the order of its skin is the same character: three.js draws the same triangles, corner by corner, at moments of
// every clip, and the validator finds no error that the file in its first order has not.
import path from 'node:path';
import { fail, finish, hasCommands, ownCharacters, riggedFiles, run, shared, skip, work } from './harness.mjs';
import { clips, compare, load, vertices } from './three_character.mjs';
import { findings } from './validator.mjs';

if (!hasCommands('sample', 'animate', 'convert')) skip('this version makes no characters');

const errors = async (file) => (await findings(file)).filter(({ severity }) => severity === 'error').map(({ code }) => code);

/** The moments of up to three clips, or the rest pose. */
function moments(gltf) {
  const all = clips(gltf).slice(0, 3).flatMap(({ duration }, index) => [0, 0.37, 0.9].map((part) => [index, part * duration]));
  return all.length ? all : [[-1, 0]];
}

let compared = 0;
for (const file of [...(await ownCharacters([3, 12])), ...riggedFiles()]) {
  const name = shared && file.startsWith(shared) ? path.relative(shared, file) : path.basename(file);
  const plain = path.join(work, 'plain.glb'), ordered = path.join(work, 'ordered.glb');
  if ((await run('convert', file, plain, '-q')).code !== 0) continue; // validate_test says so
  const done = await run('convert', file, ordered, '--order', 'skin', '-q');
  if (done.code !== 0) {
    fail(`${name}: limber convert --order skin exits ${done.code}: ${done.stderr.trim()}`);
    continue;
  }
  const before = new Set(await errors(plain));
  for (const code of await errors(ordered)) {
    if (!before.has(code)) fail(`${name}, in order: ${code}`);
  }
  const [a, b] = [await load(plain), await load(ordered)];
  for (const [index, time] of moments(a)) {
    const { count, worst, size } = compare(vertices(a, index, time, true), vertices(b, index, time, true));
    if (count > 0 && !(worst <= 1e-9 * size)) fail(`${name}, clip ${index} at ${time} s: ${count} corners, one is ${worst} off`);
  }
  ++compared;
}
finish(`${compared} characters drawn in both orders`);
