/// A surface as a solid of voxels, with the bones in it: what the volumetric weights are found on.
#ifndef RIG_SOLID_H
#define RIG_SOLID_H

#include "geometry/volume.h"
#include "rig/heat.h"

typedef struct lmbi_solid {
    lmb_grid grid;
    uint32_t count;
    uint32_t *voxels; ///< [count] solid ones, rising
    uint32_t *number; ///< [voxels of the grid] place in `voxels`, UINT32_MAX in the air
} lmbi_solid;

/// A piece of a bone in the solid: about `step` of its length.
typedef struct lmbi_bone_voxel {
    uint32_t voxel; ///< in lmbi_solid.voxels
    uint32_t slot;
} lmbi_bone_voxel;

/// `across` voxels along the longest side, or fewer so that at most `most` of them are solid; all
/// pieces joined (lmb_voxels_connect). Errors: MEMORY; INVALID for a surface without triangles or
/// extent.
lmb_result lmbi_solid_create(const lmb_surface *surface, uint32_t across, uint32_t most,
                             lmbi_arena *arena, lmbi_solid *out, lmb_error *error);

/// Where the bones run: a point every `step` voxels. A bone that nowhere meets the solid is in the
/// voxel nearest to it. Errors: MEMORY.
lmb_result lmbi_solid_bones(const lmbi_solid *solid, const lmbi_heat *heat, float step,
                            lmbi_arena *arena, lmbi_bone_voxel **out, uint32_t *out_count,
                            lmb_error *error);

/// The solid voxel that a vertex lies in, or the nearest one around; UINT32_MAX: none is near.
uint32_t lmbi_solid_at(const lmbi_solid *solid, lmb_vec3 point);

#endif
