// Trains a network with one hidden layer: out = W2 tanh(W1 x + b1) + b2, as src/embed/human runs it. Rows have a family, inputs
// x, targets y and the unit of each target's error. Same input, same output.
const EPOCHS = 80, BATCH = 16, RATE = 3e-3, DECAY = 2e-3, NOISE = 0.3;

// A fixed sequence of pseudorandom numbers (xorshift32).
let state = 1;
const random = () => { state ^= state << 13; state ^= state >>> 17; state ^= state << 5; return (state >>> 0) / 2 ** 32; };
const normal = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());

// Families count by the root of their sizes. `unit(row, output)` divides an error before Huber's loss.
export function train(list, hidden, unit) {
  state = 12345;
  const width = list[0].x.length, outputs = list[0].y.length, inFamily = {};
  for (const r of list) inFamily[r.family] = (inFamily[r.family] ?? 0) + 1;
  const mean = new Float64Array(width), scale = new Float64Array(width);
  for (let k = 0; k < width; ++k) {
    for (const r of list) mean[k] += r.x[k] / list.length;
    for (const r of list) scale[k] += (r.x[k] - mean[k]) ** 2 / list.length;
    scale[k] = Math.max(Math.sqrt(scale[k]), 0.02);
  }
  const total = list.length, families = Object.keys(inFamily).length;
  const data = list.map((r) => ({ row: r, x: r.x.map((v, k) => Math.max(-4, Math.min(4, (v - mean[k]) / scale[k]))), y: r.y, w: Math.sqrt(total / families / inFamily[r.family]) }));
  const B1 = hidden * width, W2 = B1 + hidden, B2 = W2 + outputs * hidden, size = B2 + outputs;
  const p = new Float64Array(size), m = new Float64Array(size), s = new Float64Array(size), g = new Float64Array(size);
  for (let k = 0; k < B1; ++k) p[k] = normal() / Math.sqrt(width);
  for (let k = W2; k < B2; ++k) p[k] = 0.02 * normal();
  const order = data.map((_, k) => k), h = new Float64Array(hidden), x = new Float64Array(width), d = new Float64Array(outputs);
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
        for (let u = 0; u < hidden; ++u) { let z = p[B1 + u]; for (let k = 0, a = u * width; k < width; ++k) z += p[a + k] * x[k]; h[u] = Math.tanh(z); }
        for (let j = 0; j < outputs; ++j) {
          let z = p[B2 + j];
          for (let u = 0; u < hidden; ++u) z += p[W2 + j * hidden + u] * h[u];
          const size = unit(r.row, j), e = (z - r.y[j]) / size;
          d[j] = Math.max(-1, Math.min(1, e)) * (0.05 / size) * r.w / (to - from);
        }
        for (let j = 0; j < outputs; ++j) { g[B2 + j] += d[j]; for (let u = 0; u < hidden; ++u) g[W2 + j * hidden + u] += d[j] * h[u]; }
        for (let u = 0; u < hidden; ++u) {
          let e = 0;
          for (let j = 0; j < outputs; ++j) e += d[j] * p[W2 + j * hidden + u];
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
  return { p, mean, scale, hidden, width, outputs, B1, W2, B2 };
}

export function run(net, input) {
  const { p, mean, scale, hidden, width, outputs, B1, W2, B2 } = net, h = new Float64Array(hidden), y = new Float64Array(outputs);
  for (let u = 0; u < hidden; ++u) { let z = p[B1 + u]; for (let k = 0; k < width; ++k) z += p[u * width + k] * Math.max(-4, Math.min(4, (input[k] - mean[k]) / scale[k])); h[u] = Math.tanh(z); }
  for (let j = 0; j < outputs; ++j) { y[j] = p[B2 + j]; for (let u = 0; u < hidden; ++u) y[j] += p[W2 + j * hidden + u] * h[u]; }
  return y;
}

// The network as a C initialiser.
export function text(net) {
  const { p, mean, scale, hidden, width, outputs, B1, W2, B2 } = net;
  const number = (v) => `${Number(v.toPrecision(4))}`.replace(/^(-?\d+)$/, '$1.0') + 'f', list = (a) => `{${[...a].map(number).join(', ')}}`;
  const range = (from, count) => Array.from(p.subarray(from, from + count));
  return `{.mean = ${list(mean)},\n .scale = ${list(scale)},\n .hidden = {${Array.from({ length: hidden }, (_, u) => list(range(u * width, width))).join(',\n  ')}},\n .hidden_bias = ${list(range(B1, hidden))},\n .out = {${Array.from({ length: outputs }, (_, j) => list(range(W2 + j * hidden, hidden))).join(',\n  ')}},\n .out_bias = ${list(range(B2, outputs))}},\n`;
}
