// Morph targets against sums in double precision, compiled against dense bit for bit, sliders with
// keys, combinations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/os.h"
#include "limber/skin.h"
#include "near.h"

// ----------------------------------------------------------------------------------------- meshes

enum { SIDE = 60, VERTICES = SIDE * SIDE, TARGETS = 7 };

typedef struct grid {
    lmb_vec3 positions[VERTICES], normals[VERTICES];
    lmb_vec4 tangents[VERTICES];
    lmb_vec3 deltas[TARGETS][3][VERTICES];
    uint32_t indices[(SIDE - 1) * (SIDE - 1) * 6];
    lmb_morph_target targets[TARGETS];
    lmb_primitive primitive;
    lmb_mesh mesh;
} grid;

static float height(int k, float x, float y)
{
    return k == 0 ? 0 : 0.3f * lmb_sin(3 * x * (float)k) * lmb_cos(2 * y);
}

/// A flat sheet whose targets are waves: the first everywhere, the others in smaller and smaller
/// places, one nowhere.
static grid *grid_new(void)
{
    grid *g = calloc(1, sizeof *g);
    assert_non_null(g);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const float x = (float)(v % SIDE) / SIDE * 2 - 1, y = (float)(v / SIDE) / SIDE * 2 - 1;
        g->positions[v] = lmb_vec3_make(x, y, 0);
        g->normals[v] = lmb_vec3_make(0, 0, 1);
        g->tangents[v] = (lmb_vec4){1, 0, 0, -1};
        for (int t = 0; t < TARGETS; ++t) {
            const bool in = t == 0 || (t < TARGETS - 1 && x * x + y * y < 1.0f / (float)(t * t));
            g->deltas[t][0][v] = lmb_vec3_make(0, in ? 0.1f * x : 0, in ? height(t + 1, x, y) : 0);
            g->deltas[t][1][v] = lmb_vec3_make(in ? 0.4f * y : 0, in ? -0.3f * x : 0, 0);
            g->deltas[t][2][v] = lmb_vec3_make(0, in ? 0.2f : 0, in ? 0.1f * y : 0);
        }
    }
    uint32_t n = 0;
    for (uint32_t j = 0; j + 1 < SIDE; ++j) {
        for (uint32_t i = 0; i + 1 < SIDE; ++i) {
            const uint32_t a = j * SIDE + i,
                           corners[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
            memcpy(g->indices + n, corners, sizeof corners);
            n += 6;
        }
    }
    for (int t = 0; t < TARGETS; ++t) {
        g->targets[t] = (lmb_morph_target){NULL, g->deltas[t][0], g->deltas[t][1], g->deltas[t][2]};
    }
    g->primitive =
        (lmb_primitive){.index_count = n, .vertex_count = VERTICES, .material = LMB_NONE};
    g->mesh = (lmb_mesh){.vertex_count = VERTICES,
                         .positions = g->positions,
                         .normals = g->normals,
                         .tangents = g->tangents,
                         .index_count = n,
                         .indices = g->indices,
                         .primitive_count = 1,
                         .primitives = &g->primitive,
                         .target_count = TARGETS,
                         .targets = g->targets};
    return g;
}

typedef struct result {
    lmb_vec3 positions[VERTICES], normals[VERTICES];
    lmb_vec4 tangents[VERTICES];
} result;

static void morph(const grid *g, const lmb_morph_set *set, const float *weights, lmb_simd simd,
                  const lmb_jobs *jobs, bool recompute, result *out)
{
    memset(out, 7, sizeof *out);
    lmb_morph(&(lmb_morph_job){.mesh = &g->mesh,
                               .weights = weights,
                               .out_positions = out->positions,
                               .out_normals = out->normals,
                               .out_tangents = out->tangents,
                               .set = set,
                               .simd = simd,
                               .jobs = jobs,
                               .recompute_normals = recompute});
}

static const float some_weights[TARGETS] = {0.5f, -0.25f, 1.0f, 0, 2.0f, 0.125f, 3.0f};

// ------------------------------------------------------------------------------------------ tests

static void two_targets_add(void **state)
{
    (void)state;
    lmb_vec3 p = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0}, out;
    lmb_morph_target targets[] = {{.positions = &x}, {.positions = &y}};
    const lmb_mesh mesh = {
        .vertex_count = 1, .positions = &p, .target_count = 2, .targets = targets};
    const float weights[] = {0.5f, 0.25f};
    lmb_morph(&(lmb_morph_job){.mesh = &mesh, .weights = weights, .out_positions = &out});
    near((double)out.x, 0.5, 0);
    near((double)out.y, 0.25, 0);
    near((double)out.z, 0, 0);
}

static void sums_are_those_of_double_precision(void **state)
{
    (void)state;
    grid *g = grid_new();
    result *out = malloc(sizeof *out);
    assert_non_null(out);
    morph(g, NULL, some_weights, LMB_SIMD_BEST, NULL, false, out);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        double p[3] = {(double)g->positions[v].x, (double)g->positions[v].y,
                       (double)g->positions[v].z};
        double n[3] = {0, 0, 1};
        for (int t = 0; t < TARGETS; ++t) {
            const double w = (double)some_weights[t];
            const lmb_vec3 d = g->deltas[t][0][v], e = g->deltas[t][1][v];
            p[0] += w * (double)d.x, p[1] += w * (double)d.y, p[2] += w * (double)d.z;
            n[0] += w * (double)e.x, n[1] += w * (double)e.y, n[2] += w * (double)e.z;
        }
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        near((double)out->positions[v].y, p[1], 1e-6);
        near((double)out->positions[v].z, p[2], 1e-6);
        near((double)out->normals[v].x, n[0] / length, 1e-6);
        near((double)out->normals[v].z, n[2] / length, 1e-6);
        near((double)out->tangents[v].w, -1, 0);
    }
    free(out);
    free(g);
}

static void compiled_targets_give_the_bits_of_dense_ones(void **state)
{
    (void)state;
    grid *g = grid_new();
    result *dense = malloc(sizeof *dense), *sparse = malloc(sizeof *sparse);
    assert_true(dense && sparse);
    lmb_morph_set *set = NULL;
    assert_int_equal(lmb_morph_set_create(&g->mesh, NULL, NULL, &set, NULL), LMB_OK);
    assert_true(lmb_morph_set_bytes(set) < (size_t)VERTICES * TARGETS * 36 / 2);
    lmb_pool *pool = NULL;
    assert_int_equal(lmb_pool_create(3, &pool, NULL), LMB_OK);
    const lmb_jobs *threads = lmb_pool_jobs(pool);
    morph(g, NULL, some_weights, LMB_SIMD_BEST, NULL, false, dense);
    for (int simd = LMB_SIMD_BEST; simd < LMB_SIMD_COUNT; ++simd) {
        morph(g, set, some_weights, (lmb_simd)simd, simd % 2 ? threads : NULL, false, sparse);
        assert_memory_equal(dense, sparse, sizeof *dense);
    }
    morph(g, NULL, NULL, LMB_SIMD_BEST, NULL, false, dense);
    morph(g, set, NULL, LMB_SIMD_BEST, NULL, false, sparse);
    assert_memory_equal(dense, sparse, sizeof *dense);
    assert_memory_equal(dense->positions, g->positions, sizeof g->positions);
    lmb_pool_destroy(pool);
    lmb_morph_set_destroy(set);
    free(dense);
    free(sparse);
    free(g);
}

static void shorts_are_off_by_no_more_than_they_say(void **state)
{
    (void)state;
    grid *g = grid_new();
    result *dense = malloc(sizeof *dense), *coarse = malloc(sizeof *coarse);
    assert_true(dense && coarse);
    lmb_morph_set *set = NULL, *floats = NULL;
    assert_int_equal(
        lmb_morph_set_create(&g->mesh, &(lmb_morph_set_opts){.shorts = true}, NULL, &set, NULL),
        LMB_OK);
    assert_int_equal(lmb_morph_set_create(&g->mesh, NULL, NULL, &floats, NULL), LMB_OK);
    assert_true(lmb_morph_set_bytes(set) * 20 < lmb_morph_set_bytes(floats) * 11);
    double bound = 1e-6;
    for (int t = 0; t < TARGETS; ++t) {
        double most = 0;
        for (uint32_t v = 0; v < VERTICES; ++v) {
            most = fmax(
                most, fmax(fabs((double)g->deltas[t][0][v].y), fabs((double)g->deltas[t][0][v].z)));
        }
        bound += fabs((double)some_weights[t]) * most / 65534;
    }
    morph(g, NULL, some_weights, LMB_SIMD_BEST, NULL, false, dense);
    for (int simd = LMB_SIMD_SCALAR; simd < LMB_SIMD_COUNT; ++simd) {
        morph(g, set, some_weights, (lmb_simd)simd, NULL, false, coarse);
        for (uint32_t v = 0; v < VERTICES; ++v) {
            near((double)coarse->positions[v].y, (double)dense->positions[v].y, bound);
            near((double)coarse->positions[v].z, (double)dense->positions[v].z, bound);
        }
    }
    lmb_morph_set_destroy(set);
    lmb_morph_set_destroy(floats);
    free(dense);
    free(coarse);
    free(g);
}

static void a_tolerance_drops_what_is_below_it(void **state)
{
    (void)state;
    lmb_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, out[4];
    lmb_vec3 d[4] = {{0.001f, 0, 0}, {0, 0.5f, 0}, {0, 0, 0.0009f}, {0, 0, 0.0011f}};
    lmb_morph_target target = {.positions = d};
    const lmb_mesh mesh = {
        .vertex_count = 4, .positions = p, .target_count = 1, .targets = &target};
    lmb_morph_set *set = NULL;
    assert_int_equal(
        lmb_morph_set_create(&mesh, &(lmb_morph_set_opts){.tolerance = 0.001f}, NULL, &set, NULL),
        LMB_OK);
    const float one = 1;
    lmb_morph(&(lmb_morph_job){.mesh = &mesh, .weights = &one, .out_positions = out, .set = set});
    near((double)out[0].x, 0, 0);
    near((double)out[1].y, 0.5, 0);
    near((double)out[2].z, 0, 0);
    near((double)out[3].z, (double)0.0011f, 0);
    lmb_morph_set_destroy(set);
}

/// The sheet becomes z = 0.3 sin(3 x) cos(2 y) under the first target without its stretch: the
/// slope is known.
static void recomputed_normals_are_those_of_the_surface(void **state)
{
    (void)state;
    grid *g = grid_new();
    result *out = malloc(sizeof *out);
    assert_non_null(out);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const lmb_vec3 p = g->positions[v];
        g->deltas[0][0][v] = lmb_vec3_make(0, 0, height(1, p.x, p.y));
        // An artist's normals lean; the lean must stay.
        g->normals[v] = lmb_vec3_normalize_or(lmb_vec3_make(0.1f, 0, 1), g->normals[v]);
    }
    lmb_morph_set *set = NULL;
    assert_int_equal(
        lmb_morph_set_create(&g->mesh, &(lmb_morph_set_opts){.surface = true}, NULL, &set, NULL),
        LMB_OK);
    const float weights[TARGETS] = {1};
    morph(g, set, weights, LMB_SIMD_BEST, NULL, true, out);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const double x = (double)g->positions[v].x, y = (double)g->positions[v].y;
        const uint32_t i = v % SIDE, j = v / SIDE;
        if (i == 0 || j == 0 || i == SIDE - 1 || j == SIDE - 1) {
            continue;
        }
        const double sx = 0.9 * cos(3 * x) * cos(2 * y), sy = -0.6 * sin(3 * x) * sin(2 * y);
        const double length = sqrt(1 + sx * sx + sy * sy);
        const lmb_vec3 want =
            lmb_vec3_make((float)(-sx / length), (float)(-sy / length), (float)(1 / length));
        const lmb_quat rotation = lmb_quat_between(lmb_vec3_make(0, 0, 1), want);
        near((double)lmb_vec3_distance(out->normals[v], lmb_quat_rotate(rotation, g->normals[v])),
             0, 5e-3);
        const lmb_vec3 t =
            lmb_vec3_make(out->tangents[v].x, out->tangents[v].y, out->tangents[v].z);
        near((double)lmb_vec3_distance(t, lmb_quat_rotate(rotation, lmb_vec3_make(1, 0, 0))), 0,
             5e-3);
    }
    const float none[TARGETS] = {0};
    morph(g, set, none, LMB_SIMD_BEST, NULL, true, out);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        near((double)lmb_vec3_distance(out->normals[v], g->normals[v]), 0, 1e-6);
    }
    lmb_morph_set_destroy(set);
    free(out);
    free(g);
}

static void seams_stay_closed_under_recomputed_normals(void **state)
{
    (void)state;
    // Two triangles along one edge, whose vertices the seam doubles; the second lifts its far
    // corner.
    lmb_vec3 p[6] = {{0, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}};
    lmb_vec3 n[6], d[6] = {{0, 0, 0}}, out[6], normals[6];
    for (int v = 0; v < 6; ++v) {
        n[v] = lmb_vec3_make(0, 0, 1);
    }
    d[5].z = 1;
    uint32_t indices[6] = {0, 1, 2, 3, 4, 5};
    lmb_morph_target target = {.positions = d};
    lmb_primitive primitive = {.index_count = 6, .vertex_count = 6};
    lmb_mesh mesh = {.vertex_count = 6,
                     .positions = p,
                     .normals = n,
                     .index_count = 6,
                     .indices = indices,
                     .primitive_count = 1,
                     .primitives = &primitive,
                     .target_count = 1,
                     .targets = &target};
    lmb_morph_set *set = NULL;
    assert_int_equal(
        lmb_morph_set_create(&mesh, &(lmb_morph_set_opts){.surface = true}, NULL, &set, NULL),
        LMB_OK);
    const float one = 1;
    lmb_morph(&(lmb_morph_job){.mesh = &mesh,
                               .weights = &one,
                               .out_positions = out,
                               .out_normals = normals,
                               .set = set,
                               .recompute_normals = true});
    near((double)lmb_vec3_distance(normals[0], normals[4]), 0, 0);
    near((double)lmb_vec3_distance(normals[1], normals[3]), 0, 0);
    // Halfway between (0, 0, 1) and (-1, 0, 1)/sqrt 2 by area: 1 and sqrt 2.
    near((double)normals[0].x, -1 / sqrt(5), 1e-6);
    near((double)normals[5].x, -sqrt(0.5), 1e-6);
    lmb_morph_set_destroy(set);
}

static void absolute_weights_mix_whole_shapes(void **state)
{
    (void)state;
    lmb_vec3 base = {1, 2, 3}, a = {5, 2, 3}, b = {1, -2, 4}, da, db, out;
    lmb_morph_target targets[] = {{.positions = &da}, {.positions = &db}};
    const lmb_mesh mesh = {
        .vertex_count = 1, .positions = &base, .target_count = 2, .targets = targets};
    lmb_morph_difference(
        &(lmb_morph_difference_job){.mesh = &mesh, .positions = &a, .out_positions = &da});
    lmb_morph_difference(
        &(lmb_morph_difference_job){.mesh = &mesh, .positions = &b, .out_positions = &db});
    const float fractions[] = {0.2f, 0.5f, 0.3f}, twice[] = {0.4f, 1.0f, 0.6f}, zeros[3] = {0};
    const float *const given[] = {fractions, twice};
    for (int k = 0; k < 2; ++k) {
        float weights[2];
        lmb_morph_absolute(given[k], 2, weights);
        lmb_morph(&(lmb_morph_job){.mesh = &mesh, .weights = weights, .out_positions = &out});
        near((double)out.x, 0.2 * 1 + 0.5 * 5 + 0.3 * 1, 1e-6);
        near((double)out.y, 0.2 * 2 + 0.5 * 2 + 0.3 * -2, 1e-6);
        near((double)out.z, 0.2 * 3 + 0.5 * 3 + 0.3 * 4, 1e-6);
    }
    float weights[2] = {9, 9};
    lmb_morph_absolute(zeros, 2, weights);
    near((double)weights[0] + (double)weights[1], 0, 0);
}

// ------------------------------------------------------------------------------------------- rigs

static void keys_show_one_after_the_other(void **state)
{
    (void)state;
    const uint32_t targets[] = {0, 1, 2, 3};
    const float keys[] = {-1, 0.25f, 0.5f, 1};
    const lmb_morph_control control = {4, targets, keys};
    const lmb_morph_rig rig = {.target_count = 4, .control_count = 1, .controls = &control};
    assert_int_equal(lmb_morph_rig_check(&rig, NULL), LMB_OK);
    const struct {
        float value, want[4];
    } cases[] = {
        {0, {0, 0, 0, 0}},        {0.125f, {0, 0.5f, 0, 0}},
        {0.25f, {0, 1, 0, 0}},    {0.375f, {0, 0.5f, 0.5f, 0}},
        {0.5f, {0, 0, 1, 0}},     {0.75f, {0, 0, 0.5f, 0.5f}},
        {1, {0, 0, 0, 1}},        {2, {0, 0, 0, 2}},
        {-0.5f, {0.5f, 0, 0, 0}}, {-1, {1, 0, 0, 0}},
        {-3, {3, 0, 0, 0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        float weights[4] = {9, 9, 9, 9};
        lmb_morph_rig_weights(&rig, &cases[k].value, weights);
        for (int t = 0; t < 4; ++t) {
            near((double)weights[t], (double)cases[k].want[t], 1e-6);
        }
    }
    const lmb_morph_control plain = {1, targets, keys + 3}, left = {1, targets, keys};
    const lmb_morph_rig backwards = {.target_count = 1, .control_count = 1, .controls = &plain};
    const lmb_morph_rig mirrored = {.target_count = 1, .control_count = 1, .controls = &left};
    const float value = -0.5f, up = 0.5f;
    float weight;
    lmb_morph_rig_weights(&backwards, &value, &weight);
    near((double)weight, -0.5, 1e-6);
    lmb_morph_rig_weights(&mirrored, &up, &weight);
    near((double)weight, -0.5, 1e-6);
}

static void combinations_follow_products_and_least(void **state)
{
    (void)state;
    const uint32_t both[] = {0, 1}, target = 0, other = 1;
    const float one = 1;
    const lmb_morph_control controls[] = {{1, &target, &one}, {1, &other, &one}};
    const lmb_morph_combination combinations[] = {{2, LMB_MORPH_PRODUCT, 2, both},
                                                  {3, LMB_MORPH_LEAST, 2, both}};
    const lmb_morph_rig rig = {4, 2, 2, controls, combinations};
    assert_int_equal(lmb_morph_rig_check(&rig, NULL), LMB_OK);
    float weights[4];
    const float values[] = {0.5f, 0.8f}, negative[] = {-1, -1};
    lmb_morph_rig_weights(&rig, values, weights);
    near((double)weights[0], 0.5, 1e-6);
    near((double)weights[1], 0.8, 1e-6);
    near((double)weights[2], 0.4, 1e-6);
    near((double)weights[3], 0.5, 1e-6);
    lmb_morph_rig_weights(&rig, negative, weights);
    near((double)weights[2], 0, 0);
    near((double)weights[3], 0, 0);
}

static void bad_rigs_are_refused(void **state)
{
    (void)state;
    const uint32_t targets[] = {0, 1}, wrong[] = {0, 2};
    const float keys[] = {0.5f, 1}, falling[] = {1, 0.5f}, zero[] = {0, 1}, nan[] = {1, NAN};
    const lmb_morph_control bad[] = {
        {2, wrong, keys}, {2, targets, falling}, {2, targets, zero}, {2, targets, nan}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        const lmb_morph_rig rig = {.target_count = 2, .control_count = 1, .controls = &bad[k]};
        assert_int_equal(lmb_morph_rig_check(&rig, NULL), LMB_ERROR_INVALID);
    }
    const lmb_morph_combination of_nothing = {0, LMB_MORPH_LEAST, 0, NULL},
                                of_none = {0, LMB_MORPH_LEAST, 1, targets};
    const lmb_morph_rig first = {
        .target_count = 1, .combination_count = 1, .combinations = &of_nothing};
    const lmb_morph_rig second = {
        .target_count = 1, .combination_count = 1, .combinations = &of_none};
    assert_int_equal(lmb_morph_rig_check(&first, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmb_morph_rig_check(&second, NULL), LMB_ERROR_INVALID);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    grid *g = grid_new();
    for (int calls = 0;; ++calls) {
        failing_allocator memory = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmb_morph_set *set = NULL;
        const lmb_result got = lmb_morph_set_create(
            &g->mesh, &(lmb_morph_set_opts){.surface = true}, &alloc, &set, NULL);
        if (got == LMB_OK) {
            lmb_morph_set_destroy(set);
            assert_int_equal(memory.held, 0);
            break;
        }
        assert_int_equal(got, LMB_ERROR_MEMORY);
        assert_null(set);
        assert_int_equal(memory.held, 0);
    }
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_targets_add),
        cmocka_unit_test(sums_are_those_of_double_precision),
        cmocka_unit_test(compiled_targets_give_the_bits_of_dense_ones),
        cmocka_unit_test(shorts_are_off_by_no_more_than_they_say),
        cmocka_unit_test(a_tolerance_drops_what_is_below_it),
        cmocka_unit_test(recomputed_normals_are_those_of_the_surface),
        cmocka_unit_test(seams_stay_closed_under_recomputed_normals),
        cmocka_unit_test(absolute_weights_mix_whole_shapes),
        cmocka_unit_test(keys_show_one_after_the_other),
        cmocka_unit_test(combinations_follow_products_and_least),
        cmocka_unit_test(bad_rigs_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
