// node tools/fit-limbs.mjs tools/embed-limbs.tsv.gz [--out src/embed/human/limb_rows.inl] [--folds]: fits the two networks that
// move the joints of arms and legs, from what `embed_fit DATA --limbs LIMBS.tsv FIRST COUNT VARIANTS` writes (COUNT made bodies
// from seed FIRST on, and VARIANTS of every character that may ship), rounded to a thousandth of the height. --folds leaves families out in turn and
// prints the errors before and after on each; nothing is written then. Same input, same output.
import fs from 'node:fs';
import zlib from 'node:zlib';

const NAMED = 4, MOVED = 9, HIDDEN = 16, EPOCHS = 80, BATCH = 16, RATE = 3e-3, DECAY = 2e-3, NOISE = 0.3, FAR = 0.35, LEAST_MOVE = 0.03, SURE_MOVE = 0.07;
const args = process.argv.slice(2), out = args.includes('--out') ? args[args.indexOf('--out') + 1] : null;
const files = args.filter((a, k) => !a.startsWith('--') && args[k - 1] !== '--out');

// A fixed sequence of pseudorandom numbers (xorshift32).
let state = 1;
const random = () => { state ^= state << 13; state ^= state >>> 17; state ^= state << 5; return (state >>> 0) / 2 ** 32; };
const normal = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());

const rows = files.flatMap((f) => (f.endsWith('.gz') ? zlib.gunzipSync(fs.readFileSync(f)) : fs.readFileSync(f)).toString('utf8').trim().split('\n')).map((line) => {
  const f = line.split('\t'), v = f.slice(NAMED).map(Number);
  return { family: f[0], name: f[1], pose: Number(f[2]), limb: Number(f[3]), y: v.slice(0, MOVED), x: v.slice(MOVED) };
}).filter((r, k, all) => r.x.length === all[0].x.length && r.x.every(Number.isFinite) && r.y.every(Number.isFinite) && [0, 3, 6].every((k) => Math.hypot(...r.y.slice(k, k + 3)) < FAR));
const width = rows[0].x.length;

function train(list) {
  state = 12345;
  const inFamily = {};
  for (const r of list) inFamily[r.family] = (inFamily[r.family] ?? 0) + 1;
  const mean = new Float64Array(width), scale = new Float64Array(width);
  for (let k = 0; k < width; ++k) {
    for (const r of list) mean[k] += r.x[k] / list.length;
    for (const r of list) scale[k] += (r.x[k] - mean[k]) ** 2 / list.length;
    scale[k] = Math.max(Math.sqrt(scale[k]), 0.02);
  }
  const total = list.length, families = Object.keys(inFamily).length;
  const data = list.map((r) => ({ x: r.x.map((v, k) => Math.max(-4, Math.min(4, (v - mean[k]) / scale[k]))), y: r.y, w: Math.sqrt(total / families / inFamily[r.family]) }));
  const size = HIDDEN * width + HIDDEN + MOVED * HIDDEN + MOVED, p = new Float64Array(size), m = new Float64Array(size), s = new Float64Array(size), g = new Float64Array(size);
  const B1 = HIDDEN * width, W2 = B1 + HIDDEN, B2 = W2 + MOVED * HIDDEN;
  for (let k = 0; k < B1; ++k) p[k] = normal() / Math.sqrt(width);
  for (let k = W2; k < B2; ++k) p[k] = 0.02 * normal();
  const order = data.map((_, k) => k), h = new Float64Array(HIDDEN), x = new Float64Array(width), d = new Float64Array(MOVED);
  let step = 0;
  for (let epoch = 0; epoch < EPOCHS; ++epoch) {
    for (let k = order.length - 1; k > 0; --k) { const o = Math.floor(random() * (k + 1)); [order[k], order[o]] = [order[o], order[k]]; }
    const rate = RATE * 0.5 * (1 + Math.cos(Math.PI * epoch / EPOCHS)) + 1e-5;
    for (let from = 0; from < order.length; from += BATCH) {
      g.fill(0);
      const to = Math.min(from + BATCH, order.length);
      for (let n = from; n < to; ++n) {
        const r = data[order[n]];
        for (let k = 0; k < width; ++k) x[k] = r.x[k] + NOISE * normal();
        for (let u = 0; u < HIDDEN; ++u) { let z = p[B1 + u]; for (let k = 0, a = u * width; k < width; ++k) z += p[a + k] * x[k]; h[u] = Math.tanh(z); }
        for (let j = 0; j < MOVED; ++j) {
          let z = p[B2 + j];
          for (let u = 0; u < HIDDEN; ++u) z += p[W2 + j * HIDDEN + u] * h[u];
          // Huber's loss, in units of 5 % of the height.
          const e = (z - r.y[j]) / 0.05;
          d[j] = Math.max(-1, Math.min(1, e)) * r.w / (to - from);
        }
        for (let j = 0; j < MOVED; ++j) { g[B2 + j] += d[j]; for (let u = 0; u < HIDDEN; ++u) g[W2 + j * HIDDEN + u] += d[j] * h[u]; }
        for (let u = 0; u < HIDDEN; ++u) {
          let e = 0;
          for (let j = 0; j < MOVED; ++j) e += d[j] * p[W2 + j * HIDDEN + u];
          e *= 1 - h[u] * h[u];
          g[B1 + u] += e;
          for (let k = 0, a = u * width; k < width; ++k) g[a + k] += e * x[k];
        }
      }
      ++step;
      const c1 = 1 - 0.9 ** step, c2 = 1 - 0.999 ** step;
      for (let k = 0; k < size; ++k) {
        m[k] = 0.9 * m[k] + 0.1 * g[k];
        s[k] = 0.999 * s[k] + 0.001 * g[k] * g[k];
        p[k] -= rate * (m[k] / c1 / (Math.sqrt(s[k] / c2) + 1e-8) + (k < B1 || (k >= W2 && k < B2) ? 10 * DECAY * p[k] : 0));
      }
    }
  }
  return { p, mean, scale, B1, W2, B2 };
}
function run(net, input) {
  const { p, mean, scale, B1, W2, B2 } = net, h = new Float64Array(HIDDEN), y = new Float64Array(MOVED);
  for (let u = 0; u < HIDDEN; ++u) { let z = p[B1 + u]; for (let k = 0; k < width; ++k) z += p[u * width + k] * Math.max(-4, Math.min(4, (input[k] - mean[k]) / scale[k])); h[u] = Math.tanh(z); }
  for (let j = 0; j < MOVED; ++j) { y[j] = p[B2 + j]; for (let u = 0; u < HIDDEN; ++u) y[j] += p[W2 + j * HIDDEN + u] * h[u]; }
  return y;
}

// Errors of limbs: the mean distance of joints, and the share of limbs with a joint farther than 12 % of the height.
function errors(list, net) {
  let before = 0, after = 0, farBefore = 0, farAfter = 0;
  for (const r of list) {
    const y = run(net, r.x), a = [], b = [];
    for (let k = 0; k < MOVED; k += 3) { const follow = Math.max(0, Math.min(1, (Math.hypot(...y.slice(k, k + 3)) - LEAST_MOVE) / (SURE_MOVE - LEAST_MOVE))); for (let j = k; j < k + 3; ++j) y[j] *= follow; }
    for (let k = 0; k < MOVED; k += 3) { b.push(Math.hypot(...r.y.slice(k, k + 3))); a.push(Math.hypot(r.y[k] - y[k], r.y[k + 1] - y[k + 1], r.y[k + 2] - y[k + 2])); }
    before += (b[0] + b[1] + b[2]) / 3; after += (a[0] + a[1] + a[2]) / 3;
    farBefore += Math.max(...b) > 0.12; farAfter += Math.max(...a) > 0.12;
  }
  const n = list.length || 1, percent = (v) => (100 * v / n).toFixed(1);
  return `${list.length} limbs: mean ${percent(before)} -> ${percent(after)} % of the height, with a joint beyond 12 %: ${percent(farBefore)} -> ${percent(farAfter)} %`;
}

const nets = [];
for (let limb = 0; limb < 2; ++limb) {
  const own = rows.filter((r) => r.limb === limb), families = [...new Set(own.map((r) => r.family))], title = limb ? 'legs' : 'arms';
  if (args.includes('--folds')) {
    for (const family of families) console.log(`${title} without ${family}: ${errors(own.filter((r) => r.family === family), train(own.filter((r) => r.family !== family)))}`);
    continue;
  }
  nets.push(train(own));
  console.log(`${title}, fitted: ${errors(own, nets[limb])}`);
  for (let pose = 0; pose < 10; ++pose) console.log(`  pose ${pose}: ${errors(own.filter((r) => r.pose === pose), nets[limb])}`);
}
if (out && nets.length === 2) {
  const number = (v) => `${Number(v.toPrecision(4))}`.replace(/^(-?\d+)$/, '$1.0') + 'f', list = (a) => `{${[...a].map(number).join(', ')}}`;
  const text = nets.map(({ p, mean, scale, B1, W2, B2 }) => {
    const range = (from, count) => Array.from(p.subarray(from, from + count));
    return `{.mean = ${list(mean)},\n .scale = ${list(scale)},\n .hidden = {${Array.from({ length: HIDDEN }, (_, u) => list(range(u * width, width))).join(',\n  ')}},\n .hidden_bias = ${list(range(B1, HIDDEN))},\n .out = {${Array.from({ length: MOVED }, (_, j) => list(range(W2 + j * HIDDEN, HIDDEN))).join(',\n  ')}},\n .out_bias = ${list(range(B2, MOVED))}},\n`;
  });
  fs.writeFileSync(out, `// Generated by tools/fit-limbs.mjs from ${rows.length} limbs: do not edit.\n${text.join('')}`);
}
