/// Functions of the driver language: names, and evaluation of those without state.
#include <math.h>

#include "math/double.h"
#include "procedural/driver.h"
#include "procedural/procedural.h"

static const double pi = 3.14159265358979323846;

const lmbi_driver_function lmbi_driver_functions[] = {
    {"sin", OP_SIN, 1, 1, {0}},
    {"cos", OP_COS, 1, 1, {0}},
    {"tan", OP_TAN, 1, 1, {0}},
    {"asin", OP_ASIN, 1, 1, {0}},
    {"acos", OP_ACOS, 1, 1, {0}},
    {"atan", OP_ATAN, 1, 1, {0}},
    {"atan2", OP_ATAN2, 2, 2, {0}},
    {"sqrt", OP_SQRT, 1, 1, {0}},
    {"hypot", OP_HYPOT, 2, 2, {0}},
    {"exp", OP_EXP, 1, 1, {0}},
    {"log", OP_LOG, 1, 1, {0}},
    {"pow", OP_POW, 2, 2, {0}},
    {"abs", OP_ABS, 1, 1, {0}},
    {"sign", OP_SIGN, 1, 1, {0}},
    {"floor", OP_FLOOR, 1, 1, {0}},
    {"ceil", OP_CEIL, 1, 1, {0}},
    {"round", OP_ROUND, 1, 1, {0}},
    {"fract", OP_FRACT, 1, 1, {0}},
    {"mod", OP_MOD, 2, 2, {0}},
    {"min", OP_MIN, 2, 2, {0}},
    {"max", OP_MAX, 2, 2, {0}},
    {"clamp", OP_CLAMP, 1, 3, {0, 1}},
    {"mix", OP_MIX, 3, 3, {0}},
    {"step", OP_STEP, 2, 2, {0}},
    {"smoothstep", OP_SMOOTHSTEP, 3, 3, {0}},
    {"ease", OP_EASE, 1, 1, {0}},
    {"remap", OP_REMAP, 5, 5, {0}},
    {"saw", OP_SAW, 1, 1, {0}},
    {"tri", OP_TRI, 1, 1, {0}},
    {"pulse", OP_PULSE, 1, 2, {0.5}},
    {"noise", OP_NOISE, 1, 2, {0}},
    {"fbm", OP_FBM, 1, 3, {4, 0}},
    {"random", OP_RANDOM, 1, 2, {0}},
    {"breath", OP_BREATH, 1, 1, {0}},
    {"spring", OP_SPRING, 3, 3, {0}},
    {"lag", OP_LAG, 2, 2, {0}},
    {"integrate", OP_INTEGRATE, 1, 1, {0}},
    {"phase", OP_PHASE, 1, 1, {0}},
    {0},
};

/// Angle reduced to less than one revolution, if it is large.
static double reduce_angle(double x)
{
    return fabs(x) < 1e5 ? x : fmod(x, 2 * pi);
}

static double power(double x, double y)
{
    const double n = floor(y);
    if (n >= y && fabs(y) <= 64) {
        // Integer powers by repeated squaring: exact where the result is.
        double out = 1, factor = x;
        for (int k = (int)fabs(n); k > 0; k >>= 1) {
            out *= (k & 1) ? factor : 1;
            factor *= factor;
        }
        return n < 0 ? 1 / out : out;
    }
    if (!(fabs(x) > 0)) {
        return y > 0 ? 0 : (double)INFINITY;
    }
    const bool odd = n >= y && fmod(fabs(n), 2) >= 1;
    const double magnitude = lmbi_exp(y * lmbi_log(x < 0 && n >= y ? -x : x));
    return x < 0 && odd ? -magnitude : magnitude;
}

static double from_bool(bool value)
{
    return value ? 1 : 0;
}

static bool is_true(double x)
{
    return fabs(x) > 0;
}

static double evaluate_arithmetic(lmbi_driver_op op, const double *a)
{
    switch (op) {
    case OP_ADD:
        return a[0] + a[1];
    case OP_SUB:
        return a[0] - a[1];
    case OP_MUL:
        return a[0] * a[1];
    case OP_DIV:
        return a[0] / a[1];
    case OP_MOD:
        return a[0] - a[1] * floor(a[0] / a[1]);
    case OP_POW:
        return power(a[0], a[1]);
    case OP_NEG:
        return -a[0];
    case OP_NOT:
        return from_bool(!is_true(a[0]));
    case OP_LESS:
        return from_bool(a[0] < a[1]);
    case OP_LESS_EQUAL:
        return from_bool(a[0] <= a[1]);
    case OP_GREATER:
        return from_bool(a[0] > a[1]);
    case OP_GREATER_EQUAL:
        return from_bool(a[0] >= a[1]);
    case OP_EQUAL:
        return from_bool(a[0] >= a[1] && a[0] <= a[1]);
    case OP_NOT_EQUAL:
        return from_bool(a[0] < a[1] || a[0] > a[1]);
    case OP_AND:
        return from_bool(is_true(a[0]) && is_true(a[1]));
    case OP_OR:
        return from_bool(is_true(a[0]) || is_true(a[1]));
    default: // OP_SELECT
        return is_true(a[0]) ? a[1] : a[2];
    }
}

static double evaluate_elementary(lmbi_driver_op op, const double *a)
{
    switch (op) {
    case OP_SIN:
        return lmbi_sin(reduce_angle(a[0]));
    case OP_COS:
        return lmbi_cos(reduce_angle(a[0]));
    case OP_TAN:
        return lmbi_sin(reduce_angle(a[0])) / lmbi_cos(reduce_angle(a[0]));
    case OP_ASIN:
        return lmbi_atan2(a[0], sqrt((1 - a[0]) * (1 + a[0])));
    case OP_ACOS:
        return lmbi_atan2(sqrt((1 - a[0]) * (1 + a[0])), a[0]);
    case OP_ATAN:
        return lmbi_atan2(a[0], 1);
    case OP_ATAN2:
        return lmbi_atan2(a[0], a[1]);
    case OP_SQRT:
        return sqrt(a[0]);
    case OP_HYPOT:
        return sqrt(a[0] * a[0] + a[1] * a[1]);
    case OP_EXP:
        return lmbi_exp(a[0]);
    default: // OP_LOG
        return lmbi_log(a[0]);
    }
}

static double evaluate_shaping(lmbi_driver_op op, const double *a)
{
    const double x = a[0];
    switch (op) {
    case OP_ABS:
        return fabs(x);
    case OP_SIGN:
        return from_bool(x > 0) - from_bool(x < 0);
    case OP_FLOOR:
        return floor(x);
    case OP_CEIL:
        return ceil(x);
    case OP_ROUND:
        return floor(x + 0.5);
    case OP_FRACT:
        return x - floor(x);
    case OP_MIN:
        return x < a[1] ? x : a[1];
    case OP_MAX:
        return x > a[1] ? x : a[1];
    case OP_CLAMP:
        return lmbi_clamp(x, a[1], a[2]);
    case OP_MIX:
        return x + (a[1] - x) * a[2];
    case OP_STEP:
        return from_bool(a[1] >= x);
    case OP_SMOOTHSTEP:
        return lmbi_smoothstep((a[2] - x) / (a[1] - x));
    case OP_EASE: {
        const double u = lmbi_saturate(x);
        return u * u * u * (u * (u * 6 - 15) + 10);
    }
    default: // OP_REMAP
        return a[3] + (a[4] - a[3]) * ((x - a[1]) / (a[2] - a[1]));
    }
}

static uint32_t to_uint32(double x)
{
    return x > 0 && x < 4294967295.0 ? (uint32_t)x : 0;
}

static double evaluate_waves(lmbi_driver_op op, const double *a)
{
    const double u = a[0] - floor(a[0]);
    switch (op) {
    case OP_SAW:
        return 2 * u - 1;
    case OP_TRI:
        return u < 0.5 ? 4 * u - 1 : 3 - 4 * u;
    case OP_PULSE:
        return from_bool(u < a[1]);
    case OP_NOISE:
        return lmb_noise(a[0], 1, to_uint32(a[1]));
    case OP_FBM:
        return lmb_noise(a[0], to_uint32(a[1]), to_uint32(a[2]));
    case OP_RANDOM:
        return lmbi_hash_unit(a[0], to_uint32(a[1]));
    default: // OP_BREATH
        return lmb_breath(a[0]);
    }
}

double lmbi_driver_apply(lmbi_driver_op op, const double *a)
{
    if (op <= OP_SELECT) {
        return evaluate_arithmetic(op, a);
    }
    if (op <= OP_LOG) {
        return evaluate_elementary(op, a);
    }
    return op <= OP_REMAP ? evaluate_shaping(op, a) : evaluate_waves(op, a);
}
