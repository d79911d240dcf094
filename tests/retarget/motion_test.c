// What is taken of a clip: calibration poses in front of it are left out, whether the take jumps
// away from them or they fade into it, and nothing else is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "made_bodies.h"
#include "retarget/body.h"

enum { RATE = 60, TAKE_FRAMES = 60 };

/// The pose that takes begin with: at rest, with every sixth joint bent by 0.15 rad and all of the
/// body turned about its heading.
static lmb_quat first_rotation(const lmb_skeleton *skeleton, uint32_t joint, float heading_rad)
{
    const lmb_vec3 x = {1, 0, 0}, y = {0, 1, 0};
    const lmb_quat rest = skeleton->rest[joint].rotation;
    if (skeleton->parents[joint] < 0) {
        return lmb_quat_mul(lmb_quat_axis_angle(y, heading_rad), rest);
    }
    return joint % 6 == 0 ? lmb_quat_mul(rest, lmb_quat_axis_angle(x, 0.15f)) : rest;
}

/// Local poses, a frame after the other: `lead` frames in which the rest pose fades into the walk
/// (1: a jump), then the walk.
static lmb_character *walk_behind_a_rest_pose(uint32_t lead, float heading_rad)
{
    lmb_character *walk = test_motion(LMB_MOTION_WALK);
    const lmb_skeleton *skeleton = walk->skeleton;
    const uint32_t n = skeleton->joint_count, count = lead + TAKE_FRAMES;
    float *times = malloc(count * sizeof *times), *values = malloc((size_t)count * n * 16);
    lmb_channel *channels = calloc(n, sizeof *channels);
    lmb_transform *pose = malloc(n * sizeof *pose);
    for (uint32_t f = 0; f < count; ++f) {
        const float weight = f < lead ? (float)f / (float)lead : 1.0f;
        lmb_sample(&(lmb_sample_job){.clip = walk->clips[0],
                                     .time_s = f < lead ? 0 : (double)(f - lead) / RATE,
                                     .joint_count = n,
                                     .rest = skeleton->rest,
                                     .pose = pose});
        times[f] = (float)f;
        for (uint32_t j = 0; j < n; ++j) {
            const lmb_quat first = first_rotation(skeleton, j, heading_rad),
                           q = lmb_quat_slerp(first, pose[j].rotation, weight);
            memcpy(values + 4 * ((size_t)j * count + f), &q, 16);
        }
    }
    for (uint32_t j = 0; j < n; ++j) {
        channels[j] = (lmb_channel){.joint = j,
                                    .path = LMB_PATH_ROTATION,
                                    .interpolation = LMB_LINEAR,
                                    .key_count = count,
                                    .width = 4,
                                    .ticks = times,
                                    .values = values + 4 * (size_t)j * count};
    }
    const lmb_clip def = {.name = "take",
                          .ticks_per_s = RATE,
                          .duration = (float)(count - 1),
                          .frame_rate = RATE,
                          .channel_count = n,
                          .channels = channels};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(&def, NULL, &clip, NULL), LMB_OK);
    lmb_clip_destroy(walk->clips[0]);
    walk->clips[0] = clip;
    free(times);
    free(values);
    free(channels);
    free(pose);
    return walk;
}

static uint32_t dropped_frames(const lmb_character *character)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    lmbi_motion motion;
    assert_int_equal(lmbi_motion_sample(character, 0, 0, false, &arena, &motion, NULL), LMB_OK);
    lmbi_arena_free(&arena);
    return motion.dropped;
}

static void calibration_poses_are_left_out(void **state)
{
    (void)state;
    for (uint32_t lead = 1; lead <= 10; ++lead) {
        for (int turn = 0; turn < 3; ++turn) {
            const float heading_rad = (float)turn;
            lmb_character *character = walk_behind_a_rest_pose(lead, heading_rad);
            const uint32_t dropped = dropped_frames(character);
            print_message(
                "%u frames from the rest pose, turned by %g, into the walk: %u left out\n", lead,
                (double)heading_rad, dropped);
            assert_true(dropped <= lead && dropped + 1 >= lead);
            lmb_character_destroy(character);
        }
    }
}

/// Takes without a calibration pose keep every frame.
static void takes_stay_whole(void **state)
{
    (void)state;
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        lmb_character *character = test_motion((lmb_motion_kind)kind);
        assert_int_equal(dropped_frames(character), 0);
        lmb_character_destroy(character);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calibration_poses_are_left_out),
        cmocka_unit_test(takes_stay_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
