// Direct delta mush of blocks of sixteen vertices, variant v0. One vertex per lane.
#include "skin/mush_lanes.inl"

// ---- covariance of the neighbourhood, posed against rest

/// Row r of R S and of T p, with T = [R t] the matrix `m`.
LMBI_WIDE void start_row(const float *m, int r, wide3 center, const wide *spread, wide3 *a, wide *q)
{
    a->x = m[r] * spread[0] + m[4 + r] * spread[3] + m[8 + r] * spread[5];
    a->y = m[r] * spread[3] + m[4 + r] * spread[1] + m[8 + r] * spread[4];
    a->z = m[r] * spread[5] + m[4 + r] * spread[4] + m[8 + r] * spread[2];
    *q = m[r] * center.x + m[4 + r] * center.y + m[8 + r] * center.z + m[12 + r];
}

/// Adds row r of R_j S_ij + y_j m_ij^T to `a`, and of R_j m_ij + w_ij y_j to `q`, with y_j = T_j
/// p_i.
LMBI_WIDE void add_row(const float *m, int r, wide3 center, const wide *item, wide3 *a, wide *q)
{
    const wide y = m[r] * center.x + m[4 + r] * center.y + m[8 + r] * center.z + m[12 + r];
    a->x += m[r] * item[4] + m[4 + r] * item[7] + m[8 + r] * item[9] + y * item[1];
    a->y += m[r] * item[7] + m[4 + r] * item[5] + m[8 + r] * item[8] + y * item[2];
    a->z += m[r] * item[9] + m[4 + r] * item[8] + m[8 + r] * item[6] + y * item[3];
    *q += m[r] * item[1] + m[4 + r] * item[2] + m[8 + r] * item[3] + y * item[0];
}

/// Applies the transform of the block's first joint to the whole neighbourhood, then adds the other
/// joints' contributions by the difference of their transforms to the first.
LMBI_WIDE void blend(const lmbi_mush_pass *pass, size_t b, uint32_t offset, wide3 center, matrix *a,
                     wide3 *q)
{
    const lmb_mush *mush = pass->mush;
    const lmbi_mush_block *block = &mush->blocks[b];
    const uint16_t *joints = mush->joints + block->joint_first;
    const float *from = mush->items + lmbi_mush_item_offset(mush, b) + offset;
    const float *first = pass->palette[joints[0]].m;
    wide item[LMBI_MUSH_FLOATS];
    for (size_t i = 0; i < 6; ++i) {
        item[i] = lmbi_wide_load(mush->spreads + (b * 6 + i) * LMBI_MUSH_LANES + offset);
    }
    start_row(first, 0, center, item, &a->r[0], &q->x);
    start_row(first, 1, center, item, &a->r[1], &q->y);
    start_row(first, 2, center, item, &a->r[2], &q->z);
    for (uint32_t k = 1; k < block->joint_count; ++k) {
        const float *m = pass->palette[joints[k]].m;
        float other[16];
        for (int e = 0; e < 16; ++e) {
            other[e] = m[e] - first[e];
        }
        for (int i = 0; i < LMBI_MUSH_FLOATS; ++i) {
            item[i] = lmbi_wide_load(from + i * LMBI_MUSH_LANES);
        }
        add_row(other, 0, center, item, &a->r[0], &q->x);
        add_row(other, 1, center, item, &a->r[1], &q->y);
        add_row(other, 2, center, item, &a->r[2], &q->z);
        from += LMBI_MUSH_FLOATS * LMBI_MUSH_LANES;
    }
}

// ---- the nearest rotation

/// Intermediate results of some lanes, before the sum of singular values.
typedef struct step {
    size_t b;
    uint32_t offset;
    wide3 center, q;
    matrix normed, cofactors; ///< B with |B| = 1, and its cofactors
} step;

/// Several steps interleaved, because the sum of singular values is one long dependency chain.
enum { BATCH = 4 };
typedef struct batch {
    step steps[BATCH];
    wide determinant[BATCH], cofactor_square[BATCH];
    int count;
} batch;

/// Sum of the singular values of B, |B| = 1, from the squared norm C of its cofactors and d = |det
/// B|: the largest root of (x^2 - 1)^2 = 4 (C + 2 d x). One fixed-point step of x = sqrt(1 + 2
/// sqrt(C + 2 d x)), which reduces the error to a ninth or less even where two roots nearly
/// coincide; then Newton's method from above.
LMBI_WIDE void singular_sums(const batch *of, wide sums[BATCH])
{
    for (int k = 0; k < BATCH; ++k) { // the sum is at most sqrt 3
        const wide d = lmbi_wide_abs(of->determinant[k]);
        sums[k] =
            lmbi_wide_sqrt(1.0f + 2.0f * lmbi_wide_sqrt(of->cofactor_square[k] + 3.4642f * d));
    }
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < BATCH; ++k) {
            const wide d = lmbi_wide_abs(of->determinant[k]), x = sums[k];
            const wide u = x * x - 1.0f;
            const wide slope = 4.0f * x * u - 8.0f * d;
            const wide change = (u * u - 8.0f * d * x - 4.0f * of->cofactor_square[k]) / slope;
            sums[k] -=
                lmbi_wide_select((lmbi_wide_int)(slope > 1e-12f), change, lmbi_wide_splat(0));
        }
    }
}

/// Smallest singular value: the smallest root of z^3 - sum z^2 + (sum^2 - 1) / 2 z - d, by
/// Laguerre's method from 0. All three roots are real, so the iteration rises to the root without
/// overshoot.
LMBI_WIDE wide least_singular(wide sum, wide d)
{
    const wide pairs = 0.5f * (sum * sum - 1.0f), none = lmbi_wide_splat(0);
    wide z = none;
    for (int i = 0; i < 4; ++i) {
        const wide p = ((z - sum) * z + pairs) * z - d;
        const wide slope = (3.0f * z - 2.0f * sum) * z + pairs;
        const wide bend = 4.0f * slope * slope - 6.0f * p * (6.0f * z - 2.0f * sum);
        const wide divisor = slope + lmbi_wide_sqrt(lmbi_wide_max(bend, none));
        z -= lmbi_wide_select((lmbi_wide_int)(divisor > 1e-12f), 3.0f * p / divisor, none);
    }
    return z;
}

LMBI_WIDE wide3 unit_or(wide3 v, wide3 fallback)
{
    const wide square = dot(v, v);
    const lmbi_wide_int has_length = (lmbi_wide_int)(square > 1e-12f);
    const wide3 unit = scale(v, lmbi_wide_inverse_root(square));
    return (wide3){lmbi_wide_select(has_length, unit.x, fallback.x),
                   lmbi_wide_select(has_length, unit.y, fallback.y),
                   lmbi_wide_select(has_length, unit.z, fallback.z)};
}

/// Gram-Schmidt on the columns, in the masked lanes.
LMBI_WIDE void make_orthonormal(matrix *m, lmbi_wide_int mask)
{
    const wide one = lmbi_wide_splat(1), none = lmbi_wide_splat(0);
    const wide3 first = {m->r[0].x, m->r[1].x, m->r[2].x},
                second = {m->r[0].y, m->r[1].y, m->r[2].y};
    const wide3 x = unit_or(first, (wide3){one, none, none});
    const wide along = dot(second, x);
    const wide3 flat = {second.x - along * x.x, second.y - along * x.y, second.z - along * x.z};
    const lmbi_wide_int steep = (lmbi_wide_int)(lmbi_wide_abs(x.y) < 0.5f);
    const wide3 other = {none, lmbi_wide_select(steep, one, none),
                         lmbi_wide_select(steep, none, one)};
    const wide3 y = unit_or(flat, other), z = cross(x, y);
    const wide3 rows[3] = {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
    for (int i = 0; i < 3; ++i) {
        m->r[i].x = lmbi_wide_select(mask, rows[i].x, m->r[i].x);
        m->r[i].y = lmbi_wide_select(mask, rows[i].y, m->r[i].y);
        m->r[i].z = lmbi_wide_select(mask, rows[i].z, m->r[i].z);
    }
}

/// The rotation nearest to A, by FOAM (Markley 1993, eq. 24 to 28): ((k + |B|^2) B + x cof B - B
/// B^T B) / (k x - det B), k = (x^2 - |B|^2) / 2, with A scaled to |B| = 1. x is the sum of the
/// singular values, the last with the sign of det B. The divisor is (s1 + s2) (s2 + s3) (s3 + s1).
/// Where it is small the rotation is ill-defined, and the rounded result is orthonormalised.
LMBI_WIDE matrix nearest_rotation(const step *of, wide determinant, wide sum)
{
    const matrix b = of->normed, c = of->cofactors;
    wide x = sum;
    const lmbi_wide_int mirrored = (lmbi_wide_int)(determinant < 0.0f);
    if (lmbi_wide_any(mirrored)) {
        const wide least = least_singular(x, lmbi_wide_abs(determinant));
        x = lmbi_wide_select(mirrored, x - 2.0f * least, x);
    }
    const wide k = 0.5f * (x * x - 1.0f), divisor = k * x - determinant;
    const wide inverse_divisor =
        lmbi_wide_select((lmbi_wide_int)(divisor > 1e-12f), 1.0f / divisor, lmbi_wide_splat(0));
    // (k + |B|^2) B - B B^T B = (k + 1 - B B^T) B
    const wide xx = k + 1.0f - dot(b.r[0], b.r[0]), yy = k + 1.0f - dot(b.r[1], b.r[1]),
               zz = k + 1.0f - dot(b.r[2], b.r[2]), xy = dot(b.r[0], b.r[1]),
               yz = dot(b.r[1], b.r[2]), zx = dot(b.r[2], b.r[0]);
    const wide3 weights[3] = {{xx, -xy, -zx}, {-xy, yy, -yz}, {-zx, -yz, zz}};
    matrix result;
    for (int i = 0; i < 3; ++i) {
        const wide3 g = weights[i];
        const wide3 cube = add(add(scale(b.r[0], g.x), scale(b.r[1], g.y)), scale(b.r[2], g.z));
        result.r[i] = scale(add(cube, scale(c.r[i], x)), inverse_divisor);
    }
    const lmbi_wide_int ill_defined = (lmbi_wide_int)(divisor < 0.01f);
    if (lmbi_wide_any(ill_defined)) {
        make_orthonormal(&result, ill_defined);
    }
    return result;
}

// ---- runs

LMBI_WIDE void begin_step(const lmbi_mush_pass *pass, batch *to, size_t b, uint32_t offset)
{
    const int k = to->count++;
    step *s = &to->steps[k];
    matrix a;
    s->b = b;
    s->offset = offset;
    s->center = load3(pass->mush->smoothed + b * 3 * LMBI_MUSH_LANES + offset);
    blend(pass, b, offset, s->center, &a, &s->q);
    const wide inverse =
        lmbi_wide_inverse_root(dot(a.r[0], a.r[0]) + dot(a.r[1], a.r[1]) + dot(a.r[2], a.r[2]));
    const matrix m = {{scale(a.r[0], inverse), scale(a.r[1], inverse), scale(a.r[2], inverse)}};
    const matrix c = {{cross(m.r[1], m.r[2]), cross(m.r[2], m.r[0]), cross(m.r[0], m.r[1])}};
    s->normed = m;
    s->cofactors = c;
    to->determinant[k] = dot(m.r[0], c.r[0]);
    to->cofactor_square[k] = dot(c.r[0], c.r[0]) + dot(c.r[1], c.r[1]) + dot(c.r[2], c.r[2]);
}

/// Not inlined: it is called twice.
static __attribute__((noinline)) void finish_steps(const lmbi_mush_pass *pass, batch *of)
{
    const lmb_mush *mush = pass->mush;
    wide sums[BATCH];
    singular_sums(of, sums);
    for (int k = 0; k < of->count; ++k) {
        const step *s = &of->steps[k];
        const size_t at3 = s->b * 3 * LMBI_MUSH_LANES + s->offset;
        const size_t at4 = s->b * 4 * LMBI_MUSH_LANES + s->offset;
        const uint16_t *index = mush->index + s->b * LMBI_MUSH_LANES + s->offset;
        const matrix r = nearest_rotation(s, of->determinant[k], sums[k]);
        store_positions(pass, &r, s->center, s->q, index, at3);
        store_directions(pass, &r, index, at3, at4);
    }
    of->count = 0;
}

static void smooth_blocks(const lmbi_mush_pass *pass, uint32_t block_begin, uint32_t block_end)
{
    batch steps = {.count = 0}; // unused steps of a batch are computed, too
    for (uint32_t b = block_begin; b < block_end; ++b) {
        const lmbi_mush_block *block = &pass->mush->blocks[b];
        // Padding lanes repeat a vertex of the same step, which is read before any is written.
        for (uint32_t lane = 0; lane < block->count; lane += LMBI_LANES) {
            if (block->joint_count == 1) {
                store_rigid(pass, b, lane);
                continue;
            }
            begin_step(pass, &steps, b, lane);
            if (steps.count == BATCH) {
                finish_steps(pass, &steps);
            }
        }
    }
    finish_steps(pass, &steps);
}

LMBI_ALSO_FUSED
const lmbi_mush_kernels LMBI_TABLE(lmbi_mush) = {smooth_blocks};
