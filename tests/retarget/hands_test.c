// Hands that touch each other, the hip or the floor do so on bodies of other proportions.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "made_bodies.h"
#include "math/math.h"

enum { FRAMES = 80 };

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

/// A limb to a place, by two bones.
static void bring(const lmb_skeleton *skeleton, lmb_transform *pose, uint32_t end, lmb_vec3 hinge,
                  lmb_vec3 position, float fraction)
{
    lmb_mat4 model[64];
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
    const uint32_t middle = (uint32_t)skeleton->parents[end];
    lmb_ik_two_bone_job job = {.skeleton = skeleton,
                               .local = pose,
                               .model_from_joint = model,
                               .chain = {(uint32_t)skeleton->parents[middle], middle, end},
                               .hinge = hinge,
                               .free = true,
                               .weight = 1.0f};
    job.target = lmb_vec3_lerp(lmb_mat4_translation(model[end]), position, fraction);
    (void)lmb_ik_two_bone(&job);
}

/// A clip on the made body whose feet stand while its hips sink by so much, its trunk bows and its
/// wrists go from T-pose to the two places; and back.
static lmb_character *bowing(float sink, float bow_rad, lmb_vec3 left, lmb_vec3 right)
{
    lmb_character *body = test_skeleton(&(test_shape){0}), *out = NULL;
    const lmb_skeleton *skeleton = body->skeleton;
    lmb_transform *poses = malloc(FRAMES * skeleton->joint_count * sizeof(*poses));
    lmb_mat4 rest[64];
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = rest});
    for (int f = 0; f < FRAMES; ++f) {
        lmb_transform *pose = poses + (uint32_t)f * skeleton->joint_count;
        const float wave = 0.5f - 0.5f * lmb_cos(2.0f * LMB_PI * (float)f / (float)(FRAMES - 1));
        const float x = fminf(1.0f, 2.0f * wave);
        memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof(*pose));
        pose[joint(body, "hips")].translation.y -= x * sink;
        lmb_quat *spine = &pose[joint(body, "spine")].rotation;
        *spine = lmb_quat_mul(*spine, lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), x * bow_rad));
        for (int side = 0; side < 2; ++side) {
            const uint32_t hand = (uint32_t)joint(body, side == 0 ? "leftHand" : "rightHand"),
                           foot = (uint32_t)joint(body, side == 0 ? "leftFoot" : "rightFoot");
            bring(skeleton, pose, hand, lmb_vec3_make(0, side == 0 ? -1.0f : 1.0f, 0),
                  side == 0 ? left : right, x);
            if (sink > 0.0f) {
                bring(skeleton, pose, foot, lmb_vec3_make(1, 0, 0),
                      lmb_mat4_translation(rest[foot]), 1.0f);
            }
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

static lmb_character *reaching(lmb_vec3 left, lmb_vec3 right)
{
    return bowing(0.0f, 0.0f, left, right);
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

/// How far the shoulders' middle is rotated about the hips' from upright, in radians.
static float lean(const lmb_character *character, const lmb_clip *clip)
{
    const lmb_vec3 up = lmb_vec3_sub(lmb_vec3_lerp(at(character, clip, "leftUpperArm"),
                                                   at(character, clip, "rightUpperArm"), 0.5f),
                                     at(character, clip, "hips"));
    return lmbi_acos(up.y / lmb_vec3_length(up));
}

static void trunks_bend_for_short_arms(void **state)
{
    (void)state;
    // The left hand on the belly, which arms of half the length do not reach.
    lmb_character *source =
        reaching(lmb_vec3_make(0.0f, 1.06f, 0.09f), lmb_vec3_make(-0.6f, 1.4f, 0.0f));
    lmb_character *target = with_arms(0.45f);
    lmb_clip *kept = put(target, source, false, NULL),
             *free_hands = put(target, source, true, NULL);
    const lmb_vec3 was = at(source, source->clips[0], "leftHand"),
                   is = at(target, kept, "leftHand"), came = at(target, free_hands, "leftHand");
    print_message("%.3f m from where it was, %.3f left to itself; leans by %.2f, %.2f\n",
                  (double)lmb_vec3_distance(was, is), (double)lmb_vec3_distance(was, came),
                  (double)lean(target, kept), (double)lean(target, free_hands));
    assert_true(lmb_vec3_distance(was, is) < 0.1f);
    assert_true(lmb_vec3_distance(was, came) > 0.2f);
    assert_true(lean(target, kept) > lean(target, free_hands) + 0.15f);
    // Feet and hips stay, and the head looks where it did.
    assert_true(lmb_vec3_distance(at(target, kept, "leftFoot"),
                                  at(target, free_hands, "leftFoot")) < 1e-4f);
    assert_true(lmb_vec3_distance(at(target, kept, "hips"), at(target, free_hands, "hips")) <
                1e-4f);
    float fastest = 0.0f, own = 0.0f;
    for (int f = 1; f < FRAMES; ++f) {
        const int head = joint(target, "head");
        lmb_transform *a = test_pose(target, kept, (f - 1) / 60.0),
                      *b = test_pose(target, kept, f / 60.0),
                      *c = test_pose(source, source->clips[0], (f - 1) / 60.0),
                      *d = test_pose(source, source->clips[0], f / 60.0);
        const int hand = joint(target, "leftHand");
        fastest = fmaxf(fastest, lmb_vec3_distance(a[head].translation, b[head].translation));
        own = fmaxf(own, lmb_vec3_distance(c[hand].translation, d[hand].translation));
        free(a);
        free(b);
        free(c);
        free(d);
    }
    print_message("the head goes %.1f mm a frame, the hand %.1f\n", (double)(1000 * fastest),
                  (double)(1000 * own));
    assert_true(fastest < own);
    lmb_clip_destroy(kept);
    lmb_clip_destroy(free_hands);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

enum { RINGS = 12, AROUND = 24 };

/// The made body with a barrel of a skin around its trunk.
static lmb_character *with_barrel(float radius)
{
    // Not quite the source's own skeleton, onto which nothing would be changed.
    lmb_character *made = test_skeleton(&(test_shape){.scale = 1.001f}), *out = NULL;
    const uint32_t n = made->skeleton->joint_count, spine = (uint32_t)joint(made, "spine");
    const float low = 0.9f, high = 1.4f;
    lmb_vec3 positions[RINGS * AROUND];
    lmb_influence items[RINGS * AROUND];
    uint32_t first[RINGS * AROUND + 1], joints[64];
    lmb_mat4 model[64], back[64];
    for (uint32_t v = 0; v < RINGS * AROUND; ++v) {
        const float rotation = 2.0f * LMB_PI * (float)(v % AROUND) / (float)AROUND;
        positions[v] = lmb_vec3_make(radius * lmb_sin(rotation),
                                     low + (high - low) * (float)(v / AROUND) / (float)(RINGS - 1),
                                     radius * lmb_cos(rotation));
        items[v] = (lmb_influence){spine, 1.0f};
        first[v] = v;
    }
    first[RINGS * AROUND] = RINGS * AROUND;
    uint32_t triangle[3] = {0, 1, AROUND};
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = made->skeleton, .model_from_joint = model});
    for (uint32_t j = 0; j < n; ++j) {
        joints[j] = j;
        assert_true(lmb_mat4_inverse_affine(model[j], &back[j]));
    }
    const lmb_mesh mesh = {.name = "barrel",
                           .vertex_count = RINGS * AROUND,
                           .positions = positions,
                           .index_count = 3,
                           .indices = triangle,
                           .influences = {first, items}};
    const lmb_skin skin = {
        .joint_count = n, .joints = joints, .joint_from_bind = back, .root = LMB_NONE};
    lmb_mesh *meshes[1] = {NULL};
    lmb_skin *skins[1] = {NULL};
    assert_int_equal(lmb_mesh_create(&mesh, NULL, &meshes[0], NULL), LMB_OK);
    assert_int_equal(lmb_skin_create(&skin, NULL, &skins[0], NULL), LMB_OK);
    lmb_instance instance = {.joint = 0, .mesh = 0, .skin = 0};
    lmb_character def = *made;
    def.mesh_count = def.skin_count = def.instance_count = 1;
    def.meshes = meshes;
    def.skins = skins;
    def.instances = &instance;
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    lmb_character_release(made);
    return out;
}

/// The left palm half way, 0.35 of the forearm from the wrist.
static lmb_vec3 left_palm(const lmb_character *character, const lmb_clip *clip)
{
    lmb_transform *pose = test_pose(character, clip, 0.5 * (FRAMES - 1) / 60.0);
    const lmb_transform hand = pose[joint(character, "leftHand")];
    const float forearm =
        lmb_vec3_distance(hand.translation, pose[joint(character, "leftLowerArm")].translation);
    free(pose);
    return lmb_vec3_mad(hand.translation, lmb_quat_rotate(hand.rotation, lmb_vec3_make(1, 0, 0)),
                        0.35f * forearm);
}

/// From the middle of the trunk to the left palm, across.
static float palm_aside(const lmb_character *character, const lmb_clip *clip)
{
    const lmb_vec3 palm = left_palm(character, clip), hips = at(character, clip, "hips");
    const float x = palm.x - hips.x, z = palm.z - hips.z;
    return lmb_sqrt(x * x + z * z);
}

static void palms_press_the_floor(void **state)
{
    (void)state;
    // Both palms near the floor, below the shoulders of a body that squats and bows.
    lmb_character *source =
        bowing(0.4f, 1.6f, lmb_vec3_make(0.2f, 0.13f, 0.3f), lmb_vec3_make(-0.2f, 0.13f, 0.3f));
    const float height = left_palm(source, source->clips[0]).y;
    assert_true(height < 0.05f); // else nothing is tested
    static const float lengths[] = {0.8f, 1.3f};
    for (int i = 0; i < 2; ++i) {
        lmb_character *target = with_arms(lengths[i]);
        lmb_retarget_report report;
        lmb_clip *kept = put(target, source, false, &report),
                 *free_hands = put(target, source, true, NULL);
        const float is = left_palm(target, kept).y, came = left_palm(target, free_hands).y;
        print_message("arms %.2f: palms at %.3f, %.3f left to themselves, %.3f in the source\n",
                      (double)lengths[i], (double)is, (double)came, (double)height);
        assert_true(report.touching_frames > 5);
        assert_true(fabsf(is - height) < 0.02f);
        assert_true(fabsf(came - height) > 0.06f);
        lmb_clip_destroy(kept);
        lmb_clip_destroy(free_hands);
        lmb_character_destroy(target);
    }
    lmb_character_destroy(source);
}

static void palms_lie_on_the_skin(void **state)
{
    (void)state;
    // Palms at the side of a trunk of common girth.
    lmb_character *source =
        reaching(lmb_vec3_make(0.14f, 1.1f, 0.0f), lmb_vec3_make(-0.14f, 1.1f, 0.0f));
    static const float girths[] = {0.11f, 0.18f, 0.25f};
    for (int i = 0; i < 3; ++i) {
        lmb_character *target = with_barrel(girths[i]);
        lmb_retarget_report report;
        lmb_clip *kept = put(target, source, false, &report);
        const float aside = palm_aside(target, kept);
        print_message("girth %.2f: palm at %.3f, %.3f in the source\n", (double)girths[i],
                      (double)aside, (double)palm_aside(source, source->clips[0]));
        assert_true(report.touching_frames > 5);
        assert_true(aside > girths[i] - 0.02f && aside < girths[i] + 0.02f);
        lmb_clip_destroy(kept);
        lmb_character_destroy(target);
    }
    lmb_character_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_meet_on_longer_and_shorter_arms),
        cmocka_unit_test(a_hand_on_the_hip_stays_there),
        cmocka_unit_test(nothing_jumps),
        cmocka_unit_test(trunks_bend_for_short_arms),
        cmocka_unit_test(palms_lie_on_the_skin),
        cmocka_unit_test(palms_press_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
