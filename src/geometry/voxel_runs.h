/// Connected pieces of the solid or the air, by runs of adjacent voxels: rows have few runs, and
/// one pass over two adjacent rows finds which touch.
#ifndef GEOMETRY_VOXEL_RUNS_H
#define GEOMETRY_VOXEL_RUNS_H

#include "geometry/volume.h"
#include "limber/geometry.h"

typedef struct lmbi_voxel_run {
    uint32_t from, to; ///< first voxel, and one past the last
    uint32_t up;       ///< union-find parent: an earlier run, or itself
} lmbi_voxel_run;

typedef struct lmbi_voxel_runs {
    const lmbi_grid *grid;
    bool solid;
    lmbi_voxel_run *items; ///< ascending
    uint32_t count;
    uint32_t *first; ///< [rows + 1] first run of each row
    const lmb_allocator *alloc;
} lmbi_voxel_runs;

/// With `solid`, finds runs of nonzero voxels, 26-connected; else runs of zeros, 6-connected.
/// Errors: MEMORY.
lmb_result lmbi_voxel_runs_create(const lmbi_grid *grid, const uint8_t *cells, bool solid,
                                  const lmb_allocator *alloc, lmbi_voxel_runs *out,
                                  lmb_error *error);
void lmbi_voxel_runs_destroy(lmbi_voxel_runs *runs);
/// The first run of a run's piece.
uint32_t lmbi_voxel_runs_piece(lmbi_voxel_runs *runs, uint32_t run);
/// Whether there is at most one piece.
bool lmbi_voxel_runs_are_one(lmbi_voxel_runs *runs);

#endif
