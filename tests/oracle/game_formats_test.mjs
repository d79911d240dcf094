// MD5 and IQM by second readers of a page: where every joint is in every frame equals what `limber convert FILE.csv` says.
import fs from 'node:fs';
import path from 'node:path';
import { fail, filesBelow, finish, run, shared, skip, work } from './harness.mjs';

const three = await import('three');

if (!shared) skip('the shared data is not there');
const TOLERANCE = 2e-5; // of the size of the skeleton

const matrix = (t, q, s = [1, 1, 1]) => new three.Matrix4().compose(
  new three.Vector3(...t), new three.Quaternion(...q).normalize(), new three.Vector3(...s));

/** Model matrices from local ones. */
function toModel(parents, local) {
  const model = [];
  local.forEach((m, j) => model.push(parents[j] < 0 ? m : model[parents[j]].clone().multiply(m)));
  return model.map((m) => new three.Vector3().setFromMatrixPosition(m).toArray());
}

const full = ([x, y, z]) => [x, y, z, -Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z))];

/** [{ name, frames: [[place of every joint] …] }] in the file's units and axes. */
function readMd5Anim(file) {
  const text = fs.readFileSync(file, 'utf8').replace(/commandline.*/, '').replace(/\/\/.*/g, '');
  const body = (word) => [...text.matchAll(new RegExp(`${word}\\s*\\{([^}]*)\\}`, 'g'))].map((m) => m[1]);
  const numbers = (part) => (part.match(/-?[\d.]+(e[-+]?\d+)?/gi) ?? []).map(Number);
  const joints = [...body('hierarchy')[0].matchAll(/"[^"]*"\s+(-?\d+)\s+(\d+)\s+(\d+)/g)].map((m) => m.slice(1).map(Number));
  const base = numbers(body('baseframe')[0]);
  const frames = body('frame\\s+\\d+').map((part) => {
    const values = numbers(part);
    const local = joints.map(([, flags, first], j) => {
      const v = base.slice(6 * j, 6 * j + 6);
      let at = first;
      for (let k = 0; k < 6; ++k) if (flags & (1 << k)) v[k] = values[at++];
      return matrix(v.slice(0, 3), full(v.slice(3)));
    });
    return toModel(joints.map(([parent]) => parent), local);
  });
  return [{ name: null, frames, metres: 0.0254 }];
}

function readIqm(file) {
  const b = fs.readFileSync(file);
  const u = (at) => b.readUInt32LE(at);
  const f = (at) => b.readFloatLE(at);
  const text = (at) => b.toString('latin1', u(32) + at, b.indexOf(0, u(32) + at));
  const poses = Array.from({ length: u(76) }, (_, j) => u(80) + 88 * j);
  const parents = poses.map((at) => b.readInt32LE(at));
  return Array.from({ length: u(84) }, (_, k) => {
    const anim = u(88) + 20 * k;
    const frames = Array.from({ length: u(anim + 8) }, (__, n) => {
      let data = u(100) + 2 * u(96) * (u(anim + 4) + n);
      const local = poses.map((at) => {
        const v = Array.from({ length: 10 }, (___, c) => {
          let value = f(at + 8 + 4 * c);
          if (u(at + 4) & (1 << c)) {
            value += b.readUInt16LE(data) * f(at + 48 + 4 * c);
            data += 2;
          }
          return value;
        });
        return matrix(v.slice(0, 3), v.slice(3, 7), v.slice(7));
      });
      return toModel(parents, local);
    });
    return { name: text(u(anim)), frames, metres: 1 };
  });
}

let clips = 0;
for (const file of filesBelow(path.join(shared, 'data/rigged'), ['.md5anim', '.iqm'])) {
  for (const clip of file.endsWith('.iqm') ? readIqm(file) : readMd5Anim(file)) {
    const table = path.join(work, 'joints.csv');
    const done = await run('convert', file, table, ...(clip.name ? ['--clip', clip.name] : []));
    const name = `${path.basename(file)} ${clip.name ?? ''}`;
    if (done.code !== 0) {
      fail(`${name}: ${done.stderr}`);
      continue;
    }
    const rows = fs.readFileSync(table, 'utf8').trimEnd().split('\n').slice(1).map((line) => line.split(',').slice(2).map(Number));
    if (rows.length !== clip.frames.length) fail(`${name}: ${rows.length} frames, not ${clip.frames.length}`);
    let worst = 0;
    let size = 0;
    clip.frames.forEach((frame, n) => frame.forEach(([x, y, z], j) => {
      [x, z, -y].forEach((value, i) => { // +Z up in the file
        worst = Math.max(worst, Math.abs(value * clip.metres - rows[n][3 * j + i]));
        size = Math.max(size, Math.abs(value * clip.metres));
      });
    }));
    console.log(`${name}: ${clip.frames.length} frames, ${(worst / size).toExponential(1)} of the size apart`);
    if (!(worst <= TOLERANCE * size)) fail(`${name}: ${worst} m apart`);
    ++clips;
  }
}
if (clips === 0) skip('no files');
finish(`${clips} clips`);
