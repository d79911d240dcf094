// Body models made from nothing, as NumPy archives in the layout of SMPL and STAR, and their formulas in double precision. A
// second implementation of src/skin/body_skin.c from the papers: only the numbers are compared.
import { zip } from '../studio/zip.mjs';

const parents = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21];
export const joints = parents.length;

/** Numbers in [-1, 1) that are the same in every run. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32) * 2 - 1;
  };
}

/** kind: 'smpl' or 'star'. Three influences a vertex, since three.js draws at most four. */
export function makeModel(kind, seed, count = 360) {
  const next = random(seed);
  const features = kind === 'smpl' ? 207 : 93;
  const model = { kind, count, features, shapes: 10, template: [], shapedirs: [], posedirs: [], weights: [], regressor: [], faces: [] };
  const places = [];
  for (let j = 0; j < joints; ++j) {
    const base = parents[j] < 0 ? [0, 0, 0] : places[parents[j]];
    places.push(base.map((x) => x + 0.25 * next()));
  }
  for (let v = 0; v < count; ++v) {
    const j = v % joints;
    for (let c = 0; c < 3; ++c) {
      model.template.push(Math.fround(places[j][c] + 0.1 * next()));
      for (let k = 0; k < 10; ++k) model.shapedirs.push(Math.fround(0.02 * next()));
      for (let k = 0; k < features; ++k) model.posedirs.push((v + k) % 4 === 0 ? Math.fround(0.01 * next()) : 0);
    }
    const row = new Array(joints).fill(0);
    row[j] = 0.625;
    row[Math.max(parents[j], 0)] += 0.25;
    row[(j + 5) % joints] += 0.125;
    model.weights.push(...row);
    if (v + 2 < count) model.faces.push(v, v + 1, v + 2);
  }
  for (let j = 0; j < joints; ++j) {
    for (let v = 0; v < count; ++v) model.regressor.push(v % joints === j && v < 4 * joints ? 0.25 : 0);
  }
  return model;
}

/** A motion that stands along +Z, as AMASS does: rows of 3 a joint, and translations. */
export function makeMotion(seed, frames) {
  const next = random(seed);
  const poses = [];
  const trans = [];
  const way = Array.from({ length: 2 * 3 * joints }, () => 0.7 * next());
  for (let f = 0; f < frames; ++f) {
    for (let k = 0; k < 3 * joints; ++k) {
      const turn = way[k] * Math.sin(0.3 * f) + way[3 * joints + k] * Math.cos(0.4 * f + 1);
      poses.push(k < 3 ? 0.2 * turn + (k === 0 ? Math.PI / 2 : 0) : turn);
    }
    trans.push(0.02 * f, 0.3 * Math.sin(f), 0.9);
  }
  return { frames, poses, trans, betas: Array.from({ length: 10 }, () => next()), rate: 50 };
}

function rotation(x, y, z) {
  const angle = Math.hypot(x, y, z);
  const [a, b, c] = angle > 0 ? [x / angle, y / angle, z / angle] : [1, 0, 0];
  const cs = Math.cos(angle);
  const sn = Math.sin(angle);
  const t = 1 - cs;
  return [cs + t * a * a, t * a * b - sn * c, t * a * c + sn * b, t * a * b + sn * c, cs + t * b * b, t * b * c - sn * a, t * a * c - sn * b, t * b * c + sn * a, cs + t * c * c];
}

/** Vertices, x y z after one another, in the motion's own axes. */
export function evaluate(model, betas, pose, trans) {
  const { count, features, shapes } = model;
  const shaped = new Float64Array(3 * count);
  for (let i = 0; i < 3 * count; ++i) {
    shaped[i] = model.template[i];
    for (let k = 0; k < betas.length; ++k) shaped[i] += betas[k] * model.shapedirs[i * shapes + k];
  }
  const rest = [];
  const world = [];
  const feature = [];
  for (let j = 0; j < joints; ++j) {
    const own = [0, 1, 2].map((c) => {
      let sum = 0;
      for (let v = 0; v < count; ++v) sum += model.regressor[j * count + v] * shaped[3 * v + c];
      return sum;
    });
    rest.push(own);
    const [x, y, z] = [0, 1, 2].map((c) => pose[3 * j + c] ?? 0);
    const r = rotation(x, y, z);
    if (j > 0 && model.kind === 'smpl') r.forEach((value, k) => feature.push(value - (k % 4 === 0 ? 1 : 0)));
    if (j > 0 && model.kind === 'star') {
      const angle = Math.hypot(x, y, z);
      const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
      feature.push(s * x, s * y, s * z, Math.cos(angle / 2) - 1);
    }
    if (parents[j] < 0) {
      world.push({ r, t: own.slice() });
      continue;
    }
    const up = world[parents[j]];
    const step = own.map((value, c) => value - rest[parents[j]][c]);
    const product = [];
    for (let i = 0; i < 9; ++i) {
      const row = 3 * Math.floor(i / 3);
      product.push(up.r[row] * r[i % 3] + up.r[row + 1] * r[3 + (i % 3)] + up.r[row + 2] * r[6 + (i % 3)]);
    }
    const place = [0, 1, 2].map((i) => up.t[i] + up.r[3 * i] * step[0] + up.r[3 * i + 1] * step[1] + up.r[3 * i + 2] * step[2]);
    world.push({ r: product, t: place });
  }
  if (model.kind === 'star') feature.push(betas[1] ?? 0);
  const out = new Float64Array(3 * count);
  for (let v = 0; v < count; ++v) {
    const p = [0, 1, 2].map((c) => {
      let sum = shaped[3 * v + c];
      for (let k = 0; k < features; ++k) sum += feature[k] * model.posedirs[(3 * v + c) * features + k];
      return sum;
    });
    for (let i = 0; i < 3; ++i) {
      let sum = trans[i];
      for (let j = 0; j < joints; ++j) {
        const w = model.weights[v * joints + j];
        if (w === 0) continue;
        const { r, t } = world[j];
        const d = p.map((value, c) => value - rest[j][c]);
        sum += w * (t[i] + r[3 * i] * d[0] + r[3 * i + 1] * d[1] + r[3 * i + 2] * d[2]);
      }
      out[3 * v + i] = sum;
    }
  }
  return out;
}

// ---- NumPy archives

const writers = {
  '<f8': [8, (view, at, x) => view.setFloat64(at, x, true)],
  '>f8': [8, (view, at, x) => view.setFloat64(at, x, false)],
  '<f4': [4, (view, at, x) => view.setFloat32(at, x, true)],
  '<u4': [4, (view, at, x) => view.setUint32(at, x, true)],
  '<i8': [8, (view, at, x) => view.setBigInt64(at, BigInt(x), true)],
};

/** values in C order; fortran: stored with the first index running fastest. */
function npy({ type, shape, values, fortran = false }) {
  const text = `{'descr': '${type}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': (${shape.join(', ')}${shape.length === 1 ? ',' : ''}), }`;
  const head = Buffer.from(text.padEnd(118 - 1 - 0) + '\n');
  const [size, write] = writers[type];
  const data = Buffer.alloc(size * values.length);
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  values.forEach((value, k) => {
    let at = k;
    if (fortran) {
      let stride = values.length;
      let rest = k;
      at = 0;
      for (let d = shape.length - 1; d >= 0; --d) {
        stride /= shape[d];
        at += (rest % shape[d]) * stride;
        rest = Math.floor(rest / shape[d]);
      }
    }
    write(view, at * size, value);
  });
  const magic = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, head.length & 255, head.length >> 8]);
  return Buffer.concat([magic, head, data]);
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; ++k) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** arrays: { name: { type, shape, values, fortran } }; every second member is stored, the others are deflated. */
export function npz(arrays) {
  const files = Object.entries(arrays).map(([name, array]) => [`${name}.npy`, npy(array)]);
  return zip(Object.fromEntries(files), { checksum: crc32, isStored: (k) => k % 2 === 0 });
}

export function modelArchive(model) {
  const { count, features } = model;
  return npz({
    v_template: { type: '<f8', shape: [count, 3], values: model.template },
    posedirs: { type: '<f8', shape: [count, 3, features], values: model.posedirs, fortran: true },
    shapedirs: { type: '<f4', shape: [count, 3, 10], values: model.shapedirs },
    weights: { type: '>f8', shape: [count, joints], values: model.weights },
    f: { type: '<u4', shape: [model.faces.length / 3, 3], values: model.faces },
    J_regressor: { type: '<f8', shape: [joints, count], values: model.regressor },
    kintree_table: { type: '<i8', shape: [2, joints], values: [4294967295, ...parents.slice(1), ...parents.keys()] },
  });
}

export function motionArchive(motion) {
  return npz({
    poses: { type: '<f8', shape: [motion.frames, 3 * joints], values: motion.poses },
    trans: { type: '<f8', shape: [motion.frames, 3], values: motion.trans },
    betas: { type: '<f8', shape: [motion.betas.length], values: motion.betas },
    mocap_framerate: { type: '<f8', shape: [1], values: [motion.rate] },
  });
}
