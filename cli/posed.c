#include "cli/posed.h"

#include <stdlib.h>
#include <string.h>

cli_exit cli_posed_start(cli_posed *posed, const cli_run *cli, const lmb_character *character)
{
    const uint32_t joint_count = character->skeleton->joint_count;
    memset(posed, 0, sizeof *posed);
    lmb_error error;
    const lmb_result result = lmb_deformer_create(character, NULL, &posed->deformer, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the character's skin", result, &error);
    }
    posed->character = character;
    posed->local = cli_resize(NULL, joint_count, sizeof *posed->local);
    posed->model_from_joint = cli_resize(NULL, joint_count, sizeof *posed->model_from_joint);
    posed->weight_first = cli_resize(NULL, (size_t)joint_count + 1, sizeof *posed->weight_first);
    const uint32_t weight_count = lmb_character_weights(character, posed->weight_first, NULL);
    posed->rest_weights = cli_resize(NULL, weight_count, sizeof *posed->rest_weights);
    posed->weights = cli_resize(NULL, weight_count, sizeof *posed->weights);
    lmb_character_weights(character, posed->weight_first, posed->rest_weights);
    return CLI_DONE;
}

cli_exit cli_posed_method(cli_posed *posed, const cli_run *cli, int choice)
{
    enum { LBS, RIGID, DQS, COR, DDM, DM, DDM2, DDM4, DDM5, LBS_GRADIENT, DQS_FIXED, MWE };
    static const lmb_skin_method methods[] = {[LBS] = LMB_SKIN_LINEAR,
                                              [RIGID] = LMB_SKIN_RIGID,
                                              [DQS] = LMB_SKIN_DUAL,
                                              [COR] = LMB_SKIN_CENTER,
                                              [DDM] = LMB_SKIN_MUSH,
                                              [DM] = LMB_SKIN_DELTA_MUSH,
                                              [DDM2] = LMB_SKIN_MUSH_V2,
                                              [DDM4] = LMB_SKIN_MUSH_V4,
                                              [DDM5] = LMB_SKIN_MUSH_V5,
                                              [LBS_GRADIENT] = LMB_SKIN_LINEAR_GRADIENT,
                                              [DQS_FIXED] = LMB_SKIN_DUAL_FIXED,
                                              [MWE] = LMB_SKIN_ENVELOPE};
    posed->method = methods[choice];
    lmb_error error;
    const lmb_result result =
        lmb_deformer_prepare(posed->deformer, posed->method, &cli->jobs, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "--skin", result, &error);
}

void cli_posed_end(cli_posed *posed)
{
    lmb_deformer_destroy(posed->deformer);
    free(posed->local);
    free(posed->model_from_joint);
    free(posed->weight_first);
    free(posed->rest_weights);
    free(posed->weights);
    memset(posed, 0, sizeof *posed);
}

static void pose_joints(cli_posed *posed, const lmb_clip *clip, double time_s)
{
    const lmb_skeleton *skeleton = posed->character->skeleton;
    const uint32_t weight_count = posed->weight_first[skeleton->joint_count];
    if (skeleton->joint_count > 0) {
        memcpy(posed->local, skeleton->rest, skeleton->joint_count * sizeof *posed->local);
    }
    if (weight_count > 0) {
        memcpy(posed->weights, posed->rest_weights, weight_count * sizeof *posed->weights);
    }
    if (clip) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = time_s,
                                     .joint_count = skeleton->joint_count,
                                     .pose = posed->local,
                                     .weight_first = posed->weight_first,
                                     .weights = posed->weights});
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = posed->local, .model_from_joint = posed->model_from_joint});
}

static void deform(cli_posed *posed, const cli_run *cli)
{
    lmb_deform(&(lmb_deform_job){.deformer = posed->deformer,
                                 .model_from_joint = posed->model_from_joint,
                                 .weight_first = posed->weight_first,
                                 .weights = posed->weights,
                                 .method = posed->method,
                                 .jobs = &cli->jobs});
    posed->box = lmb_deformer_box(posed->deformer);
    for (uint32_t j = 0;
         posed->character->instance_count == 0 && j < posed->character->skeleton->joint_count;
         ++j) {
        posed->box = lmb_box_add(posed->box, lmb_mat4_translation(posed->model_from_joint[j]));
    }
}

void cli_posed_at(cli_posed *posed, const cli_run *cli, const lmb_clip *clip, double time_s)
{
    pose_joints(posed, clip, time_s);
    deform(posed, cli);
}

cli_exit cli_posed_as_bound(cli_posed *posed, const cli_run *cli)
{
    lmb_error error;
    pose_joints(posed, NULL, 0);
    const lmb_result result =
        lmb_bind_pose(posed->character, NULL, posed->model_from_joint, &error);
    if (result == LMB_OK) {
        deform(posed, cli);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the bind pose", result, &error);
}
