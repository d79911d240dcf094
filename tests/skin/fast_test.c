// LMB_SIMD_FAST: every deformer with products and sums fused gives what it gives without, but for
// the last digits; and is something else, where this machine fuses.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cylinder.h"
#include "limber/skin.h"

typedef struct shape {
    lmb_vec3 positions[CYLINDER_VERTICES], normals[CYLINDER_VERTICES];
} shape;

typedef struct scene {
    lmb_mesh *mesh;
    lmb_binding *binding;
    lmb_centers *centers;
    lmb_mush *mush[LMB_MUSH_V5 + 1];
    lmb_mat4 palette[2], stretch[2];
    lmb_quat rotations[2];
    shape exact, fast;
} scene;

static int set_up(void **state)
{
    scene *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    s->mesh = cylinder_create(false);
    assert_int_equal(lmb_binding_create(s->mesh, 2, NULL, &s->binding, NULL), LMB_OK);
    assert_int_equal(lmb_centers_create(s->mesh, NULL, NULL, NULL, &s->centers, NULL), LMB_OK);
    for (int v = 0; v <= LMB_MUSH_V5; v += v == 4 ? 1 : 2) {
        const lmb_mush_opts opts = {.variant = (lmb_mush_variant)v};
        assert_int_equal(lmb_mush_create(s->mesh, &opts, NULL, NULL, &s->mush[v], NULL), LMB_OK);
    }
    lmb_mat4 palette[2];
    cylinder_pose((lmb_vec3){0.48f, 0.64f, 0.6f}, 100, palette);
    lmb_skin_split(&(lmb_skin_split_job){.joint_count = 2,
                                         .model_from_bind = palette,
                                         .rigid = s->palette,
                                         .rotations = s->rotations,
                                         .stretch = s->stretch});
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    scene *s = *state;
    for (int v = 0; v <= LMB_MUSH_V5; ++v) {
        lmb_mush_destroy(s->mush[v]);
    }
    lmb_centers_destroy(s->centers);
    lmb_binding_destroy(s->binding);
    lmb_mesh_destroy(s->mesh);
    free(s);
    return 0;
}

enum { LINEAR, DUAL, CENTER, MUSH, METHODS = MUSH + LMB_MUSH_V5 + 1 };

static void deform(const scene *s, int method, lmb_simd simd, shape *out)
{
    const lmb_skin_job job = {.binding = s->binding,
                              .model_from_bind = s->palette,
                              .out_positions = out->positions,
                              .out_normals = out->normals,
                              .simd = simd};
    if (method == LINEAR) {
        lmb_skin_linear(&job);
    } else if (method == DUAL) {
        lmb_skin_dual(&(lmb_skin_dual_job){.skin = job, .rotations = s->rotations});
    } else if (method == CENTER) {
        lmb_skin_center(&(lmb_skin_center_job){
            .skin = job, .rotations = s->rotations, .centers = s->centers->positions});
    } else {
        lmb_skin_mush(&(lmb_skin_mush_job){
            .skin = job, .mush = s->mush[method - MUSH], .rotations = s->rotations});
    }
}

static void differs_in_the_last_digits_only(void **state)
{
    scene *s = *state;
    for (int method = 0; method < METHODS; ++method) {
        if (method >= MUSH && s->mush[method - MUSH] == NULL) {
            continue;
        }
        deform(s, method, LMB_SIMD_BEST, &s->exact);
        deform(s, method, LMB_SIMD_FAST, &s->fast);
        for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
            const lmb_vec3 p = s->exact.positions[v], n = s->exact.normals[v];
            assert_true(lmb_vec3_distance(s->fast.positions[v], p) < 2e-5f);
            assert_true(lmb_vec3_distance(s->fast.normals[v], n) < 2e-5f);
        }
        const bool same = memcmp(&s->exact, &s->fast, sizeof(shape)) == 0;
        assert_true(same == !lmb_simd_runs(LMB_SIMD_FAST));
    }
}

/// One machine, one answer.
static void runs_are_repeated_to_the_bit(void **state)
{
    scene *s = *state;
    for (int method = 0; method < MUSH; ++method) {
        deform(s, method, LMB_SIMD_FAST, &s->exact);
        deform(s, method, LMB_SIMD_FAST, &s->fast);
        assert_memory_equal(&s->exact, &s->fast, sizeof(shape));
    }
}

static void has_a_name_and_falls_back(void **state)
{
    (void)state;
    assert_string_equal(lmb_simd_name(LMB_SIMD_FAST), "fast");
    assert_true(lmb_simd_best() != LMB_SIMD_FAST);
    if (lmb_simd_best() <= LMB_SIMD_SSE2) {
        assert_false(lmb_simd_runs(LMB_SIMD_FAST));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(differs_in_the_last_digits_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(runs_are_repeated_to_the_bit, set_up, tear_down),
        cmocka_unit_test(has_a_name_and_falls_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
