// A clip played from its first frame, frame by frame, and the clip that is made of the frames.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/simulate/ground.h"
#include "cli/simulate/simulate.h"

cli_exit cli_simulate_frames(cli_run *cli, const cli_simulate_opts *opts,
                             const lmb_character *character, const lmb_clip **clip,
                             uint32_t *frame_count)
{
    uint32_t index = 0;
    if (opts->clip != NULL) {
        const cli_exit code = cli_clip_find(cli, character, opts->clip, &index);
        if (code != CLI_DONE) {
            return code;
        }
        *clip = character->clips[index];
    }
    double seconds = *clip != NULL ? (double)lmb_clip_duration_s(*clip) : 2;
    seconds = cli_given(cli, "seconds") ? opts->seconds : seconds;
    const double frames = floor(seconds * opts->fps + 0.5) + 1;
    if (frames * character->skeleton->joint_count > 1e8) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "not supported: more than a hundred million joints of frames");
    }
    *frame_count = (uint32_t)frames;
    return CLI_DONE;
}

static void pose_at(const simulate_take *t, double time_s, lmb_transform *pose)
{
    const uint32_t n = t->skeleton->joint_count;
    memcpy(pose, t->skeleton->rest, n * sizeof *pose);
    if (t->clip != NULL) {
        lmb_sample(
            &(lmb_sample_job){.clip = t->clip, .time_s = time_s, .joint_count = n, .pose = pose});
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = t->skeleton, .local = pose, .model_from_joint = t->model});
}

/// The first joint that the clip moves; LMB_NONE when it moves none.
static int32_t first_moved(const simulate_take *t)
{
    int32_t first = LMB_NONE;
    for (uint32_t c = 0; t->clip != NULL && c < t->clip->channel_count; ++c) {
        const lmb_channel *channel = &t->clip->channels[c];
        const int32_t joint = (int32_t)channel->joint;
        if (channel->path == LMB_PATH_TRANSLATION && channel->key_count > 1 &&
            (first == LMB_NONE || joint < first)) {
            first = joint;
        }
    }
    return first;
}

static lmb_vec3 way_of_loop(const simulate_take *t)
{
    const int32_t joint = first_moved(t);
    if (joint == LMB_NONE) {
        return lmb_vec3_make(0, 0, 0);
    }
    pose_at(t, 0, t->poses);
    const lmb_vec3 from = lmb_mat4_translation(t->model[joint]);
    pose_at(t, (double)lmb_clip_duration_s(t->clip), t->poses);
    const lmb_vec3 to = lmb_mat4_translation(t->model[joint]);
    return lmb_vec3_make(to.x - from.x, 0, to.z - from.z);
}

cli_exit simulate_take_start(cli_run *cli, const cli_simulate_opts *opts,
                             const lmb_character *character, simulate_take *out)
{
    *out = (simulate_take){.opts = opts, .character = character, .skeleton = character->skeleton};
    const cli_exit code = cli_simulate_frames(cli, opts, character, &out->clip, &out->frame_count);
    if (code == CLI_DONE) {
        const size_t n = character->skeleton->joint_count;
        out->poses = cli_resize(NULL, out->frame_count * n, sizeof *out->poses);
        out->model = cli_resize(NULL, n, sizeof *out->model);
        out->loop_way = way_of_loop(out);
    }
    return code;
}

double cli_simulate_time(const lmb_clip *clip, double time_s)
{
    const double length = (double)lmb_clip_duration_s(clip);
    // Frames of a length that is not theirs come out a rounding later.
    return time_s > length + 1e-5 && length > 0 ? lmb_time_in(time_s, length, LMB_PLAY_LOOP)
                                                : time_s;
}

void simulate_take_sample(const simulate_take *t, double time_s, lmb_transform *pose)
{
    const double in_s = t->clip != NULL ? cli_simulate_time(t->clip, time_s) : 0;
    const double length = t->clip != NULL ? (double)lmb_clip_duration_s(t->clip) : 0;
    const float times = length > 0 ? (float)floor((time_s - in_s) / length + 0.5) : 0;
    pose_at(t, in_s, pose);
    if (!(times > 0)) {
        return;
    }
    for (uint32_t j = 0; j < t->skeleton->joint_count; ++j) {
        if (t->skeleton->parents[j] == LMB_NONE) {
            pose[j].translation = lmb_vec3_mad(pose[j].translation, t->loop_way, times);
        }
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = t->skeleton, .local = pose, .model_from_joint = t->model});
}

/// What hangs beside the bodies, as eyes of an armature of their own, comes along.
static lmb_result carry_loose(const cli_run *cli, const simulate_take *t, lmb_clip **clip,
                              lmb_error *error)
{
    int32_t *joints = cli_resize(NULL, t->bodies->bone_count, sizeof *joints);
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->bodies->bone_count; ++i) {
        joints[i] = (int32_t)t->bodies->bones[i].joint;
    }
    const lmb_result result =
        lmb_clip_carry(t->character, joints, t->bodies->bone_count, NULL, clip, &count, error);
    free(joints);
    cli_carried_say(cli, count);
    return result;
}

cli_exit simulate_take_write(cli_run *cli, const simulate_take *t, lmb_character **character)
{
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    lmb_result result =
        lmb_clip_from_poses(t->skeleton, t->poses, t->frame_count, (float)t->opts->fps,
                            t->opts->name, NULL, &clip, &error);
    if (result == LMB_OK && t->bodies != NULL) {
        result = carry_loose(cli, t, &clip, &error);
    }
    if (result != LMB_OK) {
        lmb_clip_destroy(clip);
        return cli_fail_call(cli, "the result", result, &error);
    }
    cli_exit code = cli_clip_put_first(cli, character, clip, false);
    if (code == CLI_DONE && t->kept != NULL) {
        code = cli_ground_keep(cli, t->kept, character);
    }
    return code == CLI_DONE ? cli_character_write(cli, cli->output, "glb", *character) : code;
}

void simulate_take_end(simulate_take *take)
{
    free(take->poses);
    free(take->model);
}
