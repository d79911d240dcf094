// A second reader of C3D and TRC, of a page each, that knows nothing of Limber's: every position of every collected file, and
// every gap, equals what `limber convert FILE.csv` writes. C3D read, written as C3D and TRC, and read again stays the same.
import fs from 'node:fs';
import path from 'node:path';
import { fail, filesBelow, finish, run, shared, skip, work } from './harness.mjs';

if (!shared) skip('the shared data is not there');
const TOLERANCE = 2e-6; // metres

// ---- C3D

function c3dNumbers(bytes, machine) {
  const little = machine !== 86;
  return {
    u16: (at) => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)),
    i16: (at) => (little ? bytes.readInt16LE(at) : bytes.readInt16BE(at)),
    float: (at) => {
      if (machine === 84) return bytes.readFloatLE(at);
      if (machine === 86) return bytes.readFloatBE(at);
      const high = bytes.readUInt16LE(at);
      const exponent = (high >> 7) & 255;
      if (exponent === 0) return 0;
      const fraction = ((high & 127) * 65536 + bytes.readUInt16LE(at + 2)) / 2 ** 24;
      return (high & 32768 ? -1 : 1) * (0.5 + fraction) * 2 ** (exponent - 128);
    },
  };
}

function c3dParameters(bytes, number) {
  const groups = {};
  const out = {};
  for (let at = (bytes[0] - 1) * 512 + 4; ;) {
    const length = Math.abs(bytes.readInt8(at));
    const group = bytes.readInt8(at + 1);
    if (length === 0 || group === 0) break;
    const name = bytes.toString('latin1', at + 2, at + 2 + length);
    const offset = at + 2 + length;
    if (group < 0) groups[-group] = name;
    else {
      const type = bytes.readInt8(offset + 2);
      const shape = [...bytes.subarray(offset + 4, offset + 4 + bytes[offset + 3])];
      const begin = offset + 4 + shape.length;
      const count = shape.reduce((a, b) => a * b, 1);
      const values = [];
      if (type === -1) {
        const width = shape[0] ?? 1;
        for (let k = 0; k < count; k += width || 1) values.push(bytes.toString('latin1', begin + k, begin + k + width).trim());
      } else for (let k = 0; k < count; ++k) {
        values.push(type === 1 ? bytes[begin + k] : type === 2 ? number.i16(begin + 2 * k) : number.float(begin + 4 * k));
      }
      out[`${group}:${name}`] = values;
    }
    if (number.u16(offset) === 0) break;
    at = offset + number.u16(offset);
  }
  return (group, name) => {
    const id = Object.keys(groups).find((key) => groups[key] === group);
    return out[`${id}:${name}`] ?? [];
  };
}

const METRES = { mm: 0.001, cm: 0.01, m: 1 };

/** { names, frames: [[x, y, z] or null …] } in the file's own axes, in metres. */
function readC3d(file) {
  const bytes = fs.readFileSync(file);
  const number = c3dNumbers(bytes, bytes[(bytes[0] - 1) * 512 + 3]);
  const parameter = c3dParameters(bytes, number);
  const points = number.u16(2);
  const scale = number.float(12);
  const size = scale < 0 ? 4 : 2;
  const unit = METRES[parameter('POINT', 'UNITS')[0]];
  const others = new Set(['ANGLES', 'FORCES', 'MOMENTS', 'POWERS', 'SCALARS'].flatMap((list) => parameter('POINT', list)));
  const labels = [...parameter('POINT', 'LABELS'), ...parameter('POINT', 'LABELS2')];
  const kept = Array.from({ length: points }, (_, p) => p).filter((p) => !labels[p] || !others.has(labels[p]));
  const frames = [];
  let at = (number.u16(16) - 1) * 512;
  for (let f = number.u16(6); f <= number.u16(8); ++f) {
    frames.push(kept.map((p) => {
      const place = at + p * 4 * size;
      const v = [0, 1, 2, 3].map((i) => (scale < 0 ? number.float(place + 4 * i) : number.i16(place + 2 * i)));
      return v[3] < 0 || v.some(Number.isNaN) ? null : v.slice(0, 3).map((x) => x * (scale < 0 ? 1 : scale) * unit);
    }));
    at += (4 * points + number.u16(4)) * size;
  }
  return { names: kept.map((p) => labels[p] || `marker ${p + 1}`), frames };
}

// ---- TRC

function readTrc(file) {
  const lines = fs.readFileSync(file, 'latin1').split(/\r?\n/);
  const cut = (line) => line.split(lines[0].includes('\t') ? '\t' : ',');
  const head = Object.fromEntries(cut(lines[1]).map((key, k) => [key, cut(lines[2])[k]]));
  const unit = METRES[head.Units];
  const names = cut(lines[3]).slice(2).filter((name) => name.trim() !== '');
  const frames = lines.slice(5).map(cut).filter((cells) => cells[0].trim() !== '').map((cells) => names.map((_, m) => {
    const v = cells.slice(2 + 3 * m, 5 + 3 * m).map((cell) => (cell.trim() === '' ? NaN : Number(cell)));
    return v.length < 3 || v.some(Number.isNaN) ? null : v.map((x) => x * unit);
  }));
  // A row that the end of the file cuts is left out.
  return { names, frames };
}

// ---- comparing

/** Whether a label is one of the four of a segment's frame: LFEO, LFEA, LFEL and LFEP. */
function isOfFrame(labels, name) {
  return /...[OALP]$/.test(name) && ['O', 'A', 'L', 'P'].every((end) => labels.includes(name.slice(0, -1) + end));
}

/** Limber's table: { names, frames }, +Y up. */
function readCsv(file) {
  const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  const names = lines[0].split(',').slice(2).filter((_, k) => k % 3 === 0).map((name) => name.slice(0, -2));
  const frames = lines.slice(1).map((line) => {
    const cells = line.split(',').slice(2);
    return names.map((_, m) => (cells[3 * m] === '' ? null : cells.slice(3 * m, 3 * m + 3).map(Number)));
  });
  return { names, frames };
}

const isZero = (p) => p !== null && p.every((x) => x === 0);

/** Worst distance, and how many gaps are not gaps of both. An exact zero may be a gap. */
function compare(own, other, up) {
  const turn = up === '+Z' ? ([x, y, z]) => [x, z, -y] : (p) => p;
  let worst = 0;
  let gaps = 0;
  own.frames.forEach((frame, f) => frame.forEach((p, m) => {
    const q = other.frames[f]?.[m] ?? null;
    if (p === null || q === null) gaps += (p === null) !== (q === null) && !isZero(q);
    else turn(q).forEach((x, i) => { worst = Math.max(worst, Math.abs(x - p[i])); });
  }));
  return { worst, gaps };
}

let files = 0;
for (const file of filesBelow(path.join(shared, 'data/mocap'), ['.c3d', '.trc'])) {
  const name = path.basename(file);
  const table = path.join(work, `${name}.csv`);
  const [made, told] = await Promise.all([run('convert', file, table), run('info', '--json', file)]);
  if (made.code !== 0 || told.code !== 0) {
    fail(`${name}: ${made.stderr} ${told.stderr}`);
    continue;
  }
  const up = JSON.parse(told.stdout).up;
  const other = file.endsWith('.c3d') ? readC3d(file) : readTrc(file);
  const own = readCsv(table);
  // What a model computed and what nobody labelled is no marker: our reader leaves it out, and only that.
  const isMarker = (n) => !/^\*|Angles?$|Forces?$|Moments?$|Powers?$|CentreOfMass/.test(n) && !isOfFrame(other.names, n);
  const kept = other.names.map((n, m) => m).filter((m) => !file.endsWith('.c3d') || isMarker(other.names[m]));
  other.frames = other.frames.map((frame) => kept.map((m) => frame[m]));
  other.names = kept.map((m) => other.names[m]);
  if (own.names.join() !== other.names.map((n) => n.replace(/[,"]/g, '_')).join()) fail(`${name}: other labels`);
  if (own.frames.length !== other.frames.length) fail(`${name}: ${own.frames.length} frames, not ${other.frames.length}`);
  const { worst, gaps } = compare(own, other, up);
  console.log(`${name}: ${own.names.length} markers, ${own.frames.length} frames, ${worst.toExponential(1)} m apart, ${gaps} gaps differ`);
  if (!(worst <= TOLERANCE) || gaps !== 0) fail(`${name}: ${worst} m apart, ${gaps} gaps differ`);
  // By way of each format, and back.
  for (const extension of ['c3d', 'trc']) {
    const between = path.join(work, `${name}.again.${extension}`);
    const again = path.join(work, `${name}.${extension}.csv`);
    for (const args of [['convert', file, between], ['convert', between, again]]) {
      const done = await run(...args);
      if (done.code !== 0) fail(`${name}: ${done.stderr}`);
    }
    const back = compare(readCsv(again), own, '+Y');
    if (!(back.worst <= TOLERANCE) || back.gaps !== 0) fail(`${name}: by way of ${extension} ${back.worst} m apart, ${back.gaps} gaps differ`);
  }
  ++files;
}
if (files === 0) skip('no files');
finish(`${files} files of markers`);
