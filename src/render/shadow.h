/// A shadow map of one parallel light (Williams 1978), with percentage-closer filtering (Reeves
/// 1987).
#ifndef RENDER_SHADOW_H
#define RENDER_SHADOW_H

#include "render/raster.h"
#include "render/scene.h"

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

#endif
