/// A cache of voxelisations of one mesh in one frame. Each variant is computed when it is first
/// requested; humans, other kinds and busts share them.
#ifndef EMBED_SHAPE_VOXEL_CACHE_H
#define EMBED_SHAPE_VOXEL_CACHE_H

#include "embed/shape/frame.h"
#include "embed/shape/surface_graph.h"
#include "embed/shape/voxel_body.h"
#include "geometry/volume.h"

/// Coarse voxels; coarse ones reduced to the symmetric part; the cell size that the thresholds of
/// creatures were set for, open below; finer ones parted where the surface says that limbs only
/// touch; and the coarse ones with tips of the surface, where limbs touch or have sunk into the body.
typedef enum lmbi_voxel_variant {
    LMBI_VOXELS_COARSE,
    LMBI_VOXELS_SYMMETRIC,
    LMBI_VOXELS_CREATURE,
    LMBI_VOXELS_PARTED,
    LMBI_VOXELS_SURFACE,
    LMBI_VOXEL_VARIANTS,
} lmbi_voxel_variant;

typedef struct lmbi_voxelisation {
    lmbi_voxel_body body;
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
    lmbi_tip_line *lines; ///< [LMBI_TIP_LINES] of tips of the surface, or NULL
    bool borrowed;        ///< the body is that of the coarse voxels
    uint32_t *paths;      ///< of lmbi_voxelisation_paths, or NULL before they are needed
    bool made, none;      ///< none: the variant would be the same as another, or was not symmetric
} lmbi_voxelisation;

typedef struct lmbi_voxel_cache {
    const lmbi_triangle_soup *mesh; ///< in its own axes
    lmbi_frame frame;
    lmb_vec3 *positions;     ///< [mesh position_count] in the frame
    lmbi_triangle_soup soup; ///< in the frame
    float volume;            ///< of the solid, estimated, in cubic units of the frame
    float cells[LMBI_VOXEL_VARIANTS], parted_cell; ///< sides of voxels; 0: derived ones
    int open_axis;                                 ///< as lmbi_voxels_fill takes it
    bool touching_known, touches;
    lmbi_surface_graph *surface; ///< of the coarse voxels, or NULL before it is needed
    /// of an upright one, whose frame is that of a figure that stands along y and whose mirror plane
    /// is x = 0: the cache of the mesh's own axes, and the cells that were asked for
    struct lmbi_voxel_cache *from;
    float wanted_cell;
    struct lmbi_voxel_cache *upright, *next; ///< its upright ones; the next of them
    struct lmbi_voxel_cache *reverse;        ///< the upright one that faces backward, or NULL
    lmbi_voxelisation variant[LMBI_VOXEL_VARIANTS];
    const lmb_allocator *alloc;
} lmbi_voxel_cache;

/// In the mesh's own axes, with the origin at the middle of its bounds and the longest side 1. The
/// mesh must outlive the cache. Errors: INVALID for no triangles or no extent; MEMORY.
lmb_result lmbi_voxel_cache_create(const lmbi_triangle_soup *mesh, const lmb_allocator *alloc,
                                   lmbi_voxel_cache *out, lmb_error *error);
/// The cache of the same mesh in the frame of an upright figure, with cells of `cell` and two thirds
/// of it, open below; `from` owns it. Errors: MEMORY.
lmb_result lmbi_voxel_cache_upright(lmbi_voxel_cache *from, const lmbi_frame *frame,
                                    lmb_vec3 extent, float cell, lmbi_voxel_cache **out,
                                    lmb_error *error);
void lmbi_voxel_cache_destroy(lmbi_voxel_cache *cache);

/// One variant, owned by the cache; NULL for a derived one that would change nothing.
/// Errors: MEMORY.
lmb_result lmbi_voxel_cache_get(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                const lmbi_voxelisation **out, lmb_error *error);

/// Fills `paths` of a variant as lmbi_medial_paths does. Errors: MEMORY.
lmb_result lmbi_voxelisation_paths(lmbi_voxelisation *x, lmb_error *error);

/// Whether limbs touch, as the coarse voxels show it. Errors: MEMORY.
lmb_result lmbi_voxel_cache_touches(lmbi_voxel_cache *cache, bool *out, lmb_error *error);

/// `wanted`, or a larger size, so that a box of `extent` has at most `most` voxels and a solid of
/// `volume` not too many for the time of a search.
float lmbi_choose_cell_size(lmb_vec3 extent, float volume, float wanted, float most);
/// The open axis for lmbi_voxels_fill: open below, so that the air under a belly stays outside, or
/// none if the surface is closed.
int lmbi_open_axis_below(const lmbi_triangle_soup *soup);

#endif
