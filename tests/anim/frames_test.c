// Small known answers: keys in one hemisphere, the curve of a crossfade, additive rotations, strides of
// whoever faces elsewhere.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <math.h>

#include <cmocka.h>

#include "anim/anim.h"
#include "limber/anim.h"

enum { FRAMES = 9 };

/// q and -q in turn are one steady rotation: neighbouring keys lie in one hemisphere, so that players that
/// mix components (cubic keys, and many viewers) go the shorter way.
static void neighbours_lie_in_one_hemisphere(void **state)
{
    (void)state;
    int32_t parent = LMB_NONE;
    const char *name = "joint";
    lmb_transform rest = lmb_transform_identity(), poses[FRAMES];
    const lmb_skeleton def = {.joint_count = 1, .parents = &parent, .rest = &rest, .names = &name};
    lmb_skeleton *skeleton = NULL;
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
    for (int f = 0; f < FRAMES; ++f) {
        const lmb_quat q = lmb_quat_axis_angle(lmb_vec3_make(0, 0.6f, 0.8f), 0.9f * (float)f);
        const float sign = f % 2 == 0 ? 1.0f : -1.0f;
        poses[f] = lmb_transform_identity();
        poses[f].rotation = lmb_quat_make(sign * q.x, sign * q.y, sign * q.z, sign * q.w);
    }
    assert_int_equal(lmb_clip_from_poses(skeleton, poses, FRAMES, 30, "turn", NULL, &clip, NULL),
                     LMB_OK);
    assert_int_equal(clip->channel_count, 1);
    assert_int_equal(clip->channels[0].key_count, FRAMES);
    const float *v = clip->channels[0].values;
    for (int f = 1; f < FRAMES; ++f) {
        const float *a = v + 4 * (f - 1), *b = v + 4 * f;
        assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0);
    }
    lmb_clip_destroy(clip);
    lmb_skeleton_destroy(skeleton);
}

/// s^3 (10 - 15 s + 6 s^2) at a quarter is 53 / 512.
static void frozen_poses_fade_by_the_quintic(void **state)
{
    (void)state;
    lmb_transform from = lmb_transform_identity(), pose = from;
    lmb_transition *t = NULL;
    assert_int_equal(lmb_transition_create(1, NULL, &t, NULL), LMB_OK);
    lmb_transition_start(
        t, &(lmb_transition_start_job){
               .kind = LMB_TRANSITION_FROZEN, .duration_s = 1, .from = &from, .dt_s = 0.25f});
    pose.translation.x = 512;
    assert_true(lmb_transition_step(t, 0.25f, &pose));
    assert_true(fabsf(pose.translation.x - 53) < 1e-3f);
    lmb_transition_destroy(t);
}

/// A difference and its negative are one rotation.
static void additive_rotations_take_the_shorter_arc(void **state)
{
    (void)state;
    int32_t parent = LMB_NONE;
    const char *name = "joint";
    lmb_transform rest = lmb_transform_identity();
    const lmb_skeleton skeleton = {
        .joint_count = 1, .parents = &parent, .rest = &rest, .names = &name};
    const lmb_quat q = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 1);
    lmb_transform difference = rest, pose[2] = {rest, rest};
    for (int k = 0; k < 2; ++k) {
        const float sign = k == 0 ? 1.0f : -1.0f;
        difference.rotation = lmb_quat_make(sign * q.x, sign * q.y, sign * q.z, sign * q.w);
        lmb_overlay(&(lmb_overlay_job){.skeleton = &skeleton,
                                       .over = &difference,
                                       .weight = 0.5f,
                                       .additive = true,
                                       .pose = &pose[k]});
        assert_true(fabsf(lmb_quat_angle(rest.rotation, pose[k].rotation) - 0.5f) < 1e-4f);
    }
}

/// Two feet that swing by sines along the way that the body faces: the left one is in front a quarter
/// of the cycle in, whichever way that is.
static void strides_are_along_the_heading(void **state)
{
    (void)state;
    enum { COUNT = 41 };
    int32_t parents[] = {LMB_NONE, 0, 0};
    const char *names[] = {"hips", "left", "right"};
    for (int quarter = 0; quarter < 4; ++quarter) {
        const lmb_quat yaw =
            lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 0.5f * LMB_PI * (float)quarter);
        lmb_transform rest[3] = {lmb_transform_identity(), lmb_transform_identity(),
                                 lmb_transform_identity()};
        rest[0].translation.y = 1;
        rest[1].translation = lmb_quat_rotate(yaw, lmb_vec3_make(0.1f, -1, 0));
        rest[2].translation = lmb_quat_rotate(yaw, lmb_vec3_make(-0.1f, -1, 0));
        const lmb_skeleton def = {
            .joint_count = 3, .parents = parents, .rest = rest, .names = names};
        lmb_skeleton *skeleton = NULL;
        lmb_clip *clip = NULL;
        lmbi_stride *stride = NULL;
        lmb_transform poses[3 * COUNT];
        assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
        for (int f = 0; f < COUNT; ++f) {
            const float swing = 0.3f * lmb_sin(2 * LMB_PI * (float)f / (COUNT - 1));
            for (int j = 0; j < 3; ++j) {
                const float z = j == 0 ? 0 : (j == 1 ? swing : -swing);
                poses[3 * f + j] = rest[j];
                poses[3 * f + j].translation =
                    lmb_vec3_add(rest[j].translation, lmb_quat_rotate(yaw, lmb_vec3_make(0, 0, z)));
            }
        }
        assert_int_equal(
            lmb_clip_from_poses(skeleton, poses, COUNT, COUNT - 1, "walk", NULL, &clip, NULL),
            LMB_OK);
        assert_int_equal(lmbi_stride_create(clip, skeleton, NULL, 1, 2, NULL, &stride, NULL),
                         LMB_OK);
        assert_int_equal(stride->mark_count, 2);
        assert_true(fabs(stride->marks_s[0] - 0.25) < 0.02);
        assert_true(fabs(stride->marks_s[1] - 0.75) < 0.02);
        lmbi_stride_destroy(stride);
        lmb_clip_destroy(clip);
        lmb_skeleton_destroy(skeleton);
    }
}

/// A foot that comes to rest between the two gates at the end of a cycle stands at its beginning.
static void contacts_go_on_over_the_seam(void **state)
{
    (void)state;
    enum { COUNT = 121 };
    int32_t parents[] = {LMB_NONE, 0};
    const char *names[] = {"head", "foot"};
    lmb_transform rest[2] = {lmb_transform_identity(), lmb_transform_identity()};
    rest[0].translation.y = 2;
    rest[1].translation.y = -2;
    const lmb_skeleton def = {.joint_count = 2, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *skeleton = NULL;
    lmb_clip *clip = NULL;
    lmb_transform poses[2 * COUNT];
    assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
    for (int f = 0; f < COUNT; ++f) {
        // Half a leg a second of a leg of 1 m, between the gates, but for the last quarter, which is
        // still; the middle is high.
        const float t = (float)f / (COUNT - 1);
        poses[2 * f] = rest[0];
        poses[2 * f + 1] = rest[1];
        poses[2 * f + 1].translation.x =
            t < 0.25f ? 0.5f * t : (t > 0.75f ? 0 : 0.25f * (0.75f - t));
        poses[2 * f + 1].translation.y += t > 0.3f && t < 0.7f ? 0.5f : 0;
    }
    assert_int_equal(
        lmb_clip_from_poses(skeleton, poses, COUNT, COUNT - 1, "step", NULL, &clip, NULL), LMB_OK);
    for (int loops = 0; loops < 2; ++loops) {
        lmbi_clip_contacts *contacts = NULL;
        assert_int_equal(lmbi_clip_contacts_create(clip, skeleton, 1, (lmb_vec3){0, 0, 0},
                                                   loops == 1, NULL, &contacts, NULL),
                         LMB_OK);
        assert_true(lmbi_clip_contacts_at(contacts, 0.9) > 0.5f);
        assert_true((lmbi_clip_contacts_at(contacts, 0.1) > 0.5f) == (loops == 1));
        lmbi_clip_contacts_destroy(contacts);
    }
    lmb_clip_destroy(clip);
    lmb_skeleton_destroy(skeleton);
}

/// Marks of a stride whose foot, in front, comes back by a fraction of the range and goes on again.
static uint32_t marks_with_dip(float dip)
{
    enum { COUNT = 101 };
    int32_t parents[] = {LMB_NONE, 0, 0};
    const char *names[] = {"hips", "left", "right"};
    const float back = 1 - 2 * dip;
    const struct {
        float at, value;
    } points[] = {{0, 0}, {0.2f, 1}, {0.3f, back}, {0.4f, 1}, {0.7f, -1}, {1, 0}};
    lmb_transform rest[3], poses[3 * COUNT];
    for (int j = 0; j < 3; ++j) {
        rest[j] = lmb_transform_identity();
        rest[j].translation = lmb_vec3_make(j == 0 ? 0 : j == 1 ? 0.1f : -0.1f, j == 0 ? 1 : -1, 0);
    }
    for (int f = 0, part = 0; f < COUNT; ++f) {
        const float t = (float)f / (COUNT - 1);
        while (part < 4 && t > points[part + 1].at) {
            ++part;
        }
        const float fraction = (t - points[part].at) / (points[part + 1].at - points[part].at);
        const float swing =
            0.3f * (points[part].value + fraction * (points[part + 1].value - points[part].value));
        memcpy(poses + 3 * f, rest, sizeof rest);
        poses[3 * f + 1].translation.z = swing;
        poses[3 * f + 2].translation.z = -swing;
    }
    const lmb_skeleton skeleton = {
        .joint_count = 3, .parents = parents, .rest = rest, .names = names};
    lmb_clip *clip = NULL;
    lmbi_stride *stride = NULL;
    assert_int_equal(
        lmb_clip_from_poses(&skeleton, poses, COUNT, COUNT - 1, "walk", NULL, &clip, NULL), LMB_OK);
    assert_int_equal(lmbi_stride_create(clip, &skeleton, NULL, 1, 2, NULL, &stride, NULL), LMB_OK);
    const uint32_t count = stride->mark_count;
    lmbi_stride_destroy(stride);
    lmb_clip_destroy(clip);
    return count;
}

/// A foot that falters is in its stride; one that comes back by half of it takes another.
static void a_stride_is_two_fifths_of_the_range_at_least(void **state)
{
    (void)state;
    assert_int_equal(marks_with_dip(0.1f), 2);
    assert_int_equal(marks_with_dip(0.35f), 2);
    assert_int_equal(marks_with_dip(0.45f), 4);
    assert_int_equal(marks_with_dip(0.6f), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_lie_in_one_hemisphere),
        cmocka_unit_test(frozen_poses_fade_by_the_quintic),
        cmocka_unit_test(additive_rotations_take_the_shorter_arc),
        cmocka_unit_test(strides_are_along_the_heading),
        cmocka_unit_test(a_stride_is_two_fifths_of_the_range_at_least),
        cmocka_unit_test(contacts_go_on_over_the_seam),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
