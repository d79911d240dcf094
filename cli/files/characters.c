/// Characters from files and into files.
#include "cli/files/codecs.h"
#include "cli/files/markers.h"
#include "cli/still.h"

#include <stdlib.h>
#include <string.h>

static cli_exit refuse_input(const char *path, cli_format format, cli_bytes bytes)
{
    lmb_error error = {.code = LMB_ERROR_MALFORMED};
    if (format == CLI_LFS_POINTER) {
        snprintf(error.expected, sizeof(error.expected), "a 3D file");
        snprintf(error.found, sizeof(error.found),
                 "a git-lfs pointer; `git lfs pull` fetches the file itself");
    } else if (format == CLI_UNKNOWN) {
        snprintf(error.expected, sizeof(error.expected),
                 "a glTF, VRM, FBX, OBJ, PLY, OFF, STL, BVH, ASF, AMC, MD5, IQM, C3D, TRC or .limb "
                 "file");
        snprintf(error.found, sizeof(error.found),
                 bytes.size == 0 ? "an empty file" : "none of them");
    } else {
        error.code = LMB_ERROR_UNSUPPORTED;
        snprintf(error.found, sizeof(error.found), "reading %s", cli_format_name(format));
    }
    return cli_fail_file(path, &error);
}

/// Loose joints that move as the markers do: for looking at them and for formats without markers.
static cli_exit read_markers(cli_run *cli, const char *path, cli_bytes bytes,
                             const cli_read_opts *opts, cli_source *source, lmb_character **out)
{
    if (!opts->markers_as_joints) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "%s: not supported: %s here, which holds markers and no skeleton; "
                        "`limber fit` makes joints of them",
                        path, cli_format_name(source->format));
    }
    lmb_markers *markers = NULL;
    cli_exit code = cli_markers_parse(cli, path, bytes, opts, source, &markers);
    if (code == CLI_DONE) {
        lmb_error error = {0};
        const lmb_result result = lmb_markers_character(markers, NULL, out, &error);
        code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, path, result, &error);
    }
    if (code == CLI_DONE && (markers->residuals != NULL || markers->analog_count > 0)) {
        cli_warn(cli, "%s: joints cannot hold these, they are left out: %s", path,
                 markers->analog_count == 0   ? "residuals"
                 : markers->residuals == NULL ? "analog channels"
                                              : "residuals, analog channels");
    }
    lmb_markers_destroy(markers);
    return code;
}

cli_exit cli_character_parse(cli_run *cli, const char *path, cli_bytes bytes,
                             const cli_read_opts *opts, cli_source *source, lmb_character **out)
{
    const bool is_gltf = source->format == CLI_GLB || source->format == CLI_GLTF;
    if (is_gltf && (opts->unit_m > 0 || opts->up != LMB_AXIS_AUTO)) {
        cli_warn(cli, "%s: glTF is in metres and +Y up by definition: --unit and --up do nothing",
                 path);
    }
    if (cli_format_is_markers(source->format)) {
        return read_markers(cli, path, bytes, opts, source, out);
    }
    if (cli_reader_of(source->format) == NULL) {
        return refuse_input(path, source->format, bytes);
    }
    lmb_error error = {0};
    lmb_character *character = NULL;
    error.code = cli_reader_of(source->format)(path, bytes, opts, source, &character, &error);
    if (error.code != LMB_OK) {
        return cli_fail_file(path, &error);
    }
    if (!opts->silent_notes) {
        cli_print_notes(cli, path, &source->notes);
    }
    *out = character;
    return CLI_DONE;
}

cli_exit cli_character_read(cli_run *cli, const char *path, const cli_read_opts *opts,
                            cli_source *source, lmb_character **out)
{
    static const cli_read_opts guess_all;
    cli_source unused, *at = source != NULL ? source : &unused;
    cli_bytes bytes;
    cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    *at = (cli_source){.format = bytes.size > 0 ? cli_format_of(path, bytes) : CLI_UNKNOWN,
                       .size = bytes.size};
    code = cli_character_parse(cli, path, bytes, opts != NULL ? opts : &guess_all, at, out);
    free(bytes.data);
    return code;
}

// ---------------------------------------------------------------------------------------- writing

static bool has_targets(const lmb_character *character)
{
    for (uint32_t m = 0; m < character->mesh_count; ++m) {
        if (character->meshes[m]->target_count > 0) {
            return true;
        }
    }
    return false;
}

static bool has_limits(const lmb_character *character)
{
    const lmb_skeleton *skeleton = character->skeleton;
    for (uint32_t j = 0; skeleton->limits != NULL && j < skeleton->joint_count; ++j) {
        if (skeleton->limits[j].kind != LMB_JOINT_FREE || skeleton->limits[j].has_box) {
            return true;
        }
    }
    return false;
}

/// Whether a clip, or the first alone, scales joints.
static bool has_scale(const lmb_character *character, bool first_only)
{
    const uint32_t clips = first_only && character->clip_count > 1 ? 1 : character->clip_count;
    for (uint32_t k = 0; k < clips; ++k) {
        for (uint32_t c = 0; c < character->clips[k]->channel_count; ++c) {
            if (character->clips[k]->channels[c].path == LMB_PATH_SCALE) {
                return true;
            }
        }
    }
    return false;
}

/// A primitive that draws nothing.
static bool has_bare_part(const lmb_character *character)
{
    for (uint32_t m = 0; m < character->mesh_count; ++m) {
        const lmb_mesh *mesh = character->meshes[m];
        for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
            if (mesh->primitives[p].index_count == 0) {
                return true;
            }
        }
    }
    return false;
}

void cli_name_losses(cli_run *cli, cli_format format, const lmb_character *character)
{
    const cli_writer *holds = cli_writer_of(format);
    const bool of_markers = cli_format_is_markers(format), of_body = format == CLI_NPZ;
    const bool is_gltf = format == CLI_GLB || format == CLI_GLTF;
    const bool one_clip = format == CLI_BVH || format == CLI_VRMA || of_markers || of_body;
    const struct {
        bool has, held;
        const char *name;
    } parts[] = {
        {character->mesh_count > 0, holds->meshes, "meshes"},
        {character->appearance != NULL && character->appearance->material_count > 0,
         holds->materials, "materials"},
        {character->skin_count > 0, holds->skins, "skins"},
        {has_targets(character), holds->morphs, "morph targets"},
        {character->skeleton->joint_count > 1, holds->skeleton,
         of_markers ? "the skeleton but for its joints' places"
         : of_body  ? "the lengths of the skeleton"
                    : "the skeleton"},
        {character->clip_count > 0, holds->clips, "clips"},
        {has_limits(character) && !cli->made_limits, false, "limits of joints"},
        {character->appearance != NULL && character->appearance->extensions_used != NULL, is_gltf,
         "extensions"},
        {has_scale(character, one_clip), is_gltf || format == CLI_LIMB || !holds->clips,
         "animated scale"},
        {character->clip_count > 1 && one_clip, false, "clips after the first"},
        {has_bare_part(character), !is_gltf, "parts of meshes without anything to draw"},
    };
    char list[192] = "";
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
        if (parts[i].has && !parts[i].held) {
            const size_t length = strlen(list);
            snprintf(list + length, sizeof(list) - length, "%s%s", length > 0 ? ", " : "",
                     parts[i].name);
        }
    }
    if (list[0] != 0 && !cli->quiet && !cli->losses_named) {
        cli->losses_named = true;
        cli_warn(cli, "%s cannot hold these, they are left out: %s", cli_format_name(format), list);
    }
}

/// The joints of the first clip as markers.
static cli_exit write_as_markers(cli_run *cli, const char *path, cli_format format,
                                 const lmb_character *character)
{
    if (character->clip_count == 0) {
        return cli_fail(cli, CLI_INPUT, "%s: there is no clip whose joints could be markers", path);
    }
    lmb_markers *markers = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_markers_of_clip(character, 0, 0, NULL, &markers, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, path, result, &error);
    }
    cli_name_losses(cli, format, character);
    const cli_exit code = cli_markers_write(cli, path, format, markers);
    lmb_markers_destroy(markers);
    return code;
}

/// The clips of `character` with keys of what their poses drive, in `view`; NULL where nothing is
/// driven.
static cli_exit drive_clips(cli_run *cli, const char *path, const lmb_character *character,
                            lmb_character *view)
{
    lmb_pose_drivers *drivers = NULL;
    lmb_error error = {0};
    lmb_result result = lmb_pose_drivers_create(character, NULL, &drivers, &error);
    *view = *character;
    if (result != LMB_OK) {
        cli_warn(cli, "%s: correctives do not follow: expected %s, found %s", path, error.expected,
                 error.found);
        return CLI_DONE;
    }
    if (drivers == NULL) {
        return CLI_DONE;
    }
    view->clips = cli_resize(NULL, character->clip_count, sizeof(lmb_clip *));
    memset(view->clips, 0, character->clip_count * sizeof(lmb_clip *));
    for (uint32_t k = 0; result == LMB_OK && k < character->clip_count; ++k) {
        result = lmb_pose_drivers_clip(drivers, character->clips[k], NULL, &view->clips[k], &error);
    }
    lmb_pose_drivers_destroy(drivers);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, path, result, &error);
}

static void end_view(lmb_character *view, const lmb_character *character)
{
    for (uint32_t k = 0; view->clips != character->clips && k < view->clip_count; ++k) {
        lmb_clip_destroy(view->clips[k]);
    }
    if (view->clips != character->clips) {
        free(view->clips);
    }
}

/// Writes a skinned character to a format without skins: as it rests, which is where viewers show it
/// and seldom where its meshes are stored.
static cli_exit write_at_rest(cli_run *cli, const char *path, const char *fallback,
                              cli_format format, const lmb_character *character)
{
    cli_posed posed;
    lmb_character *still = NULL;
    lmb_error error = {0};
    cli_name_losses(cli, format, character);
    cli_exit code = cli_posed_start(&posed, cli, character);
    if (code == CLI_DONE) {
        cli_posed_at(&posed, cli, NULL, 0);
        const lmb_result result = cli_still_character(&posed, false, &still, &error);
        code = result == LMB_OK ? cli_character_write(cli, path, fallback, still)
                                : cli_fail_call(cli, path, result, &error);
    }
    cli_posed_end(&posed);
    lmb_character_destroy(still);
    return code;
}

cli_exit cli_character_write(cli_run *cli, const char *path, const char *fallback,
                             const lmb_character *character)
{
    cli_format format = CLI_UNKNOWN;
    const cli_exit found = cli_output_format(cli, path, fallback, &format);
    if (found != CLI_DONE) {
        return found;
    }
    if (cli_format_is_markers(format)) {
        return write_as_markers(cli, path, format, character);
    }
    if (character->mesh_count == 0 && (format == CLI_OBJ || format == CLI_PLY)) {
        return cli_fail(cli, CLI_INPUT, "%s: there is no mesh to write", path);
    }
    const cli_writer *writer = cli_writer_of(format);
    if (writer->meshes && !writer->skins && character->skin_count > 0) {
        return write_at_rest(cli, path, fallback, format, character);
    }
    lmb_buffer buffer = {0};
    lmb_error error = {0};
    lmb_character view;
    cli_exit code = drive_clips(cli, path, character, &view);
    if (code == CLI_DONE) {
        const lmb_result result = writer->write(&view, path, &buffer, &error);
        code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, path, result, &error);
    }
    end_view(&view, character);
    if (code != CLI_DONE) {
        return code;
    }
    cli_name_losses(cli, format, character);
    code = cli_bytes_write(path, buffer.data, buffer.size);
    lmb_buffer_free(&buffer);
    if (code == CLI_DONE && format == CLI_OBJ) {
        code = cli_materials_write(cli, path, character);
    }
    return code;
}

lmb_joint_map cli_joint_map(const lmb_skeleton *skeleton)
{
    lmb_joint_map map;
    if (lmb_joint_map_make(skeleton, NULL, &map, NULL) != LMB_OK) {
        cli_out_of_memory();
    }
    return map;
}

int32_t cli_joint_named(const lmb_skeleton *skeleton, const char *name)
{
    const int32_t joint = lmb_skeleton_find(skeleton, name);
    const lmb_human_bone bone = lmb_human_bone_find(name);
    return joint == LMB_NONE && bone < LMB_HUMAN_BONE_COUNT
               ? cli_joint_map(skeleton).bones[bone].joint
               : joint;
}

lmb_joint_map cli_joint_map_of(const lmb_character *character)
{
    lmb_joint_map map;
    if (lmb_joint_map_of_character(character, NULL, &map, NULL) != LMB_OK) {
        cli_out_of_memory();
    }
    return map;
}
