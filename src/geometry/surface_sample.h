/// Points on a surface.
#ifndef GEOMETRY_SURFACE_SAMPLE_H
#define GEOMETRY_SURFACE_SAMPLE_H

#include "limber/geometry.h"

typedef struct lmbi_sample_point {
    lmb_vec3 position;
    uint32_t triangle;
    float barycentric[3];
} lmbi_sample_point;

/// `count` points stratified by area: one at random in each of `count` equal slices of the
/// cumulative area.
/// Errors: INVALID when the surface has no area; MEMORY.
lmb_result lmbi_surface_sample(const lmb_surface *surface, uint32_t count, lmb_random *random,
                               const lmb_allocator *alloc, lmbi_sample_point *out_points,
                               lmb_error *error);

#endif
