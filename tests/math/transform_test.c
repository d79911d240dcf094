#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "limber/math.h"

static lmb_transform random_transform(lmb_random *random)
{
    lmb_transform t;
    t.translation = lmb_vec3_make(lmb_random_range(random, -5, 5), lmb_random_range(random, -5, 5),
                                  lmb_random_range(random, -5, 5));
    t.rotation = lmb_quat_normalize(lmb_quat_make(lmb_random_range(random, -1, 1),
                                                  lmb_random_range(random, -1, 1),
                                                  lmb_random_range(random, -1, 1), 0.1f));
    t.scale = lmb_vec3_make(lmb_random_range(random, 0.1f, 3), lmb_random_range(random, 0.1f, 3),
                            lmb_random_range(random, 0.1f, 3));
    return t;
}

static float largest_difference(lmb_mat4 a, lmb_mat4 b)
{
    float d = 0;
    for (int i = 0; i < 16; ++i) {
        d = fmaxf(d, fabsf(a.m[i] - b.m[i]));
    }
    return d;
}

static void decompose_gives_back_what_was_composed(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(3);
    for (int i = 0; i < 2000; ++i) {
        lmb_transform t = random_transform(&random), back;
        t.scale.x = i % 3 ? t.scale.x : -t.scale.x;
        const lmb_mat4 a = lmb_mat4_from_transform(t);
        assert_true(lmb_mat4_decompose(a, &back) < 1e-5f);
        assert_true(largest_difference(a, lmb_mat4_from_transform(back)) < 2e-6f);
    }
}

static void zero_scale_still_gives_a_rotation(void **state)
{
    (void)state;
    lmb_transform t = lmb_transform_identity(), back;
    t.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 1);
    for (int axis = 0; axis < 4; ++axis) {
        t.scale =
            axis == 3 ? lmb_vec3_make(0, 0, 0) : lmb_vec3_make(axis != 0, axis != 1, axis != 2);
        lmb_mat4_decompose(lmb_mat4_from_transform(t), &back);
        assert_true(fabsf(lmb_quat_dot(back.rotation, back.rotation) - 1) < 1e-5f);
        assert_true(axis == 3 || largest_difference(lmb_mat4_from_transform(t),
                                                    lmb_mat4_from_transform(back)) < 1e-6f);
    }
}

static void inverse_undoes(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(4);
    for (int i = 0; i < 2000; ++i) {
        const lmb_mat4 a = lmb_mat4_mul(lmb_mat4_from_transform(random_transform(&random)),
                                        lmb_mat4_from_transform(random_transform(&random)));
        lmb_mat4 inverse;
        assert_true(lmb_mat4_inverse_affine(a, &inverse));
        assert_true(largest_difference(lmb_mat4_mul(a, inverse), lmb_mat4_identity()) < 2e-3f);
    }
    lmb_mat4 flat = lmb_mat4_identity(), out;
    flat.m[0] = 0;
    assert_false(lmb_mat4_inverse_affine(flat, &out));
}

static void shear_is_seen(void **state)
{
    (void)state;
    // Parent scaled (2,1,1), child turned 45 degrees about z: the child's axes are not at right
    // angles.
    lmb_transform parent = lmb_transform_identity(), child = lmb_transform_identity(), out;
    parent.scale.x = 2;
    child.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.25f * LMB_PI);
    const lmb_mat4 a =
        lmb_mat4_mul(lmb_mat4_from_transform(parent), lmb_mat4_from_transform(child));
    assert_true(fabsf(a.m[0] * a.m[4] + a.m[1] * a.m[5] + 1.5f) < 1e-6f);
    assert_true(fabsf(lmb_mat4_decompose(a, &out) - 0.6f) < 1e-6f); // 1.5 / 2.5
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decompose_gives_back_what_was_composed),
        cmocka_unit_test(zero_scale_still_gives_a_rotation),
        cmocka_unit_test(inverse_undoes),
        cmocka_unit_test(shear_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
