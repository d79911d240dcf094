// Assembles the text of a shader: version line, options as constants, then the source files.
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "render/gpu.h"

/// The caller's buffer, filled up to its capacity, and the full length of the text.
typedef struct text {
    char *out;
    size_t capacity, length;
} text;

static void add_bytes(text *t, const char *bytes, size_t size)
{
    if (t->length < t->capacity) {
        const size_t left = t->capacity - t->length;
        memcpy(t->out + t->length, bytes, size < left ? size : left);
    }
    t->length += size;
}

static void add(text *t, const char *string)
{
    add_bytes(t, string, strlen(string));
}

static void add_file(text *t, const lmb_gpu_skin *skin, const char *name)
{
    char full[64];
    snprintf(full, sizeof(full), "%s.%s", name, skin->language == LMB_GPU_WGSL ? "wgsl" : "glsl");
    for (size_t i = 0; i < lmbi_shader_file_count; ++i) {
        if (strcmp(lmbi_shader_files[i].name, full) == 0) {
            add_bytes(t, "\n", 1);
            add_bytes(t, lmbi_shader_files[i].text, lmbi_shader_files[i].size);
            return;
        }
    }
    assert(false); // all files named here are in src/render/shaders
}

static void add_number(text *t, const lmb_gpu_skin *skin, const char *name, uint32_t value)
{
    char line[64];
    const char *format =
        skin->language == LMB_GPU_WGSL ? "const %s: u32 = %uu;\n" : "#define %s %u\n";
    snprintf(line, sizeof(line), format, name, (unsigned)value);
    add(t, line);
}

static void add_version(text *t, lmb_gpu_language language)
{
    static const char *const lines[] = {
        [LMB_GPU_GLSL_330] = "#version 330 core\n",
        [LMB_GPU_GLSL_430] = "#version 430 core\n",
        [LMB_GPU_ESSL_300] = "#version 300 es\n",
        [LMB_GPU_ESSL_310] = "#version 310 es\n",
        [LMB_GPU_WGSL] = "",
    };
    add(t, lines[language]);
    if (language == LMB_GPU_ESSL_300 || language == LMB_GPU_ESSL_310) {
        // Compute and fragment shaders have no default float precision; mediump loses millimetres
        // on a body.
        add(t, "precision highp float;\nprecision highp int;\n");
    }
}

static void add_choices(text *t, const lmb_gpu_skin *skin)
{
    add_number(t, skin, "LMB_INFLUENCES", lmbi_gpu_influences(skin));
    add_number(t, skin, "LMB_NORMALS", skin->normals);
    add_number(t, skin, "LMB_TANGENTS", skin->tangents);
    add_number(t, skin, "LMB_MORPHS", skin->morphs);
    add_number(t, skin, "LMB_MORPH_TEXELS", lmbi_gpu_morph_texels(skin));
    add_number(t, skin, "LMB_JOINT_TEXELS", lmbi_gpu_joint_texels(skin));
    add_number(t, skin, "LMB_SCALE", skin->method == LMB_GPU_DUAL_SCALE);
    add_number(t, skin, "LMB_UNIFORM_TEXELS", lmbi_gpu_uniform_texels(skin));
    add_number(t, skin, "LMB_TEXTURE_WIDTH", lmbi_gpu_texture_width(skin));
}

/// Offsets of the attributes that a compute shader reads, and strides, in 4-byte words.
static void add_words(text *t, const lmb_gpu_skin *skin)
{
    static const char *const names[] = {"LMB_IN_POSITION", "LMB_IN_NORMAL",  "LMB_IN_TANGENT",
                                        "LMB_IN_JOINTS",   "LMB_IN_WEIGHTS", "LMB_IN_JOINTS2",
                                        "LMB_IN_WEIGHTS2"};
    uint32_t words[7] = {0};
    const lmb_gpu_layout in = lmbi_gpu_vertex_layout(skin), out = lmbi_gpu_output_layout(skin);
    for (uint32_t i = 0; i < in.attribute_count; ++i) {
        words[in.attributes[i].location] = in.attributes[i].offset / 4;
    }
    for (uint32_t i = 0; i < 7; ++i) {
        add_number(t, skin, names[i], words[i]);
    }
    static const uint32_t weight_bytes[] = {
        [LMB_GPU_UNORM16] = 2, [LMB_GPU_UNORM8] = 1, [LMB_GPU_FLOAT32] = 4};
    add_number(t, skin, "LMB_WIDE_JOINTS", skin->wide_joints);
    add_number(t, skin, "LMB_WEIGHT_BYTES", weight_bytes[skin->weights]);
    add_number(t, skin, "LMB_IN_STRIDE", in.stride / 4);
    add_number(t, skin, "LMB_OUT_STRIDE", out.stride / 4);
}

static void add_files(text *t, const lmb_gpu_skin *skin)
{
    static const char *const palettes[] = {[LMB_GPU_UNIFORM] = "palette_uniform",
                                           [LMB_GPU_TEXTURE] = "palette_texture",
                                           [LMB_GPU_STORAGE] = "palette_storage"};
    const bool compute = skin->stage == LMB_GPU_COMPUTE;
    add_file(t, skin, "vertex");
    add_file(t, skin, palettes[skin->palettes]);
    if (skin->morphs) {
        add_file(t, skin,
                 compute || skin->language == LMB_GPU_WGSL ? "morph_storage" : "morph_texture");
        add_file(t, skin, "morph");
    } else if (skin->language == LMB_GPU_WGSL) { // WGSL has no #if
        add_file(t, skin, "morph_none");
    }
    add_file(t, skin, "rows");
    add_file(t, skin, skin->method == LMB_GPU_LINEAR ? "skin_linear" : "skin_dual");
    add_file(t, skin, compute ? "compute" : "attributes");
}

size_t lmb_gpu_shader(const lmb_gpu_skin *skin, char *out, size_t capacity)
{
    assert(lmb_gpu_check(skin, NULL) == LMB_OK);
    text t = {out, capacity > 0 ? capacity - 1 : 0, 0};
    add_version(&t, skin->language);
    add_choices(&t, skin);
    if (skin->stage == LMB_GPU_COMPUTE) {
        add_words(&t, skin);
    }
    add_files(&t, skin);
    if (capacity > 0) {
        out[t.length < capacity ? t.length : capacity - 1] = '\0';
    }
    return t.length;
}
