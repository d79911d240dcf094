// Faults put into made motions, and taken out again.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "made_bodies.h"

enum { RATE = 60 };

/// A clip's poses, to be spoiled.
typedef struct takes {
    uint32_t count, joints;
    lmb_transform *poses;
} takes;

static takes take(const lmb_character *c)
{
    takes t = {.joints = c->skeleton->joint_count};
    t.count = (uint32_t)(lmb_clip_duration_s(c->clips[0]) * RATE) + 1;
    t.poses = malloc((size_t)t.count * t.joints * sizeof *t.poses);
    for (uint32_t f = 0; f < t.count; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = c->clips[0],
                                     .time_s = (double)f / RATE,
                                     .joint_count = t.joints,
                                     .rest = c->skeleton->rest,
                                     .pose = t.poses + (size_t)f * t.joints});
    }
    return t;
}

/// The character with the spoilt clip for its own.
static lmb_character *put(lmb_character *c, const takes *t)
{
    lmb_clip *clips[1] = {NULL};
    lmb_character def = *c, *out = NULL;
    assert_int_equal(
        lmb_clip_from_poses(c->skeleton, t->poses, t->count, RATE, "spoilt", NULL, &clips[0], NULL),
        LMB_OK);
    lmb_clip_destroy(c->clips[0]);
    def.clips = clips;
    def.clip_count = 1;
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    lmb_character_release(c);
    return out;
}

static lmb_clip *clean(const lmb_character *c, const lmb_clean_opts *opts, lmb_clean_report *report)
{
    lmb_clip *out = NULL;
    lmb_error error = {0};
    if (lmb_clean_clip(c, 0, opts, NULL, &out, report, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return out;
}

/// The largest angle between a joint's rotations in a clip and in takes.
static float worst_angle(const lmb_character *c, const lmb_clip *clip, const takes *t)
{
    lmb_transform *pose = malloc(t->joints * sizeof *pose);
    float worst = 0;
    for (uint32_t f = 0; f < t->count; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)f / RATE,
                                     .joint_count = t->joints,
                                     .rest = c->skeleton->rest,
                                     .pose = pose});
        for (uint32_t j = 0; j < t->joints; ++j) {
            worst = fmaxf(worst, lmb_quat_angle(pose[j].rotation,
                                                t->poses[(size_t)f * t->joints + j].rotation));
        }
    }
    free(pose);
    return worst;
}

static const lmb_clean_opts no_feet = {.keep_feet = true};

static void a_clean_clip_stays(void **state)
{
    (void)state;
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        lmb_character *c = test_motion((lmb_motion_kind)kind);
        takes t = take(c);
        lmb_clean_report report;
        lmb_clip *clip = clean(c, &no_feet, &report);
        assert_int_equal(report.spike_count, 0);
        assert_int_equal(report.gap_frames, 0);
        assert_true(worst_angle(c, clip, &t) < 2e-3f);
        lmb_clip_destroy(clip);
        free(t.poses);
        lmb_character_destroy(c);
    }
}

static void spikes_and_gaps_are_bridged(void **state)
{
    (void)state;
    lmb_character *c = test_motion(LMB_MOTION_WAVE);
    takes truth = take(c), spoilt = take(c);
    const uint32_t arm = (uint32_t)lmb_skeleton_find(c->skeleton, "rightLowerArm"),
                   spine = (uint32_t)lmb_skeleton_find(c->skeleton, "spine");
    const lmb_quat jerk = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 1);
    lmb_quat *q = &spoilt.poses[(size_t)50 * spoilt.joints + arm].rotation;
    *q = lmb_quat_mul(jerk, *q);
    for (uint32_t f = 80; f < 82; ++f) {
        q = &spoilt.poses[(size_t)f * spoilt.joints + spine].rotation;
        *q = lmb_quat_mul(jerk, *q);
    }
    for (uint32_t f = 120; f < 132; ++f) {
        memcpy(spoilt.poses + (size_t)f * spoilt.joints, spoilt.poses + (size_t)119 * spoilt.joints,
               spoilt.joints * sizeof *spoilt.poses);
    }
    c = put(c, &spoilt);
    lmb_clean_report report;
    lmb_clip *clip = clean(c, &no_feet, &report);
    assert_int_equal(report.spike_count, 2);
    assert_int_equal(report.gap_frames, 12);
    assert_true(worst_angle(c, clip, &spoilt) > 0.5f);
    // Within a fifth of a second a wave bends by this much off a straight line.
    assert_true(worst_angle(c, clip, &truth) < 0.2f);
    lmb_clip_destroy(clip);
    const lmb_clean_opts keep = {.keep_feet = true, .keep_spikes = true, .keep_gaps = true};
    clip = clean(c, &keep, &report);
    assert_int_equal(report.spike_count + report.gap_frames, 0);
    assert_true(worst_angle(c, clip, &spoilt) < 2e-3f);
    lmb_clip_destroy(clip);
    free(truth.poses);
    free(spoilt.poses);
    lmb_character_destroy(c);
}

static void tremble_is_smoothed(void **state)
{
    (void)state;
    lmb_character *c = test_motion(LMB_MOTION_WALK);
    takes truth = take(c), spoilt = take(c);
    lmb_random random = lmb_random_seed(1);
    for (size_t k = 0; k < (size_t)spoilt.count * spoilt.joints; ++k) {
        const lmb_quat q =
            lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), lmb_random_range(&random, -0.03f, 0.03f));
        spoilt.poses[k].rotation = lmb_quat_mul(q, spoilt.poses[k].rotation);
    }
    c = put(c, &spoilt);
    lmb_clip *clip =
        clean(c, &(lmb_clean_opts){.keep_feet = true, .keep_spikes = true, .smooth_hz = 8}, NULL);
    double before = 0, after = 0;
    lmb_transform *pose = malloc(truth.joints * sizeof *pose);
    for (uint32_t f = 5; f + 5 < truth.count; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)f / RATE,
                                     .joint_count = truth.joints,
                                     .rest = c->skeleton->rest,
                                     .pose = pose});
        for (uint32_t j = 1; j < truth.joints; ++j) {
            const size_t at = (size_t)f * truth.joints + j;
            const double a = (double)lmb_quat_angle(spoilt.poses[at].rotation,
                                                    truth.poses[at].rotation),
                         b = (double)lmb_quat_angle(pose[j].rotation, truth.poses[at].rotation);
            before += a * a;
            after += b * b;
        }
    }
    assert_true(after < 0.5 * before);
    free(pose);
    lmb_clip_destroy(clip);
    free(truth.poses);
    free(spoilt.poses);
    lmb_character_destroy(c);
}

/// How fast both ankles go along the ground while they are low, metres a second.
static double slide(const lmb_character *c, const lmb_clip *clip)
{
    static const char *const feet[2] = {"leftToes", "rightToes"};
    double sum = 0;
    int count = 0;
    for (int k = 0; k < 2; ++k) {
        const int32_t foot = lmb_skeleton_find(c->skeleton, feet[k]);
        for (int f = 6; f + 6 < (int)(lmb_clip_duration_s(clip) * 60); ++f) {
            lmb_transform *a = test_pose(c, clip, f / 60.0),
                          *b = test_pose(c, clip, (f + 1) / 60.0);
            const lmb_vec3 p = a[foot].translation, q = b[foot].translation;
            if (p.y < 0.025f + 0.02f && q.y < 0.025f + 0.02f) {
                sum += 60 * (double)lmb_sqrt((p.x - q.x) * (p.x - q.x) + (p.z - q.z) * (p.z - q.z));
                ++count;
            }
            free(a);
            free(b);
        }
    }
    return count > 0 ? sum / count : 0;
}

/// A body that stands and drifts along by 5 cm a second stands still again.
static void sliding_feet_are_held(void **state)
{
    (void)state;
    lmb_character *c = test_motion(LMB_MOTION_IDLE);
    takes spoilt = take(c);
    for (uint32_t f = 0; f < spoilt.count; ++f) {
        spoilt.poses[(size_t)f * spoilt.joints].translation.x += 0.05f * (float)(f % 120) / RATE;
    }
    spoilt.count = 120;
    c = put(c, &spoilt);
    lmb_clean_report report;
    lmb_clip *clip = clean(c, NULL, &report);
    assert_true(report.feet_held && report.contact_count >= 2);
    assert_true(slide(c, c->clips[0]) > 0.045);
    assert_true(slide(c, clip) < 0.005);
    lmb_clip_destroy(clip);
    free(spoilt.poses);
    lmb_character_destroy(c);
}

/// What no map of a humanoid names goes on moving.
static void other_joints_keep_their_motion(void **state)
{
    (void)state;
    lmb_character *made = test_motion(LMB_MOTION_WALK), *c = NULL;
    const uint32_t n = made->skeleton->joint_count;
    lmb_skeleton skeleton = *made->skeleton;
    skeleton.parents = malloc((n + 1) * sizeof *skeleton.parents);
    skeleton.rest = malloc((n + 1) * sizeof *skeleton.rest);
    skeleton.names = malloc((n + 1) * sizeof *skeleton.names);
    skeleton.tips = NULL;
    skeleton.source_index = NULL;
    memcpy(skeleton.parents, made->skeleton->parents, n * sizeof *skeleton.parents);
    memcpy(skeleton.rest, made->skeleton->rest, n * sizeof *skeleton.rest);
    memcpy(skeleton.names, made->skeleton->names, n * sizeof *skeleton.names);
    skeleton.joint_count = n + 1;
    skeleton.parents[n] = lmb_skeleton_find(made->skeleton, "head");
    skeleton.rest[n] = lmb_transform_identity();
    skeleton.names[n] = "propeller";
    lmb_character def = *made;
    assert_int_equal(lmb_skeleton_create(&skeleton, NULL, &def.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&def, NULL, &c, NULL), LMB_OK);
    takes t = take(c);
    for (uint32_t f = 0; f < t.count; ++f) {
        t.poses[(size_t)f * t.joints + n].rotation =
            lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 0.05f * (float)f);
    }
    c = put(c, &t);
    lmb_clip *clip = clean(c, NULL, NULL);
    lmb_transform *pose = test_pose(c, clip, 0.5), *head = pose + skeleton.parents[n];
    const float angle = lmb_quat_angle(pose[n].rotation, head->rotation);
    assert_true(fabsf(angle - 0.05f * 30) < 0.01f);
    free(pose);
    free(t.poses);
    lmb_clip_destroy(clip);
    lmb_skeleton_destroy(made->skeleton);
    lmb_character_release(made);
    lmb_character_destroy(c);
    free(skeleton.parents);
    free(skeleton.rest);
    free(skeleton.names);
}

static void the_moving_part_is_kept(void **state)
{
    (void)state;
    lmb_character *c = test_motion(LMB_MOTION_WALK);
    takes t = take(c), still = {.joints = t.joints, .count = t.count + 120};
    still.poses = malloc((size_t)still.count * still.joints * sizeof *still.poses);
    for (uint32_t f = 0; f < still.count; ++f) {
        const uint32_t from = f < 60 ? 0 : f - 60 < t.count ? f - 60 : t.count - 1;
        memcpy(still.poses + (size_t)f * t.joints, t.poses + (size_t)from * t.joints,
               t.joints * sizeof *t.poses);
    }
    c = put(c, &still);
    lmb_clean_report report;
    lmb_clip *clip =
        clean(c, &(lmb_clean_opts){.keep_feet = true, .keep_gaps = true, .trim = true}, &report);
    assert_true(fabs(report.begin_s - 0.85) < 0.05);
    assert_true(fabs(report.end_s - (1.15 + (t.count - 1) / 60.0)) < 0.05);
    lmb_clip_destroy(clip);
    free(t.poses);
    free(still.poses);
    lmb_character_destroy(c);
}

static void twice_mirrored_is_the_same(void **state)
{
    (void)state;
    lmb_character *c = test_motion(LMB_MOTION_WAVE);
    takes t = take(c);
    const lmb_clean_opts mirror = {.keep_feet = true, .mirror = true, .name = "other side"};
    lmb_clip *once = clean(c, &mirror, NULL);
    assert_string_equal(once->name, "other side");
    assert_true(worst_angle(c, once, &t) > 0.5f);
    lmb_character def = *c, *mirrored = NULL;
    def.clips = &once;
    assert_int_equal(lmb_character_create(&def, NULL, &mirrored, NULL), LMB_OK);
    lmb_clip *twice = clean(mirrored, &mirror, NULL);
    assert_true(worst_angle(c, twice, &t) < 5e-3f);
    lmb_clip_destroy(once);
    lmb_clip_destroy(twice);
    lmb_character_release(mirrored);
    free(t.poses);
    lmb_character_destroy(c);
}

static void no_clip_is_refused(void **state)
{
    (void)state;
    lmb_character *c = test_motion(LMB_MOTION_IDLE);
    lmb_clip *out = NULL;
    assert_int_equal(lmb_clean_clip(c, 1, NULL, NULL, &out, NULL, NULL), LMB_ERROR_INVALID);
    lmb_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_clip_stays),
        cmocka_unit_test(spikes_and_gaps_are_bridged),
        cmocka_unit_test(tremble_is_smoothed),
        cmocka_unit_test(sliding_feet_are_held),
        cmocka_unit_test(other_joints_keep_their_motion),
        cmocka_unit_test(the_moving_part_is_kept),
        cmocka_unit_test(twice_mirrored_is_the_same),
        cmocka_unit_test(no_clip_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
