#include "io/fbx/curve.h"

/// The Bezier parameter at which the time is x, both in [0, 1]. x1 and x2 are the handles' times,
/// in [0, 1], so time rises with the parameter: bisection converges, and Newton steps are taken
/// where they stay in its bracket.
static double parameter_at(double x1, double x2, double x)
{
    double low = 0, high = 1, t = x;
    const double a = 3 * x1 - 3 * x2 + 1, b = 3 * x2 - 6 * x1, c = 3 * x1;
    for (int i = 0; i < 40; ++i) {
        const double error = ((a * t + b) * t + c) * t - x;
        if (error <= 1e-14 && error >= -1e-14) {
            break;
        }
        if (error > 0) {
            high = t;
        } else {
            low = t;
        }
        const double slope = (3 * a * t + 2 * b) * t + c;
        const double step = slope > 1e-12 ? t - error / slope : -1;
        t = step > low && step < high ? step : 0.5 * (low + high);
    }
    return t;
}

static double interpolate_keys(const lmbi_fbx_key *a, const lmbi_fbx_key *b, double time_s)
{
    const double span = b->time_s - a->time_s;
    const double x = (time_s - a->time_s) / span;
    switch (a->segment) {
    case LMBI_FBX_HOLD:
        return a->value;
    case LMBI_FBX_HOLD_NEXT:
        return b->value;
    case LMBI_FBX_STRAIGHT:
        return a->value + (b->value - a->value) * x;
    case LMBI_FBX_BEZIER:
        break;
    }
    const double t = parameter_at(lmbi_fbx_clamp01(a->right_dx / span),
                                  lmbi_fbx_clamp01(1 - b->left_dx / span), x);
    const double u = 1 - t;
    const double y1 = a->value + a->right_dy, y2 = b->value - b->left_dy;
    return u * u * u * a->value + 3 * u * u * t * y1 + 3 * u * t * t * y2 + t * t * t * b->value;
}

/// The value between the first and the last key.
static double value_inside(const lmbi_fbx_curve *curve, double time_s, uint32_t *hint)
{
    const lmbi_fbx_key *keys = curve->keys;
    uint32_t low = 0, high = curve->count; // the last key at or before the time is in [low, high)
    if (*hint < curve->count && keys[*hint].time_s <= time_s) {
        // Successive times are mostly a key or two apart: galloping search from the last key.
        low = *hint;
        uint32_t step = 1;
        while (step < high - low && keys[low + step].time_s <= time_s) {
            low += step;
            step *= 2;
        }
        high = step < high - low ? low + step : high;
    }
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (keys[middle].time_s <= time_s) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *hint = low;
    if (low + 1 >= curve->count || time_s <= keys[low].time_s) {
        return keys[low].value;
    }
    return interpolate_keys(&keys[low], &keys[low + 1], time_s);
}

/// The value after the last key (`forward`) or before the first.
static double value_outside(const lmbi_fbx_curve *curve, double time_s, bool forward,
                            uint32_t *hint)
{
    const lmbi_fbx_key *first = &curve->keys[0], *last = &curve->keys[curve->count - 1];
    const lmbi_fbx_key *edge = forward ? last : first;
    const lmbi_fbx_outside mode = forward ? curve->after : curve->before;
    const int64_t rounds = forward ? curve->rounds_after : curve->rounds_before;
    const double beyond = forward ? time_s - last->time_s : first->time_s - time_s;
    const double span = last->time_s - first->time_s;
    if (mode == LMBI_FBX_OUTSIDE_CONSTANT || !(span > 0)) {
        return edge->value;
    }
    if (mode == LMBI_FBX_OUTSIDE_SLOPE) {
        const double dx = forward ? last->left_dx : first->right_dx;
        const double dy = forward ? last->left_dy : first->right_dy;
        const double slope = dx > 0 ? dy / dx : 0;
        return edge->value + (time_s - edge->time_s) * slope;
    }
    double round = beyond / span;
    round = round < 1e15 ? (double)(int64_t)round : 1e15; // complete repetitions before this one
    if (rounds >= 0 && round >= (double)rounds) { // after the last repetition its end value stays
        round = (double)rounds;
        const bool mirrored = rounds % 2 == 1 && mode == LMBI_FBX_OUTSIDE_MIRROR;
        const double end_value = forward    ? mirrored ? first->value : last->value
                                 : mirrored ? last->value
                                            : first->value;
        const double rise =
            mode == LMBI_FBX_OUTSIDE_RELATIVE ? round * (last->value - first->value) : 0;
        return forward ? end_value + rise : end_value - rise;
    }
    const double into = beyond - round * span;
    const bool mirrored = mode == LMBI_FBX_OUTSIDE_MIRROR && (int64_t)round % 2 == 0;
    const bool from_first = forward != mirrored; // which end this repetition begins at
    const double value =
        value_inside(curve, from_first ? first->time_s + into : last->time_s - into, hint);
    if (mode != LMBI_FBX_OUTSIDE_RELATIVE) {
        return value;
    }
    const double rise = (round + 1) * (last->value - first->value);
    return forward ? value + rise : value - rise;
}

double lmbi_fbx_curve_at(const lmbi_fbx_curve *curve, double time_s, uint32_t *hint)
{
    if (time_s > curve->keys[curve->count - 1].time_s) {
        return value_outside(curve, time_s, true, hint);
    }
    if (time_s < curve->keys[0].time_s) {
        return value_outside(curve, time_s, false, hint);
    }
    return value_inside(curve, time_s, hint);
}

static double magnitude(double x)
{
    return x < 0 ? -x : x;
}

static double min_magnitude(double a, double b)
{
    return a < b ? a : b;
}

/// Mean of the chord's slope and of the slopes to both neighbours, weighted by distance in time; the
/// bias shifts it to one side. The constants beyond a bias of 500 reproduce Maya and MotionBuilder.
static double biased_slope(const lmbi_fbx_tangent *t, double chord)
{
    const double left = (t->value - t->previous) / (t->time_s - t->previous_s);
    const double right = (t->next - t->value) / (t->next_s - t->time_s);
    const double fraction = (t->time_s - t->previous_s) / (t->next_s - t->previous_s);
    double slope = 0.5 * chord + 0.5 * (left * (1 - fraction) + right * fraction);
    const double bias_weight = magnitude(t->bias) / 100;
    if (bias_weight <= 1e-4) {
        return slope;
    }
    const double target = t->bias > 0 ? right : left;
    const double towards = target - slope;
    slope = slope * (1 - bias_weight) + target * bias_weight;
    if (bias_weight > 5) {
        const double side = magnitude(towards) > 1e-5 ? towards : t->bias;
        slope += (bias_weight - 5) * (bias_weight - 5) * (side > 0 ? 40 : -40);
    }
    return slope;
}

/// Limits the slope so that the handles do not pass the neighbours' values.
static double progressive_slope(const lmbi_fbx_tangent *t, double slope)
{
    const double sign = slope < 0 ? -1 : 1;
    const double reach_left = t->weight_left * (t->time_s - t->previous_s);
    const double reach_right = t->weight_right * (t->next_s - t->time_s);
    const double left = reach_left > 0 ? sign * (t->value - t->previous) / reach_left : 0;
    const double right = reach_right > 0 ? sign * (t->next - t->value) / reach_right : 0;
    const double most = min_magnitude(left > 0 ? left : 0, right > 0 ? right : 0);
    return sign * min_magnitude(sign * slope, most);
}

double lmbi_fbx_auto_slope(const lmbi_fbx_tangent *t)
{
    if (!(t->time_s > t->previous_s) || !(t->next_s > t->time_s)) {
        return 0;
    }
    if (t->clamp &&
        min_magnitude(magnitude(t->previous - t->value), magnitude(t->next - t->value)) <= 0) {
        return 0;
    }
    double slope = (t->next - t->previous) / (t->next_s - t->previous_s);
    if (!t->time_independent) {
        slope = biased_slope(t, slope);
    }
    return t->clamp_progressive ? progressive_slope(t, slope) : slope;
}
