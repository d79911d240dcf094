/// Meshes in motion whose bones, weights and joints are known.
#ifndef TESTS_LEARN_MOVING_H
#define TESTS_LEARN_MOVING_H

#include <stdio.h>
#include <stdlib.h>

#include "limber/learn.h"

enum { MOVING_BONES = 8 };

typedef struct moving {
    uint32_t vertex_count, index_count, frame_count, bone_count;
    lmb_vec3 *rest, **frames;
    uint32_t *indices;
    float (*weights)[MOVING_BONES];
    lmb_vec3 joints[MOVING_BONES];
} moving;

static inline void moving_make(moving *m, uint32_t vertices, uint32_t indices, uint32_t frames)
{
    *m = (moving){.vertex_count = vertices, .frame_count = frames};
    m->rest = calloc(vertices, sizeof *m->rest);
    m->weights = calloc(vertices, sizeof *m->weights);
    m->indices = calloc(indices, sizeof *m->indices);
    m->frames = calloc(frames, sizeof *m->frames);
    for (uint32_t k = 0; k < frames; ++k) {
        m->frames[k] = calloc(vertices, sizeof **m->frames);
    }
}

static inline void moving_free(moving *m)
{
    for (uint32_t k = 0; k < m->frame_count; ++k) {
        free(m->frames[k]);
    }
    free(m->frames);
    free(m->rest);
    free(m->weights);
    free(m->indices);
}

static inline lmb_learn_def moving_def(const moving *m)
{
    return (lmb_learn_def){.vertex_count = m->vertex_count,
                           .rest = m->rest,
                           .frame_count = m->frame_count,
                           .frames = (const lmb_vec3 *const *)m->frames,
                           .indices = m->indices,
                           .index_count = m->index_count};
}

/// One frame: every vertex blended between rigid bones, in double precision.
static inline void moving_pose(moving *m, uint32_t frame, const lmb_transform *bones)
{
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        double sum[3] = {0, 0, 0};
        for (uint32_t j = 0; j < m->bone_count; ++j) {
            const lmb_vec3 p = lmb_transform_point(bones[j], m->rest[v]);
            const double w = (double)m->weights[v][j];
            sum[0] += w * (double)p.x;
            sum[1] += w * (double)p.y;
            sum[2] += w * (double)p.z;
        }
        m->frames[frame][v] = lmb_vec3_make((float)sum[0], (float)sum[1], (float)sum[2]);
    }
}

static inline void moving_quad(moving *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t made[6] = {a, b, c, a, c, d};
    for (int k = 0; k < 6; ++k) {
        m->indices[m->index_count++] = made[k];
    }
}

/// Rings of a tube along +Y, of radius 0.15, from 0 to `length`.
static inline void moving_tube(moving *m, uint32_t rings, uint32_t around, float length,
                               uint32_t frames)
{
    moving_make(m, rings * around, rings * around * 6, frames);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        const float angle = 2 * LMB_PI * (float)(v % around) / (float)around;
        m->rest[v] =
            lmb_vec3_make(0.15f * lmb_cos(angle), length * (float)(v / around) / (float)(rings - 1),
                          0.15f * lmb_sin(angle));
    }
    for (uint32_t r = 0; r + 1 < rings; ++r) {
        for (uint32_t k = 0; k < around; ++k) {
            const uint32_t next = (k + 1) % around;
            moving_quad(m, r * around + k, (r + 1) * around + k, (r + 1) * around + next,
                        r * around + next);
        }
    }
}

/// Turns about `joint` by `turn`, on top of the bone above.
static inline lmb_transform moving_turn(lmb_transform above, lmb_vec3 joint, lmb_quat turn)
{
    lmb_transform local = lmb_transform_identity();
    local.rotation = turn;
    local.translation = lmb_vec3_sub(joint, lmb_quat_rotate(turn, joint));
    return lmb_transform_mul(above, local);
}

static inline lmb_vec3 moving_direction(lmb_random *random)
{
    lmb_vec3 v;
    do { // one after another: compilers evaluate arguments in orders of their own
        v.z = lmb_random_range(random, -1, 1);
        v.y = lmb_random_range(random, -1, 1);
        v.x = lmb_random_range(random, -1, 1);
    } while (lmb_vec3_dot(v, v) > 1 || lmb_vec3_dot(v, v) < 0.01f);
    return lmb_vec3_normalize_or(v, lmb_vec3_make(1, 0, 0));
}

/// A box of 3 x 3 vertices a side, its inner one left out, at `low`.
static inline void moving_box(moving *m, uint32_t first, lmb_vec3 low)
{
    uint32_t at[27], count = 0;
    for (uint32_t k = 0; k < 27; ++k) {
        if (k != 13) {
            at[k] = first + count++;
            m->rest[at[k]] =
                lmb_vec3_add(low, lmb_vec3_make(0.2f * (float)(k % 3), 0.2f * (float)(k / 3 % 3),
                                                0.2f * (float)(k / 9)));
        }
    }
    static const uint32_t steps[3][3] = {{1, 3, 9}, {3, 9, 1}, {9, 1, 3}};
    for (uint32_t s = 0; s < 24; ++s) {
        const uint32_t *step = steps[s / 8], side = s / 4 % 2 * 2 * step[2];
        const uint32_t c = side + s % 2 * step[0] + s / 2 % 2 * step[1];
        moving_quad(m, at[c], at[c + step[0]], at[c + step[0] + step[1]], at[c + step[1]]);
    }
}

/// Boxes in a row that each move on their own.
static inline moving moving_boxes(uint32_t count, uint32_t frames)
{
    moving m;
    lmb_random random = lmb_random_seed(5);
    moving_make(&m, 26 * count, 24 * 6 * count, frames);
    m.bone_count = count;
    for (uint32_t j = 0; j < count; ++j) {
        moving_box(&m, 26 * j, lmb_vec3_make(0.5f * (float)j, 0, 0));
        for (uint32_t v = 0; v < 26; ++v) {
            m.weights[26 * j + v][j] = 1;
        }
    }
    for (uint32_t k = 0; k < frames; ++k) {
        lmb_transform bones[MOVING_BONES];
        for (uint32_t j = 0; j < count; ++j) {
            const lmb_vec3 at = moving_direction(&random);
            const float angle = lmb_random_range(&random, 0.5f, 2);
            const lmb_quat rotation = lmb_quat_axis_angle(moving_direction(&random), angle);
            bones[j] = (lmb_transform){at, rotation, {1, 1, 1}};
        }
        moving_pose(&m, k, bones);
    }
    return m;
}

/// A tube of bones one after another, weights going smoothly over `width` from one to the next;
/// joints turn about any axis, or about Z and X in turn where `hinges`. `fine` times as many rings, and vertices of each.
static inline moving moving_fine_chain(uint32_t bones, float width, bool hinges, uint32_t frames,
                                       uint32_t fine)
{
    moving m;
    lmb_random random = lmb_random_seed(11);
    moving_tube(&m, 12 * fine * bones + 1, 16 * fine, (float)bones, frames);
    m.bone_count = bones;
    for (uint32_t v = 0; v < m.vertex_count; ++v) {
        float above = 1;
        for (uint32_t j = 0; j < bones; ++j) {
            // how much of this is at or beyond joint j + 1
            float t = (m.rest[v].y - (float)(j + 1)) / width + 0.5f;
            t = j + 1 == bones || t < 0 ? 0 : t > 1 ? 1 : t;
            const float beyond = t * t * (3 - 2 * t);
            m.weights[v][j] = above - beyond;
            above = beyond;
        }
    }
    for (uint32_t k = 0; k < frames; ++k) {
        lmb_transform at[MOVING_BONES], above = lmb_transform_identity();
        for (uint32_t j = 0; j < bones; ++j) {
            lmb_vec3 axis = hinges ? j % 2 ? lmb_vec3_make(0, 0, 1) : lmb_vec3_make(1, 0, 0)
                                   : moving_direction(&random);
            m.joints[j] = lmb_vec3_make(0, (float)j, 0);
            above = at[j] =
                moving_turn(above, m.joints[j],
                            lmb_quat_axis_angle(axis, lmb_random_range(&random, -1.2f, 1.2f)));
        }
        moving_pose(&m, k, at);
    }
    return m;
}

static inline moving moving_chain(uint32_t bones, float width, bool hinges, uint32_t frames)
{
    return moving_fine_chain(bones, width, hinges, frames, 1);
}

/// Ends the program where it cannot be learned.
static inline lmb_learned *moving_learn(const moving *m, const lmb_learn_opts *opts,
                                        lmb_learn_report *report)
{
    const lmb_learn_def def = moving_def(m);
    lmb_learned *learned = NULL;
    lmb_error error = {0};
    if (lmb_learn_skin(&def, opts, NULL, &learned, report, &error) != LMB_OK) {
        fprintf(stderr, "expected %s, found %s\n", error.expected, error.found);
        abort();
    }
    return learned;
}

#endif
