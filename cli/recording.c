#include "recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Where the joints of a clip are, frame by frame, named as they are.
static cli_exit record_joints(cli_run *cli, const char *path, const lmb_character *character,
                              uint32_t index, lmb_markers **out)
{
    const lmb_skeleton *skeleton = character->skeleton;
    const lmb_clip *clip = character->clips[index];
    const uint32_t n = skeleton->joint_count;
    const float rate = clip->frame_rate > 0 ? clip->frame_rate : 30;
    const double length = (double)lmb_clip_duration_s(clip) * (double)rate + 1.5;
    const uint32_t frames = length < 1e7 ? (uint32_t)length : 10000000;
    lmb_transform *pose = cli_resize(NULL, n, sizeof *pose);
    lmb_mat4 *model = cli_resize(NULL, n, sizeof *model);
    lmb_vec3 *at = cli_resize(NULL, (size_t)frames * n, sizeof *at);
    for (uint32_t f = 0; f < frames; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)f / (double)rate,
                                     .joint_count = n,
                                     .rest = skeleton->rest,
                                     .pose = pose});
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = skeleton, .local = pose, .model_from_joint = model});
        for (uint32_t j = 0; j < n; ++j) {
            at[(size_t)f * n + j] = lmb_mat4_translation(model[j]);
        }
    }
    const lmb_markers def = {.name = clip->name,
                             .marker_count = n,
                             .frame_count = frames,
                             .frame_rate = rate,
                             .names = skeleton->names,
                             .positions = at};
    lmb_error error = {0};
    const lmb_result result = lmb_markers_create(&def, NULL, out, &error);
    free(pose);
    free(model);
    free(at);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, path, result, &error);
}

static cli_exit read_motion(cli_run *cli, const char *path, const cli_read_opts *opts,
                            const char *name, lmb_markers **out)
{
    lmb_character *character = NULL;
    uint32_t clip = 0;
    cli_exit code = cli_character_read(cli, path, opts, NULL, &character);
    if (code == CLI_DONE && character->clip_count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected points over time, found a file without any",
                        path);
    }
    if (code == CLI_DONE && name != NULL) {
        code = cli_clip_find(cli, character, name, &clip);
    }
    if (code == CLI_DONE) {
        code = record_joints(cli, path, character, clip, out);
    }
    lmb_character_destroy(character);
    return code;
}

cli_exit cli_recording_read(cli_run *cli, const char *path, const cli_read_opts *opts,
                            const char *clip, lmb_markers **out)
{
    return read_motion(cli, path, opts, clip, out);
}
