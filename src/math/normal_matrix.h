/// Points, normals and tangents that a matrix moves, whatever its scale.
#ifndef MATH_NORMAL_MATRIX_H
#define MATH_NORMAL_MATRIX_H

#include <math.h>

#include "limber/math.h"

/// A matrix prepared for normals and tangents: the cofactors of the linear part, which transform
/// normals, and the sign of its determinant.
typedef struct lmbi_normal_matrix {
    lmb_vec3 x, y, z; ///< columns
    float sign;
} lmbi_normal_matrix;

static inline lmb_vec3 lmbi_column(const lmb_mat4 *a, int c)
{
    return lmb_vec3_make(a->m[4 * c], a->m[4 * c + 1], a->m[4 * c + 2]);
}

/// cof(F) = det(F) F^-T; its columns are the cross products of the columns of F. Multiplied by the
/// sign of the determinant, it has the direction of F^-T.
static inline lmbi_normal_matrix lmbi_normal_matrix_of(const lmb_mat4 *a)
{
    const lmb_vec3 x = lmbi_column(a, 0), y = lmbi_column(a, 1), z = lmbi_column(a, 2);
    lmbi_normal_matrix n = {lmb_vec3_cross(y, z), lmb_vec3_cross(z, x), lmb_vec3_cross(x, y), 1.0f};
    n.sign = lmb_vec3_dot(x, n.x) < 0 ? -1.0f : 1.0f;
    return n;
}

static inline lmb_vec3 lmbi_unit(lmb_vec3 v)
{
    const float square = lmb_vec3_dot(v, v);
    return square > 0 ? lmb_vec3_scale(v, 1.0f / sqrtf(square)) : v;
}

static inline lmb_vec3 lmbi_normal(const lmbi_normal_matrix *n, lmb_vec3 v)
{
    const lmb_vec3 sum = lmb_vec3_make(n->x.x * v.x + n->y.x * v.y + n->z.x * v.z,
                                       n->x.y * v.x + n->y.y * v.y + n->z.y * v.z,
                                       n->x.z * v.x + n->y.z * v.y + n->z.z * v.z);
    return lmbi_unit(lmb_vec3_scale(sum, n->sign));
}

static inline lmb_vec3 lmbi_point(const lmb_mat4 *a, lmb_vec3 p)
{
    return lmb_vec3_make(a->m[0] * p.x + a->m[4] * p.y + a->m[8] * p.z + a->m[12],
                         a->m[1] * p.x + a->m[5] * p.y + a->m[9] * p.z + a->m[13],
                         a->m[2] * p.x + a->m[6] * p.y + a->m[10] * p.z + a->m[14]);
}

/// Transforms the tangent, then makes it orthogonal to the new normal (Gram-Schmidt); the normal
/// may be zero.
static inline lmb_vec4 lmbi_tangent(const lmb_mat4 *a, float sign, lmb_vec3 normal, lmb_vec4 t)
{
    const lmb_vec3 moved = lmb_vec3_make(a->m[0] * t.x + a->m[4] * t.y + a->m[8] * t.z,
                                         a->m[1] * t.x + a->m[5] * t.y + a->m[9] * t.z,
                                         a->m[2] * t.x + a->m[6] * t.y + a->m[10] * t.z);
    const lmb_vec3 flat = lmbi_unit(lmb_vec3_mad(moved, normal, -lmb_vec3_dot(moved, normal)));
    const lmb_vec4 out = {flat.x, flat.y, flat.z, t.w * sign};
    return out;
}

#endif
