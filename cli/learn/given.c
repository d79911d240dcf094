#include "cli/learn/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Where the rig's joints are in each frame.
typedef struct motion {
    uint32_t frame_count, clip;
    lmb_mat4 **frames; ///< [frame_count][joint_count]
    double *times;     ///< [frame_count] in the clip
} motion;

static void motion_end(motion *m)
{
    for (uint32_t k = 0; k < m->frame_count; ++k) {
        free(m->frames[k]);
    }
    free(m->frames);
    free(m->times);
}

/// Hz at which the frames follow each other in the clip.
static double rate_of(const cli_given_opts *opts, const cli_shapes *shapes, const lmb_clip *clip)
{
    const double duration = (double)lmb_clip_duration_s(clip);
    if (opts->shapes.fps > 0 || shapes->rate > 0) {
        return opts->shapes.fps > 0 ? opts->shapes.fps : shapes->rate;
    }
    return duration > 0 ? (shapes->frame_count - 1) / duration : 30;
}

/// Who says where the joints are: the rig's own clip, or that of the first FRAMES that has one and
/// joints of the same names.
typedef struct mover {
    const char *path;
    const lmb_character *character; ///< the rig, or `owned`
    lmb_character *owned;
    uint32_t *joint_of; ///< [joint_count of the rig] in `character`
} mover;

static void mover_end(mover *m)
{
    lmb_character_destroy(m->owned);
    free(m->joint_of);
}

static cli_exit match_joints(const cli_run *cli, const lmb_character *rig, mover *m)
{
    const lmb_skeleton *s = rig->skeleton;
    uint8_t *binds = cli_resize(NULL, s->joint_count, 1);
    memset(binds, 0, s->joint_count);
    for (uint32_t k = 0; k < rig->skin_count; ++k) {
        for (uint32_t n = 0; n < rig->skins[k]->joint_count; ++n) {
            binds[rig->skins[k]->joints[n]] = 1;
        }
    }
    cli_exit code = CLI_DONE;
    m->joint_of = cli_resize(NULL, s->joint_count, sizeof *m->joint_of);
    for (uint32_t j = 0; code == CLI_DONE && j < s->joint_count; ++j) {
        const int32_t found =
            m->owned == NULL ? (int32_t)j : lmb_skeleton_find(m->character->skeleton, s->names[j]);
        m->joint_of[j] = found == LMB_NONE ? 0 : (uint32_t)found;
        if (found == LMB_NONE && binds[j]) {
            code = cli_fail(cli, CLI_INPUT, "%s: expected a joint \"%s\" as %s has, found none",
                            m->path, s->names[j], cli->inputs[0]);
        }
    }
    free(binds);
    return code;
}

static cli_exit find_mover(cli_run *cli, const cli_read_opts *read, const lmb_character *rig,
                           mover *m)
{
    *m = (mover){.path = cli->inputs[0], .character = rig};
    for (int k = 1; k < cli->input_count && m->character->clip_count == 0; ++k) {
        if (cli_has_extension(cli->inputs[k], ".obj") || cli_shapes_is_cache(cli->inputs[k])) {
            continue;
        }
        lmb_character_destroy(m->owned);
        m->path = cli->inputs[k];
        const cli_exit code = cli_character_read(cli, m->path, read, NULL, &m->owned);
        if (code != CLI_DONE) {
            return code;
        }
        m->character = m->owned;
    }
    if (m->character->clip_count == 0) {
        return cli_fail(cli, CLI_INPUT,
                        "%s: expected a clip that says where the joints are in each frame, here or "
                        "in FRAMES, found none",
                        cli->inputs[0]);
    }
    return match_joints(cli, rig, m);
}

static cli_exit pose_joints(cli_run *cli, const cli_given_opts *opts, const cli_shapes *shapes,
                            const lmb_character *rig, const mover *from, motion *out)
{
    const uint32_t joints = rig->skeleton->joint_count;
    uint32_t index = 0;
    cli_exit code = CLI_DONE;
    if (opts->shapes.clip != NULL) {
        code = cli_clip_find(cli, from->character, opts->shapes.clip, &index);
    }
    cli_posed posed = {0};
    if (code == CLI_DONE) {
        code = cli_posed_start(&posed, cli, from->character);
    }
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_clip *clip = from->character->clips[index];
    const double rate = rate_of(opts, shapes, clip), end = (double)lmb_clip_duration_s(clip);
    out->clip = index;
    out->frames = cli_resize(NULL, shapes->frame_count, sizeof *out->frames);
    out->times = cli_resize(NULL, shapes->frame_count, sizeof *out->times);
    for (uint32_t k = 0; k < shapes->frame_count; ++k) {
        out->times[k] = fmin(k / rate, end);
        cli_posed_at(&posed, cli, clip, out->times[k]);
        out->frames[k] = cli_resize(NULL, joints, sizeof(lmb_mat4));
        out->frame_count = k + 1;
        for (uint32_t j = 0; j < joints; ++j) {
            out->frames[k][j] = posed.model_from_joint[from->joint_of[j]];
        }
    }
    cli_posed_end(&posed);
    cli_detail(cli, from->path, "joints as in \"%s\", %g frames a second",
               clip->name ? clip->name : "", rate);
    return CLI_DONE;
}

/// Frames as the instances' vertices have them.
static lmb_vec3 **spread_frames(const cli_shapes *shapes, const lmb_character *rig)
{
    size_t vertices = 0;
    for (uint32_t i = 0; i < rig->instance_count; ++i) {
        vertices += rig->meshes[rig->instances[i].mesh]->vertex_count;
    }
    lmb_vec3 **frames = cli_resize(NULL, shapes->frame_count, sizeof *frames);
    for (uint32_t k = 0; k < shapes->frame_count; ++k) {
        frames[k] = cli_resize(NULL, vertices, sizeof **frames);
        for (size_t v = 0; v < vertices; ++v) {
            frames[k][v] = shapes->frames[k][shapes->vertex_of[v]];
        }
    }
    return frames;
}

/// What came out: of the new weights, and of what was learned on top of them.
typedef struct outcome {
    lmb_learn_weights_report weights;
    bool has_more;
    float rms_percent, held_out_percent;
    const char *counted; ///< what `count` counts
    uint32_t count, drivers;
    float baked_percent; ///< from an envelope to the targets that show it elsewhere
} outcome;

static void set_deviation(outcome *out, float rms_percent, float held_out_percent)
{
    out->rms_percent = rms_percent;
    out->held_out_percent = held_out_percent;
}

static void set_count(outcome *out, const char *counted, uint32_t count, uint32_t drivers)
{
    out->counted = counted;
    out->count = count;
    out->drivers = drivers;
}

static lmb_result learn_correctives(const cli_given_opts *opts, const lmb_corrected_frames *frames,
                                    lmb_character **rig, outcome *out, lmb_error *error)
{
    const lmb_correct_frames_opts how = {.hold_out = opts->hold_out};
    lmb_correct_frames_report report;
    const lmb_result result = lmb_correct_frames(rig, frames, &how, NULL, &report, error);
    if (result == LMB_OK) {
        set_deviation(out, report.rms_percent, report.held_out_percent);
        set_count(out, "targets", report.target_count, report.driver_count);
    }
    return result;
}

static lmb_result learn_helpers(cli_run *cli, const cli_given_opts *opts,
                                const lmb_corrected_frames *frames, lmb_character **rig,
                                outcome *out, lmb_error *error)
{
    const lmb_help_opts how = {.helper_count = opts->bones,
                               .influences = opts->influences,
                               .smooth = opts->smooth,
                               .hold_out = opts->hold_out,
                               .jobs = &cli->jobs,
                               .progress = cli->progress_or_null};
    lmb_help_report report;
    const lmb_result result = lmb_help_frames(rig, frames, &how, NULL, &report, error);
    cli_progress_end(cli);
    if (result == LMB_OK) {
        cli_detail(cli, "helpers", "%.3f %% where they show the frames best",
                   (double)report.solved_percent);
        set_deviation(out, report.rms_percent, report.held_out_percent);
        set_count(out, "helpers", report.helper_count, report.driver_count);
    }
    return result;
}

static lmb_result learn_envelope(cli_run *cli, const cli_given_opts *opts, const cli_shapes *shapes,
                                 const motion *m, lmb_character **rig, outcome *out,
                                 lmb_error *error)
{
    const lmb_learn_frames frames = {.vertex_count = shapes->vertex_count,
                                     .vertex_of = shapes->vertex_of,
                                     .frame_count = shapes->frame_count,
                                     .frames = (const lmb_vec3 *const *)shapes->frames,
                                     .model_from_joint = (const lmb_mat4 *const *)m->frames};
    const lmb_learn_envelope_opts how = {.hold_out = opts->hold_out, .jobs = &cli->jobs};
    lmb_learn_envelope_report report;
    float baked = 0;
    lmb_result result = lmb_learn_envelope(rig, &frames, &how, NULL, &report, error);
    if (result == LMB_OK) {
        result = lmb_envelope_bake(rig, m->clip, NULL, &baked, error);
    }
    if (result == LMB_OK) {
        cli_say(cli, "enveloping", "ridge %g: %.3f %% (%.3f %% without)", (double)report.ridge,
                (double)report.rms_percent, (double)report.before_percent);
        cli_say(cli, "baked", "to morph targets, %.3f %% off", (double)baked);
        out->rms_percent = report.rms_percent;
        out->held_out_percent = report.held_out_percent;
        out->baked_percent = baked;
    }
    return result;
}

/// Correctives or helpers, for what the new weights miss.
static cli_exit learn_more(cli_run *cli, const cli_given_opts *opts, const cli_shapes *shapes,
                           const motion *m, lmb_character **rig, outcome *out)
{
    lmb_vec3 **positions = spread_frames(shapes, *rig);
    const lmb_corrected_frames frames = {.frame_count = shapes->frame_count,
                                         .positions = (const lmb_vec3 *const *)positions,
                                         .clip = m->clip,
                                         .times_s = m->times};
    lmb_error error = {0};
    const lmb_result result =
        opts->fit == CLI_FIT_MWE       ? learn_envelope(cli, opts, shapes, m, rig, out, &error)
        : opts->fit == CLI_FIT_HELPERS ? learn_helpers(cli, opts, &frames, rig, out, &error)
                                       : learn_correctives(opts, &frames, rig, out, &error);
    for (uint32_t k = 0; k < shapes->frame_count; ++k) {
        free(positions[k]);
    }
    free(positions);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    out->has_more = true;
    if (out->counted != NULL) {
        cli_say(cli, opts->fit == CLI_FIT_HELPERS ? "helpers" : "correctives",
                "%u %s by %u joints: %.3f %% (%.3f %% without)", out->count,
                opts->fit == CLI_FIT_HELPERS ? "joints" : "targets", out->drivers,
                (double)out->rms_percent, (double)out->weights.rms_percent);
    }
    if (out->weights.held_out_count > 0) {
        cli_say(cli, "held out", "%.3f %% (%.3f %% without)", (double)out->held_out_percent,
                (double)out->weights.held_out_percent);
    }
    return CLI_DONE;
}

static void tell(const cli_run *cli, const lmb_learn_weights_report *r)
{
    cli_say(cli, "learned from", "%u frames, %u held out; %u joints", r->frame_count,
            r->held_out_count, r->joint_count);
    cli_say(cli, "error", "%.3f %% of the diagonal (%.3f %% before)", (double)r->rms_percent,
            (double)r->before_percent);
    if (r->held_out_count > 0) {
        cli_say(cli, "held out", "%.3f %% (%.3f %% before)", (double)r->held_out_percent,
                (double)r->before_held_out_percent);
    }
}

/// Percentages are those of what comes out; those of the new weights alone are "linear".
static void print(const cli_run *cli, const cli_given_opts *opts, const cli_shapes *shapes,
                  const outcome *out)
{
    static const char *const names[] = {"rig", "weights", "bind", "correctives", "helpers", "mwe"};
    const lmb_learn_weights_report *r = &out->weights;
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_text(&json, "fit", names[opts->fit]);
    cli_json_integer(&json, "vertices", shapes->vertex_count);
    cli_json_integer(&json, "frames", r->frame_count);
    cli_json_integer(&json, "frames_held_out", r->held_out_count);
    cli_json_integer(&json, "joints", r->joint_count);
    cli_json_integer(&json, "iterations", r->iterations);
    cli_json_number(&json, "rms_m", r->rms);
    cli_json_number(&json, "max_m", r->max);
    cli_json_number(&json, "rmse_percent", out->has_more ? out->rms_percent : r->rms_percent);
    cli_json_number(&json, "rmse_percent_before", r->before_percent);
    if (r->held_out_count > 0) {
        cli_json_number(&json, "rmse_percent_held_out",
                        out->has_more ? out->held_out_percent : r->held_out_percent);
        cli_json_number(&json, "rmse_percent_held_out_before", r->before_held_out_percent);
    }
    if (out->has_more) {
        cli_json_number(&json, "rmse_percent_linear", r->rms_percent);
        if (r->held_out_count > 0) {
            cli_json_number(&json, "rmse_percent_held_out_linear", r->held_out_percent);
        }
        if (out->counted != NULL) {
            cli_json_integer(&json, out->counted, out->count);
            cli_json_integer(&json, "drivers", out->drivers);
        } else {
            cli_json_number(&json, "rmse_percent_baked", out->baked_percent);
        }
    }
    cli_json_end(&json, '}');
}

static cli_exit learn(cli_run *cli, const cli_given_opts *opts, const cli_shapes *shapes,
                      const motion *m, lmb_character **rig)
{
    const lmb_learn_frames frames = {.vertex_count = shapes->vertex_count,
                                     .vertex_of = shapes->vertex_of,
                                     .frame_count = shapes->frame_count,
                                     .frames = (const lmb_vec3 *const *)shapes->frames,
                                     .model_from_joint = (const lmb_mat4 *const *)m->frames};
    const lmb_learn_weights_opts how = {.influences = opts->influences,
                                        .smooth = opts->smooth,
                                        .smooth_to_error = opts->smooth_to_error,
                                        .hold_out = opts->hold_out,
                                        .move_rest = opts->fit == CLI_FIT_BIND,
                                        .jobs = &cli->jobs,
                                        .progress = cli->progress_or_null};
    outcome out = {0};
    lmb_error error = {0};
    const lmb_result result = lmb_learn_weights(rig, &frames, &how, NULL, &out.weights, &error);
    cli_progress_end(cli);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    tell(cli, &out.weights);
    cli_exit code = CLI_DONE;
    if (opts->fit >= CLI_FIT_CORRECTIVES) {
        code = learn_more(cli, opts, shapes, m, rig, &out);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", *rig);
    }
    if (code == CLI_DONE && cli->json) {
        print(cli, opts, shapes, &out);
    }
    return code;
}

cli_exit cli_learn_weights(cli_run *cli, const cli_given_opts *opts, const cli_shapes *shapes)
{
    cli_read_opts read = opts->shapes.read;
    read.silent_notes = true; // they were said when the shapes were read
    lmb_character *rig = NULL;
    mover from = {0};
    motion m = {0};
    cli_exit code = cli_character_read(cli, cli->inputs[0], &read, NULL, &rig);
    if (code == CLI_DONE) {
        code = find_mover(cli, &read, rig, &from);
    }
    if (code == CLI_DONE && opts->fit >= CLI_FIT_CORRECTIVES && from.owned != NULL) {
        code = cli_fail(
            cli, CLI_INPUT,
            "%s: expected a clip of its own, which gets keys of what is learned, found none",
            cli->inputs[0]);
    }
    if (code == CLI_DONE) {
        code = pose_joints(cli, opts, shapes, rig, &from, &m);
    }
    if (code == CLI_DONE) {
        code = learn(cli, opts, shapes, &m, &rig);
    }
    motion_end(&m);
    mover_end(&from);
    lmb_character_destroy(rig);
    return code;
}
