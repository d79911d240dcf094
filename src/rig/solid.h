/// A surface voxelised as a solid, and the bones' voxels: input of the volumetric weights.
#ifndef RIG_SOLID_H
#define RIG_SOLID_H

#include "geometry/volume.h"
#include "rig/heat.h"

typedef struct lmbi_solid {
    lmbi_grid grid;
    uint32_t count;
    uint32_t *voxels; ///< [count] indices of solid voxels, ascending
    uint32_t *number; ///< [voxels of the grid] index in `voxels`, UINT32_MAX if empty
} lmbi_solid;

/// A sample of a bone in the solid, covering about `step` of its length.
typedef struct lmbi_bone_voxel {
    uint32_t voxel; ///< in lmbi_solid.voxels
    uint32_t slot;
} lmbi_bone_voxel;

/// Uses `across` voxels along the longest side, or fewer to keep at most `most` solid; joins all
/// pieces (lmbi_voxels_connect). Errors: MEMORY; INVALID for a surface without triangles or extent.
lmb_result lmbi_solid_create(const lmb_surface *surface, uint32_t across, uint32_t most,
                             lmbi_arena *arena, lmbi_solid *out, lmb_error *error);

/// Samples the bones every `step` voxels. A bone that misses the solid gets the solid voxel nearest
/// to it. Errors: MEMORY.
lmb_result lmbi_solid_bones(const lmbi_solid *solid, const lmbi_heat *heat, float step,
                            lmbi_arena *arena, lmbi_bone_voxel **out, uint32_t *out_count,
                            lmb_error *error);

/// The solid voxel at a point, or the nearest of its 26 neighbours; UINT32_MAX if none is solid.
uint32_t lmbi_solid_at(const lmbi_solid *solid, lmb_vec3 point);

#endif
