// Keypoints: files as detectors write them, and motions projected by a known camera and lifted
// again.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "capture/limbs.h"
#include "made_bodies.h"

static lmb_keypoints *parse(const char *text, const lmb_keypoints_opts *opts)
{
    lmb_keypoints *out = NULL;
    lmb_error error = {0};
    if (lmb_keypoints_read(text, strlen(text), opts, NULL, &out, &error) != LMB_OK) {
        fail_msg("%u:%u: expected %s, found %s", error.line, error.column, error.expected,
                 error.found);
    }
    return out;
}

static void number_list(char *out, int count, int offset)
{
    char *at = out;
    for (int k = 0; k < count; ++k) {
        at += sprintf(at, "%s%d,%d,%s", k > 0 ? "," : "", 10 * (k + 1) + offset, 5 * (k + 1),
                      k == 3 ? "0" : "0.5");
    }
}

static void coco_is_read_by_picture(void **state)
{
    (void)state;
    char list[2][1024], text[4096];
    number_list(list[0], 17, 0);
    number_list(list[1], 17, 1);
    // The later picture stands first; its second person is seen less well.
    snprintf(text, sizeof text,
             "{\"annotations\": [{\"image_id\": 7, \"keypoints\": [%s]}, {\"image_id\": 3, "
             "\"keypoints\": [%s]}]}",
             list[1], list[0]);
    lmb_keypoints *k = parse(text, NULL);
    assert_int_equal(k->frame_count, 2);
    assert_int_equal(k->layout, LMB_KEYPOINTS_COCO_17);
    // Place 9 of COCO's list is the left wrist.
    assert_true(fabsf(k->points[LMB_KEYPOINT_LEFT_WRIST].x - 100) < 1e-6f);
    assert_true(fabsf(k->points[LMB_KEYPOINT_COUNT + LMB_KEYPOINT_LEFT_WRIST].x - 101) < 1e-6f);
    assert_true(k->confidence[LMB_KEYPOINT_LEFT_EAR] < 1e-6f);
    lmb_keypoints_destroy(k);
}

static void openpose_takes_who_is_seen_best(void **state)
{
    (void)state;
    char list[1024], text[8192];
    number_list(list, 25, 0);
    char weak[1024] = "";
    for (int k = 0; k < 25; ++k) {
        strcat(weak, k > 0 ? ",7,7,0.1" : "7,7,0.1");
    }
    snprintf(text, sizeof text,
             "{\"people\": [{\"pose_keypoints_2d\": [%s]}, {\"pose_keypoints_2d\": [%s]}]}\n"
             "{\"people\": [{\"pose_keypoints_2d\": [%s]}]}\n",
             weak, list, weak);
    lmb_keypoints *k = parse(text, &(lmb_keypoints_opts){.frame_rate = 25});
    assert_int_equal(k->frame_count, 2);
    assert_int_equal(k->layout, LMB_KEYPOINTS_OPENPOSE_25);
    // Place 7 of BODY_25 is the left wrist, place 4 the right.
    assert_true(fabsf(k->points[LMB_KEYPOINT_LEFT_WRIST].x - 80) < 1e-6f);
    assert_true(fabsf(k->points[LMB_KEYPOINT_RIGHT_WRIST].y - 25) < 1e-6f);
    assert_true(fabsf(k->points[LMB_KEYPOINT_COUNT + LMB_KEYPOINT_NOSE].x - 7) < 1e-6f);
    assert_true(fabsf(k->frame_rate - 25) < 1e-6f);
    lmb_keypoints_destroy(k);
}

static void landmarks_need_the_picture(void **state)
{
    (void)state;
    char text[4096] = "[[";
    for (int k = 0; k < 33; ++k) {
        char one[80];
        snprintf(one, sizeof one, "%s{\"x\": %.2f, \"y\": 0.5, \"visibility\": 0.9}",
                 k > 0 ? "," : "", 0.02 * k);
        strcat(text, one);
    }
    strcat(text, "]]");
    lmb_keypoints *k = NULL;
    lmb_error error;
    assert_int_equal(lmb_keypoints_read(text, strlen(text), NULL, NULL, &k, &error),
                     LMB_ERROR_INVALID);
    k = parse(text, &(lmb_keypoints_opts){.width = 1000, .height = 500});
    assert_int_equal(k->layout, LMB_KEYPOINTS_MEDIAPIPE_33);
    // Landmark 15 is the left wrist.
    assert_true(fabsf(k->points[LMB_KEYPOINT_LEFT_WRIST].x - 300) < 1e-3f);
    assert_true(fabsf(k->points[LMB_KEYPOINT_LEFT_WRIST].y - 250) < 1e-3f);
    lmb_keypoints_destroy(k);
}

static void other_text_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "{}", "[1, 2, 3]", "{\"keypoints\": [1, 2]}", "{\"a\": ", "{\"people\": []}"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        lmb_keypoints *out = NULL;
        lmb_error error;
        assert_int_equal(lmb_keypoints_read(bad[k], strlen(bad[k]), NULL, NULL, &out, &error),
                         LMB_ERROR_MALFORMED);
        assert_null(out);
    }
}

// --------------------------------------------------------------------------------- there and back

/// A level camera 3.6 m from where the walk begins, seeing a body of about a thousand pixels.
typedef struct camera {
    float focal, yaw_rad;
    lmb_vec3 middle;
} camera;

static lmb_vec3 seen_by(const camera *c, lmb_vec3 p)
{
    lmb_vec3 q = lmb_quat_rotate(lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), c->yaw_rad),
                                 lmb_vec3_sub(p, c->middle));
    q.z -= 3.6f;
    return q;
}

static float normal(lmb_random *random)
{
    float sum = -6;
    for (int k = 0; k < 12; ++k) {
        sum += lmb_random_unit(random);
    }
    return sum;
}

static lmb_keypoints project(const lmb_character *body, const camera *c, float rate, float noise)
{
    lmb_keypoints k = {.frame_rate = rate, .width = 1920, .height = 1080};
    lmb_random random = lmb_random_seed(11);
    k.frame_count = (uint32_t)(lmb_clip_duration_s(body->clips[0]) * rate) + 1;
    k.points = calloc((size_t)k.frame_count * LMB_KEYPOINT_COUNT, sizeof *k.points);
    k.confidence = calloc((size_t)k.frame_count * LMB_KEYPOINT_COUNT, sizeof *k.confidence);
    for (uint32_t f = 0; f < k.frame_count; ++f) {
        lmb_transform *pose = test_pose(body, body->clips[0], (double)f / (double)rate);
        for (int i = 0; i < LIMBS; ++i) {
            const int32_t j = lmb_skeleton_find(body->skeleton, lmb_human_bone_name(limbs[i].bone));
            const lmb_vec3 p = seen_by(c, pose[j].translation);
            const size_t at = (size_t)f * LMB_KEYPOINT_COUNT + (size_t)limbs[i].keypoint;
            k.points[at].x = 960 + c->focal * p.x / -p.z + noise * normal(&random);
            k.points[at].y = 540 + c->focal * p.y / p.z + noise * normal(&random);
            k.confidence[at] = 1;
        }
        free(pose);
    }
    return k;
}

/// Mean distance of the limbs' joints, the middle of the hips laid on each other.
static double mean_error(const lmb_character *body, const camera *c, const lmb_lift *lift)
{
    double sum = 0;
    for (uint32_t f = 0; f < lift->frame_count; ++f) {
        const double t = (double)f / (double)lift->frame_rate;
        lmb_transform *a = test_pose(body, lift->clip, t), *b = test_pose(body, body->clips[0], t);
        lmb_vec3 off[LIMBS], hips = {0, 0, 0};
        for (int i = 0; i < LIMBS; ++i) {
            const int32_t j = lmb_skeleton_find(body->skeleton, lmb_human_bone_name(limbs[i].bone));
            off[i] = lmb_vec3_sub(lmb_vec3_sub(a[j].translation, lift->camera),
                                  seen_by(c, b[j].translation));
            hips = i == 6 || i == 7 ? lmb_vec3_mad(hips, off[i], 0.5f) : hips;
        }
        for (int i = 0; i < LIMBS; ++i) {
            sum += (double)lmb_vec3_distance(off[i], hips);
        }
        free(a);
        free(b);
    }
    return sum / (LIMBS * (double)lift->frame_count);
}

static void projected_walks_come_back(void **state)
{
    (void)state;
    lmb_character *body = test_motion(LMB_MOTION_WALK);
    for (int noisy = 0; noisy < 2; ++noisy) {
        const camera c = {.focal = 2000, .yaw_rad = 0.8f, .middle = {0, 0.9f, 0.6f}};
        lmb_keypoints k = project(body, &c, 60, noisy ? 5 : 0);
        lmb_lift *lift = NULL;
        lmb_error error = {0};
        if (lmb_lift_keypoints(body, &k, &(lmb_lift_opts){.focal_px = 2000}, NULL, &lift, &error) !=
            LMB_OK) {
            fail_msg("expected %s, found %s", error.expected, error.found);
        }
        assert_int_equal(lift->frame_count, k.frame_count);
        assert_true(fabsf(lift->depth_m - 3.6f) < 0.4f);
        assert_true(mean_error(body, &c, lift) < (noisy ? 0.040 : 0.010));
        assert_true(noisy ? fabsf(lift->noise_px - 5) < 0.7f : lift->noise_px < 1);
        lmb_lift_destroy(lift);
        free(k.points);
        free(k.confidence);
    }
    lmb_character_destroy(body);
}

/// Adds the tips of the toes, which the limbs leave out.
static void add_toes(const lmb_character *body, const camera *c, lmb_keypoints *k)
{
    static const lmb_human_bone bones[2] = {LMB_HUMAN_LEFT_TOES, LMB_HUMAN_RIGHT_TOES};
    for (uint32_t f = 0; f < k->frame_count; ++f) {
        lmb_transform *pose = test_pose(body, body->clips[0], (double)f / (double)k->frame_rate);
        for (size_t side = 0; side < 2; ++side) {
            const int32_t j = lmb_skeleton_find(body->skeleton, lmb_human_bone_name(bones[side]));
            const lmb_vec3 tip = {0, 0, 0.06f};
            const lmb_vec3 p = seen_by(
                c, lmb_vec3_add(pose[j].translation, lmb_quat_rotate(pose[j].rotation, tip)));
            const size_t at = (size_t)f * LMB_KEYPOINT_COUNT + LMB_KEYPOINT_LEFT_TOES + side;
            k->points[at] = (lmb_vec2){960 + c->focal * p.x / -p.z, 540 + c->focal * p.y / p.z};
            k->confidence[at] = 1;
        }
        free(pose);
    }
}

/// Feet of a walk are locked to one floor, unless nobody wants it.
static void contacts_are_found_where_asked_for(void **state)
{
    (void)state;
    lmb_character *body = test_motion(LMB_MOTION_WALK);
    const camera c = {.focal = 2000, .yaw_rad = 0.8f, .middle = {0, 0.9f, 0.6f}};
    lmb_keypoints k = project(body, &c, 60, 0);
    add_toes(body, &c, &k);
    for (int without = 0; without < 2; ++without) {
        lmb_lift *lift = NULL;
        const lmb_lift_opts opts = {.focal_px = 2000, .no_contacts = without == 1};
        assert_int_equal(lmb_lift_keypoints(body, &k, &opts, NULL, &lift, NULL), LMB_OK);
        assert_int_equal(lift->contact_count > 0, without == 0);
        lmb_lift_destroy(lift);
    }
    free(k.points);
    free(k.confidence);
    lmb_character_destroy(body);
}

/// A detector that takes left for right for a while, and a hand that is hidden.
static void faults_of_detectors_are_mended(void **state)
{
    (void)state;
    lmb_character *body = test_motion(LMB_MOTION_WALK);
    const camera c = {.focal = 2000, .yaw_rad = 0.8f, .middle = {0, 0.9f, 0.6f}};
    lmb_keypoints k = project(body, &c, 60, 0);
    for (uint32_t f = 20; f < 28; ++f) {
        lmb_vec2 *points = k.points + (size_t)f * LMB_KEYPOINT_COUNT;
        for (int i = 0; i < LIMBS; i += 2) {
            const lmb_vec2 left = points[limbs[i].keypoint];
            points[limbs[i].keypoint] = points[limbs[i + 1].keypoint];
            points[limbs[i + 1].keypoint] = left;
        }
    }
    for (uint32_t f = 30; f < 36; ++f) {
        k.confidence[(size_t)f * LMB_KEYPOINT_COUNT + LMB_KEYPOINT_LEFT_WRIST] = 0;
    }
    lmb_lift *lift = NULL;
    lmb_error error = {0};
    if (lmb_lift_keypoints(body, &k, &(lmb_lift_opts){.focal_px = 2000}, NULL, &lift, &error) !=
        LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    assert_int_equal(lift->exchanged_frames, 8);
    assert_true(mean_error(body, &c, lift) < 0.015);
    lmb_lift_destroy(lift);
    free(k.points);
    free(k.confidence);
    lmb_character_destroy(body);
}

static void nobody_is_refused(void **state)
{
    (void)state;
    lmb_character *body = test_motion(LMB_MOTION_IDLE);
    lmb_vec2 points[LMB_KEYPOINT_COUNT] = {{0, 0}};
    float confidence[LMB_KEYPOINT_COUNT] = {0};
    const lmb_keypoints k = {.frame_count = 1, .points = points, .confidence = confidence};
    lmb_lift *lift = NULL;
    assert_int_equal(lmb_lift_keypoints(body, &k, NULL, NULL, &lift, NULL), LMB_ERROR_INVALID);
    lmb_character_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coco_is_read_by_picture),
        cmocka_unit_test(openpose_takes_who_is_seen_best),
        cmocka_unit_test(landmarks_need_the_picture),
        cmocka_unit_test(other_text_is_refused),
        cmocka_unit_test(projected_walks_come_back),
        cmocka_unit_test(contacts_are_found_where_asked_for),
        cmocka_unit_test(faults_of_detectors_are_mended),
        cmocka_unit_test(nobody_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
