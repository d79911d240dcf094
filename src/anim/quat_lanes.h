/// Loads and stores the quaternions of as many joints as there are lanes, with x, y, z and w in one
/// vector each. For kernel bodies only.
#ifndef ANIM_QUAT_LANES_H
#define ANIM_QUAT_LANES_H

#include "limber/math.h"
#include "simd/four.h"
#include "simd/wide.h"

LMBI_WIDE void lmbi_four_store(void *to, lmbi_four v)
{
    memcpy(to, &v, sizeof(v));
}

#if LMBI_LANES == 1

LMBI_WIDE void lmbi_quat_lanes_load(const lmb_transform *from, lmbi_wide q[4])
{
    q[0] = lmbi_wide_splat(from->rotation.x);
    q[1] = lmbi_wide_splat(from->rotation.y);
    q[2] = lmbi_wide_splat(from->rotation.z);
    q[3] = lmbi_wide_splat(from->rotation.w);
}

LMBI_WIDE void lmbi_quat_lanes_store(lmb_transform *to, const lmbi_wide q[4])
{
    to->rotation = lmb_quat_make(q[0][0], q[1][0], q[2][0], q[3][0]);
}

#else

// Row k holds the quaternions of joints k, k + 4, k + 8 and k + 12, a quarter each, so that
// shuffles stay inside quarters and lane i is joint i.
#if LMBI_LANES == 4
#define ROW(get, k) get(k)
#define IN_QUARTERS(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#define FROM_B 4
#elif LMBI_LANES == 8
// Inserting a half while loading saves a shuffle; a core issues one or two shuffles a cycle.
#define ROW(get, k) \
    (lmbi_wide)     \
        _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)get(k)), (__m128)get((k) + 4), 1)
#define IN_QUARTERS(a, b, i, j, k, l) \
    __builtin_shufflevector(a, b, i, j, k, l, (i) + 4, (j) + 4, (k) + 4, (l) + 4)
#define FROM_B 8
#else
// Inserting a quarter while loading saves a shuffle; a core issues one shuffle a cycle.
#define FILLED(row, get, k, mask) _mm512_mask_broadcast_f32x4(row, mask, (__m128)get(k))
#define ROW(get, k)                                                                              \
    (lmbi_wide)                                                                                  \
        FILLED(FILLED(FILLED(_mm512_castps128_ps512((__m128)get(k)), get, (k) + 4, 0x00f0), get, \
                      (k) + 8, 0x0f00),                                                          \
               get, (k) + 12, 0xf000)
#define IN_QUARTERS(a, b, i, j, k, l)                                                      \
    __builtin_shufflevector(a, b, i, j, k, l, (i) + 4, (j) + 4, (k) + 4, (l) + 4, (i) + 8, \
                            (j) + 8, (k) + 8, (l) + 8, (i) + 12, (j) + 12, (k) + 12, (l) + 12)
#define FROM_B 16
#endif

/// Transposes the 4x4 block of each quarter; its own inverse.
LMBI_WIDE void lmbi_quarters_transpose(lmbi_wide r[4])
{
    const lmbi_wide a = IN_QUARTERS(r[0], r[1], 0, FROM_B + 0, 1, FROM_B + 1);
    const lmbi_wide b = IN_QUARTERS(r[2], r[3], 0, FROM_B + 0, 1, FROM_B + 1);
    const lmbi_wide c = IN_QUARTERS(r[0], r[1], 2, FROM_B + 2, 3, FROM_B + 3);
    const lmbi_wide d = IN_QUARTERS(r[2], r[3], 2, FROM_B + 2, 3, FROM_B + 3);
    r[0] = IN_QUARTERS(a, b, 0, 1, FROM_B + 0, FROM_B + 1);
    r[1] = IN_QUARTERS(a, b, 2, 3, FROM_B + 2, FROM_B + 3);
    r[2] = IN_QUARTERS(c, d, 0, 1, FROM_B + 0, FROM_B + 1);
    r[3] = IN_QUARTERS(c, d, 2, 3, FROM_B + 2, FROM_B + 3);
}

LMBI_WIDE void lmbi_quat_lanes_load(const lmb_transform *from, lmbi_wide q[4])
{
#define GET(k) lmbi_four_load(&from[k].rotation)
    q[0] = ROW(GET, 0);
    q[1] = ROW(GET, 1);
    q[2] = ROW(GET, 2);
    q[3] = ROW(GET, 3);
#undef GET
    lmbi_quarters_transpose(q);
}

#if LMBI_LANES == 8
#define PUT(k, quarter)                                \
    lmbi_four_store(&to[4 * (quarter) + (k)].rotation, \
                    (lmbi_four)_mm256_extractf128_ps((__m256)r[k], quarter))
#elif LMBI_LANES == 16
#define PUT(k, quarter)                                \
    lmbi_four_store(&to[4 * (quarter) + (k)].rotation, \
                    (lmbi_four)_mm512_extractf32x4_ps((__m512)r[k], quarter))
#else
#define PUT(k, quarter)                                                                   \
    lmbi_four_store(&to[4 * (quarter) + (k)].rotation,                                    \
                    __builtin_shufflevector(r[k], r[k], 4 * (quarter), 4 * (quarter) + 1, \
                                            4 * (quarter) + 2, 4 * (quarter) + 3))
#endif

LMBI_WIDE void lmbi_quat_lanes_store(lmb_transform *to, const lmbi_wide q[4])
{
    lmbi_wide r[4] = {q[0], q[1], q[2], q[3]};
    lmbi_quarters_transpose(r);
    PUT(0, 0);
    PUT(1, 0);
    PUT(2, 0);
    PUT(3, 0);
#if LMBI_LANES > 4
    PUT(0, 1);
    PUT(1, 1);
    PUT(2, 1);
    PUT(3, 1);
#endif
#if LMBI_LANES > 8
    PUT(0, 2);
    PUT(1, 2);
    PUT(2, 2);
    PUT(3, 2);
    PUT(0, 3);
    PUT(1, 3);
    PUT(2, 3);
    PUT(3, 3);
#endif
}

#undef PUT
#undef ROW
#undef FILLED
#undef IN_QUARTERS
#undef FROM_B
#endif

#endif
