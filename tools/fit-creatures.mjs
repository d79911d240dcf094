// node tools/fit-creatures.mjs tools/embed-joints.tsv.gz [OUT.inl]: fits the weights by which the joints of animals are sums of the anchors of
// their bodies, from what `embed_fit DATA --joints` writes. Ridge regression towards a home: a fraction of the limb,
// or a place of the trunk; joints that miss by more than 2 % count less, since an end may be taken for another. An artist's chain has
// other joints: a row stands for the place at its usual share of the chain's length in made bodies, and for the joint there,
// if one is near. Families count by the root of
// their sizes, those of artists together as much as made ones. Prints the
// errors on made bodies that were left out, tenth by tenth, and on artists' families that were left out whole.
import fs from 'node:fs';
import zlib from 'node:zlib';

const LINE = 14, TRUNK = 14, LOOK = LINE + TRUNK, NAMED = 5, PLACES = 3 * LOOK;
const line = (k, w = 1) => [[k, w]], trunk = (k) => LINE + k;
const sixth = (k) => line(k), ROOT = 6, BEYOND = 7, BEND = 8, OUTER = 9, INNER = 10, NARROW = 11, LOW = 12, HIGH = 13;
const span = (low, up = 0.67) => [[trunk(low), 1 - up], [trunk(low + 1), up]];
const mix = (a, b, t) => [...a.map(([k, w]) => [k, w * (1 - t)]), ...b.map(([k, w]) => [k, w * t])];
const rootUp = (t) => [[ROOT, 1 - t], [HIGH, t]];
// Where a joint is without any body to learn from, by its row of weights in src/embed/creature/place.c.
const HOMES = [
  span(2), span(4), mix(span(4), span(6), 0.5), line(ROOT), sixth(3), line(ROOT), sixth(4), sixth(2), // trunk, head, tail
  rootUp(0.5), rootUp(0.2), sixth(3), sixth(1), rootUp(0.2), line(INNER), line(BEND), sixth(1), // front and hind legs
  line(ROOT), sixth(3), sixth(1), // arms
  span(2), span(4), span(6), line(ROOT), sixth(3), line(ROOT), line(ROOT), sixth(4), sixth(2), // bird: trunk, wings
  line(ROOT), sixth(5), sixth(1), sixth(0), // its legs
  span(6, 0.5), span(4, 0.5), span(4, 0.5), line(BEYOND), line(ROOT), sixth(5), line(NARROW), line(ROOT), line(ROOT), // fish
  span(4, 0.5), line(ROOT), line(ROOT), line(ROOT), line(BEND), line(OUTER), // spider
];
const home = HOMES.map((h) => { const w = new Float64Array(LOOK); for (const [k, v] of h) w[k] += v; return w; });

const rows = zlib.gunzipSync(fs.readFileSync(process.argv[2])).toString('utf8').trim().split('\n').map((text) => {
  const f = text.split('\t'), x = f.slice(NAMED).map(Number), ends = [];
  for (let k = PLACES; k < x.length; k += 3) ends.push(x.slice(k, k + 3));
  return { row: Number(f[1]), family: f[2], body: f[3], made: f[2].startsWith('made'), ends, side: f[4], at: ends[0], look: [0, 1, 2].map((axis) => Float64Array.from({ length: LOOK }, (_, k) => x[3 * k + axis])) };
});
const ROOTS = [8, 12, 16]; // artists' limbs begin anywhere between the spine and the hip: sideways made bodies alone count
const bodies = [...new Set(rows.map((r) => r.body))], fold = new Map(bodies.map((b, k) => [b, k % 10]));

// Rows of one chain, from the trunk outwards, and the shares of its length where bodies that are made have none.
const CHAINS = [{ rows: [0, 1, 2, 3, 4] }, { rows: [5, 6, 7] }, { rows: [8, 9, 10, 11] }, { rows: [12, 13, 14, 15] }, { rows: [16, 17, 18], shares: [0, 0.45, 0.8] }];
const NEAR = 0.04;
const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const median = (list) => (list.length ? [...list].sort((p, q) => p - q)[Math.floor(list.length / 2)] : NaN);
// The lengths along a line to each of its points, and to the tip of the chain, to which places are relative.
function lengths(points) {
  const out = [0], all = [...points, [0, 0, 0]];
  for (let k = 1; k < all.length; ++k) out.push(out[k - 1] + far(all[k - 1], all[k]));
  return out;
}
function pointAt(points, along, length) {
  const all = [...points, [0, 0, 0]];
  let k = 1;
  while (k < all.length - 1 && along[k] < length) ++k;
  const t = (length - along[k - 1]) / Math.max(along[k] - along[k - 1], 1e-6);
  return all[k - 1].map((v, axis) => v + t * (all[k][axis] - v));
}
for (const chain of CHAINS) {
  const groups = new Map();
  for (const r of rows) if (chain.rows.includes(r.row)) groups.set(r.body + r.side, [...(groups.get(r.body + r.side) ?? []), r]);
  const whole = [...groups.values()].filter((g) => g.length === chain.rows.length);
  const shares = chain.shares ?? chain.rows.map((_, k) => median(whole.filter((g) => g[0].made).map((g) => { const l = lengths(g.map((r) => r.at)); return l[k] / l.at(-1); })));
  for (const g of groups.values()) {
    const points = g[0].ends, along = lengths(points);
    let first = 0;
    for (const r of g[0].made ? [] : g) {
      const at = pointAt(points, along, shares[chain.rows.indexOf(r.row)] * along.at(-1));
      let best = -1;
      for (let k = first; k < points.length; ++k) if (far(points[k], at) < (best < 0 ? NEAR : far(points[best], at))) best = k;
      r.at = best < 0 ? at : points[best];
      first = best < 0 ? first : best + 1;
    }
  }
}

const onPlane = (row) => row <= 7 || (row >= 19 && row <= 24) || (row >= 32 && row <= 39) || (row >= 41 && row <= 43);
// The trunk tells how high the joints of legs lie. Sideways and forward it would tell of the other leg too, and of the pose of
// the made ones, which stand evenly.
const LEGS = [8, 18]; // and arms on the same weights
const counts = (row, axis, k) => row < LEGS[0] || row > LEGS[1] || axis === 1 || k < LOW;
function ridge(list, row, axis, h, lambda) {
  const n = LOOK, a = Array.from({ length: n }, () => new Float64Array(n + 1));
  for (const r of list) {
    const x = r.look[axis];
    let off = r.at[axis];
    for (let k = 0; k < n; ++k) off -= h[k] * x[k];
    const c = axis === 0 && ROOTS.includes(row) && !r.made ? 0 : r.count;
    for (let i = 0; i < n; ++i) {
      a[i][n] += c * off * x[i];
      for (let k = 0; k < n; ++k) a[i][k] += c * x[i] * x[k];
    }
  }
  const all = list.reduce((sum, r) => sum + r.share, 0);
  for (let i = 0; i < n; ++i) {
    a[i][i] += lambda * Math.max(all, 1);
    for (let k = 0; k <= n && !counts(row, axis, i); ++k) a[i][k] = k === i ? 1 : 0;
    for (let k = 0; k < n && !counts(row, axis, i); ++k) a[k][i] = k === i ? 1 : 0;
  }
  for (let i = 0; i < n; ++i) { // the matrix is positive definite: no pivots
    for (let k = i + 1; k < n; ++k) {
      const f = a[k][i] / a[i][i];
      for (let c = i; c <= n; ++c) a[k][c] -= f * a[i][c];
    }
  }
  const w = new Float64Array(n);
  for (let i = n - 1; i >= 0; --i) {
    let v = a[i][n];
    for (let k = i + 1; k < n; ++k) v -= a[i][k] * w[k];
    w[i] = v / a[i][i];
  }
  return w.map((v, k) => v + h[k]);
}
const USUAL = 0.02, ROUNDS = 8;
function fit(all, row, lambda) {
  const few = new Set(all.filter((r) => !r.made).map((r) => r.body)).size < 3 && all.some((r) => r.made); // they tell no style
  const list = few ? all.filter((r) => r.made) : all, inFamily = {};
  for (const r of list) inFamily[r.family] = (inFamily[r.family] ?? 0) + 1;
  const total = { true: 0, false: 0 };
  for (const r of list) total[r.made] += 1 / Math.sqrt(inFamily[r.family]);
  for (const r of list) r.share = r.count = 1 / Math.sqrt(inFamily[r.family]) * (r.made || !total.true ? 1 : total.true / total.false);
  let w = [home[row], home[row], home[row]];
  for (let round = 0; round < ROUNDS; ++round) {
    for (const r of list) {
      r.count = round === 0 && r.made ? r.share : r.share / (1 + (distance(r, w) / USUAL) ** 2);
    }
    w = [0, 1, 2].map((axis) => ridge(list, row, axis, home[row], lambda));
  }
  return w;
}
function distance(r, w) {
  let sum = 0;
  for (let axis = onPlane(r.row) ? 1 : 0; axis < 3; ++axis) {
    let p = 0;
    for (let k = 0; k < LOOK; ++k) p += w[axis][k] * r.look[axis][k];
    sum += (p - r.at[axis]) ** 2;
  }
  return Math.sqrt(sum);
}

const LAMBDAS = [1e-5, 1e-4, 1e-3, 1e-2];
const percent = (x) => (100 * x).toFixed(2);
const best = HOMES.map((_, row) => {
  const list = rows.filter((r) => r.row === row), artists = [...new Set(list.filter((r) => !r.made).map((r) => r.family))];
  const tried = LAMBDAS.map((lambda) => {
    const made = [], others = [];
    for (let f = 0; f < 10; ++f) {
      const w = fit(list.filter((r) => fold.get(r.body) !== f), row, lambda);
      for (const r of list) if (r.made && fold.get(r.body) === f) made.push(distance(r, w));
    }
    for (const family of artists) {
      const w = fit(list.filter((r) => r.family !== family), row, lambda);
      for (const r of list) if (r.family === family) others.push(distance(r, w));
    }
    return { lambda, made: median(made), others: median(others) };
  });
  const least = (of) => Math.min(...tried.map(of).filter((x) => x > 0), 1);
  const worse = (t) => (t.made > 0 ? t.made / least((x) => x.made) : 0) + (t.others > 0 ? t.others / least((x) => x.others) : 0);
  return tried.reduce((a, b) => (worse(b) < worse(a) ? b : a));
});
best.forEach((b, row) => console.log(`row ${row}: ${percent(b.made)} % of the longest side off in the median of made bodies, ${percent(b.others)} of artists', ridge ${b.lambda}`));
if (process.argv[3]) {
  const text = HOMES.map((_, row) => {
    const w = fit(rows.filter((r) => r.row === row), row, best[row].lambda);
    return `{${w.map((v) => `{${[...v].map((x) => `${x.toFixed(3)}f`).join(', ')}}`).join(',\n ')}},\n`;
  }).join('');
  fs.writeFileSync(process.argv[3], `// Generated by tools/fit-creatures.mjs from ${rows.length} joints of ${bodies.length} bodies: do not edit.\n${text}`);
}
