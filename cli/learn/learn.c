#include "cli/learn/learn.h"

#include <string.h>

typedef struct learn_options {
    cli_in_opts in;
    const char *clip;
    int64_t bones, influences, iterations, hold_out, norm;
    double smooth, fps, error, joints_within;
    int fit, skeleton, joints, motion, rest, persons, features;
    bool body, keep_weights;
    int64_t shapes;
} learn_options;

/// Bones that are given drift nowhere: weights under them need less smoothing.
static const float FIT_SMOOTH = 1e-5f;

#include "cli/learn/learn.options.h"

static bool is_affine(const learn_options *opts)
{
    return opts->motion == LMB_LEARN_AFFINE;
}

static bool solves_rest(const cli_run *cli, const learn_options *opts)
{
    return cli_given(cli, "rest") ? opts->rest == 1 : is_affine(opts);
}

/// What is not asked for is flat where it has to be.
static lmb_learn_skeleton skeleton_of(const cli_run *cli, const learn_options *opts)
{
    return is_affine(opts) || solves_rest(cli, opts) || opts->norm > 2
               ? LMB_LEARN_FLAT
               : (lmb_learn_skeleton)opts->skeleton;
}

/// What belongs to one kind of fit alone.
static cli_exit check_fit(const cli_run *cli, const learn_options *opts)
{
    if (cli_given(cli, "hold-out") && ((opts->fit == CLI_FIT_RIG && !opts->body) ||
                                       opts->hold_out < 2 || opts->hold_out > UINT32_MAX)) {
        return cli_fail(cli, CLI_USAGE, "--hold-out: expected 2 or more, with --fit or --body");
    }
    if (cli_given(cli, "error") && !(opts->error > 0 && opts->error < 100)) {
        return cli_fail(cli, CLI_USAGE, "--error: expected a percentage above 0, found %g",
                        opts->error);
    }
    if (opts->fit == CLI_FIT_RIG && !opts->body && !cli_given(cli, "bones") &&
        !cli_given(cli, "error")) {
        return cli_fail(cli, CLI_USAGE, "--bones: expected how many, or --error, found neither");
    }
    if (opts->fit != CLI_FIT_RIG) {
        static const char *const others[] = {"bones",  "error",         "skeleton",
                                             "joints", "joints-within", "bones-move",
                                             "rest",   "iterations"};
        for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
            const bool counts_helpers = k == 0 && opts->fit == CLI_FIT_HELPERS;
            if (cli_given(cli, others[k]) && !counts_helpers) {
                return cli_fail(cli, CLI_USAGE, "--%s: the bones are given with --fit", others[k]);
            }
        }
    }
    return CLI_DONE;
}

/// Which joints slide is asked of a tree alone.
static cli_exit check_joints(const cli_run *cli, const learn_options *opts)
{
    const bool is_tree = skeleton_of(cli, opts) == LMB_LEARN_TREE;
    if (cli_given(cli, "joints") && !is_tree) {
        return cli_fail(cli, CLI_USAGE, "--joints: expected a tree, found another skeleton");
    }
    const bool is_auto = is_tree && opts->joints == LMB_LEARN_JOINTS_AUTO;
    if (cli_given(cli, "joints-within") && !(is_auto && opts->joints_within >= 1)) {
        return cli_fail(cli, CLI_USAGE,
                        "--joints-within: expected 1 or more, with --joints auto, found %g",
                        opts->joints_within);
    }
    return CLI_DONE;
}

/// What belongs to body models alone, and what they have no use for.
static cli_exit check_body(const cli_run *cli, const learn_options *opts)
{
    static const char *const own[] = {"persons", "shapes", "features", "keep-weights"};
    static const char *const others[] = {"fit",        "bones",         "error",      "skeleton",
                                         "joints",     "joints-within", "bones-move", "rest",
                                         "influences", "smooth",        "norm"};
    for (size_t k = 0; !opts->body && k < sizeof own / sizeof *own; ++k) {
        if (cli_given(cli, own[k])) {
            return cli_fail(cli, CLI_USAGE, "--%s: expected --body too", own[k]);
        }
    }
    for (size_t k = 0; opts->body && k < sizeof others / sizeof *others; ++k) {
        if (cli_given(cli, others[k])) {
            return cli_fail(cli, CLI_USAGE, "--%s: a body model has no use for it", others[k]);
        }
    }
    if (cli_given(cli, "shapes") && (opts->shapes < 1 || opts->shapes > 1000)) {
        return cli_fail(cli, CLI_USAGE, "--shapes: expected 1 to 1000, found %lld",
                        (long long)opts->shapes);
    }
    return CLI_DONE;
}

static cli_exit check_options(const cli_run *cli, const learn_options *opts)
{
    if (cli_given(cli, "skeleton") && opts->skeleton != LMB_LEARN_FLAT &&
        skeleton_of(cli, opts) == LMB_LEARN_FLAT) {
        return cli_fail(cli, CLI_USAGE,
                        "--skeleton: expected flat with bones that stretch, a rest shape that is "
                        "solved for or a norm above 2, found %s",
                        opts->skeleton == LMB_LEARN_TREE ? "tree" : "sliding");
    }
    cli_exit code = check_body(cli, opts);
    code = code == CLI_DONE ? check_fit(cli, opts) : code;
    code = code == CLI_DONE ? check_joints(cli, opts) : code;
    if (code != CLI_DONE) {
        return code;
    }
    if (cli_given(cli, "bones") && (opts->bones < 1 || opts->bones > LMB_LEARN_BONES)) {
        return cli_fail(cli, CLI_USAGE, "--bones: expected 1 to %d, found %lld", LMB_LEARN_BONES,
                        (long long)opts->bones);
    }
    if (cli_given(cli, "norm") && (opts->norm < 2 || opts->norm > 16 || opts->norm % 2 != 0)) {
        return cli_fail(cli, CLI_USAGE, "--norm: expected an even number from 2 to 16, found %lld",
                        (long long)opts->norm);
    }
    if (opts->influences < 1 || opts->influences > LMB_LEARN_INFLUENCES) {
        return cli_fail(cli, CLI_USAGE, "--influences: expected 1 to %d, found %lld",
                        LMB_LEARN_INFLUENCES, (long long)opts->influences);
    }
    if (cli_given(cli, "iterations") && (opts->iterations < 1 || opts->iterations > 100000)) {
        return cli_fail(cli, CLI_USAGE, "--iterations: expected 1 to 100000, found %lld",
                        (long long)opts->iterations);
    }
    if (!(opts->smooth >= 0)) {
        return cli_fail(cli, CLI_USAGE, "--smooth: expected 0 or more, found %g", opts->smooth);
    }
    if (cli_given(cli, "fps") && !(opts->fps > 0)) {
        return cli_fail(cli, CLI_USAGE, "--fps: expected more than 0, found %g", opts->fps);
    }
    return CLI_DONE;
}

static void tell(const cli_run *cli, const cli_shapes *shapes, const lmb_learn_report *r)
{
    cli_say(cli, "learned from", "%u frames of %u vertices, %u triangles", shapes->frame_count,
            shapes->vertex_count, shapes->index_count / 3);
    cli_say(cli, "bones", "%u, %u iterations", r->bone_count, r->iterations);
    cli_say(cli, "error", "%.3f mm rms (%.3f %% of the diagonal), %.3f mm at most; E_RMS %.3f",
            1000 * (double)r->rms, (double)r->rms_percent, 1000 * (double)r->max, (double)r->e_rms);
    cli_detail(cli, "", "E_RMS %.3f as rigid pieces, %.3f with bones that move freely",
               (double)r->e_rms_start, (double)r->e_rms_flat);
}

/// Percent of the diagonal that the bone's joint moves in its parent.
static float slide_percent(const cli_shapes *shapes, const lmb_learned *learned, uint32_t bone)
{
    const lmb_box box = lmb_box_of(shapes->rest, shapes->vertex_count);
    return 100 * lmb_learned_slide(learned, bone) / lmb_vec3_distance(box.low, box.high);
}

/// Names the joints that slide. Bones are the first joints of the character.
static void tell_sliding(const cli_run *cli, const cli_shapes *shapes, const lmb_learned *learned,
                         const lmb_skeleton *skeleton)
{
    for (uint32_t j = 0; j < learned->bone_count; ++j) {
        if (learned->slides[j]) {
            cli_say(cli, "slides", "%s in %s, by %.2f %% of the diagonal", skeleton->names[j],
                    skeleton->names[skeleton->parents[j]],
                    (double)slide_percent(shapes, learned, j));
        }
    }
}

static void print_sliding(cli_json *json, const cli_shapes *shapes, const lmb_learned *learned,
                          const lmb_skeleton *skeleton)
{
    cli_json_begin(json, "joints_free", '[');
    for (uint32_t j = 0; j < learned->bone_count; ++j) {
        if (learned->slides[j]) {
            cli_json_begin(json, NULL, '{');
            cli_json_text(json, "name", skeleton->names[j]);
            cli_json_number(json, "slide_percent", slide_percent(shapes, learned, j));
            cli_json_end(json, '}');
        }
    }
    cli_json_end(json, ']');
}

static void print(const cli_run *cli, const cli_shapes *shapes, const lmb_learn_report *r,
                  const lmb_learned *learned, const lmb_skeleton *skeleton)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_integer(&json, "vertices", shapes->vertex_count);
    cli_json_integer(&json, "frames", shapes->frame_count);
    cli_json_integer(&json, "bones", r->bone_count);
    print_sliding(&json, shapes, learned, skeleton);
    cli_json_integer(&json, "iterations", r->iterations);
    cli_json_number(&json, "rms_m", r->rms);
    cli_json_number(&json, "rmse_percent", r->rms_percent);
    cli_json_number(&json, "max_m", r->max);
    cli_json_number(&json, "e_rms", r->e_rms);
    cli_json_number(&json, "e_rms_flat", r->e_rms_flat);
    cli_json_number(&json, "e_rms_pieces", r->e_rms_start);
    cli_json_end(&json, '}');
}

/// Writes the character, and tells of what slides in it.
static cli_exit write_character(cli_run *cli, const cli_shapes *shapes, double fps,
                                const lmb_learned *learned, const lmb_learn_report *report)
{
    const lmb_learn_character_opts opts = {.frame_rate = (float)fps,
                                           .vertex_of = shapes->vertex_of};
    lmb_character *character = NULL;
    lmb_error error = {0};
    const lmb_result result =
        lmb_learn_character(learned, shapes->still, &opts, NULL, &character, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the character", result, &error);
    }
    tell_sliding(cli, shapes, learned, character->skeleton);
    const cli_exit code = cli_character_write(cli, cli->output, "glb", character);
    if (code == CLI_DONE && cli->json) {
        print(cli, shapes, report, learned, character->skeleton);
    }
    lmb_character_destroy(character);
    return code;
}

static cli_exit learn_rig(cli_run *cli, const learn_options *opts, const cli_shapes *shapes)
{
    const lmb_learn_def def = {.vertex_count = shapes->vertex_count,
                               .rest = shapes->rest,
                               .frame_count = shapes->frame_count,
                               .frames = (const lmb_vec3 *const *)shapes->frames,
                               .indices = shapes->indices,
                               .index_count = shapes->index_count};
    const uint32_t most =
        shapes->vertex_count < LMB_LEARN_BONES ? shapes->vertex_count : LMB_LEARN_BONES;
    const lmb_learn_opts how = {.bone_count = opts->bones > 0 ? (uint32_t)opts->bones : most,
                                .error_percent = (float)opts->error,
                                .influences = (uint32_t)opts->influences,
                                .iterations = (uint32_t)opts->iterations,
                                .smooth = (float)opts->smooth,
                                .skeleton = skeleton_of(cli, opts),
                                .joints = (lmb_learn_joints)opts->joints,
                                .joints_within = (float)opts->joints_within,
                                .norm = (uint32_t)opts->norm,
                                .motion = (lmb_learn_motion)opts->motion,
                                .move_rest = solves_rest(cli, opts),
                                .jobs = &cli->jobs,
                                .progress = cli->progress_or_null};
    lmb_learned *learned = NULL;
    lmb_learn_report report;
    lmb_error error = {0};
    const lmb_result result = lmb_learn_skin(&def, &how, NULL, &learned, &report, &error);
    cli_progress_end(cli);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    tell(cli, shapes, &report);
    if (opts->error > 0 && (double)report.rms_percent > opts->error) {
        cli_warn(cli, "%u bones do not suffice for an error of %g %%", report.bone_count,
                 opts->error);
    }
    const double fps = opts->fps > 0 ? opts->fps : shapes->rate;
    const cli_exit code = write_character(cli, shapes, fps, learned, &report);
    lmb_learned_destroy(learned);
    return code;
}

static cli_exit run_learn(cli_run *cli, const void *given)
{
    const learn_options *opts = given;
    cli_shapes_opts how = {
        .clip = opts->clip, .fps = opts->fps, .bound = opts->fit == CLI_FIT_RIG && !opts->body};
    cli_shapes shapes = {0};
    cli_exit code = check_options(cli, opts);
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &how.read);
    }
    if (code == CLI_DONE) {
        code = cli_shapes_read(cli, &how, &shapes);
    }
    if (code == CLI_DONE && opts->body) {
        const cli_learn_body_opts body = {.shapes = how,
                                          .persons = (cli_persons)opts->persons,
                                          .shape_count = (uint32_t)opts->shapes,
                                          .hold_out = (uint32_t)opts->hold_out,
                                          .iterations = (uint32_t)opts->iterations,
                                          .features = (lmb_pose_features)opts->features,
                                          .keep_weights = opts->keep_weights};
        code = cli_learn_body(cli, &body, &shapes);
    } else if (code == CLI_DONE && opts->fit != CLI_FIT_RIG) {
        const cli_given_opts given_opts = {.shapes = how,
                                           .influences = (uint32_t)opts->influences,
                                           .hold_out = (uint32_t)opts->hold_out,
                                           .fit = (cli_fit)opts->fit,
                                           .bones = (uint32_t)opts->bones,
                                           .smooth = cli_given(cli, "smooth") ? (float)opts->smooth
                                                                              : FIT_SMOOTH,
                                           .smooth_to_error = !cli_given(cli, "smooth")};
        code = cli_learn_weights(cli, &given_opts, &shapes);
    } else if (code == CLI_DONE) {
        code = learn_rig(cli, opts, &shapes);
    }
    cli_shapes_end(&shapes);
    return code;
}
