/// A body model of random numbers on the tree of SMPL, and its formulas in double precision,
/// written apart from the library.
#ifndef TESTS_SKIN_BODY_MODEL_H
#define TESTS_SKIN_BODY_MODEL_H

#include <math.h>
#include <string.h>

#include "limber/skin.h"

enum { TM_VERTICES = 1500, TM_JOINTS = 24, TM_SHAPES = 10, TM_FEATURES = 207, TM_TERMS = 6 };

typedef struct test_model {
    lmb_vec3 positions[TM_VERTICES], shapes[TM_SHAPES][TM_VERTICES],
        poses[TM_FEATURES][TM_VERTICES];
    int32_t parents[TM_JOINTS];
    const char *names[TM_JOINTS];
    uint32_t influence_first[TM_VERTICES + 1];
    lmb_influence influences[3 * TM_VERTICES];
    uint32_t regressor_first[TM_JOINTS + 1], regressor_vertices[TM_JOINTS * TM_TERMS];
    float regressor_weights[TM_JOINTS * TM_TERMS];
    uint32_t indices[3 * (TM_VERTICES - 2)];
    lmb_body_model def;
} test_model;

static const int32_t tm_parents[TM_JOINTS] = {-1, 0, 0, 0,  1,  2,  3,  4,  5,  6,  7,  8,
                                              9,  9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21};

static inline lmb_vec3 tm_vec(lmb_random *random, float size)
{
    const float x = lmb_random_range(random, -size, size),
                y = lmb_random_range(random, -size, size);
    return lmb_vec3_make(x, y, lmb_random_range(random, -size, size));
}

/// SMPL's features, or STAR's.
static inline void test_model_make(test_model *m, lmb_pose_features features)
{
    lmb_random random = lmb_random_seed(11);
    const bool star = features == LMB_FEATURES_QUATERNION;
    for (uint32_t v = 0; v < TM_VERTICES; ++v) {
        m->positions[v] = tm_vec(&random, 0.9f);
        for (int k = 0; k < TM_SHAPES; ++k) {
            m->shapes[k][v] = tm_vec(&random, 0.02f);
        }
        for (int k = 0; k < TM_FEATURES; ++k) {
            // Correctives reach some of the body, as STAR's do.
            m->poses[k][v] =
                (v / 40 + (uint32_t)k) % 3 == 0 ? tm_vec(&random, 0.01f) : lmb_vec3_make(0, 0, 0);
        }
        const float a = 0.4f + 0.5f * lmb_random_unit(&random), b = (1 - a) * 0.75f;
        m->influences[3 * v] = (lmb_influence){v % TM_JOINTS, a};
        m->influences[3 * v + 1] = (lmb_influence){(v + 7) % TM_JOINTS, b};
        m->influences[3 * v + 2] = (lmb_influence){(v + 11) % TM_JOINTS, 1 - a - b};
        m->influence_first[v + 1] = 3 * v + 3;
    }
    for (uint32_t j = 0; j < TM_JOINTS; ++j) {
        m->parents[j] = tm_parents[j];
        m->names[j] = "joint";
        for (uint32_t k = 0; k < TM_TERMS; ++k) {
            m->regressor_vertices[j * TM_TERMS + k] = (j * 61 + k * 17) % TM_VERTICES;
            m->regressor_weights[j * TM_TERMS + k] = 1.0f / TM_TERMS;
        }
        m->regressor_first[j + 1] = (j + 1) * TM_TERMS;
    }
    for (uint32_t t = 0; t < TM_VERTICES - 2; ++t) {
        m->indices[3 * t] = t;
        m->indices[3 * t + 1] = t + 1;
        m->indices[3 * t + 2] = t + 2;
    }
    m->def = (lmb_body_model){.vertex_count = TM_VERTICES,
                              .joint_count = TM_JOINTS,
                              .index_count = 3 * (TM_VERTICES - 2),
                              .shape_count = TM_SHAPES,
                              .feature_count = star ? 93 : TM_FEATURES,
                              .positions = m->positions,
                              .shape_directions = &m->shapes[0][0],
                              .pose_directions = &m->poses[0][0],
                              .features = features,
                              .feature_of_shape = star,
                              .parents = m->parents,
                              .names = m->names,
                              .influences = {m->influence_first, m->influences},
                              .regressor_first = m->regressor_first,
                              .regressor_vertices = m->regressor_vertices,
                              .regressor_weights = m->regressor_weights,
                              .indices = m->indices};
}

/// Rodrigues' formula.
static inline void tm_rotation(const double r[3], double out[3][3])
{
    const double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    const double u[3] = {angle > 0 ? r[0] / angle : 1, angle > 0 ? r[1] / angle : 0,
                         angle > 0 ? r[2] / angle : 0};
    const double c = cos(angle), s = sin(angle);
    const double cross[3][3] = {{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            out[i][k] = (i == k ? c : 0) + (1 - c) * u[i] * u[k] + s * cross[i][k];
        }
    }
}

/// The features of joint j, of SMPL (9 of its matrix) or STAR (4 of its quaternion).
static inline void tm_features(const lmb_body_model *m, uint32_t j, const double pose[3],
                               const double r[3][3], double *features)
{
    if (m->features == LMB_FEATURES_MATRIX) {
        for (int k = 0; k < 9; ++k) {
            features[9 * (j - 1) + (uint32_t)k] = r[k / 3][k % 3] - (k % 4 == 0);
        }
        return;
    }
    const double angle = sqrt(pose[0] * pose[0] + pose[1] * pose[1] + pose[2] * pose[2]);
    for (int k = 0; k < 3; ++k) {
        features[4 * (j - 1) + (uint32_t)k] = angle > 0 ? sin(angle / 2) * pose[k] / angle : 0;
    }
    features[4 * (j - 1) + 3] = cos(angle / 2) - 1;
}

/// The vertices at rest with the shape's displacements.
static inline void tm_shape(const lmb_body_model *m, const double *shape, double (*shaped)[3])
{
    for (uint32_t v = 0; v < TM_VERTICES; ++v) {
        const float *p = &m->positions[v].x;
        for (int c = 0; c < 3; ++c) {
            shaped[v][c] = (double)p[c];
            for (uint32_t k = 0; k < m->shape_count; ++k) {
                shaped[v][c] +=
                    shape[k] * (double)(&m->shape_directions[(size_t)k * TM_VERTICES + v].x)[c];
            }
        }
    }
}

/// The model by its papers, in double precision: out[TM_VERTICES][3], joints[TM_JOINTS][3] where
/// they stand.
static inline void test_model_evaluate(const lmb_body_model *m, const double *shape,
                                       const double (*pose)[3], const double translation[3],
                                       double (*out)[3], double (*joints)[3])
{
    static double shaped[TM_VERTICES][3], rest[TM_JOINTS][3], world[TM_JOINTS][3][4];
    double features[TM_FEATURES];
    tm_shape(m, shape, shaped);
    for (uint32_t j = 0; j < TM_JOINTS; ++j) {
        double r[3][3];
        tm_rotation(pose[j], r);
        for (int c = 0; c < 3; ++c) {
            rest[j][c] = 0;
            for (uint32_t k = m->regressor_first[j]; k < m->regressor_first[j + 1]; ++k) {
                rest[j][c] += (double)m->regressor_weights[k] * shaped[m->regressor_vertices[k]][c];
            }
        }
        for (int i = 0; i < 3; ++i) {
            for (int c = 0; c < 4; ++c) {
                const int32_t parent = m->parents[j];
                if (parent < 0) {
                    world[j][i][c] = c < 3 ? r[i][c] : rest[j][i];
                    continue;
                }
                double sum = c == 3 ? world[parent][i][3] : 0;
                for (int k = 0; k < 3; ++k) {
                    sum += world[parent][i][k] * (c < 3 ? r[k][c] : rest[j][k] - rest[parent][k]);
                }
                world[j][i][c] = sum;
            }
            joints[j][i] = world[j][i][3] + translation[i];
        }
        if (j > 0) {
            tm_features(m, j, pose[j], (const double(*)[3])r, features);
        }
    }
    if (m->feature_of_shape) {
        features[m->feature_count - 1] = shape[1];
    }
    for (uint32_t v = 0; v < TM_VERTICES; ++v) {
        double p[3];
        for (int c = 0; c < 3; ++c) {
            p[c] = shaped[v][c];
            for (uint32_t k = 0; k < m->feature_count; ++k) {
                p[c] +=
                    features[k] * (double)(&m->pose_directions[(size_t)k * TM_VERTICES + v].x)[c];
            }
        }
        for (int i = 0; i < 3; ++i) {
            out[v][i] = translation[i];
            for (uint32_t k = m->influences.first[v]; k < m->influences.first[v + 1]; ++k) {
                const uint32_t j = m->influences.items[k].joint;
                double moved = world[j][i][3];
                for (int c = 0; c < 3; ++c) {
                    moved += world[j][i][c] * (p[c] - rest[j][c]);
                }
                out[v][i] += (double)m->influences.items[k].weight * moved;
            }
        }
    }
}

#endif
