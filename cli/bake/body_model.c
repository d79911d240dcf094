#include "cli/bake/body_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_body_given(const cli_run *cli)
{
    return cli_given(cli, "betas") || cli_given(cli, "pose");
}

/// Numbers with commas between them, as many as there are. NULL when the text is anything else.
static float *read_numbers(const char *text, uint32_t *count)
{
    float *numbers = NULL;
    *count = 0;
    for (const char *at = text;;) {
        char *end = NULL;
        const double number = strtod(at, &end);
        if (end == at || !isfinite(number) || (*end != ',' && *end != 0)) {
            free(numbers);
            return NULL;
        }
        numbers = cli_resize(numbers, (size_t)*count + 1, sizeof *numbers);
        numbers[(*count)++] = (float)number;
        if (*end == 0) {
            return numbers;
        }
        at = end + 1;
    }
}

// ---------------------------------------------------------------------------------------- motions

/// A pose from the command line, as a motion of one frame whose arrays lie in `numbers`.
typedef struct typed_pose {
    lmb_body_motion motion;
    lmb_vec3 still;
    float *numbers;
} typed_pose;

static cli_exit read_motion_file(const char *path, lmb_body_motion **out)
{
    cli_bytes bytes;
    const cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    lmb_error error = {0};
    const lmb_result result = lmb_body_motion_read(bytes.data, bytes.size, NULL, out, &error);
    free(bytes.data);
    error.code = result;
    return result == LMB_OK ? CLI_DONE : cli_fail_file(path, &error);
}

static cli_exit read_typed_pose(const cli_run *cli, uint32_t count, typed_pose *typed)
{
    if (count % 3 != 0) {
        return cli_fail(cli, CLI_USAGE, "--pose: expected three numbers a joint, found %u in all",
                        count);
    }
    typed->motion = (lmb_body_motion){.frame_count = 1,
                                      .joint_count = count / 3,
                                      .rotations = (lmb_vec3 *)typed->numbers,
                                      .translations = &typed->still};
    return CLI_DONE;
}

static lmb_vec3 axis_of(lmb_axis axis)
{
    const float sign = axis >= LMB_AXIS_NEGATIVE_Y ? -1.0f : 1.0f;
    switch (axis) {
    case LMB_AXIS_Z:
    case LMB_AXIS_NEGATIVE_Z:
        return lmb_vec3_make(0, 0, sign);
    case LMB_AXIS_X:
    case LMB_AXIS_NEGATIVE_X:
        return lmb_vec3_make(sign, 0, 0);
    default:
        return lmb_vec3_make(0, sign, 0);
    }
}

/// Opposite axes are rotated about x, so that what faced forward is upright again.
static lmb_quat turn_of(lmb_axis up)
{
    return up == LMB_AXIS_NEGATIVE_Y ? lmb_quat_make(1, 0, 0, 0)
                                     : lmb_quat_between(axis_of(up), lmb_vec3_make(0, 1, 0));
}

// ------------------------------------------------------------------------------------- characters

typedef struct body {
    cli_run *cli;
    const char *path;
    const cli_body_opts *opts;
    lmb_body_model *model;
    float *betas;
    uint32_t beta_count;
    typed_pose typed;
    lmb_body_motion *recorded;
    const lmb_body_motion *motion; ///< one of the two, or NULL
} body;

cli_exit cli_body_model_read(const char *path, size_t *size, lmb_body_model **out)
{
    cli_bytes bytes;
    const cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    if (size != NULL) {
        *size = bytes.size;
    }
    lmb_error error = {0};
    error.code = lmb_body_model_read(bytes.data, bytes.size, NULL, out, &error);
    free(bytes.data);
    return error.code == LMB_OK ? CLI_DONE : cli_fail_file(path, &error);
}

static cli_exit read_betas(body *b)
{
    if (b->opts->betas == NULL) {
        return CLI_DONE;
    }
    b->betas = read_numbers(b->opts->betas, &b->beta_count);
    if (b->betas == NULL) {
        return cli_fail(b->cli, CLI_USAGE, "--betas: expected numbers with commas, found \"%s\"",
                        b->opts->betas);
    }
    if (b->beta_count > b->model->shape_count) {
        return cli_fail(b->cli, CLI_USAGE, "--betas: %u coefficients for a model of %u",
                        b->beta_count, b->model->shape_count);
    }
    return CLI_DONE;
}

static cli_exit read_pose(body *b)
{
    if (b->opts->pose == NULL) {
        return CLI_DONE;
    }
    uint32_t count = 0;
    b->typed.numbers = read_numbers(b->opts->pose, &count);
    const cli_exit code = b->typed.numbers != NULL ? read_typed_pose(b->cli, count, &b->typed)
                                                   : read_motion_file(b->opts->pose, &b->recorded);
    if (code != CLI_DONE) {
        return code;
    }
    b->motion = b->recorded != NULL ? b->recorded : &b->typed.motion;
    if (b->recorded == NULL && b->motion->joint_count > b->model->joint_count) {
        return cli_fail(b->cli, CLI_USAGE, "--pose: %u joints for a model of %u",
                        b->motion->joint_count, b->model->joint_count);
    }
    return CLI_DONE;
}

static void say_body(const body *b, lmb_axis up, const lmb_body_character_report *report)
{
    const lmb_body_model *model = b->model;
    static const char *const kinds[] = {"without pose correctives", "SMPL", "STAR"};
    cli_say(b->cli, b->path, "body model (%s), %u vertices, %u joints, %u shape coefficients",
            kinds[model->features], model->vertex_count, model->joint_count, model->shape_count);
    if (b->recorded != NULL) {
        cli_say(b->cli, b->opts->pose, "%u frames of %u joints%s, %s up", b->motion->frame_count,
                b->motion->joint_count, b->motion->frame_rate > 0 ? "" : " (taken as 30 Hz)",
                lmb_axis_name(up));
    }
    if (report->joints_dropped > 0) {
        cli_warn(b->cli, "%s: the last %u joints are not of this model and were left out",
                 b->opts->pose, report->joints_dropped);
    }
    if (report->target_count > 0) {
        cli_detail(b->cli, "correctives", "%u morph targets, off by %.3g mm at most",
                   report->target_count, 1000 * (double)report->error);
    }
}

static cli_exit make_character(body *b, const cli_read_opts *in, bool as_clip, lmb_character **out)
{
    lmb_axis up = in->up;
    if (up == LMB_AXIS_AUTO) {
        up = b->recorded != NULL ? lmb_body_motion_up(b->recorded) : LMB_AXIS_Y;
    }
    const bool lossless =
        !as_clip || (cli_given(b->cli, "tolerance") && b->opts->tolerance_mm <= 0);
    const lmb_body_character_opts opts = {
        .shape = b->betas,
        .shape_count = b->beta_count,
        .motion = b->motion,
        .model_from_motion = turn_of(up),
        .tolerance = lossless ? -1.0f : (float)(b->opts->tolerance_mm / 1000),
        .jobs = &b->cli->jobs,
    };
    lmb_error error = {0};
    lmb_body_character_report report = {0};
    const lmb_result result =
        lmb_body_character_create(b->model, &opts, NULL, out, &report, &error);
    if (result != LMB_OK) {
        return cli_fail_call(b->cli, "the body", result, &error);
    }
    say_body(b, up, &report);
    return CLI_DONE;
}

cli_exit cli_body_read(cli_run *cli, const char *path, const cli_body_opts *opts,
                       const cli_read_opts *in, bool as_clip, cli_source *source,
                       lmb_character **out)
{
    body b = {.cli = cli, .path = path, .opts = opts};
    *source = (cli_source){.format = CLI_NPZ};
    cli_exit code = cli_body_model_read(path, &source->size, &b.model);
    if (code == CLI_DONE) {
        code = read_betas(&b);
    }
    if (code == CLI_DONE) {
        code = read_pose(&b);
    }
    if (code == CLI_DONE) {
        code = make_character(&b, in, as_clip, out);
    }
    lmb_body_model_destroy(b.model);
    lmb_body_motion_destroy(b.recorded);
    free(b.betas);
    free(b.typed.numbers);
    return code;
}
