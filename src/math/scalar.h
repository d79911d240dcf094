/// Functions of one number, inlined because libm's fmin and fmax are calls. The suffix f stands for
/// single precision, as in libm.
#ifndef MATH_SCALAR_H
#define MATH_SCALAR_H

#include <stdint.h>
#include <string.h>

static inline double lmbi_min(double a, double b)
{
    return a < b ? a : b;
}
static inline double lmbi_max(double a, double b)
{
    return a > b ? a : b;
}
static inline uint32_t lmbi_min_count(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}
static inline double lmbi_clamp(double x, double low, double high)
{
    return x < low ? low : (x > high ? high : x);
}
static inline float lmbi_clampf(float x, float low, float high)
{
    return x < low ? low : (x > high ? high : x);
}
static inline double lmbi_saturate(double x)
{
    return lmbi_clamp(x, 0, 1);
}
static inline float lmbi_saturatef(float x)
{
    return lmbi_clampf(x, 0, 1);
}

/// How far x exceeds a limit, at least 0.
static inline float lmbi_excessf(float x, float limit)
{
    return x > limit ? x - limit : 0.0f;
}
/// A value of a definition, whose zero stands for the default.
static inline float lmbi_or_default(float value, float fallback)
{
    return value > 0.0f ? value : fallback;
}

/// 0 below 0, 1 above 1, 3x^2 - 2x^3 between.
static inline double lmbi_smoothstep(double x)
{
    const double u = lmbi_saturate(x);
    return u * u * (3 - 2 * u);
}
static inline float lmbi_smoothstepf(float x)
{
    const float u = lmbi_saturatef(x);
    return u * u * (3 - 2 * u);
}

static inline uint32_t lmbi_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static inline float lmbi_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// The value at `fraction` in [0, 1] of the sorted values; 0.5 is the lower median. Reorders them.
float lmbi_quantile(float *values, uint32_t count, float fraction);

#endif
