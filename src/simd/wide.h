/// Vector types for kernel bodies: as many floats as the instruction set has lanes, with C's
/// operators. A comparison gives all ones in lanes where it holds. Lanes are independent, products
/// and sums are not fused, and square root and division are correctly rounded, so a lane has the
/// same bits as scalar code.
///
/// To limit the number of lanes, define LMBI_LANES_AT_MOST (4 or 8) before including this.
#ifndef SIMD_WIDE_H
#define SIMD_WIDE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "simd/kernels.h"

// The build defines one of these, and LMBI_SET.
#if defined(LMBI_SET_AVX512)
#define LMBI_SET_LANES 16
#elif defined(LMBI_SET_AVX2)
#define LMBI_SET_LANES 8
#elif defined(LMBI_SET_SSE2) || defined(LMBI_SET_NEON) || defined(LMBI_SET_WASM)
#define LMBI_SET_LANES 4
#elif defined(LMBI_SET_SCALAR)
#define LMBI_SET_LANES 1
#else
#error "wide.h is for *_kernels.inl, which the build compiles once an instruction set"
#endif

#if defined(LMBI_LANES_AT_MOST) && LMBI_LANES_AT_MOST < LMBI_SET_LANES
#define LMBI_LANES LMBI_LANES_AT_MOST
#else
#define LMBI_LANES LMBI_SET_LANES
#endif

#if defined(LMBI_SET_AVX512) || defined(LMBI_SET_AVX2) || defined(LMBI_SET_SSE2)
#include <immintrin.h>
#elif defined(LMBI_SET_NEON)
#include <arm_neon.h>
#elif defined(LMBI_SET_WASM)
#include <wasm_simd128.h>
#endif

typedef float lmbi_wide __attribute__((vector_size(4 * LMBI_LANES)));
typedef int32_t lmbi_wide_int __attribute__((vector_size(4 * LMBI_LANES)));

/// Always inlined: a call would pass the lanes through memory.
#define LMBI_WIDE static inline __attribute__((always_inline, unused))

LMBI_WIDE lmbi_wide lmbi_wide_load(const float *from)
{
    lmbi_wide v;
    memcpy(&v, from, sizeof(v));
    return v;
}

LMBI_WIDE void lmbi_wide_store(float *to, lmbi_wide v)
{
    memcpy(to, &v, sizeof(v));
}

LMBI_WIDE lmbi_wide_int lmbi_wide_int_load(const int32_t *from)
{
    lmbi_wide_int v;
    memcpy(&v, from, sizeof(v));
    return v;
}

LMBI_WIDE void lmbi_wide_int_store(int32_t *to, lmbi_wide_int v)
{
    memcpy(to, &v, sizeof(v));
}

LMBI_WIDE lmbi_wide lmbi_wide_splat(float x)
{
#if LMBI_LANES == 1
    return (lmbi_wide){x};
#else
    // Subtracting zero keeps every float, -0 and NaN too; adding it would turn -0 to 0.
    return x - (lmbi_wide){0};
#endif
}

LMBI_WIDE lmbi_wide_int lmbi_wide_int_splat(int32_t x)
{
    return x - (lmbi_wide_int){0};
}

/// One byte per lane.
LMBI_WIDE lmbi_wide_int lmbi_wide_int_from_u8(const uint8_t *from)
{
#if LMBI_LANES == 16
    return (lmbi_wide_int)_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)from));
#elif LMBI_LANES == 8
    return (lmbi_wide_int)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)from));
#else
    typedef uint8_t bytes __attribute__((vector_size(LMBI_LANES)));
    bytes v;
    memcpy(&v, from, sizeof(v));
    return __builtin_convertvector(v, lmbi_wide_int);
#endif
}

/// Two bytes per lane.
LMBI_WIDE lmbi_wide_int lmbi_wide_int_from_u16(const uint16_t *from)
{
#if LMBI_LANES == 16
    return (lmbi_wide_int)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)from));
#elif LMBI_LANES == 8
    return (lmbi_wide_int)_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)from));
#else
    typedef uint16_t shorts __attribute__((vector_size(2 * LMBI_LANES)));
    shorts v;
    memcpy(&v, from, sizeof(v));
    return __builtin_convertvector(v, lmbi_wide_int);
#endif
}

/// Reinterprets the bits as the other type.
LMBI_WIDE lmbi_wide_int lmbi_wide_bits(lmbi_wide v)
{
    return (lmbi_wide_int)v;
}

LMBI_WIDE lmbi_wide lmbi_wide_of_bits(lmbi_wide_int v)
{
    return (lmbi_wide)v;
}

LMBI_WIDE lmbi_wide lmbi_wide_from_int(lmbi_wide_int v)
{
    return __builtin_convertvector(v, lmbi_wide);
}

/// Truncates towards zero; the value must be in range.
LMBI_WIDE lmbi_wide_int lmbi_wide_to_int(lmbi_wide v)
{
    return __builtin_convertvector(v, lmbi_wide_int);
}

/// a where the mask holds, b elsewhere.
LMBI_WIDE lmbi_wide lmbi_wide_select(lmbi_wide_int mask, lmbi_wide a, lmbi_wide b)
{
    return (lmbi_wide)(((lmbi_wide_int)a & mask) | ((lmbi_wide_int)b & ~mask));
}

/// a < b ? a : b, so b if either is NaN.
LMBI_WIDE lmbi_wide lmbi_wide_min(lmbi_wide a, lmbi_wide b)
{
#if LMBI_LANES == 16
    return (lmbi_wide)_mm512_min_ps((__m512)a, (__m512)b);
#elif LMBI_LANES == 8
    return (lmbi_wide)_mm256_min_ps((__m256)a, (__m256)b);
#elif LMBI_LANES == 4 && LMBI_SIMD_X86
    return (lmbi_wide)_mm_min_ps((__m128)a, (__m128)b);
#else
    return lmbi_wide_select((lmbi_wide_int)(a < b), a, b);
#endif
}

/// a > b ? a : b, so b if either is NaN.
LMBI_WIDE lmbi_wide lmbi_wide_max(lmbi_wide a, lmbi_wide b)
{
#if LMBI_LANES == 16
    return (lmbi_wide)_mm512_max_ps((__m512)a, (__m512)b);
#elif LMBI_LANES == 8
    return (lmbi_wide)_mm256_max_ps((__m256)a, (__m256)b);
#elif LMBI_LANES == 4 && LMBI_SIMD_X86
    return (lmbi_wide)_mm_max_ps((__m128)a, (__m128)b);
#else
    return lmbi_wide_select((lmbi_wide_int)(a > b), a, b);
#endif
}

LMBI_WIDE lmbi_wide lmbi_wide_abs(lmbi_wide v)
{
    return (lmbi_wide)((lmbi_wide_int)v & INT32_MAX);
}

/// v, negated where the sign bit of s is set.
LMBI_WIDE lmbi_wide lmbi_wide_flip_sign(lmbi_wide v, lmbi_wide s)
{
    return (lmbi_wide)((lmbi_wide_int)v ^ ((lmbi_wide_int)s & INT32_MIN));
}

LMBI_WIDE lmbi_wide lmbi_wide_sqrt(lmbi_wide v)
{
#if LMBI_LANES == 16
    return (lmbi_wide)_mm512_sqrt_ps((__m512)v);
#elif LMBI_LANES == 8
    return (lmbi_wide)_mm256_sqrt_ps((__m256)v);
#elif LMBI_LANES == 4 && LMBI_SIMD_X86
    return (lmbi_wide)_mm_sqrt_ps((__m128)v);
#elif LMBI_LANES == 4 && LMBI_SIMD_NEON
    return (lmbi_wide)vsqrtq_f32((float32x4_t)v);
#elif LMBI_LANES == 4 && LMBI_SIMD_WASM
    return (lmbi_wide)wasm_f32x4_sqrt((v128_t)v);
#else
    return (lmbi_wide){sqrtf(v[0])};
#endif
}

/// 1 / sqrt(x), both operations correctly rounded, so the same on every machine. The divider runs
/// in parallel with the multipliers, which an estimate with Newton steps would keep busy. Large but
/// finite at 0.
LMBI_WIDE lmbi_wide lmbi_wide_inverse_root(lmbi_wide x)
{
    return lmbi_wide_splat(1.0f) / lmbi_wide_sqrt(x + 0x1p-120f);
}

/// Whether any lane of the mask is set. Only for skipping work: results must not depend on it.
LMBI_WIDE int lmbi_wide_any(lmbi_wide_int mask)
{
#if LMBI_LANES == 16
    return _mm512_movepi32_mask((__m512i)mask) != 0;
#elif LMBI_LANES == 8
    return _mm256_movemask_ps((__m256)mask) != 0;
#elif LMBI_LANES == 4 && LMBI_SIMD_X86
    return _mm_movemask_ps((__m128)mask) != 0;
#elif LMBI_LANES == 4 && LMBI_SIMD_NEON
    return vmaxvq_u32((uint32x4_t)mask) != 0;
#elif LMBI_LANES == 4 && LMBI_SIMD_WASM
    return wasm_v128_any_true((v128_t)mask);
#else
    return mask[0] != 0;
#endif
}

/// from[index[lane]] in every lane; the indices must lie in the array.
LMBI_WIDE lmbi_wide lmbi_wide_gather(const float *from, const int32_t *index)
{
    lmbi_wide v = {0};
    for (int lane = 0; lane < LMBI_LANES; ++lane) {
        v[lane] = from[index[lane]];
    }
    return v;
}

#endif
