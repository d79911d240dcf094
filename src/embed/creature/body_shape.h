/// The measured shape from which every kind of creature is embedded: the solid, its limb tips and
/// its medial paths in one frame. One unit is the longest side of the mesh; the ground is at y = 0
/// in a rotated shape.
#ifndef EMBED_CREATURE_BODY_SHAPE_H
#define EMBED_CREATURE_BODY_SHAPE_H

#include "embed/shape/limb_line.h"
#include "embed/shape/voxel_cache.h"

typedef struct lmbi_body_shape {
    lmbi_frame frame;
    lmb_vec3 *positions; ///< [soup position_count] in the frame; NULL in a first shape
    lmbi_triangle_soup soup;
    lmbi_voxel_body body;
    bool shares_body; ///< the body belongs to the voxel cache
    float volume;     ///< of the solid, estimated
    uint32_t *paths;  ///< [voxels] next voxel on a medial path to the center; NULL in a first shape
    lmb_box box;      ///< of the solid
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
    const lmb_allocator *alloc;
} lmbi_body_shape;

/// The shape in the mesh's own axes, without paths. It borrows voxels of `cache`, which must
/// outlive it. Errors: MEMORY.
lmb_result lmbi_body_shape_create(lmbi_voxel_cache *cache, lmbi_body_shape *out, lmb_error *error);
/// The shape in other axes: `left` and `up` are orthogonal units in the frame of `from`. The plane
/// left . p == offset becomes x = 0, the lowest point y = 0. Errors: MEMORY.
lmb_result lmbi_body_shape_create_rotated(const lmbi_body_shape *from,
                                          const lmbi_triangle_soup *soup, lmb_vec3 left,
                                          lmb_vec3 up, float offset, lmbi_body_shape *out,
                                          lmb_error *error);
/// The shape along the principal axes of the surface, in units of its longest side along them, so
/// that every rotated copy of a mesh has the same one. Errors: MEMORY.
lmb_result lmbi_body_shape_create_principal(const lmbi_body_shape *from,
                                            const lmbi_triangle_soup *soup, lmbi_body_shape *out,
                                            lmb_error *error);
void lmbi_body_shape_destroy(lmbi_body_shape *shape);

/// The solid voxel nearest to p.
uint32_t lmbi_body_shape_nearest_voxel(const lmbi_body_shape *shape, lmb_vec3 p);
/// The medial line from a voxel to the center.
void lmbi_body_shape_trace_limb(const lmbi_body_shape *shape, uint32_t voxel,
                                lmbi_limb_profile *out);

// ---- where limbs end and bend

/// The arc at which the limb from a tip ends: where it becomes 1.7 times as thick as its outer
/// half, at most the length of its branch.
float lmbi_limb_root(const lmbi_body_shape *shape, const lmbi_limb_profile *line,
                     const lmbi_tip *tip);

/// The arc in (low, high) where the line is farthest from the straight line between both; returns
/// that distance.
float lmbi_limb_bend(const lmbi_limb_profile *line, float low, float high, float *out_arc);

/// The `count` sharpest bends of the line between two arcs, found by recursive subdivision; a
/// straight part is halved instead. In descending order: the first is nearest to `high`.
void lmbi_limb_bends(const lmbi_limb_profile *line, float low, float high, uint32_t count,
                     float *out_arcs);

#endif
