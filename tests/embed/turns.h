/// Helpers for tests of embeddings with bodies of capsules.
#ifndef TESTS_EMBED_TURNS_H
#define TESTS_EMBED_TURNS_H

#include "embed/capsules.h"

static inline lmb_vec3 other_side(lmb_vec3 p)
{
    return lmb_vec3_make(-p.x, p.y, p.z);
}

/// Rotations and scalings of a mesh, and their inverses.
static inline lmb_vec3 turn_quarter(lmb_vec3 p)
{
    return lmb_vec3_make(p.z, p.y, -p.x);
}
static inline lmb_vec3 unturn_quarter(lmb_vec3 p)
{
    return lmb_vec3_make(-p.z, p.y, p.x);
}
static inline lmb_vec3 lay_down(lmb_vec3 p)
{
    return lmb_vec3_make(p.x, -p.z, p.y);
}
static inline lmb_vec3 stand_up(lmb_vec3 p)
{
    return lmb_vec3_make(p.x, p.z, -p.y);
}
static inline lmb_vec3 shrink(lmb_vec3 p)
{
    return lmb_vec3_scale(p, 0.01f);
}
static inline lmb_vec3 grow(lmb_vec3 p)
{
    return lmb_vec3_scale(p, 100);
}

static inline lmb_result embed(const capsules *s, const lmb_embed_opts *opts, lmb_embedding *out,
                               lmb_error *error)
{
    return lmb_embed(s->points, s->point_count, s->triangles, s->triangle_count, opts, NULL, out,
                     error);
}

/// A square of `half` on each side of the middle, at a height.
static inline void add_floor(capsules *s, float half, float height)
{
    const uint32_t first = s->point_count;
    for (int k = 0; k < 4; ++k) {
        s->points[s->point_count++] =
            lmb_vec3_make(k & 1 ? half : -half, height, k & 2 ? half : -half);
    }
    const uint32_t corners[6] = {first, first + 2, first + 1, first + 1, first + 2, first + 3};
    memcpy(s->triangles + 3 * (size_t)s->triangle_count, corners, sizeof corners);
    s->triangle_count += 2;
}

#endif
