/// Vectors, quaternions, transforms and matrices, in single precision, the same bits on every
/// machine:
/// only + - * / and sqrt, in a fixed order, and Limber's own trigonometry.
/// Right-handed, column vectors, column-major matrices (translation in m[12..14]), quaternions x y
/// z w.
#ifndef LIMBER_MATH_H
#define LIMBER_MATH_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_PI 3.14159265358979323846f

typedef struct lmb_vec2 {
    float x, y;
} lmb_vec2;

typedef struct lmb_vec3 {
    float x, y, z;
} lmb_vec3;

typedef struct lmb_vec4 {
    float x, y, z, w;
} lmb_vec4;

/// A rotation; unit length where a rotation is meant. q and -q are the same rotation.
typedef struct lmb_quat {
    float x, y, z, w;
} lmb_quat;

/// Scale, then rotate, then translate: p' = translation + rotation * (scale o p).
typedef struct lmb_transform {
    lmb_vec3 translation;
    lmb_quat rotation;
    lmb_vec3 scale;
} lmb_transform;

/// Column-major: element (row r, column c) is m[4 * c + r].
typedef struct lmb_mat4 {
    float m[16];
} lmb_mat4;

typedef struct lmb_box {
    lmb_vec3 low, high;
} lmb_box;

// ---- trigonometry: deterministic across machines, absolute error below 1e-7 on the principal
// ranges

LMB_API float lmb_sin(float angle_rad);
LMB_API float lmb_cos(float angle_rad);
LMB_API float lmb_tan(float angle_rad);
/// Arguments are clamped to [-1, 1].
LMB_API float lmb_atan2(float y, float x);
LMB_API float lmb_sqrt(float x);
/// e^x; 0 and infinity beyond the range of float.
LMB_API float lmb_exp(float x);
/// Natural logarithm; -infinity at 0, NaN below.
LMB_API float lmb_log(float x);

// ---- vec3

static inline lmb_vec3 lmb_vec3_make(float x, float y, float z)
{
    lmb_vec3 v = {x, y, z};
    return v;
}
static inline lmb_vec3 lmb_vec3_add(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline lmb_vec3 lmb_vec3_sub(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline lmb_vec3 lmb_vec3_mul(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline lmb_vec3 lmb_vec3_scale(lmb_vec3 a, float s)
{
    return lmb_vec3_make(a.x * s, a.y * s, a.z * s);
}
/// a + s * b
static inline lmb_vec3 lmb_vec3_mad(lmb_vec3 a, lmb_vec3 b, float s)
{
    return lmb_vec3_make(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}
static inline lmb_vec3 lmb_vec3_neg(lmb_vec3 a)
{
    return lmb_vec3_make(-a.x, -a.y, -a.z);
}
static inline lmb_vec3 lmb_vec3_lerp(lmb_vec3 a, lmb_vec3 b, float t)
{
    return lmb_vec3_make(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t);
}
static inline float lmb_vec3_dot(lmb_vec3 a, lmb_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline lmb_vec3 lmb_vec3_cross(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
LMB_API float lmb_vec3_length(lmb_vec3 a);
LMB_API float lmb_vec3_distance(lmb_vec3 a, lmb_vec3 b);
/// Unit length, or `fallback` where the length is zero or not finite.
LMB_API lmb_vec3 lmb_vec3_normalize_or(lmb_vec3 a, lmb_vec3 fallback);
/// Some unit vector at right angles to the unit vector a.
LMB_API lmb_vec3 lmb_vec3_any_perpendicular(lmb_vec3 a);
LMB_API bool lmb_vec3_is_finite(lmb_vec3 a);

// ---- quat

static inline lmb_quat lmb_quat_make(float x, float y, float z, float w)
{
    lmb_quat q = {x, y, z, w};
    return q;
}
static inline lmb_quat lmb_quat_identity(void)
{
    return lmb_quat_make(0, 0, 0, 1);
}
static inline lmb_quat lmb_quat_conjugate(lmb_quat q)
{
    return lmb_quat_make(-q.x, -q.y, -q.z, q.w);
}
static inline float lmb_quat_dot(lmb_quat a, lmb_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
/// Hamilton product: rotate by b first, then by a.
LMB_API lmb_quat lmb_quat_mul(lmb_quat a, lmb_quat b);
LMB_API lmb_vec3 lmb_quat_rotate(lmb_quat q, lmb_vec3 v);
/// Unit length; identity where the length is zero or not finite.
LMB_API lmb_quat lmb_quat_normalize(lmb_quat q);
/// `axis` must be unit length.
LMB_API lmb_quat lmb_quat_axis_angle(lmb_vec3 axis, float angle_rad);
/// The shortest rotation that takes unit `from` to unit `to`; half a turn about a perpendicular
/// when opposite.
LMB_API lmb_quat lmb_quat_between(lmb_vec3 from, lmb_vec3 to);
/// Constant-speed interpolation along the shorter arc (Shoemake 1985).
LMB_API lmb_quat lmb_quat_slerp(lmb_quat a, lmb_quat b, float t);
/// Rotation angle in [0, pi] between two rotations.
LMB_API float lmb_quat_angle(lmb_quat a, lmb_quat b);
/// The rotation whose columns are the orthonormal right-handed axes x, y, z (Shepperd 1978).
LMB_API lmb_quat lmb_quat_from_axes(lmb_vec3 x, lmb_vec3 y, lmb_vec3 z);
/// Intrinsic rotations about the axes named by `order`, letters 'x' 'y' 'z' in the order they
/// multiply:
/// "zxy" gives Rz(angle[0]) * Rx(angle[1]) * Ry(angle[2]).
LMB_API lmb_quat lmb_quat_from_euler(const char order[3], const float angles_rad[3]);

// ---- transform

static inline lmb_transform lmb_transform_identity(void)
{
    lmb_transform t = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    return t;
}
static inline lmb_vec3 lmb_transform_point(lmb_transform t, lmb_vec3 p)
{
    return lmb_vec3_add(t.translation, lmb_quat_rotate(t.rotation, lmb_vec3_mul(t.scale, p)));
}
/// a * b without shear: exact when a.scale is uniform or b does not rotate.
LMB_API lmb_transform lmb_transform_mul(lmb_transform a, lmb_transform b);

// ---- mat4

LMB_API lmb_mat4 lmb_mat4_identity(void);
LMB_API lmb_mat4 lmb_mat4_from_transform(lmb_transform t);
LMB_API lmb_mat4 lmb_mat4_mul(lmb_mat4 a, lmb_mat4 b);
/// Inverse of an affine matrix (last row 0 0 0 1). Returns false, and identity, when it is
/// singular.
LMB_API bool lmb_mat4_inverse_affine(lmb_mat4 a, lmb_mat4 *out);
LMB_API lmb_vec3 lmb_mat4_point(lmb_mat4 a, lmb_vec3 p);
/// The linear part alone: directions, not points.
LMB_API lmb_vec3 lmb_mat4_vector(lmb_mat4 a, lmb_vec3 v);
/// Translation, rotation and scale; a negative determinant goes to scale.x. Returns the largest
/// departure from orthogonality of the columns (0 when the matrix has no shear), as a cosine.
LMB_API float lmb_mat4_decompose(lmb_mat4 a, lmb_transform *out);
static inline lmb_vec3 lmb_mat4_translation(lmb_mat4 a)
{
    return lmb_vec3_make(a.m[12], a.m[13], a.m[14]);
}

// ---- box

/// The box that holds nothing: low +infinity, high -infinity.
LMB_API lmb_box lmb_box_empty(void);
LMB_API lmb_box lmb_box_of(const lmb_vec3 *points, size_t count);
LMB_API lmb_box lmb_box_add(lmb_box box, lmb_vec3 p);

#ifdef __cplusplus
}
#endif
#endif
