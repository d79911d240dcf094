/// Exact steps of a critically damped spring, x'' + 2 y x' + y^2 x = 0: with j = v + x y after a
/// time t, x = e^(-y t) (x + j t) and v = e^(-y t) (v - j y t).
#ifndef MATH_SPRING_H
#define MATH_SPRING_H

#include "limber/math.h"

/// The rate y, in 1/s, with which a spring at rest halves its distance in about `half_life_s`.
static inline float lmbi_spring_rate(float half_life_s)
{
    return 2.0f * 0.69314718f / half_life_s;
}

/// Moves *x with velocity *v towards `goal`.
static inline void lmbi_spring_follow(float *x, float *v, float goal, float half_life_s, float dt_s)
{
    const float y = lmbi_spring_rate(half_life_s), d = *x - goal, j = *v + d * y,
                decay = lmb_exp(-y * dt_s);
    *x = goal + (d + j * dt_s) * decay;
    *v = (*v - j * y * dt_s) * decay;
}

/// One step of springs of the same rate.
typedef struct lmbi_spring_decay {
    float rate, dt_s, factor;
} lmbi_spring_decay;

static inline lmbi_spring_decay lmbi_spring_decay_make(float rate, float dt_s)
{
    return (lmbi_spring_decay){rate, dt_s, lmb_exp(-rate * dt_s)};
}

/// Moves *x with velocity *v towards 0.
static inline void lmbi_spring_decay3(lmb_vec3 *x, lmb_vec3 *v, lmbi_spring_decay d)
{
    const lmb_vec3 j = lmb_vec3_mad(*v, *x, d.rate);
    *x = lmb_vec3_scale(lmb_vec3_mad(*x, j, d.dt_s), d.factor);
    *v = lmb_vec3_scale(lmb_vec3_mad(*v, j, -d.rate * d.dt_s), d.factor);
}

#endif
