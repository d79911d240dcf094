/// What every kind of creature is read from: the solid in a frame of its own, where it ends and
/// where it stands. One unit is the longest side of the mesh, the ground is at y = 0.
#ifndef EMBED_CREATURE_BODY_SHAPE_H
#define EMBED_CREATURE_BODY_SHAPE_H

#include "embed/shape/limb_line.h"
#include "embed/shape/voxel_cache.h"

typedef struct lmbi_body_shape {
    lmbi_frame frame;
    lmb_vec3 *positions; ///< [soup position_count] in the frame; NULL before a turn
    lmbi_triangle_soup soup;
    lmbi_voxel_body body;
    bool shares_body; ///< the body is that of the looks
    float volume;     ///< of the solid, about
    uint32_t *paths;  ///< [voxels] next voxel on a deep way to the middle; NULL before a turn
    lmb_box box;      ///< of the solid
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
    const lmb_allocator *alloc;
} lmbi_body_shape;

/// A first look in the mesh's own axes, without ways, on voxels of `looks`, which have to outlive
/// it. Errors: MEMORY.
lmb_result lmbi_body_shape_create(lmbi_voxel_cache *cache, lmbi_body_shape *out, lmb_error *error);
/// In other axes: `left` and `up` unit and at right angles, in the frame of `from`; the plane
/// left . p == offset becomes x = 0, what is lowest y = 0. Errors: MEMORY.
lmb_result lmbi_body_shape_create_rotated(const lmbi_body_shape *from,
                                          const lmbi_triangle_soup *soup, lmb_vec3 left,
                                          lmb_vec3 up, float offset, lmbi_body_shape *out,
                                          lmb_error *error);
/// Along the principal axes of the surface, in units of its longest side along them: the same for
/// every copy of a mesh, however it is turned. Errors: MEMORY.
lmb_result lmbi_body_shape_create_principal(const lmbi_body_shape *from,
                                            const lmbi_triangle_soup *soup, lmbi_body_shape *out,
                                            lmb_error *error);
void lmbi_body_shape_destroy(lmbi_body_shape *shape);

/// The solid voxel nearest to p.
uint32_t lmbi_body_shape_nearest_voxel(const lmbi_body_shape *shape, lmb_vec3 p);
/// The line from a voxel to the middle.
void lmbi_body_shape_trace_limb(const lmbi_body_shape *shape, uint32_t voxel,
                                lmbi_limb_profile *out);

#endif
