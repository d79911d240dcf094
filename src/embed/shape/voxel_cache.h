/// The solid of a mesh in one frame, as often as it has to be looked at: coarse, fine, and with
/// limbs cut loose. Each look is made when it is first asked for, once, for whoever asks: humans,
/// other kinds and busts are read from the same solids.
#ifndef EMBED_SHAPE_VOXEL_CACHE_H
#define EMBED_SHAPE_VOXEL_CACHE_H

#include "embed/shape/frame.h"
#include "embed/shape/voxel_body.h"
#include "geometry/volume.h"

/// Coarse voxels; fine ones, in which feet and hands part that nearly touch; fine ones with limbs
/// cut loose that do touch, where little flesh joins them and where more does; fine ones without what
/// only one side has; and as kinds without arms are read: open below, in the voxels that their
/// thresholds were set in.
typedef enum lmbi_voxel_variant {
    LMBI_VOXELS_COARSE,
    LMBI_VOXELS_FINE,
    LMBI_VOXELS_SPLIT,
    LMBI_VOXELS_SPLIT_MORE,
    LMBI_VOXELS_SYMMETRIC,
    LMBI_VOXELS_CREATURE,
    LMBI_VOXEL_VARIANTS,
} lmbi_voxel_variant;

typedef struct lmbi_voxelisation {
    lmbi_voxel_body body;
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
    bool made, none; ///< none: there is nothing to cut loose, or off
} lmbi_voxelisation;

typedef struct lmbi_voxel_cache {
    const lmbi_triangle_soup *mesh; ///< as it was given
    lmbi_frame frame;
    lmb_vec3 *positions;     ///< [mesh position_count] in the frame
    lmbi_triangle_soup soup; ///< in the frame
    float volume;            ///< of the solid, about, in the frame
    float cells[LMBI_VOXEL_VARIANTS];
    int open_axis; ///< of lmb_voxels_fill
    bool upright;  ///< a figure's frame: it stands along y, its mirror plane is x = 0
    /// a figure's sides may be in different poses
    bool asymmetric;
    /// the axis of the mesh that a figure was taken to stand along, y or z; zero before that
    lmb_vec3 stood;
    lmbi_voxelisation variant[LMBI_VOXEL_VARIANTS];
    const lmb_allocator *alloc;
} lmbi_voxel_cache;

/// In the mesh's own axes, the origin amid its bounds, the longest side 1. The mesh has to outlive
/// the looks. Errors: INVALID for no triangles or no extent; MEMORY.
lmb_result lmbi_voxel_cache_create(const lmbi_triangle_soup *mesh, const lmb_allocator *alloc,
                                   lmbi_voxel_cache *out, lmb_error *error);
/// The same mesh in a frame of its own, voxels of `cell` and two thirds of it, open below.
/// Errors: MEMORY.
lmb_result lmbi_voxel_cache_create_upright(const lmbi_voxel_cache *from, const lmbi_frame *frame,
                                           lmb_vec3 extent, float cell, lmbi_voxel_cache *out,
                                           lmb_error *error);
void lmbi_voxel_cache_destroy(lmbi_voxel_cache *cache);

/// One look, owned by `looks`; NULL for a parted one that would show what the fine one does.
/// Errors: MEMORY.
lmb_result lmbi_voxel_cache_get(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                const lmbi_voxelisation **out, lmb_error *error);

/// `wanted`, or larger so that a box of `extent` has at most `most` voxels, and a solid of `volume`
/// no more than a search has time for.
float lmbi_choose_cell_size(lmb_vec3 extent, float volume, float wanted, float most);
/// For lmb_voxels_fill: the air under a belly stays outside, and sight closes no holes where there
/// are none.
int lmbi_open_axis_below(const lmbi_triangle_soup *soup);

#endif
