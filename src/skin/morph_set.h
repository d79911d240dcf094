/// Compiled morph targets: one stream for each vertex attribute.
#ifndef SKIN_MORPH_SET_H
#define SKIN_MORPH_SET_H

#include "limber/skin.h"
#include "skin/morph_stream.h"

// Vertex normals from the adjacent triangles, at rest and morphed.

/// A triangle seen from one of its corners: the other two corners, counter-clockwise.
typedef struct lmbi_fan_corner {
    uint32_t next, last;
} lmbi_fan_corner;

typedef struct lmbi_morph_surface {
    uint32_t *fan_of; ///< [vertex_count] vertices with equal position and normal share a fan
    uint32_t *first;  ///< [fan_count + 1] in corners
    lmbi_fan_corner *corners;
    lmb_vec3 *normals; ///< [vertex_count] at rest: unit, or zero
} lmbi_morph_surface;

/// Free with lmbi_morph_surface_free, also after a failure (MEMORY).
lmb_result lmbi_morph_surface_build(lmbi_morph_surface *surface, const lmb_mesh *mesh,
                                    const lmb_allocator *alloc, lmb_error *error);
void lmbi_morph_surface_free(lmbi_morph_surface *surface, const lmb_allocator *alloc);
/// Area-weighted mean of the normals of the triangles at vertex v; unit, or zero.
lmb_vec3 lmbi_morph_surface_normal(const lmbi_morph_surface *surface, const lmb_vec3 *positions,
                                   uint32_t v);

struct lmb_morph_set {
    uint32_t vertex_count, target_count;
    lmbi_morph_stream positions, normals, tangents;
    bool has_surface;
    lmbi_morph_surface surface;
    lmb_allocator allocator;
};

#endif
