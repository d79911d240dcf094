/// Recovery from a ragdoll: the clip is moved to the position and facing of the body, and the
/// difference of poses decays by inertialisation.
#include "cli/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/animate/made.h"
#include "cli/simulate/ground.h"

static void sample_moved_clip(const simulate_return *back, double time_s, lmb_transform *pose)
{
    const simulate_take *t = back->take;
    if (back->loops) {
        simulate_take_sample(t, fmax(time_s, 0), pose);
        return;
    }
    memcpy(pose, t->skeleton->rest, t->skeleton->joint_count * sizeof *pose);
    lmb_sample(&(lmb_sample_job){.clip = back->clip,
                                 .time_s = time_s,
                                 .joint_count = t->skeleton->joint_count,
                                 .pose = pose});
}

/// The clip's pose, moved to the body.
static void sample_there(const simulate_return *back, double time_s, lmb_transform *pose)
{
    sample_moved_clip(back, time_s, pose);
    for (uint32_t j = 0; j < back->take->skeleton->joint_count; ++j) {
        if (back->take->skeleton->parents[j] == LMB_NONE) {
            pose[j] = lmb_transform_mul(back->way.there, pose[j]);
        }
    }
}

/// Chooses the clip whose first pose is nearest to the body's, and moves it onto the ground there.
static cli_exit find_there(const cli_run *cli, simulate_return *back, const lmb_transform *shown)
{
    const simulate_take *t = back->take;
    const uint32_t n = t->skeleton->joint_count;
    const lmb_transform **begins = cli_resize(NULL, back->clip_count, sizeof(lmb_transform *));
    lmb_transform *poses = cli_resize(NULL, (size_t)back->clip_count * n, sizeof *poses);
    for (uint32_t i = 0; i < back->clip_count; ++i) {
        back->clip = back->clips[i];
        sample_moved_clip(back, back->begin_s, poses + (size_t)i * n);
        begins[i] = poses + (size_t)i * n;
    }
    lmb_error error = {0};
    const lmb_result result = lmb_get_up_choose(&(lmb_get_up_job){.skeleton = t->skeleton,
                                                                  .hips = back->hips,
                                                                  .local = shown,
                                                                  .begin_count = back->clip_count,
                                                                  .begins = begins,
                                                                  .facing = back->facing},
                                                NULL, &back->way, &error);
    free(begins);
    free(poses);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the recovery", result, &error);
    }
    back->clip = back->clips[back->way.chosen];
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = t->skeleton, .local = shown, .model_from_joint = t->model});
    lmb_vec3 at, normal;
    if (cli_ground_below(back->ground, lmb_mat4_translation(t->model[back->hips]), &at, &normal)) {
        back->way.there.translation.y = at.y - back->floor;
    }
    return CLI_DONE;
}

cli_exit simulate_return_start(const cli_run *cli, simulate_return *back, uint32_t frame)
{
    const simulate_take *t = back->take;
    const uint32_t n = t->skeleton->joint_count;
    const double dt = 1 / t->opts->fps;
    lmb_error error = {0};
    const lmb_transform *from = t->poses + (size_t)(frame - 1) * n;
    const cli_exit code = find_there(cli, back, from);
    if (code != CLI_DONE) {
        return code;
    }
    if (lmb_transition_create(n, NULL, &back->transition, &error) != LMB_OK) {
        return cli_fail_call(cli, "the recovery", error.code, &error);
    }
    lmb_transform *to = cli_resize(NULL, 2 * (size_t)n, sizeof *to);
    const double time_s = back->begin_s - dt;
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

// ----------------------------------------------------------------------------------------- clips

/// A motion of a file or a made one, put on the character.
static cli_exit read_motion(cli_run *cli, simulate_return *back, const char *name)
{
    const cli_motion_opts how = {.motion_up = back->take->opts->motion_up};
    cli_motion motion = {0};
    lmb_retarget_report report;
    lmb_error error = {0};
    cli_exit code = cli_motion_start(cli, name, &how, &motion);
    if (code == CLI_DONE) {
        code = cli_made_require_clip(cli, &motion);
    }
    if (code == CLI_DONE) {
        lmb_clip *clip = NULL;
        const lmb_result result =
            lmb_retarget(back->take->character, motion.character, motion.clip,
                         &(lmb_retarget_opts){0}, NULL, &clip, &report, &error);
        code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, name, result, &error);
        back->clips[back->clip_count] = back->own[back->clip_count] = clip;
        back->clip_count += result == LMB_OK;
    }
    cli_motion_end(&motion);
    return code;
}

static cli_exit add_clip(cli_run *cli, simulate_return *back, const char *name)
{
    const lmb_character *character = back->take->character;
    for (uint32_t i = 0; i < character->clip_count; ++i) {
        if (character->clips[i]->name != NULL && strcmp(character->clips[i]->name, name) == 0) {
            back->clips[back->clip_count++] = character->clips[i];
            return CLI_DONE;
        }
    }
    if (strchr(name, '.') != NULL) {
        return read_motion(cli, back, name);
    }
    uint32_t index = 0;
    const cli_exit code = cli_clip_find(cli, character, name, &index);
    if (code == CLI_DONE) {
        back->clips[back->clip_count++] = character->clips[index];
    }
    return code;
}

cli_exit simulate_return_clips(cli_run *cli, const char *list, simulate_return *back)
{
    char *names = cli_resize(NULL, strlen(list) + 1, 1), *rest = names;
    memcpy(names, list, strlen(list) + 1);
    cli_exit code = CLI_DONE;
    while (code == CLI_DONE && rest != NULL) {
        char *comma = strchr(rest, ',');
        if (comma != NULL) {
            *comma++ = 0;
        }
        code = back->clip_count < SIMULATE_MOST_CLIPS
                   ? add_clip(cli, back, rest)
                   : cli_fail(cli, CLI_USAGE, "--get-up: expected at most %d clips",
                              (int)SIMULATE_MOST_CLIPS);
        rest = comma;
    }
    free(names);
    return code;
}

void simulate_return_end(simulate_return *back)
{
    for (uint32_t i = 0; i < back->clip_count; ++i) {
        lmb_clip_destroy(back->own[i]);
    }
    lmb_transition_destroy(back->transition);
}
