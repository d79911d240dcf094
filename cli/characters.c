/// Characters from files and into files: the reader and the writer of each format.
#include "limb.h"
#include "markers.h"

#include <stdlib.h>
#include <string.h>

typedef lmb_result (*read_fn)(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                              cli_source *source, lmb_character **out, lmb_error *error);

static lmb_result read_gltf(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                            cli_source *source, lmb_character **out, lmb_error *error)
{
    (void)opts; // metres and +Y up, by the format
    lmb_loader loader;
    cli_loader_start(path, &loader);
    const lmb_gltf_read_opts gltf = {.loader = &loader, .notes = &source->notes};
    return lmb_gltf_read(bytes.data, bytes.size, &gltf, NULL, out, error);
}

static lmb_result read_obj(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    lmb_loader loader;
    cli_loader_start(path, &loader);
    const lmb_obj_read_opts obj = {
        .loader = &loader, .unit_m = opts->unit_m, .up = opts->up, .notes = &source->notes};
    return lmb_obj_read(bytes.data, bytes.size, &obj, NULL, out, error);
}

static lmb_mesh_read_opts mesh_opts(const cli_read_opts *opts, cli_source *source)
{
    return (lmb_mesh_read_opts){.unit_m = opts->unit_m, .up = opts->up, .notes = &source->notes};
}

static lmb_result read_ply(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    (void)path;
    const lmb_mesh_read_opts ply = mesh_opts(opts, source);
    return lmb_ply_read(bytes.data, bytes.size, &ply, NULL, out, error);
}

static lmb_result read_off(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    (void)path;
    const lmb_mesh_read_opts off = mesh_opts(opts, source);
    return lmb_off_read(bytes.data, bytes.size, &off, NULL, out, error);
}

static lmb_result read_stl(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    (void)path;
    const lmb_mesh_read_opts stl = mesh_opts(opts, source);
    return lmb_stl_read(bytes.data, bytes.size, &stl, NULL, out, error);
}

static lmb_result read_bvh(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    (void)path;
    const lmb_bvh_read_opts bvh = {.unit_m = opts->unit_m, .up = opts->up, .info = &source->bvh};
    const lmb_result result = lmb_bvh_read(bytes.data, bytes.size, &bvh, NULL, out, error);
    source->notes = source->bvh.notes;
    return result;
}

static lmb_result read_fbx(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    lmb_loader loader;
    cli_loader_start(path, &loader);
    const lmb_fbx_read_opts fbx = {
        .loader = &loader, .unit_m = opts->unit_m, .notes = &source->notes, .info = &source->fbx};
    return lmb_fbx_read(bytes.data, bytes.size, &fbx, NULL, out, error);
}

static lmb_asf_read_opts asf_opts(const cli_read_opts *opts, cli_source *source)
{
    return (lmb_asf_read_opts){.unit_m = opts->unit_m, .up = opts->up, .notes = &source->notes};
}

static lmb_result read_asf(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    (void)path;
    const lmb_asf_read_opts asf = asf_opts(opts, source);
    return lmb_asf_read(bytes.data, bytes.size, NULL, 0, &asf, NULL, out, error);
}

/// An .amc's skeleton lies beside it: 01_01.asf, or 01.asf as the CMU database names it.
static bool find_asf(const char *path, const lmb_loader *loader, char name[256], lmb_bytes *asf)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    size_t stem = dot != NULL ? (size_t)(dot - file) : strlen(file);
    for (; stem > 0 && stem < 250; --stem) {
        if (file[stem] != '.' && file[stem] != '_' && file[stem] != '\0') {
            continue;
        }
        snprintf(name, 256, "%.*s.asf", (int)stem, file);
        if (loader->load(loader->user, name, asf)) {
            return true;
        }
    }
    return false;
}

static lmb_result read_amc(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    const lmb_asf_read_opts both = asf_opts(opts, source);
    lmb_loader loader;
    lmb_bytes asf = {0};
    char name[256] = "";
    cli_loader_start(path, &loader);
    if (!find_asf(path, &loader, name, &asf)) {
        snprintf(error->expected, sizeof error->expected, "its skeleton beside it, %s", name);
        snprintf(error->found, sizeof error->found, "no .asf file of that name");
        return LMB_ERROR_MALFORMED;
    }
    // The skeleton alone first, so that a fault in it is not blamed on the motion.
    lmb_error in_skeleton = {0};
    lmb_result result = lmb_asf_read(asf.data, asf.size, NULL, 0, &both, NULL, out, &in_skeleton);
    if (result == LMB_OK) {
        lmb_character_destroy(*out);
        result = lmb_asf_read(asf.data, asf.size, bytes.data, bytes.size, &both, NULL, out, error);
    } else {
        snprintf(error->expected, sizeof error->expected, "a sound skeleton beside it");
        snprintf(error->found, sizeof error->found, "%.80s:%u:%u: %.60s", name, in_skeleton.line,
                 in_skeleton.column, in_skeleton.found);
    }
    if (loader.release != NULL) {
        loader.release(loader.user, asf);
    }
    return result;
}

static bool is_body_model(cli_bytes bytes)
{
    lmb_npz *npz = NULL;
    const bool is =
        lmb_npz_read(bytes.data, bytes.size, NULL, &npz, NULL) == LMB_OK && lmb_body_model_is(npz);
    lmb_npz_destroy(npz);
    return is;
}

/// Poses of SMPL, on the bones of an average body.
static lmb_result read_body_motion(cli_bytes bytes, const cli_read_opts *opts, cli_source *source,
                                   lmb_character **out, lmb_error *error)
{
    lmb_body_motion *motion = NULL;
    const lmb_body_motion_character_opts how = {.up = opts->up, .notes = &source->notes};
    lmb_result result = lmb_body_motion_read(bytes.data, bytes.size, NULL, &motion, error);
    if (result == LMB_OK) {
        result = lmb_body_motion_character(motion, &how, NULL, out, error);
    }
    lmb_body_motion_destroy(motion);
    return result;
}

/// A body model, of its mean shape and at rest (`bake` knows how to give it others), or a motion.
static lmb_result read_npz(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    (void)path;
    if (!is_body_model(bytes)) {
        return read_body_motion(bytes, opts, source, out, error);
    }
    lmb_body_model *model = NULL;
    lmb_result result = lmb_body_model_read(bytes.data, bytes.size, NULL, &model, error);
    if (result == LMB_OK) {
        result = lmb_body_character_create(model, NULL, NULL, out, NULL, error);
    }
    lmb_body_model_destroy(model);
    return result;
}

static lmb_result read_limb(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                            cli_source *source, lmb_character **out, lmb_error *error)
{
    (void)path;
    (void)opts; // metres and +Y up, by the format
    (void)source;
    return cli_limb_read(bytes, out, error);
}

/// "walk" of "bob/walk.md5anim"; false when it does not fit.
static bool stem_of(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    const int length =
        snprintf(out, size, "%.*s", dot != NULL ? (int)(dot - file) : (int)strlen(file), file);
    return length > 0 && (size_t)length < size;
}

/// A .md5mesh takes the .md5anim of its name that lies beside it; a .md5anim stands alone.
static lmb_result read_md5(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    const lmb_md5_read_opts md5 = {.unit_m = opts->unit_m, .up = opts->up, .notes = &source->notes};
    char stem[200] = "", name[216];
    stem_of(path, stem, sizeof(stem));
    snprintf(name, sizeof(name), "%s.md5anim", stem);
    lmb_md5_anim anim = {.name = stem[0] != 0 ? stem : NULL};
    if (cli_md5_is_anim(bytes)) {
        anim.bytes = (lmb_bytes){bytes.data, bytes.size};
        return lmb_md5_read(NULL, 0, &anim, 1, &md5, NULL, out, error);
    }
    lmb_result result = lmb_md5_read(bytes.data, bytes.size, NULL, 0, &md5, NULL, out, error);
    lmb_loader loader;
    cli_loader_start(path, &loader);
    if (result != LMB_OK || !loader.load(loader.user, name, &anim.bytes)) {
        return result;
    }
    lmb_character_destroy(*out);
    source->notes = (lmb_notes){0};
    lmb_error in_anim = {0};
    result = lmb_md5_read(bytes.data, bytes.size, &anim, 1, &md5, NULL, out, &in_anim);
    if (result != LMB_OK) {
        error->line = error->column = 1;
        snprintf(error->expected, sizeof error->expected, "a sound motion beside it");
        snprintf(error->found, sizeof error->found, "%.40s:%u:%u: expected %.40s, found %.30s",
                 name, in_anim.line, in_anim.column, in_anim.expected, in_anim.found);
        result = result == LMB_ERROR_INVALID ? LMB_ERROR_MALFORMED : result;
    }
    loader.release(loader.user, anim.bytes);
    return result;
}

static lmb_result read_iqm(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    (void)path;
    const lmb_iqm_read_opts iqm = {.unit_m = opts->unit_m, .up = opts->up, .notes = &source->notes};
    return lmb_iqm_read(bytes.data, bytes.size, &iqm, NULL, out, error);
}

static const read_fn readers[CLI_FORMAT_COUNT] = {
    [CLI_GLB] = read_gltf,  [CLI_VRMA] = read_gltf, [CLI_GLTF] = read_gltf, [CLI_OBJ] = read_obj,
    [CLI_PLY] = read_ply,   [CLI_OFF] = read_off,   [CLI_STL] = read_stl,   [CLI_BVH] = read_bvh,
    [CLI_ASF] = read_asf,   [CLI_AMC] = read_amc,   [CLI_FBX] = read_fbx,   [CLI_NPZ] = read_npz,
    [CLI_LIMB] = read_limb, [CLI_MD5] = read_md5,   [CLI_IQM] = read_iqm,
};

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

void cli_print_notes(const cli_run *cli, const char *path, const lmb_notes *notes)
{
    const uint32_t shown = notes->count < LMB_NOTE_MAX ? notes->count : LMB_NOTE_MAX;
    for (uint32_t i = 0; i < shown && !cli->quiet; ++i) {
        if (notes->items[i].line != 0) {
            cli_warn(cli, "%s:%u: %s", path, notes->items[i].line, notes->items[i].text);
        } else {
            cli_warn(cli, "%s: %s", path, notes->items[i].text);
        }
    }
    if (notes->count > shown && !cli->quiet) {
        cli_warn(cli, "%s: %u more like these", path, notes->count - shown);
    }
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
    if (readers[source->format] == NULL) {
        return refuse_input(path, source->format, bytes);
    }
    lmb_error error = {0};
    lmb_character *character = NULL;
    error.code = readers[source->format](path, bytes, opts, source, &character, &error);
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

typedef lmb_result (*write_fn)(const lmb_character *character, const char *path, lmb_buffer *out,
                               lmb_error *error);

static lmb_result write_glb(const lmb_character *character, const char *path, lmb_buffer *out,
                            lmb_error *error)
{
    (void)path;
    return lmb_gltf_write(character, NULL, NULL, out, error);
}

/// What was read as an animation keeps its expressions and its gaze; of others a T-pose and its
/// turns are made.
static lmb_result write_vrma(const lmb_character *character, const char *path, lmb_buffer *out,
                             lmb_error *error)
{
    const char *carried = character->look != NULL ? character->look->carried : NULL;
    (void)path;
    if (carried != NULL && strstr(carried, "\"VRMC_vrm_animation\"") != NULL) {
        return lmb_gltf_write(character, NULL, NULL, out, error);
    }
    return lmb_vrma_write(character, 0, NULL, NULL, out, error);
}

static lmb_result write_gltf(const lmb_character *character, const char *path, lmb_buffer *out,
                             lmb_error *error)
{
    (void)path;
    const lmb_gltf_write_opts opts = {.text = true};
    return lmb_gltf_write(character, &opts, NULL, out, error);
}

/// The .mtl beside an .obj, by its path. False when there is nothing to put into it, or no file to
/// be beside.
static bool material_path(const lmb_character *character, const char *path, char *out, size_t size)
{
    const char *dot = strrchr(path, '.');
    const bool is_file = dot != NULL && strchr(dot, '/') == NULL && strncmp(path, "/dev/", 5) != 0;
    if (!is_file || character->look == NULL || character->look->material_count == 0) {
        return false;
    }
    const int length = snprintf(out, size, "%.*s.mtl", (int)(dot - path), path);
    return length > 0 && (size_t)length < size;
}

static lmb_result write_obj(const lmb_character *character, const char *path, lmb_buffer *out,
                            lmb_error *error)
{
    char library[4096];
    lmb_obj_write_opts opts = {0};
    if (material_path(character, path, library, sizeof(library))) {
        const char *slash = strrchr(library, '/');
        opts.material_library = slash != NULL ? slash + 1 : library;
    }
    return lmb_obj_write(character, &opts, NULL, out, error);
}

/// Writes the .mtl that an .obj just written refers to.
static cli_exit write_materials(const cli_run *cli, const char *path,
                                const lmb_character *character)
{
    char library[4096];
    if (!material_path(character, path, library, sizeof(library))) {
        return CLI_DONE;
    }
    lmb_buffer buffer = {0};
    lmb_error error = {0};
    const lmb_result result = lmb_mtl_write(character->look, NULL, &buffer, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, library, result, &error);
    }
    const cli_exit code = cli_bytes_write(library, buffer.data, buffer.size);
    lmb_buffer_free(&buffer);
    return code;
}

static lmb_result write_ply(const lmb_character *character, const char *path, lmb_buffer *out,
                            lmb_error *error)
{
    (void)path;
    return lmb_ply_write(character, NULL, NULL, out, error);
}

static lmb_result write_bvh(const lmb_character *character, const char *path, lmb_buffer *out,
                            lmb_error *error)
{
    (void)path;
    return lmb_bvh_write(character, NULL, NULL, out, error);
}

static lmb_result write_npz(const lmb_character *character, const char *path, lmb_buffer *out,
                            lmb_error *error)
{
    (void)path;
    lmb_body_motion *motion = NULL;
    lmb_result result = lmb_body_motion_of_clip(character, 0, NULL, NULL, &motion, error);
    if (result == LMB_OK) {
        result = lmb_body_motion_write(motion, NULL, out, error);
    }
    lmb_body_motion_destroy(motion);
    return result;
}

static lmb_result write_limb(const lmb_character *character, const char *path, lmb_buffer *out,
                             lmb_error *error)
{
    (void)path;
    return cli_limb_write(character, out, error);
}

/// What a format can hold; the rest is named when a character has it.
typedef struct writer {
    write_fn write;
    bool materials, skins, clips, morphs, skeleton, meshes;
} writer;

static const writer writers[CLI_FORMAT_COUNT] = {
    [CLI_GLB] = {write_glb, true, true, true, true, true, true},
    [CLI_GLTF] = {write_gltf, true, true, true, true, true, true},
    [CLI_VRMA] = {.write = write_vrma, .skeleton = true, .clips = true},
    [CLI_OBJ] = {.write = write_obj, .materials = true, .meshes = true},
    [CLI_PLY] = {.write = write_ply, .meshes = true},
    [CLI_BVH] = {.write = write_bvh, .skeleton = true, .clips = true},
    [CLI_NPZ] = {.write = write_npz, .clips = true},
    [CLI_LIMB] = {.write = write_limb, .skeleton = true, .clips = true},
    [CLI_C3D] = {.clips = true},
    [CLI_TRC] = {.clips = true},
    [CLI_CSV] = {.clips = true},
};

static bool has_targets(const lmb_character *character)
{
    for (uint32_t m = 0; m < character->mesh_count; ++m) {
        if (character->meshes[m]->target_count > 0) {
            return true;
        }
    }
    return false;
}

void cli_name_losses(cli_run *cli, cli_format format, const lmb_character *character)
{
    const writer *holds = &writers[format];
    const bool of_markers = cli_format_is_markers(format), of_body = format == CLI_NPZ;
    const struct {
        bool has, held;
        const char *name;
    } parts[] = {
        {character->mesh_count > 0, holds->meshes, "meshes"},
        {character->look != NULL && character->look->material_count > 0, holds->materials,
         "materials"},
        {character->skin_count > 0, holds->skins, "skins"},
        {has_targets(character), holds->morphs, "morph targets"},
        {character->skeleton->joint_count > 1, holds->skeleton,
         of_markers ? "the skeleton but for its joints' places"
         : of_body  ? "the lengths of the skeleton"
                    : "the skeleton"},
        {character->clip_count > 0, holds->clips, "clips"},
        {character->clip_count > 1 &&
             (format == CLI_BVH || format == CLI_VRMA || of_markers || of_body),
         false, "clips after the first"},
    };
    char list[128] = "";
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

cli_exit cli_output_format(const cli_run *cli, const char *path, const char *fallback,
                           cli_format *out)
{
    char name[16];
    snprintf(name, sizeof(name), "x.%s", fallback);
    // Pipes and devices have no extension to name a format.
    const bool nameless = strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0;
    *out = cli_format_of_name(nameless ? name : path);
    return *out != CLI_UNKNOWN
               ? CLI_DONE
               : cli_fail(cli, CLI_USAGE,
                          "%s: the extension names no format; there are .glb .gltf .vrma .obj .ply "
                          ".bvh .limb .c3d .trc .csv .npz",
                          path);
}

/// The joints of the first clip as markers.
static cli_exit write_as_markers(cli_run *cli, const char *path, cli_format format,
                                 const lmb_character *character)
{
    if (character->clip_count == 0) {
        return cli_fail(cli, CLI_FAILED, "%s: there is no clip whose joints could be markers",
                        path);
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
    if (writers[format].write == NULL) {
        return cli_fail(cli, CLI_UNSUPPORTED, "not supported: writing %s", cli_format_name(format));
    }
    lmb_buffer buffer = {0};
    lmb_error error = {0};
    const lmb_result result = writers[format].write(character, path, &buffer, &error);
    if (result != LMB_OK) {
        const cli_exit code = cli_fail_call(cli, path, result, &error);
        return code == CLI_INPUT ? CLI_FAILED : code;
    }
    cli_name_losses(cli, format, character);
    cli_exit code = cli_bytes_write(path, buffer.data, buffer.size);
    lmb_buffer_free(&buffer);
    if (code == CLI_DONE && format == CLI_OBJ) {
        code = write_materials(cli, path, character);
    }
    return code;
}
