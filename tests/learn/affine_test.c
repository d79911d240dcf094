// Bones that stretch and shear: boxes that do so exactly come back exactly, also as joints of a
// file; and a rest shape that was disturbed is found again.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "learn/replayed.h"
#include "learn/stretch.h"
#include "limber/learn.h"

enum { BOXES = 3, FRAMES = 9 };

static lmb_mat4 any_affine(lmb_random *random, bool mirrored)
{
    lmb_mat4 m = lmb_mat4_identity();
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) {
            m.m[4 * c + r] += lmb_random_range(random, -0.25f, 0.25f);
        }
        m.m[12 + c] = lmb_random_range(random, -1, 1);
    }
    for (int r = 0; mirrored && r < 3; ++r) {
        m.m[r] = -m.m[r];
    }
    return m;
}

/// Boxes whose vertices each follow one affine motion.
static moving sheared_boxes(void)
{
    moving m = moving_boxes(BOXES, FRAMES);
    lmb_random random = lmb_random_seed(11);
    for (uint32_t k = 0; k < FRAMES; ++k) {
        for (uint32_t b = 0; b < BOXES; ++b) {
            const lmb_mat4 t = any_affine(&random, false);
            for (uint32_t v = 26 * b; v < 26 * (b + 1); ++v) {
                m.frames[k][v] = lmb_mat4_point(t, m.rest[v]);
            }
        }
    }
    return m;
}

static void shear_is_found_by_affine_bones_alone(void **state)
{
    (void)state;
    moving m = sheared_boxes();
    lmb_learn_opts opts = {.bone_count = BOXES, .skeleton = LMB_LEARN_FLAT};
    lmb_learn_report rigid, affine;
    lmb_learned_destroy(moving_learn(&m, &opts, &rigid));
    opts.motion = LMB_LEARN_AFFINE;
    lmb_learned *l = moving_learn(&m, &opts, &affine);
    assert_non_null(l->affine);
    assert_true(affine.rms_percent < 0.01f * rigid.rms_percent);
    assert_true(rigid.rms_percent > 1);
    lmb_learned_destroy(l);
    moving_free(&m);
}

static void the_joints_that_are_written_show_the_frames(void **state)
{
    (void)state;
    moving m = sheared_boxes();
    const lmb_learn_opts opts = {
        .bone_count = BOXES, .skeleton = LMB_LEARN_FLAT, .motion = LMB_LEARN_AFFINE};
    lmb_learned *l = moving_learn(&m, &opts, NULL);
    lmb_character *made = replayed_character(&m, l);
    for (uint32_t k = 0; k < FRAMES; ++k) {
        assert_true(replayed_error(&m, made, k) < 2e-3f);
    }
    lmb_character_destroy(made);
    lmb_learned_destroy(l);
    moving_free(&m);
}

static void a_split_transform_is_the_whole_one(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(3);
    lmbi_stretch before;
    for (int k = 0; k < 200; ++k) {
        const lmb_mat4 m = any_affine(&random, k % 4 == 3);
        const lmbi_stretch s = lmbi_stretch_of(m, k > 0 ? &before : NULL);
        lmb_transform inner = lmb_transform_identity();
        inner.rotation = s.inner;
        const lmb_mat4 product =
            lmb_mat4_mul(lmb_mat4_from_transform(s.outer), lmb_mat4_from_transform(inner));
        for (int e = 0; e < 16; ++e) {
            assert_float_equal(product.m[e], m.m[e], 2e-6);
        }
        before = s;
    }
}

static void a_disturbed_rest_shape_is_found_again(void **state)
{
    (void)state;
    moving m = sheared_boxes();
    lmb_random random = lmb_random_seed(23);
    for (uint32_t v = 0; v < m.vertex_count; ++v) {
        m.rest[v] = lmb_vec3_mad(m.rest[v], moving_direction(&random), 0.02f);
    }
    lmb_learn_opts opts = {.bone_count = BOXES,
                           .skeleton = LMB_LEARN_FLAT,
                           .motion = LMB_LEARN_AFFINE,
                           .iterations = 60};
    lmb_learn_report given, solved;
    lmb_learned_destroy(moving_learn(&m, &opts, &given));
    opts.move_rest = true;
    lmb_learned *l = moving_learn(&m, &opts, &solved);
    assert_non_null(l->rest);
    assert_true(solved.rms < 0.1f * given.rms);
    lmb_learned_destroy(l);
    moving_free(&m);
}

static void a_tree_of_what_stretches_is_refused(void **state)
{
    (void)state;
    moving m = sheared_boxes();
    const lmb_learn_def def = moving_def(&m);
    lmb_learn_opts opts = {.bone_count = BOXES, .motion = LMB_LEARN_AFFINE};
    lmb_learned *l = NULL;
    assert_int_equal(lmb_learn_skin(&def, &opts, NULL, &l, NULL, NULL), LMB_ERROR_INVALID);
    opts = (lmb_learn_opts){.bone_count = BOXES, .move_rest = true};
    assert_int_equal(lmb_learn_skin(&def, &opts, NULL, &l, NULL, NULL), LMB_ERROR_INVALID);
    assert_null(l);
    moving_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shear_is_found_by_affine_bones_alone),
        cmocka_unit_test(the_joints_that_are_written_show_the_frames),
        cmocka_unit_test(a_split_transform_is_the_whole_one),
        cmocka_unit_test(a_disturbed_rest_shape_is_found_again),
        cmocka_unit_test(a_tree_of_what_stretches_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
