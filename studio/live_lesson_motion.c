/// A character of the lesson: skinned by any method, blended, walking, falling.
#include "live.h"
#include "live_exports.h"
#include "live_lesson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- skin

EXPORT(limber_lesson_skin) const float *limber_lesson_skin(int handle, uint32_t mesh, int method)
{
    live_character *live = live_find(handle);
    lmb_error error = {0};
    // The usual skin makes the deformer and stores what was painted.
    if (live == NULL || limber_skin(handle, mesh) == NULL) {
        return NULL;
    }
    if (method < LMB_SKIN_LINEAR || method > LMB_SKIN_ENVELOPE) {
        (void)live_fail("there is no skin method %d", method);
        return NULL;
    }
    if (lmb_deformer_prepare(live->deformer, (lmb_skin_method)method, NULL, &error) != LMB_OK) {
        (void)live_fail_call("the skin", &error);
        return NULL;
    }
    lmb_deform(&(lmb_deform_job){.deformer = live->deformer,
                                 .model_from_joint = live->model,
                                 .weight_first = live->weight_first,
                                 .weights = live->weights,
                                 .method = (lmb_skin_method)method});
    live->skin_due = true;
    return (const float *)lmb_deformer_instance(live->deformer, mesh).positions;
}

// ---------------------------------------------------------------------------------------- blending

static void sample(const live_character *live, uint32_t clip, double time_s, lmb_transform *pose)
{
    const lmb_skeleton *skeleton = live->character->skeleton;
    lmb_sample(&(lmb_sample_job){.clip = live->character->clips[clip],
                                 .time_s = time_s,
                                 .mode = LMB_PLAY_LOOP,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = pose});
}

/// Blends into live->pose; `other` and `base` are scratch.
static void blend(live_character *live, const uint32_t clips[2], const double times[2],
                  float weight, bool additive, lmb_transform *other, lmb_transform *base)
{
    const uint32_t joints = live->character->skeleton->joint_count;
    sample(live, clips[0], times[0], live->pose);
    sample(live, clips[1], times[1], other);
    const lmb_blend_layer over = {.pose = other, .weight = weight};
    const lmb_blend_layer layers[2] = {{.pose = live->pose, .weight = additive ? 1 : 1 - weight},
                                       over};
    if (additive) {
        sample(live, clips[1], 0, base);
        lmb_pose_difference(&(lmb_pose_difference_job){
            .joint_count = joints, .base = base, .pose = other, .out = other});
    }
    lmb_blend(&(lmb_blend_job){.joint_count = joints,
                               .layers = layers,
                               .layer_count = additive ? 1 : 2,
                               .additives = &over,
                               .additive_count = additive ? 1 : 0,
                               .out = live->pose});
}

EXPORT(limber_lesson_blend)
int limber_lesson_blend(int handle, uint32_t clip, double time_s, uint32_t other,
                        double other_time_s, float weight, int additive)
{
    live_character *live = live_find(handle);
    const uint32_t most = clip > other ? clip : other;
    if (live == NULL) {
        return 0;
    }
    if (most >= live->character->clip_count) {
        return live_fail("there is no clip %u, there are %u", (unsigned)most,
                         (unsigned)live->character->clip_count);
    }
    if (!(weight >= 0 && weight <= 1) || !isfinite(time_s) || !isfinite(other_time_s)) {
        return live_fail("expected a weight from 0 to 1 and finite times");
    }
    const uint32_t joints = live->character->skeleton->joint_count;
    lmb_transform *scratch = live_room(2 * (size_t)joints, sizeof *scratch);
    if (scratch == NULL) {
        return 0;
    }
    live_drag_end(live);
    const uint32_t clips[2] = {clip, other};
    const double times[2] = {time_s, other_time_s};
    blend(live, clips, times, weight, additive != 0, scratch, scratch + joints);
    free(scratch);
    live_show(live);
    return 1;
}

// ------------------------------------------------------------------------------------------- gait

static struct {
    int handle;
    lmb_gait_body body; ///< of `handle`
    lmb_gait *gait;
} stepping;

EXPORT(limber_lesson_gait_begin)
float limber_lesson_gait_begin(int handle, const float *numbers)
{
    const live_character *live = live_find(handle);
    lmb_error error = {0};
    if (live == NULL) {
        return 0;
    }
    for (int k = 0; k < 6; ++k) {
        if (!isfinite(numbers[k])) {
            (void)live_fail("number %d is not finite", k);
            return 0;
        }
    }
    lmb_gait_destroy(stepping.gait);
    stepping.gait = NULL;
    if (stepping.handle != handle) {
        stepping.handle = 0;
        if (lmb_gait_body_find(live->character, NULL, &stepping.body, &error) != LMB_OK) {
            (void)live_fail_call("the legs", &error);
            return 0;
        }
        stepping.handle = handle;
    }
    const lmb_gait_opts opts = {.speed_m_s = numbers[0],
                                .lift = numbers[1],
                                .width = numbers[2],
                                .bounce = numbers[3],
                                .arm_swing = numbers[4],
                                .crouch = numbers[5],
                                .in_place = true};
    if (lmb_gait_create(live->character->skeleton, &stepping.body, &opts, NULL, &stepping.gait,
                        &error) != LMB_OK) {
        (void)live_fail_call("the gait", &error);
        return 0;
    }
    return lmb_gait_describe(stepping.gait).period_s;
}

EXPORT(limber_lesson_gait_pose) int limber_lesson_gait_pose(int handle, double time_s)
{
    live_character *live = live_find(handle);
    if (live == NULL) {
        return 0;
    }
    if (stepping.handle != handle || stepping.gait == NULL) {
        return live_fail("limber_lesson_gait_begin comes first");
    }
    if (!isfinite(time_s)) {
        return live_fail("the time is not finite");
    }
    live_drag_end(live);
    lmb_gait_pose(stepping.gait, time_s, live->pose);
    live_show(live);
    return 1;
}

// ---------------------------------------------------------------------------------------- falling

static struct {
    int handle;
    lmb_ragdoll_set *set;
    lmb_ragdoll *ragdoll;
    lmb_transform *target; ///< [joint_count] the pose that muscles hold
} falling;

static void end_fall(void)
{
    lmb_ragdoll_destroy(falling.ragdoll);
    lmb_ragdoll_set_destroy(falling.set);
    free(falling.target);
    memset(&falling, 0, sizeof falling);
}

void live_lesson_motion_free(int handle)
{
    if (falling.handle == handle) {
        end_fall();
    }
    if (stepping.handle == handle) {
        lmb_gait_destroy(stepping.gait);
        stepping.gait = NULL;
        stepping.handle = 0;
    }
}

static lmb_result make_fall(const live_character *live, lmb_error *error)
{
    const lmb_skeleton *skeleton = live->character->skeleton;
    lmb_ragdoll_plan plan;
    lmb_result result = lmb_ragdoll_plan_make(live->character, 70, NULL, &plan, error);
    falling.set = plan.set;
    if (result != LMB_OK) {
        return result;
    }
    const lmb_rigid_shape floor = {.kind = LMB_RIGID_PLANE,
                                   .body = LMB_NONE,
                                   .offset = {0, falling.set->box.low.y, 0},
                                   .static_friction = 0.9f,
                                   .dynamic_friction = 0.7f};
    const lmb_ragdoll_scene scene = {.gravity = {0, -9.81f, 0},
                                     .shapes = &floor,
                                     .shape_count = 1,
                                     .friction = 0.9f,
                                     .joint_friction = 0.1f};
    result = lmb_ragdoll_create(falling.set, skeleton, &scene, NULL, &falling.ragdoll, error);
    falling.target = live_room(skeleton->joint_count, sizeof *falling.target);
    return result == LMB_OK && falling.target == NULL ? LMB_ERROR_MEMORY : result;
}

EXPORT(limber_lesson_fall_begin) int32_t limber_lesson_fall_begin(int handle, float hz)
{
    const live_character *live = live_find(handle);
    lmb_error error = {0};
    if (live == NULL) {
        return -1;
    }
    if (!(hz >= 0 && isfinite(hz))) {
        (void)live_fail("expected a frequency that is not negative");
        return -1;
    }
    end_fall();
    if (make_fall(live, &error) != LMB_OK) {
        (void)live_fail_call("the bodies", &error);
        end_fall();
        return -1;
    }
    falling.handle = handle;
    memcpy(falling.target, live->pose,
           live->character->skeleton->joint_count * sizeof *falling.target);
    lmb_ragdoll_set_pose(
        &(lmb_ragdoll_set_pose_job){.ragdoll = falling.ragdoll, .local = falling.target});
    for (uint32_t k = 0; k < falling.set->bone_count; ++k) {
        lmb_ragdoll_set_drive(falling.ragdoll, k, &(lmb_ragdoll_drive){.hz = hz});
    }
    return (int32_t)falling.set->bone_count;
}

/// The character that falls; NULL with an error.
static live_character *find_falling(int handle)
{
    live_character *live = live_find(handle);
    if (live != NULL && falling.handle != handle) {
        (void)live_fail("limber_lesson_fall_begin comes first");
        return NULL;
    }
    return live;
}

EXPORT(limber_lesson_fall_step) float limber_lesson_fall_step(int handle, float seconds)
{
    live_character *live = find_falling(handle);
    lmb_world_report report;
    if (live == NULL) {
        return -1;
    }
    if (!(seconds > 0 && isfinite(seconds))) {
        (void)live_fail("expected seconds above 0");
        return -1;
    }
    live_drag_end(live);
    memcpy(live->pose, falling.target, live->character->skeleton->joint_count * sizeof *live->pose);
    lmb_ragdoll_step(&(lmb_ragdoll_step_job){.ragdoll = falling.ragdoll,
                                             .local = live->pose,
                                             .model_from_joint = live->model,
                                             .dt_s = seconds,
                                             .weight = 1});
    live_show(live);
    lmb_world_measure(lmb_ragdoll_world(falling.ragdoll), &report);
    return (float)report.kinetic;
}

EXPORT(limber_lesson_fall_push)
int limber_lesson_fall_push(int handle, uint32_t joint, float x, float y, float z)
{
    const live_character *live = live_find_joint(handle, joint);
    if (live == NULL || find_falling(handle) == NULL) {
        return 0;
    }
    if (!isfinite(x) || !isfinite(y) || !isfinite(z)) {
        return live_fail("the blow is not finite");
    }
    const int32_t bone = lmb_ragdoll_set_find(falling.set, live->character->skeleton, joint);
    if (bone == LMB_NONE) {
        return live_fail("joint %u moves with no body", (unsigned)joint);
    }
    lmb_world *world = lmb_ragdoll_world(falling.ragdoll);
    lmb_world_push(world, (uint32_t)bone, lmb_vec3_make(x, y, z),
                   lmb_world_state(world, (uint32_t)bone).position);
    return 1;
}
