/// A vector of four floats for one item: a position, a rotation or a column. For loops that process
/// one vertex at a time; in wide.h each lane is an item of its own.
#ifndef SIMD_FOUR_H
#define SIMD_FOUR_H

#include <stdint.h>
#include <string.h>

#include "limber/math.h"

typedef float lmbi_four __attribute__((vector_size(16)));
typedef int32_t lmbi_four_bits __attribute__((vector_size(16)));

static inline lmbi_four lmbi_four_load(const void *from)
{
    lmbi_four v;
    memcpy(&v, from, sizeof(v));
    return v;
}

static inline lmbi_four lmbi_four_of(lmb_vec3 v)
{
    return (lmbi_four){v.x, v.y, v.z, 0};
}

static inline lmb_vec3 lmbi_four_vec3(lmbi_four v)
{
    return (lmb_vec3){v[0], v[1], v[2]};
}

/// y z x w
static inline lmbi_four lmbi_four_cyclic(lmbi_four v)
{
    return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}

/// Cross product of x, y, z as (a b.yzx - a.yzx b).yzx; w is 0.
static inline lmbi_four lmbi_four_cross(lmbi_four a, lmbi_four b)
{
    return lmbi_four_cyclic(a * lmbi_four_cyclic(b) - lmbi_four_cyclic(a) * b);
}

/// Dot product of x, y, z.
static inline float lmbi_four_dot3(lmbi_four a, lmbi_four b)
{
    const lmbi_four p = a * b;
    return p[0] + p[1] + p[2];
}

static inline float lmbi_four_dot4(lmbi_four a, lmbi_four b)
{
    const lmbi_four p = a * b;
    return p[0] + p[1] + p[2] + p[3];
}

#endif
