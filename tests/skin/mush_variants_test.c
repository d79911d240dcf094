// The cheaper variants of direct delta mush against their formulas evaluated in double precision,
// with dense matrices, on a small tube.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "limber/skin.h"

enum {
    RINGS = 12,
    SIDES = 9,
    POINTS = RINGS * SIDES,
    TRIANGLES = 2 * (RINGS - 1) * SIDES,
    PASSES = 4
};

typedef struct tube {
    lmb_mesh *mesh;
    double walk[POINTS][POINTS];                           ///< by cotangents, rows sum to 1
    double rotated[POINTS][POINTS], moved[POINTS][POINTS]; ///< (1 + lambda (1 - walk))^-passes
    double upper[POINTS];                                  ///< weight of joint 1
} tube;

// ------------------------------------------------------------------------------------------ a tube

static void fill_triangles(uint32_t *indices)
{
    for (uint32_t ring = 0, at = 0; ring + 1 < RINGS; ++ring) {
        for (uint32_t k = 0; k < SIDES; ++k) {
            const uint32_t a = ring * SIDES + k, b = ring * SIDES + (k + 1) % SIDES;
            const uint32_t c = a + SIDES, d = b + SIDES;
            const uint32_t even[] = {a, b, c, b, d, c}, odd[] = {a, b, d, a, d, c};
            const uint32_t *corners = ring % 2 == 0 ? even : odd;
            for (int i = 0; i < 6; ++i) {
                indices[at++] = corners[i];
            }
        }
    }
}

static void shape(tube *t)
{
    static lmb_vec3 positions[POINTS], normals[POINTS];
    static lmb_influence items[2 * POINTS];
    static uint32_t first[POINTS + 1], indices[3 * TRIANGLES];
    for (uint32_t v = 0; v < POINTS; ++v) {
        // Every other ring is turned by half a side: all triangles are acute, no weight is
        // negative.
        const double y = (v / SIDES) * 0.25, side = v % SIDES + 0.5 * (v / SIDES % 2);
        const double angle = 2 * 3.14159265358979 * side / SIDES;
        const double upper = fmin(fmax((y - 0.7) / 1.1, 0), 1);
        positions[v] = lmb_vec3_make((float)cos(angle) / 2, (float)y, (float)sin(angle) / 2);
        normals[v] = lmb_vec3_make((float)cos(angle), 0, (float)sin(angle));
        items[2 * v] = (lmb_influence){upper > 0.5, (float)(upper > 0.5 ? upper : 1 - upper)};
        items[2 * v + 1] = (lmb_influence){upper <= 0.5, (float)(upper > 0.5 ? 1 - upper : upper)};
        t->upper[v] = (double)items[2 * v + (items[2 * v].joint == 0)].weight;
        first[v + 1] = 2 * v + 2;
    }
    fill_triangles(indices);
    lmb_primitive primitive = {.index_count = 3 * TRIANGLES,
                               .vertex_count = POINTS,
                               .attributes = LMB_HAS_NORMALS | LMB_HAS_INFLUENCES,
                               .material = LMB_NONE};
    const lmb_mesh def = {.vertex_count = POINTS,
                          .primitive_count = 1,
                          .primitives = &primitive,
                          .positions = positions,
                          .normals = normals,
                          .index_count = 3 * TRIANGLES,
                          .indices = indices,
                          .influences = {first, items}};
    assert_int_equal(lmb_mesh_create(&def, NULL, &t->mesh, NULL), LMB_OK);
}

// ------------------------------------------------------------------------------------ the formulas

static void fill_walk(tube *t)
{
    for (uint32_t i = 0; i < t->mesh->index_count; ++i) {
        const uint32_t *corners = t->mesh->indices + i / 3 * 3;
        const uint32_t a = corners[i % 3], b = corners[(i + 1) % 3], c = corners[(i + 2) % 3];
        const lmb_vec3 *p = t->mesh->positions;
        const lmb_vec3 u = lmb_vec3_sub(p[b], p[a]), w = lmb_vec3_sub(p[c], p[a]);
        const double cotangent =
            (double)lmb_vec3_dot(u, w) / (double)lmb_vec3_length(lmb_vec3_cross(u, w));
        t->walk[b][c] += cotangent;
        t->walk[c][b] += cotangent;
    }
    for (int i = 0; i < POINTS; ++i) {
        double sum = 0;
        for (int k = 0; k < POINTS; ++k) {
            sum += t->walk[i][k];
        }
        for (int k = 0; k < POINTS; ++k) {
            t->walk[i][k] /= sum;
        }
    }
}

/// One implicit step of all columns: m becomes (1 + strength (1 - walk))^-1 m.
static void step(const tube *t, double strength, double (*m)[POINTS])
{
    static double a[POINTS][POINTS];
    for (int i = 0; i < POINTS; ++i) {
        for (int k = 0; k < POINTS; ++k) {
            a[i][k] = (i == k ? 1 + strength : 0) - strength * t->walk[i][k];
        }
    }
    // Diagonally dominant: elimination needs no pivots.
    for (int c = 0; c < POINTS; ++c) {
        for (int i = 0; i < POINTS; ++i) {
            const double factor = i == c ? 0 : a[i][c] / a[c][c];
            for (int k = c; k < POINTS && i != c; ++k) {
                a[i][k] -= factor * a[c][k];
            }
            for (int k = 0; k < POINTS && i != c; ++k) {
                m[i][k] -= factor * m[c][k];
            }
        }
    }
    for (int i = 0; i < POINTS; ++i) {
        for (int k = 0; k < POINTS; ++k) {
            m[i][k] /= a[i][i];
        }
    }
}

static tube *tube_create(void)
{
    tube *t = calloc(1, sizeof(*t));
    assert_non_null(t);
    shape(t);
    fill_walk(t);
    for (int i = 0; i < POINTS; ++i) {
        t->rotated[i][i] = t->moved[i][i] = 1;
    }
    for (int p = 0; p < PASSES; ++p) {
        step(t, 3, t->rotated);
        step(t, 1, t->moved);
    }
    return t;
}

/// Of point i: its smoothed place; and of joint j the last column of Omega, x and then weight.
typedef struct row {
    double position[3], column[2][4];
} row;

static row row_of(const tube *t, int i)
{
    const double alpha = (double)0.8f;
    row r = {{0}, {{0}}};
    double moved[2] = {0};
    for (int k = 0; k < POINTS; ++k) {
        const lmb_vec3 p = t->mesh->positions[k];
        const double u[4] = {(double)p.x, (double)p.y, (double)p.z, 1};
        const double weight[2] = {1 - t->upper[k], t->upper[k]};
        for (int c = 0; c < 4; ++c) {
            for (int j = 0; j < 2; ++j) {
                r.column[j][c] += (1 - alpha) * t->rotated[i][k] * weight[j] * u[c];
            }
            r.position[c % 3] += c < 3 ? t->rotated[i][k] * u[c] : 0;
        }
        moved[0] += t->moved[i][k] * weight[0];
        moved[1] += t->moved[i][k] * weight[1];
    }
    for (int j = 0; j < 2; ++j) {
        for (int c = 0; c < 4; ++c) {
            r.column[j][c] += alpha * moved[j] * (c < 3 ? r.position[c] : 1);
        }
    }
    return r;
}

static void add_moved(const lmb_mat4 *m, const double *x, double w, double out[3])
{
    for (int r = 0; r < 3; ++r) {
        out[r] += (double)m->m[r] * x[0] + (double)m->m[4 + r] * x[1] + (double)m->m[8 + r] * x[2] +
                  (double)m->m[12 + r] * w;
    }
}

/// The blend of the rotations, each in the hemisphere of the first.
static void turn(const lmb_quat *q, const double fraction[2], const double v[3], double out[3])
{
    const double sign = lmb_quat_dot(q[0], q[1]) < 0 ? -1 : 1, b = sign * fraction[1];
    double u[4] = {fraction[0] * (double)q[0].x + b * (double)q[1].x,
                   fraction[0] * (double)q[0].y + b * (double)q[1].y,
                   fraction[0] * (double)q[0].z + b * (double)q[1].z,
                   fraction[0] * (double)q[0].w + b * (double)q[1].w};
    const double s = 2 / (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
    const double c[3] = {u[1] * v[2] - u[2] * v[1] + u[3] * v[0],
                         u[2] * v[0] - u[0] * v[2] + u[3] * v[1],
                         u[0] * v[1] - u[1] * v[0] + u[3] * v[2]};
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] += v[i] + s * (u[j] * c[k] - u[k] * c[j]);
    }
}

static void by_formula(const row *r, lmb_mush_variant variant, lmb_vec3 vertex,
                       const lmb_mat4 *palette, const lmb_quat *rotations, double out[3])
{
    const double v[3] = {(double)vertex.x, (double)vertex.y, (double)vertex.z};
    const double arm[3] = {v[0] - r->position[0], v[1] - r->position[1], v[2] - r->position[2]};
    const double fraction[2] = {r->column[0][3], r->column[1][3]};
    out[0] = out[1] = out[2] = 0;
    for (int j = 0; j < 2; ++j) {
        const double w = fraction[j], *p = variant == LMB_MUSH_V5 ? v : r->position;
        const double x[3] = {w * p[0], w * p[1], w * p[2]};
        add_moved(&palette[j], variant == LMB_MUSH_V2 ? r->column[j] : x, w, out);
    }
    if (variant != LMB_MUSH_V5) {
        turn(rotations, fraction, arm, out);
    }
}

// ------------------------------------------------------------------------------------------- tests

static void variants_equal_their_formulas(void **state)
{
    (void)state;
    static const lmb_mush_variant variants[] = {LMB_MUSH_V2, LMB_MUSH_V4, LMB_MUSH_V5};
    tube *t = tube_create();
    const lmb_transform moved = {{0.1f, 0.3f, -0.2f},
                                 lmb_quat_mul(lmb_quat_axis_angle((lmb_vec3){0, 1, 0}, 1.5f),
                                              lmb_quat_axis_angle((lmb_vec3){0.6f, 0, 0.8f}, 1.1f)),
                                 {1, 1, 1}};
    const lmb_mat4 palette[] = {lmb_mat4_identity(), lmb_mat4_from_transform(moved)};
    const lmb_quat q = moved.rotation;
    const lmb_quat rotations[] = {{0, 0, 0, 1}, {-q.x, -q.y, -q.z, -q.w}}; // the other way round
    for (int k = 0; k < 3; ++k) {
        lmb_mush *mush = NULL;
        lmb_vec3 out[POINTS];
        const lmb_mush_opts opts = {
            .variant = variants[k], .passes = PASSES, .least_weight = 1e-6f};
        assert_int_equal(lmb_mush_create(t->mesh, &opts, NULL, NULL, &mush, NULL), LMB_OK);
        lmb_skin_mush(
            &(lmb_skin_mush_job){.skin = {.model_from_bind = palette, .out_positions = out},
                                 .mush = mush,
                                 .rotations = rotations});
        for (int i = 0; i < POINTS; ++i) {
            const row r = row_of(t, i);
            double want[3];
            by_formula(&r, variants[k], t->mesh->positions[i], palette, rotations, want);
            const double dx = (double)out[i].x - want[0], dy = (double)out[i].y - want[1],
                         dz = (double)out[i].z - want[2];
            if (!(dx * dx + dy * dy + dz * dz < 1e-10)) {
                fail_msg("variant %d, point %d: off by %g", (int)variants[k], i,
                         sqrt(dx * dx + dy * dy + dz * dz));
            }
        }
        lmb_mush_destroy(mush);
    }
    lmb_mesh_destroy(t->mesh);
    free(t);
}

static void unknown_variants_are_refused(void **state)
{
    (void)state;
    tube *t = calloc(1, sizeof(*t));
    assert_non_null(t);
    shape(t);
    for (int k = 1; k < 8; ++k) {
        lmb_mush *mush = NULL;
        lmb_error error = {0};
        const lmb_mush_opts opts = {.variant = (lmb_mush_variant)k, .passes = 1};
        const bool known = k == 2 || k == 4 || k == 5;
        assert_int_equal(lmb_mush_create(t->mesh, &opts, NULL, NULL, &mush, &error),
                         known ? LMB_OK : LMB_ERROR_INVALID);
        assert_true(known == (mush != NULL));
        lmb_mush_destroy(mush);
    }
    lmb_mesh_destroy(t->mesh);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_equal_their_formulas),
        cmocka_unit_test(unknown_variants_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
