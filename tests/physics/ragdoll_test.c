// Ragdolls made from characters: capsules around the skin, falls that hold together, drives that
// lead back to a pose.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "author/author.h"
#include "bodies/bodies.h"
#include "failing_allocator.h"
#include "limber/limber.h"
#include "near.h"

static const float frame_s = 1.0f / 60;
static const lmb_rigid_shape ground = {
    .kind = LMB_RIGID_PLANE, .body = LMB_NONE, .static_friction = 0.8f, .dynamic_friction = 0.65f};

/// A made human with 16 bodies.
typedef struct doll {
    lmb_made_body *body;
    const lmb_skeleton *skeleton;
    lmb_joint_map map;
    lmb_joint_limit *limits;
    lmb_ragdoll_set *set;
    lmb_ragdoll *ragdoll;
    lmb_transform *pose;
    lmb_mat4 *model;
    uint32_t joints[16];
} doll;

static void doll_start(doll *d, uint64_t seed, float gravity, bool has_ground)
{
    lmb_error error = {0};
    memset(d, 0, sizeof *d);
    const lmb_made_body_opts opts = {
        .seed = seed, .whole = true, .rigged = true, .triangle_count = 2500};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &d->body, &error), LMB_OK);
    d->skeleton = d->body->character->skeleton;
    const uint32_t n = d->skeleton->joint_count;
    d->limits = calloc(n, sizeof *d->limits);
    d->pose = calloc(n, sizeof *d->pose);
    d->model = calloc(n, sizeof *d->model);
    assert_int_equal(lmb_joint_map_make(d->skeleton, NULL, &d->map, &error), LMB_OK);
    assert_int_equal(lmb_joint_map_limits(&d->map, d->skeleton, NULL, d->limits, &error), LMB_OK);
    for (int k = 0; k < 16; ++k) {
        d->joints[k] = (uint32_t)d->map.bones[lmbi_ragdoll_bones[k]].joint;
    }
    const lmb_ragdoll_opts want = {
        .joints = d->joints, .joint_count = 16, .limits = d->limits, .mass = 70};
    if (lmb_ragdoll_set_make(d->body->character, &want, NULL, &d->set, &error) != LMB_OK) {
        fail_msg("%s: %s", error.expected, error.found);
    }
    lmb_rigid_shape floor = ground;
    floor.offset.y = d->set->box.low.y;
    const lmb_ragdoll_scene scene = {.gravity = {0, -gravity, 0},
                                     .shapes = &floor,
                                     .shape_count = has_ground,
                                     .friction = 0.8f,
                                     .joint_friction = 0.1f};
    assert_int_equal(lmb_ragdoll_create(d->set, d->skeleton, &scene, NULL, &d->ragdoll, &error),
                     LMB_OK);
    memcpy(d->pose, d->skeleton->rest, n * sizeof *d->pose);
}

static void doll_end(doll *d)
{
    lmb_ragdoll_destroy(d->ragdoll);
    lmb_ragdoll_set_destroy(d->set);
    lmb_made_body_destroy(d->body);
    free(d->limits);
    free(d->pose);
    free(d->model);
}

/// From the rest pose given every frame.
static lmb_world_report doll_step(doll *d)
{
    lmb_world_report r;
    memcpy(d->pose, d->skeleton->rest, d->skeleton->joint_count * sizeof *d->pose);
    lmb_ragdoll_step(&(lmb_ragdoll_step_job){.ragdoll = d->ragdoll,
                                             .local = d->pose,
                                             .model_from_joint = d->model,
                                             .dt_s = frame_s,
                                             .weight = 1});
    lmb_world_measure(lmb_ragdoll_world(d->ragdoll), &r);
    return r;
}

static float height_of(const doll *d)
{
    return d->set->box.high.y - d->set->box.low.y;
}

static void test_capsules_fit_the_skin(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; ++seed) {
        doll d;
        doll_start(&d, seed, 9.81f, true);
        float mass = 0, covered = 0;
        for (uint32_t i = 0; i < d.set->bone_count; ++i) {
            const lmb_ragdoll_bone *b = &d.set->bones[i];
            mass += b->mass;
            covered += b->coverage;
            assert_true(b->coverage > 0.7f);
            assert_true(i == 0 || (b->parent >= 0 && b->parent < (int32_t)i));
            assert_true(b->parent < 0 || b->mass >= 0.099f * d.set->bones[b->parent].mass);
        }
        assert_true(covered / (float)d.set->bone_count > 0.88f);
        // Neighbours' bounds add a little to what was asked for.
        assert_true(mass >= 69.9f && mass < 80.0f);
        doll_end(&d);
    }
}

/// Bones of a joint that nothing says much about are found by the skin alone.
static void test_any_rig(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        lmb_made_body *body = NULL;
        lmb_ragdoll_set *set = NULL;
        lmb_ragdoll *ragdoll = NULL;
        lmb_error error = {0};
        const lmb_made_body_opts opts = {.kind = (lmb_made_body_kind)kind,
                                         .whole = true,
                                         .rigged = true,
                                         .triangle_count = 4000};
        assert_int_equal(lmb_made_body_create(&opts, NULL, &body, &error), LMB_OK);
        assert_int_equal(lmb_ragdoll_set_make(body->character, NULL, NULL, &set, &error), LMB_OK);
        if (set->bone_count < 6 || set->bone_count > 24) {
            fail_msg("kind %d has %u bones", kind, (unsigned)set->bone_count);
        }
        lmb_rigid_shape floor = ground;
        floor.offset.y = set->box.low.y;
        const lmb_ragdoll_scene scene = {.gravity = {0, -9.81f, 0},
                                         .shapes = &floor,
                                         .shape_count = 1,
                                         .friction = 0.8f,
                                         .joint_friction = 0.1f};
        assert_int_equal(
            lmb_ragdoll_create(set, body->character->skeleton, &scene, NULL, &ragdoll, &error),
            LMB_OK);
        lmb_world *world = lmb_ragdoll_world(ragdoll);
        const float size = lmb_vec3_distance(set->box.high, set->box.low);
        for (int f = 0; f < 240; ++f) {
            lmb_world_report r;
            lmb_world_step(world, frame_s);
            lmb_world_measure(world, &r);
            assert_true(r.finite);
            if (!(r.separation < 2e-3f * size)) {
                fail_msg("kind %d, frame %d: %.3g of its size apart", kind, f,
                         (double)(r.separation / size));
            }
        }
        lmb_ragdoll_destroy(ragdoll);
        lmb_ragdoll_set_destroy(set);
        lmb_made_body_destroy(body);
    }
}

/// Dropped from standing it folds forward at the knees, holds together and lies still.
static void test_falls_and_rests(void **state)
{
    (void)state;
    doll d;
    doll_start(&d, 0, 9.81f, true);
    const int32_t knee = d.map.bones[LMB_HUMAN_LEFT_LOWER_LEG].joint;
    const lmb_vec3 bend = d.limits[knee].axis;
    float most_bend = 0, least_bend = 0;
    int asleep_at = -1;
    for (int f = 0; f < 300; ++f) {
        const lmb_world_report r = doll_step(&d);
        assert_true(r.finite);
        assert_true(r.separation < 1e-3f * height_of(&d));
        if (!(r.penetration < 5e-3f)) {
            fail_msg("frame %d: %.3g m deep", f, (double)r.penetration);
        }
        const lmb_quat rotation = lmb_quat_mul(lmb_quat_conjugate(d.skeleton->rest[knee].rotation),
                                               d.pose[knee].rotation);
        const float sign = rotation.w < 0 ? -1.0f : 1.0f;
        const float angle =
            2 *
            lmb_atan2(sign * lmb_vec3_dot(lmb_vec3_make(rotation.x, rotation.y, rotation.z), bend),
                      sign * rotation.w);
        most_bend = fmaxf(most_bend, angle);
        least_bend = fminf(least_bend, angle);
        asleep_at = r.asleep_count == 16 ? (asleep_at < 0 ? f : asleep_at) : -1;
    }
    assert_true(most_bend > 0.5f);
    assert_true(least_bend > -0.2f);
    if (!(asleep_at > 60 && asleep_at < 300)) {
        fail_msg("asleep at frame %d", asleep_at);
    }
    const lmb_vec3 head = lmb_mat4_translation(d.model[d.map.bones[LMB_HUMAN_HEAD].joint]);
    assert_true(head.y < d.set->box.low.y + 0.35f * height_of(&d));
    doll_end(&d);
}

/// Thrown about in many ways: nothing breaks, all of it ends at rest.
static void test_thrown(void **state)
{
    (void)state;
    doll d;
    doll_start(&d, 1, 9.81f, true);
    lmb_random random = lmb_random_seed(11);
    lmb_world *world = lmb_ragdoll_world(d.ragdoll);
    int restless = 0;
    float worst = 0, deep = 0;
    for (int round = 0; round < 12; ++round) {
        d.pose[0].translation = d.skeleton->rest[0].translation;
        memcpy(d.pose, d.skeleton->rest, d.skeleton->joint_count * sizeof *d.pose);
        lmb_mat4 root = lmb_mat4_identity();
        root.m[13] = 1;
        lmb_ragdoll_set_pose(&(lmb_ragdoll_set_pose_job){
            .ragdoll = d.ragdoll, .local = d.pose, .root = root, .dt_s = frame_s});
        for (uint32_t i = 0; i < 16; ++i) {
            lmb_rigid_state s = lmb_world_state(world, i);
            s.velocity =
                lmb_vec3_make(lmb_random_range(&random, -6, 6), lmb_random_range(&random, -2, 4),
                              lmb_random_range(&random, -6, 6));
            s.spin =
                lmb_vec3_make(lmb_random_range(&random, -9, 9), lmb_random_range(&random, -9, 9),
                              lmb_random_range(&random, -9, 9));
            lmb_world_set_state(world, i, &s);
        }
        lmb_world_report r = {0};
        for (int f = 0; f < 420; ++f) {
            lmb_world_step(world, frame_s);
            lmb_world_measure(world, &r);
            assert_true(r.finite);
            worst = fmaxf(worst, r.separation / height_of(&d));
            deep = fmaxf(deep, r.penetration);
        }
        restless += r.asleep_count < 16;
    }
    if (!(worst < 1e-3f)) {
        fail_msg("joints %.3g of the height apart", (double)worst);
    }
    if (!(deep < 0.012f)) {
        fail_msg("%.3g m deep", (double)deep);
    }
    if (restless > 1) {
        fail_msg("%d of 12 still move after 7 s", restless);
    }
    doll_end(&d);
}

/// With a drive the pose of the frame is held against gravity; without one it is not.
static void test_drives_hold_a_pose(void **state)
{
    (void)state;
    float off[2];
    for (int k = 0; k < 2; ++k) {
        doll d;
        doll_start(&d, 0, 9.81f, true);
        for (uint32_t i = 1; i < 16; ++i) {
            lmb_ragdoll_set_drive(d.ragdoll, i, &(lmb_ragdoll_drive){.hz = k ? 6.0f : 0.0f});
        }
        lmb_ragdoll_set_drive(d.ragdoll, 0, &(lmb_ragdoll_drive){.carried = true});
        for (int f = 0; f < 120; ++f) {
            const lmb_world_report r = doll_step(&d);
            assert_true(r.separation < 1e-3f * height_of(&d));
        }
        off[k] = 0;
        for (int i = 0; i < 16; ++i) {
            const uint32_t j = d.joints[i];
            off[k] =
                fmaxf(off[k], lmb_quat_angle(d.pose[j].rotation, d.skeleton->rest[j].rotation));
        }
        doll_end(&d);
    }
    assert_true(off[0] > 0.5f); // arms hang
    if (!(off[1] < 0.12f)) {
        fail_msg("%.3g rad off", (double)off[1]);
    }
}

/// How a bone is rotated against the one that carries it, whatever joints are between.
static lmb_quat bend_at(const doll *d, const lmb_mat4 *model, uint32_t bone)
{
    lmb_transform own, above;
    lmb_mat4_decompose(model[d->set->bones[bone].joint], &own);
    lmb_mat4_decompose(model[d->set->bones[d->set->bones[bone].parent].joint], &above);
    return lmb_quat_mul(lmb_quat_conjugate(above.rotation), own.rotation);
}

static bool is_hand(const doll *d, uint32_t bone)
{
    const int32_t joint = (int32_t)d->set->bones[bone].joint;
    return joint == d->map.bones[LMB_HUMAN_LEFT_HAND].joint ||
           joint == d->map.bones[LMB_HUMAN_RIGHT_HAND].joint;
}

static lmb_clip *walk_of(const lmb_character *character)
{
    lmb_error error = {0};
    lmb_character *motion = NULL;
    assert_int_equal(
        lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &motion, &error),
        LMB_OK);
    lmb_clip *clip = NULL;
    lmb_retarget_report report;
    assert_int_equal(
        lmb_retarget(character, motion, 0, &(lmb_retarget_opts){0}, NULL, &clip, &report, &error),
        LMB_OK);
    lmb_character_destroy(motion);
    return clip;
}

/// A walk tracked at 5 Hz in free fall is within 3 degrees in the mean.
static void test_tracks_a_walk(void **state)
{
    (void)state;
    doll d;
    doll_start(&d, 0, 0, false);
    lmb_clip *clip = walk_of(d.body->character);
    for (uint32_t i = 1; i < 16; ++i) {
        lmb_ragdoll_set_drive(d.ragdoll, i, &(lmb_ragdoll_drive){.hz = 5});
    }
    lmb_ragdoll_set_balance(d.ragdoll, 0, 0);
    const uint32_t n = d.skeleton->joint_count;
    lmb_transform *goal = calloc(n, sizeof *goal);
    lmb_mat4 *want = calloc(n, sizeof *want);
    double sum = 0;
    int count = 0;
    const double length = (double)lmb_clip_duration_s(clip);
    for (int f = 0; f < 180; ++f) {
        memcpy(goal, d.skeleton->rest, n * sizeof *goal);
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = lmb_time_in(f / 60.0, length, LMB_PLAY_LOOP),
                                     .joint_count = n,
                                     .pose = goal});
        for (uint32_t i = 1; i < 16; ++i) { // what the joints can do of it
            const uint32_t j = d.set->bones[i].joint;
            goal[j] = lmbi_joint_limit_apply(&d.set->bones[i].limit, d.skeleton->rest[j], goal[j]);
        }
        memcpy(d.pose, goal, n * sizeof *goal);
        if (f == 0) {
            lmb_ragdoll_set_pose(&(lmb_ragdoll_set_pose_job){.ragdoll = d.ragdoll, .local = goal});
        }
        lmb_ragdoll_step(&(lmb_ragdoll_step_job){.ragdoll = d.ragdoll,
                                                 .local = d.pose,
                                                 .model_from_joint = d.model,
                                                 .dt_s = frame_s,
                                                 .weight = 1});
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = d.skeleton, .local = goal, .model_from_joint = want});
        for (uint32_t i = 1; i < 16 && f > 30; ++i) {
            if (is_hand(&d, i)) { // they brush the thighs
                continue;
            }
            sum += (double)lmb_quat_angle(bend_at(&d, d.model, i), bend_at(&d, want, i));
            ++count;
        }
    }
    const double mean = sum / count * 57.29577951308232;
    if (!(mean < 3)) {
        fail_msg("%.2f degrees in the mean", mean);
    }
    free(goal);
    free(want);
    lmb_clip_destroy(clip);
    doll_end(&d);
}

/// One arm falls, the rest goes where the pose says, to the bit.
static void test_partial(void **state)
{
    (void)state;
    doll d;
    doll_start(&d, 0, 9.81f, true);
    for (uint32_t i = 0; i < 16; ++i) {
        const bool arm = lmbi_ragdoll_bones[i] == LMB_HUMAN_LEFT_UPPER_ARM ||
                         lmbi_ragdoll_bones[i] == LMB_HUMAN_LEFT_LOWER_ARM ||
                         lmbi_ragdoll_bones[i] == LMB_HUMAN_LEFT_HAND;
        const int32_t bone = lmb_ragdoll_set_find(d.set, d.skeleton, d.joints[i]);
        assert_true(bone >= 0);
        lmb_ragdoll_set_drive(d.ragdoll, (uint32_t)bone, &(lmb_ragdoll_drive){.carried = !arm});
    }
    for (int f = 0; f < 120; ++f) {
        doll_step(&d);
    }
    for (uint32_t j = 0; j < d.skeleton->joint_count; ++j) {
        bool arm = false;
        for (int32_t k = (int32_t)j; k != LMB_NONE; k = d.skeleton->parents[k]) {
            arm = arm || k == d.map.bones[LMB_HUMAN_LEFT_UPPER_ARM].joint ||
                  k == d.map.bones[LMB_HUMAN_LEFT_SHOULDER].joint;
        }
        if (!arm) {
            assert_memory_equal(&d.pose[j], &d.skeleton->rest[j], sizeof d.pose[j]);
        }
    }
    const lmb_vec3 hand = lmb_mat4_translation(d.model[d.joints[12]]),
                   shoulder = lmb_mat4_translation(d.model[d.joints[10]]);
    assert_true(hand.y < shoulder.y - 0.2f * height_of(&d));
    doll_end(&d);
}

/// A pose that moves lets go with its speed.
static void test_takes_over_speed(void **state)
{
    (void)state;
    doll d;
    doll_start(&d, 0, 0, false);
    const uint32_t n = d.skeleton->joint_count;
    lmb_transform *before = calloc(n, sizeof *before);
    memcpy(before, d.skeleton->rest, n * sizeof *before);
    const uint32_t hips = d.joints[0];
    d.pose[hips].translation.x += 0.05f;
    lmb_ragdoll_set_pose(&(lmb_ragdoll_set_pose_job){
        .ragdoll = d.ragdoll, .local = d.pose, .before = before, .dt_s = frame_s});
    for (uint32_t i = 0; i < 16; ++i) {
        near((double)lmb_world_state(lmb_ragdoll_world(d.ragdoll), i).velocity.x, 3, 1e-3);
    }
    free(before);
    doll_end(&d);
}

/// At rest the pose that comes out is the one that went in; a share mixes the two.
static void test_shares(void **state)
{
    (void)state;
    doll d;
    doll_start(&d, 0, 0, false);
    lmb_ragdoll_step(&(lmb_ragdoll_step_job){
        .ragdoll = d.ragdoll, .local = d.pose, .model_from_joint = d.model, .weight = 1});
    for (uint32_t j = 0; j < d.skeleton->joint_count; ++j) {
        near((double)lmb_quat_angle(d.pose[j].rotation, d.skeleton->rest[j].rotation), 0, 2e-3);
        near((double)lmb_vec3_distance(d.pose[j].translation, d.skeleton->rest[j].translation), 0,
             1e-5);
    }
    const uint32_t arm = d.joints[10];
    const lmb_quat by = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.6f);
    d.pose[arm].rotation = lmb_quat_mul(d.pose[arm].rotation, by);
    lmb_ragdoll_step(&(lmb_ragdoll_step_job){
        .ragdoll = d.ragdoll, .local = d.pose, .model_from_joint = d.model, .weight = 0.5f});
    near((double)lmb_quat_angle(d.pose[arm].rotation, d.skeleton->rest[arm].rotation), 0.3, 2e-3);
    doll_end(&d);
}

static void test_bad_options_and_memory(void **state)
{
    (void)state;
    doll d;
    lmb_error error = {0};
    lmb_ragdoll_set *set = NULL;
    doll_start(&d, 0, 0, false);
    const uint32_t wrong[][2] = {{0, 99999}, {3, 3}};
    for (int k = 0; k < 2; ++k) {
        const lmb_ragdoll_opts opts = {.joints = wrong[k], .joint_count = 2};
        assert_int_equal(lmb_ragdoll_set_make(d.body->character, &opts, NULL, &set, &error),
                         LMB_ERROR_INVALID);
    }
    const uint32_t pair[2] = {3, 4};
    const int32_t parents[][2] = {{LMB_NONE, 5}, {4, 3}, {LMB_NONE, 99999}};
    for (int k = 0; k < 3; ++k) {
        const lmb_ragdoll_opts opts = {.joints = pair, .joint_count = 2, .parents = parents[k]};
        assert_int_equal(lmb_ragdoll_set_make(d.body->character, &opts, NULL, &set, &error),
                         LMB_ERROR_INVALID);
    }
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_ragdoll *ragdoll = NULL;
        f.result = lmb_ragdoll_set_make(d.body->character, NULL, &f.alloc, &set, &error);
        if (f.result == LMB_OK) {
            f.result = lmb_ragdoll_create(set, d.skeleton, NULL, &f.alloc, &ragdoll, &error);
            lmb_ragdoll_destroy(ragdoll);
            lmb_ragdoll_set_destroy(set);
        }
    }
    doll_end(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capsules_fit_the_skin),
        cmocka_unit_test(test_any_rig),
        cmocka_unit_test(test_falls_and_rests),
        cmocka_unit_test(test_thrown),
        cmocka_unit_test(test_drives_hold_a_pose),
        cmocka_unit_test(test_tracks_a_walk),
        cmocka_unit_test(test_partial),
        cmocka_unit_test(test_takes_over_speed),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_bad_options_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
