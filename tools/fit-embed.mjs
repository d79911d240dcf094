// node tools/fit-embed.mjs [CLUES.tsv [OUT.inl]]: fits the logistic regression that rates a placed human, from the clues that
// bench/embed_fit.c writes (tools/embed-clues.tsv: made bodies and rows of ../shared/data that may ship), and prints how well
// it does on families that were left out in turn. OUT.inl is src/embed/human/plausibility_rows.inl.
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
// likelihoods already, and few bodies of the fit lack limbs or show how a bust is read, so the weights of those and of guessed
// limbs are held near HOME instead of 0.
const SIGNS = [1, 1, -1, -1, -1, -1, -1, -1, -1, -1, 1, -1, -1, -1, 1, 1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1];
const HOME = { 0: 0.3, 1: 0.5, 11: -0.7 };

const RIDGE = 1, HOME_RIDGE = 30;

// Newton's method on the weighted, ridged likelihood; each family counts by the root of its size. Clues whose weight comes
// out with the wrong sign are left out, the worst first.
function fit(train) {
  const inFamily = {}, held = new Set(), scale = [];
  for (const r of train) inFamily[r.family] = (inFamily[r.family] ?? 0) + 1;
  for (let k = 0; k < width; ++k) {
    const mean = train.reduce((s, r) => s + r.x[k], 0) / train.length;
    scale.push(Math.sqrt(train.reduce((s, r) => s + (r.x[k] - mean) ** 2, 0) / train.length) || 1);
  }
  for (;;) {
    const w = newton(train, scale, inFamily, held);
    let worst = -1;
    SIGNS.forEach((s, k) => { if (s * w[k] < 0 && (worst < 0 || s * w[k] < SIGNS[worst] * w[worst])) worst = k; });
    if (worst < 0) return { w: scale.map((s, k) => w[k] / s), b: w[width] };
    held.add(worst);
  }
}
function newton(train, scale, inFamily, held) {
  const n = width + 1, w = new Float64Array(n), home = scale.map((s, k) => (HOME[k] ?? 0) * s);
  home.forEach((v, k) => { if (!held.has(k)) w[k] = v; });
  for (let step = 0; step < 40; ++step) {
    const h = Array.from({ length: n }, () => new Float64Array(n + 1));
    for (const r of train) {
      const x = [...r.x.map((v, k) => v / scale[k]), 1], z = x.reduce((s, v, k) => s + v * w[k], 0), p = squash(z);
      const weight = 3 / Math.sqrt(inFamily[r.family]);
      for (let a = 0; a < n; ++a) {
        h[a][n] += weight * (r.right - p) * x[a];
        for (let b = 0; b < n; ++b) h[a][b] += weight * p * (1 - p) * x[a] * x[b];
      }
    }
    for (let a = 0; a < n - 1; ++a) {
      const ridge = a in HOME ? HOME_RIDGE : RIDGE;
      h[a][a] += ridge;
      h[a][n] -= ridge * (w[a] - home[a]);
    }
    h[n - 1][n - 1] += 1e-6;
    for (const a of held) { for (let b = 0; b <= n; ++b) { h[a][b] = 0; if (b < n) h[b][a] = 0; } h[a][a] = 1; }
    for (let a = 0; a < n; ++a) {
      let pivot = a;
      for (let b = a + 1; b < n; ++b) if (Math.abs(h[b][a]) > Math.abs(h[pivot][a])) pivot = b;
      [h[a], h[pivot]] = [h[pivot], h[a]];
      for (let b = 0; b < n; ++b) {
        if (b === a) continue;
        const f = h[b][a] / h[a][a];
        for (let c = a; c <= n; ++c) h[b][c] -= f * h[a][c];
      }
    }
    let moved = 0, most = 0;
    for (let a = 0; a < n; ++a) most = Math.max(most, Math.abs(h[a][n] / h[a][a]));
    for (let a = 0; a < n; ++a) { const d = h[a][n] / h[a][a] * Math.min(1, 2 / most); w[a] += d; moved = Math.max(moved, Math.abs(d)); }
    if (moved < 1e-6) break;
  }
  return w;
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
  const part = (posed) => { const l = picked.filter((c) => (c.r.pose > 0) === posed); return `${l.filter((c) => c.r.right).length}/${l.length}`; };
  console.log(`${family.padEnd(24)} rest ${part(false)} posed ${part(true)} right (possible ${possible}), sure and wrong ${picked.filter((c) => !c.r.right && c.s > 0).length}, AUC ${auc(picked).toFixed(3)}`);
}
console.log(`all: AUC ${auc(all).toFixed(3)}, sure and wrong ${all.filter((c) => !c.r.right && c.s > 0).length} of ${all.length}`);
for (const c of all.filter((c) => !c.r.right && c.s > 0)) console.log(`  sure and wrong: ${c.r.body} ${squash(c.s).toFixed(2)} worst ${c.r.worst}`);
const usual = usualOf(rows);
transform(rows, usual);
const model = fit(rows);
const names = (fs.readFileSync('src/embed/human/plausibility.h', 'utf8').match(/LMBI_CLUE_\w+/g) ?? []).filter((n) => n !== 'LMBI_CLUE_PROPORTIONS');
model.w.forEach((w, k) => console.log(`${(names[k] ?? k).padEnd(24)} ${w.toFixed(3)}`));
console.log(`offset ${model.b.toFixed(3)}`);
if (process.argv[3]) {
  const text = `// Generated by tools/fit-embed.mjs from ${rows.length} placed candidates: do not edit.\n.offset = ${model.b.toFixed(4)}f,\n.weights = {${model.w.map((w) => w.toFixed(4) + 'f').join(', ')}},\n.usual = {${usual.map((u) => `{${u.mean.toFixed(3)}f, ${u.spread.toFixed(3)}f}`).join(', ')}},\n`;
  fs.writeFileSync(process.argv[3], text);
}
