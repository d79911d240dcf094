// Validates a description of GPU skinning, and computes its memory.
#include <assert.h>

#include "base/error.h"
#include "render/gpu.h"

static lmb_result check_stage(const lmb_gpu_skin *skin, lmb_error *error)
{
    const bool old = skin->language == LMB_GPU_GLSL_330 || skin->language == LMB_GPU_ESSL_300;
    if (skin->stage == LMB_GPU_COMPUTE && old) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "GLSL 430, ESSL 310 or WGSL for compute",
                         "an older language");
    }
    // OpenGL ES 3.1 guarantees no storage buffers in vertex shaders.
    const bool no_storage =
        old || (skin->language == LMB_GPU_ESSL_310 && skin->stage == LMB_GPU_VERTEX);
    if (skin->palettes == LMB_GPU_STORAGE && no_storage) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "palettes in a uniform block or a texture",
                         "a storage buffer, which this stage of the language does not have");
    }
    return LMB_OK;
}

static lmb_result check_enums(const lmb_gpu_skin *skin, lmb_error *error)
{
    if ((uint32_t)skin->language > LMB_GPU_WGSL || (uint32_t)skin->stage > LMB_GPU_COMPUTE ||
        (uint32_t)skin->method > LMB_GPU_DUAL_SCALE || (uint32_t)skin->palettes > LMB_GPU_STORAGE ||
        (uint32_t)skin->weights > LMB_GPU_FLOAT32) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "values of the enumerations", "another value");
    }
    return LMB_OK;
}

static lmb_result check_strides(const lmb_gpu_skin *skin, lmb_error *error)
{
    const uint32_t strides[] = {skin->vertex_stride, skin->output_stride};
    const uint32_t needed[] = {lmb_gpu_vertex_layout(skin).stride,
                               lmb_gpu_output_layout(skin).stride};
    for (int i = 0; i < 2; ++i) {
        if (strides[i] % 4 != 0 || strides[i] > 4096 ||
            (strides[i] != 0 && needed[i] != strides[i])) {
            return lmbi_fail(error, LMB_ERROR_INVALID,
                             "a stride that holds the attributes, a multiple of 4 up to 4096",
                             "%u, %u needed", (unsigned)strides[i], (unsigned)needed[i]);
        }
    }
    return LMB_OK;
}

/// Shaders index texels and words with signed 32-bit integers.
static lmb_result check_counts(const lmb_gpu_skin *skin, lmb_error *error)
{
    const uint64_t vertices = skin->vertex_count, targets = skin->morphs ? skin->target_count : 0;
    const uint64_t words = vertices * (lmb_gpu_vertex_layout(skin).stride / 4);
    if (words > INT32_MAX || targets > INT32_MAX ||
        targets * vertices > INT32_MAX / lmbi_gpu_morph_texels(skin)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "vertices and morph targets below 2^31 texels",
                         "%u vertices of %u targets", (unsigned)skin->vertex_count,
                         (unsigned)skin->target_count);
    }
    return LMB_OK;
}

static lmb_result check_sizes(const lmb_gpu_skin *skin, lmb_error *error)
{
    const uint32_t width = lmbi_gpu_texture_width(skin);
    if ((width & (width - 1)) != 0 || width > 65536) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a texture's width that is a power of two", "%u",
                         (unsigned)width);
    }
    if (skin->uniform_size % 16 != 0 || skin->uniform_size > 1u << 24) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a uniform block of a multiple of 16 bytes",
                         "%u", (unsigned)skin->uniform_size);
    }
    if (skin->palettes == LMB_GPU_UNIFORM &&
        lmbi_gpu_palette_texels(skin) > lmbi_gpu_uniform_texels(skin)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a palette that fits the uniform block",
                         "%zu texels for %u", lmbi_gpu_palette_texels(skin),
                         (unsigned)lmbi_gpu_uniform_texels(skin));
    }
    return check_counts(skin, error);
}

lmb_result lmb_gpu_check(const lmb_gpu_skin *skin, lmb_error *error)
{
    lmb_result result = check_enums(skin, error);
    if (result == LMB_OK) {
        result = check_stage(skin, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    if (skin->influences > 8) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 8 influences a vertex", "%u",
                         (unsigned)skin->influences);
    }
    if (skin->joint_count > (skin->wide_joints ? 65536u : 256u)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "joints that an index can name", "%u joints",
                         (unsigned)skin->joint_count);
    }
    if (skin->tangents && !skin->normals) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "normals with the tangents", "none");
    }
    result = check_strides(skin, error);
    return result == LMB_OK ? check_sizes(skin, error) : result;
}

void lmb_gpu_counts(const lmb_gpu_skin *skin, int32_t out[4])
{
    out[0] = (int32_t)lmbi_gpu_palette_texels(skin);
    out[1] = (int32_t)(skin->joint_count * lmbi_gpu_joint_texels(skin));
    out[2] = skin->morphs ? (int32_t)skin->target_count : 0;
    out[3] = (int32_t)skin->vertex_count;
}

static lmb_gpu_extent texture_extent(const lmb_gpu_skin *skin, size_t used)
{
    const size_t width = lmbi_gpu_texture_width(skin);
    const size_t height = used > width ? (used + width - 1) / width : 1;
    return (lmb_gpu_extent){used, width * height, (uint32_t)width, (uint32_t)height};
}

lmb_gpu_extent lmb_gpu_palette_extent(const lmb_gpu_skin *skin, uint32_t palette_count)
{
    assert((uint64_t)lmbi_gpu_palette_texels(skin) * palette_count <= INT32_MAX);
    const size_t used = lmbi_gpu_palette_texels(skin) * palette_count;
    if (skin->palettes == LMB_GPU_TEXTURE) {
        return texture_extent(skin, used);
    }
    const size_t block = skin->palettes == LMB_GPU_UNIFORM ? lmbi_gpu_uniform_texels(skin) : 1;
    const size_t allocated = used > block ? used : block;
    return (lmb_gpu_extent){.used = used, .allocated = allocated};
}

lmb_gpu_extent lmb_gpu_morph_extent(const lmb_gpu_skin *skin)
{
    const size_t used =
        skin->morphs ? (size_t)skin->vertex_count * skin->target_count * lmbi_gpu_morph_texels(skin)
                     : 0;
    if (skin->stage == LMB_GPU_VERTEX && skin->language != LMB_GPU_WGSL) {
        return texture_extent(skin, used);
    }
    return (lmb_gpu_extent){.used = used, .allocated = used > 0 ? used : 1};
}
