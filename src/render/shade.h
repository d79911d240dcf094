/// Shades visible triangles: a key light with shadow, a fill light, and sky and floor light with
/// ambient occlusion.
#ifndef RENDER_SHADE_H
#define RENDER_SHADE_H

#include "render/camera.h"
#include "render/raster.h"
#include "render/scene.h"
#include "render/shadow.h"

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

#endif
