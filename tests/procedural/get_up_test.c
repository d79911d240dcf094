// How bodies lie, and which clip gets them up.
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
#include "near.h"
#include "procedural/procedural.h"

static lmb_quat about(float x, float y, float z, float degrees)
{
    return lmb_quat_axis_angle(lmb_vec3_make(x, y, z), degrees * LMB_PI / 180);
}

typedef struct known {
    lmb_quat rotation;
    lmb_lying lying;
    lmb_vec3 heading;
} known;

static void test_how_it_lies(void **state)
{
    (void)state;
    const known all[] = {
        {about(0, 1, 0, 0), LMB_LYING_NOT, {0, 0, 1}},
        {about(0, 1, 0, 90), LMB_LYING_NOT, {1, 0, 0}},
        {about(1, 0, 0, 90), LMB_LYING_PRONE, {0, 0, 1}},
        {about(1, 0, 0, -90), LMB_LYING_SUPINE, {0, 0, 1}},
        {about(0, 0, 1, 90), LMB_LYING_SIDE, {0, 0, 1}},
        {lmb_quat_mul(about(0, 1, 0, 90), about(1, 0, 0, 80)), LMB_LYING_PRONE, {1, 0, 0}},
        {lmb_quat_mul(about(0, 1, 0, -90), about(1, 0, 0, -70)), LMB_LYING_SUPINE, {-1, 0, 0}},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        lmb_vec3 heading;
        assert_int_equal(lmbi_lying_of(all[k].rotation, &heading), all[k].lying);
        nearf(lmb_vec3_distance(heading, all[k].heading), 0, 1e-5f);
    }
}

// --------------------------------------------------------------------------------------- choosing

enum { CLIPS = 5 };

static lmb_made_body *body;
static uint32_t hips;

/// The rest pose, laid over by `lie`, with arms and legs bent a little by chance.
static lmb_transform *pose_of(lmb_quat lie, uint64_t seed)
{
    const lmb_skeleton *s = body->character->skeleton;
    lmb_transform *pose = calloc(s->joint_count, sizeof *pose);
    lmb_random random = lmb_random_seed(seed);
    memcpy(pose, s->rest, s->joint_count * sizeof *pose);
    for (uint32_t j = hips + 1; j < s->joint_count; ++j) {
        const lmb_vec3 axis = {lmb_random_range(&random, -1, 1), lmb_random_range(&random, -1, 1),
                               lmb_random_range(&random, -1, 1)};
        const lmb_quat by = lmb_quat_axis_angle(lmb_vec3_normalize_or(axis, lmb_vec3_make(1, 0, 0)),
                                                seed > 0 ? 0.08f : 0);
        pose[j].rotation = lmb_quat_normalize(lmb_quat_mul(pose[j].rotation, by));
    }
    pose[hips].rotation = lmb_quat_normalize(lmb_quat_mul(lie, pose[hips].rotation));
    pose[hips].translation.y = 0.15f;
    return pose;
}

static void test_chooses(void **state)
{
    (void)state;
    const lmb_quat lies[CLIPS] = {about(0, 1, 0, 0), about(1, 0, 0, 90), about(1, 0, 0, -90),
                                  about(0, 0, 1, 90), about(0, 0, 1, -90)};
    lmb_transform *begins[CLIPS];
    for (int k = 0; k < CLIPS; ++k) {
        begins[k] = pose_of(lies[k], 0);
    }
    for (uint32_t t = 0; t < 40; ++t) {
        const uint32_t want = t % CLIPS;
        const float yaw = (float)t * 0.7f;
        lmb_transform *pose =
            pose_of(lmb_quat_mul(about(0, 1, 0, yaw * 180 / LMB_PI), lies[want]), t + 1);
        pose[hips].translation.x = 3;
        pose[hips].translation.z = -2;
        lmb_get_up got;
        const lmb_get_up_job job = {.skeleton = body->character->skeleton,
                                    .hips = hips,
                                    .local = pose,
                                    .begin_count = CLIPS,
                                    .begins = (const lmb_transform *const *)begins};
        assert_int_equal(lmb_get_up_choose(&job, NULL, &got, NULL), LMB_OK);
        assert_int_equal(got.chosen, want);
        // the clip's hips come to where the body's are, and the clip turns by as much
        const lmb_transform moved = lmb_transform_mul(got.there, begins[want][hips]);
        nearf(moved.translation.x, 3, 1e-4f);
        nearf(moved.translation.z, -2, 1e-4f);
        nearf(got.there.translation.y, 0, 1e-6f);
        nearf(lmb_quat_angle(got.there.rotation, lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), yaw)),
              0, 0.2f);
        assert_true(got.difference_m < 0.2f);
        free(pose);
    }
    for (int k = 0; k < CLIPS; ++k) {
        free(begins[k]);
    }
}

/// Without a clip for its side it takes the nearest there is.
static void test_takes_what_there_is(void **state)
{
    (void)state;
    lmb_transform *stands = pose_of(about(0, 1, 0, 0), 0), *pose = pose_of(about(1, 0, 0, 90), 3);
    lmb_get_up got;
    const lmb_get_up_job job = {.skeleton = body->character->skeleton,
                                .hips = hips,
                                .local = pose,
                                .begin_count = 1,
                                .begins = (const lmb_transform *const *)&stands};
    assert_int_equal(lmb_get_up_choose(&job, NULL, &got, NULL), LMB_OK);
    assert_int_equal(got.chosen, 0);
    assert_int_equal(got.lying, LMB_LYING_PRONE);
    for (int n = 0; n < 2; ++n) {
        failing_allocator failing = {.calls_left = n};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        assert_int_equal(lmb_get_up_choose(&job, &alloc, &got, NULL), LMB_ERROR_MEMORY);
    }
    free(stands);
    free(pose);
}

static int start(void **state)
{
    (void)state;
    const lmb_made_body_opts opts = {
        .whole = true, .rigged = true, .triangle_count = 500, .pose = LMB_MADE_POSE_A};
    if (lmb_made_body_create(&opts, NULL, &body, NULL) != LMB_OK) {
        return -1;
    }
    hips = (uint32_t)lmb_skeleton_find(body->character->skeleton, "hips");
    return 0;
}

static int end(void **state)
{
    (void)state;
    lmb_made_body_destroy(body);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_it_lies),
        cmocka_unit_test(test_chooses),
        cmocka_unit_test(test_takes_what_there_is),
    };
    return cmocka_run_group_tests(tests, start, end);
}
