/// Quaternions in double precision, apart from the library's, to judge it by.
#ifndef TESTS_IK_QUAT64_H
#define TESTS_IK_QUAT64_H

#include "limber/math.h"

#include <math.h>

typedef struct quat64 {
    double x, y, z, w;
} quat64;

static inline quat64 mul64(quat64 a, quat64 b)
{
    return (quat64){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                    a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline quat64 back64(quat64 q)
{
    return (quat64){-q.x, -q.y, -q.z, q.w};
}

static inline quat64 quat64_of(lmb_quat q)
{
    const quat64 d = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    const double s = 1 / sqrt(d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w);
    return (quat64){d.x * s, d.y * s, d.z * s, d.w * s};
}

#endif
