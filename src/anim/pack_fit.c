/// Encodes one channel of a segment: spline fit, bit widths, quantisation.
#include <math.h>
#include <string.h>

#include "anim/pack.h"
#include "math/scalar.h"

// --------------------------------------------------------------------------------------- rounding

/// The byte that encodes the smallest step >= `step`.
static uint8_t round_step_up(float step)
{
    const uint32_t bits = lmbi_bits_of_float(step);
    if (!(step > 0) || bits <= 101u << 23) {
        return 0;
    }
    const uint32_t byte = (bits - (101u << 23) + (1u << 20) - 1) >> 20;
    return (uint8_t)(byte < 255 ? byte : 255);
}

/// The largest normal half float <= `value`.
static uint16_t round_half_down(float value)
{
    const float size = fabsf(value);
    const uint32_t bits = lmbi_bits_of_float(size);
    const bool negative = value < 0;
    if (size <= 6.1035156e-5f) { // 2^-14, the smallest normal
        return negative ? 0x8400u : 0;
    }
    const uint32_t up = negative ? (1u << 13) - 1 : 0;
    const uint32_t body = (bits - (112u << 23) + up) >> 13;
    const uint32_t clamped = body < 0x7bffu ? body : 0x7bffu;
    return (uint16_t)(clamped | (negative ? 0x8000u : 0));
}

static uint32_t bits_for(float range, float step)
{
    uint32_t bits = 0;
    while (bits < PACKED_FINE_BITS && !(range <= step * (float)((1u << bits) - 1))) {
        ++bits;
    }
    return bits;
}

// ------------------------------------------------------------------------------------- the spline

static const float *spline_weights(uint32_t sample, uint32_t last, uint32_t log2, uint32_t *knot)
{
    const uint32_t intervals = (last + (1u << log2) - 1) >> log2;
    *knot = sample >> log2;
    if (*knot == intervals) {
        --*knot;
    }
    return lmbi_packed_cubics[(sample - (*knot << log2)) << (PACKED_COARSE_LOG2 - log2)].w;
}

static void evaluate_spline(const float *numbers, uint32_t count, uint32_t log2, float *out)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t k;
        const float *w = spline_weights(i, count - 1, log2, &k);
        out[i] = (numbers[k] * w[0] + numbers[k + 1] * w[1]) +
                 (numbers[k + 2] * w[2] + numbers[k + 3] * w[3]);
    }
}

/// Normal equations of the fit: a symmetric band matrix with three off-diagonals.
static void normal_equations(const pack_track *track, uint32_t log2, uint32_t n, double (*a)[4],
                             double *b)
{
    memset(a, 0, n * sizeof(*a));
    memset(b, 0, n * sizeof(*b));
    for (uint32_t i = 0; i < track->count; ++i) {
        uint32_t k;
        const float *w = spline_weights(i, track->count - 1, log2, &k);
        for (uint32_t r = 0; r < 4; ++r) {
            b[k + r] += (double)w[r] * (double)track->values[i];
            for (uint32_t c = r; c < 4; ++c) {
                a[k + r][c - r] += (double)w[r] * (double)w[c];
            }
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        a[i][0] += 1e-7; // ridge: there may be fewer samples than coefficients
    }
}

/// Band L D L^T factorisation with forward and back substitution.
static void solve_band(double (*a)[4], double *b, uint32_t n, float *out)
{
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t k = 1; k < 4 && i + k < n; ++k) {
            const double l = a[i][k] / a[i][0];
            for (uint32_t m = k; m < 4; ++m) {
                a[i + k][m - k] -= l * a[i][m];
            }
            b[i + k] -= l * b[i];
        }
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = 1; k < 4 && i + k < n; ++k) {
            b[i] -= a[i][k] * b[i + k];
        }
        b[i] /= a[i][0];
        out[i] = (float)b[i];
    }
}

static void range_of(const float *values, uint32_t count, float *low, float *high)
{
    *low = *high = values[0];
    for (uint32_t i = 1; i < count; ++i) {
        *low = values[i] < *low ? values[i] : *low;
        *high = values[i] > *high ? values[i] : *high;
    }
}

void lmbi_pack_fit_spline(pack_track *track, uint32_t log2)
{
    float curve[PACK_SAMPLES], residual[PACK_SAMPLES];
    range_of(track->values, track->count, &track->low, &track->high);
    if (log2 == 0) {
        return;
    }
    const uint32_t n = packed_coarse_count(track->count - 1, log2);
    double a[PACK_COARSE][4], b[PACK_COARSE];
    pack_track *t = track;
    // Centred, so that the ridge term pulls towards the middle.
    const float middle = t->low + (t->high - t->low) * 0.5f;
    for (uint32_t i = 0; i < t->count; ++i) {
        t->values[i] -= middle;
    }
    normal_equations(t, log2, n, a, b);
    solve_band(a, b, n, t->coarse_fit);
    evaluate_spline(t->coarse_fit, t->count, log2, curve);
    for (uint32_t i = 0; i < t->count; ++i) {
        residual[i] = t->values[i] - curve[i];
        t->values[i] += middle;
    }
    for (uint32_t k = 0; k < n; ++k) {
        t->coarse_fit[k] += middle;
    }
    range_of(residual, t->count, &t->residual_low, &t->residual_high);
    range_of(t->coarse_fit, n, &t->fit_low, &t->fit_high);
}

// ----------------------------------------------------------------------------------------- widths

uint32_t lmbi_pack_choose_widths(pack_track *track, uint32_t log2, float tolerance)
{
    const float step = 2 * tolerance;
    // The base is a half float, up to 2^-10 of the value too low.
    const float slack = fabsf(track->low) * (1.0f / 2048);
    const uint32_t count = track->count;
    if (log2 == 0) {
        track->coarse_bits = 0;
        const float range = track->high - track->low;
        const bool still = range * 0.5f + slack <= tolerance;
        track->fine_bits = still ? 0 : (uint8_t)bits_for(range + slack, step);
        return track->fine_bits * count;
    }
    const uint32_t n = packed_coarse_count(count - 1, log2);
    const float range = track->fit_high - track->fit_low + slack,
                residual = track->residual_high - track->residual_low;
    uint32_t best = UINT32_MAX;
    for (uint32_t bits = 1; bits <= 18; ++bits) {
        const float coarse = range / (float)((1u << bits) - 1);
        const float left = residual + coarse * 0.8f;
        const uint32_t fine = left <= step ? 0 : bits_for(left, step);
        const uint32_t cost = n * bits + count * fine;
        if (cost < best) {
            best = cost;
            track->coarse_bits = (uint8_t)bits;
            track->fine_bits = (uint8_t)fine;
        }
    }
    return best;
}

// ------------------------------------------------------------------------------------- quantising

static uint32_t quantise(float value, uint32_t bits)
{
    const float limit = (float)((1u << bits) - 1);
    const float clamped = value < 0 ? 0 : (value > limit ? limit : value);
    return (uint32_t)(clamped + 0.5f);
}

/// Quantises the residual of base and spline, and decodes the values.
static void quantise_fine(pack_track *t, uint32_t bits, const float *below)
{
    float high = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        high = fmaxf(high, t->values[i] - below[i]);
    }
    t->fine_step = bits > 0 ? round_step_up(high / (float)((1u << bits) - 1)) : 0;
    const float step = lmbi_float_of_bits(packed_step_bits(t->fine_step));
    for (uint32_t i = 0; i < t->count; ++i) {
        t->fine[i] = bits > 0 ? quantise((t->values[i] - below[i]) / step, bits) : 0;
        t->decoded[i] = below[i] + step * (float)t->fine[i];
    }
}

static void quantise_coarse(pack_track *t, uint32_t log2, uint32_t bits, uint32_t fine_bits,
                            float *below)
{
    const uint32_t n = packed_coarse_count(t->count - 1, log2);
    const float guess = (t->fit_high - t->fit_low) / (float)((1u << bits) - 1);
    // Fine numbers are unsigned, so the spline has to lie below the values; without them it is
    // centred.
    const float shift = fine_bits > 0 ? t->residual_low - guess * 0.5f
                                      : (t->residual_low + t->residual_high) * 0.5f;
    t->base = round_half_down(t->fit_low + shift);
    const float base = lmbi_float_of_bits(packed_half_bits(t->base));
    t->coarse_step = round_step_up((t->fit_high + shift - base) / (float)((1u << bits) - 1));
    const float step = lmbi_float_of_bits(packed_step_bits(t->coarse_step));
    float numbers[PACK_COARSE];
    for (uint32_t k = 0; k < n; ++k) {
        t->coarse[k] = quantise((t->coarse_fit[k] + shift - base) / step, bits);
        numbers[k] = (float)t->coarse[k];
    }
    evaluate_spline(numbers, t->count, log2, below);
    for (uint32_t i = 0; i < t->count; ++i) {
        below[i] = base + step * below[i];
    }
}

void lmbi_pack_quantise(pack_track *track, uint32_t log2, uint32_t coarse_bits, uint32_t fine_bits)
{
    float below[PACK_SAMPLES];
    track->coarse_step = 0;
    if (coarse_bits > 0) {
        quantise_coarse(track, log2, coarse_bits, fine_bits, below);
    } else {
        const float middle = track->low + (track->high - track->low) * 0.5f;
        track->base = round_half_down(fine_bits > 0 ? track->low : middle);
        for (uint32_t i = 0; i < track->count; ++i) {
            below[i] = lmbi_float_of_bits(packed_half_bits(track->base));
        }
    }
    quantise_fine(track, fine_bits, below);
}
