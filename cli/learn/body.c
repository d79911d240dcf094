#include "cli/learn/learn.h"

#include <stdlib.h>
#include <string.h>

/// How much of a path is its folder's.
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) : 0;
}

static bool is_same_folder(const char *a, const char *b)
{
    const size_t length = folder_length(a);
    return length == folder_length(b) && strncmp(a, b, length) == 0;
}

/// The first input whose person is that of input `file`.
static uint32_t person_of(const cli_run *cli, bool by_folder, int file)
{
    for (int k = 0; by_folder && k < file; ++k) {
        if (is_same_folder(cli->inputs[k], cli->inputs[file])) {
            return (uint32_t)k;
        }
    }
    return (uint32_t)file;
}

static bool goes_by_folder(const cli_run *cli, cli_persons persons)
{
    bool several = false;
    for (int k = 2; k < cli->input_count; ++k) { // the first may be a rig
        several = several || !is_same_folder(cli->inputs[1], cli->inputs[k]);
    }
    return persons == CLI_PERSONS_FOLDER || (persons == CLI_PERSONS_AUTO && several);
}

/// The character that learning starts from: rigged as it is, or by a skeleton that is found in it; then it is a scan as
/// the others are.
static cli_exit read_rig(cli_run *cli, const cli_learn_body_opts *opts, lmb_character **out,
                         bool *is_scan)
{
    cli_read_opts read = opts->shapes.read;
    read.silent_notes = true; // they were said when the shapes were read
    const cli_exit code = cli_character_read(cli, cli->inputs[0], &read, NULL, out);
    *is_scan = code == CLI_DONE && (*out)->skin_count == 0;
    if (!*is_scan) {
        return code;
    }
    const lmb_rig_opts how = {.embed = {.up = {0, 1, 0}, .jobs = &cli->jobs}};
    lmb_rig_report report;
    lmb_error error = {0};
    const lmb_result result = lmb_rig(out, &how, &report, NULL, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    cli_say(cli, cli->inputs[0], "not rigged: %s found in it, confidence %.2f",
            lmb_skeleton_kind_name(report.embedding.kind), (double)report.embedding.overall);
    return CLI_DONE;
}

static void tell(const cli_run *cli, const lmb_body_model *model, const lmb_learn_body_report *r)
{
    cli_say(cli, "learned from", "%u scans of %u persons, %u vertices, %u joints", r->scan_count,
            r->person_count, model->vertex_count, model->joint_count);
    cli_say(cli, "model", "%u shapes, %u pose features, %u iterations", r->shape_count,
            model->feature_count, r->iterations);
    cli_say(cli, "error", "%.2f mm rms (%.4f %% of the height), %.2f mm at most",
            1000 * (double)r->rms_m, 100 * (double)(r->rms_m / r->height_m),
            1000 * (double)r->max_m);
    if (r->held_out_count > 0) {
        cli_say(cli, "held out", "%u scans: %.2f mm rms (%.4f %%), %.2f mm at most",
                r->held_out_count, 1000 * (double)r->held_out_rms_m,
                100 * (double)(r->held_out_rms_m / r->height_m), 1000 * (double)r->held_out_max_m);
    }
}

static void print(const cli_run *cli, const lmb_body_model *model, const lmb_learn_body_report *r)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_integer(&json, "persons", r->person_count);
    cli_json_integer(&json, "scans", r->scan_count);
    cli_json_integer(&json, "vertices", model->vertex_count);
    cli_json_integer(&json, "joints", model->joint_count);
    cli_json_integer(&json, "shapes", r->shape_count);
    cli_json_integer(&json, "features", model->feature_count);
    cli_json_integer(&json, "iterations", r->iterations);
    cli_json_number(&json, "height_m", r->height_m);
    cli_json_number(&json, "rms_m", r->rms_m);
    cli_json_number(&json, "max_m", r->max_m);
    cli_json_integer(&json, "held_out", r->held_out_count);
    if (r->held_out_count > 0) {
        cli_json_number(&json, "rms_held_out_m", r->held_out_rms_m);
        cli_json_number(&json, "max_held_out_m", r->held_out_max_m);
    }
    cli_json_end(&json, '}');
}

static cli_exit write_model(const cli_run *cli, const lmb_body_model *model)
{
    lmb_buffer bytes = {0};
    lmb_error error = {0};
    const lmb_result result = lmb_body_model_write(model, NULL, &bytes, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->output, result, &error);
    }
    const cli_exit code = cli_bytes_write(cli->output, bytes.data, bytes.size);
    lmb_buffer_free(&bytes);
    return code;
}

/// The scans, and whose each is.
typedef struct scan_list {
    uint32_t count;
    const lmb_vec3 **scans;
    uint32_t *persons;
} scan_list;

static scan_list list_scans(const cli_run *cli, cli_persons persons, const cli_shapes *shapes,
                            bool has_rest)
{
    const bool by_folder = goes_by_folder(cli, persons);
    scan_list list = {0};
    list.scans = cli_resize(NULL, (size_t)shapes->frame_count + 1, sizeof *list.scans);
    list.persons = cli_resize(NULL, (size_t)shapes->frame_count + 1, sizeof *list.persons);
    if (has_rest) {
        list.scans[0] = shapes->rest;
        list.persons[list.count++] = 0;
    }
    for (uint32_t f = 0; f < shapes->frame_count; ++f) {
        list.scans[list.count] = shapes->frames[f];
        list.persons[list.count++] = person_of(cli, by_folder, shapes->files[f]);
    }
    return list;
}

static cli_exit learn(cli_run *cli, const cli_learn_body_opts *opts, const cli_shapes *shapes,
                      const lmb_character *rig, const scan_list *list)
{
    const lmb_learn_frames frames = {.vertex_count = shapes->vertex_count,
                                     .vertex_of = shapes->vertex_of,
                                     .frame_count = list->count,
                                     .frames = list->scans};
    const lmb_learn_body_opts how = {.shape_count = opts->shape_count,
                                     .features = opts->features,
                                     .keep_weights = opts->keep_weights,
                                     .hold_out = opts->hold_out,
                                     .iterations = opts->iterations,
                                     .jobs = &cli->jobs,
                                     .progress = cli->progress_or_null};
    const lmb_learn_body_def def = {.index_count = shapes->index_count,
                                    .rest = shapes->rest,
                                    .indices = shapes->indices,
                                    .person_of = list->persons};
    lmb_body_model *model = NULL;
    lmb_learn_body_report report;
    lmb_error error = {0};
    const lmb_result result =
        lmb_learn_body_character(rig, &frames, &def, &how, NULL, &model, &report, &error);
    cli_progress_end(cli);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    tell(cli, model, &report);
    const cli_exit code = write_model(cli, model);
    if (code == CLI_DONE && cli->json) {
        print(cli, model, &report);
    }
    lmb_body_model_destroy(model);
    return code;
}

cli_exit cli_learn_body(cli_run *cli, const cli_learn_body_opts *opts, const cli_shapes *shapes)
{
    if (!cli_has_extension(cli->output, ".npz")) {
        return cli_fail(cli, CLI_USAGE, "%s: expected a name that ends in .npz for a body model",
                        cli->output);
    }
    lmb_character *rig = NULL;
    bool is_scan = false;
    cli_exit code = read_rig(cli, opts, &rig, &is_scan);
    if (code == CLI_DONE) {
        scan_list list = list_scans(cli, opts->persons, shapes, is_scan);
        code = learn(cli, opts, shapes, rig, &list);
        free(list.scans);
        free(list.persons);
    }
    lmb_character_destroy(rig);
    return code;
}
