// Feet that stand: slides put into a perfect stance, skates of recorded walks, grounds.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "io/bvh/bvh.h"
#include "io/files.h"
#include "made_bodies.h"
#include "math/math.h"

/// The character with every value of its hips' translation changed.
static void move_hips(lmb_character *character, void (*change)(float *p, double time_s))
{
    lmb_clip *clip = character->clips[0];
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        lmb_channel *channel = &clip->channels[c];
        for (uint32_t k = 0; k < channel->key_count && channel->path == LMB_PATH_TRANSLATION; ++k) {
            change(channel->values + 3 * k, (double)(channel->ticks[k] / clip->ticks_per_s));
        }
    }
}

/// 5 cm a second to the side for a second, from 3 s on.
static void slide(float *p, double time_s)
{
    const double x = time_s < 3 ? 0 : (time_s > 4 ? 1 : time_s - 3);
    p[0] += (float)(0.05 * x);
}

/// Ground drifts up by 3 cm over the clip.
static void drift(float *p, double time_s)
{
    p[1] += (float)(0.00375 * time_s);
}

static lmb_clip *put(const lmb_character *target, const lmb_character *source, bool lock,
                     lmb_retarget_report *report)
{
    lmb_clip *clip = NULL;
    const lmb_retarget_opts opts = {.no_lock_feet = !lock};
    assert_int_equal(lmb_retarget(target, source, 0, &opts, NULL, &clip, report, NULL), LMB_OK);
    return clip;
}

static lmb_vec3 joint_at(const lmb_character *character, const lmb_clip *clip, const char *name,
                         double time_s)
{
    lmb_transform *pose = test_pose(character, clip, time_s);
    const lmb_vec3 at = pose[lmb_skeleton_find(character->skeleton, name)].translation;
    free(pose);
    return at;
}

static void onto_a_step(float *p, double time_s)
{
    (void)time_s;
    p[1] += 0.15f;
}

/// Height of the toes when the idle motion is put on the made body, feet not held, of a source whose
/// rest pose lies `rest_m` higher and whose feet stand on the ground or on a step.
static float standing_height(float rest_m, bool on_step)
{
    lmb_character *body = test_skeleton(&(test_shape){0}), *source = test_motion(LMB_MOTION_IDLE);
    source->skeleton->rest[0].translation.y += rest_m;
    if (on_step) {
        move_hips(source, onto_a_step);
    }
    lmb_retarget_report report;
    lmb_clip *clip = put(body, source, false, &report);
    const float height = joint_at(body, clip, "leftToes", 1).y;
    lmb_clip_destroy(clip);
    lmb_character_destroy(source);
    lmb_character_destroy(body);
    return height;
}

/// Some writers take the rest pose's root from a frame, in a crouch or a leap.
static void rest_poses_of_other_heights_stand_on_the_ground(void **state)
{
    (void)state;
    const float ground = standing_height(0, false), step = standing_height(0, true);
    print_message("toes at %.3f m, on a step at %.3f\n", (double)ground, (double)step);
    assert_true(step - ground > 0.14f);
    static const float rests[] = {-0.2f, -0.11f, -0.06f, 0.11f, 0.2f};
    for (size_t k = 0; k < sizeof rests / sizeof *rests; ++k) {
        const float height = standing_height(rests[k], false);
        print_message("toes at %.3f m for a rest pose at %.2f\n", (double)height, (double)rests[k]);
        assert_true(fabsf(height - ground) < 0.01f);
    }
    // Soles are so far off: heights count from there.
    static const float soles[] = {-0.035f, 0.05f};
    for (size_t k = 0; k < sizeof soles / sizeof *soles; ++k) {
        const float height = standing_height(soles[k], false);
        print_message("toes at %.3f m for soles at %.2f\n", (double)height, (double)soles[k]);
        assert_true(fabsf(height - ground + soles[k]) < 0.01f);
    }
}

static float spread_of(const lmb_character *character, const lmb_clip *clip, const char *name,
                       double from_s, double to_s)
{
    lmb_box box = lmb_box_empty();
    for (double t = from_s; t <= to_s; t += 0.01) {
        box = lmb_box_add(box, joint_at(character, clip, name, t));
    }
    return lmb_vec3_distance(box.low, box.high);
}

static float ground_spread_of(const lmb_character *character, const lmb_clip *clip,
                              const char *name, double from_s, double to_s)
{
    lmb_box box = lmb_box_empty();
    for (double t = from_s; t <= to_s; t += 0.01) {
        const lmb_vec3 at = joint_at(character, clip, name, t);
        box = lmb_box_add(box, lmb_vec3_make(at.x, 0, at.z));
    }
    return lmb_vec3_distance(box.low, box.high);
}

static void injected_slide_is_taken_out(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_IDLE);
    move_hips(source, slide);
    lmb_retarget_report report;
    lmb_clip *clip = put(source, source, true, &report),
             *free_clip = put(source, source, false, NULL);
    static const char *const feet[] = {"leftFoot", "leftToes", "rightFoot", "rightToes"};
    for (int k = 0; k < 4; ++k) {
        assert_true(spread_of(source, free_clip, feet[k], 0.5, 7.5) > 0.045f);
        assert_true(spread_of(source, clip, feet[k], 0.5, 7.5) < 0.001f);
    }
    assert_true(report.contact_count > 0);
    // The body goes on as it did.
    for (double t = 0; t < 8; t += 0.1) {
        const lmb_vec3 a = joint_at(source, clip, "head", t),
                       b = joint_at(source, free_clip, "head", t);
        assert_true(lmb_vec3_distance(a, b) < 0.01f);
    }
    lmb_clip_destroy(clip);
    lmb_clip_destroy(free_clip);
    lmb_character_destroy(source);
}

static void drifting_ground_is_levelled(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_IDLE),
                  *target = test_skeleton(&(test_shape){.scale = 1.5f});
    move_hips(source, drift);
    lmb_clip *clip = put(target, source, true, NULL);
    // The sole stays where the rest pose has it: toe joints 2 cm high on the source, 3 on the
    // target.
    for (double t = 0; t <= 8; t += 0.25) {
        assert_true(fabsf(joint_at(target, clip, "leftToes", t).y - 0.03f) < 0.001f);
    }
    lmb_clip_destroy(clip);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

// --------------------------------------------------------------------------------- recorded walks

/// Zhang et al. 2018: the mean of v (2 - 2^(h/H)) below H = 2.5 cm, on a body of 1.75 m, at 60 Hz;
/// in cm/s.
/// `planted`: of the frames in which a toe is low and hardly rises, 5 cm/s, the share that slides
/// by more than 2.5 cm/s.
static float slide_of(const lmb_character *character, const lmb_clip *clip,
                      const lmb_joint_map *map, float metre, float *below_cm, float *planted)
{
    static const int bones[] = {LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_LEFT_TOES, LMB_HUMAN_RIGHT_FOOT,
                                LMB_HUMAN_RIGHT_TOES};
    const int n = (int)(lmb_clip_duration_s(clip) * 60.0f);
    lmb_vec3 *track = malloc((size_t)n * 4 * sizeof(*track));
    for (int f = 0; f < n; ++f) {
        lmb_transform *pose = test_pose(character, clip, f / 60.0);
        for (int k = 0; k < 4; ++k) {
            const int32_t joint = map->bones[bones[k]].joint;
            track[k * n + f] = joint >= 0 ? lmb_vec3_scale(pose[joint].translation, 100.0f / metre)
                                          : lmb_vec3_make(0, 0, 0);
        }
        free(pose);
    }
    float sum = 0, count = 0;
    int standing = 0, sliding = 0;
    *below_cm = 0;
    for (int k = 0; k < 4; ++k) {
        float low = 1e30f, ground = 1e30f;
        for (int f = 0; f < n; ++f) {
            low = fminf(low, track[k * n + f].y);
        }
        // The height that 2% of the frames are below: raise it until they are.
        for (ground = low;; ground += 0.02f) {
            int under = 0;
            for (int f = 0; f < n; ++f) {
                under += track[k * n + f].y <= ground;
            }
            if (under > n / 50) {
                break;
            }
        }
        *below_cm = fmaxf(*below_cm, ground - low);
        for (int f = 1; f < n && map->bones[bones[k]].joint >= 0; ++f) {
            const lmb_vec3 a = track[k * n + f - 1], b = track[k * n + f];
            const float h = fmaxf(0, b.y - ground), v = 60.0f * hypotf(b.x - a.x, b.z - a.z);
            sum += h < 2.5f ? v * (2.0f - lmb_exp(0.69314718f * h / 2.5f)) : 0;
            count += 1;
            if (k % 2 == 1 && h < 2.5f && 60.0f * fabsf(b.y - a.y) < 5.0f) {
                ++standing;
                sliding += v > 2.5f;
            }
        }
    }
    *planted = standing > 0 ? (float)sliding / (float)standing : 0;
    free(track);
    return count > 0 ? sum / count : 0;
}

static void recorded_walks_stand_still(void **state)
{
    (void)state;
    static const char *const walks[] = {"cmu_12_01_walk", "xia_normal_walk", "xia_neutral_01",
                                        "xia_angry_13", "swagger_asfnames"};
    lmb_character *target = test_skeleton(&(test_shape){.arms_down_rad = 0.6f});
    for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); ++i) {
        char path[128];
        snprintf(path, sizeof(path), "mocap/bvh/%s.bvh", walks[i]);
        const test_file file = test_shared_read(path);
        if (file.data == NULL) {
            lmb_character_destroy(target);
            skip();
        }
        lmb_character *source = NULL;
        assert_int_equal(lmbi_bvh_read(file.data, file.size, NULL, NULL, &source, NULL), LMB_OK);
        lmb_retarget_report report;
        lmb_clip *clip = put(target, source, true, &report);
        float before_below, below, before_planted, planted;
        // A metre on a body of 1.75 m: the test body has that size, the source is smaller by the
        // scale.
        const float before = slide_of(source, source->clips[0], &report.source_map,
                                      1.0f / report.scale, &before_below, &before_planted);
        const float after = slide_of(target, clip, &report.target_map, 1.0f, &below, &planted);
        print_message(
            "%-18s %.2f cm/s to %.2f, under the ground %.2f cm to %.2f, planted feet slide "
            "in %.3f of the frames, %.3f before\n",
            walks[i], (double)before, (double)after, (double)before_below, (double)below,
            (double)planted, (double)before_planted);
        assert_true(after <= 0.4f * before);
        assert_true(below <= 0.5f);
        assert_true(planted <= 0.05f);
        lmb_clip_destroy(clip);
        lmb_character_destroy(source);
        free(file.data);
    }
    lmb_character_destroy(target);
}

static void planted_feet_stay_planted_on_other_legs(void **state)
{
    (void)state;
    // Knees 10 cm higher, legs 3 cm farther out, a smaller body: joints rotated alike would put the
    // ankles elsewhere in each frame.
    lmb_character *source = test_motion(LMB_MOTION_WALK);
    lmb_character *target =
        test_skeleton(&(test_shape){.knees_up = 0.1f, .legs_apart = 0.03f, .scale = 0.8f});
    lmb_clip *clip = put(target, source, false, NULL);
    static const char *const feet[] = {"leftFoot", "rightFoot"};
    int still = 0;
    float worst = 0;
    for (int k = 0; k < 2; ++k) {
        for (double t = 0; t + 0.1 < (double)lmb_clip_duration_s(clip); t += 0.01) {
            if (ground_spread_of(source, source->clips[0], feet[k], t, t + 0.1) < 5e-4f) {
                worst = fmaxf(worst, ground_spread_of(target, clip, feet[k], t, t + 0.1));
                ++still;
            }
        }
    }
    print_message("%d spans, along the ground at most %.6f\n", still, (double)worst);
    assert_true(still > 20);
    assert_true(worst < 1e-3f);
    lmb_clip_destroy(clip);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

static void steep_feet_come_down_and_leave_straight(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK),
                  *target = test_skeleton(&(test_shape){.ankles_up = 0.1f});
    lmb_retarget_report report;
    lmb_clip *clip = put(target, source, true, &report);
    float below, planted;
    const float own =
        slide_of(source, source->clips[0], &report.source_map, 1.0f, &below, &planted);
    const float after = slide_of(target, clip, &report.target_map, 1.0f, &below, &planted);
    print_message("a steep foot slides %.3f cm/s, %.3f its own, dips %.3f cm\n", (double)after,
                  (double)own, (double)below);
    assert_true(after < 0.1f);
    assert_true(planted == 0.0f);
    assert_true(below < 0.2f);
    // It is put down, and comes up: it swings as high as the source's.
    const float up = spread_of(target, clip, "leftFoot", 0, 0.9),
                source_up = spread_of(source, source->clips[0], "leftFoot", 0, 0.9);
    assert_true(up > 0.9f * source_up && up < 1.2f * source_up);
    lmb_clip_destroy(clip);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

static float nearest_feet(const lmb_character *character, const lmb_clip *clip)
{
    float nearest = 1e30f;
    for (double t = 0; t < (double)lmb_clip_duration_s(clip); t += 0.02) {
        nearest = fminf(nearest, fabsf(joint_at(character, clip, "leftFoot", t).x -
                                       joint_at(character, clip, "rightFoot", t).x));
    }
    return nearest;
}

static void feet_below_narrow_hips_keep_apart(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK),
                  *target = test_skeleton(&(test_shape){.thighs_in = 0.06f});
    for (int lock = 0; lock < 2; ++lock) {
        lmb_clip *clip = put(target, source, lock == 1, NULL);
        const float own = nearest_feet(source, source->clips[0]),
                    after = nearest_feet(target, clip);
        print_message("feet come as near as %.3f, %.3f on narrow hips\n", (double)own,
                      (double)after);
        // as broad as 0.6 of the way from ankle to toe, or as the source's are apart
        assert_true(after > fminf(own, 0.075f) - 0.01f);
        assert_true(after < own + 0.01f);
        lmb_clip_destroy(clip);
    }
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

/// The rotations of a joint, key by key.
static lmb_quat *rotations_of(lmb_character *character, const char *name, uint32_t *count)
{
    lmb_clip *clip = character->clips[0];
    const uint32_t joint = (uint32_t)lmb_skeleton_find(character->skeleton, name);
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        lmb_channel *channel = &clip->channels[c];
        if (channel->joint == joint && channel->path == LMB_PATH_ROTATION) {
            *count = channel->key_count;
            return (lmb_quat *)(void *)channel->values;
        }
    }
    fail_msg("%s does not rotate", name);
    return NULL;
}

/// Turns a foot a little to and fro from key to key.
static void tremble(lmb_character *character, const char *name)
{
    uint32_t count = 0;
    lmb_quat *rotations = rotations_of(character, name, &count);
    for (uint32_t k = 0; k < count; ++k) {
        const float angle = (k % 2 != 0 ? 1.0f : -1.0f) * 0.06f * (float)(1 + k % 3) / 3.0f;
        rotations[k] =
            lmb_quat_mul(lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), angle), rotations[k]);
    }
}

static void toes_that_tremble_stand(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_IDLE);
    tremble(source, "leftFoot");
    lmb_clip *clip = put(source, source, true, NULL);
    assert_true(spread_of(source, source->clips[0], "leftToes", 0.5, 7.5) > 0.01f);
    assert_true(spread_of(source, clip, "leftToes", 0.5, 7.5) < 0.001f);
    lmb_clip_destroy(clip);
    lmb_character_destroy(source);
}

/// Rolls a foot a little about its length to and fro from key to key: ankle and toe stay.
static void rock(lmb_character *character, const char *name, lmb_vec3 along)
{
    uint32_t count = 0;
    lmb_quat *rotations = rotations_of(character, name, &count);
    for (uint32_t k = 0; k < count; ++k) {
        rotations[k] =
            lmb_quat_mul(rotations[k], lmb_quat_axis_angle(along, k % 2 != 0 ? 0.1f : -0.1f));
    }
}

static void feet_that_stand_do_not_rock(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_IDLE);
    const int32_t toes = lmb_skeleton_find(source->skeleton, "leftToes"),
                  foot = lmb_skeleton_find(source->skeleton, "leftFoot");
    rock(source, "leftFoot",
         lmb_vec3_normalize_or(source->skeleton->rest[toes].translation, lmb_vec3_make(0, 0, 1)));
    lmb_clip *clip = put(source, source, true, NULL);
    float most[2] = {0, 0};
    for (double t = 1; t < 7; t += 0.0125) {
        for (int k = 0; k < 2; ++k) {
            const lmb_clip *of = k == 0 ? source->clips[0] : clip;
            lmb_transform *a = test_pose(source, of, t), *b = test_pose(source, of, t + 0.0125);
            const lmb_quat rotation =
                lmb_quat_mul(b[foot].rotation, lmb_quat_conjugate(a[foot].rotation));
            most[k] = fmaxf(most[k], lmb_vec3_length(lmbi_rotation_vector_of(rotation)));
            free(a);
            free(b);
        }
    }
    print_message("a foot rocks by %.4f, %.4f before\n", (double)most[1], (double)most[0]);
    assert_true(most[0] > 0.1f);
    assert_true(most[1] < 0.01f);
    lmb_clip_destroy(clip);
    lmb_character_destroy(source);
}

static void knees_bend_forward(void **state)
{
    (void)state;
    lmb_character *target = test_skeleton(&(test_shape){.scale = 0.6f, .rolled = true});
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        lmb_character *source = test_motion((lmb_motion_kind)kind);
        lmb_clip *clip = put(target, source, true, NULL);
        for (double t = 0; t < (double)lmb_clip_duration_s(clip); t += 0.02) {
            for (int side = 0; side < 2; ++side) {
                const lmb_vec3 hip =
                    joint_at(target, clip, side ? "leftUpperLeg" : "rightUpperLeg", t);
                const lmb_vec3 knee =
                    joint_at(target, clip, side ? "leftLowerLeg" : "rightLowerLeg", t);
                const lmb_vec3 ankle = joint_at(target, clip, side ? "leftFoot" : "rightFoot", t);
                const lmb_vec3 normal =
                    lmb_vec3_cross(lmb_vec3_sub(knee, hip), lmb_vec3_sub(ankle, knee));
                // Bent forward, thigh x shin points to the left of a body that faces +Z.
                assert_true(normal.x > -1e-3f);
            }
        }
        lmb_clip_destroy(clip);
        lmb_character_destroy(source);
    }
    lmb_character_destroy(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(injected_slide_is_taken_out),
        cmocka_unit_test(drifting_ground_is_levelled),
        cmocka_unit_test(rest_poses_of_other_heights_stand_on_the_ground),
        cmocka_unit_test(recorded_walks_stand_still),
        cmocka_unit_test(planted_feet_stay_planted_on_other_legs),
        cmocka_unit_test(steep_feet_come_down_and_leave_straight),
        cmocka_unit_test(feet_below_narrow_hips_keep_apart),
        cmocka_unit_test(toes_that_tremble_stand),
        cmocka_unit_test(feet_that_stand_do_not_rock),
        cmocka_unit_test(knees_bend_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
