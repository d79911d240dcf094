/// A made body model on a figure of tubes, and scans of its people: what learning a body model should give back.
#ifndef TESTS_LEARN_MADE_POPULATION_H
#define TESTS_LEARN_MADE_POPULATION_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limber/learn.h"
#include "limber/skin.h"

enum {
    MP_JOINTS = 11,
    MP_RINGS = 7,  ///< along the bone of a joint
    MP_AROUND = 8, ///< vertices of a ring
    MP_VERTICES = MP_JOINTS * MP_RINGS * MP_AROUND,
    MP_SHAPES = 4,
    MP_FEATURES = 9 * (MP_JOINTS - 1),
};

/// Pelvis, two of the spine, two of each limb.
static const int32_t mp_parents[MP_JOINTS] = {-1, 0, 1, 2, 3, 2, 5, 0, 7, 0, 9};
static const lmb_vec3 mp_joints[MP_JOINTS] = {
    {0, 0.9f, 0},         {0, 1.1f, 0},      {0, 1.3f, 0},         {0.2f, 1.4f, 0},
    {0.5f, 1.4f, 0},      {-0.2f, 1.4f, 0},  {-0.5f, 1.4f, 0},     {0.1f, 0.85f, 0},
    {0.1f, 0.45f, 0.02f}, {-0.1f, 0.85f, 0}, {-0.1f, 0.45f, 0.02f}};
static const lmb_vec3 mp_bones[MP_JOINTS] = {
    {0, 0.2f, 0},  {0, 0.2f, 0},  {0, 0.4f, 0},   {0.3f, 0, 0},  {0.3f, 0, 0},  {-0.3f, 0, 0},
    {-0.3f, 0, 0}, {0, -0.4f, 0}, {0, -0.45f, 0}, {0, -0.4f, 0}, {0, -0.45f, 0}};

typedef struct made_population {
    lmb_vec3 positions[MP_VERTICES], shapes[MP_SHAPES][MP_VERTICES],
        poses[MP_FEATURES][MP_VERTICES];
    int32_t parents[MP_JOINTS];
    const char *names[MP_JOINTS];
    uint32_t first[MP_VERTICES + 1];
    lmb_influence items[2 * MP_VERTICES];
    uint32_t regressor_first[MP_JOINTS + 1], regressor_vertices[MP_JOINTS * 2 * MP_AROUND];
    float regressor_weights[MP_JOINTS * 2 * MP_AROUND];
    uint32_t indices[MP_JOINTS * (MP_RINGS - 1) * MP_AROUND * 6];
    lmb_vec3 joints[MP_JOINTS];
    lmb_body_model truth;
} made_population;

static inline void mp_tube(made_population *m, uint32_t joint, uint32_t *index_count)
{
    const lmb_vec3 along = lmb_vec3_normalize_or(mp_bones[joint], (lmb_vec3){0, 1, 0});
    const lmb_vec3 side = lmb_vec3_normalize_or(lmb_vec3_cross(along, (lmb_vec3){0.1f, 0.2f, 1}),
                                                (lmb_vec3){1, 0, 0});
    const lmb_vec3 other = lmb_vec3_cross(along, side);
    for (uint32_t k = 0; k < MP_RINGS * MP_AROUND; ++k) {
        const uint32_t v = joint * MP_RINGS * MP_AROUND + k, ring = k / MP_AROUND;
        const float t = (float)ring / (MP_RINGS - 1),
                    angle = 2 * LMB_PI * (float)(k % MP_AROUND) / MP_AROUND;
        lmb_vec3 at = lmb_vec3_mad(mp_joints[joint], mp_bones[joint], t);
        at = lmb_vec3_mad(at, side, 0.07f * lmb_cos(angle));
        m->positions[v] = lmb_vec3_mad(at, other, 0.05f * lmb_sin(angle));
        // From the parent's to its own over the first half of the bone.
        const float own = mp_parents[joint] < 0 ? 1 : fminf(0.5f + t, 1);
        m->items[2 * v] = (lmb_influence){joint, own};
        m->items[2 * v + 1] =
            (lmb_influence){mp_parents[joint] < 0 ? 0 : (uint32_t)mp_parents[joint], 1 - own};
        m->first[v + 1] = 2 * v + 2;
        if (ring + 1 < MP_RINGS) {
            const uint32_t next = v - k % MP_AROUND + (k + 1) % MP_AROUND;
            const uint32_t made[6] = {
                v, next, v + MP_AROUND, next, next + MP_AROUND, v + MP_AROUND};
            memcpy(m->indices + *index_count, made, sizeof made);
            *index_count += 6;
        }
    }
}

static inline float mp_random(lmb_random *r, float size)
{
    return lmb_random_range(r, -size, size);
}

/// Smooth shapes: the body stretched and sheared, and thicker here and there.
static inline void mp_fill_shapes(made_population *m, lmb_random *r)
{
    for (int k = 0; k < MP_SHAPES; ++k) {
        float a[9], wave = 3 + mp_random(r, 2), phase = mp_random(r, 3);
        for (int i = 0; i < 9; ++i) {
            a[i] = mp_random(r, i % 4 == 0 ? 0.06f : 0.015f);
        }
        for (uint32_t v = 0; v < MP_VERTICES; ++v) {
            const lmb_vec3 p = m->positions[v];
            const float s = 1 + 0.5f * lmb_sin(wave * p.y + phase);
            m->shapes[k][v] = lmb_vec3_make(s * (a[0] * p.x + a[1] * p.y + a[2] * p.z),
                                            a[3] * p.x + a[4] * p.y * s + a[5] * p.z,
                                            s * (a[6] * p.x + a[7] * p.y + 4 * a[8] * p.z));
        }
    }
}

/// What a vertex' correctives follow.
typedef enum mp_reach {
    MP_NONE, ///< there are none
    MP_ROW,  ///< the joints of its row, where skin goes from one to another
    MP_NEAR, ///< and all skin, less, those beside the joint that it follows most
} mp_reach;

/// How much of a joint's correctives a vertex has.
static inline float mp_share(const lmb_influence *row, uint32_t joint, mp_reach reach)
{
    const uint32_t most = row[row[1].weight > row[0].weight].joint;
    const bool has = row[0].joint == joint || row[1].joint == joint;
    const bool beside =
        joint == most || mp_parents[joint] == (int32_t)most || mp_parents[most] == (int32_t)joint;
    return (has ? 4 * row[0].weight * row[1].weight : 0) + (reach == MP_NEAR && beside ? 0.2f : 0);
}

static inline void mp_fill_correctives(made_population *m, mp_reach reach, lmb_random *r)
{
    for (int f = 0; f < MP_FEATURES && reach != MP_NONE; ++f) {
        const lmb_vec3 to = {mp_random(r, 0.02f), mp_random(r, 0.02f), mp_random(r, 0.02f)};
        for (uint32_t v = 0; v < MP_VERTICES; ++v) {
            const float share = mp_share(m->items + 2 * v, 1 + (uint32_t)f / 9, reach);
            m->poses[f][v] = lmb_vec3_scale(to, share);
        }
    }
}

/// A joint is the mean of its first ring; that of a limb's first lies between its own and its parent's last.
static inline void mp_fill_regressor(made_population *m)
{
    for (uint32_t j = 0; j < MP_JOINTS; ++j) {
        for (uint32_t k = 0; k < MP_AROUND; ++k) {
            m->regressor_vertices[j * MP_AROUND + k] = j * MP_RINGS * MP_AROUND + k;
            m->regressor_weights[j * MP_AROUND + k] = 1.0f / MP_AROUND;
        }
        m->regressor_first[j + 1] = (j + 1) * MP_AROUND;
    }
}

static inline made_population *made_population_draw(uint64_t seed, mp_reach reach)
{
    made_population *m = calloc(1, sizeof *m);
    lmb_random random = lmb_random_seed(seed);
    uint32_t index_count = 0;
    for (uint32_t j = 0; j < MP_JOINTS; ++j) {
        static const char *const names[MP_JOINTS] = {"pelvis", "spine", "chest", "armL",
                                                     "foreL",  "armR",  "foreR", "legL",
                                                     "shinL",  "legR",  "shinR"};
        m->parents[j] = mp_parents[j];
        m->names[j] = names[j];
        m->joints[j] = mp_joints[j];
        mp_tube(m, j, &index_count);
    }
    mp_fill_shapes(m, &random);
    mp_fill_correctives(m, reach, &random);
    mp_fill_regressor(m);
    m->truth = (lmb_body_model){.vertex_count = MP_VERTICES,
                                .joint_count = MP_JOINTS,
                                .index_count = index_count,
                                .shape_count = MP_SHAPES,
                                .feature_count = MP_FEATURES,
                                .positions = m->positions,
                                .shape_directions = &m->shapes[0][0],
                                .pose_directions = &m->poses[0][0],
                                .features = LMB_FEATURES_MATRIX,
                                .parents = m->parents,
                                .names = m->names,
                                .influences = {m->first, m->items},
                                .regressor_first = m->regressor_first,
                                .regressor_vertices = m->regressor_vertices,
                                .regressor_weights = m->regressor_weights,
                                .indices = m->indices};
    return m;
}

/// With correctives or without.
static inline made_population *made_population_make(bool corrected)
{
    return made_population_draw(21, corrected ? MP_ROW : MP_NONE);
}

/// Coefficients of a person.
static inline void made_population_shape(uint32_t person, float shape[MP_SHAPES])
{
    lmb_random random = lmb_random_seed(1000 + person);
    for (int k = 0; k < MP_SHAPES; ++k) {
        shape[k] = mp_random(&random, 1.7f);
    }
}

static inline void mp_evaluate(const made_population *m, uint32_t person, const lmb_quat *rotations,
                               lmb_vec3 shift, lmb_vec3 *out)
{
    lmb_body_skin *skin = NULL;
    float shape[MP_SHAPES];
    made_population_shape(person, shape);
    if (lmb_body_skin_create(&m->truth, NULL, NULL, &skin, NULL) == LMB_OK) {
        lmb_body_skin_shape(skin, shape, MP_SHAPES);
        lmb_body_evaluate(&(lmb_body_job){
            .skin = skin, .rotations = rotations, .translation = shift, .out_positions = out});
    }
    lmb_body_skin_destroy(skin);
}

/// A person in a pose of its own; pose 0 is nearly that of rest.
static inline void made_population_scan(const made_population *m, uint32_t person, uint32_t pose,
                                        lmb_vec3 *out)
{
    lmb_quat rotations[MP_JOINTS];
    lmb_random random = lmb_random_seed(77 + 1000 * person + pose);
    for (uint32_t j = 0; j < MP_JOINTS; ++j) {
        const lmb_vec3 axis = {mp_random(&random, 1), mp_random(&random, 1), mp_random(&random, 1)};
        const float size = pose == 0 ? 0.1f : j == 0 ? 3 : 0.9f;
        rotations[j] = lmb_quat_axis_angle(lmb_vec3_normalize_or(axis, (lmb_vec3){1, 0, 0}),
                                           mp_random(&random, size));
    }
    const lmb_vec3 shift = {mp_random(&random, 0.5f), mp_random(&random, 0.5f), 0};
    mp_evaluate(m, person, rotations, shift, out);
}

/// A person who stands, joints bent a little, turned about the vertical.
static inline void made_population_stand(const made_population *m, uint32_t person, float heading,
                                         lmb_vec3 *out)
{
    lmb_quat rotations[MP_JOINTS];
    for (uint32_t j = 0; j < MP_JOINTS; ++j) {
        rotations[j] =
            lmb_quat_axis_angle((lmb_vec3){1, 0, 0}, j == 0 ? 0 : 0.05f * (float)(j % 5));
    }
    rotations[0] = lmb_quat_axis_angle((lmb_vec3){0, 1, 0}, heading);
    mp_evaluate(m, person, rotations, (lmb_vec3){0.3f, 0.1f, -0.2f}, out);
}

#endif
