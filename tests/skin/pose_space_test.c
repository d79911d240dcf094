// Correctives by example: published numbers, examples met, axes told apart, sculpted shapes brought
// back to rest.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/skin.h"
#include "near.h"

static lmb_quat turn(float x, float y, float z, double degrees)
{
    return lmb_quat_axis_angle(lmb_vec3_make(x, y, z), (float)(degrees * 3.14159265358979 / 180));
}

static double value_at(const lmb_pose_space *space, lmb_quat q)
{
    lmb_transform local[2] = {lmb_transform_identity(), lmb_transform_identity()};
    float value = 99;
    local[1].rotation = q;
    lmb_pose_space_evaluate(&(lmb_pose_space_job){space, local, &value});
    return (double)value;
}

static const lmb_pose_driver elbow = {.joint = 1};

/// An elbow with nothing at rest and 1 at 90 degrees.
static lmb_pose_space *elbow_space(lmb_kernel kernel, bool normalized)
{
    const lmb_quat rotations[] = {turn(0, 0, 1, 0), turn(0, 0, 1, 90)};
    const float values[] = {0, 1};
    lmb_pose_space *space = NULL;
    const lmb_pose_space_def def = {.driver_count = 1,
                                    .example_count = 2,
                                    .drivers = &elbow,
                                    .rotations = rotations,
                                    .width = 1,
                                    .values = values,
                                    .kernel = kernel,
                                    .radius_rad = LMB_PI / 4,
                                    .regularization = -1,
                                    .normalized = normalized};
    assert_int_equal(lmb_pose_space_create(&def, NULL, &space, NULL), LMB_OK);
    return space;
}

static void an_elbow_gives_the_known_values(void **state)
{
    (void)state;
    lmb_pose_space *space = elbow_space(LMB_KERNEL_GAUSSIAN, false);
    near(value_at(space, turn(0, 0, 1, 0)), 0, 1e-6);
    near(value_at(space, turn(0, 0, 1, 90)), 1, 1e-6);
    near(value_at(space, turn(0, 0, 1, 45)), 0.53423, 5e-6);
    near(value_at(space, turn(0, 0, 1, 120)), 0.81174, 5e-6);
    // q and -q are one rotation, about any axis at that distance.
    near(value_at(space, lmb_quat_make(0, 0, -sinf(0.3f), -cosf(0.3f))),
         value_at(space, lmb_quat_make(0, 0, sinf(0.3f), cosf(0.3f))), 1e-6);
    lmb_pose_space_destroy(space);
    space = elbow_space(LMB_KERNEL_LINEAR, false);
    near(value_at(space, turn(0, 0, 1, 45)), 0.5, 1e-6);
    near(value_at(space, turn(0, 0, 1, 120)), 4.0 / 3, 2e-6);
    lmb_pose_space_destroy(space);
}

static void every_kernel_meets_its_examples(void **state)
{
    (void)state;
    enum { EXAMPLES = 90, DRIVERS = 2, WIDTH = 3 }; // more than one batch
    lmb_random random = lmb_random_seed(5);
    lmb_quat rotations[EXAMPLES * DRIVERS];
    float values[EXAMPLES * WIDTH];
    const lmb_pose_driver drivers[DRIVERS] = {{.joint = 0, .weight = 2}, {.joint = 1}};
    for (int k = 0; k < EXAMPLES * DRIVERS; ++k) {
        rotations[k] = lmb_quat_normalize(
            lmb_quat_make(lmb_random_range(&random, -1, 1), lmb_random_range(&random, -1, 1),
                          lmb_random_range(&random, -1, 1), lmb_random_range(&random, -1, 1)));
    }
    for (int k = 0; k < EXAMPLES * WIDTH; ++k) {
        values[k] = lmb_random_range(&random, -1, 1);
    }
    for (int kernel = LMB_KERNEL_GAUSSIAN; kernel <= LMB_KERNEL_INVERSE_MULTIQUADRIC; ++kernel) {
        const bool fades =
            kernel == LMB_KERNEL_GAUSSIAN || kernel == LMB_KERNEL_INVERSE_MULTIQUADRIC;
        for (int normalized = 0; normalized <= fades; ++normalized) {
            const lmb_pose_space_def def = {.driver_count = DRIVERS,
                                            .example_count = EXAMPLES,
                                            .drivers = drivers,
                                            .rotations = rotations,
                                            .width = WIDTH,
                                            .values = values,
                                            .kernel = (lmb_kernel)kernel,
                                            .regularization = -1,
                                            .normalized = normalized == 1};
            lmb_pose_space *space = NULL;
            assert_int_equal(lmb_pose_space_create(&def, NULL, &space, NULL), LMB_OK);
            for (int k = 0; k < EXAMPLES; ++k) {
                lmb_transform local[DRIVERS] = {lmb_transform_identity(), lmb_transform_identity()};
                float out[WIDTH];
                local[0].rotation = rotations[2 * k];
                local[1].rotation = rotations[2 * k + 1];
                lmb_pose_space_evaluate(&(lmb_pose_space_job){space, local, out});
                for (int i = 0; i < WIDTH; ++i) {
                    near((double)out[i], (double)values[k * WIDTH + i], 1e-4);
                }
            }
            lmb_pose_space_destroy(space);
        }
    }
}

static void without_values_examples_are_told_apart(void **state)
{
    (void)state;
    const lmb_quat rotations[] = {turn(1, 0, 0, 0), turn(1, 0, 0, 60), turn(0, 0, 1, 60)};
    const lmb_pose_space_def def = {
        .driver_count = 1, .example_count = 3, .drivers = &elbow, .rotations = rotations};
    lmb_pose_space *space = NULL;
    assert_int_equal(lmb_pose_space_create(&def, NULL, &space, NULL), LMB_OK);
    for (int k = 0; k < 3; ++k) {
        lmb_transform local[2] = {lmb_transform_identity(), lmb_transform_identity()};
        float out[3];
        local[1].rotation = rotations[k];
        lmb_pose_space_evaluate(&(lmb_pose_space_job){space, local, out});
        for (int i = 0; i < 3; ++i) {
            near((double)out[i], i == k, 1e-5);
        }
    }
    lmb_pose_space_destroy(space);
}

static void swing_and_twist_hear_their_own_part(void **state)
{
    (void)state;
    const lmb_quat rotations[] = {turn(1, 0, 0, 0), turn(1, 0, 0, 80)};
    const float values[] = {0, 1};
    lmb_pose_driver driver = {.joint = 1, .part = LMB_DRIVER_TWIST, .axis = {1, 0, 0}};
    lmb_pose_space_def def = {.driver_count = 1,
                              .example_count = 2,
                              .drivers = &driver,
                              .rotations = rotations,
                              .width = 1,
                              .values = values,
                              .kernel = LMB_KERNEL_LINEAR,
                              .regularization = -1};
    lmb_pose_space *space = NULL;
    assert_int_equal(lmb_pose_space_create(&def, NULL, &space, NULL), LMB_OK);
    const lmb_quat both = lmb_quat_mul(turn(0, 0, 1, 50), turn(1, 0, 0, 40));
    near(value_at(space, turn(0, 0, 1, 50)), 0, 1e-6);
    near(value_at(space, both), 0.5, 1e-5);
    lmb_pose_space_destroy(space);
    const lmb_quat swings[] = {turn(0, 0, 1, 0), turn(0, 0, 1, 100)};
    driver.part = LMB_DRIVER_SWING;
    def.rotations = swings;
    assert_int_equal(lmb_pose_space_create(&def, NULL, &space, NULL), LMB_OK);
    near(value_at(space, turn(1, 0, 0, 40)), 0, 1e-5);
    near(value_at(space, both), 0.5, 1e-5);
    lmb_pose_space_destroy(space);
}

static void normalised_values_do_not_fade(void **state)
{
    (void)state;
    lmb_pose_space *fading = elbow_space(LMB_KERNEL_GAUSSIAN, false),
                   *kept = elbow_space(LMB_KERNEL_GAUSSIAN, true);
    assert_true(value_at(fading, turn(0, 0, 1, 180)) < 0.2);
    near(value_at(kept, turn(0, 0, 1, 180)), 1, 0.2);
    lmb_pose_space_destroy(fading);
    lmb_pose_space_destroy(kept);
}

static void bad_definitions_are_refused(void **state)
{
    (void)state;
    const lmb_quat same[] = {turn(1, 0, 0, 10), turn(1, 0, 0, 10)},
                   none[] = {{0, 0, 0, 0}, {0, 0, 0, 1}};
    const lmb_quat fine[] = {turn(1, 0, 0, 10), turn(1, 0, 0, 30)};
    const float values[] = {0, NAN};
    const lmb_pose_driver no_axis = {.part = LMB_DRIVER_SWING};
    const lmb_pose_space_def bad[] = {
        {.driver_count = 1, .example_count = 2, .drivers = &elbow, .rotations = same},
        {.driver_count = 1, .example_count = 2, .drivers = &elbow, .rotations = none},
        {.driver_count = 0, .example_count = 2, .drivers = &elbow, .rotations = fine},
        {.driver_count = 1, .example_count = 0, .drivers = &elbow, .rotations = fine},
        {.driver_count = 1, .example_count = 2, .drivers = &no_axis, .rotations = fine},
        {.driver_count = 1,
         .example_count = 2,
         .drivers = &elbow,
         .rotations = fine,
         .width = 1,
         .values = values},
        {.driver_count = 1,
         .example_count = 2,
         .drivers = &elbow,
         .rotations = fine,
         .kernel = LMB_KERNEL_LINEAR,
         .normalized = true},
        {.driver_count = 1,
         .example_count = 1,
         .drivers = &elbow,
         .rotations = fine,
         .kernel = LMB_KERNEL_LINEAR},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        lmb_pose_space *space = NULL;
        assert_int_equal(lmb_pose_space_create(&bad[k], NULL, &space, NULL), LMB_ERROR_INVALID);
        assert_null(space);
    }
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    const lmb_quat rotations[] = {turn(1, 0, 0, 10), turn(1, 0, 0, 30)};
    const lmb_pose_space_def def = {
        .driver_count = 1, .example_count = 2, .drivers = &elbow, .rotations = rotations};
    for (int calls = 0;; ++calls) {
        failing_allocator memory = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmb_pose_space *space = NULL;
        const lmb_result got = lmb_pose_space_create(&def, &alloc, &space, NULL);
        lmb_pose_space_destroy(space);
        assert_int_equal(memory.held, 0);
        if (got == LMB_OK) {
            break;
        }
        assert_int_equal(got, LMB_ERROR_MEMORY);
    }
}

// -------------------------------------------------------------------------------- sculpted shapes

enum { VERTICES = 200 };

static void a_sculpted_shape_comes_back_when_skinned(void **state)
{
    (void)state;
    static lmb_vec3 rest[VERTICES], sculpted[VERTICES], deltas[VERTICES], fixed[VERTICES],
        out[VERTICES];
    static uint32_t first[VERTICES + 1];
    static lmb_influence items[2 * VERTICES];
    lmb_random random = lmb_random_seed(2);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        rest[v] = lmb_vec3_make(lmb_random_range(&random, -1, 1), lmb_random_unit(&random),
                                lmb_random_unit(&random));
        const float w = v < 2 ? 0.5f : 0.5f + 0.5f * lmb_random_unit(&random);
        items[2 * v] = (lmb_influence){0, w};
        items[2 * v + 1] = (lmb_influence){1, 1 - w};
        first[v + 1] = 2 * v + 2;
    }
    const lmb_mesh mesh = {
        .vertex_count = VERTICES, .positions = rest, .influences = {first, items}};
    lmb_binding *binding = NULL;
    assert_int_equal(lmb_binding_create(&mesh, 2, NULL, &binding, NULL), LMB_OK);
    lmb_transform t = lmb_transform_identity();
    t.rotation = turn(0, 0, 1, 130);
    t.translation = lmb_vec3_make(0.2f, 0.1f, -0.3f);
    const lmb_mat4 palette[2] = {lmb_mat4_identity(), lmb_mat4_from_transform(t)};
    lmb_skin_job skinning = {
        .binding = binding, .model_from_bind = palette, .positions = rest, .out_positions = out};
    lmb_skin_linear(&skinning);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        sculpted[v] = lmb_vec3_add(out[v], lmb_vec3_make(0.1f, 0.2f * rest[v].x, 0));
    }
    lmb_corrective(&(lmb_corrective_job){.mesh = &mesh,
                                         .model_from_bind = palette,
                                         .sculpted = sculpted,
                                         .out_displacements = deltas});
    for (uint32_t v = 0; v < VERTICES; ++v) {
        fixed[v] = lmb_vec3_add(rest[v], deltas[v]);
    }
    skinning.positions = fixed;
    lmb_skin_linear(&skinning);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        near((double)lmb_vec3_distance(out[v], sculpted[v]), 0, 5e-6);
    }
    lmb_binding_destroy(binding);
}

static void a_collapsed_joint_gives_short_displacements(void **state)
{
    (void)state;
    lmb_vec3 rest = {0.1f, 1, 0}, sculpted = {0.1f, 0.5f, 0.2f}, delta;
    uint32_t first[] = {0, 2};
    lmb_influence items[] = {{0, 0.5f}, {1, 0.5f}};
    const lmb_mesh mesh = {.vertex_count = 1, .positions = &rest, .influences = {first, items}};
    lmb_transform t = lmb_transform_identity();
    t.rotation = turn(1, 0, 0, 180); // y and z vanish
    const lmb_mat4 palette[2] = {lmb_mat4_identity(), lmb_mat4_from_transform(t)};
    lmb_corrective(&(lmb_corrective_job){.mesh = &mesh,
                                         .model_from_bind = palette,
                                         .sculpted = &sculpted,
                                         .out_displacements = &delta});
    assert_true(lmb_vec3_is_finite(delta));
    assert_true(lmb_vec3_length(delta) < 0.1f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_elbow_gives_the_known_values),
        cmocka_unit_test(every_kernel_meets_its_examples),
        cmocka_unit_test(without_values_examples_are_told_apart),
        cmocka_unit_test(swing_and_twist_hear_their_own_part),
        cmocka_unit_test(normalised_values_do_not_fade),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(a_sculpted_shape_comes_back_when_skinned),
        cmocka_unit_test(a_collapsed_joint_gives_short_displacements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
