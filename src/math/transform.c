#include <math.h>
#include <string.h>

#include "limber/math.h"

lmb_transform lmb_transform_mul(lmb_transform a, lmb_transform b)
{
    lmb_transform out;
    out.translation = lmb_transform_point(a, b.translation);
    out.rotation = lmb_quat_normalize(lmb_quat_mul(a.rotation, b.rotation));
    out.scale = lmb_vec3_mul(a.scale, b.scale);
    return out;
}

lmb_mat4 lmb_mat4_identity(void)
{
    const lmb_mat4 a = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    return a;
}

static void set_column(lmb_mat4 *a, int column, lmb_vec3 v, float w)
{
    a->m[4 * column] = v.x;
    a->m[4 * column + 1] = v.y;
    a->m[4 * column + 2] = v.z;
    a->m[4 * column + 3] = w;
}

static lmb_vec3 column_of(const lmb_mat4 *a, int column)
{
    return lmb_vec3_make(a->m[4 * column], a->m[4 * column + 1], a->m[4 * column + 2]);
}

lmb_mat4 lmb_mat4_from_transform(lmb_transform t)
{
    const lmb_quat q = t.rotation;
    const float x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const float xx = q.x * x2, xy = q.x * y2, xz = q.x * z2;
    const float yy = q.y * y2, yz = q.y * z2, zz = q.z * z2;
    const float wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    lmb_mat4 a;
    set_column(&a, 0, lmb_vec3_scale(lmb_vec3_make(1 - (yy + zz), xy + wz, xz - wy), t.scale.x), 0);
    set_column(&a, 1, lmb_vec3_scale(lmb_vec3_make(xy - wz, 1 - (xx + zz), yz + wx), t.scale.y), 0);
    set_column(&a, 2, lmb_vec3_scale(lmb_vec3_make(xz + wy, yz - wx, 1 - (xx + yy)), t.scale.z), 0);
    set_column(&a, 3, t.translation, 1);
    return a;
}

lmb_mat4 lmb_mat4_mul(lmb_mat4 a, lmb_mat4 b)
{
    lmb_mat4 out;
    for (int c = 0; c < 4; ++c) {
        for (int r = 0; r < 4; ++r) {
            out.m[4 * c + r] = a.m[r] * b.m[4 * c] + a.m[4 + r] * b.m[4 * c + 1] +
                               a.m[8 + r] * b.m[4 * c + 2] + a.m[12 + r] * b.m[4 * c + 3];
        }
    }
    return out;
}

lmb_vec3 lmb_mat4_vector(lmb_mat4 a, lmb_vec3 v)
{
    return lmb_vec3_make(a.m[0] * v.x + a.m[4] * v.y + a.m[8] * v.z,
                         a.m[1] * v.x + a.m[5] * v.y + a.m[9] * v.z,
                         a.m[2] * v.x + a.m[6] * v.y + a.m[10] * v.z);
}

lmb_vec3 lmb_mat4_point(lmb_mat4 a, lmb_vec3 p)
{
    return lmb_vec3_add(lmb_mat4_vector(a, p), lmb_mat4_translation(a));
}

bool lmb_mat4_inverse_affine(lmb_mat4 a, lmb_mat4 *out)
{
    *out = lmb_mat4_identity();
    // Adjugate over determinant in double: the determinant of scales of 1e-3 is 1e-9, too small
    // for float's precision.
    const double m00 = (double)a.m[0], m10 = (double)a.m[1], m20 = (double)a.m[2];
    const double m01 = (double)a.m[4], m11 = (double)a.m[5], m21 = (double)a.m[6];
    const double m02 = (double)a.m[8], m12 = (double)a.m[9], m22 = (double)a.m[10];
    const double c00 = m11 * m22 - m12 * m21, c01 = m12 * m20 - m10 * m22,
                 c02 = m10 * m21 - m11 * m20;
    const double det = m00 * c00 + m01 * c01 + m02 * c02;
    const double inv = 1.0 / det;
    if (!(fabs(det) > 0) || !isfinite(inv)) {
        return false;
    }
    // The inverse by columns: column c holds the cofactors of row c.
    const double r[9] = {c00 * inv,
                         c01 * inv,
                         c02 * inv,
                         (m02 * m21 - m01 * m22) * inv,
                         (m00 * m22 - m02 * m20) * inv,
                         (m01 * m20 - m00 * m21) * inv,
                         (m01 * m12 - m02 * m11) * inv,
                         (m02 * m10 - m00 * m12) * inv,
                         (m00 * m11 - m01 * m10) * inv};
    const double t[3] = {(double)a.m[12], (double)a.m[13], (double)a.m[14]};
    for (int c = 0; c < 3; ++c) {
        for (int row = 0; row < 3; ++row) {
            out->m[4 * c + row] = (float)r[3 * c + row];
        }
    }
    for (int row = 0; row < 3; ++row) {
        out->m[12 + row] = (float)-(r[row] * t[0] + r[3 + row] * t[1] + r[6 + row] * t[2]);
    }
    return true;
}

/// Unit columns of the linear part. Columns of zero scale are completed from the others.
static void orthonormal_columns(lmb_vec3 x, lmb_vec3 y, lmb_vec3 z, lmb_vec3 axes[3])
{
    const lmb_vec3 zero = {0, 0, 0};
    axes[0] = lmb_vec3_normalize_or(x, zero);
    if (lmb_vec3_dot(axes[0], axes[0]) < 0.5f) {
        axes[0] = lmb_vec3_normalize_or(
            lmb_vec3_cross(y, z),
            lmb_vec3_any_perpendicular(lmb_vec3_normalize_or(y, lmb_vec3_make(0, 1, 0))));
    }
    const lmb_vec3 flat = lmb_vec3_mad(y, axes[0], -lmb_vec3_dot(y, axes[0]));
    axes[1] = lmb_vec3_normalize_or(flat, zero);
    if (lmb_vec3_dot(axes[1], axes[1]) < 0.5f) {
        axes[1] =
            lmb_vec3_normalize_or(lmb_vec3_cross(z, axes[0]), lmb_vec3_any_perpendicular(axes[0]));
    }
    axes[2] = lmb_vec3_cross(axes[0], axes[1]);
}

static float cosine(lmb_vec3 a, lmb_vec3 b)
{
    const float lengths = lmb_vec3_length(a) * lmb_vec3_length(b);
    return lengths > 0 ? fabsf(lmb_vec3_dot(a, b)) / lengths : 0;
}

float lmb_mat4_decompose(lmb_mat4 a, lmb_transform *out)
{
    lmb_vec3 x = column_of(&a, 0), y = column_of(&a, 1), z = column_of(&a, 2);
    const bool mirrored = lmb_vec3_dot(lmb_vec3_cross(x, y), z) < 0;
    const float shear = fmaxf(cosine(x, y), fmaxf(cosine(y, z), cosine(z, x)));
    out->translation = lmb_mat4_translation(a);
    out->scale = lmb_vec3_make(lmb_vec3_length(x), lmb_vec3_length(y), lmb_vec3_length(z));
    if (mirrored) {
        x = lmb_vec3_neg(x);
        out->scale.x = -out->scale.x;
    }
    lmb_vec3 axes[3];
    orthonormal_columns(x, y, z, axes);
    out->rotation = lmb_quat_from_axes(axes[0], axes[1], axes[2]);
    return shear;
}
