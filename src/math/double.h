/// Vectors, rotations and elementary functions in double precision, the same bits on every machine.
/// Rigid bodies need it: a sub-step moves a body by micrometres, of which single precision would
/// lose a thousandth, always to the same side.
#ifndef MATH_DOUBLE_H
#define MATH_DOUBLE_H

#include <math.h>

#include "limber/math.h"
#include "math/scalar.h"

// ---- elementary functions, which lmb_sin and the others round to single precision

/// Absolute error below 1e-15 up to 1e6 radians; beyond, sin is 0 and cos 1.
double lmbi_sin(double angle_rad);
double lmbi_cos(double angle_rad);
/// 0 at the origin.
double lmbi_atan2(double y, double x);
/// Relative error below 1e-13.
double lmbi_exp(double x);
/// -infinity at 0, NaN below.
double lmbi_log(double x);

// ---- vectors

typedef struct lmbi_v3 {
    double x, y, z;
} lmbi_v3;

static inline lmbi_v3 lmbi_v3_make(double x, double y, double z)
{
    const lmbi_v3 v = {x, y, z};
    return v;
}
static inline lmbi_v3 lmbi_v3_of(lmb_vec3 v)
{
    return lmbi_v3_make((double)v.x, (double)v.y, (double)v.z);
}
static inline lmb_vec3 lmbi_v3_single(lmbi_v3 v)
{
    return lmb_vec3_make((float)v.x, (float)v.y, (float)v.z);
}
static inline lmbi_v3 lmbi_v3_add(lmbi_v3 a, lmbi_v3 b)
{
    return lmbi_v3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline lmbi_v3 lmbi_v3_sub(lmbi_v3 a, lmbi_v3 b)
{
    return lmbi_v3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline lmbi_v3 lmbi_v3_mul(lmbi_v3 a, lmbi_v3 b)
{
    return lmbi_v3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline lmbi_v3 lmbi_v3_scale(lmbi_v3 a, double s)
{
    return lmbi_v3_make(a.x * s, a.y * s, a.z * s);
}
/// a + s * b
static inline lmbi_v3 lmbi_v3_mad(lmbi_v3 a, lmbi_v3 b, double s)
{
    return lmbi_v3_make(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}
static inline lmbi_v3 lmbi_v3_neg(lmbi_v3 a)
{
    return lmbi_v3_make(-a.x, -a.y, -a.z);
}
static inline lmbi_v3 lmbi_v3_lerp(lmbi_v3 a, lmbi_v3 b, double t)
{
    return lmbi_v3_mad(a, lmbi_v3_sub(b, a), t);
}
static inline double lmbi_v3_dot(lmbi_v3 a, lmbi_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline lmbi_v3 lmbi_v3_cross(lmbi_v3 a, lmbi_v3 b)
{
    return lmbi_v3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double lmbi_v3_length(lmbi_v3 a)
{
    return sqrt(lmbi_v3_dot(a, a));
}

// ---- quaternions

typedef struct lmbi_q4 {
    double x, y, z, w;
} lmbi_q4;

static inline lmbi_q4 lmbi_q4_make(double x, double y, double z, double w)
{
    const lmbi_q4 q = {x, y, z, w};
    return q;
}
static inline lmbi_q4 lmbi_q4_of(lmb_quat q)
{
    return lmbi_q4_make((double)q.x, (double)q.y, (double)q.z, (double)q.w);
}
static inline lmb_quat lmbi_q4_single(lmbi_q4 q)
{
    return lmb_quat_make((float)q.x, (float)q.y, (float)q.z, (float)q.w);
}
static inline lmbi_q4 lmbi_q4_conjugate(lmbi_q4 q)
{
    return lmbi_q4_make(-q.x, -q.y, -q.z, q.w);
}
static inline double lmbi_q4_dot(lmbi_q4 a, lmbi_q4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
static inline lmbi_q4 lmbi_q4_normalize(lmbi_q4 q)
{
    const double s = 1.0 / sqrt(lmbi_q4_dot(q, q));
    return lmbi_q4_make(q.x * s, q.y * s, q.z * s, q.w * s);
}
static inline lmbi_q4 lmbi_q4_mul(lmbi_q4 a, lmbi_q4 b)
{
    return lmbi_q4_make(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}
static inline lmbi_v3 lmbi_q4_rotate(lmbi_q4 q, lmbi_v3 v)
{
    const lmbi_v3 u = {q.x, q.y, q.z};
    const lmbi_v3 t = lmbi_v3_scale(lmbi_v3_cross(u, v), 2.0);
    return lmbi_v3_add(lmbi_v3_mad(v, t, q.w), lmbi_v3_cross(u, t));
}

static inline lmbi_v3 lmbi_q4_unrotate(lmbi_q4 q, lmbi_v3 v)
{
    return lmbi_q4_rotate(lmbi_q4_conjugate(q), v);
}

#endif
