/// Sine and cosine in double precision, from + - * / alone, inline for loops over many angles:
/// Taylor polynomials after range reduction.
#ifndef MATH_SIN_COS_H
#define MATH_SIN_COS_H

#include <math.h>

/// Beyond this, consecutive doubles differ by more than a hundredth of a revolution, and the result would
/// be meaningless.
#define LMBI_LARGEST_ANGLE 1e6

/// sin on [-pi/4, pi/4]: Taylor to x^15, error below 1e-17.
static inline double lmbi_sin_small(double x)
{
    const double z = x * x;
    double p = -1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z - 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    p = p * z - 1.0 / 6.0;
    return x + x * z * p;
}

/// cos on [-pi/4, pi/4]: Taylor to x^16.
static inline double lmbi_cos_small(double x)
{
    const double z = x * x;
    double p = 1.0 / 20922789888000.0;
    p = p * z - 1.0 / 87178291200.0;
    p = p * z + 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    p = p * z + 1.0 / 24.0;
    p = p * z - 0.5;
    return 1.0 + z * p;
}

/// Reduces |x| < lmbi_largest_angle to [-pi/4, pi/4]. `quarter` receives the number of quarter turns
/// subtracted, modulo 4.
static inline double lmbi_reduce(double x, int *quarter)
{
    // Two-part pi/2: the first has 33 bits, so its product with a small integer is exact.
    const double high = 1.57079632673412561417, low = 6.07710050650619224932e-11;
    const double turns = x / 1.57079632679489661923 + 0.5;
    int whole = (int)turns;
    whole -= turns < whole;
    *quarter = whole & 3;
    return (x - whole * high) - whole * low;
}

/// Both at once, with the bits of lmbi_sin and lmbi_cos.
static inline void lmbi_sin_cos(double x, double *sine, double *cosine)
{
    if (!(fabs(x) < LMBI_LARGEST_ANGLE)) {
        *sine = 0;
        *cosine = 1;
        return;
    }
    int quarter = 0;
    const double r = lmbi_reduce(x, &quarter);
    const double s = lmbi_sin_small(r), c = lmbi_cos_small(r);
    const double across = (quarter & 1) ? c : s, along = (quarter & 1) ? s : c;
    *sine = (quarter & 2) ? -across : across;
    *cosine = (quarter == 1 || quarter == 2) ? -along : along;
}

#endif
