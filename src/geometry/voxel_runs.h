/// Pieces of the solid, or of the air, by runs of voxels side by side: a row holds few, and which of
/// two rows next to each other touch is seen in one pass over both.
#ifndef GEOMETRY_VOXEL_RUNS_H
#define GEOMETRY_VOXEL_RUNS_H

#include "geometry/volume.h"
#include "limber/geometry.h"

typedef struct lmbi_voxel_run {
    uint32_t from, to; ///< its first voxel, and the one after its last
    uint32_t up;       ///< union-find: a run that came before, or itself
} lmbi_voxel_run;

typedef struct lmbi_voxel_runs {
    const lmb_grid *grid;
    bool solid;
    lmbi_voxel_run *items; ///< rising
    uint32_t count;
    uint32_t *first; ///< [rows + 1] of each row, in items
    const lmb_allocator *alloc;
} lmbi_voxel_runs;

/// Of `solid` the runs of what is not 0, which touch over faces, edges and corners; else those of 0,
/// which touch over faces. Errors: MEMORY.
lmb_result lmbi_voxel_runs_create(const lmb_grid *grid, const uint8_t *cells, bool solid,
                                  const lmb_allocator *alloc, lmbi_voxel_runs *out,
                                  lmb_error *error);
void lmbi_voxel_runs_destroy(lmbi_voxel_runs *runs);
/// The first run of the piece that a run belongs to.
uint32_t lmbi_voxel_runs_piece(lmbi_voxel_runs *runs, uint32_t run);
/// Whether all of them are one piece, or there are none.
bool lmbi_voxel_runs_are_one(lmbi_voxel_runs *runs);

#endif
