#include "cli/rig/rigging.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct rig_options {
    cli_in_opts in;
    cli_rig_opts rig;
    bool turn, timings;
    double height_m;
    const char *save_template;
} rig_options;

#include "cli/rig/rig.options.h"

static float to_degrees(float rad)
{
    return 180 / LMB_PI * rad;
}

/// Findings in the input meshes, and seconds by stage for --timings.
typedef struct rig_extras {
    lmb_findings *findings;
    cli_stopwatch watch;
    bool timed;
} rig_extras;

static void print_json(const lmb_rig_opts *opts, const lmb_rig_report *report,
                       const rig_extras *extras, const lmb_character *character, const char *output)
{
    const lmb_embedding *e = &report->embedding;
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", output);
    cli_json_text(&json, "skeleton",
                  e->kind == LMB_SKELETON_HUMAN ? "humanoid" : lmb_skeleton_kind_name(e->kind));
    cli_json_integer(&json, "vertices", report->vertex_count);
    cli_json_integer(&json, "triangles", report->triangle_count);
    cli_json_vec3(&json, "up", e->up);
    cli_json_vec3(&json, "facing", e->forward);
    cli_json_number(&json, "height", e->height);
    cli_json_number(&json, "confidence", e->overall);
    cli_json_bool(&json, "doubtful", cli_rig_is_doubtful(e));
    cli_json_text(&json, "reason", e->summary);
    if (opts->rest != LMB_REST_AS_IS) {
        cli_json_begin(&json, "rest", '{');
        cli_json_text(&json, "pose", opts->rest == LMB_REST_T ? "t" : "a");
        cli_json_integer(&json, "turned_bones", report->rotated_count);
        cli_json_number(&json, "largest_turn_degrees", to_degrees(report->rotated_rad));
        cli_json_integer(&json, "stretched_triangles", report->stretched_count);
        cli_json_end(&json, '}');
    }
    cli_json_findings(&json, extras->findings);
    cli_json_weights(&json, &report->weights);
    cli_json_rows(&json, character);
    if (extras->timed) {
        cli_stopwatch_json(&json, &extras->watch);
    }
    const uint32_t all = character->skeleton->joint_count;
    uint32_t *vertices = cli_resize(NULL, all, sizeof *vertices);
    double *weights = cli_resize(NULL, all, sizeof *weights);
    cli_count_pulled(character, vertices, weights);
    cli_json_begin(&json, "joints", '[');
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "name", e->names[j]);
        cli_json_integer(&json, "parent", e->parents[j]);
        cli_json_vec3(&json, "position", lmb_mat4_point(report->model_from_input, e->joints[j]));
        cli_json_number(&json, "confidence", e->confidence[j]);
        cli_json_text(&json, "reason", e->reason[j] ? e->reason[j] : "");
        cli_json_integer(&json, "vertices", vertices[j]);
        cli_json_number(&json, "weight", (float)weights[j]);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
    free(vertices);
    free(weights);
}

/// The nearest axis, and how far the direction is off it.
static const char *axis_text(lmb_vec3 a, char out[24])
{
    static const char *const names[6] = {"+X", "-X", "+Y", "-Y", "+Z", "-Z"};
    const float parts[6] = {a.x, -a.x, a.y, -a.y, a.z, -a.z};
    int nearest = 0;
    for (int k = 1; k < 6; ++k) {
        nearest = parts[k] > parts[nearest] ? k : nearest;
    }
    const float c = fminf(parts[nearest], 1);
    const double off = (double)to_degrees(lmb_atan2(sqrtf(1 - c * c), c));
    if (off < 1) {
        snprintf(out, 24, "%s", names[nearest]);
    } else {
        snprintf(out, 24, "%.0f degrees off %s", off, names[nearest]);
    }
    return out;
}

static void say_rig(const cli_run *cli, const lmb_rig_opts *opts, const lmb_rig_report *report)
{
    const lmb_embedding *e = &report->embedding;
    char up[24], front[24];
    cli_say(cli, cli->inputs[0], "%u vertices, %u triangles, up %s, faces %s, %.2f units tall",
            report->vertex_count, report->triangle_count, axis_text(e->up, up),
            axis_text(e->forward, front), (double)e->height);
    cli_say(cli, "skeleton", "%s, %u joints, confidence %.2f: %s",
            e->kind == LMB_SKELETON_HUMAN ? "humanoid" : lmb_skeleton_kind_name(e->kind),
            e->joint_count, (double)e->overall, e->summary);
    if (opts->rest != LMB_REST_AS_IS) {
        cli_say(cli, "rest", "%s-pose: %u bones rotated, by %.0f degrees at most",
                opts->rest == LMB_REST_T ? "T" : "A", report->rotated_count,
                (double)to_degrees(report->rotated_rad));
        if (200 * (uint64_t)report->stretched_count > report->triangle_count) {
            cli_warn(cli,
                     "%s: %u triangles are drawn out in that pose: limbs and body were joined "
                     "there. Look at a picture",
                     cli->inputs[0], report->stretched_count);
        }
    }
    const lmb_weights_opts weighing = {.method = opts->weights, .influences = opts->influences};
    cli_say_weights(cli, &weighing, &report->weights);
}

static void print_template_json(const cli_run *cli, const char *path, const char *style,
                                const lmb_character *character, const cli_template_report *report)
{
    const lmb_skeleton *s = character->skeleton;
    const lmb_embedding *e = &report->embedding;
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_text(&json, "skeleton", path ? path : style);
    cli_json_bool(&json, "fitted", report->fitted);
    if (report->fitted) {
        cli_json_text(&json, "kind",
                      e->kind == LMB_SKELETON_HUMAN ? "humanoid" : lmb_skeleton_kind_name(e->kind));
        cli_json_integer(&json, "placed", report->fit.placed_count);
        cli_json_integer(&json, "carried", report->fit.carried_count);
        cli_json_number(&json, "confidence", e->overall);
        cli_json_bool(&json, "doubtful", cli_rig_is_doubtful(e));
        cli_json_text(&json, "reason", e->summary);
    }
    cli_json_weights(&json, &report->weights);
    lmb_mat4 *model = cli_resize(NULL, s->joint_count, sizeof *model);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = s, .model_from_joint = model});
    cli_json_begin(&json, "joints", '[');
    for (uint32_t j = 0; j < s->joint_count - character->instance_count; ++j) {
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "name", s->names[j]);
        cli_json_integer(&json, "parent", s->parents[j]);
        cli_json_vec3(&json, "position", lmb_mat4_translation(model[j]));
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
    free(model);
}

static cli_exit check_options(const cli_run *cli, const rig_options *given, lmb_rig_opts *out)
{
    if (cli_rig_from_file(&given->rig) &&
        (given->turn || given->height_m > 0 || given->save_template)) {
        return cli_fail(cli, CLI_USAGE,
                        "--turn, --height and --save-template do not go with a skeleton of a file");
    }
    if (given->height_m < 0) {
        return cli_fail(cli, CLI_USAGE, "--height takes a length");
    }
    out->face_z = given->turn;
    out->height_m = (float)given->height_m;
    return cli_rig_read(cli, &given->rig, &given->in, out);
}

/// Binds the character to a skeleton of another file, and writes it.
static cli_exit rig_with_file(cli_run *cli, const rig_options *given, const lmb_rig_opts *rig,
                              lmb_character **character)
{
    cli_template_report report;
    cli_exit code = cli_rig_with_file(cli, &given->rig, &given->in, rig, character, &report);
    if (code == CLI_DONE) {
        code = cli_normals_fill(cli, given->rig.crease_deg, *character);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", *character);
    }
    if (code == CLI_DONE && cli->json) {
        print_template_json(cli, given->rig.skeleton, given->rig.style, *character, &report);
    }
    return code;
}

static cli_exit save_template(const cli_run *cli, const char *path, const lmb_body_template *made)
{
    lmb_buffer text = {0};
    lmb_error error = {0};
    const lmb_result result = lmb_body_template_write(made, NULL, &text, &error);
    const cli_exit code = result == LMB_OK ? cli_bytes_write(path, text.data, text.size)
                                           : cli_fail_call(cli, path, result, &error);
    lmb_buffer_free(&text);
    return code;
}

static cli_exit find_faults(cli_run *cli, const lmb_character *character, lmb_findings **out)
{
    const lmb_check_def def = {.character = character, .meshes_only = true};
    lmb_error error = {0};
    const lmb_result result = lmb_check(&def, NULL, out, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the mesh's surface", result, &error);
}

/// Finds a skeleton inside the character, binds and writes it.
static cli_exit rig_found(cli_run *cli, const lmb_rig_opts *given, const rig_options *opts,
                          lmb_character **character)
{
    lmb_rig_opts rig = *given;
    rig_extras extras = {.timed = opts->timings};
    cli_exit code = cli->json ? find_faults(cli, *character, &extras.findings) : CLI_DONE;
    if (opts->timings) {
        cli_stopwatch_start(&extras.watch, rig.progress);
        rig.progress = &extras.watch.progress;
    }
    lmb_rig_report report;
    lmb_error error = {0};
    lmb_body_template *made = NULL;
    rig.out_template = opts->save_template ? &made : NULL;
    cli->made_limits = true;
    const lmb_result result =
        code == CLI_DONE ? lmb_rig(character, &rig, &report, NULL, &error) : LMB_OK;
    if (result != LMB_OK) {
        code = result == LMB_ERROR_UNSUPPORTED
                   ? cli_fail(cli, CLI_UNSUPPORTED, "%s: this is %s. It takes %s", cli->inputs[0],
                              error.found, error.expected)
                   : cli_fail_call(cli, cli->inputs[0], result, &error);
    } else if (code == CLI_DONE) {
        say_rig(cli, &rig, &report);
        if (opts->timings) {
            cli_stopwatch_stop(&extras.watch);
            for (int k = 0; k < extras.watch.count; ++k) {
                cli_say(cli, k == 0 ? "seconds" : "", "%.3f %s", extras.watch.stages[k].seconds,
                        extras.watch.stages[k].name);
            }
        }
        code = cli_rig_check(cli, &report.embedding, opts->rig.strict);
        if (code == CLI_DONE && opts->save_template) {
            code = save_template(cli, opts->save_template, made);
        }
        if (code == CLI_DONE) {
            code = cli_normals_fill(cli, opts->rig.crease_deg, *character);
        }
        if (code == CLI_DONE) {
            code = cli_character_write(cli, cli->output, "glb", *character);
        }
        if (code == CLI_DONE && cli->json) {
            print_json(&rig, &report, &extras, *character, cli->output);
        }
    }
    lmb_body_template_destroy(made);
    lmb_findings_destroy(extras.findings);
    return code;
}

static cli_exit run_rig(cli_run *cli, const void *given)
{
    const rig_options *opts = given;
    lmb_rig_opts rig = {0};
    cli_read_opts in;
    lmb_character *character = NULL;
    cli_exit code = check_options(cli, opts, &rig);
    cli_rig_joints joints = {0};
    if (code == CLI_DONE) {
        code = cli_rig_joints_read(cli, &opts->rig, &rig, &joints);
    }
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &in);
    }
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &in, NULL, &character);
    }
    if (code == CLI_DONE) {
        code = cli_rig_from_file(&opts->rig) ? rig_with_file(cli, opts, &rig, &character)
                                             : rig_found(cli, &rig, opts, &character);
    }
    lmb_character_destroy(character);
    cli_rig_joints_free(&joints);
    return code;
}
