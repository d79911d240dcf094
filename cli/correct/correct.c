#include "cli/learn/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct correct_options {
    cli_in_opts in;
    cli_list poses;
    double fps;
} correct_options;

#include "cli/correct/correct.options.h"

/// The sculpts as the command line has them.
typedef struct sculpts {
    uint32_t count;
    char **paths, **clips; ///< [count] owned
    double *times;
    lmb_sculpt *sculpts;
    lmb_vec3 **positions; ///< [count][vertices of all instances]
} sculpts;

static void sculpts_end(sculpts *s)
{
    for (uint32_t k = 0; k < s->count; ++k) {
        free(s->paths[k]);
        free(s->clips[k]);
        free(s->positions[k]);
    }
    free(s->paths);
    free(s->clips);
    free(s->times);
    free(s->positions);
    free(s->sculpts);
}

static char *copy_text(const char *begin, size_t size)
{
    char *text = cli_resize(NULL, size + 1, 1);
    memcpy(text, begin, size);
    text[size] = 0;
    return text;
}

/// SCULPT@CLIP:TIME: names may hold colons and @, so the last of each counts.
static cli_exit split_pose(const cli_run *cli, const char *text, sculpts *s)
{
    const char *colon = strrchr(text, ':'), *at = NULL;
    for (const char *c = text; colon != NULL && c < colon; ++c) {
        at = *c == '@' ? c : at;
    }
    char *end = NULL;
    const double time = colon != NULL ? strtod(colon + 1, &end) : 0;
    if (at == NULL || at == text || at + 1 == colon || end == colon + 1 || *end != 0 ||
        !isfinite(time) || time < 0) {
        return cli_fail(cli, CLI_USAGE, "--pose: expected SCULPT@CLIP:TIME, found \"%s\"", text);
    }
    const uint32_t k = s->count++;
    s->paths[k] = copy_text(text, (size_t)(at - text));
    s->clips[k] = copy_text(at + 1, (size_t)(colon - at - 1));
    s->times[k] = time;
    return CLI_DONE;
}

static cli_exit split_poses(const cli_run *cli, const correct_options *opts, sculpts *s)
{
    const size_t count = (size_t)opts->poses.count;
    if (count == 0) {
        return cli_fail(cli, CLI_USAGE,
                        "--pose: expected SCULPT@CLIP:TIME at least once, found "
                        "none");
    }
    if (cli_given(cli, "fps") && !(opts->fps > 0 && opts->fps <= 1000)) {
        return cli_fail(cli, CLI_USAGE, "--fps: expected more than 0, to 1000, found %g",
                        opts->fps);
    }
    s->paths = cli_resize(NULL, count, sizeof *s->paths);
    s->clips = cli_resize(NULL, count, sizeof *s->clips);
    s->times = cli_resize(NULL, count, sizeof *s->times);
    s->positions = cli_resize(NULL, count, sizeof *s->positions);
    s->sculpts = cli_resize(NULL, count, sizeof *s->sculpts);
    memset(s->positions, 0, count * sizeof *s->positions);
    cli_exit code = CLI_DONE;
    for (size_t k = 0; code == CLI_DONE && k < count; ++k) {
        code = split_pose(cli, opts->poses.items[k], s);
    }
    return code;
}

/// Reads the sculpts as frames of the character's vertices.
static cli_exit read_shapes(const cli_run *cli, const cli_read_opts *read, const sculpts *s,
                            cli_shapes *out)
{
    cli_run of_shapes = *cli;
    const char **paths = cli_resize(NULL, (size_t)s->count + 1, sizeof *paths);
    paths[0] = cli->inputs[0];
    for (uint32_t k = 0; k < s->count; ++k) {
        paths[k + 1] = s->paths[k];
    }
    of_shapes.inputs = paths;
    of_shapes.input_count = (int)s->count + 1;
    const cli_shapes_opts how = {.read = *read};
    cli_exit code = cli_shapes_read(&of_shapes, &how, out);
    if (code == CLI_DONE && out->frame_count != s->count) {
        code = cli_fail(cli, CLI_INPUT,
                        "expected one shape in each of the %u sculpts, found %u in all", s->count,
                        out->frame_count);
    }
    free(paths);
    return code;
}

static cli_exit fill_sculpts(const cli_run *cli, const lmb_character *character,
                             const cli_shapes *shapes, sculpts *s)
{
    size_t vertices = 0;
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        vertices += character->meshes[character->instances[i].mesh]->vertex_count;
    }
    for (uint32_t k = 0; k < s->count; ++k) {
        uint32_t clip = 0;
        const cli_exit code = cli_clip_find(cli, character, s->clips[k], &clip);
        if (code != CLI_DONE) {
            return code;
        }
        const double end = (double)lmb_clip_duration_s(character->clips[clip]);
        if (s->times[k] > end + 1e-6) {
            return cli_fail(cli, CLI_USAGE,
                            "--pose: expected a time of \"%s\", which ends at %g s, found %g",
                            s->clips[k], end, s->times[k]);
        }
        s->positions[k] = cli_resize(NULL, vertices, sizeof **s->positions);
        for (size_t v = 0; v < vertices; ++v) {
            s->positions[k][v] = shapes->frames[k][shapes->vertex_of[v]];
        }
        char *name = cli_stem(s->paths[k]);
        free(s->clips[k]);
        s->clips[k] = name; // from here on the target's name
        s->sculpts[k] = (lmb_sculpt){
            .name = name, .clip = clip, .time_s = s->times[k], .positions = s->positions[k]};
    }
    return CLI_DONE;
}

static const char *kernel_name(lmb_kernel kernel)
{
    static const char *const names[] = {[LMB_KERNEL_GAUSSIAN] = "gaussian",
                                        [LMB_KERNEL_LINEAR] = "linear",
                                        [LMB_KERNEL_CUBIC] = "cubic",
                                        [LMB_KERNEL_THIN_PLATE] = "thin plate",
                                        [LMB_KERNEL_INVERSE_MULTIQUADRIC] = "inverse multiquadric"};
    return names[kernel];
}

static void tell(const cli_run *cli, const lmb_character *character, const sculpts *s,
                 const lmb_corrective_report *reports)
{
    for (uint32_t k = 0; k < s->count; ++k) {
        const lmb_corrective_report *r = &reports[k];
        cli_say(cli, k == 0 ? "correctives" : "", "\"%s\": %u vertices, by %s%s (%s)",
                s->sculpts[k].name, r->vertex_count, character->skeleton->names[r->drivers[0]],
                r->driver_count > 1 ? " and others" : "", kernel_name(r->kernel));
    }
}

static void print(const cli_run *cli, const lmb_character *character, const sculpts *s,
                  const lmb_corrective_report *reports)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_begin(&json, "correctives", '[');
    for (uint32_t k = 0; k < s->count; ++k) {
        const lmb_corrective_report *r = &reports[k];
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "name", s->sculpts[k].name);
        cli_json_integer(&json, "vertices", r->vertex_count);
        cli_json_begin(&json, "drivers", '[');
        for (uint32_t d = 0; d < r->driver_count; ++d) {
            cli_json_text(&json, NULL, character->skeleton->names[r->drivers[d]]);
        }
        cli_json_end(&json, ']');
        cli_json_text(&json, "kernel", kernel_name(r->kernel));
        cli_json_number(&json, "radius_rad", r->radius_rad);
        cli_json_number(&json, "left_out_error", r->left_out_error);
        cli_json_number(&json, "error_m", r->error_m);
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

static cli_exit correct(cli_run *cli, const correct_options *opts, const sculpts *s,
                        lmb_character **character)
{
    const lmb_correct_opts how = {
        .sculpt_count = s->count, .sculpts = s->sculpts, .frame_rate = (float)opts->fps};
    lmb_corrective_report *reports = cli_resize(NULL, s->count, sizeof *reports);
    lmb_error error = {0};
    const lmb_result result = lmb_correct(character, &how, NULL, reports, &error);
    cli_exit code = CLI_DONE;
    if (result != LMB_OK) {
        code = cli_fail_call(cli, cli->inputs[0], result, &error);
    } else {
        tell(cli, *character, s, reports);
        code = cli_character_write(cli, cli->output, "glb", *character);
    }
    if (code == CLI_DONE && cli->json) {
        print(cli, *character, s, reports);
    }
    free(reports);
    return code;
}

static cli_exit run_correct(cli_run *cli, const void *given)
{
    const correct_options *opts = given;
    cli_read_opts read = {0};
    cli_shapes shapes = {0};
    sculpts s = {0};
    lmb_character *character = NULL;
    cli_exit code = split_poses(cli, opts, &s);
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &read);
    }
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &read, NULL, &character);
    }
    read.silent_notes = true;
    if (code == CLI_DONE) {
        code = read_shapes(cli, &read, &s, &shapes);
    }
    if (code == CLI_DONE) {
        code = fill_sculpts(cli, character, &shapes, &s);
    }
    if (code == CLI_DONE) {
        code = correct(cli, opts, &s, &character);
    }
    cli_shapes_end(&shapes);
    sculpts_end(&s);
    lmb_character_destroy(character);
    return code;
}
