#include "io/euler.h"

#include <math.h>

#include "io/euler_kernels.h"
#include "math/sin_cos.h"

#define DEGREES 57.29577951308232

/// Element (r, c) of the rotation matrix, in double: near the poles the error of single precision
/// is visible.
static double element(lmb_quat q, int r, int c)
{
    const double v[3] = {(double)q.x, (double)q.y, (double)q.z}, w = (double)q.w;
    const double n = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + w * w;
    if (r == c) {
        return 2 * (v[r] * v[r] + w * w) / n - 1;
    }
    const int other = 3 - r - c;
    const double sign = (r + 1) % 3 == c ? -1 : 1;
    return 2 * (v[r] * v[c] + sign * w * v[other]) / n;
}

static double angle_of(double y, double x)
{
    return (double)lmb_atan2((float)y, (float)x) * DEGREES;
}

/// The triple with the middle angle in [-90, 90]. For even orders, e.g. M = Rx Ry Rz: M[0][2] = sin
/// b, M[0][1] = -cos b sin c, M[1][2] = -sin a cos b. Odd orders are the mirror image: every angle
/// is negated.
static void principal_angles(lmb_quat q, const int axis[3], double kept, double out[3])
{
    const double even = (axis[0] + 1) % 3 == axis[1] ? 1 : -1;
    const int i = axis[0], j = axis[1], k = axis[2];
    const double ik = element(q, i, k), ii = element(q, i, i), ij = element(q, i, j);
    const double cos_b = sqrt(ii * ii + ij * ij);
    out[1] = angle_of(even * ik, cos_b);
    if (cos_b > 1e-5) {
        out[0] = angle_of(-even * element(q, j, k), element(q, k, k));
        out[2] = angle_of(-even * ij, ii);
        return;
    }
    // Gimbal lock: only a + c, or a - c, is determined; c keeps its value.
    const double sum = even * angle_of(element(q, j, i), element(q, j, j));
    out[2] = kept;
    out[0] = ik > 0 ? sum - kept : kept - sum;
}

/// The angle plus the multiple of 360 that brings it nearest to `to`.
static double nearest_turn(double angle, double to)
{
    return angle + 360 * floor((to - angle) / 360 + 0.5);
}

/// Sine and cosine of half of an angle in degrees. Angles beyond one revolution are reduced first,
/// in double.
static inline void half_angle_sin_cos(float degrees, float *sine, float *cosine)
{
    double half_degrees = (double)degrees / 2, s, c;
    if (!(fabsf(degrees) <= 360)) {
        half_degrees -= 360 * floor(half_degrees / 360 + 0.5);
    }
    lmbi_sin_cos((double)(float)(half_degrees / DEGREES), &s, &c);
    *sine = (float)s;
    *cosine = (float)c;
}

/// The Hamilton product p * (sin e_axis, cos), written out.
static inline lmb_quat rotated_about(lmb_quat p, int axis, float s, float c)
{
    if (axis == 0) {
        return lmb_quat_make(p.x * c + p.w * s, p.y * c + p.z * s, p.z * c - p.y * s,
                             p.w * c - p.x * s);
    }
    if (axis == 1) {
        return lmb_quat_make(p.x * c - p.z * s, p.y * c + p.w * s, p.z * c + p.x * s,
                             p.w * c - p.y * s);
    }
    return lmb_quat_make(p.x * c + p.y * s, p.y * c - p.x * s, p.z * c + p.w * s,
                         p.w * c - p.z * s);
}

void lmbi_euler_rotate(lmb_quat *q, char axis, float degrees)
{
    float s, c;
    if (degrees < 0 || degrees > 0) {
        half_angle_sin_cos(degrees, &s, &c);
        *q = rotated_about(*q, axis - 'x', s, c);
    }
}

enum { BLOCK = 64 }; ///< angles whose sines are computed at once

typedef struct block {
    float degrees[BLOCK], sine[BLOCK], cosine[BLOCK];
} block;

/// Gathers up to BLOCK angles, with 0 beyond `count`, and their half-angle sines and cosines.
static void fill_block(block *b, const float *degrees, size_t stride, size_t count)
{
    for (size_t k = 0; k < BLOCK; ++k) {
        b->degrees[k] = k < count ? degrees[k * stride] : 0;
    }
    lmbi_euler_pick(LMB_SIMD_BEST)->half_turns(b->degrees, b->sine, b->cosine, BLOCK);
    for (size_t k = 0; k < count; ++k) {
        if (!(fabsf(b->degrees[k]) <= 360)) {
            half_angle_sin_cos(b->degrees[k], &b->sine[k], &b->cosine[k]);
        }
    }
}

/// Rotates about one axis, which is constant so that the loop has no branch. A rotation by 0 leaves
/// the bits unchanged.
static inline void rotate_block(lmb_quat *q, int axis, const block *b, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        const lmb_quat to = rotated_about(q[k], axis, b->sine[k], b->cosine[k]);
        q[k] = b->degrees[k] < 0 || b->degrees[k] > 0 ? to : q[k];
    }
}

void lmbi_euler_rotate_all(lmb_quat *q, char axis, const float *degrees, size_t stride,
                           size_t count)
{
    for (size_t k = 0; k < count; k += BLOCK) {
        const size_t left = count - k < BLOCK ? count - k : BLOCK;
        block b;
        fill_block(&b, degrees + k * stride, stride, left);
        if (axis == 'x') {
            rotate_block(q + k, 0, &b, left);
        } else if (axis == 'y') {
            rotate_block(q + k, 1, &b, left);
        } else {
            rotate_block(q + k, 2, &b, left);
        }
    }
}

void lmbi_euler_degrees(lmb_quat rotation, const char order[3], int used, bool follow,
                        double angles[3])
{
    const int axis[3] = {order[0] - 'x', order[1] - 'x', order[2] - 'x'};
    double a[3], b[3];
    principal_angles(rotation, axis, angles[2], a);
    // The other triple that means the same rotation: (a + 180, 180 - b, c + 180).
    b[0] = a[0] + 180;
    b[1] = 180 - a[1];
    b[2] = a[2] + 180;
    double cost_a = 0, cost_b = 0;
    for (int i = 0; i < 3 && follow; ++i) {
        a[i] = nearest_turn(a[i], angles[i]);
        b[i] = nearest_turn(b[i], angles[i]);
        cost_a += fabs(a[i] - angles[i]);
        cost_b += fabs(b[i] - angles[i]);
    }
    if (used < 3) {
        cost_a = fabs(nearest_turn(a[2], 0));
        cost_b = fabs(nearest_turn(b[2], 0));
    }
    const bool other = cost_b < cost_a - 1e-9;
    for (int i = 0; i < 3; ++i) {
        angles[i] = other ? b[i] : a[i];
        angles[i] = other && !follow ? nearest_turn(angles[i], 0) : angles[i];
    }
}
