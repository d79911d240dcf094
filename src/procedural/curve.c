/// Cubic interpolation.
#include "procedural/procedural.h"

/// Weighted harmonic mean of the slopes on both sides, 0 where they differ in sign.
static float key_slope(float d0, float h0, float d1, float h1)
{
    if (d0 * d1 <= 0.0f) {
        return 0.0f;
    }
    const float w0 = 2.0f * h1 + h0, w1 = h1 + 2.0f * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

/// Key i of the periodic sequence: `at` grows by 1 each cycle.
static lmbi_key periodic_key(const lmbi_key *keys, int count, int i)
{
    const int k = (i + count) % count;
    const float cycles = i < 0 ? -1.0f : (i >= count ? 1.0f : 0.0f);
    return (lmbi_key){keys[k].at + cycles, keys[k].value};
}

float lmbi_hermite(float p0, float v0, float p1, float v1, float span, float x)
{
    const float x2 = x * x, x3 = x2 * x;
    return (2.0f * x3 - 3.0f * x2 + 1.0f) * p0 + (x3 - 2.0f * x2 + x) * span * v0 +
           (3.0f * x2 - 2.0f * x3) * p1 + (x3 - x2) * span * v1;
}

float lmbi_cycle_sample(const lmbi_key *keys, int count, float phase)
{
    int i = count - 1;
    while (i >= 0 && keys[i].at > phase) {
        --i;
    }
    // Before the first key, its left neighbour is the last key of the previous cycle.
    lmbi_key k[4];
    for (int n = 0; n < 4; ++n) {
        k[n] = periodic_key(keys, count, i - 1 + n);
    }
    if (i == 0) {
        k[0] = periodic_key(keys, count, -1);
    }
    float h[3], d[3];
    for (int n = 0; n < 3; ++n) {
        h[n] = k[n + 1].at - k[n].at;
        d[n] = (k[n + 1].value - k[n].value) / h[n];
    }
    const float s1 = key_slope(d[0], h[0], d[1], h[1]), s2 = key_slope(d[1], h[1], d[2], h[2]);
    return lmbi_hermite(k[1].value, s1, k[2].value, s2, h[1], (phase - k[1].at) / h[1]);
}
