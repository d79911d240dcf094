// Joint limits against brute force: what comes out is inside, and nothing inside is nearer.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "limber/asset.h"
#include "math/math.h"
#include "near.h"

#define DEGREE (LMB_PI / 180.0f)

static lmb_quat rotation(float x, float y, float z)
{
    const lmb_vec3 v = {x, y, z};
    return lmb_quat_axis_angle(lmb_vec3_normalize_or(v, lmb_vec3_make(1, 0, 0)),
                               lmb_vec3_length(v));
}

/// The swing's rotation vector about the limit's axis.
static lmb_vec3 swing_vector(const lmb_joint_limit *limit, lmb_quat q, float *twist_rad)
{
    lmb_quat swing, twist;
    lmbi_quat_swing_twist(q, limit->axis, &swing, &twist);
    const float sign = swing.w < 0 ? -1.0f : 1.0f,
                length = sqrtf(swing.x * swing.x + swing.y * swing.y + swing.z * swing.z);
    const float angle = 2 * lmb_atan2(length, sign * swing.w),
                scale = length > 0 ? sign * angle / length : 0;
    const float rotated =
        twist.x * limit->axis.x + twist.y * limit->axis.y + twist.z * limit->axis.z;
    *twist_rad = 2 * lmb_atan2(twist.w < 0 ? -rotated : rotated, fabsf(twist.w));
    return lmb_vec3_make(swing.x * scale, swing.y * scale, swing.z * scale);
}

static const lmb_joint_limit elliptic = {.kind = LMB_JOINT_BALL,
                                         .axis = {1, 0, 0},
                                         .side = {0, 1, 0},
                                         .swing_side_rad = {30 * DEGREE, 50 * DEGREE},
                                         .swing_across_rad = {60 * DEGREE, 10 * DEGREE},
                                         .twist_min_rad = -20 * DEGREE,
                                         .twist_max_rad = 70 * DEGREE};

static void known_answers(void **state)
{
    (void)state;
    // Half-angles 30 and 60 degrees: a swing of 60 about the narrow axis comes back to 30 about it.
    float twist;
    lmb_vec3 v = swing_vector(
        &elliptic, lmbi_joint_limit_clamp(&elliptic, rotation(0, -60 * DEGREE, 0)), &twist);
    nearf(v.y, -30 * DEGREE, 1e-6f);
    nearf(v.z, 0, 1e-6f);
    v = swing_vector(&elliptic, lmbi_joint_limit_clamp(&elliptic, rotation(0, 0, 20 * DEGREE)),
                     &twist);
    nearf(v.z, 10 * DEGREE, 1e-6f);
    // 60 degrees about z on 40 of twist about x come apart as 60 and 40.
    const lmb_joint_limit open = {.kind = LMB_JOINT_BALL,
                                  .axis = {1, 0, 0},
                                  .swing_rad = 3,
                                  .twist_min_rad = -3,
                                  .twist_max_rad = 3};
    v = swing_vector(&open,
                     lmbi_joint_limit_clamp(&open, lmb_quat_mul(rotation(0, 0, 60 * DEGREE),
                                                                rotation(40 * DEGREE, 0, 0))),
                     &twist);
    nearf(v.z, 60 * DEGREE, 1e-6f);
    nearf(twist, 40 * DEGREE, 1e-6f);
}

static bool is_inside(lmb_vec3 v, float slack)
{
    const float a = elliptic.swing_side_rad[v.y > 0], b = elliptic.swing_across_rad[v.z > 0];
    return (v.y / a) * (v.y / a) + (v.z / b) * (v.z / b) <= 1 + slack;
}

static void swings_go_to_the_nearest_point_of_the_cone(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(3);
    for (int i = 0; i < 2000; ++i) {
        float twist, ignored;
        const float y = lmb_random_range(&random, -2, 2), z = lmb_random_range(&random, -2, 2);
        const lmb_quat q =
            lmb_quat_mul(rotation(0, y, z), rotation(lmb_random_range(&random, -3, 3), 0, 0));
        const lmb_vec3 from = swing_vector(&elliptic, q, &ignored);
        const lmb_quat held = lmbi_joint_limit_clamp(&elliptic, q);
        const lmb_vec3 v = swing_vector(&elliptic, held, &twist);
        assert_true(is_inside(v, 1e-4f));
        assert_true(twist > elliptic.twist_min_rad - 1e-5f &&
                    twist < elliptic.twist_max_rad + 1e-5f);
        const float distance = lmb_vec3_distance(v, from);
        for (int k = 0; k < 360; ++k) { // the rim of the cone, all round
            const float c = lmb_cos((float)k * DEGREE), s = lmb_sin((float)k * DEGREE);
            const lmb_vec3 rim = {0, c * elliptic.swing_side_rad[c > 0],
                                  s * elliptic.swing_across_rad[s > 0]};
            assert_true(is_inside(from, 0) || distance <= lmb_vec3_distance(rim, from) + 1e-4f);
        }
        assert_true(lmb_quat_angle(held, lmbi_joint_limit_clamp(&elliptic, held)) < 1e-5f);
    }
}

static void what_is_inside_stays_as_it_is(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(4);
    for (int i = 0; i < 2000; ++i) {
        const float angle = lmb_random_range(&random, -LMB_PI, LMB_PI),
                    fraction = 0.99f * sqrtf(lmb_random_unit(&random));
        const float c = lmb_cos(angle), s = lmb_sin(angle);
        const lmb_quat swing = rotation(0, fraction * c * elliptic.swing_side_rad[c > 0],
                                        fraction * s * elliptic.swing_across_rad[s > 0]);
        const lmb_quat q =
            lmb_quat_mul(swing, rotation(lmb_random_range(&random, -0.34f, 1.2f), 0, 0));
        assert_true(lmb_quat_angle(q, lmbi_joint_limit_clamp(&elliptic, q)) < 2e-6f);
    }
}

static void hinges_go_to_the_nearer_end(void **state)
{
    (void)state;
    const lmb_joint_limit elbow = {
        .kind = LMB_JOINT_HINGE, .axis = {0, 0, 1}, .twist_max_rad = 150 * DEGREE};
    const float in[] = {70, 160, 179, -179, -110, -100, -10, 150, 0},
                out[] = {70, 150, 150, 150, 150, 0, 0, 150, 0};
    for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); ++i) {
        const lmb_quat q = lmbi_joint_limit_clamp(&elbow, rotation(0, 0, in[i] * DEGREE));
        nearf(lmb_quat_angle(q, rotation(0, 0, out[i] * DEGREE)), 0, 1e-5f);
    }
    // A range that passes half a turn, and one that has no end.
    const lmb_joint_limit wheel = {.kind = LMB_JOINT_HINGE,
                                   .axis = {0, 0, 1},
                                   .twist_min_rad = 170 * DEGREE,
                                   .twist_max_rad = 200 * DEGREE};
    nearf(lmb_quat_angle(lmbi_joint_limit_clamp(&wheel, rotation(0, 0, -170 * DEGREE)),
                         rotation(0, 0, 190 * DEGREE)),
          0, 1e-5f);
    const lmb_joint_limit free = {
        .kind = LMB_JOINT_HINGE, .axis = {0, 0, 1}, .twist_min_rad = -4, .twist_max_rad = 4};
    nearf(lmb_quat_angle(lmbi_joint_limit_clamp(&free, rotation(0, 0, 3.1f)), rotation(0, 0, 3.1f)),
          0, 1e-5f);
}

static void boxes_hold_translations_in_the_rest_frame(void **state)
{
    (void)state;
    const lmb_joint_limit limit = {.has_box = true, .box = {{-0.1f, 0, 0}, {0.2f, 0, 0.5f}}};
    lmb_transform rest = lmb_transform_identity(), local;
    rest.translation = lmb_vec3_make(1, 2, 3);
    rest.rotation = rotation(0, 0, 90 * DEGREE); // its x is the parent's y
    local = rest;
    local.translation = lmb_vec3_make(1.4f, 2.7f, 3.25f);
    local.rotation = rotation(0.3f, 0.2f, 0.1f);
    const lmb_transform held = lmbi_joint_limit_apply(&limit, rest, local);
    nearf(held.translation.x, 1, 1e-6f);
    nearf(held.translation.y, 2.2f, 1e-6f);
    nearf(held.translation.z, 3.25f, 1e-6f);
    assert_memory_equal(&held.rotation, &local.rotation, sizeof(held.rotation));
    float distance;
    nearf(lmbi_joint_limit_excess(&limit, rest, local, &distance), 0, 1e-6f);
    nearf(distance, lmb_vec3_length(lmb_vec3_make(0.4f, 0.5f, 0)), 1e-5f);
    lmbi_joint_limit_excess(&limit, rest, held, &distance);
    nearf(distance, 0, 1e-6f);
}

static bool is_unit(lmb_quat q)
{
    return fabsf(lmb_quat_dot(q, q) - 1) < 1e-5f;
}

static void cones_of_no_width_and_half_rotations_are_defined(void **state)
{
    (void)state;
    lmb_joint_limit blade = elliptic;
    memset(blade.swing_across_rad, 0, sizeof(blade.swing_across_rad));
    const lmb_quat cases[] = {
        rotation(0, LMB_PI, 0), rotation(0, 0, LMB_PI), rotation(LMB_PI, 0, 0), rotation(0, 1, 1),
        rotation(0, 0, 0),      {0, 0, 0, -1},          {0, -1, 0, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const lmb_quat q = lmbi_joint_limit_clamp(&blade, cases[i]);
        float twist;
        assert_true(is_unit(q));
        nearf(swing_vector(&blade, q, &twist).z, 0, 1e-5f);
        const lmb_joint_limit stiff = {.kind = LMB_JOINT_BALL, .axis = {1, 0, 0}};
        nearf(lmb_quat_angle(lmbi_joint_limit_clamp(&stiff, cases[i]), lmb_quat_identity()), 0,
              1e-6f);
    }
}

static void wrong_limits_are_refused(void **state)
{
    (void)state;
    int32_t parents[1] = {LMB_NONE};
    const char *names[1] = {"joint"};
    lmb_transform rest[1] = {lmb_transform_identity()};
    lmb_joint_limit limit = elliptic;
    lmb_skeleton *made = NULL;
    const lmb_skeleton def = {
        .joint_count = 1, .parents = parents, .names = names, .rest = rest, .limits = &limit};
    assert_int_equal(lmb_skeleton_create(&def, NULL, &made, NULL), LMB_OK);
    lmb_skeleton_destroy(made);
    lmb_joint_limit wrong[6] = {elliptic, elliptic, elliptic, elliptic, elliptic, elliptic};
    wrong[0].axis = lmb_vec3_make(2, 0, 0);
    wrong[1].side = lmb_vec3_make(0.8f, 0.6f, 0);
    wrong[2].twist_min_rad = 2;
    wrong[3].swing_side_rad[0] = NAN;
    wrong[4].has_box = true;
    wrong[4].box = (lmb_box){{1, 0, 0}, {0, 0, 0}};
    wrong[5].swing_across_rad[1] = -1;
    for (int i = 0; i < 6; ++i) {
        limit = wrong[i];
        assert_int_equal(lmb_skeleton_create(&def, NULL, &made, NULL), LMB_ERROR_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(swings_go_to_the_nearest_point_of_the_cone),
        cmocka_unit_test(what_is_inside_stays_as_it_is),
        cmocka_unit_test(hinges_go_to_the_nearer_end),
        cmocka_unit_test(boxes_hold_translations_in_the_rest_frame),
        cmocka_unit_test(cones_of_no_width_and_half_rotations_are_defined),
        cmocka_unit_test(wrong_limits_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
