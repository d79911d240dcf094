/// A frame of reference for measuring bodies: axes, origin and unit.
#ifndef EMBED_SHAPE_FRAME_H
#define EMBED_SHAPE_FRAME_H

#include "limber/math.h"

typedef struct lmbi_frame {
    lmb_vec3 axes[3]; ///< left, up, forward in the mesh's space
    lmb_vec3 origin;  ///< in the mesh's space
    float size;       ///< length of a unit in the mesh's unit
} lmbi_frame;

static inline lmb_vec3 lmbi_frame_to(const lmbi_frame *f, lmb_vec3 p)
{
    const lmb_vec3 d = lmb_vec3_scale(lmb_vec3_sub(p, f->origin), 1 / f->size);
    return lmb_vec3_make(lmb_vec3_dot(d, f->axes[0]), lmb_vec3_dot(d, f->axes[1]),
                         lmb_vec3_dot(d, f->axes[2]));
}
static inline lmb_vec3 lmbi_frame_from(const lmbi_frame *f, lmb_vec3 p)
{
    const lmb_vec3 d = lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(f->axes[0], p.x), f->axes[1], p.y),
                                    f->axes[2], p.z);
    return lmb_vec3_mad(f->origin, d, f->size);
}

#endif
