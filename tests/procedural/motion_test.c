// Made motions: they close, planted feet stand still, bones keep their lengths, the same bytes come
// every time.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "made_bodies.h"
#include "math/math.h"
#include "procedural/procedural.h"

static void they_close(void **state)
{
    (void)state;
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        lmb_character *character = test_whole_motion((lmb_motion_kind)kind);
        const lmb_clip *clip = character->clips[0];
        const double end = (double)lmb_clip_duration_s(clip), step = 1.0 / 60.0;
        lmb_transform *first = test_pose(character, clip, 0),
                      *last = test_pose(character, clip, end);
        lmb_transform *second = test_pose(character, clip, step),
                      *before = test_pose(character, clip, end - step);
        const lmb_vec3 travel = lmb_vec3_sub(last[0].translation, first[0].translation);
        assert_true(kind <= LMB_MOTION_RUN ? travel.z > 1.0f : lmb_vec3_length(travel) < 1e-6f);
        assert_true(fabsf(travel.x) + fabsf(travel.y) < 1e-6f);
        for (uint32_t j = 0; j < character->skeleton->joint_count; ++j) {
            assert_true(lmb_quat_angle(first[j].rotation, last[j].rotation) < 1e-3f);
            assert_true(lmb_vec3_distance(lmb_vec3_add(first[j].translation, travel),
                                          last[j].translation) < 1e-5f);
            // Velocities across the seam: they may differ by what a frame's acceleration is, 60
            // m/s^2 at a heel strike.
            const lmb_vec3 v0 = lmb_vec3_sub(second[j].translation, first[j].translation);
            const lmb_vec3 v1 = lmb_vec3_sub(last[j].translation, before[j].translation);
            assert_true(lmb_vec3_distance(v0, v1) < 0.03f);
        }
        free(first);
        free(last);
        free(second);
        free(before);
        lmb_character_destroy(character);
    }
}

/// The toe joint of a walk does not move from when the sole is down to when it leaves; nor does the
/// ankle while it is flat.
static void planted_feet_stand_still(void **state)
{
    (void)state;
    static const float speeds[] = {0.8f, 1.35f, 1.9f};
    for (int s = 0; s < 3; ++s) {
        lmb_character *character = NULL;
        assert_int_equal(
            lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK, .speed_m_s = speeds[s]},
                              NULL, &character, NULL),
            LMB_OK);
        const lmb_clip *clip = character->clips[0];
        const double cycle = (double)lmb_clip_duration_s(clip);
        const int32_t toes = lmb_skeleton_find(character->skeleton, "leftToes"),
                      foot = lmb_skeleton_find(character->skeleton, "leftFoot");
        lmb_box toe_box = lmb_box_empty(), ankle_box = lmb_box_empty();
        for (int i = 0; i < 1000; ++i) {
            const double phase = i / 1000.0;
            lmb_transform *pose = test_pose(character, clip, phase * cycle);
            if (phase > 0.11 && phase < 0.58) {
                toe_box = lmb_box_add(toe_box, pose[toes].translation);
            }
            if (phase > 0.11 && phase < 0.26) {
                ankle_box = lmb_box_add(ankle_box, pose[foot].translation);
            }
            // The toe joint never goes under where it is on a flat foot.
            assert_true(pose[toes].translation.y > 0.0185f); // slerp between frames again
            free(pose);
        }
        // slerp between frames cuts corners
        assert_true(lmb_vec3_distance(toe_box.low, toe_box.high) < 6e-4f);
        assert_true(lmb_vec3_distance(ankle_box.low, ankle_box.high) < 6e-4f);
        lmb_character_destroy(character);
    }
}

static void speed_is_kept(void **state)
{
    (void)state;
    static const struct {
        lmb_motion_kind kind;
        float speed;
    } cases[] = {{LMB_MOTION_WALK, 0.7f},
                 {LMB_MOTION_WALK, 2.0f},
                 {LMB_MOTION_RUN, 2.5f},
                 {LMB_MOTION_RUN, 5.5f}};
    float cadence = 0;
    for (int i = 0; i < 4; ++i) {
        lmb_character *character = NULL;
        const lmb_motion_opts opts = {.kind = cases[i].kind, .speed_m_s = cases[i].speed};
        assert_int_equal(lmb_motion_create(&opts, NULL, &character, NULL), LMB_OK);
        const lmb_clip *clip = character->clips[0];
        const double end = (double)lmb_clip_duration_s(clip);
        lmb_transform *a = test_pose(character, clip, 0), *b = test_pose(character, clip, end);
        const float speed = (b[0].translation.z - a[0].translation.z) / (float)end;
        assert_true(fabsf(speed - cases[i].speed) < 0.01f * cases[i].speed);
        assert_true(120.0f / (float)end > cadence); // steps a minute rise with speed
        cadence = 120.0f / (float)end;
        free(a);
        free(b);
        lmb_character_destroy(character);
    }
    assert_true(cadence > 160.0f && cadence < 240.0f);
}

static void in_place_stays(void **state)
{
    (void)state;
    lmb_character *character = NULL;
    assert_int_equal(lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_RUN, .in_place = true},
                                       NULL, &character, NULL),
                     LMB_OK);
    lmb_transform *a = test_pose(character, character->clips[0], 0);
    lmb_transform *b =
        test_pose(character, character->clips[0], (double)lmb_clip_duration_s(character->clips[0]));
    assert_true(lmb_vec3_distance(a[0].translation, b[0].translation) < 1e-5f);
    free(a);
    free(b);
    lmb_character_destroy(character);
}

static void legs_reach_and_knees_bend_forward(void **state)
{
    (void)state;
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        lmb_character *character = test_whole_motion((lmb_motion_kind)kind);
        const lmb_skeleton *skeleton = character->skeleton;
        const int32_t hip = lmb_skeleton_find(skeleton, "rightUpperLeg");
        for (int i = 0; i <= 200; ++i) {
            lmb_transform *pose =
                test_pose(character, character->clips[0],
                          (double)lmb_clip_duration_s(character->clips[0]) * i / 200.0);
            const lmb_vec3 thigh = lmb_vec3_sub(pose[hip + 1].translation, pose[hip].translation);
            const lmb_vec3 shin =
                lmb_vec3_sub(pose[hip + 2].translation, pose[hip + 1].translation);
            assert_true(lmb_vec3_cross(thigh, shin).x > -1e-3f);
            const float flexion = lmbi_acos(lmb_vec3_dot(thigh, shin) /
                                            (lmb_vec3_length(thigh) * lmb_vec3_length(shin)));
            assert_true(flexion < 2.3f); // 130 degrees
            free(pose);
        }
        lmb_character_destroy(character);
    }
}

/// How far a fingertip is bent out of the line of its hand, in radians, and on which side: positive
/// towards the palm, which looks down in the T-pose.
static float finger_bend(const lmb_character *character, const lmb_transform *pose,
                         const char *hand, const char *finger)
{
    const lmb_skeleton *skeleton = character->skeleton;
    const int32_t wrist = lmb_skeleton_find(skeleton, hand),
                  end = lmb_skeleton_find(skeleton, finger);
    assert_true(wrist >= 0 && end >= 0);
    const lmb_vec3 tip = lmb_quat_rotate(pose[end].rotation, skeleton->tips[end]),
                   in_hand = lmb_quat_rotate(lmb_quat_conjugate(pose[wrist].rotation), tip);
    return atan2f(-in_hand.y, hand[0] == 'l' ? in_hand.x : -in_hand.x);
}

/// Hands that do nothing are half open, the running ones nearly closed, the waving one flat; left
/// as right.
static void fingers_curl_to_the_palm(void **state)
{
    (void)state;
    const struct {
        lmb_motion_kind kind;
        double time_s;
        float left[2], right[2]; ///< least and most bend of the middle finger's end
    } rows[] = {{LMB_MOTION_IDLE, 1.0, {1.0f, 1.6f}, {1.0f, 1.6f}},
                {LMB_MOTION_RUN, 0.2, {2.2f, 3.1f}, {2.2f, 3.1f}},
                {LMB_MOTION_WAVE, 1.7, {1.0f, 1.6f}, {0.0f, 0.3f}}};
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); ++k) {
        lmb_character *character = test_whole_motion(rows[k].kind);
        lmb_transform *pose = test_pose(character, character->clips[0], rows[k].time_s);
        const float left = finger_bend(character, pose, "leftHand", "leftMiddleDistal"),
                    right = finger_bend(character, pose, "rightHand", "rightMiddleDistal");
        // The index bends by 0.85 of the middle finger.
        const float index = finger_bend(character, pose, "leftHand", "leftIndexDistal");
        assert_true(fabsf(index - 0.85f * left) < 0.02f);
        free(pose);
        lmb_character_destroy(character);
        assert_true(left > rows[k].left[0] && left < rows[k].left[1]);
        assert_true(right > rows[k].right[0] && right < rows[k].right[1]);
    }
}

static void names_and_refusals(void **state)
{
    (void)state;
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        assert_int_equal(lmb_motion_find(lmbi_motion_name((lmb_motion_kind)kind)), kind);
    }
    assert_int_equal(lmb_motion_find("fly"), LMB_MOTION_COUNT);
    lmb_character *character = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK, .speed_m_s = 9},
                                       NULL, &character, &error),
                     LMB_ERROR_INVALID);
    assert_int_equal(
        lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_RUN, .frame_rate = NAN}, NULL,
                          &character, &error),
        LMB_ERROR_INVALID);
    assert_int_equal(lmb_motion_create(&(lmb_motion_opts){.kind = (lmb_motion_kind)99}, NULL,
                                       &character, &error),
                     LMB_ERROR_INVALID);
    assert_null(character);
}

static void same_bytes_every_time(void **state)
{
    (void)state;
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        lmb_character *a = test_whole_motion((lmb_motion_kind)kind),
                      *b = test_whole_motion((lmb_motion_kind)kind);
        for (uint32_t c = 0; c < a->clips[0]->channel_count; ++c) {
            const lmb_channel *x = &a->clips[0]->channels[c], *y = &b->clips[0]->channels[c];
            assert_memory_equal(x->values, y->values,
                                (size_t)x->key_count * x->width * sizeof(float));
        }
        lmb_character_destroy(a);
        lmb_character_destroy(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_close),
        cmocka_unit_test(planted_feet_stand_still),
        cmocka_unit_test(speed_is_kept),
        cmocka_unit_test(in_place_stays),
        cmocka_unit_test(legs_reach_and_knees_bend_forward),
        cmocka_unit_test(fingers_curl_to_the_palm),
        cmocka_unit_test(names_and_refusals),
        cmocka_unit_test(same_bytes_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
