// Elementary functions from + - * / alone, in double precision, so that every machine gives the
// same float: Taylor polynomials after range reduction, whose error disappears in rounding to float.
#include "math/double.h"
#include "math/math.h"

#include <math.h>
#include <string.h>

#include "limber/math.h"
#include "math/sin_cos.h"

static const double pi = 3.14159265358979323846;
static const double half_pi = 1.57079632679489661923;

double lmbi_sin(double x)
{
    if (!(fabs(x) < LMBI_LARGEST_ANGLE)) {
        return 0;
    }
    int quarter = 0;
    const double r = lmbi_reduce(x, &quarter);
    const double value = (quarter & 1) ? lmbi_cos_small(r) : lmbi_sin_small(r);
    return (quarter & 2) ? -value : value;
}

float lmb_sin(float angle_rad)
{
    return (float)lmbi_sin((double)angle_rad);
}

double lmbi_cos(double x)
{
    if (!(fabs(x) < LMBI_LARGEST_ANGLE)) {
        return 1;
    }
    int quarter = 0;
    const double r = lmbi_reduce(x, &quarter);
    const double value = (quarter & 1) ? lmbi_sin_small(r) : lmbi_cos_small(r);
    return (quarter == 1 || quarter == 2) ? -value : value;
}

float lmb_cos(float angle_rad)
{
    return (float)lmbi_cos((double)angle_rad);
}

float lmb_tan(float angle_rad)
{
    return (float)(lmbi_sin((double)angle_rad) / lmbi_cos((double)angle_rad));
}

/// atan on [-1, 1]: three halvings by atan x = 2 atan(x / (1 + sqrt(1 + x^2))), then Taylor to
/// x^17.
static double atan_unit(double x)
{
    for (int i = 0; i < 3; ++i) {
        x = x / (1.0 + sqrt(1.0 + x * x));
    }
    const double z = x * x;
    double p = 1.0 / 17.0;
    p = 1.0 / 15.0 - p * z;
    p = 1.0 / 13.0 - p * z;
    p = 1.0 / 11.0 - p * z;
    p = 1.0 / 9.0 - p * z;
    p = 1.0 / 7.0 - p * z;
    p = 1.0 / 5.0 - p * z;
    p = 1.0 / 3.0 - p * z;
    return 8.0 * (x - x * z * p);
}

double lmbi_atan2(double y, double x)
{
    const double ax = fabs(x), ay = fabs(y);
    if (!(ax > 0) && !(ay > 0)) {
        return 0;
    }
    double angle = ay <= ax ? atan_unit(ay / ax) : half_pi - atan_unit(ax / ay);
    if (x < 0) {
        angle = pi - angle;
    }
    return y < 0 ? -angle : angle;
}

float lmb_atan2(float y, float x)
{
    return (float)lmbi_atan2((double)y, (double)x);
}

float lmbi_acos(float x)
{
    const double c = x > 1 ? 1 : (x < -1 ? -1 : (double)x);
    return (float)lmbi_atan2(sqrt((1 - c) * (1 + c)), c);
}

float lmbi_asin(float x)
{
    const double s = x > 1 ? 1 : (x < -1 ? -1 : (double)x);
    return (float)lmbi_atan2(s, sqrt((1 - s) * (1 + s)));
}

float lmb_sqrt(float x)
{
    return sqrtf(x);
}

static const double ln2 = 0.69314718055994530942;

static const double inverse_factorials[13] = {
    1,          1,           1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,      1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600};

/// e^x without 2^*power: Taylor's polynomial of a degree in what is left, at most 0.35.
static inline double exp_series(double x, int degree, int *power)
{
    const double n = floor(x * (1 / ln2) + 0.5), r = x - n * ln2;
    double p = inverse_factorials[degree];
    for (int k = degree - 1; k >= 0; --k) {
        p = p * r + inverse_factorials[k];
    }
    *power = (int)n;
    return p;
}

double lmbi_exp(double x)
{
    if (!(x > -746)) {
        return x < 0 ? 0 : x; // below the smallest double, or NaN
    }
    if (x > 710) {
        return (double)INFINITY;
    }
    int power;
    const double p = exp_series(x, 12, &power);
    return ldexp(p, power);
}

float lmb_exp(float x)
{
    if (!(x > -104.0f)) {
        return x < 0 ? 0.0f : x; // below the smallest float, or NaN
    }
    if (x > 89.0f) {
        return INFINITY;
    }
    int power;
    const double p = exp_series((double)x, 8, &power); // more than a float tells
    // No power of two of a float is beyond the normal doubles: without ldexp's call.
    const uint64_t bits = (uint64_t)(1023 + power) << 52;
    double two;
    memcpy(&two, &bits, sizeof two);
    return (float)(p * two);
}

float lmbi_logistic(float x)
{
    return 1 / (1 + lmb_exp(-x));
}

double lmbi_log(double x)
{
    if (!(x > 0)) {
        return x < 0 ? (double)NAN : (x > -1 ? (double)-INFINITY : x);
    }
    if (isinf(x)) {
        return x;
    }
    int exponent = 0;
    double m = frexp(x, &exponent); // in [0.5, 1)
    if (m < 0.70710678118654752440) {
        m *= 2;
        --exponent;
    }
    // ln m = 2 atanh((m - 1) / (m + 1)); |s| <= 0.172, the series to s^17
    const double s = (m - 1) / (m + 1), z = s * s;
    double p = 0;
    for (int k = 17; k >= 1; k -= 2) {
        p = p * z + 1.0 / (double)k;
    }
    return 2 * s * p + (double)exponent * ln2;
}

float lmb_log(float x)
{
    return (float)lmbi_log((double)x);
}
