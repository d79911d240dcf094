// The steps of math/sin_cos.h in double lanes, half as many as there are of single precision.
#include "io/euler_kernels.h"
#include "simd/wide.h"

#if LMBI_LANES == 1
#define HALF 1
#else
#define HALF (LMBI_LANES / 2)
#endif

typedef double pair __attribute__((vector_size(8 * HALF)));
typedef uint64_t pair_int __attribute__((vector_size(8 * HALF)));
typedef float half __attribute__((vector_size(4 * HALF)));

LMBI_WIDE pair splat(double x)
{
#if HALF == 1
    return (pair){x};
#else
    return x - (pair){0};
#endif
}

LMBI_WIDE pair sin_small(pair x)
{
    const pair z = x * x;
    pair p = splat(-1.0 / 1307674368000.0);
    p = p * z + splat(1.0 / 6227020800.0);
    p = p * z - splat(1.0 / 39916800.0);
    p = p * z + splat(1.0 / 362880.0);
    p = p * z - splat(1.0 / 5040.0);
    p = p * z + splat(1.0 / 120.0);
    p = p * z - splat(1.0 / 6.0);
    return x + x * z * p;
}

LMBI_WIDE pair cos_small(pair x)
{
    const pair z = x * x;
    pair p = splat(1.0 / 20922789888000.0);
    p = p * z - splat(1.0 / 87178291200.0);
    p = p * z + splat(1.0 / 479001600.0);
    p = p * z - splat(1.0 / 3628800.0);
    p = p * z + splat(1.0 / 40320.0);
    p = p * z - splat(1.0 / 720.0);
    p = p * z + splat(1.0 / 24.0);
    p = p * z - splat(0.5);
    return splat(1.0) + z * p;
}

LMBI_WIDE pair pick(pair_int mask, pair a, pair b)
{
    return (pair)(((pair_int)a & mask) | ((pair_int)b & ~mask));
}

LMBI_WIDE void half_turn(const float *degrees, float *sine, float *cosine)
{
    // Added, it leaves a whole number in the lowest bits: 1.5 * 2^52.
    const pair shift = splat(6755399441055744.0);
    const pair_int one = (pair_int){0} + 1, two = one + one;
    half angle;
    memcpy(&angle, degrees, sizeof angle);
    const pair wanted = __builtin_convertvector(angle, pair) / splat(2.0);
    const half radians = __builtin_convertvector(wanted / splat(57.29577951308232), half);
    const pair x = __builtin_convertvector(radians, pair);
    // lmbi_reduce: the floor by rounding, and one less where that went up.
    const pair turns = x / splat(1.57079632679489661923) + splat(0.5);
    const pair nearest = (turns + shift) - shift;
    const pair whole = nearest - (pair)((pair_int)splat(1.0) & (pair_int)(nearest > turns));
    const pair_int quarter = (pair_int)(whole + shift);
    const pair r =
        (x - whole * splat(1.57079632673412561417)) - whole * splat(6.07710050650619224932e-11);
    const pair s = sin_small(r), c = cos_small(r);
    const pair_int odd = -(quarter & one);
    const pair_int up = (quarter & two) << 62, along = ((quarter + one) & two) << 62;
    const pair sines = (pair)((pair_int)pick(odd, c, s) ^ up);
    const pair cosines = (pair)((pair_int)pick(odd, s, c) ^ along);
    const half rounded_sines = __builtin_convertvector(sines, half);
    const half rounded_cosines = __builtin_convertvector(cosines, half);
    memcpy(sine, &rounded_sines, sizeof rounded_sines);
    memcpy(cosine, &rounded_cosines, sizeof rounded_cosines);
}

static void half_turns(const float *degrees, float *sine, float *cosine, size_t count)
{
    for (size_t k = 0; k < count; k += HALF) {
        half_turn(degrees + k, sine + k, cosine + k);
    }
}

const lmbi_euler_kernels LMBI_TABLE(lmbi_euler) = {half_turns};
