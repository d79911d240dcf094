/// Pictures without a GPU or a display: a software rasteriser with shading, shadows and a skeleton
/// overlay. And skinning on a GPU: the shaders' text and everything that is uploaded for them,
/// without a call of any graphics API.
#ifndef LIMBER_RENDER_H
#define LIMBER_RENDER_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/jobs.h"
#include "limber/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The caller's pixels: 8-bit sRGB and coverage, rows from the top, no padding. rgba has 4 * width
/// * height bytes.
typedef struct lmb_picture {
    uint32_t width, height; ///< 1 .. 16384 each
    uint8_t *rgba;
} lmb_picture;

/// Triangles in world space. Both sides are drawn and lit, since scans and old models often face
/// both ways.
typedef struct lmb_render_surface {
    uint32_t vertex_count;
    const lmb_vec3 *positions;
    const lmb_vec3 *normals; ///< unit, or NULL: averaged from the faces at each vertex
    const lmb_vec4 *colors;  ///< linear, multiplied with `color`; or NULL
    const lmb_vec2 *uvs;     ///< origin at the texture's top left, repeating; needed with `texture`
    const lmb_picture
        *texture; ///< multiplied with `color`, bilinear; must last through the call; or NULL
    uint32_t index_count;    ///< a multiple of 3
    const uint32_t *indices; ///< all < vertex_count
    lmb_vec4 color;          ///< linear; all zero counts as a light warm grey
} lmb_render_surface;

/// A bone of the overlay, drawn over everything so that it shows inside the body.
typedef struct lmb_render_bone {
    lmb_vec3 head, tail; ///< world space; equal for a joint without a bone
    lmb_vec4 color;      ///< linear; all zero counts as orange
} lmb_render_bone;

typedef struct lmb_render_job {
    uint32_t surface_count;
    const lmb_render_surface *surfaces;
    uint32_t bone_count;
    const lmb_render_bone *bones;
    lmb_box frame; ///< what the camera frames; all zero: everything given
    float yaw_rad; ///< where the camera stands: 0 in front (+Z), pi/2 at the character's left (+X)
    float pitch_rad;  ///< how far above it stands; 0 counts as 8 degrees
    bool no_ground;   ///< leave out the floor and its shadow
    float ground_y;   ///< height of the floor
    bool clear;       ///< transparent where nothing is drawn, instead of the studio backdrop
    uint32_t samples; ///< 1 .. 4 a pixel along each axis; 0 counts as 2
    lmb_picture picture;
    const lmb_jobs *jobs;
    const lmb_allocator *alloc;
} lmb_render_job;

/// Draws the job into its picture. The same bits with any number of workers.
/// Errors: MEMORY; INVALID for indices out of range or a picture without pixels.
LMB_API lmb_result lmb_render(const lmb_render_job *job, lmb_error *error);

/// The colour of a weight in [0,1], linear: blue, cyan, green, yellow, red; black-blue for exactly
/// 0.
LMB_API lmb_vec4 lmb_render_weight_color(float weight);

/// Copies `panel` into `sheet` with its top left corner at (x, y); what lies outside is cut off.
LMB_API void lmb_picture_place(lmb_picture sheet, lmb_picture panel, uint32_t x, uint32_t y);

// ------------------------------------------------------------------------------ skinning on a GPU

typedef enum lmb_gpu_language {
    LMB_GPU_GLSL_330 = 0, ///< desktop OpenGL 3.3 and later
    LMB_GPU_GLSL_430,     ///< desktop OpenGL 4.3 and later
    LMB_GPU_ESSL_300,     ///< OpenGL ES 3.0, WebGL 2
    LMB_GPU_ESSL_310,     ///< OpenGL ES 3.1
    LMB_GPU_WGSL,         ///< WebGPU
} lmb_gpu_language;

typedef enum lmb_gpu_stage {
    LMB_GPU_VERTEX = 0, ///< functions for a vertex shader; your own main() follows them
    /// a whole compute shader that writes skinned vertices; not in GLSL 330 and ESSL 300
    LMB_GPU_COMPUTE,
} lmb_gpu_stage;

typedef enum lmb_gpu_method {
    LMB_GPU_LINEAR = 0, ///< linear blend; 3 texels a joint
    LMB_GPU_DUAL, ///< dual quaternions, rigid: scale in the palette is dropped; 2 texels a joint
    /// dual quaternions after a linear blend of the joints' stretches; 5 texels a joint
    LMB_GPU_DUAL_SCALE,
} lmb_gpu_method;

/// Where the palettes lie. They are the same bytes everywhere.
typedef enum lmb_gpu_palettes {
    LMB_GPU_UNIFORM = 0, ///< a uniform block
    LMB_GPU_TEXTURE,     ///< a texture of RGBA32F, `texture_width` texels a row
    LMB_GPU_STORAGE,     ///< a storage buffer; for vertex shaders in GLSL 430 and WGSL only
} lmb_gpu_palettes;

typedef enum lmb_gpu_weights {
    LMB_GPU_UNORM16 = 0,
    LMB_GPU_UNORM8,
    LMB_GPU_FLOAT32,
} lmb_gpu_weights;

/// What the shader's text, the vertices and the palettes follow together. Counts do not enter the
/// text, so that one program serves many meshes. Texels are four floats.
typedef struct lmb_gpu_skin {
    lmb_gpu_language language;
    lmb_gpu_stage stage;
    lmb_gpu_method method;
    lmb_gpu_palettes palettes;
    uint32_t influences; ///< a vertex, 1 .. 8; 0 counts as 4
    lmb_gpu_weights weights;
    bool wide_joints;       ///< 16 bits a joint index; needed beyond 256 joints
    bool normals, tangents; ///< tangents need normals
    bool morphs;
    /// bytes a vertex, a multiple of 4; more than needed leaves room behind for your own; 0: as
    /// needed
    uint32_t vertex_stride;
    uint32_t output_stride; ///< the same for the vertices that a compute shader writes
    /// of palettes and morphs, a power of two; 0 counts as 1024, which every device has
    uint32_t texture_width;
    /// bytes of the uniform block, a multiple of 16; 0 counts as 16384, which every device has
    uint32_t uniform_size;
    uint32_t joint_count;
    uint32_t target_count; ///< morph targets; not read without `morphs`
    uint32_t vertex_count; ///< of the mesh
} lmb_gpu_skin;

/// Whether the description holds together. The calls below assert it.
/// Errors: UNSUPPORTED for a stage or place of palettes that the language does not have; INVALID
/// for a number out of range, more joints than an index can name, or a palette larger than the
/// uniform block. `error` may be NULL.
LMB_API lmb_result lmb_gpu_check(const lmb_gpu_skin *skin, lmb_error *error);

/// Writes the shader's text, cut off at `capacity` - 1 characters, and a terminator. Returns the
/// whole length, as snprintf.
/// A vertex shader of GLSL begins with the #version line and gives
///     lmb_vertex lmb_skin_vertex(int palette); // .position, .normal, .tangent in model space
/// to the main() that follows; lmb_gpu_layout has the attributes it declares.
LMB_API size_t lmb_gpu_shader(const lmb_gpu_skin *skin, char *out, size_t capacity);

/// One attribute of the packed vertices.
typedef struct lmb_gpu_attribute {
    uint32_t location, offset; ///< offset in bytes
    uint32_t components;
    uint32_t type; ///< OpenGL's number: GL_FLOAT, GL_UNSIGNED_BYTE or GL_UNSIGNED_SHORT
    bool is_integer, is_normalized; ///< integer: glVertexAttribIPointer
    const char *format;             ///< WebGPU's name of it, such as "unorm16x4"
} lmb_gpu_attribute;

typedef struct lmb_gpu_layout {
    uint32_t stride; ///< bytes
    uint32_t attribute_count;
    lmb_gpu_attribute attributes[7];
} lmb_gpu_layout;

/// Positions at location 0, normals 1, tangents 2, joints 3, weights 4; joints and weights of
/// influences 5 to 8 at 5 and 6.
LMB_API lmb_gpu_layout lmb_gpu_vertex_layout(const lmb_gpu_skin *skin);
/// What a compute shader writes, for the program that draws it: the same locations 0, 1 and 2.
LMB_API lmb_gpu_layout lmb_gpu_output_layout(const lmb_gpu_skin *skin);

/// Fills `out`, [vertex_count] of the layout's stride, from the mesh; what lies between the
/// attributes is left alone. Of a row the strongest influences are kept, scaled to sum to 1,
/// strongest first; a row without any follows joint 0. Returns the largest sum of weights that a
/// row lost, 0 when all fit.
LMB_API float lmb_gpu_vertices(const lmb_gpu_skin *skin, const lmb_mesh *mesh, void *out);

/// Numbers of the uniform `lmb_counts`: texels a palette, texel of a palette's first morph weight,
/// targets, vertices.
LMB_API void lmb_gpu_counts(const lmb_gpu_skin *skin, int32_t out[4]);

/// Memory for something on the GPU, in texels. `width` and `height` are of the texture; the last
/// row may be partly used.
typedef struct lmb_gpu_extent {
    size_t used, allocated; ///< allocated >= used: what a texture or a uniform block has to hold
    uint32_t width, height;
} lmb_gpu_extent;

/// Room for `palette_count` palettes one after the other: instances of a crowd, or frames of a
/// clip. Fewer than 2^31 texels in all.
LMB_API lmb_gpu_extent lmb_gpu_palette_extent(const lmb_gpu_skin *skin, uint32_t palette_count);
LMB_API lmb_gpu_extent lmb_gpu_morph_extent(const lmb_gpu_skin *skin);

/// One palette: the joints, then the morph weights.
typedef struct lmb_gpu_palette_job {
    const lmb_gpu_skin *skin;
    const lmb_mat4 *model_from_bind; ///< [joint_count] of lmb_skin_palette; affine
    const lmb_vec3 *origins;    ///< [joint_count] of lmb_skin_origins, for stretches; NULL: zeros
    const float *morph_weights; ///< [target_count]; NULL: zeros
    lmb_vec4 *out;              ///< palette p of the buffer begins at lmb_counts[0] * p texels
} lmb_gpu_palette_job;
LMB_API void lmb_gpu_palette(const lmb_gpu_palette_job *job);

/// Fills `out`, the `used` texels of lmb_gpu_morph_extent, with what the mesh's targets add.
LMB_API void lmb_gpu_morphs(const lmb_gpu_skin *skin, const lmb_mesh *mesh, lmb_vec4 *out);

#ifdef __cplusplus
}
#endif
#endif
