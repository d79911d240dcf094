/// Which format a file is in, and the reader and writer that belong to it.
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ------------------------------------------------------------------------------------ recognising

static const char *const format_names[CLI_FORMAT_COUNT] = {
    [CLI_UNKNOWN] = "unknown",
    [CLI_GLB] = "glTF binary",
    [CLI_VRMA] = "VRM animation",
    [CLI_GLTF] = "glTF",
    [CLI_OBJ] = "Wavefront OBJ",
    [CLI_PLY] = "PLY",
    [CLI_OFF] = "OFF",
    [CLI_STL] = "STL",
    [CLI_BVH] = "Biovision BVH",
    [CLI_FBX] = "FBX",
    [CLI_MD5] = "MD5",
    [CLI_IQM] = "IQM",
    [CLI_COLLADA] = "COLLADA",
    [CLI_USD] = "USD",
    [CLI_ASF] = "Acclaim ASF",
    [CLI_AMC] = "Acclaim AMC",
    [CLI_C3D] = "C3D",
    [CLI_TRC] = "TRC",
    [CLI_CSV] = "table of markers",
    [CLI_NPZ] = "NumPy archive",
    [CLI_LFS_POINTER] = "git-lfs pointer",
    [CLI_LIMB] = "Limber motion",
};

typedef struct extension {
    const char *text;
    cli_format format;
} extension;

static const extension extensions[] = {
    {"glb", CLI_GLB},   {"vrm", CLI_GLB},     {"vrma", CLI_VRMA},   {"gltf", CLI_GLTF},
    {"obj", CLI_OBJ},   {"ply", CLI_PLY},     {"off", CLI_OFF},     {"stl", CLI_STL},
    {"bvh", CLI_BVH},   {"fbx", CLI_FBX},     {"md5mesh", CLI_MD5}, {"md5anim", CLI_MD5},
    {"iqm", CLI_IQM},   {"dae", CLI_COLLADA}, {"usd", CLI_USD},     {"usda", CLI_USD},
    {"usdc", CLI_USD},  {"usdz", CLI_USD},    {"asf", CLI_ASF},     {"amc", CLI_AMC},
    {"limb", CLI_LIMB}, {"c3d", CLI_C3D},     {"npz", CLI_NPZ},     {"trc", CLI_TRC},
    {"csv", CLI_CSV},   {"tsv", CLI_CSV},
};

const char *cli_format_name(cli_format format)
{
    return format_names[format];
}

cli_format cli_format_of_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot == NULL || strchr(dot, '/') != NULL) {
        return CLI_UNKNOWN;
    }
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); ++i) {
        if (strcasecmp(dot + 1, extensions[i].text) == 0) {
            return extensions[i].format;
        }
    }
    return CLI_UNKNOWN;
}

static bool starts(cli_bytes bytes, const char *text)
{
    const size_t length = strlen(text);
    return bytes.size >= length && memcmp(bytes.data, text, length) == 0;
}

static bool starts_any_case(cli_bytes bytes, const char *text)
{
    const size_t length = strlen(text);
    return bytes.size >= length && strncasecmp((const char *)bytes.data, text, length) == 0;
}

static cli_bytes skip_space(cli_bytes bytes)
{
    if (starts(bytes, "\xef\xbb\xbf")) {
        bytes.data += 3;
        bytes.size -= 3;
    }
    while (bytes.size > 0 && isspace(bytes.data[0])) {
        ++bytes.data;
        --bytes.size;
    }
    return bytes;
}

/// OFF and its variants with colours and normals: OFF after a few capital letters and digits.
static bool is_off(cli_bytes bytes)
{
    for (size_t i = 0; i < 6 && i + 3 <= bytes.size; ++i) {
        if (memcmp(bytes.data + i, "OFF", 3) == 0) {
            return i + 3 == bytes.size || isspace(bytes.data[i + 3]);
        }
        if (memchr("STCN4n", bytes.data[i], 6) == NULL) {
            return false;
        }
    }
    return false;
}

/// The key 80, and the parameters' own where the first byte says.
static bool is_c3d(cli_bytes bytes)
{
    const size_t at = bytes.size >= 512 ? ((size_t)bytes.data[0] - 1) * 512 : 0;
    return bytes.size >= 512 && bytes.data[0] >= 2 && bytes.data[1] == 0x50 &&
           at + 4 <= bytes.size && bytes.data[at + 3] >= 84 && bytes.data[at + 3] <= 86;
}

static cli_format sniff_binary(cli_bytes bytes)
{
    if (starts(bytes, "glTF")) {
        return CLI_GLB;
    }
    if (starts(bytes, "Kaydara FBX Binary")) {
        return CLI_FBX;
    }
    if (starts(bytes, "INTERQUAKEMODEL")) {
        return CLI_IQM;
    }
    if (starts(bytes, "LIMB")) {
        return CLI_LIMB;
    }
    if (starts(bytes, "PXR-USDC")) {
        return CLI_USD;
    }
    if (is_c3d(bytes)) {
        return CLI_C3D;
    }
    return starts(bytes, "version https://git-lfs.github.com/") ? CLI_LFS_POINTER : CLI_UNKNOWN;
}

static cli_format sniff_text(cli_bytes bytes)
{
    static const struct {
        const char *text;
        cli_format format;
    } words[] = {
        {"{", CLI_GLTF},        {"ply\n", CLI_PLY},        {"ply\r", CLI_PLY},
        {"HIERARCHY", CLI_BVH}, {"; FBX", CLI_FBX},        {"MD5Version", CLI_MD5},
        {"#usda", CLI_USD},     {"<COLLADA", CLI_COLLADA}, {"mtllib ", CLI_OBJ},
        {":version", CLI_ASF},  {"# AST/ASF", CLI_ASF},    {"PathFileType", CLI_TRC},
    };
    bytes = skip_space(bytes);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i) {
        if (starts_any_case(bytes, words[i].text)) {
            return words[i].format;
        }
    }
    return is_off(bytes) ? CLI_OFF : CLI_UNKNOWN;
}

/// The first word that is not a comment, where a file's extension says nothing.
static cli_format sniff_obj(cli_bytes bytes)
{
    static const char *const words[] = {"v ", "vt ", "vn ", "f ", "o ", "g ", "usemtl ", "s "};
    bytes = skip_space(bytes);
    while (bytes.size > 0 && bytes.data[0] == '#') {
        const uint8_t *end = memchr(bytes.data, '\n', bytes.size);
        const size_t line = end != NULL ? (size_t)(end - bytes.data) : bytes.size;
        bytes = skip_space((cli_bytes){bytes.data + line, bytes.size - line});
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i) {
        if (starts(bytes, words[i])) {
            return CLI_OBJ;
        }
    }
    return CLI_UNKNOWN;
}

bool cli_md5_is_anim(cli_bytes bytes)
{
    static const char word[] = "numFrames";
    const size_t end = bytes.size < 4096 ? bytes.size : 4096;
    for (size_t at = 0; at + sizeof(word) - 1 <= end; ++at) {
        if (memcmp(bytes.data + at, word, sizeof(word) - 1) == 0) {
            return true;
        }
    }
    return false;
}

cli_format cli_format_of(const char *path, cli_bytes bytes)
{
    cli_format format = sniff_binary(bytes);
    if (format == CLI_UNKNOWN) {
        format = sniff_text(bytes);
    }
    const cli_format named = cli_format_of_name(path);
    // Text that could open several formats leaves the choice to the name.
    if (format == CLI_ASF && named == CLI_AMC) {
        return named;
    }
    if (format == CLI_UNKNOWN) {
        format = named;
    }
    return format != CLI_UNKNOWN ? format : sniff_obj(bytes);
}

// ---------------------------------------------------------------------------------------- options

cli_exit cli_in_read(const cli_run *cli, const cli_in_opts *in, cli_read_opts *out)
{
    static const struct {
        const char *name;
        float metres;
    } units[] = {{"m", 1.0f},  {"cm", 0.01f},     {"mm", 0.001f},
                 {"dm", 0.1f}, {"inch", 0.0254f}, {"foot", 0.3048f}};
    static const struct {
        const char *name;
        lmb_axis axis;
    } axes[] = {{"y", LMB_AXIS_Y},           {"z", LMB_AXIS_Z},
                {"x", LMB_AXIS_X},           {"-y", LMB_AXIS_NEGATIVE_Y},
                {"-z", LMB_AXIS_NEGATIVE_Z}, {"-x", LMB_AXIS_NEGATIVE_X}};
    const char *of = in->of != NULL ? in->of : "";
    *out = (cli_read_opts){.skeleton = in->skeleton};
    if (in->unit != NULL) {
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); ++i) {
            out->unit_m = strcmp(in->unit, units[i].name) == 0 ? units[i].metres : out->unit_m;
        }
        char *end = NULL;
        const float number = strtof(in->unit, &end);
        if (out->unit_m == 0 && *end == 0 && number > 1e-6f && number < 1e6f) {
            out->unit_m = number;
        }
        if (out->unit_m == 0) {
            return cli_fail(
                cli, CLI_USAGE,
                "--%sunit: expected m, cm, mm, dm, inch, foot or metres a unit, found \"%s\"", of,
                in->unit);
        }
    }
    for (size_t i = 0; in->up != NULL && i < sizeof(axes) / sizeof(axes[0]); ++i) {
        out->up =
            strcasecmp(in->up + (in->up[0] == '+'), axes[i].name) == 0 ? axes[i].axis : out->up;
    }
    if (in->up != NULL && out->up == LMB_AXIS_AUTO) {
        return cli_fail(cli, CLI_USAGE, "--%sup: expected y, z, x, -y, -z or -x, found \"%s\"", of,
                        in->up);
    }
    return CLI_DONE;
}
