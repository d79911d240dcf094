// node tools/fit-embed.mjs [CLUES.tsv [OUT.inl]]: fits the regression that rates a placed human and chooses among candidates,
// from the clues that bench/embed_fit.c writes (tools/embed-clues.tsv: made bodies and rows of ../shared/data that may ship),
// and prints how well it does on families that were left out in turn. OUT.inl is src/embed/human/plausibility_rows.inl.
import fs from 'node:fs';

const NAMED = 6; // family, name, pose, candidate, worst and mean error
const rows = fs.readFileSync(process.argv[2] ?? 'tools/embed-clues.tsv', 'utf8').trim().split('\n').map((line) => line.split('\t'))
  .filter((f) => f[3] !== '-1')
  .map((f) => ({ family: f[0], body: f[0] + f[1], pose: Number(f[2]), right: Number(f[4]) < 0.12 ? 1 : 0, worst: Number(f[4]), x: f.slice(NAMED).map(Number) }));
const width = rows[0].x.length, PROPORTIONS = 8, raw = rows.map((r) => r.x);

// The usual value of each proportion, and its spread, over the right ones; families count by the root of their sizes.
function usualOf(train) {
  const right = train.filter((r) => r.right), inFamily = {};
  for (const r of right) inFamily[r.family] = (inFamily[r.family] ?? 0) + 1;
  return Array.from({ length: PROPORTIONS }, (_, k) => {
    const c = width - PROPORTIONS + k;
    let n = 0, sum = 0, square = 0;
    for (const r of right) { const w = 1 / Math.sqrt(inFamily[r.family]), v = r.raw[c]; n += w; sum += w * v; square += w * v * v; }
    return { mean: sum / n, spread: Math.max(0.05, Math.sqrt(Math.max(0, square / n - (sum / n) ** 2))) };
  });
}
function transform(list, usual) {
  for (const r of list) r.x = r.raw.map((v, c) => { const u = usual[c - width + PROPORTIONS]; return u ? Math.log(1 + 0.25 * ((v - u.mean) / u.spread) ** 2) : v; });
}
rows.forEach((r, k) => { r.raw = raw[k]; });
const families = [...new Set(rows.map((r) => r.family))];
const squash = (z) => 1 / (1 + Math.exp(-z));
const score = (model, x) => x.reduce((s, v, k) => s + v * model.w[k], model.b);

// What a clue can only speak for (+1) or against (-1), in the order of plausibility.h. Scores of readings are logarithmic
// likelihoods already, and few bodies of the fit show how a bust is read, so their weights are held near HOME instead of 0.
const SIGNS = [1, 1, -1, -1, -1, -1, -1, -1, -1, -1, 1, -1, -1, 1, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1];
const HOME = { 0: 0.3, 1: 0.5 };

const RIDGE = 1, HOME_RIDGE = 30;
// How much a candidate's own chance to be right counts against the ridge, and how much the choice among the candidates of
// one body, a softmax over them (conditional logit): the latter with few wrong ones that are sure on families left out.
const ALONE = 3, CHOICE = 1.6;

// What is maximised: weighted likelihoods of candidates and of choices, less the ridge. Families count by the root of their
// sizes.
function problem(train) {
  const n = width + 1, scale = [], count = (list) => list.reduce((m, f) => { m[f] = (m[f] ?? 0) + 1; return m; }, {});
  for (let k = 0; k < width; ++k) {
    const mean = train.reduce((s, r) => s + r.x[k], 0) / train.length;
    scale.push(Math.sqrt(train.reduce((s, r) => s + (r.x[k] - mean) ** 2, 0) / train.length) || 1);
  }
  const bodies = new Map();
  train.forEach((r, i) => bodies.set(r.body, [...(bodies.get(r.body) ?? []), i]));
  const choices = [...bodies.values()].filter((c) => c.some((i) => train[i].right) && c.some((i) => !train[i].right));
  const inFamily = count(train.map((r) => r.family)), choicesIn = count(choices.map((c) => train[c[0]].family));
  return {
    n, scale, choices, right: train.map((r) => r.right),
    x: train.map((r) => Float64Array.from([...r.x.map((v, k) => v / scale[k]), 1])),
    weight: train.map((r) => ALONE / Math.sqrt(inFamily[r.family])),
    choiceWeight: choices.map((c) => CHOICE / Math.sqrt(choicesIn[train[c[0]].family])),
    home: Float64Array.from([...scale.map((s, k) => (HOME[k] ?? 0) * s), 0]),
    ridge: Array.from({ length: n }, (_, k) => k === width ? 1e-6 : k in HOME ? HOME_RIDGE : RIDGE),
  };
}
const scores = (p, w) => p.x.map((x) => { let s = 0; for (let k = 0; k < p.n; ++k) s += x[k] * w[k]; return s; });
// The probabilities of a choice, and of its right candidates alone.
function softmax(p, z, choice) {
  const most = Math.max(...choice.map((i) => z[i])), e = choice.map((i) => Math.exp(z[i] - most));
  const all = e.reduce((s, v) => s + v, 0), right = e.reduce((s, v, q) => s + (p.right[choice[q]] ? v : 0), 0);
  return { share: e.map((v) => v / all), wanted: e.map((v, q) => p.right[choice[q]] ? v / right : 0), log: Math.log(right / all + 1e-300) };
}
function objective(p, w) {
  const z = scores(p, w), softplus = (v) => v > 30 ? v : Math.log1p(Math.exp(v));
  let sum = 0;
  z.forEach((v, i) => { sum -= p.weight[i] * softplus(p.right[i] ? -v : v); });
  p.choices.forEach((c, j) => { sum += p.choiceWeight[j] * softmax(p, z, c).log; });
  for (let k = 0; k < p.n; ++k) sum -= 0.5 * p.ridge[k] * (w[k] - p.home[k]) ** 2;
  return sum;
}
// Gradient and curvature (lower triangle); that of a choice is bounded by the covariance of its candidates.
function derivatives(p, w, held) {
  const { n } = p, z = scores(p, w), g = new Float64Array(n), h = Array.from({ length: n }, () => new Float64Array(n));
  const add = (x, slope, curve, mean) => {
    for (let a = 0; a < n; ++a) {
      g[a] += slope * x[a];
      const f = curve * (x[a] - (mean?.[a] ?? 0));
      for (let b = 0; b <= a && f !== 0; ++b) h[a][b] += f * (x[b] - (mean?.[b] ?? 0));
    }
  };
  z.forEach((v, i) => { const q = squash(v); add(p.x[i], p.weight[i] * (p.right[i] - q), p.weight[i] * q * (1 - q)); });
  p.choices.forEach((c, j) => {
    const { share, wanted } = softmax(p, z, c), mean = new Float64Array(n);
    c.forEach((i, q) => { for (let a = 0; a < n; ++a) mean[a] += share[q] * p.x[i][a]; });
    c.forEach((i, q) => add(p.x[i], p.choiceWeight[j] * (wanted[q] - share[q]), p.choiceWeight[j] * share[q], mean));
  });
  for (let k = 0; k < n; ++k) { g[k] -= p.ridge[k] * (w[k] - p.home[k]); h[k][k] += p.ridge[k]; }
  for (const k of held) {
    g[k] = 0;
    for (let b = 0; b < n; ++b) h[Math.max(k, b)][Math.min(k, b)] = b === k ? 1 : 0;
  }
  return { g, h };
}
// Solves h d = g by Cholesky's decomposition, in place.
function solve(h, g) {
  const n = g.length, d = new Float64Array(n);
  for (let a = 0; a < n; ++a)
    for (let b = 0; b <= a; ++b) {
      let s = h[a][b];
      for (let k = 0; k < b; ++k) s -= h[a][k] * h[b][k];
      h[a][b] = a === b ? Math.sqrt(Math.max(s, 1e-12)) : s / h[b][b];
    }
  for (let a = 0; a < n; ++a) { let s = g[a]; for (let k = 0; k < a; ++k) s -= h[a][k] * d[k]; d[a] = s / h[a][a]; }
  for (let a = n - 1; a >= 0; --a) { let s = d[a]; for (let k = a + 1; k < n; ++k) s -= h[k][a] * d[k]; d[a] = s / h[a][a]; }
  return d;
}
// Newton's method with halved steps. Clues whose weight comes out with the wrong sign are left out, the worst first.
function fit(train) {
  const p = problem(train), held = new Set();
  let w = p.home;
  for (;;) {
    w = w.map((v, k) => held.has(k) ? 0 : v);
    let now = objective(p, w);
    for (let step = 0; step < 60; ++step) {
      const { g, h } = derivatives(p, w, held), d = solve(h, g);
      let size = 1, next = w.map((v, k) => v + d[k]), then = objective(p, next);
      while (then < now && size > 1e-4) { size /= 2; next = w.map((v, k) => v + size * d[k]); then = objective(p, next); }
      if (!(then > now)) break;
      const gain = then - now;
      [w, now] = [next, then];
      if (gain < 1e-4) break;
    }
    let worst = -1;
    SIGNS.forEach((s, k) => { if (s * w[k] < 0 && (worst < 0 || s * w[k] < SIGNS[worst] * w[worst])) worst = k; });
    if (worst < 0) return { w: p.scale.map((s, k) => w[k] / s), b: w[width] };
    held.add(worst);
  }
}

const chosen = (list, model) => {
  const bodies = new Map();
  for (const r of list) {
    const s = score(model, r.x), best = bodies.get(r.body);
    if (!best || s > best.s) bodies.set(r.body, { s, r });
  }
  return [...bodies.values()];
};
const auc = (list) => {
  const good = list.filter((c) => c.r.right).map((c) => c.s), bad = list.filter((c) => !c.r.right).map((c) => c.s);
  let sum = 0;
  for (const g of good) for (const b of bad) sum += g > b ? 1 : g === b ? 0.5 : 0;
  return sum / (good.length * bad.length || 1);
};
const all = [];
for (const family of families) {
  transform(rows, usualOf(rows.filter((r) => r.family !== family)));
  const model = fit(rows.filter((r) => r.family !== family)), picked = chosen(rows.filter((r) => r.family === family), model);
  all.push(...picked);
  const possible = new Set(rows.filter((r) => r.family === family && r.right).map((r) => r.body)).size;
  const turned = (c) => c.r.body.endsWith('.turned'), share = (l) => `${l.filter((c) => c.r.right).length}/${l.length}`;
  const part = (posed) => share(picked.filter((c) => !turned(c) && (c.r.pose > 0) === posed));
  console.log(`${family.padEnd(24)} rest ${part(false)} posed ${part(true)} facing backward ${share(picked.filter(turned))} right (possible ${possible}), sure and wrong ${picked.filter((c) => !c.r.right && c.s > 0).length}, AUC ${auc(picked).toFixed(3)}`);
}
console.log(`all: AUC ${auc(all).toFixed(3)}, sure and wrong ${all.filter((c) => !c.r.right && c.s > 0).length} of ${all.length}`);
for (const c of all.filter((c) => !c.r.right && c.s > 0)) console.log(`  sure and wrong: ${c.r.body} ${squash(c.s).toFixed(2)} worst ${c.r.worst}`);
const usual = usualOf(rows);
transform(rows, usual);
const model = fit(rows);
const names = (fs.readFileSync('src/embed/human/human.h', 'utf8').match(/LMBI_CLUE_\w+/g) ?? []).filter((n) => n !== 'LMBI_CLUE_PROPORTIONS');
model.w.forEach((w, k) => console.log(`${(names[k] ?? k).padEnd(24)} ${w.toFixed(3)}`));
console.log(`offset ${model.b.toFixed(3)}`);
if (process.argv[3]) {
  const text = `// Generated by tools/fit-embed.mjs from ${rows.length} placed candidates: do not edit.\n.offset = ${model.b.toFixed(4)}f,\n.weights = {${model.w.map((w) => w.toFixed(4) + 'f').join(', ')}},\n.usual = {${usual.map((u) => `{${u.mean.toFixed(3)}f, ${u.spread.toFixed(3)}f}`).join(', ')}},\n`;
  fs.writeFileSync(process.argv[3], text);
}
