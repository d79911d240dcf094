// A skinned glTF binary as numbers: vertices as bound, weights by joint, and what the joints do over a clip.
import fs from 'node:fs';

const COUNTS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const ARRAYS = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const SCALES = { 5121: 255, 5123: 65535 };

function multiply(a, b) {
  const out = new Float64Array(16);
  for (let c = 0; c < 4; ++c) for (let r = 0; r < 4; ++r) for (let k = 0; k < 4; ++k) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return out;
}

function matrixOf([x, y, z], [i, j, k, w], [sx, sy, sz]) {
  return Float64Array.of((1 - 2 * (j * j + k * k)) * sx, 2 * (i * j + k * w) * sx, 2 * (i * k - j * w) * sx, 0,
    2 * (i * j - k * w) * sy, (1 - 2 * (i * i + k * k)) * sy, 2 * (j * k + i * w) * sy, 0,
    2 * (i * k + j * w) * sz, 2 * (j * k - i * w) * sz, (1 - 2 * (i * i + j * j)) * sz, 0, x, y, z, 1);
}

function between(a, b, t, turns) {
  const d = turns ? a.reduce((sum, x, k) => sum + x * b[k], 0) : 1, sign = d < 0 ? -1 : 1;
  const angle = turns ? Math.acos(Math.min(1, Math.abs(d))) : 0;
  const [u, v] = angle > 1e-4 ? [Math.sin((1 - t) * angle) / Math.sin(angle), Math.sin(t * angle) / Math.sin(angle)] : [1 - t, t];
  const out = a.map((x, k) => u * x + sign * v * b[k]), length = turns ? Math.hypot(...out) : 1;
  return out.map((x) => x / length);
}

function readSkinned(file) {
  const bytes = fs.readFileSync(file), length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length)), data = bytes.subarray(28 + length);
  const read = (index) => {
    const a = json.accessors[index], view = json.bufferViews[a.bufferView], width = COUNTS[a.type], Type = ARRAYS[a.componentType];
    const size = Type.BYTES_PER_ELEMENT, stride = view.byteStride ?? width * size, rows = [];
    for (let k = 0; k < a.count; ++k) {
      const at = (view.byteOffset ?? 0) + (a.byteOffset ?? 0) + k * stride;
      const row = Array.from(new Type(Uint8Array.from(data.subarray(at, at + width * size)).buffer));
      rows.push(a.normalized ? row.map((x) => x / SCALES[a.componentType]) : row);
    }
    return rows;
  };
  return { json, read };
}

function point(m, [x, y, z]) {
  return [0, 1, 2].map((r) => m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r]);
}

function inverse(m) {
  const a = [0, 1, 2].map((r) => [m[r], m[4 + r], m[8 + r]]);
  const cofactor = (r, c) => a[(r + 1) % 3][(c + 1) % 3] * a[(r + 2) % 3][(c + 2) % 3] - a[(r + 1) % 3][(c + 2) % 3] * a[(r + 2) % 3][(c + 1) % 3];
  const determinant = a[0][0] * cofactor(0, 0) + a[0][1] * cofactor(0, 1) + a[0][2] * cofactor(0, 2);
  const out = new Float64Array(16);
  for (let r = 0; r < 3; ++r) for (let c = 0; c < 3; ++c) out[4 * c + r] = cofactor(c, r) / determinant;
  for (let r = 0; r < 3; ++r) out[12 + r] = -(out[r] * m[12] + out[4 + r] * m[13] + out[8 + r] * m[14]);
  out[15] = 1;
  return out;
}

/** model_from_bind of each joint: at rest without a clip, else at the times. */
function poses({ json, read }, binds, clip, times) {
  const parents = json.nodes.map(() => -1), tracks = new Map();
  json.nodes.forEach((node, n) => (node.children ?? []).forEach((c) => { parents[c] = n; }));
  for (const { sampler, target } of clip?.channels ?? []) {
    const s = clip.samplers[sampler];
    tracks.set(`${target.node} ${target.path}`, { times: read(s.input).flat(), values: read(s.output), steps: s.interpolation === 'STEP' });
  }
  const sample = (node, key, rest, time) => {
    const track = tracks.get(`${node} ${key}`);
    if (!track) return rest;
    const k = track.times.findIndex((x) => x > time);
    if (k <= 0) return k === 0 ? track.values[0] : track.values.at(-1);
    const t = (time - track.times[k - 1]) / (track.times[k] - track.times[k - 1]);
    return track.steps ? track.values[k - 1] : between(track.values[k - 1], track.values[k], t, key === 'rotation');
  };
  return times.map((time) => {
    const world = new Map();
    const at = (n) => {
      if (!world.has(n)) {
        const node = json.nodes[n];
        const local = node.matrix ?? matrixOf(sample(n, 'translation', node.translation ?? [0, 0, 0], time),
          sample(n, 'rotation', node.rotation ?? [0, 0, 0, 1], time), sample(n, 'scale', node.scale ?? [1, 1, 1], time));
        world.set(n, parents[n] < 0 ? local : multiply(at(parents[n]), local));
      }
      return world.get(n);
    };
    return new Map([...binds].map(([j, bind]) => [j, multiply(at(j), bind)]));
  });
}

/**
 * Vertices { at: position in the model where the skin was bound, row: Map of joint to weight } in the file's order, and
 * motions: for each joint of a skin, what takes a point of it from there to each time of the clip.
 */
export function readMoving(file, clipName, fps) {
  const source = readSkinned(file), { json, read } = source;
  const vertices = [], binds = new Map();
  for (const node of json.nodes.filter((n) => n.skin !== undefined)) {
    const { joints, inverseBindMatrices } = json.skins[node.skin], matrices = read(inverseBindMatrices);
    joints.forEach((j, k) => binds.set(j, matrices[k]));
    for (const part of json.meshes[node.mesh].primitives) {
      const [at, who, much] = ['POSITION', 'JOINTS_0', 'WEIGHTS_0'].map((name) => read(part.attributes[name]));
      at.forEach((p, v) => {
        const row = new Map();
        who[v].forEach((j, k) => { if (much[v][k] > 0) row.set(joints[j], (row.get(joints[j]) ?? 0) + much[v][k]); });
        vertices.push({ at: p, row });
      });
    }
  }
  const clip = json.animations.find((c) => c.name === clipName) ?? json.animations[0];
  const duration = Math.max(...clip.samplers.map((s) => json.accessors[s.input].max[0]));
  const times = Array.from({ length: Math.floor(duration * fps + 1e-4) + 1 }, (_, k) => Math.min(k / fps, duration));
  const rest = poses(source, binds, null, [0])[0], posed = poses(source, binds, clip, times);
  const bound = rest.values().next().value;
  for (const vertex of vertices) vertex.at = point(bound, vertex.at);
  const motions = new Map([...binds.keys()].map((j) => [j, posed.map((p) => multiply(p.get(j), inverse(bound)))]));
  return { vertices, motions, name: (j) => json.nodes[j].name };
}

/** Root mean square distance of two motions of some points, [at, weight] each. */
export function apart(a, b, points) {
  let sum = 0, count = 0;
  a.forEach((m, k) => {
    for (const [p, w] of points) {
      const u = point(m, p), v = point(b[k], p);
      sum += w * ((u[0] - v[0]) ** 2 + (u[1] - v[1]) ** 2 + (u[2] - v[2]) ** 2);
      count += w;
    }
  });
  return Math.sqrt(sum / count);
}
