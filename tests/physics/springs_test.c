// Spring bones: the known step, rest, any frame rate, colliders, what files say.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "joint_line.h"
#include "limber/limber.h"
#include "near.h"

enum { JOINTS = 6 };

/// A joint at the origin that carries a rope along -Y of links of 0.1 m.
typedef struct rope {
    joint_line line;
    lmb_spring_joint springs[JOINTS];
    lmb_spring_set *set;
    lmb_springs *machine;
    bool restart;          ///< the next step clears all motion first
    const lmb_mat4 *moved; ///< before the next step, or NULL
} rope;

static void rope_start(rope *r, const lmb_spring_joint *like, const lmb_spring_collider *colliders,
                       uint32_t collider_count)
{
    static const char *const names[JOINTS] = {"root", "a", "b", "c", "d", "end"};
    memset(r, 0, sizeof *r);
    joint_line_make(&r->line, JOINTS - 1, lmb_vec3_make(0, -0.1f, 0));
    r->line.rest[1].translation.y = 0;
    memcpy(r->line.names, names, sizeof names);
    uint32_t references[4] = {0, 1, 2, 3};
    for (uint32_t j = 1; j + 1 < JOINTS; ++j) {
        r->springs[j - 1] = *like;
        r->springs[j - 1].joint = j;
        r->springs[j - 1].tail = (int32_t)j + 1;
        r->springs[j - 1].reference_count = collider_count;
    }
    lmb_spring_collider copies[4] = {0};
    memcpy(copies, colliders ? colliders : copies, collider_count * sizeof *copies);
    lmb_error error = {0};
    const lmb_spring_set def = {.joint_count = JOINTS - 2,
                                .joints = r->springs,
                                .collider_count = collider_count,
                                .colliders = copies,
                                .reference_count = collider_count,
                                .references = references};
    assert_int_equal(lmb_spring_set_create(&def, &r->line.skeleton, NULL, &r->set, &error), LMB_OK);
    assert_int_equal(lmb_springs_create(r->set, &r->line.skeleton, NULL, &r->machine, &error),
                     LMB_OK);
}

static void rope_end(rope *r)
{
    lmb_springs_destroy(r->machine);
    lmb_spring_set_destroy(r->set);
}

/// The carrier at x, rotated about z by `angle`.
static void rope_step(rope *r, float x, float angle, float dt)
{
    memcpy(r->line.local, r->line.rest, sizeof r->line.local);
    r->line.local[0].translation.x = x;
    r->line.local[0].rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), angle);
    joint_line_update(&r->line);
    lmb_springs_step(&(lmb_springs_step_job){.springs = r->machine,
                                             .local = r->line.local,
                                             .model_from_joint = r->line.model,
                                             .dt_s = dt,
                                             .restart = r->restart,
                                             .moved = r->moved});
}

static lmb_vec3 position(const rope *r, int joint)
{
    return lmb_mat4_translation(r->line.model[joint]);
}

static const lmb_spring_joint hair = {
    .center = LMB_NONE, .stiffness = 1, .drag = 0.4f, .gravity = {0, -1, 0}, .gravity_power = 0.5f};

/// The specification's formula in double, from rest, under a parent that has rotated.
static void test_known_step(void **state)
{
    (void)state;
    rope r;
    rope_start(&r, &hair, NULL, 0);
    rope_step(&r, 0, 0, 0);
    const float angle = 0.3f;
    rope_step(&r, 0, angle, 1.0f / 60);
    const double h = 1.0 / 60;
    double x = 0 + h * 1 * sin((double)angle), y = -0.1 - h * 1 * cos((double)angle) - 0.5 * h;
    double length = sqrt(x * x + y * y);
    x *= 0.1 / length;
    y *= 0.1 / length;
    nearf(position(&r, 2).x, (float)x, 1e-7f);
    nearf(position(&r, 2).y, (float)y, 1e-7f);
    rope_end(&r);
}

/// Head 0, tail (0, -0.1, 0), before (0.001, -0.1, 0), drag 0.4, stiffness 1, gravity 0.5 down:
/// (-0.00047999, -0.09999885, 0).
static void test_published_step(void **state)
{
    (void)state;
    rope r;
    rope_start(&r, &hair, NULL, 0);
    rope_step(&r, 0.001f, 0, 0);
    // So stiff a spring is straight below its head after one step.
    r.set->joints[0].stiffness = 1e9f;
    rope_step(&r, 0, 0, 1.0f / 60);
    nearf(position(&r, 2).x, 0, 1e-8f);
    r.set->joints[0].stiffness = 1;
    rope_step(&r, 0, 0, 1.0f / 60);
    nearf(position(&r, 2).x, -0.00047999f, 2e-8f);
    nearf(position(&r, 2).y, -0.09999885f, 2e-8f);
    nearf(position(&r, 2).z, 0, 0);
    rope_end(&r);
}

static void test_rest_stays(void **state)
{
    (void)state;
    rope r;
    lmb_spring_joint like = hair;
    like.gravity_power = 0;
    rope_start(&r, &like, NULL, 0);
    for (int k = 0; k < 600; ++k) {
        rope_step(&r, 0, 0.7f, 1.0f / 60);
    }
    for (int j = 1; j < JOINTS; ++j) {
        nearf(lmb_quat_angle(r.line.local[j].rotation, r.line.rest[j].rotation), 0, 1e-3f);
    }
    rope_end(&r);
}

static float sway(double t)
{
    return 0.2f * lmb_sin((float)(3 * t));
}

/// Where the end of the rope is after two seconds at so many frames a second.
static lmb_vec3 end_at_rate(int fps)
{
    rope r;
    rope_start(&r, &hair, NULL, 0);
    rope_step(&r, 0, 0, 0);
    for (int k = 1; k <= 2 * fps; ++k) {
        const double t = (double)k / fps;
        rope_step(&r, sway(t), 2 * sway(t), 1.0f / (float)fps);
    }
    const lmb_vec3 end = position(&r, JOINTS - 1);
    rope_end(&r);
    return end;
}

static void test_frame_rates(void **state)
{
    (void)state;
    static const int rates[] = {20, 24, 30, 50, 90, 120, 144, 240};
    const lmb_vec3 want = end_at_rate(60);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i) {
        const float off = lmb_vec3_distance(end_at_rate(rates[i]), want);
        if (!(off < 4e-3f)) {
            fail_msg("%d Hz: %.3g m off", rates[i], (double)off);
        }
    }
    // Multiples end on a sub-step: what is left is how the carrier is interpolated between frames.
    assert_true(lmb_vec3_distance(end_at_rate(120), want) < 1e-5f);
    assert_true(lmb_vec3_distance(end_at_rate(30), want) < 1e-3f);
}

static void test_same_bits(void **state)
{
    (void)state;
    const lmb_vec3 a = end_at_rate(47), b = end_at_rate(47);
    assert_memory_equal(&a, &b, sizeof a);
}

/// The end of a swung link never enters (or leaves) what it is to stay out of (or in).
static void test_colliders(void **state)
{
    (void)state;
    lmb_spring_joint like = hair;
    like.hit_radius = 0.01f;
    const lmb_spring_collider shapes[] = {
        {.shape = LMB_SPRING_SPHERE, .offset = {0.06f, -0.1f, 0}, .radius = 0.03f},
        {.shape = LMB_SPRING_CAPSULE,
         .offset = {0.07f, -0.1f, -0.2f},
         .tail = {0.07f, -0.1f, 0.2f},
         .radius = 0.04f},
        {.shape = LMB_SPRING_PLANE, .offset = {0.02f, 0, 0}, .normal = {-2, 0, 0}},
        {.shape = LMB_SPRING_SPHERE, .radius = 0.45f, .offset = {0.1f, 0, 0}, .inside = true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        rope r;
        rope_start(&r, &like, &shapes[i], 1);
        bool touched = false;
        for (int k = 0; k < 300; ++k) {
            // 2 m/s at most.
            rope_step(&r, 0.4f * lmb_sin(5.0f * (float)k / 60), 0, 1.0f / 60);
            const lmb_vec3 c = lmb_mat4_point(r.line.model[0], shapes[i].offset);
            const lmb_vec3 to = lmb_vec3_sub(position(&r, 2), c);
            float distance = lmb_vec3_length(to) - shapes[i].radius - 0.01f;
            if (shapes[i].shape == LMB_SPRING_PLANE) {
                distance = -to.x - 0.01f;
            } else if (shapes[i].shape == LMB_SPRING_CAPSULE) {
                distance = sqrtf(to.x * to.x + to.y * to.y) - 0.05f;
            } else if (shapes[i].inside) {
                distance = 0.44f - lmb_vec3_length(to);
            }
            touched = touched || distance < 5e-3f;
            if (!(distance > -1e-3f)) {
                fail_msg("shape %d, frame %d: %.3g m in", (int)i, k, (double)-distance);
            }
        }
        assert_true(touched || shapes[i].inside);
        rope_end(&r);
    }
}

static void test_center_feels_no_travel(void **state)
{
    (void)state;
    rope r;
    lmb_spring_joint like = hair;
    like.center = 0;
    rope_start(&r, &like, NULL, 0);
    for (int k = 0; k < 60; ++k) {
        rope_step(&r, 0.5f * (float)k, 0, 1.0f / 60);
    }
    nearf(position(&r, JOINTS - 1).x, 0.5f * 59, 1e-4f);
    rope_end(&r);
}

static void test_reset_and_move(void **state)
{
    (void)state;
    rope r;
    rope_start(&r, &hair, NULL, 0);
    rope_step(&r, 0, 0, 0);
    rope_step(&r, 5, 0, 1.0f / 60);
    assert_true(fabsf(position(&r, JOINTS - 1).x - 5) > 0.05f);
    r.restart = true;
    rope_step(&r, 5, 0, 0);
    r.restart = false;
    nearf(position(&r, JOINTS - 1).x, 5, 1e-6f);
    lmb_mat4 by = lmb_mat4_identity();
    by.m[12] = 3;
    r.moved = &by;
    rope_step(&r, 8, 0, 1.0f / 60);
    nearf(position(&r, JOINTS - 1).x, 8, 1e-5f);
    rope_end(&r);
}

// ------------------------------------------------------------------------------------------ files

static lmb_result read_text(rope *r, const char *text, const lmb_allocator *alloc,
                            lmb_spring_set **out, lmb_error *error)
{
    char carried[4096];
    snprintf(carried, sizeof carried, "{\"extensions\":%s}", text);
    lmb_appearance look = {.carried = carried};
    const lmb_character character = {.skeleton = &r->line.skeleton, .appearance = &look};
    return lmb_spring_set_read(&character, alloc, out, error);
}

static const char good[] =
    "{\"VRMC_springBone\":{\"specVersion\":\"1.0\",\"colliders\":[{\"node\":0,\"shape\":{"
    "\"sphere\":{"
    "\"offset\":[0,1,2],\"radius\":0.5}}},{\"node\":1,\"shape\":{\"capsule\":{\"offset\":[0,0,0],"
    "\"radius\":0.1,\"tail\":[0,1,0]}},\"extensions\":{\"VRMC_springBone_extended_collider\":{"
    "\"specVersion\":\"1.0\",\"shape\":{\"plane\":{\"normal\":[0,1,0]}}}}}],\"colliderGroups\":[{"
    "\"colliders\":[1,0]},{\"colliders\":[0]}],\"springs\":[{\"joints\":[{\"node\":1,\"stiffness\":"
    "0.3,"
    "\"hitRadius\":0.02},{\"node\":3,\"dragForce\":0.9},{\"node\":5}],\"colliderGroups\":[1,0],"
    "\"center\":0}]}}";

static void test_read_vrm1(void **state)
{
    (void)state;
    rope r;
    lmb_spring_set *set = NULL;
    lmb_error error = {0};
    const lmb_spring_joint like = hair;
    rope_start(&r, &like, NULL, 0);
    assert_int_equal(read_text(&r, good, NULL, &set, &error), LMB_OK);
    assert_int_equal(set->joint_count, 2);
    assert_int_equal(set->joints[0].joint, 1);
    assert_int_equal(set->joints[0].tail, 3);
    nearf(set->joints[0].stiffness, 0.3f, 0);
    nearf(set->joints[0].drag, 0.5f, 0);
    nearf(set->joints[1].drag, 0.9f, 0);
    assert_int_equal(set->joints[1].center, 0);
    assert_int_equal(set->joints[0].reference_count, 3);
    assert_int_equal(set->references[0], 0);
    assert_int_equal(set->references[1], 1);
    assert_int_equal(set->colliders[1].shape, LMB_SPRING_PLANE);
    nearf(set->colliders[0].offset.z, 2, 0);
    lmb_spring_set_destroy(set);
    rope_end(&r);
}

static void test_read_vrm0(void **state)
{
    (void)state;
    rope r;
    lmb_spring_set *set = NULL;
    lmb_error error = {0};
    const lmb_spring_joint like = hair;
    rope_start(&r, &like, NULL, 0);
    assert_int_equal(
        read_text(
            &r,
            "{\"VRM\":{\"secondaryAnimation\":{\"boneGroups\":[{\"stiffiness\":0.7,"
            "\"gravityPower\":0.2,\"gravityDir\":{\"x\":0,\"y\":-1,\"z\":0},\"dragForce\":0.4,"
            "\"center\":-1,\"hitRadius\":0.02,\"bones\":[2],\"colliderGroups\":[0]}],"
            "\"colliderGroups\":[{\"node\":0,\"colliders\":[{\"offset\":{\"x\":1,\"y\":2,"
            "\"z\":3},\"radius\":0.1}]}]}}}",
            NULL, &set, &error),
        LMB_OK);
    assert_int_equal(set->joint_count, 4);
    nearf(set->joints[0].stiffness, 0.7f, 0);
    nearf(set->colliders[0].offset.z, -3, 0);
    assert_int_equal(set->joints[3].tail, LMB_NONE);
    nearf(set->joints[3].tail_offset.y, -0.07f, 1e-7f);
    lmb_spring_set_destroy(set);
    rope_end(&r);
}

static void test_malformed(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{\"VRMC_springBone\":{\"springs\":3}}",
        "{\"VRMC_springBone\":{\"springs\":[{\"joints\":[{\"node\":99}]}]}}",
        "{\"VRMC_springBone\":{\"springs\":[{\"joints\":[{}]}]}}",
        "{\"VRMC_springBone\":{\"springs\":[{\"joints\":[{\"node\":3},{\"node\":1}]}]}}",
        "{\"VRMC_springBone\":{\"springs\":[{\"joints\":[{\"node\":1},{\"node\":1}]}]}}",
        "{\"VRMC_springBone\":{\"springs\":[{\"joints\":[{\"node\":1,\"stiffness\":\"x\"}]}]}}",
        "{\"VRMC_springBone\":{\"springs\":[{\"joints\":[{\"node\":1,\"gravityDir\":[1]}]}]}}",
        "{\"VRMC_springBone\":{\"springs\":[{\"joints\":[],\"colliderGroups\":[0]}]}}",
        "{\"VRMC_springBone\":{\"springs\":[{\"joints\":[],\"center\":77}]}}",
        "{\"VRMC_springBone\":{\"colliders\":[{\"node\":0}]}}",
        "{\"VRMC_springBone\":{\"colliderGroups\":[{\"colliders\":[0]}]}}",
        "{\"VRM\":{\"secondaryAnimation\":{\"boneGroups\":[{\"bones\":[9]}]}}}",
        "{\"VRM\":{\"secondaryAnimation\":{\"boneGroups\":[{\"bones\":{}}]}}}",
    };
    rope r;
    rope_start(&r, &hair, NULL, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        lmb_spring_set *set = NULL;
        lmb_error error = {0};
        if (read_text(&r, bad[i], NULL, &set, &error) != LMB_ERROR_MALFORMED || set != NULL) {
            fail_msg("case %d is taken", (int)i);
        }
        assert_non_null(strchr(error.found, '/'));
    }
    lmb_spring_set *set = NULL;
    assert_int_equal(read_text(&r, "{\"VRMC_springBone\":7}", NULL, &set, NULL), LMB_OK);
    assert_int_equal(set->joint_count, 0);
    lmb_spring_set_destroy(set);
    rope_end(&r);
}

static void test_chain(void **state)
{
    (void)state;
    rope r;
    const lmb_spring_joint like = hair, soft = lmb_spring_soft();
    rope_start(&r, &like, NULL, 0);
    lmb_spring_set *set = NULL;
    assert_int_equal(lmb_spring_set_add_chain(NULL, &r.line.skeleton, 2, &soft, NULL, &set, NULL),
                     LMB_OK);
    assert_int_equal(set->joint_count, 4);
    assert_int_equal(set->joints[0].tail, 3);
    nearf(set->joints[3].tail_offset.y, -0.07f, 1e-7f);
    lmb_spring_set *more = NULL;
    assert_int_equal(lmb_spring_set_add_chain(set, &r.line.skeleton, 1, &soft, NULL, &more, NULL),
                     LMB_OK);
    assert_int_equal(more->joint_count, 5);
    lmb_spring_set_destroy(more);
    lmb_spring_set_destroy(set);
    lmb_spring_set def = *r.set;
    def.joints[1].joint = def.joints[0].joint;
    def.joints[1].tail = def.joints[0].tail;
    assert_int_equal(lmb_spring_set_create(&def, &r.line.skeleton, NULL, &set, NULL),
                     LMB_ERROR_INVALID);
    def.joints[1].joint = JOINTS;
    assert_int_equal(lmb_spring_set_create(&def, &r.line.skeleton, NULL, &set, NULL),
                     LMB_ERROR_INVALID);
    rope_end(&r);
}

/// Every allocation fails once; nothing is left behind.
static void test_no_memory(void **state)
{
    (void)state;
    rope r;
    rope_start(&r, &hair, NULL, 0);
    for (failing_run f = {.least = 10}; failing_next(&f);) {
        lmb_spring_set *set = NULL, *more = NULL;
        lmb_springs *machine = NULL;
        f.result = read_text(&r, good, &f.alloc, &set, NULL);
        if (f.result == LMB_OK) {
            f.result =
                lmb_spring_set_add_chain(set, &r.line.skeleton, 4, &hair, &f.alloc, &more, NULL);
        }
        if (f.result == LMB_OK) {
            f.result = lmb_springs_create(more, &r.line.skeleton, &f.alloc, &machine, NULL);
        }
        lmb_springs_destroy(machine);
        lmb_spring_set_destroy(more);
        lmb_spring_set_destroy(set);
    }
    rope_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_step),
        cmocka_unit_test(test_published_step),
        cmocka_unit_test(test_rest_stays),
        cmocka_unit_test(test_frame_rates),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_colliders),
        cmocka_unit_test(test_center_feels_no_travel),
        cmocka_unit_test(test_reset_and_move),
        cmocka_unit_test(test_read_vrm1),
        cmocka_unit_test(test_read_vrm0),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
