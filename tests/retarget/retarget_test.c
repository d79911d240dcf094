// Retargeting between skeletons whose answer is known, and one take captured on two skeletons.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "io/bvh/bvh.h"
#include "io/files.h"
#include "made_bodies.h"
#include "math/math.h"

static const lmb_retarget_opts free_feet = {.no_lock_feet = true};

static lmb_clip *put(const lmb_character *target, const lmb_character *source,
                     const lmb_retarget_opts *opts, lmb_retarget_report *report)
{
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_retarget(target, source, 0, opts, NULL, &clip, report, &error);
    if (result != LMB_OK) {
        fail_msg("%s: expected %s, found %s", lmb_result_name(result), error.expected, error.found);
    }
    return clip;
}

/// The largest distance of joints of the same name, target against scale times source, over the
/// clip.
static float worst_distance(const lmb_character *target, const lmb_clip *clip,
                            const lmb_character *source, float scale)
{
    float worst = 0;
    for (int i = 0; i <= 40; ++i) {
        const double t = (double)lmb_clip_duration_s(clip) * i / 40.0;
        lmb_transform *a = test_pose(target, clip, t), *b = test_pose(source, source->clips[0], t);
        for (uint32_t j = 0; j < target->skeleton->joint_count; ++j) {
            const int32_t k = lmb_skeleton_find(source->skeleton, target->skeleton->names[j]);
            worst = fmaxf(worst, lmb_vec3_distance(a[j].translation,
                                                   lmb_vec3_scale(b[k].translation, scale)));
        }
        free(a);
        free(b);
    }
    return worst;
}

/// Forward kinematics in double precision, written anew: quaternion, place.
typedef struct exact_joint {
    double q[4], p[3];
} exact_joint;

static void exact_rotation(const double q[4], const double v[3], double out[3])
{
    const double x = q[1] * v[2] - q[2] * v[1], y = q[2] * v[0] - q[0] * v[2],
                 z = q[0] * v[1] - q[1] * v[0];
    out[0] = v[0] + 2 * (q[3] * x + q[1] * z - q[2] * y);
    out[1] = v[1] + 2 * (q[3] * y + q[2] * x - q[0] * z);
    out[2] = v[2] + 2 * (q[3] * z + q[0] * y - q[1] * x);
}

static void exact_product(const double a[4], const double b[4], double out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/// The pose at a key: channels of as many keys, or of one. No scale.
static void exact_pose(const lmb_skeleton *skeleton, const lmb_clip *clip, uint32_t key,
                       exact_joint *out)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const lmb_transform rest = skeleton->rest[j];
        exact_joint own = {
            {(double)rest.rotation.x, (double)rest.rotation.y, (double)rest.rotation.z,
             (double)rest.rotation.w},
            {(double)rest.translation.x, (double)rest.translation.y, (double)rest.translation.z}};
        for (uint32_t c = 0; c < clip->channel_count; ++c) {
            const lmb_channel *channel = &clip->channels[c];
            const float *v =
                channel->values + (size_t)(channel->key_count > 1 ? key : 0) * channel->width;
            for (uint32_t k = 0; channel->joint == j && k < channel->width; ++k) {
                (channel->path == LMB_PATH_ROTATION ? own.q : own.p)[k] = (double)v[k];
            }
        }
        const double length = sqrt(own.q[0] * own.q[0] + own.q[1] * own.q[1] + own.q[2] * own.q[2] +
                                   own.q[3] * own.q[3]);
        for (int k = 0; k < 4; ++k) {
            own.q[k] /= length;
        }
        out[j] = own;
        if (skeleton->parents[j] >= 0) {
            const exact_joint *above = &out[skeleton->parents[j]];
            exact_rotation(above->q, own.p, out[j].p);
            exact_product(above->q, own.q, out[j].q);
            for (int k = 0; k < 3; ++k) {
                out[j].p[k] += above->p[k];
            }
        }
    }
}

/// The largest distance of joints of the same index over all keys, metres.
static double exact_worst(const lmb_character *a, const lmb_clip *ca, const lmb_character *b,
                          const lmb_clip *cb, uint32_t keys)
{
    exact_joint pa[64], pb[64];
    double worst = 0;
    for (uint32_t key = 0; key < keys; ++key) {
        exact_pose(a->skeleton, ca, key, pa);
        exact_pose(b->skeleton, cb, key, pb);
        for (uint32_t j = 0; j < a->skeleton->joint_count; ++j) {
            double d = 0;
            for (int k = 0; k < 3; ++k) {
                d += (pa[j].p[k] - pb[j].p[k]) * (pa[j].p[k] - pb[j].p[k]);
            }
            worst = fmax(worst, sqrt(d));
        }
    }
    return worst;
}

/// By an evaluation of its own in double precision: the same skeleton, and one whose every bone is
/// rolled, are where the source is.
static void exact_positions_are_the_same(void **state)
{
    (void)state;
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        lmb_character *source = test_motion((lmb_motion_kind)kind),
                      *rolled = test_skeleton(&(test_shape){.rolled = true});
        lmb_clip *same = put(source, source, &free_feet, NULL),
                 *rotated = put(rolled, source, &free_feet, NULL);
        const uint32_t keys = same->channels[0].key_count;
        const double on_itself = exact_worst(source, same, source, source->clips[0], keys),
                     on_rolled = exact_worst(rolled, rotated, source, source->clips[0], keys);
        print_message("%s: %.2g m on itself, %.2g m rolled\n", source->clips[0]->name, on_itself,
                      on_rolled);
        assert_true(on_itself < 1e-6);
        assert_true(on_rolled < 1e-6);
        lmb_clip_destroy(same);
        lmb_clip_destroy(rotated);
        lmb_character_destroy(rolled);
        lmb_character_destroy(source);
    }
}

static void onto_itself_nothing_changes(void **state)
{
    (void)state;
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        lmb_character *source = test_motion((lmb_motion_kind)kind);
        lmb_retarget_report report;
        lmb_clip *clip = put(source, source, &free_feet, &report);
        assert_true(worst_distance(source, clip, source, 1) < 1e-5f);
        assert_int_equal(report.bone_count, 22);
        for (uint32_t c = 0; c < clip->channel_count; ++c) {
            const lmb_channel *channel = &clip->channels[c];
            for (uint32_t k = 0; k < channel->key_count && channel->path == LMB_PATH_ROTATION;
                 ++k) {
                lmb_quat q, p;
                memcpy(&q, channel->values + 4 * k, sizeof(q));
                memcpy(&p, source->clips[0]->channels[channel->joint].values + 4 * k, sizeof(p));
                assert_true(fabsf(lmb_quat_dot(q, p)) > 1 - 1e-6f);
            }
        }
        lmb_clip_destroy(clip);
        lmb_character_destroy(source);
    }
}

static void rolled_axes_give_the_same_positions(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_RUN),
                  *target = test_skeleton(&(test_shape){.rolled = true});
    lmb_clip *clip = put(target, source, &free_feet, NULL);
    assert_true(worst_distance(target, clip, source, 1) < 2e-5f);
    lmb_clip_destroy(clip);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

static void twice_the_size_gives_twice_the_positions(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_JUMP),
                  *target = test_skeleton(&(test_shape){.scale = 2});
    lmb_retarget_report report;
    lmb_clip *clip = put(target, source, &free_feet, &report);
    assert_true(fabsf(report.scale - 2) < 1e-5f);
    assert_true(worst_distance(target, clip, source, 2) < 5e-5f);
    lmb_clip_destroy(clip);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

static void a_pose_takes_t_pose_motion(void **state)
{
    (void)state;
    // Arms that rest 40 degrees lower come out where the source's are: the places are those of the
    // T-posed body.
    lmb_character *source = test_motion(LMB_MOTION_WAVE),
                  *target = test_skeleton(&(test_shape){.arms_down_rad = 0.7f, .rolled = true});
    lmb_clip *clip = put(target, source, &free_feet, NULL);
    assert_true(worst_distance(target, clip, source, 1) < 2e-5f);
    lmb_clip_destroy(clip);
    // And back: from the A-posed body on the T-posed one.
    lmb_clip *first = put(target, source, &free_feet, NULL);
    lmb_clip *clips[1] = {first};
    lmb_character def = *target, *moved = NULL;
    def.clips = clips;
    def.clip_count = 1;
    assert_int_equal(lmb_character_create(&def, NULL, &moved, NULL), LMB_OK);
    lmb_character_release(target);
    clip = put(source, moved, &free_feet, NULL);
    assert_true(worst_distance(source, clip, source, 1) < 5e-5f);
    lmb_clip_destroy(clip);
    lmb_character_destroy(moved);
    lmb_character_destroy(source);
}

static void spines_of_other_lengths_end_alike(void **state)
{
    (void)state;
    // Without its chest joint the spine has two bones for three: the shoulders still go where the
    // source's do, within what two bones can follow of three.
    lmb_character *source = test_motion(LMB_MOTION_RUN),
                  *target = test_skeleton(&(test_shape){.leave_out = 2});
    lmb_clip *clip = put(target, source, &free_feet, NULL);
    assert_int_equal(target->skeleton->joint_count, 21);
    assert_true(worst_distance(target, clip, source, 1) < 0.01f);
    for (int i = 0; i < 10; ++i) {
        lmb_transform *a = test_pose(target, clip, 0.05 * i),
                      *b = test_pose(source, source->clips[0], 0.05 * i);
        const int32_t j = lmb_skeleton_find(target->skeleton, "upperChest"),
                      k = lmb_skeleton_find(source->skeleton, "upperChest");
        assert_true(lmb_quat_angle(a[j].rotation, b[k].rotation) < 1e-3f);
        free(a);
        free(b);
    }
    lmb_clip_destroy(clip);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

static bool same_clip(const lmb_clip *a, const lmb_clip *b)
{
    bool same = a->channel_count == b->channel_count;
    for (uint32_t c = 0; same && c < a->channel_count; ++c) {
        const lmb_channel *x = &a->channels[c], *y = &b->channels[c];
        same = x->key_count == y->key_count &&
               memcmp(x->values, y->values, (size_t)x->key_count * x->width * sizeof(float)) == 0;
    }
    return same;
}

static void same_input_same_bytes(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK),
                  *target = test_skeleton(&(test_shape){.scale = 0.7f, .rolled = true});
    lmb_clip *a = put(target, source, NULL, NULL), *b = put(target, source, NULL, NULL);
    assert_true(same_clip(a, b));
    lmb_clip_destroy(a);
    lmb_clip_destroy(b);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

static void loops_close(void **state)
{
    (void)state;
    lmb_character *target = test_skeleton(&(test_shape){.scale = 0.7f, .arms_down_rad = 0.5f});
    for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
        lmb_character *source = test_motion((lmb_motion_kind)kind);
        lmb_retarget_report report;
        lmb_clip *clip = put(target, source, NULL, &report);
        assert_true(report.loops);
        lmb_transform *a = test_pose(target, clip, 0),
                      *b = test_pose(target, clip, (double)lmb_clip_duration_s(clip));
        const lmb_vec3 travel = lmb_vec3_sub(b[0].translation, a[0].translation);
        for (uint32_t j = 0; j < target->skeleton->joint_count; ++j) {
            assert_true(lmb_quat_angle(a[j].rotation, b[j].rotation) < 2e-3f);
            assert_true(lmb_vec3_distance(lmb_vec3_add(a[j].translation, travel),
                                          b[j].translation) < 5e-5f);
        }
        free(a);
        free(b);
        lmb_clip_destroy(clip);
        lmb_character_destroy(source);
    }
    lmb_character_destroy(target);
}

static void refusals_are_named(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_IDLE);
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_retarget(source, source, 7, NULL, NULL, &clip, NULL, &error),
                     LMB_ERROR_INVALID);
    int32_t parents[2] = {-1, 0};
    lmb_transform rest[2] = {lmb_transform_identity(), lmb_transform_identity()};
    const char *names[2] = {"a", "b"};
    const lmb_skeleton def = {.joint_count = 2, .parents = parents, .rest = rest, .names = names};
    lmb_character stick = {.name = "stick"};
    assert_int_equal(lmb_skeleton_create(&def, NULL, &stick.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_retarget(&stick, source, 0, NULL, NULL, &clip, NULL, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.found, "the character"));
    assert_null(clip);
    lmb_skeleton_destroy(stick.skeleton);
    lmb_character_destroy(source);
}

// ----------------------------------------------------------------------------------------- memory

typedef struct failing {
    int left;
    int live;
} failing;

static void *failing_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    failing *f = user;
    (void)old_size;
    if (new_size == 0) {
        f->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (f->left-- <= 0) {
        return NULL;
    }
    f->live += block == NULL;
    return realloc(block, new_size);
}

static void running_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    lmb_character *source = test_motion(LMB_MOTION_WALK),
                  *target = test_skeleton(&(test_shape){.scale = 1.2f});
    lmb_result result = LMB_ERROR_MEMORY;
    for (int n = 0; result != LMB_OK; ++n) {
        failing f = {n, 0};
        const lmb_allocator alloc = {failing_resize, &f};
        lmb_clip *clip = NULL;
        result = lmb_retarget(target, source, 0, NULL, &alloc, &clip, NULL, NULL);
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        assert_true((result == LMB_OK) == (clip != NULL));
        lmb_clip_destroy(clip);
        assert_int_equal(f.live, 0);
        assert_true(n < 1000);
    }
    lmb_character_destroy(target);
    lmb_character_destroy(source);
}

// --------------------------------------------------------------------------- one take, two bodies

static lmb_character *shared_bvh(const char *path)
{
    const test_file file = test_shared_read(path);
    lmb_character *character = NULL;
    if (file.data != NULL) {
        assert_int_equal(lmbi_bvh_read(file.data, file.size, NULL, NULL, &character, NULL), LMB_OK);
    }
    free(file.data);
    return character;
}

static lmb_vec3 limb(const lmb_transform *pose, const lmb_joint_map *map, int bone)
{
    const lmb_vec3 along = lmb_vec3_sub(pose[map->bones[bone + 1].joint].translation,
                                        pose[map->bones[bone].joint].translation);
    return lmb_vec3_normalize_or(along, lmb_vec3_make(0, 0, 0));
}

static void one_take_on_two_skeletons(void **state)
{
    (void)state;
    // CMU 05_20, once on MotionBuilder's skeleton and once on Daz's: other joints, rest pose and
    // unit. The limbs point where the source's do; the published conversions themselves differ by
    // 20 degrees at the forearms and by 3 to 5 elsewhere.
    lmb_character *source = shared_bvh("mocap/bvh/cmu_05_20_motionbuilder.bvh"),
                  *truth = shared_bvh("mocap/bvh/cmu_05_20_daz.bvh");
    if (source == NULL || truth == NULL) {
        skip();
    }
    static const int bones[] = {LMB_HUMAN_LEFT_UPPER_ARM,  LMB_HUMAN_LEFT_LOWER_ARM,
                                LMB_HUMAN_RIGHT_UPPER_ARM, LMB_HUMAN_RIGHT_LOWER_ARM,
                                LMB_HUMAN_LEFT_UPPER_LEG,  LMB_HUMAN_LEFT_LOWER_LEG,
                                LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_RIGHT_LOWER_LEG};
    lmb_retarget_report report;
    lmb_clip *clip = put(truth, source, &free_feet, &report);
    const lmb_clip *own = truth->clips[0];
    const double late = (double)report.dropped_frames / 120.0;
    double to_truth = 0, to_source = 0, of_arms = 0;
    int count = 0;
    for (int i = 1; i < 100; ++i) {
        const double t = (double)lmb_clip_duration_s(clip) * i / 100.0;
        lmb_transform *a = test_pose(truth, clip, t), *b = test_pose(truth, own, t + late),
                      *c = test_pose(source, source->clips[0], t + late);
        for (size_t s = 0; s < sizeof(bones) / sizeof(bones[0]); ++s) {
            const lmb_vec3 got = limb(a, &report.target_map, bones[s]);
            to_truth +=
                (double)(lmbi_acos(lmb_vec3_dot(got, limb(b, &report.target_map, bones[s]))) *
                         180.0f / LMB_PI);
            const double rotated =
                (double)(lmbi_acos(lmb_vec3_dot(got, limb(c, &report.source_map, bones[s]))) *
                         180.0f / LMB_PI);
            to_source += rotated;
            of_arms += s < 4 ? rotated : 0;
            ++count;
        }
        free(c);
        free(a);
        free(b);
    }
    print_message(
        "limbs differ by %.3f degrees from the source, by %.2f from the other conversion\n",
        to_source / count, to_truth / count);
    // Arms rotate alike; legs rotate so that the feet go in the source's direction, from hips and with shins of
    // other proportions.
    assert_true(of_arms / count < 0.1);
    assert_true(to_source / count < 1.0);
    assert_true(to_truth / count < 9.0);
    lmb_clip_destroy(clip);
    lmb_character_destroy(source);
    lmb_character_destroy(truth);
}

/// Mean distance of the mapped joints over the clip, on A and on A by way of B, as a fraction of A's
/// height. The body is put on its own floor: that shift up or down is left out.
static float round_trip(const lmb_character *a, const lmb_character *b,
                        const lmb_retarget_opts *opts)
{
    lmb_retarget_report there, back;
    lmb_clip *on_b = put(b, a, opts, &there);
    lmb_character with = *b;
    with.clip_count = 1;
    with.clips = &on_b;
    lmb_clip *on_a = put(a, &with, opts, &back);
    const double begin =
        there.dropped_frames > 0 ? (double)there.dropped_frames / (double)there.frame_rate : 0;
    const int32_t hips = back.target_map.bones[LMB_HUMAN_HIPS].joint;
    float sum = 0, count = 0, low = 1e30f, high = -1e30f, shift = 0;
    for (int i = 0; i <= 60; ++i) {
        const double t = (double)lmb_clip_duration_s(on_a) * i / 60.0;
        lmb_transform *was = test_pose(a, a->clips[0], begin + t), *is = test_pose(a, on_a, t);
        shift += (is[hips].translation.y - was[hips].translation.y) / 61;
        free(was);
        free(is);
    }
    for (int i = 0; i <= 60; ++i) {
        const double t = (double)lmb_clip_duration_s(on_a) * i / 60.0;
        lmb_transform *was = test_pose(a, a->clips[0], begin + t), *is = test_pose(a, on_a, t);
        for (int bone = 0; bone < LMB_HUMAN_LEFT_THUMB_METACARPAL; ++bone) {
            const int32_t j = back.target_map.bones[bone].joint;
            if (j >= 0) {
                was[j].translation.y += shift;
                sum += lmb_vec3_distance(was[j].translation, is[j].translation);
                count += 1;
                low = fminf(low, i == 0 ? was[j].translation.y : low);
                high = fmaxf(high, i == 0 ? was[j].translation.y : high);
            }
        }
        free(was);
        free(is);
    }
    lmb_clip_destroy(on_a);
    lmb_clip_destroy(on_b);
    return sum / count / (high - low);
}

static void there_and_back_is_where_it_was(void **state)
{
    (void)state;
    lmb_character *other = test_skeleton(&(test_shape){.scale = 0.6f,
                                                       .knees_up = 0.06f,
                                                       .legs_apart = 0.03f,
                                                       .arms_down_rad = 0.6f,
                                                       .rolled = true});
    static const char *const files[] = {"cmu_12_01_walk", "xia_normal_walk", "swagger_asfnames",
                                        "mixamo_walk_in_circle"};
    lmb_character *walk = test_motion(LMB_MOTION_WALK);
    const float made = round_trip(walk, other, NULL);
    print_message("made walk: %.4f of the height\n", (double)made);
    assert_true(made <= 0.01f);
    lmb_character_destroy(walk);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        char path[128];
        snprintf(path, sizeof(path), "mocap/bvh/%s.bvh", files[i]);
        const test_file file = test_shared_read(path);
        lmb_character *source = NULL;
        if (file.data == NULL) {
            break;
        }
        assert_int_equal(lmbi_bvh_read(file.data, file.size, NULL, NULL, &source, NULL), LMB_OK);
        const float free_fraction = round_trip(source, other, &free_feet),
                    fraction = round_trip(source, other, NULL);
        // What holding changes of the recording itself, which slides and drifts, is no error of the
        // way there and back.
        lmb_clip *held = put(source, source, NULL, NULL), *clips[1] = {held};
        lmb_character standing = *source;
        standing.clip_count = 1;
        standing.clips = clips;
        const float beyond = round_trip(&standing, other, NULL);
        lmb_clip_destroy(held);
        print_message("%s: %.4f of the height, feet held %.4f, from held feet %.4f\n", files[i],
                      (double)free_fraction, (double)fraction, (double)beyond);
        assert_true(free_fraction <= 0.011f);
        assert_true(fraction <= 0.025f);
        assert_true(beyond <= 0.025f);
        lmb_character_destroy(source);
        free(file.data);
    }
    lmb_character_destroy(other);
}

/// The made skeleton with a helper half way along the left forearm and one a quarter along the
/// upper arm.
static lmb_character *with_twist_joints(void)
{
    lmb_character *made = test_skeleton(&(test_shape){0}), *out = NULL;
    const lmb_skeleton *from = made->skeleton;
    const uint32_t n = from->joint_count;
    lmb_transform *rest = calloc(n + 2, sizeof(*rest));
    int32_t *parents = calloc(n + 2, sizeof(*parents));
    const char **names = calloc(n + 2, sizeof(*names));
    memcpy(rest, from->rest, n * sizeof(*rest));
    memcpy(parents, from->parents, n * sizeof(*parents));
    memcpy(names, from->names, n * sizeof(*names));
    static const struct {
        const char *name, *bone, *end;
        float along;
    } helpers[2] = {{"leftLowerArmTwist", "leftLowerArm", "leftHand", 0.5f},
                    {"leftUpperArmTwist", "leftUpperArm", "leftLowerArm", 0.25f}};
    for (uint32_t k = 0; k < 2; ++k) {
        names[n + k] = helpers[k].name;
        parents[n + k] = lmb_skeleton_find(from, helpers[k].bone);
        rest[n + k] = lmb_transform_identity();
        rest[n + k].translation = lmb_vec3_scale(
            rest[lmb_skeleton_find(from, helpers[k].end)].translation, helpers[k].along);
    }
    const lmb_skeleton def = {
        .joint_count = n + 2, .parents = parents, .rest = rest, .names = names};
    lmb_character character = {.name = "twisted"};
    assert_int_equal(lmb_skeleton_create(&def, NULL, &character.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&character, NULL, &out, NULL), LMB_OK);
    lmb_character_destroy(made);
    free(rest);
    free(parents);
    free(names);
    return out;
}

/// How far a joint is rotated about x in the model.
static float about_x(const lmb_character *character, const lmb_clip *clip, const char *name)
{
    lmb_transform *pose = test_pose(character, clip, 0.1);
    const lmb_quat q = pose[lmb_skeleton_find(character->skeleton, name)].rotation;
    free(pose);
    return 2.0f * lmb_atan2(q.x, q.w);
}

/// The made body with a joint in line half way along the left upper arm and the left forearm.
static lmb_character *with_joints_in_line(void)
{
    lmb_character *made = test_skeleton(&(test_shape){0}), *out = NULL;
    const lmb_skeleton *from = made->skeleton;
    static const char *const ends[2] = {"leftLowerArm", "leftHand"}, *const added[2] = {
                                                                         "leftUpperArm2",
                                                                         "leftLowerArm2"};
    const char *names[64];
    int32_t parents[64], moved[64];
    lmb_transform rest[64];
    uint32_t n = 0;
    for (uint32_t j = 0; j < from->joint_count; ++j) {
        lmb_transform own = from->rest[j];
        int32_t parent = from->parents[j] < 0 ? LMB_NONE : moved[from->parents[j]];
        for (int k = 0; k < 2; ++k) {
            if (strcmp(from->names[j], ends[k]) == 0) {
                own.translation = lmb_vec3_scale(own.translation, 0.5f);
                names[n] = added[k];
                parents[n] = parent;
                rest[n] = lmb_transform_identity();
                rest[n].translation = own.translation;
                parent = (int32_t)n++;
            }
        }
        names[n] = from->names[j];
        parents[n] = parent;
        rest[n] = own;
        moved[j] = (int32_t)n++;
    }
    const lmb_skeleton def = {.joint_count = n, .parents = parents, .rest = rest, .names = names};
    lmb_character character = {.name = "in line"};
    assert_int_equal(lmb_skeleton_create(&def, NULL, &character.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&character, NULL, &out, NULL), LMB_OK);
    lmb_character_destroy(made);
    return out;
}

static void twist_joints_take_their_fraction(void **state)
{
    (void)state;
    lmb_character *source = test_skeleton(&(test_shape){0}), *target = with_twist_joints();
    const lmb_skeleton *skeleton = source->skeleton;
    lmb_transform *poses = malloc(30 * skeleton->joint_count * sizeof(*poses));
    // In T-pose arms lie along x: the upper arm rotated by 0.8 about itself, the hand 1.2 further.
    for (uint32_t f = 0; f < 30; ++f) {
        lmb_transform *pose = poses + f * skeleton->joint_count;
        memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof(*pose));
        pose[lmb_skeleton_find(skeleton, "leftUpperArm")].rotation =
            lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 0.8f);
        pose[lmb_skeleton_find(skeleton, "leftHand")].rotation =
            lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 1.2f);
    }
    lmb_clip *rotated = NULL, *clip = NULL;
    assert_int_equal(lmb_clip_from_poses(skeleton, poses, 30, 60, "turned", NULL, &rotated, NULL),
                     LMB_OK);
    lmb_character with = *source;
    with.clip_count = 1;
    with.clips = &rotated;
    assert_int_equal(lmb_retarget(target, &with, 0, NULL, NULL, &clip, NULL, NULL), LMB_OK);
    assert_float_equal(about_x(target, clip, "leftUpperArm"), 0.8f, 1e-4f);
    assert_float_equal(about_x(target, clip, "leftHand"), 2.0f, 1e-4f);
    assert_float_equal(about_x(target, clip, "leftLowerArmTwist"), 0.8f + 0.5f * 1.2f, 1e-4f);
    assert_float_equal(about_x(target, clip, "leftUpperArmTwist"), 0.25f * 0.8f, 1e-4f);
    lmb_clip_destroy(clip);
    lmb_character_destroy(target);
    // Joints in line cut the bones in two: the first half of the upper arm takes half of its twist,
    // the second half all; half way along the forearm is half of the hand's.
    target = with_joints_in_line();
    assert_int_equal(lmb_retarget(target, &with, 0, NULL, NULL, &clip, NULL, NULL), LMB_OK);
    assert_float_equal(about_x(target, clip, "leftUpperArm"), 0.4f, 1e-4f);
    assert_float_equal(about_x(target, clip, "leftUpperArm2"), 0.8f, 1e-4f);
    assert_float_equal(about_x(target, clip, "leftLowerArm"), 0.8f, 1e-4f);
    assert_float_equal(about_x(target, clip, "leftLowerArm2"), 0.8f + 0.5f * 1.2f, 1e-4f);
    assert_float_equal(about_x(target, clip, "leftHand"), 2.0f, 1e-4f);
    lmb_clip_destroy(clip);
    lmb_clip_destroy(rotated);
    lmb_character_destroy(target);
    lmb_character_destroy(source);
    free(poses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(onto_itself_nothing_changes),
        cmocka_unit_test(exact_positions_are_the_same),
        cmocka_unit_test(rolled_axes_give_the_same_positions),
        cmocka_unit_test(twice_the_size_gives_twice_the_positions),
        cmocka_unit_test(a_pose_takes_t_pose_motion),
        cmocka_unit_test(spines_of_other_lengths_end_alike),
        cmocka_unit_test(same_input_same_bytes),
        cmocka_unit_test(loops_close),
        cmocka_unit_test(twist_joints_take_their_fraction),
        cmocka_unit_test(there_and_back_is_where_it_was),
        cmocka_unit_test(refusals_are_named),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
        cmocka_unit_test(one_take_on_two_skeletons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
