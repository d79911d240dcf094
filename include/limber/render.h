/// Pictures without a GPU or a display: a software rasteriser with shading, shadows and a skeleton
/// overlay. And skinning on a GPU: shader text and all data to upload, without calls of a graphics
/// API.
#ifndef LIMBER_RENDER_H
#define LIMBER_RENDER_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/jobs.h"
#include "limber/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The caller's pixels: 8-bit sRGB and coverage, top row first, no padding. rgba has 4 * width *
/// height bytes.
typedef struct lmb_picture {
    uint32_t width, height; ///< 1 .. 16384 each
    uint8_t *rgba;
} lmb_picture;

/// Triangles in world space. Both sides are drawn and lit, since scans and old models often have
/// inconsistent facing.
typedef struct lmb_render_surface {
    uint32_t vertex_count;
    const lmb_vec3 *positions;
    const lmb_vec3 *normals; ///< unit; NULL: area-weighted means of the faces
    const lmb_vec4 *colors;  ///< linear, multiplied with `color`; or NULL
    const lmb_vec2 *uvs; ///< origin at the texture's top left, repeating; required with `texture`
    const lmb_picture
        *texture;            ///< multiplied with `color`, bilinear; must outlive the call; or NULL
    uint32_t index_count;    ///< a multiple of 3
    const uint32_t *indices; ///< all < vertex_count
    lmb_vec4 color;          ///< linear; all zero: a light warm grey
} lmb_render_surface;

/// A bone of the overlay, drawn over everything so that it is visible inside the body.
typedef struct lmb_render_bone {
    lmb_vec3 head, tail; ///< world space; equal for a joint without a bone
    lmb_vec4 color;      ///< linear; all zero: orange
} lmb_render_bone;

typedef struct lmb_render_job {
    uint32_t surface_count;
    const lmb_render_surface *surfaces;
    uint32_t bone_count;
    const lmb_render_bone *bones;
    lmb_box frame; ///< box that the camera frames; all zero: the whole scene
    float yaw_rad; ///< direction of the camera: 0 in front (+Z), pi/2 at the character's left (+X)
    float pitch_rad;  ///< elevation of the camera; 0: 8 degrees
    bool no_ground;   ///< leave out the floor and its shadow
    float ground_y;   ///< height of the floor
    bool clear;       ///< transparent background instead of the studio backdrop
    uint32_t samples; ///< per pixel along each axis, 1 .. 4; 0: 2
    lmb_picture picture;
    const lmb_jobs *jobs;
    const lmb_allocator *alloc;
} lmb_render_job;

/// Draws the job into its picture. Bit-identical for any number of workers. Errors: MEMORY; INVALID
/// for indices out of range or a picture without pixels.
LMB_API lmb_result lmb_render(const lmb_render_job *job, lmb_error *error);

// ------------------------------------------------------------------------------ skinning on a GPU

typedef enum lmb_gpu_language {
    LMB_GPU_GLSL_330 = 0, ///< desktop OpenGL 3.3 and later
    LMB_GPU_GLSL_430,     ///< desktop OpenGL 4.3 and later
    LMB_GPU_ESSL_300,     ///< OpenGL ES 3.0, WebGL 2
    LMB_GPU_ESSL_310,     ///< OpenGL ES 3.1
    LMB_GPU_WGSL,         ///< WebGPU
} lmb_gpu_language;

typedef enum lmb_gpu_stage {
    LMB_GPU_VERTEX = 0, ///< functions for a vertex shader; append your own main()
    /// a complete compute shader that writes skinned vertices; not in GLSL 330 and ESSL 300
    LMB_GPU_COMPUTE,
} lmb_gpu_stage;

typedef enum lmb_gpu_method {
    LMB_GPU_LINEAR = 0, ///< linear blend; 3 texels per joint
    LMB_GPU_DUAL, ///< dual quaternions, rigid: scale in the palette is ignored; 2 texels per joint
    /// dual quaternions after a linear blend of the joints' stretches; 5 texels per joint
    LMB_GPU_DUAL_SCALE,
} lmb_gpu_method;

/// Storage of the palettes. The bytes are the same in each.
typedef enum lmb_gpu_palettes {
    LMB_GPU_UNIFORM = 0, ///< a uniform block
    LMB_GPU_TEXTURE,     ///< a texture of RGBA32F, `texture_width` texels per row
    LMB_GPU_STORAGE,     ///< a storage buffer; for vertex shaders in GLSL 430 and WGSL only
} lmb_gpu_palettes;

typedef enum lmb_gpu_weights {
    LMB_GPU_UNORM16 = 0,
    LMB_GPU_UNORM8,
    LMB_GPU_FLOAT32,
} lmb_gpu_weights;

/// The format shared by the shader's text, the vertices and the palettes. Counts do not enter the
/// text, so one program serves many meshes. A texel is four floats.
typedef struct lmb_gpu_skin {
    lmb_gpu_language language;
    lmb_gpu_stage stage;
    lmb_gpu_method method;
    lmb_gpu_palettes palettes;
    uint32_t influences; ///< per vertex, 1 .. 8; 0: 4
    lmb_gpu_weights weights;
    bool wide_joints;       ///< 16 bits per joint index; required beyond 256 joints
    bool normals, tangents; ///< tangents require normals
    bool morphs;
    /// bytes per vertex, a multiple of 4; more than needed leaves room for your own attributes at
    /// the end; 0: as needed
    uint32_t vertex_stride;
    uint32_t output_stride; ///< the same for the output of a compute shader
    /// texels per row of palettes and morphs, a power of two; 0: 1024, which every device supports
    uint32_t texture_width;
    /// bytes of the uniform block, a multiple of 16; 0: 16384, which every device supports
    uint32_t uniform_size;
    uint32_t joint_count;
    uint32_t target_count; ///< morph targets; ignored without `morphs`
    uint32_t vertex_count; ///< of the mesh
} lmb_gpu_skin;

/// Validates a description. The functions below assert that it is valid. Errors: UNSUPPORTED for a
/// stage or palette storage that the language does not have; INVALID for a number out of range,
/// more joints than an index can hold, or a palette larger than the uniform block. `error` may be
/// NULL.
LMB_API lmb_result lmb_gpu_check(const lmb_gpu_skin *skin, lmb_error *error);

/// Writes the shader's text, truncated to `capacity` - 1 characters, and a terminating zero.
/// Returns the full length, like snprintf.
/// A vertex shader of GLSL begins with the #version line and provides
///     lmb_vertex lmb_skin_vertex(int palette); // .position, .normal, .tangent in model space
/// to the main() that you append; lmb_gpu_layout has the attributes it declares.
LMB_API size_t lmb_gpu_shader(const lmb_gpu_skin *skin, char *out, size_t capacity);

/// One attribute of the packed vertices.
typedef struct lmb_gpu_attribute {
    uint32_t location, offset; ///< offset in bytes
    uint32_t components;
    uint32_t type; ///< OpenGL constant: GL_FLOAT, GL_UNSIGNED_BYTE or GL_UNSIGNED_SHORT
    bool is_integer, is_normalized; ///< integer: use glVertexAttribIPointer
    const char *format;             ///< WebGPU name, such as "unorm16x4"
} lmb_gpu_attribute;

typedef struct lmb_gpu_layout {
    uint32_t stride; ///< bytes
    uint32_t attribute_count;
    lmb_gpu_attribute attributes[7];
} lmb_gpu_layout;

/// Packs the mesh into `out`, [vertex_count] of the layout's stride; bytes between attributes are
/// left unchanged. Each row keeps its strongest influences, strongest first, normalised to sum to
/// 1; an empty row follows joint 0. Returns the largest sum of weights that a row lost, 0 if all
/// fit.
LMB_API float lmb_gpu_vertices(const lmb_gpu_skin *skin, const lmb_mesh *mesh, void *out);

/// GPU memory in texels. `width` and `height` are those of the texture; its last row may be partly
/// used.
typedef struct lmb_gpu_extent {
    size_t used, allocated; ///< allocated >= used: the size of the texture or uniform block
    uint32_t width, height;
} lmb_gpu_extent;

/// Layouts and sizes of what the shaders read and write.
typedef struct lmb_gpu_info {
    /// Positions at location 0, normals 1, tangents 2, joints 3, weights 4; joints and weights of
    /// influences 5 to 8 at 5 and 6
    lmb_gpu_layout vertices;
    /// of a compute shader's output, for the program that draws it: the same locations 0, 1 and 2
    lmb_gpu_layout output;
    /// values of the uniform `lmb_counts`: texels per palette, texel of a palette's first morph
    /// weight, targets, vertices
    int32_t counts[4];
    lmb_gpu_extent palettes, morphs;
} lmb_gpu_info;

/// `palettes` is memory for `palette_count` consecutive ones: instances of a crowd, or frames of a
/// clip; fewer than 2^31 texels in all.
LMB_API lmb_gpu_info lmb_gpu_describe(const lmb_gpu_skin *skin, uint32_t palette_count);

/// One palette: the joints, then the morph weights.
typedef struct lmb_gpu_palette_job {
    const lmb_gpu_skin *skin;
    const lmb_mat4 *model_from_bind; ///< [joint_count] of lmb_skin_palette; affine
    const lmb_vec3 *origins;    ///< [joint_count] of lmb_skin_origins, for stretches; NULL: zeros
    const float *morph_weights; ///< [target_count]; NULL: zeros
    lmb_vec4 *out;              ///< palette p of the buffer begins at texel lmb_counts[0] * p
} lmb_gpu_palette_job;
LMB_API void lmb_gpu_palette(const lmb_gpu_palette_job *job);

/// Fills `out`, the `used` texels of lmb_gpu_info.morphs, with the displacements of the mesh's
/// targets.
LMB_API void lmb_gpu_morphs(const lmb_gpu_skin *skin, const lmb_mesh *mesh, lmb_vec4 *out);

#ifdef __cplusplus
}
#endif
#endif
