/// Constants shared by shaders, vertices and palettes; and the embedded shader files.
#ifndef RENDER_GPU_H
#define RENDER_GPU_H

#include "limber/render.h"

/// A file of src/render/shaders, embedded by the build. `size` does not count the terminating zero.
typedef struct lmbi_shader_file {
    const char *name;
    const char *text;
    size_t size;
} lmbi_shader_file;
extern const lmbi_shader_file lmbi_shader_files[];
extern const size_t lmbi_shader_file_count;

static inline uint32_t lmbi_gpu_influences(const lmb_gpu_skin *skin)
{
    return skin->influences != 0 ? skin->influences : 4;
}

/// Attribute locations, as in the shaders.
enum {
    LMBI_GPU_POSITION,
    LMBI_GPU_NORMAL,
    LMBI_GPU_TANGENT,
    LMBI_GPU_JOINTS,
    LMBI_GPU_WEIGHTS,
    LMBI_GPU_JOINTS2,
    LMBI_GPU_WEIGHTS2
};

static inline uint32_t lmbi_gpu_texture_width(const lmb_gpu_skin *skin)
{
    return skin->texture_width != 0 ? skin->texture_width : 1024;
}

static inline uint32_t lmbi_gpu_uniform_texels(const lmb_gpu_skin *skin)
{
    return (skin->uniform_size != 0 ? skin->uniform_size : 16384) / 16;
}

static inline uint32_t lmbi_gpu_joint_texels(const lmb_gpu_skin *skin)
{
    return skin->method == LMB_GPU_LINEAR ? 3 : (skin->method == LMB_GPU_DUAL ? 2 : 5);
}

/// Texels per vertex and target: displacements of position, normal and tangent.
static inline uint32_t lmbi_gpu_morph_texels(const lmb_gpu_skin *skin)
{
    return 1u + (skin->normals ? 1u : 0u) + (skin->tangents ? 1u : 0u);
}

static inline size_t lmbi_gpu_palette_texels(const lmb_gpu_skin *skin)
{
    const size_t joints = (size_t)skin->joint_count * lmbi_gpu_joint_texels(skin);
    return joints + (skin->morphs ? ((size_t)skin->target_count + 3) / 4 : 0);
}

// ---- Parts of lmb_gpu_info

lmb_gpu_layout lmbi_gpu_vertex_layout(const lmb_gpu_skin *skin);
lmb_gpu_layout lmbi_gpu_output_layout(const lmb_gpu_skin *skin);

#endif
