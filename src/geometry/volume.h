/// Voxel grids: marking, filling and connecting them, distances through them.
#ifndef GEOMETRY_VOLUME_H
#define GEOMETRY_VOLUME_H

#include "limber/geometry.h"

/// A voxel grid. Voxel (i, j, k) has the index (k * ny + j) * nx + i and the centre low + cell * (i
/// + 1/2, j + 1/2, k + 1/2).
typedef struct lmbi_grid {
    lmb_vec3 low;
    float cell;
    int32_t nx, ny, nz;
} lmbi_grid;

/// The grid of cubes of side `cell` that contains `box` with `margin` empty voxels around. INVALID
/// if that takes more than 2^28 voxels, or the box or the cell is not finite and positive.
lmb_result lmbi_grid_around(lmb_box box, float cell, int32_t margin, lmbi_grid *out,
                            lmb_error *error);
static inline size_t lmbi_grid_count(const lmbi_grid *grid)
{
    return (size_t)grid->nx * (size_t)grid->ny * (size_t)grid->nz;
}
static inline size_t lmbi_grid_index(const lmbi_grid *grid, int32_t i, int32_t j, int32_t k)
{
    return ((size_t)k * (size_t)grid->ny + (size_t)j) * (size_t)grid->nx + (size_t)i;
}
/// The centre of the voxel with that index.
lmb_vec3 lmbi_grid_center(const lmbi_grid *grid, size_t index);
/// The voxel that contains the point, clamped to the grid.
size_t lmbi_grid_voxel_at(const lmbi_grid *grid, lmb_vec3 point);

enum {
    LMB_VOXEL_OUTSIDE = 0,
    LMB_VOXEL_SURFACE = 1, ///< a triangle touches the cube
    LMB_VOXEL_INSIDE = 2,
};

enum { LMB_OPEN_NOWHERE = 4 };

/// Marks every voxel that a triangle touches (separating axes; Akenine-Moller 2001) as
/// LMB_VOXEL_SURFACE; others are unchanged. Parts outside the grid are ignored. Every index must be
/// < the number of positions.
void lmbi_voxels_mark(const lmbi_grid *grid, const lmb_vec3 *positions, const uint32_t *triangles,
                      uint32_t triangle_count, uint8_t *cells);

/// Marks voxels enclosed by surface voxels as LMB_VOXEL_INSIDE. A voxel is enclosed if a flood from
/// the border does not reach it, or, for surfaces with holes, if it sees the surface in at least
/// five of the six axis directions. `open_axis` in 1..3 with a sign names a direction (+x is 1, -y
/// is -2) in which it must see the surface, so that the air under a skirt stays outside; 0: none;
/// LMB_OPEN_NOWHERE: the surface has no holes, only the flood decides.
/// Triangles may face any way. The outermost layer of voxels must be empty. Errors: MEMORY.
lmb_result lmbi_voxels_fill(const lmbi_grid *grid, int open_axis, uint8_t *cells,
                            const lmb_allocator *alloc, lmb_error *error);

/// Joins the 26-connected pieces of the solid by the shortest straight bridges, one voxel wide (a
/// minimum spanning tree over their nearest pairs). Bridges become LMB_VOXEL_INSIDE. Pieces with
/// fewer than `smallest` voxels that are more than `reach` voxels away are cleared. Errors: MEMORY.
lmb_result lmbi_voxels_connect(const lmbi_grid *grid, uint32_t smallest, float reach,
                               uint8_t *cells, const lmb_allocator *alloc, lmb_error *error);

/// Exact Euclidean distance, in cells, from each voxel's centre to the nearest centre where `cells`
/// is 0 (Felzenszwalb, Huttenlocher 2012). 1e9 if no voxel is 0. Errors: MEMORY.
lmb_result lmbi_distance_transform(const lmbi_grid *grid, const uint8_t *cells, float *out_distance,
                                   const lmb_allocator *alloc, lmb_error *error);

/// Trilinear interpolation between voxel centres, clamped at the border.
float lmbi_field_sample(const lmbi_grid *grid, const float *field, lmb_vec3 point);

typedef struct lmbi_geodesic_job {
    const lmbi_grid *grid;
    const uint8_t *cells; ///< paths stay in voxels that are not 0
    /// factor of a step's cost, averaged over its two ends, or NULL for 1 everywhere
    const float *slowness;
    const uint32_t *seeds; ///< voxel indices
    uint32_t seed_count;
    float *out_distance; ///< [voxels], in cells; negative where not reached
    /// [voxels] predecessor on the shortest path, itself at seeds; or NULL
    uint32_t *out_previous;
} lmbi_geodesic_job;

/// Shortest paths over the 26 neighbours (Dijkstra 1959); of equal paths the one found from the
/// lower index. Errors: MEMORY.
lmb_result lmbi_geodesic(const lmbi_geodesic_job *job, const lmb_allocator *alloc,
                         lmb_error *error);

#endif
