/// limber weights compare: how far weights made anew are from the painted ones.
#include "cli/plot.h"
#include "cli/rig/rigging.h"
#include "cli/train/style.h"

#include <stdlib.h>
#include <string.h>

/// L1 that the map shows in its last colour.
static const float MAP_FULL = 1.0f;

typedef struct compared {
    const char *name;
    lmb_weights_score score;
    char *moved_names[LMB_WEIGHTS_MOVED][2]; ///< owned: painted, given
} compared;

static char *copy_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(cli_resize(NULL, size, 1), text, size);
}

static void name_moved(compared *c, const lmb_skeleton *skeleton)
{
    for (uint32_t k = 0; k < c->score.moved_count; ++k) {
        c->moved_names[k][0] = copy_text(skeleton->names[c->score.moved[k].painted]);
        c->moved_names[k][1] = copy_text(skeleton->names[c->score.moved[k].given]);
    }
}

/// A mesh without materials, coloured by L1 from blue (0) to red (1 and more).
static lmb_result colour_mesh(const lmb_mesh *mesh, const float *errors, lmb_mesh **out,
                              lmb_error *error)
{
    lmb_mesh def = *mesh;
    lmb_primitive *primitives = cli_resize(NULL, mesh->primitive_count, sizeof *primitives);
    lmb_vec4 *colors = cli_resize(NULL, mesh->vertex_count, sizeof *colors);
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        primitives[p] = mesh->primitives[p];
        primitives[p].attributes |= LMB_HAS_COLOR0;
        primitives[p].material = LMB_NONE;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const float off = errors[v] / MAP_FULL;
        colors[v] = errors[v] < 0 ? (lmb_vec4){0.2f, 0.2f, 0.2f, 1}
                                  : cli_weight_color(off < 1e-3f ? 1e-3f
                                                     : off > 1   ? 1
                                                                 : off);
    }
    def.primitives = primitives;
    def.colors[0] = colors;
    const lmb_result result = lmb_mesh_create(&def, NULL, out, error);
    free(colors);
    free(primitives);
    return result;
}

/// The character with every mesh coloured, written to -o. A mesh shown by several instances has
/// the colours of its first.
static cli_exit write_map(cli_run *cli, const lmb_character *c, const float *errors)
{
    lmb_character shown = *c;
    shown.meshes = cli_resize(NULL, c->mesh_count, sizeof *shown.meshes);
    lmb_mesh **made = cli_resize(NULL, c->mesh_count, sizeof *made);
    memcpy(shown.meshes, c->meshes, c->mesh_count * sizeof *shown.meshes);
    memset(made, 0, c->mesh_count * sizeof *made);
    lmb_result result = LMB_OK;
    lmb_error error = {0};
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->instance_count && result == LMB_OK; ++i) {
        const uint32_t m = c->instances[i].mesh;
        if (!made[m]) {
            result = colour_mesh(c->meshes[m], errors + first, &made[m], &error);
            shown.meshes[m] = made[m];
        }
        first += c->meshes[m]->vertex_count;
    }
    const cli_exit code = result == LMB_OK ? cli_character_write(cli, cli->output, "glb", &shown)
                                           : cli_fail_call(cli, cli->output, result, &error);
    for (uint32_t m = 0; m < c->mesh_count; ++m) {
        lmb_mesh_destroy(made[m]);
    }
    free(made);
    free(shown.meshes);
    return code;
}

/// Binds anew, with the style's model where there is one.
static lmb_result bind_again(const lmb_character *character, const lmb_style *style,
                             const lmb_weights_opts *given, lmb_surface **surface,
                             lmb_weights **weights, lmb_error *error)
{
    lmb_weights_opts opts = *given;
    lmb_weights_model *model = NULL;
    lmb_result result =
        style ? lmb_style_model_create(style, character->skeleton, NULL, &model, error) : LMB_OK;
    if (result == LMB_OK) {
        opts.model = model;
        result = lmb_weights_again(character, &opts, NULL, surface, weights, error);
    }
    lmb_style_model_destroy(model);
    return result;
}

static cli_exit compare_file(cli_run *cli, const cli_weights_compare_opts *opts,
                             const lmb_style *style, const cli_read_opts *in, compared *out)
{
    lmb_character *character = NULL;
    cli_exit code = cli_character_read(cli, out->name, in, NULL, &character);
    if (code != CLI_DONE) {
        return code;
    }
    lmb_surface *surface = NULL;
    lmb_weights *weights = NULL;
    lmb_error error = {0};
    lmb_result result = bind_again(character, style, &opts->weights, &surface, &weights, &error);
    float *errors =
        result == LMB_OK ? cli_resize(NULL, surface->part_vertex_count, sizeof *errors) : NULL;
    if (result == LMB_OK) {
        result =
            lmb_weights_compare(character, surface, weights, NULL, &out->score, errors, &error);
    }
    if (result == LMB_OK) {
        name_moved(out, character->skeleton);
        code = cli->output ? write_map(cli, character, errors) : CLI_DONE;
    } else {
        code = cli_fail_call(cli, out->name, result, &error);
    }
    free(errors);
    lmb_weights_destroy(weights);
    lmb_surface_destroy(surface);
    lmb_character_destroy(character);
    return code;
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// The mean of the files' means, the median of them, and the mean fraction of first joints: files
/// count alike, however many vertices they have.
static lmb_weights_score sum_up(const compared *files, int count)
{
    lmb_weights_score all = {0};
    float *means = cli_resize(NULL, (size_t)count, sizeof *means);
    double mean = 0, share = 0;
    for (int k = 0; k < count; ++k) {
        means[k] = files[k].score.l1_mean;
        mean += (double)files[k].score.l1_mean / count;
        share += (double)files[k].score.first_joint_share / count;
        all.vertex_count += files[k].score.vertex_count;
    }
    qsort(means, (size_t)count, sizeof *means, by_value);
    all.l1_mean = (float)mean;
    all.l1_median = count % 2 ? means[count / 2] : 0.5f * (means[count / 2 - 1] + means[count / 2]);
    all.first_joint_share = (float)share;
    free(means);
    return all;
}

static void print_score(cli_json *json, const lmb_weights_score *score)
{
    cli_json_integer(json, "vertices", score->vertex_count);
    cli_json_number(json, "l1_mean", score->l1_mean);
    cli_json_number(json, "l1_median", score->l1_median);
    cli_json_number(json, "first_joint_share", score->first_joint_share);
}

static void print_files(const compared *files, int count, const char *method)
{
    cli_json json = {.file = stdout};
    const lmb_weights_score all = sum_up(files, count);
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "operation", "compare");
    cli_json_text(&json, "weights", method);
    cli_json_begin(&json, "files", '[');
    for (int k = 0; k < count; ++k) {
        const lmb_weights_score *score = &files[k].score;
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "name", files[k].name);
        print_score(&json, score);
        cli_json_begin(&json, "moved", '[');
        for (uint32_t m = 0; m < score->moved_count; ++m) {
            cli_json_begin(&json, NULL, '{');
            cli_json_text(&json, "painted", files[k].moved_names[m][0]);
            cli_json_text(&json, "given", files[k].moved_names[m][1]);
            cli_json_number(&json, "l1", score->moved[m].l1);
            cli_json_end(&json, '}');
        }
        cli_json_end(&json, ']');
        cli_json_end(&json, '}');
    }
    cli_json_end(&json, ']');
    print_score(&json, &all);
    cli_json_end(&json, '}');
}

static void say_file(const cli_run *cli, const compared *c)
{
    enum { SHOWN = 3 };
    cli_say(cli, c->name, "L1 %.3f, median %.3f; first joint as painted on %.1f%% of %u vertices",
            (double)c->score.l1_mean, (double)c->score.l1_median,
            100 * (double)c->score.first_joint_share, c->score.vertex_count);
    for (uint32_t k = 0; k < c->score.moved_count && k < SHOWN; ++k) {
        cli_say(cli, k == 0 ? "moved" : "", "%.3f painted to %s, given to %s",
                (double)c->score.moved[k].l1, c->moved_names[k][0], c->moved_names[k][1]);
    }
}

cli_exit cli_weights_compare(cli_run *cli, const cli_weights_compare_opts *opts,
                             const cli_read_opts *in)
{
    const int count = cli->input_count - 1;
    if (cli->output && count != 1) {
        return cli_fail(cli, CLI_USAGE, "weights compare draws a map (-o) of one character");
    }
    compared *files = cli_resize(NULL, (size_t)count, sizeof *files);
    memset(files, 0, (size_t)count * sizeof *files);
    lmb_style *style = NULL;
    cli_exit code = opts->style ? cli_style_read(opts->style, &style) : CLI_DONE;
    for (int k = 0; k < count && code == CLI_DONE; ++k) {
        files[k].name = cli->inputs[1 + k];
        code = compare_file(cli, opts, style, in, &files[k]);
        if (code == CLI_DONE) {
            say_file(cli, &files[k]);
        }
    }
    if (code == CLI_DONE && count > 1) {
        const lmb_weights_score all = sum_up(files, count);
        cli_say(cli, "all", "L1 %.3f, median %.3f of %d files; first joint as painted on %.1f%%",
                (double)all.l1_mean, (double)all.l1_median, count,
                100 * (double)all.first_joint_share);
    }
    if (code == CLI_DONE && cli->json) {
        print_files(files, count, cli_weights_names[opts->weights.method]);
    }
    for (int k = 0; k < count; ++k) {
        for (uint32_t m = 0; m < LMB_WEIGHTS_MOVED; ++m) {
            free(files[k].moved_names[m][0]);
            free(files[k].moved_names[m][1]);
        }
    }
    lmb_style_destroy(style);
    free(files);
    return code;
}
