/// A second decoder of compressed clips, in double precision, written from the description of the
/// words in src/anim/packed.h and sharing no code with the first; and forward kinematics in double,
/// to measure what an error is at the skin.
#ifndef TESTS_DOUBLE_DECODER_H
#define TESTS_DOUBLE_DECODER_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limber/anim.h"

typedef struct double_joint {
    double t[3], q[4], s[3];
} double_joint;

static inline double word_float(uint32_t word)
{
    float f;
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

static inline double half_value(unsigned half)
{
    const int exponent = (int)(half >> 10 & 31u);
    const double size = exponent == 0 ? 0 : ldexp(1 + (double)(half & 1023u) / 1024, exponent - 15);
    return half & 0x8000u ? -size : size;
}

static inline double step_value(unsigned byte)
{
    return ldexp(1 + (double)(byte & 7u) / 8, (int)(byte >> 3) - 26);
}

static inline uint32_t lane_number(const uint32_t *stream, unsigned lane, uint32_t index,
                                   uint32_t width)
{
    uint32_t value = 0;
    for (uint32_t bit = 0; bit < width; ++bit) {
        const uint32_t at = index * width + bit;
        value |= (stream[(at / 32) * 8 + lane] >> (at % 32) & 1u) << bit;
    }
    return value;
}

static inline double spline_weight(int k, double u)
{
    const double r = 1 - u;
    return k == 0   ? r * r * r / 6
           : k == 1 ? (3 * u * u * u - 6 * u * u + 4) / 6
           : k == 2 ? (3 * r * r * r - 6 * r * r + 4) / 6
                    : u * u * u / 6;
}

/// The slots of a bank at sample `index` of a segment.
static inline void decode_slots(const uint32_t *segment, uint32_t intervals, uint32_t index,
                                double slots[256])
{
    const uint32_t blocks = segment[0] & 0xffffu, log2 = segment[0] >> 16 & 7u,
                   spacing = 1u << log2;
    const uint32_t coarse_count = (intervals + spacing - 1) / spacing + 3;
    for (uint32_t b = 0; b < blocks; ++b) {
        const uint32_t word = segment[1 + b], coarse = word >> 22 & 31u, fine = word >> 27;
        const uint8_t *head = (const uint8_t *)(segment + 1 + blocks + 10 * b);
        const uint32_t *numbers = segment + (word & 0x3fffffu);
        const uint32_t *fines = numbers + 8 * ((coarse_count * coarse + 31) / 32);
        for (unsigned lane = 0; lane < 8; ++lane) {
            double value = half_value(head[2 * lane] | (unsigned)head[2 * lane + 1] << 8);
            uint32_t knot = index / spacing;
            double u = (double)(index % spacing) / spacing;
            if (knot + 3 >= coarse_count) {
                --knot;
                u += 1;
            }
            for (int k = 0; coarse > 0 && k < 4; ++k) {
                value += step_value(head[24 + lane]) * spline_weight(k, u) *
                         lane_number(numbers, lane, knot + (uint32_t)k, coarse);
            }
            value += step_value(head[16 + lane]) * lane_number(fines, lane, index, fine);
            slots[head[32 + lane]] = value;
        }
    }
}

static inline void double_slerp(const double *a, const double *b, double u, double *out)
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = dot < 0 ? -1 : 1, angle = acos(fmin(1, fabs(dot)));
    const double of_a = angle < 1e-8 ? 1 - u : sin((1 - u) * angle) / sin(angle);
    const double of_b = sign * (angle < 1e-8 ? u : sin(u * angle) / sin(angle));
    for (int i = 0; i < 4; ++i) {
        out[i] = of_a * a[i] + of_b * b[i];
    }
}

static inline void octet_lane(uint32_t kind, const double *slots, const double *next, uint32_t lane,
                              double u, double_joint *joint)
{
    double v[2][3], q[2][4];
    for (int m = 0; m < 2; ++m) {
        const double *from = m == 0 ? slots : next;
        double s = 0;
        for (int c = 0; c < 3; ++c) {
            v[m][c] = from[8 * c + (int)lane];
            s += v[m][c] * v[m][c];
        }
        for (int c = 0; c < 3; ++c) {
            q[m][c] = 2 * v[m][c] / (1 + s);
        }
        q[m][3] = (1 - s) / (1 + s);
    }
    if (kind == 0) {
        double_slerp(q[0], q[1], u, joint->q);
    } else {
        for (int c = 0; c < 3; ++c) {
            *(kind == 1 ? &joint->t[c] : &joint->s[c]) = v[0][c] + (v[1][c] - v[0][c]) * u;
        }
    }
}

/// The pose at `at` samples from the start (not necessarily a whole number). Weights and exact
/// channels are not decoded.
static inline void double_decode(const uint32_t *w, const lmb_skeleton *skeleton, double at,
                                 double_joint *pose)
{
    const uint32_t joints = w[1], runs = w[2], samples = w[3], log2 = w[4], segments = w[5],
                   banks = w[10], stills = w[11];
    for (uint32_t j = 0; j < joints; ++j) {
        const lmb_transform *r = &skeleton->rest[j];
        pose[j] = (double_joint){
            {(double)r->translation.x, (double)r->translation.y, (double)r->translation.z},
            {(double)r->rotation.x, (double)r->rotation.y, (double)r->rotation.z,
             (double)r->rotation.w},
            {(double)r->scale.x, (double)r->scale.y, (double)r->scale.z}};
    }
    const uint32_t *c = w + 13 + 2 * (size_t)runs + w[12];
    for (uint32_t k = 0; k < stills; ++k) {
        const uint32_t kind = *c >> 24, item = *c++ & 0xffffffu,
                       width = kind == 0   ? 4
                               : kind == 3 ? 1
                                           : 3;
        double *to = kind == 0 ? pose[item].q : kind == 1 ? pose[item].t : pose[item].s;
        for (uint32_t i = 0; i < width; ++i, ++c) {
            if (kind < 3) {
                to[i] = word_float(*c);
            }
        }
    }
    uint32_t sample = at < samples - 1 ? (uint32_t)at : samples >= 2 ? samples - 2 : 0;
    const uint32_t segment = sample >> log2, index = sample - (segment << log2);
    const uint32_t left = samples - 1 - (segment << log2), full = 1u << log2,
                   intervals = left < full ? left : full;
    for (uint32_t b = 0; b < banks; ++b) {
        const uint32_t octets = *c++, *octet[16];
        for (uint32_t o = 0; o < octets; ++o) {
            octet[o] = c;
            const uint32_t items = (*c & 255u) == 3 ? 1 : *c >> 8 & 255u;
            c += 1 + (items + 1) / 2;
        }
        double slots[2][256] = {{0}};
        for (uint32_t f = *c++; f > 0; --f, c += 2) {
            slots[0][c[0]] = slots[1][c[0]] = word_float(c[1]);
        }
        const uint32_t *offsets = c, *words = c + segments + 1;
        c = words + offsets[segments];
        if (segments == 0) {
            continue;
        }
        decode_slots(words + offsets[segment], intervals, index, slots[0]);
        decode_slots(words + offsets[segment], intervals, index + 1, slots[1]);
        for (uint32_t o = 0; o < octets; ++o) {
            const uint32_t kind = *octet[o] & 255u, count = *octet[o] >> 8 & 255u;
            for (uint32_t i = 0; kind < 3 && i < count; ++i) {
                const uint32_t joint = octet[o][1 + i / 2] >> 16 * (i & 1) & 0xffffu;
                octet_lane(kind, slots[0] + 24 * o, slots[1] + 24 * o, i, at - sample,
                           &pose[joint]);
            }
        }
    }
}

// ---- model space

typedef struct double_affine {
    double m[9], t[3]; ///< columns
} double_affine;

static inline double_joint joint_of(const lmb_transform *t)
{
    return (double_joint){
        {(double)t->translation.x, (double)t->translation.y, (double)t->translation.z},
        {(double)t->rotation.x, (double)t->rotation.y, (double)t->rotation.z,
         (double)t->rotation.w},
        {(double)t->scale.x, (double)t->scale.y, (double)t->scale.z}};
}

static inline void to_model(const lmb_skeleton *skeleton, const double_joint *pose,
                            double_affine *out)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const double *q = pose[j].q, x = q[0], y = q[1], z = q[2], w = q[3];
        const double r[9] = {
            1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
            2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
            2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
        double_affine local;
        for (int i = 0; i < 9; ++i) {
            local.m[i] = r[i] * pose[j].s[i / 3];
        }
        memcpy(local.t, pose[j].t, sizeof local.t);
        if (skeleton->parents[j] == LMB_NONE) {
            out[j] = local;
            continue;
        }
        const double_affine *p = &out[skeleton->parents[j]];
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                out[j].m[3 * column + row] = p->m[row] * local.m[3 * column] +
                                             p->m[3 + row] * local.m[3 * column + 1] +
                                             p->m[6 + row] * local.m[3 * column + 2];
            }
            out[j].t[row] = p->t[row] + p->m[row] * local.t[0] + p->m[3 + row] * local.t[1] +
                            p->m[6 + row] * local.t[2];
        }
    }
}

/// The largest distance between points in the shell of a joint: six on the axes and eight on the
/// diagonals.
static inline double shell_error(const double_affine *a, const double_affine *b, double reach)
{
    double most = 0;
    for (int k = 0; k < 14; ++k) {
        double e[3] = {0, 0, 0};
        if (k < 6) {
            e[k / 2] = k % 2 ? -1 : 1;
        } else {
            for (int i = 0; i < 3; ++i) {
                e[i] = ((k - 6) >> i & 1 ? -1 : 1) / sqrt(3.0);
            }
        }
        double square = 0;
        for (int row = 0; row < 3; ++row) {
            double d = a->t[row] - b->t[row];
            for (int i = 0; i < 3; ++i) {
                d += (a->m[3 * i + row] - b->m[3 * i + row]) * e[i] * reach;
            }
            square += d * d;
        }
        most = fmax(most, sqrt(square));
    }
    return most;
}

#endif
