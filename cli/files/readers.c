/// Bytes to characters: the reader of each format.
#include "cli/files/codecs.h"
#include "cli/files/draco.h"
#include "cli/files/limb.h"

#include "limber/os.h"

#include <stdlib.h>
#include <string.h>

static lmb_result read_gltf(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                            cli_source *source, lmb_character **out, lmb_error *error)
{
    (void)opts; // metres and +Y up, by the format
    lmb_loader loader;
    cli_loader_start(path, &loader);
    const lmb_gltf_read_opts gltf = {
        .loader = &loader, .notes = &source->notes, .draco = cli_draco_decoder()};
    return lmb_gltf_read(bytes.data, bytes.size, &gltf, NULL, out, error);
}

static lmb_result read_by_format(lmb_format format, const char *path, cli_bytes bytes,
                                 const cli_read_opts *opts, cli_source *source, lmb_character **out,
                                 lmb_error *error)
{
    lmb_loader loader;
    cli_loader_start(path, &loader);
    const lmb_read_opts how = {.loader = &loader,
                               .unit_m = opts->unit_m,
                               .up = opts->up,
                               .notes = &source->notes,
                               .bvh = &source->bvh,
                               .fbx = &source->fbx};
    return lmb_read(format, bytes.data, bytes.size, &how, NULL, out, error);
}

#define READER(name, format)                                                             \
    static lmb_result name(const char *path, cli_bytes bytes, const cli_read_opts *opts, \
                           cli_source *source, lmb_character **out, lmb_error *error)    \
    {                                                                                    \
        return read_by_format(format, path, bytes, opts, source, out, error);            \
    }
READER(read_obj, LMB_FORMAT_OBJ)
READER(read_ply, LMB_FORMAT_PLY)
READER(read_off, LMB_FORMAT_OFF)
READER(read_stl, LMB_FORMAT_STL)
READER(read_bvh, LMB_FORMAT_BVH)
READER(read_fbx, LMB_FORMAT_FBX)
READER(read_iqm, LMB_FORMAT_IQM)
#undef READER

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

/// The skeleton alone first, so that a fault in it is not blamed on the motion.
static lmb_result read_both(const char *name, lmb_bytes asf, cli_bytes amc,
                            const lmb_asf_read_opts *opts, lmb_character **out, lmb_error *error)
{
    lmb_error why = {0};
    const lmb_result result = lmb_asf_read(asf.data, asf.size, NULL, 0, opts, NULL, out, &why);
    if (result != LMB_OK) {
        snprintf(error->expected, sizeof error->expected, "a sound skeleton");
        snprintf(error->found, sizeof error->found, "%.80s:%u:%u: %.60s", name, why.line,
                 why.column, why.found);
        return result;
    }
    lmb_character_destroy(*out);
    return lmb_asf_read(asf.data, asf.size, amc.data, amc.size, opts, NULL, out, error);
}

static lmb_result read_by_skeleton(const char *name, cli_bytes amc, const lmb_asf_read_opts *opts,
                                   lmb_character **out, lmb_error *error)
{
    lmb_error why = {0};
    lmb_file asf = {0};
    lmb_result result = lmb_file_read(name, 0, &asf, &why);
    if (result == LMB_OK) {
        result = read_both(name, (lmb_bytes){asf.data, asf.size}, amc, opts, out, error);
    } else {
        snprintf(error->expected, sizeof error->expected, "its skeleton in %s", name);
        snprintf(error->found, sizeof error->found, "%s", why.found);
    }
    lmb_file_free(&asf);
    return result;
}

static lmb_result read_amc(const char *path, cli_bytes bytes, const cli_read_opts *opts,
                           cli_source *source, lmb_character **out, lmb_error *error)
{
    const lmb_asf_read_opts both = asf_opts(opts, source);
    if (opts->skeleton != NULL) {
        return read_by_skeleton(opts->skeleton, bytes, &both, out, error);
    }
    lmb_loader loader;
    lmb_bytes asf = {0};
    char name[256] = "";
    cli_loader_start(path, &loader);
    if (!find_asf(path, &loader, name, &asf)) {
        snprintf(error->expected, sizeof error->expected,
                 "its skeleton beside it, %.80s, or `limber convert --skeleton FILE.asf`", name);
        snprintf(error->found, sizeof error->found, "no .asf file of that name");
        return LMB_ERROR_MALFORMED;
    }
    const lmb_result result = read_both(name, asf, bytes, &both, out, error);
    if (loader.release != NULL) {
        loader.release(loader.user, asf);
    }
    return result;
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
    if (!lmb_content_is(LMB_CONTENT_BODY_MODEL, bytes.data, bytes.size)) {
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
    lmb_loader loader;
    cli_loader_start(path, &loader);
    const lmb_md5_read_opts md5 = {
        .loader = &loader, .unit_m = opts->unit_m, .up = opts->up, .notes = &source->notes};
    char stem[200] = "", name[216];
    stem_of(path, stem, sizeof(stem));
    snprintf(name, sizeof(name), "%s.md5anim", stem);
    lmb_md5_anim anim = {.name = stem[0] != 0 ? stem : NULL};
    if (cli_md5_is_anim(bytes)) {
        anim.bytes = (lmb_bytes){bytes.data, bytes.size};
        return lmb_md5_read(NULL, 0, &anim, 1, &md5, NULL, out, error);
    }
    lmb_result result = lmb_md5_read(bytes.data, bytes.size, NULL, 0, &md5, NULL, out, error);
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

static const cli_reader readers[CLI_FORMAT_COUNT] = {
    [CLI_GLB] = read_gltf,  [CLI_VRMA] = read_gltf, [CLI_GLTF] = read_gltf, [CLI_OBJ] = read_obj,
    [CLI_PLY] = read_ply,   [CLI_OFF] = read_off,   [CLI_STL] = read_stl,   [CLI_BVH] = read_bvh,
    [CLI_ASF] = read_asf,   [CLI_AMC] = read_amc,   [CLI_FBX] = read_fbx,   [CLI_NPZ] = read_npz,
    [CLI_LIMB] = read_limb, [CLI_MD5] = read_md5,   [CLI_IQM] = read_iqm,
};

cli_reader cli_reader_of(cli_format format)
{
    return readers[format];
}
