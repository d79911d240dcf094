// The similarity between two readings of one file, whose units and axes may differ.
import { Quaternion, Vector3 } from 'three';

/** The turn that best carries the sums of products `m` (row by row) of two sets of points into one another: Horn 1987, section 4. */
function bestTurn([xx, xy, xz, yx, yy, yz, zx, zy, zz]) {
  const n = [[xx + yy + zz, yz - zy, zx - xz, xy - yx], [yz - zy, xx - yy - zz, xy + yx, zx + xz], [zx - xz, xy + yx, -xx + yy - zz, yz + zy], [xy - yx, zx + xz, yz + zy, -xx - yy + zz]];
  const shift = Math.max(...n.map((row) => row.reduce((s, v) => s + Math.abs(v), 0)));
  // The eigenvector of the largest eigenvalue: a high power of the matrix, by squaring.
  let power = n.map((row, i) => row.map((v, k) => v / (shift || 1) + (i === k ? 1 : 0)));
  for (let step = 0; step < 40; ++step) {
    const product = power.map((row) => power[0].map((_, k) => row.reduce((s, v, l) => s + v * power[l][k], 0)));
    const size = Math.max(...product.flat().map(Math.abs));
    power = product.map((row) => row.map((v) => v / size));
  }
  const columns = [0, 1, 2, 3].map((k) => power.map((row) => row[k])), q0 = columns.sort((x, y) => Math.hypot(...y) - Math.hypot(...x))[0];
  const q = q0.map((v) => v / Math.hypot(...q0));
  return new Quaternion(q[1], q[2], q[3], q[0]);
}

/** The best similarity from points `a` to points `b` (Vector3): { apply, turn, scale, size }, size that of `b`. */
export function similarity(a, b) {
  const mean = (list) => list.reduce((s, p) => s.add(p), new Vector3()).divideScalar(list.length);
  const ca = mean(a), cb = mean(b), m = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  let sa = 0, sb = 0;
  for (let k = 0; k < a.length; ++k) {
    const p = a[k].clone().sub(ca).toArray(), q = b[k].clone().sub(cb).toArray();
    for (let i = 0; i < 9; ++i) m[i] += p[Math.floor(i / 3)] * q[i % 3];
    sa += p[0] ** 2 + p[1] ** 2 + p[2] ** 2;
    sb += q[0] ** 2 + q[1] ** 2 + q[2] ** 2;
  }
  const turn = bestTurn(m), scale = Math.sqrt(sb / sa), size = Math.sqrt(sb / a.length);
  return { apply: (p) => p.clone().sub(ca).applyQuaternion(turn).multiplyScalar(scale).add(cb), turn, scale, size };
}

/** The largest distance after the best similarity, as a share of the size. */
export function mismatch(a, b) {
  const best = similarity(a, b);
  let worst = 0;
  for (let k = 0; k < a.length; ++k) worst = Math.max(worst, best.apply(a[k]).distanceTo(b[k]));
  return worst / best.size;
}
