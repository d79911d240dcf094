/// Pictures without a GPU or a display: a software rasteriser with shading, shadows and a skeleton overlay.
#ifndef LIMBER_RENDER_H
#define LIMBER_RENDER_H

#include "limber/base.h"
#include "limber/jobs.h"
#include "limber/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The caller's pixels: 8-bit sRGB and coverage, rows from the top, no padding. rgba has 4 * width * height bytes.
typedef struct lmb_picture {
    uint32_t width, height; ///< 1 .. 16384 each
    uint8_t *rgba;
} lmb_picture;

/// Triangles in world space. Both sides are drawn and lit, since scans and old models often face both ways.
typedef struct lmb_render_surface {
    uint32_t vertex_count;
    const lmb_vec3 *positions;
    const lmb_vec3 *normals; ///< unit, or NULL: averaged from the faces at each vertex
    const lmb_vec4 *colors;  ///< linear, multiplied with `color`; or NULL
    const lmb_vec2 *uvs;     ///< origin at the texture's top left, repeating; needed with `texture`
    const lmb_picture *texture; ///< multiplied with `color`, bilinear; must last through the call; or NULL
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
    lmb_box frame;      ///< what the camera frames; all zero: everything given
    float yaw_rad;      ///< where the camera stands: 0 in front (+Z), pi/2 at the character's left (+X)
    float pitch_rad;    ///< how far above it stands; 0 counts as 8 degrees
    bool no_ground;     ///< leave out the floor and its shadow
    float ground_y;     ///< height of the floor
    bool clear;         ///< transparent where nothing is drawn, instead of the studio backdrop
    uint32_t samples;   ///< 1 .. 4 a pixel along each axis; 0 counts as 2
    lmb_picture picture;
    const lmb_jobs *jobs;
    const lmb_allocator *alloc;
} lmb_render_job;

/// Draws the job into its picture. The same bits with any number of workers.
/// Errors: MEMORY; INVALID for indices out of range or a picture without pixels.
LMB_API lmb_result lmb_render(const lmb_render_job *job, lmb_error *error);

/// The colour of a weight in [0,1], linear: blue, cyan, green, yellow, red; black-blue for exactly 0.
LMB_API lmb_vec4 lmb_render_weight_color(float weight);

/// Copies `panel` into `sheet` with its top left corner at (x, y); what lies outside is cut off.
LMB_API void lmb_picture_place(lmb_picture sheet, lmb_picture panel, uint32_t x, uint32_t y);

#ifdef __cplusplus
}
#endif
#endif
