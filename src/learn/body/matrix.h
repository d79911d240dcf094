/// 3x3 matrices by rows, in double precision.
#ifndef LEARN_BODY_MATRIX_H
#define LEARN_BODY_MATRIX_H

#include <math.h>

#include "math/double.h"

static inline void lmbi_m3_mul(const double *a, const double *b, double *out)
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
        }
    }
}
/// a^T b
static inline void lmbi_m3_transpose_mul(const double *a, const double *b, double *out)
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = a[r] * b[c] + a[3 + r] * b[3 + c] + a[6 + r] * b[6 + c];
        }
    }
}
/// a b^T
static inline void lmbi_m3_mul_transpose(const double *a, const double *b, double *out)
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] =
                a[3 * r] * b[3 * c] + a[3 * r + 1] * b[3 * c + 1] + a[3 * r + 2] * b[3 * c + 2];
        }
    }
}
static inline void lmbi_m3_point(const double *a, const double *p, double *out)
{
    for (int r = 0; r < 3; ++r) {
        out[r] = a[3 * r] * p[0] + a[3 * r + 1] * p[1] + a[3 * r + 2] * p[2];
    }
}
/// a^T p
static inline void lmbi_m3_transpose_point(const double *a, const double *p, double *out)
{
    for (int r = 0; r < 3; ++r) {
        out[r] = a[r] * p[0] + a[3 + r] * p[1] + a[6 + r] * p[2];
    }
}
/// The inverse, by cofactors, of a matrix that has one.
static inline void lmbi_m3_invert(const double *a, double *out)
{
    const double c[9] = {
        a[4] * a[8] - a[5] * a[7], a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4],
        a[5] * a[6] - a[3] * a[8], a[0] * a[8] - a[2] * a[6], a[2] * a[3] - a[0] * a[5],
        a[3] * a[7] - a[4] * a[6], a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3]};
    const double determinant = a[0] * c[0] + a[1] * c[3] + a[2] * c[6];
    for (int k = 0; k < 9; ++k) {
        out[k] = c[k] / determinant;
    }
}

/// The rotation by the length of v about v (Rodrigues' formula).
static inline void lmbi_m3_rotation_by(const double *v, double *out)
{
    const double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double s = angle > 1e-9 ? lmbi_sin(angle) / angle : 1;
    const double c = angle > 1e-9 ? (1 - lmbi_cos(angle)) / (angle * angle) : 0.5;
    const double k[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
    double square[9];
    lmbi_m3_mul(k, k, square);
    for (int i = 0; i < 9; ++i) {
        out[i] = (i % 4 == 0) + s * k[i] + c * square[i];
    }
}

/// Axis times angle of a rotation, the angle from 0 to pi.
static inline void lmbi_m3_rotation_vector(const double *r, double *out)
{
    const double axis[3] = {r[7] - r[5], r[2] - r[6], r[3] - r[1]};
    const double twice_sine = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const double angle = lmbi_atan2(twice_sine, r[0] + r[4] + r[8] - 1);
    // At 180 degrees r = 2 a a^T - I: the axis is the column of the greatest diagonal entry.
    const int k = r[0] >= r[4] && r[0] >= r[8] ? 0 : r[4] >= r[8] ? 1 : 2;
    const double half_turn = angle / sqrt(2 * fmax(r[4 * k] + 1, 1e-9));
    for (int c = 0; c < 3; ++c) {
        out[c] = twice_sine > 1e-6 ? angle / twice_sine * axis[c]
                 : angle < 1       ? 0.5 * axis[c]
                                   : half_turn * (r[3 * c + k] + (c == k));
    }
}

#endif
