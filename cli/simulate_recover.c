/// Out of a fall and back to a clip: the clip is moved to where the body lies and faces, and the
/// difference dies out by inertialisation.
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A direction on the ground; zero for one that has none.
static lmb_vec3 level(lmb_vec3 v)
{
    v.y = 0;
    return lmb_vec3_length(v) > 0.3f ? lmb_vec3_normalize_or(v, lmb_vec3_make(0, 0, 1))
                                     : lmb_vec3_make(0, 0, 0);
}

/// Where a body faces: ahead while it stands; to its feet from on its back, to its head from on its
/// front, as it will when it has got up.
static lmb_vec3 facing(const simulate_return *back, const lmb_mat4 *model)
{
    const lmb_skeleton *skeleton = back->take->skeleton;
    lmb_mat4 *rest = cli_resize(NULL, skeleton->joint_count, sizeof *rest);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = rest});
    lmb_transform was, now;
    lmb_mat4_decompose(rest[back->hips], &was);
    lmb_mat4_decompose(model[back->hips], &now);
    free(rest);
    const lmb_quat turn = lmb_quat_mul(now.rotation, lmb_quat_conjugate(was.rotation));
    const lmb_vec3 ahead = lmb_quat_rotate(turn, lmb_vec3_make(0, 0, 1)),
                   up = lmb_quat_rotate(turn, lmb_vec3_make(0, 1, 0));
    const lmb_vec3 standing = level(ahead), lying = level(up);
    if (fabsf(ahead.y) < 0.7f && lmb_vec3_length(standing) > 0) {
        return standing;
    }
    return ahead.y > 0 ? lmb_vec3_neg(lying) : lying;
}

static void sample(const simulate_return *back, double time_s, lmb_transform *pose)
{
    const simulate_take *t = back->take;
    const double length = (double)lmb_clip_duration_s(back->clip);
    memcpy(pose, t->skeleton->rest, t->skeleton->joint_count * sizeof *pose);
    lmb_sample(&(lmb_sample_job){.clip = back->clip,
                                 .time_s = back->loops && length > 0 ? fmod(fmax(time_s, 0), length)
                                                                     : time_s,
                                 .joint_count = t->skeleton->joint_count,
                                 .pose = pose});
}

/// The clip's pose where the body was.
static void sample_there(const simulate_return *back, double time_s, lmb_transform *pose)
{
    sample(back, time_s, pose);
    for (uint32_t j = 0; j < back->take->skeleton->joint_count; ++j) {
        if (back->take->skeleton->parents[j] == LMB_NONE) {
            pose[j] = lmb_transform_mul(back->there, pose[j]);
        }
    }
}

/// Turns about the vertical and moves along the ground, so that the clip's hips stand where the
/// body's are and face as it does.
static void find_there(simulate_return *back, const lmb_transform *shown, double time_s,
                       lmb_transform *scratch)
{
    const simulate_take *t = back->take;
    lmb_mat4 *model = t->model;
    lmb_pose_to_model_job job = {
        .skeleton = t->skeleton, .local = shown, .model_from_joint = model};
    lmb_pose_to_model(&job);
    const lmb_vec3 here = lmb_mat4_translation(model[back->hips]), ahead = facing(back, model);
    sample(back, time_s, scratch);
    job.local = scratch;
    lmb_pose_to_model(&job);
    const lmb_vec3 clip_here = lmb_mat4_translation(model[back->hips]),
                   clip_ahead = facing(back, model);
    const float angle = lmb_vec3_length(ahead) > 0 && lmb_vec3_length(clip_ahead) > 0
                            ? lmb_atan2(ahead.x, ahead.z) - lmb_atan2(clip_ahead.x, clip_ahead.z)
                            : 0;
    back->there = lmb_transform_identity();
    back->there.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), angle);
    const lmb_vec3 moved = lmb_quat_rotate(back->there.rotation, clip_here);
    back->there.translation = lmb_vec3_make(here.x - moved.x, 0, here.z - moved.z);
}

cli_exit simulate_return_start(const cli_run *cli, simulate_return *back, uint32_t frame)
{
    const simulate_take *t = back->take;
    const uint32_t n = t->skeleton->joint_count;
    const double dt = 1 / t->opts->fps;
    lmb_error error = {0};
    if (lmb_transition_create(n, NULL, &back->transition, &error) != LMB_OK) {
        return cli_fail_call(cli, "the way back", error.code, &error);
    }
    lmb_transform *to = cli_resize(NULL, 2 * (size_t)n, sizeof *to);
    const lmb_transform *from = t->poses + (size_t)(frame - 1) * n;
    const double time_s = back->begin_s - dt;
    find_there(back, from, back->begin_s, to);
    sample_there(back, time_s, to);
    sample_there(back, time_s - dt, to + n);
    lmb_transition_start(back->transition,
                         &(lmb_transition_start_job){.kind = LMB_TRANSITION_QUINTIC,
                                                     .duration_s = 0.8f,
                                                     .from = from,
                                                     .from_before = frame > 1 ? from - n : NULL,
                                                     .from_dt_s = (float)dt,
                                                     .to = to,
                                                     .to_before = to + n,
                                                     .dt_s = (float)dt});
    free(to);
    return CLI_DONE;
}

void simulate_return_step(const simulate_return *back, double since_s, lmb_transform *pose)
{
    sample_there(back, back->begin_s + since_s, pose);
    lmb_transition_step(back->transition, (float)(1 / back->take->opts->fps), pose);
}
