/// Smooth curves through keys.
#ifndef PROCEDURAL_CURVE_H
#define PROCEDURAL_CURVE_H

typedef struct lmbi_key {
    float at, value;
} lmbi_key;

/// Monotone cubic through the keys of a cycle of length 1, `at` ascending in [0, 1) (Fritsch and
/// Carlson 1980): flat between equal keys, without overshoot, periodic.
float lmbi_cycle_sample(const lmbi_key *keys, int count, float phase);
/// Cubic Hermite over a time `span`, x in [0, 1], velocities per unit of time.
float lmbi_hermite(float p0, float v0, float p1, float v1, float span, float x);

#endif
