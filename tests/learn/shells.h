/// A figure of many shells that move apart: pieces that share no vertex, more of them than bones.
#ifndef TESTS_LEARN_SHELLS_H
#define TESTS_LEARN_SHELLS_H

#include "learn/moving.h"

enum {
    SHELLS = 41,
    SHELL_RINGS = 6,
    SHELL_AROUND = 12,
    SHELL_VERTICES = SHELL_RINGS * SHELL_AROUND + 2,
    SHELL_TRIANGLES = 2 * SHELL_RINGS * SHELL_AROUND,
    SHELL_LIMBS = 6,
    SHELL_SHARED = 20,
};

typedef enum shells_motion {
    SHELLS_PART,   ///< each travels outward on a line of its own
    SHELLS_TUMBLE, ///< and spins about an axis of its own
    /// they ride on six limbs that swing, and leave them and come back, tilting, at times of their own
    SHELLS_RIDE,
    SHELLS_SHARE, ///< they tumble, in SHELL_SHARED motions that shells far from each other share
    SHELLS_MOTIONS,
} shells_motion;

typedef struct shell {
    lmb_vec3 center, outward, axis;
    float far_m, spin_rad, phase;
    uint32_t limb;
} shell;

/// An ellipsoid: the poles are its last two vertices.
static inline void shell_shape(moving *m, uint32_t first, const shell *s, lmb_random *random)
{
    lmb_vec3 size;
    size.x = lmb_random_range(random, 0.06f, 0.14f);
    size.y = lmb_random_range(random, 0.06f, 0.14f);
    size.z = lmb_random_range(random, 0.06f, 0.14f);
    for (uint32_t v = 0; v < SHELL_VERTICES; ++v) {
        const uint32_t ring = v / SHELL_AROUND;
        const float angle = 2 * LMB_PI * (float)(v % SHELL_AROUND) / SHELL_AROUND;
        const float tilt = v == SHELL_VERTICES - 2 ? 0
                           : v == SHELL_VERTICES - 1
                               ? LMB_PI
                               : LMB_PI * (float)(ring + 1) / (SHELL_RINGS + 1);
        m->rest[first + v] =
            lmb_vec3_add(s->center, lmb_vec3_make(size.x * lmb_sin(tilt) * lmb_cos(angle),
                                                  size.y * lmb_cos(tilt),
                                                  size.z * lmb_sin(tilt) * lmb_sin(angle)));
    }
    const uint32_t top = first + SHELL_VERTICES - 2,
                   last = first + (SHELL_RINGS - 1) * SHELL_AROUND;
    for (uint32_t a = 0; a < SHELL_AROUND; ++a) {
        const uint32_t next = (a + 1) % SHELL_AROUND;
        const uint32_t caps[6] = {top, first + next, first + a, top + 1, last + a, last + next};
        for (int k = 0; k < 6; ++k) {
            m->indices[m->index_count++] = caps[k];
        }
        for (uint32_t r = 0; r + 1 < SHELL_RINGS; ++r) {
            const uint32_t at = first + r * SHELL_AROUND;
            moving_quad(m, at + a, at + next, at + SHELL_AROUND + next, at + SHELL_AROUND + a);
        }
    }
}

/// Where a limb's line runs at rest: out of the middle, in six directions.
static inline lmb_vec3 shell_limb(uint32_t limb)
{
    static const lmb_vec3 along[SHELL_LIMBS] = {{0, 1, 0},         {0.8f, 0.5f, 0},
                                                {-0.8f, 0.5f, 0},  {0.5f, -0.9f, 0},
                                                {-0.5f, -0.9f, 0}, {0, -0.2f, -0.9f}};
    return lmb_vec3_normalize_or(along[limb], along[0]);
}

static inline void shell_make(shell *s, uint32_t number, lmb_random *random)
{
    s->limb = number % SHELL_LIMBS;
    s->center = lmb_vec3_scale(shell_limb(s->limb), 0.25f + 0.12f * (float)(number / SHELL_LIMBS));
    s->center = lmb_vec3_mad(s->center, moving_direction(random), 0.08f);
    s->outward = lmb_vec3_normalize_or(lmb_vec3_mad(s->center, moving_direction(random), 0.3f),
                                       lmb_vec3_make(0, 1, 0));
    s->axis = moving_direction(random);
    s->far_m = lmb_random_range(random, 0.3f, 1.2f);
    s->spin_rad = lmb_random_range(random, -1.5f, 1.5f);
    s->phase = lmb_random_range(random, 0, 1);
}

/// Where a shell is at a time from 0 to 1.
static inline lmb_transform shell_at(const shell *s, shells_motion motion, float time)
{
    lmb_transform carrier = lmb_transform_identity();
    float gone = time, spin = motion != SHELLS_PART ? s->spin_rad * time : 0;
    if (motion == SHELLS_RIDE) {
        const float swing = 2 * LMB_PI * (3 * time + (float)s->limb / SHELL_LIMBS);
        const lmb_vec3 axis =
            lmb_vec3_normalize_or(lmb_vec3_cross(shell_limb(s->limb), lmb_vec3_make(0.2f, 0.3f, 1)),
                                  lmb_vec3_make(1, 0, 0));
        carrier = moving_turn(carrier, lmb_vec3_make(0, 0, 0),
                              lmb_quat_axis_angle(axis, 0.6f * lmb_sin(swing)));
        carrier.translation.x += 2 * time;
        const float beat = lmb_sin(2 * LMB_PI * (time + s->phase));
        gone = 0.15f * beat * beat;
        spin = 0.3f * s->spin_rad * beat;
    }
    lmb_transform own =
        moving_turn(lmb_transform_identity(), s->center, lmb_quat_axis_angle(s->axis, spin));
    own.translation = lmb_vec3_mad(own.translation, s->outward, gone * s->far_m);
    return lmb_transform_mul(carrier, own);
}

static inline moving moving_shells(shells_motion motion, uint64_t seed, uint32_t frames)
{
    moving m;
    shell shells[SHELLS];
    lmb_random random = lmb_random_seed(seed);
    moving_make(&m, SHELLS * SHELL_VERTICES, 3 * SHELLS * SHELL_TRIANGLES, frames);
    for (uint32_t k = 0; k < SHELLS; ++k) {
        shell_make(&shells[k], k, &random);
        shell_shape(&m, k * SHELL_VERTICES, &shells[k], &random);
    }
    for (uint32_t f = 0; f < frames; ++f) {
        for (uint32_t v = 0; v < m.vertex_count; ++v) {
            const float time = (float)(f + 1) / (float)frames;
            const uint32_t own = v / SHELL_VERTICES;
            const shell *moves = &shells[motion == SHELLS_SHARE ? own % SHELL_SHARED : own];
            m.frames[f][v] = lmb_transform_point(shell_at(moves, motion, time), m.rest[v]);
        }
    }
    return m;
}

#endif
