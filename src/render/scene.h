/// All surfaces of a job as one list of vertices and triangles, with shading attributes.
#ifndef RENDER_SCENE_H
#define RENDER_SCENE_H

#include "base/arena.h"
#include "limber/jobs.h"
#include "limber/math.h"
#include "limber/render.h"

typedef struct lmbi_scene {
    uint32_t vertex_count, triangle_count;
    lmb_vec3 *positions, *normals, *colors; ///< [vertex_count]
    lmb_vec2 *uvs;                          ///< [vertex_count]
    uint32_t *indices;                      ///< [3 * triangle_count]
    const lmb_picture **textures;           ///< [triangle_count], entries may be NULL
    lmb_box box;
    lmbi_arena arena; ///< of all arrays
} lmbi_scene;

/// Free with lmbi_scene_free, also after a failure.
lmb_result lmbi_scene_build(const lmb_render_job *job, lmbi_scene *scene, lmb_error *error);
void lmbi_scene_free(lmbi_scene *scene);

// ---- Visibility by rasterisation: finds the nearest triangle at each sample, for the picture
// and the shadow map.

#define LMBI_NO_TRIANGLE UINT32_MAX

/// Samples of one view. Depth is reversed, larger is nearer: 1/z in perspective, height towards the
/// light for a parallel light.
typedef struct lmbi_view {
    uint32_t width, height;
    float *depth;       ///< [width * height], cleared by the rasteriser to -infinity
    uint32_t *triangle; ///< [width * height], or NULL if only depth is needed
} lmbi_view;

/// Vertices in sample coordinates: x, y and reversed depth. A depth of -infinity discards every
/// triangle of the vertex.
void lmbi_raster(const lmbi_view *view, const lmb_vec3 *screen, const uint32_t *indices,
                 uint32_t triangle_count, const lmb_jobs *jobs);

// ---- A perspective camera that frames a box.

typedef struct lmbi_camera {
    lmb_vec3 eye;
    lmb_vec3 right, up, forward; ///< orthonormal, world space; forward is the viewing direction
    float focal;                 ///< samples per unit of slope
    float center_x, center_y;    ///< samples
    float near_z;
} lmbi_camera;

/// Orbits the box's centre at yaw and pitch, as close as keeps the whole box in width x height
/// samples.
lmbi_camera lmbi_camera_frame(lmb_box box, float yaw_rad, float pitch_rad, float width,
                              float height);
/// Sample coordinates in x and y, depth along forward in z.
lmb_vec3 lmbi_camera_project(const lmbi_camera *camera, lmb_vec3 p);
/// Ray direction through a sample, with unit component along forward.
lmb_vec3 lmbi_camera_ray(const lmbi_camera *camera, float x, float y);

// ---- A shadow map of one parallel light (Williams 1978), with percentage-closer filtering
// (Reeves 1987).

typedef struct lmbi_shadow {
    lmb_vec3 to_light, right, up; ///< orthonormal
    lmb_vec3 center;
    float scale; ///< texels per metre
    lmbi_view view;
} lmbi_shadow;

lmb_result lmbi_shadow_build(lmbi_shadow *shadow, const lmbi_scene *scene, lmb_vec3 to_light,
                             const lmb_render_job *job, lmb_error *error);
void lmbi_shadow_free(lmbi_shadow *shadow, const lmb_allocator *alloc);
/// Fraction of the light that reaches p, in [0,1]. `bias` is the offset of p towards the light, in
/// metres.
float lmbi_shadow_light(const lmbi_shadow *shadow, lmb_vec3 p, float bias);

// ---- Shades visible triangles: a key light with shadow, a fill light, and sky and floor light
// with ambient occlusion.

typedef struct lmbi_shading {
    const lmbi_scene *scene;
    const lmbi_camera *camera;
    const lmbi_view *view;
    const lmbi_shadow *shadow;
    float reach; ///< radius of ambient occlusion, in metres
    lmb_vec3 to_fill;
    bool ground;
    float ground_y;
    lmb_vec3 ground_center;
    float ground_radius; ///< metres; the floor fades out towards it
} lmbi_shading;

/// Linear colour and coverage of the sample (x, y).
lmb_vec4 lmbi_shade(const lmbi_shading *shading, uint32_t x, uint32_t y);

// ---- Draws the skeleton over a finished picture: tapered bones and round joints, antialiased.

/// `per_pixel`: camera samples per pixel along an axis.
void lmbi_overlay_bones(lmb_picture picture, const lmbi_camera *camera, float per_pixel,
                        const lmb_render_bone *bones, uint32_t bone_count);

// Linear light to 8-bit sRGB (IEC 61966-2-1).

static inline uint8_t lmbi_srgb_encode(float linear)
{
    const float x = linear < 0 ? 0 : (linear > 1 ? 1 : linear);
    const float s = x <= 0.0031308f ? 12.92f * x : 1.055f * lmb_exp(lmb_log(x) / 2.4f) - 0.055f;
    return (uint8_t)(s * 255.0f + 0.5f);
}

#endif
