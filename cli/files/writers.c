/// Characters to bytes: the writer of each format.
#include "cli/files/codecs.h"
#include "cli/files/limb.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool carries(const lmb_character *character, const char *extension)
{
    const char *carried = character->appearance != NULL ? character->appearance->carried : NULL;
    return carried != NULL && strstr(carried, extension) != NULL;
}

/// A VRM adds licence, author and human bones to a GLB. They are written if they were read, and
/// never invented.
static lmb_result write_glb(const lmb_character *character, const char *path, lmb_buffer *out,
                            lmb_error *error)
{
    const char *dot = strrchr(path, '.');
    if (dot != NULL && strcasecmp(dot, ".vrm") == 0 && !carries(character, "\"VRMC_vrm\"") &&
        !carries(character, "\"VRM\"")) {
        error->code = LMB_ERROR_UNSUPPORTED;
        snprintf(error->expected, sizeof(error->expected), "a character read from a VRM");
        snprintf(error->found, sizeof(error->found),
                 "one without a licence; limber convert --author NAME gives it one");
        return LMB_ERROR_UNSUPPORTED;
    }
    return lmb_gltf_write(character, NULL, NULL, out, error);
}

/// A VRM animation keeps its expressions and gaze; other motions become a T-pose and rotations from
/// it.
static lmb_result write_vrma(const lmb_character *character, const char *path, lmb_buffer *out,
                             lmb_error *error)
{
    (void)path;
    if (carries(character, "\"VRMC_vrm_animation\"")) {
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
    if (!is_file || character->appearance == NULL || character->appearance->material_count == 0) {
        return false;
    }
    const int length = snprintf(out, size, "%.*s.mtl", (int)(dot - path), path);
    return length > 0 && (size_t)length < size;
}

static lmb_result write_obj(const lmb_character *character, const char *path, lmb_buffer *out,
                            lmb_error *error)
{
    char library[4096];
    lmb_write_opts opts = {0};
    if (material_path(character, path, library, sizeof(library))) {
        const char *slash = strrchr(library, '/');
        opts.material_library = slash != NULL ? slash + 1 : library;
    }
    return lmb_write(LMB_FORMAT_OBJ, character, &opts, NULL, out, error);
}

static lmb_result write_ply(const lmb_character *character, const char *path, lmb_buffer *out,
                            lmb_error *error)
{
    (void)path;
    return lmb_write(LMB_FORMAT_PLY, character, NULL, NULL, out, error);
}

static lmb_result write_bvh(const lmb_character *character, const char *path, lmb_buffer *out,
                            lmb_error *error)
{
    (void)path;
    return lmb_write(LMB_FORMAT_BVH, character, NULL, NULL, out, error);
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

cli_exit cli_materials_write(const cli_run *cli, const char *path, const lmb_character *character)
{
    char library[4096];
    if (!material_path(character, path, library, sizeof(library))) {
        return CLI_DONE;
    }
    lmb_buffer buffer = {0};
    lmb_error error = {0};
    const lmb_result result = lmb_write(LMB_FORMAT_MTL, character, NULL, NULL, &buffer, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, library, result, &error);
    }
    const cli_exit code = cli_bytes_write(library, buffer.data, buffer.size);
    lmb_buffer_free(&buffer);
    return code;
}

static const cli_writer writers[CLI_FORMAT_COUNT] = {
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

const cli_writer *cli_writer_of(cli_format format)
{
    return &writers[format];
}
