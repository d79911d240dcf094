// Validates a description of GPU skinning, computes its memory, and fills its palettes.
#include <assert.h>

#include "base/error.h"
#include "limber/skin.h"
#include "render/gpu.h"
#include "skin/skin.h"

static lmb_result check_stage(const lmb_gpu_skin *skin, lmb_error *error)
{
    const bool old = skin->language == LMB_GPU_GLSL_330 || skin->language == LMB_GPU_ESSL_300;
    if (skin->stage == LMB_GPU_COMPUTE && old) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "GLSL 430, ESSL 310 or WGSL for compute",
                         "%s", skin->language == LMB_GPU_GLSL_330 ? "GLSL 330" : "ESSL 300");
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
        return lmbi_fail(error, LMB_ERROR_INVALID, "values of the enumerations",
                         "language %d, stage %d, method %d, palettes %d, weights %d",
                         (int)skin->language, (int)skin->stage, (int)skin->method,
                         (int)skin->palettes, (int)skin->weights);
    }
    return LMB_OK;
}

static lmb_result check_strides(const lmb_gpu_skin *skin, lmb_error *error)
{
    const uint32_t strides[] = {skin->vertex_stride, skin->output_stride};
    const uint32_t needed[] = {lmbi_gpu_vertex_layout(skin).stride,
                               lmbi_gpu_output_layout(skin).stride};
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
    const uint64_t words = vertices * (lmbi_gpu_vertex_layout(skin).stride / 4);
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
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "a texture's width that is a power of two up to 65536", "%u",
                         (unsigned)width);
    }
    if (skin->uniform_size % 16 != 0 || skin->uniform_size > 1u << 24) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "a uniform block of a multiple of 16 bytes, up to 2^24", "%u",
                         (unsigned)skin->uniform_size);
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
        return lmbi_fail(error, LMB_ERROR_INVALID, "joints that an index can name",
                         "%u joints, indices of %u bits", (unsigned)skin->joint_count,
                         skin->wide_joints ? 16u : 8u);
    }
    if (skin->tangents && !skin->normals) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "normals with the tangents", "none");
    }
    result = check_strides(skin, error);
    return result == LMB_OK ? check_sizes(skin, error) : result;
}

static void fill_counts(const lmb_gpu_skin *skin, int32_t out[4])
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

static lmb_gpu_extent palette_extent(const lmb_gpu_skin *skin, uint32_t palette_count)
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

static lmb_gpu_extent morph_extent(const lmb_gpu_skin *skin)
{
    const size_t used =
        skin->morphs ? (size_t)skin->vertex_count * skin->target_count * lmbi_gpu_morph_texels(skin)
                     : 0;
    if (skin->stage == LMB_GPU_VERTEX && skin->language != LMB_GPU_WGSL) {
        return texture_extent(skin, used);
    }
    return (lmb_gpu_extent){.used = used, .allocated = used > 0 ? used : 1};
}

lmb_gpu_info lmb_gpu_describe(const lmb_gpu_skin *skin, uint32_t palette_count)
{
    lmb_gpu_info info = {.vertices = lmbi_gpu_vertex_layout(skin),
                         .output = lmbi_gpu_output_layout(skin),
                         .palettes = palette_extent(skin, palette_count),
                         .morphs = morph_extent(skin)};
    fill_counts(skin, info.counts);
    return info;
}

// ---------------------------------------------------------------------------------------- palettes
// Palettes for the shaders: per joint three matrix rows, or a dual quaternion, or a dual quaternion
// and the rows of its stretch.

static void write_rows(const lmb_mat4 *a, lmb_vec4 out[3])
{
    for (int r = 0; r < 3; ++r) {
        out[r] = (lmb_vec4){a->m[r], a->m[4 + r], a->m[8 + r], a->m[12 + r]};
    }
}

/// Rotation q and dual part e = 1/2 t q of a rigid transform (Kavan et al. 2008).
static void write_dual(lmb_quat q, lmb_vec3 t, lmb_vec4 out[2])
{
    const lmb_vec3 axis = lmb_vec3_make(q.x, q.y, q.z);
    const lmb_vec3 e = lmb_vec3_scale(lmb_vec3_mad(lmb_vec3_cross(t, axis), t, q.w), 0.5f);
    out[0] = (lmb_vec4){q.x, q.y, q.z, q.w};
    out[1] = (lmb_vec4){e.x, e.y, e.z, -0.5f * lmb_vec3_dot(t, axis)};
}

/// The common scale of all joints goes into the stretch; the rigid transform is that of the palette
/// without it.
static void write_joint(const lmb_gpu_palette_job *job, uint32_t j, float scale, lmb_vec4 *out)
{
    if (job->skin->method == LMB_GPU_LINEAR) {
        write_rows(&job->model_from_bind[j], out);
        return;
    }
    lmb_mat4 palette = job->model_from_bind[j], rigid, stretch;
    lmb_quat rotation;
    if (scale != 1) {
        lmbi_skin_unscale(scale, &palette, 1);
    }
    lmb_skin_split(&(lmb_skin_split_job){.joint_count = 1,
                                         .model_from_bind = &palette,
                                         .origins = job->origins != NULL ? &job->origins[j] : NULL,
                                         .rigid = &rigid,
                                         .rotations = &rotation,
                                         .stretch = &stretch});
    // scale D S = D' scale S, where D' has the translation of D times scale.
    write_dual(rotation, lmb_vec3_scale(lmb_mat4_translation(rigid), scale), out);
    if (job->skin->method == LMB_GPU_DUAL_SCALE) {
        if (scale != 1) {
            lmbi_skin_unscale(1 / scale, &stretch, 1);
        }
        write_rows(&stretch, out + 2);
    }
}

void lmb_gpu_palette(const lmb_gpu_palette_job *job)
{
    const lmb_gpu_skin *skin = job->skin;
    assert(lmb_gpu_check(skin, NULL) == LMB_OK);
    const size_t each = lmbi_gpu_joint_texels(skin);
    const float scale = skin->method == LMB_GPU_DUAL_SCALE
                            ? lmbi_skin_scale(job->model_from_bind, skin->joint_count)
                            : 1;
    for (uint32_t j = 0; j < skin->joint_count; ++j) {
        write_joint(job, j, scale, job->out + j * each);
    }
    lmb_vec4 *weights = job->out + skin->joint_count * each;
    for (uint32_t t = 0; skin->morphs && t < skin->target_count; t += 4) {
        float four[4] = {0};
        for (uint32_t k = 0; job->morph_weights != NULL && k < 4 && t + k < skin->target_count;
             ++k) {
            four[k] = job->morph_weights[t + k];
        }
        *weights++ = (lmb_vec4){four[0], four[1], four[2], four[3]};
    }
}
