#include "cli/files/limb.h"
#include "cli/files/markers.h"
#include "cli/files/vrm.h"
#include "limber/skin.h"

#include <stdlib.h>
#include <string.h>

typedef struct convert_options {
    cli_in_opts in;
    const char *clip;
    cli_list drops, clip_renames, renames;
    cli_vrm_options vrm;
    bool compress, angles;
    int order;
    double precision_m, crease_deg;
} convert_options;

enum { ORDER_FILE, ORDER_SKIN };

#include "cli/files/convert.options.h"

static cli_exit keep_clip(const cli_run *cli, lmb_character *character, const char *clip)
{
    uint32_t kept = 0;
    const cli_exit code = cli_clip_find(cli, character, clip, &kept);
    if (code != CLI_DONE) {
        return code;
    }
    for (uint32_t c = 0; c < character->clip_count; ++c) {
        if (c != kept) {
            lmb_clip_destroy(character->clips[c]);
        }
    }
    character->clips[0] = character->clips[kept];
    character->clip_count = 1;
    return CLI_DONE;
}

/// Indices are those of the file, however many are dropped.
static cli_exit drop_clips(const cli_run *cli, const cli_list *drops, lmb_character *character)
{
    bool *is_dropped = cli_resize(NULL, (size_t)character->clip_count + 1, sizeof(*is_dropped));
    memset(is_dropped, 0, ((size_t)character->clip_count + 1) * sizeof(*is_dropped));
    cli_exit code = CLI_DONE;
    for (int k = 0; k < drops->count && code == CLI_DONE; ++k) {
        uint32_t index = 0;
        code = cli_clip_find(cli, character, drops->items[k], &index);
        is_dropped[index] = is_dropped[index] || code == CLI_DONE;
    }
    uint32_t kept = 0;
    for (uint32_t c = 0; c < character->clip_count && code == CLI_DONE; ++c) {
        if (is_dropped[c]) {
            lmb_clip_destroy(character->clips[c]);
        } else {
            character->clips[kept++] = character->clips[c];
        }
    }
    character->clip_count = code == CLI_DONE ? kept : character->clip_count;
    free(is_dropped);
    return code;
}

/// One OLD=NEW, where OLD may be an index. A name has no "=", an old one may.
static cli_exit rename_clip(const cli_run *cli, const char *text, lmb_character *character)
{
    const char *equals = strrchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == 0) {
        return cli_fail(cli, CLI_USAGE,
                        "--rename-clip: expected OLD=NEW, such as 0=walk, found \"%s\"", text);
    }
    const size_t length = (size_t)(equals - text);
    char *old = cli_resize(NULL, length + 1, 1);
    memcpy(old, text, length);
    old[length] = 0;
    uint32_t index = 0;
    cli_exit code = cli_clip_find(cli, character, old, &index);
    free(old);
    for (uint32_t c = 0; c < character->clip_count && code == CLI_DONE; ++c) {
        const char *name = character->clips[c]->name;
        if (c != index && name != NULL && strcmp(name, equals + 1) == 0) {
            code = cli_fail(cli, CLI_FAILED, "--rename-clip: %s has a clip \"%s\" already",
                            cli->inputs[0], equals + 1);
        }
    }
    return code == CLI_DONE ? cli_clip_rename(cli, &character->clips[index], equals + 1) : code;
}

static cli_exit edit_clips(const cli_run *cli, const convert_options *opts,
                           lmb_character *character)
{
    cli_exit code = CLI_DONE;
    for (int k = 0; k < opts->clip_renames.count && code == CLI_DONE; ++k) {
        code = rename_clip(cli, opts->clip_renames.items[k], character);
    }
    if (code == CLI_DONE && opts->drops.count > 0) {
        code = drop_clips(cli, &opts->drops, character);
    }
    return code == CLI_DONE && opts->clip != NULL ? keep_clip(cli, character, opts->clip) : code;
}

/// One OLD=NEW. Names are not copied: the command line outlives the character.
static cli_exit rename_joint(const cli_run *cli, const char *text, lmb_skeleton *skeleton)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == 0) {
        return cli_fail(cli, CLI_USAGE,
                        "--rename: expected OLD=NEW, such as hips=pelvis, found \"%s\"", text);
    }
    const size_t length = (size_t)(equals - text);
    uint32_t old = 0;
    while (old < skeleton->joint_count && (strlen(skeleton->names[old]) != length ||
                                           memcmp(skeleton->names[old], text, length) != 0)) {
        ++old;
    }
    if (old == skeleton->joint_count) {
        return cli_fail(cli, CLI_FAILED, "--rename: %s has no joint \"%.*s\"", cli->inputs[0],
                        (int)length, text);
    }
    const int32_t taken = lmb_skeleton_find(skeleton, equals + 1);
    if (taken != LMB_NONE && (uint32_t)taken != old) {
        return cli_fail(cli, CLI_FAILED, "--rename: %s has a joint \"%s\" already", cli->inputs[0],
                        equals + 1);
    }
    skeleton->names[old] = equals + 1;
    return CLI_DONE;
}

static cli_exit rename_joints(const cli_run *cli, const cli_list *renames, lmb_character *character)
{
    if (renames->count > 0 && character->skeleton == NULL) {
        return cli_fail(cli, CLI_FAILED, "--rename: %s has no joints", cli->inputs[0]);
    }
    cli_exit code = CLI_DONE;
    for (int k = 0; k < renames->count && code == CLI_DONE; ++k) {
        code = rename_joint(cli, renames->items[k], character->skeleton);
    }
    return code;
}

static lmb_result order_mesh(lmb_mesh **mesh, lmb_error *error)
{
    uint32_t *order = malloc(((size_t)(*mesh)->vertex_count + 1) * sizeof(*order));
    lmb_mesh *ordered = NULL;
    lmb_result result = LMB_ERROR_MEMORY;
    if (order != NULL) {
        result = lmb_skin_order(*mesh, NULL, order, error);
    }
    if (result == LMB_OK) {
        result = lmb_mesh_reorder(*mesh, order, NULL, &ordered, error);
    }
    free(order);
    if (result == LMB_OK) {
        lmb_mesh_destroy(*mesh);
        *mesh = ordered;
    }
    return result;
}

/// Puts the vertices of every skinned mesh in the order of its skin.
static cli_exit order_meshes(const cli_run *cli, lmb_character *character)
{
    for (uint32_t i = 0; i < character->mesh_count; ++i) {
        lmb_error error = {0};
        const bool is_skinned = character->meshes[i]->influences.first != NULL;
        const lmb_result result = is_skinned ? order_mesh(&character->meshes[i], &error) : LMB_OK;
        if (result != LMB_OK) {
            return cli_fail_call(cli, cli->inputs[0], result, &error);
        }
    }
    return CLI_DONE;
}

static cli_exit write_compressed(cli_run *cli, const char *output, const convert_options *opts,
                                 const lmb_character *character)
{
    lmb_buffer buffer = {0};
    cli_exit code = cli_limb_compress(cli, character, (float)opts->precision_m, &buffer);
    if (code == CLI_DONE) {
        cli_name_losses(cli, CLI_LIMB, character);
        code = cli_bytes_write(output, buffer.data, buffer.size);
    }
    lmb_buffer_free(&buffer);
    return code;
}

static cli_exit write_angles(cli_run *cli, const char *output, const lmb_character *character)
{
    lmb_buffer buffer = {0};
    lmb_error error = {0};
    const lmb_result result = lmb_angles_csv_write(character, 0, NULL, 0, NULL, &buffer, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, output, result, &error);
    }
    cli_name_losses(cli, CLI_CSV, character);
    const cli_exit code = cli_bytes_write(output, buffer.data, buffer.size);
    lmb_buffer_free(&buffer);
    return code;
}

static cli_exit check_compress(const cli_run *cli, const char *output, const convert_options *opts)
{
    const bool nameless = strcmp(output, "-") == 0 || strncmp(output, "/dev/", 5) == 0;
    if (opts->compress && !nameless && cli_format_of_name(output) != CLI_LIMB) {
        return cli_fail(cli, CLI_USAGE, "--compress: only a .limb file holds compressed clips");
    }
    if (cli_given(cli, "precision") && !opts->compress) {
        return cli_fail(cli, CLI_USAGE, "--precision goes with --compress");
    }
    if (cli_crease_check(cli, opts->crease_deg) != CLI_DONE) {
        return CLI_USAGE;
    }
    if (!(opts->precision_m >= 1e-7) || !(opts->precision_m <= 1)) {
        return cli_fail(cli, CLI_USAGE, "--precision: expected 0.0000001 to 1 m, found %g",
                        opts->precision_m);
    }
    return CLI_DONE;
}

static cli_exit convert_markers(cli_run *cli, const char *output, cli_bytes bytes,
                                const cli_read_opts *in, cli_source *source, cli_format format)
{
    lmb_markers *markers = NULL;
    cli_exit code = cli_markers_parse(cli, cli->inputs[0], bytes, in, source, &markers);
    if (code == CLI_DONE) {
        code = cli_markers_write(cli, output, format, markers);
    }
    lmb_markers_destroy(markers);
    return code;
}

/// What viewers show gets normals; other formats where they are asked for.
static bool gets_normals(const cli_run *cli, const char *output)
{
    const cli_format format = cli_format_of_name(output);
    return format == CLI_GLB || format == CLI_GLTF || cli_given(cli, "crease");
}

static cli_exit convert_character(cli_run *cli, const char *output, cli_bytes bytes,
                                  const convert_options *opts, const cli_read_opts *in,
                                  cli_source *source)
{
    lmb_character *character = NULL;
    cli_exit code = cli_character_parse(cli, cli->inputs[0], bytes, in, source, &character);
    if (code == CLI_DONE) {
        code = edit_clips(cli, opts, character);
    }
    if (code == CLI_DONE) {
        code = rename_joints(cli, &opts->renames, character);
    }
    if (code == CLI_DONE && opts->order == ORDER_SKIN) {
        code = order_meshes(cli, character);
    }
    if (code == CLI_DONE && gets_normals(cli, output)) {
        code = cli_normals_fill(cli, opts->crease_deg, character);
    }
    if (code == CLI_DONE && cli_vrm_is_asked(cli)) {
        code = cli_vrm_write(cli, output, &opts->vrm, character);
    } else if (code == CLI_DONE) {
        code = opts->compress ? write_compressed(cli, output, opts, character)
               : opts->angles ? write_angles(cli, output, character)
                              : cli_character_write(cli, output, "glb", character);
    }
    lmb_character_destroy(character);
    return code;
}

static cli_exit convert_file(cli_run *cli, const char *output, const convert_options *opts,
                             const cli_read_opts *in, cli_format format)
{
    cli_bytes bytes;
    cli_exit code = cli_bytes_read(cli->inputs[0], &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    cli_source source = {.format =
                             bytes.size > 0 ? cli_format_of(cli->inputs[0], bytes) : CLI_UNKNOWN,
                         .size = bytes.size};
    if (cli_format_is_markers(source.format) && cli_format_is_markers(format) && !opts->angles) {
        code = convert_markers(cli, output, bytes, in, &source, format);
    } else {
        code = convert_character(cli, output, bytes, opts, in, &source);
    }
    free(bytes.data);
    return code;
}

static cli_exit run_convert(cli_run *cli, const void *given)
{
    const convert_options *opts = given;
    const char *output = cli->input_count > 1 ? cli->inputs[1] : cli->output;
    if (output == NULL || (cli->input_count > 1 && cli->output != NULL)) {
        return cli_fail(cli, CLI_USAGE, "expected one output: IN OUT, or IN -o OUT");
    }
    cli_read_opts in;
    cli_format format = CLI_UNKNOWN;
    cli_exit code = check_compress(cli, output, opts);
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &in);
    }
    if (code == CLI_DONE) {
        code = cli_output_format(cli, output, opts->angles ? "csv" : "glb", &format);
    }
    if (code == CLI_DONE && opts->angles && format != CLI_CSV) {
        code = cli_fail(cli, CLI_USAGE, "--angles: only a .csv file holds a table of angles");
    }
    if (code == CLI_DONE) {
        in.markers_as_joints = true;
        code = convert_file(cli, output, opts, &in, format);
    }
    if (code == CLI_DONE && cli->json && strcmp(output, "-") != 0) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "output", output);
        cli_json_end(&json, '}');
    }
    return code;
}
