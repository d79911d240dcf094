/// A mesh turned to stand like a figure: x to its left, y up, z forward, one unit tall, feet at y =
/// 0, mirror plane at x = 0.
#ifndef RIG_FIGURE_H
#define RIG_FIGURE_H

#include "rig/stance.h"

typedef struct lmbi_figure {
    lmb_vec3 axes[3];    ///< left, up, forward in the mesh's space
    lmb_vec3 origin;     ///< in the mesh's space
    float size;          ///< height in units of the mesh
    lmb_vec3 *positions; ///< [soup position_count] in the figure's space
    lmbi_soup soup;
    lmbi_body body; ///< in the figure's space
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
    lmbi_stance stance; ///< in the figure's space
    const lmb_allocator *alloc;
} lmbi_figure;

static inline lmb_vec3 lmbi_figure_to(const lmbi_figure *f, lmb_vec3 p)
{
    const lmb_vec3 d = lmb_vec3_scale(lmb_vec3_sub(p, f->origin), 1 / f->size);
    return lmb_vec3_make(lmb_vec3_dot(d, f->axes[0]), lmb_vec3_dot(d, f->axes[1]),
                         lmb_vec3_dot(d, f->axes[2]));
}
static inline lmb_vec3 lmbi_figure_from(const lmbi_figure *f, lmb_vec3 p)
{
    const lmb_vec3 d = lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(f->axes[0], p.x), f->axes[1], p.y),
                                    f->axes[2], p.z);
    return lmb_vec3_mad(f->origin, d, f->size);
}

typedef struct lmbi_figure_opts {
    lmbi_stance_opts stance;
    float cell; ///< in heights; 0: 1/128
} lmbi_figure_opts;

/// Errors: INVALID for no triangles or no extent; UNSUPPORTED when nothing in the mesh reads as a
/// standing figure; MEMORY.
lmb_result lmbi_figure_create(const lmbi_soup *soup, const lmbi_figure_opts *opts,
                              const lmb_allocator *alloc, lmbi_figure *out, lmb_error *error);
void lmbi_figure_destroy(lmbi_figure *figure);

#endif
