/// Signals: gradient noise, a random walk, breath, oscillators.
#include "limber/procedural.h"
#include "procedural/procedural.h"

#include <math.h>

#include "math/double.h"

// ------------------------------------------------------------------------------------------ noise

/// 32 bits from a lattice point and a seed (the finalizer of MurmurHash3).
static uint32_t hash_point(uint64_t point, uint32_t seed)
{
    uint64_t h = point * 0x9e3779b97f4a7c15u + seed;
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    h ^= h >> 33;
    return (uint32_t)(h >> 32);
}

/// In [-1, 1).
static double gradient(double point, uint32_t seed)
{
    // Beyond 2^52 a double has no fractional lattice: use one point.
    const double safe_point = fabs(point) < 4503599627370496.0 ? point : 0;
    return (double)hash_point((uint64_t)(int64_t)safe_point, seed) / 2147483648.0 - 1;
}

static double noise_octave(double x, uint32_t seed)
{
    const double low = floor(x), u = x - low;
    if (!(u >= 0 && u < 1)) {
        return 0; // not finite
    }
    const double a = gradient(low, seed) * u, b = gradient(low + 1, seed) * (u - 1);
    const double fade = u * u * u * (u * (u * 6 - 15) + 10);
    return 2 * (a + (b - a) * fade);
}

double lmb_noise(double x, uint32_t octaves, uint32_t seed)
{
    double sum = 0, gain = 1, weights = 0;
    for (uint32_t k = 0; k < octaves && k < 16; ++k) {
        sum += gain * noise_octave(x, seed + 1013u * k);
        weights += gain;
        gain *= 0.5;
        x *= 2.01; // not 2, so that the octaves' zeros do not coincide
    }
    return weights > 0 ? sum / weights : 0;
}

double lmbi_hash_unit(double x, uint32_t seed)
{
    return 0.5 + 0.5 * gradient(floor(x), seed);
}

// ----------------------------------------------------------------------------------------- cycles

double lmb_breath(double phase)
{
    const double pi = 3.14159265358979323846, p = phase - floor(phase);
    return p < 0.4 ? 0.5 - 0.5 * lmbi_cos(pi * p / 0.4)
                   : 0.5 + 0.5 * lmbi_cos(pi * (p - 0.4) / 0.6);
}

double lmb_oscillator_step(lmb_oscillator *oscillator, double frequency_hz, double dt_s)
{
    const double phase = oscillator->phase + frequency_hz * dt_s;
    oscillator->phase = phase - floor(phase);
    return oscillator->phase;
}

// ------------------------------------------------------------------------------------ random walk

/// A normally distributed number (Box and Muller 1958).
static double normal(lmb_random *random)
{
    const double u = ((double)lmb_random_u32(random) + 1) / 4294967296.0;
    const double v = (double)lmb_random_u32(random) / 4294967296.0;
    return sqrt(-2 * lmbi_log(u)) * lmbi_cos(2 * 3.14159265358979323846 * v);
}

double lmb_wander_step(lmb_wander *wander, double rate_hz, double spread, double dt_s)
{
    if (!wander->started) {
        wander->random = lmb_random_seed(wander->seed);
        wander->value = spread * normal(&wander->random);
        wander->started = true;
    }
    if (dt_s > 0 && rate_hz > 0) {
        const double decay = lmbi_exp(-rate_hz * dt_s);
        wander->value =
            wander->value * decay + spread * sqrt(1 - decay * decay) * normal(&wander->random);
    }
    return wander->value;
}
