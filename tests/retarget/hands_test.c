// Hands that touch each other, the hip or the floor do so on bodies of other proportions.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "retarget/bodies.h"

enum { FRAMES = 40 };

static int joint(const lmb_character *character, const char *name)
{
    return lmb_skeleton_find(character->skeleton, name);
}

/// The made body with arms that are that many times as long, and legs and trunk as they are.
static lmb_character *with_arms(float times)
{
    lmb_character *made = test_skeleton(&(test_shape){0}), *out = NULL;
    lmb_skeleton def = *made->skeleton;
    lmb_transform *rest = malloc(def.joint_count * sizeof(*rest));
    memcpy(rest, def.rest, def.joint_count * sizeof(*rest));
    static const char *const bones[] = {"leftLowerArm", "leftHand", "rightLowerArm", "rightHand"};
    for (int k = 0; k < 4; ++k) {
        const int j = joint(made, bones[k]);
        rest[j].translation = lmb_vec3_scale(rest[j].translation, times);
    }
    def.rest = rest;
    lmb_character character = {.name = "arms"};
    assert_int_equal(lmb_skeleton_create(&def, NULL, &character.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&character, NULL, &out, NULL), LMB_OK);
    lmb_character_destroy(made);
    free(rest);
    return out;
}

/// A clip on the made body that stands still while its wrists go from T-pose to the two places and
/// back.
static lmb_character *reaching(lmb_vec3 left, lmb_vec3 right)
{
    lmb_character *body = test_skeleton(&(test_shape){0}), *out = NULL;
    const lmb_skeleton *skeleton = body->skeleton;
    lmb_transform *poses = malloc(FRAMES * skeleton->joint_count * sizeof(*poses));
    for (int f = 0; f < FRAMES; ++f) {
        lmb_transform *pose = poses + (uint32_t)f * skeleton->joint_count;
        const float x = 0.5f - 0.5f * lmb_cos(2.0f * LMB_PI * (float)f / (float)(FRAMES - 1));
        memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof(*pose));
        for (int side = 0; side < 2; ++side) {
            lmb_mat4 model[64];
            lmb_pose_to_model(&(lmb_pose_to_model_job){
                .skeleton = skeleton, .local = pose, .model_from_joint = model});
            lmb_ik_two_bone_job job = {.skeleton = skeleton,
                                       .local = pose,
                                       .model_from_joint = model,
                                       .hinge = {0, side == 0 ? -1.0f : 1.0f, 0},
                                       .free = true,
                                       .weight = 1.0f};
            static const char *const chain[2][3] = {
                {"leftUpperArm", "leftLowerArm", "leftHand"},
                {"rightUpperArm", "rightLowerArm", "rightHand"}};
            for (int k = 0; k < 3; ++k) {
                job.chain[k] = (uint32_t)joint(body, chain[side][k]);
            }
            const lmb_vec3 stood = lmb_mat4_translation(model[job.chain[2]]);
            job.target = lmb_vec3_lerp(stood, side == 0 ? left : right, x);
            (void)lmb_ik_two_bone(&job);
        }
    }
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_from_poses(skeleton, poses, FRAMES, 60, "reach", NULL, &clip, NULL),
                     LMB_OK);
    lmb_character def = *body;
    def.clip_count = 1;
    def.clips = &clip;
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    lmb_character_release(body);
    free(poses);
    return out;
}

static lmb_clip *put(const lmb_character *target, const lmb_character *source, bool free_hands,
                     lmb_retarget_report *report)
{
    lmb_clip *clip = NULL;
    const lmb_retarget_opts opts = {.free_hands = free_hands};
    assert_int_equal(lmb_retarget(target, source, 0, &opts, NULL, &clip, report, NULL), LMB_OK);
    return clip;
}

/// Half way, when the hands are at their places.
static lmb_vec3 at(const lmb_character *character, const lmb_clip *clip, const char *name)
{
    lmb_transform *pose = test_pose(character, clip, 0.5 * (FRAMES - 1) / 60.0);
    const lmb_vec3 p = pose[joint(character, name)].translation;
    free(pose);
    return p;
}

static void hands_meet_on_longer_and_shorter_arms(void **state)
{
    (void)state;
    lmb_character *source =
        reaching(lmb_vec3_make(0.06f, 1.2f, 0.4f), lmb_vec3_make(-0.06f, 1.2f, 0.4f));
    static const float lengths[] = {0.75f, 1.3f};
    for (int i = 0; i < 2; ++i) {
        lmb_character *target = with_arms(lengths[i]);
        lmb_retarget_report report;
        lmb_clip *kept = put(target, source, false, &report),
                 *free_hands = put(target, source, true, NULL);
        const float apart = lmb_vec3_distance(at(target, kept, "leftHand"),
                                              at(target, kept, "rightHand")),
                    apart_free = lmb_vec3_distance(at(target, free_hands, "leftHand"),
                                                   at(target, free_hands, "rightHand"));
        print_message("arms %.2f: %.3f m apart, %.3f left to themselves, 0.12 in the source\n",
                      (double)lengths[i], (double)apart, (double)apart_free);
        // The palms are as far apart as the hands are large; wrists nearly so.
        assert_true(fabsf(apart - lengths[i] * 0.12f) < 0.02f);
        assert_true(fabsf(apart_free - lengths[i] * 0.12f) > 0.04f);
        assert_true(report.touching_frames > 5);
        lmb_clip_destroy(kept);
        lmb_clip_destroy(free_hands);
        lmb_character_destroy(target);
    }
    lmb_character_destroy(source);
}

static void a_hand_on_the_hip_stays_there(void **state)
{
    (void)state;
    lmb_character *source =
        reaching(lmb_vec3_make(0.17f, 0.98f, 0.02f), lmb_vec3_make(-0.17f, 0.98f, 0.02f));
    lmb_character *target = with_arms(1.3f);
    lmb_clip *kept = put(target, source, false, NULL),
             *free_hands = put(target, source, true, NULL);
    const lmb_vec3 was = at(source, source->clips[0], "leftHand"),
                   is = at(target, kept, "leftHand"), came = at(target, free_hands, "leftHand");
    print_message("%.3f m from where it was, %.3f left to itself\n",
                  (double)lmb_vec3_distance(was, is), (double)lmb_vec3_distance(was, came));
    assert_true(lmb_vec3_distance(was, is) < 0.06f);
    assert_true(lmb_vec3_distance(was, came) > 0.1f);
    lmb_clip_destroy(kept);
    lmb_clip_destroy(free_hands);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

static void nothing_jumps(void **state)
{
    (void)state;
    lmb_character *source =
        reaching(lmb_vec3_make(0.06f, 1.2f, 0.4f), lmb_vec3_make(-0.06f, 1.2f, 0.4f));
    lmb_character *target = with_arms(0.75f);
    lmb_clip *kept = put(target, source, false, NULL);
    const int hand = joint(target, "leftHand");
    float fastest = 0.0f, own = 0.0f;
    for (int f = 1; f < FRAMES; ++f) {
        lmb_transform *a = test_pose(target, kept, (f - 1) / 60.0),
                      *b = test_pose(target, kept, f / 60.0),
                      *c = test_pose(source, source->clips[0], (f - 1) / 60.0),
                      *d = test_pose(source, source->clips[0], f / 60.0);
        fastest = fmaxf(fastest, lmb_vec3_distance(a[hand].translation, b[hand].translation));
        own = fmaxf(own, lmb_vec3_distance(c[hand].translation, d[hand].translation));
        free(a);
        free(b);
        free(c);
        free(d);
    }
    print_message("at most %.1f mm a frame, %.1f in the source\n", (double)(1000 * fastest),
                  (double)(1000 * own));
    assert_true(fastest < 1.5f * own);
    lmb_clip_destroy(kept);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_meet_on_longer_and_shorter_arms),
        cmocka_unit_test(a_hand_on_the_hip_stays_there),
        cmocka_unit_test(nothing_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
