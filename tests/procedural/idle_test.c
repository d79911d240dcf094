// Standing that lives: feet stay, hips go over them, the breath has its rate, eyes meet what they
// look at; two legs and four.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "failing_allocator.h"
#include "limber/limber.h"

typedef struct stage {
    lmb_made_body *made;
    const lmb_skeleton *skeleton;
    lmb_gait_body body;
    lmb_transform *pose;
    lmb_mat4 *rest, *model;
    lmb_idle *idle;
} stage;

static void set_up(stage *s, lmb_made_body_kind kind, const lmb_idle_opts *opts)
{
    const lmb_made_body_opts want = {.kind = kind,
                                     .whole = true,
                                     .rigged = true,
                                     .triangle_count = 2000,
                                     .pose = LMB_MADE_POSE_A};
    assert_int_equal(lmb_made_body_create(&want, NULL, &s->made, NULL), LMB_OK);
    s->skeleton = s->made->character->skeleton;
    assert_int_equal(lmb_gait_body_find(s->made->character, NULL, &s->body, NULL), LMB_OK);
    const uint32_t n = s->skeleton->joint_count;
    s->pose = calloc(n, sizeof *s->pose);
    s->rest = calloc(n, sizeof *s->rest);
    s->model = calloc(n, sizeof *s->model);
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = s->skeleton, .model_from_joint = s->rest});
    assert_int_equal(lmb_idle_create(s->skeleton, &s->body, opts, NULL, &s->idle, NULL), LMB_OK);
}

static lmb_idle_report step(stage *s, float dt)
{
    memcpy(s->pose, s->skeleton->rest, s->skeleton->joint_count * sizeof *s->pose);
    const lmb_idle_report r = lmb_idle_step(s->idle, s->pose, dt);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = s->skeleton, .local = s->pose, .model_from_joint = s->model});
    return r;
}

static void tear_down(stage *s)
{
    lmb_idle_destroy(s->idle);
    lmb_made_body_destroy(s->made);
    free(s->pose);
    free(s->rest);
    free(s->model);
}

static lmb_vec3 moved(const stage *s, uint32_t joint)
{
    return lmb_vec3_sub(lmb_mat4_translation(s->model[joint]),
                        lmb_mat4_translation(s->rest[joint]));
}

static void test_nothing_asked(void **state)
{
    (void)state;
    stage s = {0};
    set_up(&s, LMB_MADE_HUMANOID, NULL);
    for (int f = 0; f < 60; ++f) {
        step(&s, 1.0f / 60);
        assert_memory_equal(s.pose, s.skeleton->rest, s.skeleton->joint_count * sizeof *s.pose);
    }
    tear_down(&s);
}

static void test_weight_shifts_over_feet_that_stay(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        stage s = {0};
        set_up(&s, kind == 0 ? LMB_MADE_HUMANOID : LMB_MADE_QUADRUPED,
               &(lmb_idle_opts){.seed = 7, .shift = 1, .breath = 1, .eyes = {-1, -1}});
        const float half = 0.5f * fabsf(lmb_mat4_translation(s.rest[s.body.legs[0].ankle]).x -
                                        lmb_mat4_translation(s.rest[s.body.legs[1].ankle]).x);
        float low = 0, high = 0, fastest = 0, last = 0;
        for (int f = 0; f < 30 * 40; ++f) {
            const lmb_idle_report r = step(&s, 1.0f / 30);
            assert_true(r.missed_m < 1e-3f);
            for (uint32_t k = 0; k < s.body.leg_count; ++k) {
                assert_true(lmb_vec3_length(moved(&s, s.body.legs[k].ankle)) < 1e-3f);
            }
            const float x = moved(&s, s.body.hips).x;
            low = fminf(low, x);
            high = fmaxf(high, x);
            fastest = f > 0 ? fmaxf(fastest, fabsf(x - last) * 30) : 0;
            last = x;
        }
        // half the way to either foot, without haste
        assert_true(high > 0.4f * half && low < -0.4f * half && high < 0.7f * half);
        assert_true(fastest < 2 * half);
        tear_down(&s);
    }
}

static void test_breath_has_its_rate(void **state)
{
    (void)state;
    stage s = {0};
    set_up(&s, LMB_MADE_HUMANOID,
           &(lmb_idle_opts){.breath = 1, .breath_hz = 0.3f, .eyes = {-1, -1}});
    const uint32_t chest = s.body.trunk[s.body.trunk_count - 1];
    int crossings = 0;
    float before = 0, most = 0;
    for (int f = 0; f < 60 * 20; ++f) {
        step(&s, 1.0f / 60);
        const lmb_quat q = s.pose[chest].rotation;
        const float pitch = lmb_quat_angle(q, s.skeleton->rest[chest].rotation);
        const float sign = lmb_quat_mul(lmb_quat_conjugate(s.skeleton->rest[chest].rotation), q).x;
        crossings += f > 0 && sign < 0 && before >= 0;
        before = sign;
        most = fmaxf(most, pitch);
    }
    assert_int_equal(crossings, 6); // 20 s of 0.3 Hz
    assert_true(most > 0.5f * LMB_PI / 180 && most < 3 * LMB_PI / 180);
    tear_down(&s);
}

static void test_looks_at(void **state)
{
    (void)state;
    static const float asides[] = {0, 20, -35, 75, 150};
    for (size_t k = 0; k < sizeof asides / sizeof *asides; ++k) {
        stage s = {0};
        const float yaw = asides[k] * LMB_PI / 180;
        lmb_idle_opts opts = {.look = LMB_IDLE_AT, .eyes = {-1, -1}};
        set_up(&s, LMB_MADE_HUMANOID, &opts);
        const uint32_t head = s.body.neck[s.body.neck_count - 1];
        const lmb_vec3 eyes = lmb_mat4_translation(s.rest[head]);
        opts.target = lmb_vec3_add(eyes, lmb_vec3_make(100 * lmb_sin(yaw), 0, 100 * lmb_cos(yaw)));
        lmb_idle_destroy(s.idle);
        assert_int_equal(lmb_idle_create(s.skeleton, &s.body, &opts, NULL, &s.idle, NULL), LMB_OK);
        lmb_idle_report r = {0};
        for (int f = 0; f < 180; ++f) {
            r = step(&s, 1.0f / 60);
        }
        const float want = fminf(fmaxf(yaw, -95 * LMB_PI / 180), 95 * LMB_PI / 180);
        assert_true(fabsf(r.head_rad[0] + r.eye_rad[0] - want) < 0.01f);
        const lmb_quat by = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), r.head_rad[0]);
        lmb_transform was, is;
        lmb_mat4_decompose(s.rest[head], &was);
        lmb_mat4_decompose(s.model[head], &is);
        assert_true(lmb_quat_angle(is.rotation, lmb_quat_mul(by, was.rotation)) < 0.02f);
        tear_down(&s);
    }
}

static void test_memory_and_same_bits(void **state)
{
    (void)state;
    const lmb_idle_opts opts = {
        .seed = 3, .shift = 1, .breath = 1, .look = LMB_IDLE_ABOUT, .eyes = {-1, -1}};
    stage a = {0}, b = {0};
    set_up(&a, LMB_MADE_HUMANOID, &opts);
    set_up(&b, LMB_MADE_HUMANOID, &opts);
    for (int f = 0; f < 300; ++f) {
        step(&a, 1.0f / 30);
        step(&b, 1.0f / 30);
    }
    assert_memory_equal(a.pose, b.pose, a.skeleton->joint_count * sizeof *a.pose);
    for (int n = 0; n < 3; ++n) {
        failing_allocator failing = {.calls_left = n};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        lmb_idle *idle = NULL;
        assert_int_equal(lmb_idle_create(a.skeleton, &a.body, &opts, &alloc, &idle, NULL),
                         LMB_ERROR_MEMORY);
    }
    tear_down(&a);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_asked),
        cmocka_unit_test(test_weight_shifts_over_feet_that_stay),
        cmocka_unit_test(test_breath_has_its_rate),
        cmocka_unit_test(test_looks_at),
        cmocka_unit_test(test_memory_and_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
