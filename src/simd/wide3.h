/// Vectors of three over lanes. For kernel bodies only.
#ifndef SIMD_WIDE3_H
#define SIMD_WIDE3_H

#include "simd/wide.h"

typedef struct wide3 {
    lmbi_wide x, y, z;
} wide3;

LMBI_WIDE wide3 add(wide3 a, wide3 b)
{
    return (wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

LMBI_WIDE wide3 scale(wide3 a, lmbi_wide s)
{
    return (wide3){a.x * s, a.y * s, a.z * s};
}

LMBI_WIDE lmbi_wide dot(wide3 a, wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LMBI_WIDE wide3 cross(wide3 a, wide3 b)
{
    return (wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// By an inverse root with the bits of a division.
LMBI_WIDE wide3 unit_of(wide3 v)
{
    return scale(v, lmbi_wide_inverse_root(dot(v, v)));
}

#endif
