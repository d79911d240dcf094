/// Transforms and matrices with one joint, or one character, per lane. For kernel bodies of more
/// than one lane.
#ifndef ASSET_MODEL_LANES_H
#define ASSET_MODEL_LANES_H

#include "limber/math.h"
#include "simd/rows.h"

/// Rows of floats `stride` bytes apart, one per lane.
typedef struct lmbi_lane_rows {
    const uint8_t *from;
    size_t stride;
} lmbi_lane_rows;

/// An affine matrix: three columns of rotation and scale, and the translation.
typedef struct lanes_mat {
    lmbi_wide m[12];
} lanes_mat;

/// The nine elements of a rotation and a scale, computed as in lmb_mat4_from_transform.
LMBI_WIDE void rotation_scale_columns(const lmbi_wide q[4], const lmbi_wide s[3], lmbi_wide *m)
{
    const lmbi_wide x2 = q[0] + q[0], y2 = q[1] + q[1], z2 = q[2] + q[2];
    const lmbi_wide xx = q[0] * x2, xy = q[0] * y2, xz = q[0] * z2;
    const lmbi_wide yy = q[1] * y2, yz = q[1] * z2, zz = q[2] * z2;
    const lmbi_wide wx = q[3] * x2, wy = q[3] * y2, wz = q[3] * z2;
    m[0] = (1 - (yy + zz)) * s[0];
    m[1] = (xy + wz) * s[0];
    m[2] = (xz - wy) * s[0];
    m[3] = (xy - wz) * s[1];
    m[4] = (1 - (xx + zz)) * s[1];
    m[5] = (yz + wx) * s[1];
    m[6] = (xz + wy) * s[2];
    m[7] = (yz - wx) * s[2];
    m[8] = (1 - (xx + yy)) * s[2];
}

LMBI_WIDE lmbi_quad quad_at(const lmbi_lane_rows *rows, size_t lane, size_t field)
{
    lmbi_quad q;
    memcpy(&q, rows->from + lane * rows->stride + field * sizeof(float), sizeof(q));
    return q;
}

/// Loads floats field to field + 3 of every row.
LMBI_WIDE void load_four(const lmbi_lane_rows *rows, size_t field, lmbi_wide out[4])
{
    lmbi_wide r[4];
    for (size_t k = 0; k < 4; ++k) {
        lmbi_quad parts[LMBI_LANES / 4];
        for (size_t p = 0; p < LMBI_LANES / 4; ++p) {
            parts[p] = quad_at(rows, k + 4 * p, field);
        }
        r[k] = lmbi_join(parts);
    }
    const lmbi_wide a = LMBI_LOW_PAIRS(r[0], r[1]), b = LMBI_LOW_PAIRS(r[2], r[3]),
                    c = LMBI_HIGH_PAIRS(r[0], r[1]), d = LMBI_HIGH_PAIRS(r[2], r[3]);
    out[0] = LMBI_LOW_HALVES(a, b);
    out[1] = LMBI_HIGH_HALVES(a, b);
    out[2] = LMBI_LOW_HALVES(c, d);
    out[3] = LMBI_HIGH_HALVES(c, d);
}

/// Stores x, y, z and w of every lane as one column of its matrix.
LMBI_WIDE void store_column(lmb_mat4 *to, size_t stride, size_t column, lmbi_wide x, lmbi_wide y,
                            lmbi_wide z, lmbi_wide w)
{
    const lmbi_wide a = LMBI_LOW_PAIRS(x, y), b = LMBI_HIGH_PAIRS(x, y), c = LMBI_LOW_PAIRS(z, w),
                    d = LMBI_HIGH_PAIRS(z, w);
    const lmbi_wide rows[4] = {LMBI_LOW_HALVES(a, c), LMBI_HIGH_HALVES(a, c), LMBI_LOW_HALVES(b, d),
                               LMBI_HIGH_HALVES(b, d)};
    for (size_t p = 0; p < LMBI_LANES / 4; ++p) {
        for (size_t k = 0; k < 4; ++k) {
            const lmbi_quad row = lmbi_quad_of(rows[k], (int)p);
            memcpy(to[(k + 4 * p) * stride].m + 4 * column, &row, sizeof(row));
        }
    }
}

/// Loads transforms, one per lane, as matrices.
LMBI_WIDE void load_transforms(const lmb_transform *from, size_t stride, lanes_mat *out)
{
    // A transform is ten floats: translation, rotation, scale.
    const lmbi_lane_rows rows = {(const uint8_t *)from, stride * sizeof(*from)};
    lmbi_wide t[4], q[4], s[4];
    load_four(&rows, 0, t);
    load_four(&rows, 3, q);
    load_four(&rows, 6, s);
    rotation_scale_columns(q, s + 1, out->m);
    out->m[9] = t[0];
    out->m[10] = t[1];
    out->m[11] = t[2];
}

LMBI_WIDE void store_matrices(const lanes_mat *from, size_t stride, lmb_mat4 *to)
{
    const lmbi_wide zero = lmbi_wide_splat(0);
    store_column(to, stride, 0, from->m[0], from->m[1], from->m[2], zero);
    store_column(to, stride, 1, from->m[3], from->m[4], from->m[5], zero);
    store_column(to, stride, 2, from->m[6], from->m[7], from->m[8], zero);
    store_column(to, stride, 3, from->m[9], from->m[10], from->m[11], lmbi_wide_splat(1));
}

#endif
