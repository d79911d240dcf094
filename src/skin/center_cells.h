/// The surface as centres of rotation see it: for each pair of joints, area and first moment by the
/// two weights.
///
/// Le and Hodgins' similarity of two weight rows is a sum over pairs of joints, each term a
/// function of four weights. So the integral over the surface is a sum over pairs of a function of
/// two weights: a pair's triangles are gathered in cells of its two weights once, and a vertex
/// visits cells instead of triangles.
#ifndef SKIN_CENTER_CELLS_H
#define SKIN_CENTER_CELLS_H

#include "limber/skin.h"

/// Cells of one pair are visited in groups of four; the last is padded with cells without area.
typedef struct lmbi_center_pair {
    uint32_t low, high;    ///< joints, low < high
    uint32_t first, count; ///< groups
} lmbi_center_pair;

/// Four cells side by side.
typedef struct lmbi_center_group {
    float low[4], high[4];  ///< mean weights of the two joints
    float area[4];          ///< times both weights
    float x[4], y[4], z[4]; ///< that, times the mean place
} lmbi_center_group;

typedef struct lmbi_center_cells {
    uint32_t pair_count;
    lmbi_center_pair *pairs; ///< by rising (low, high)
    lmbi_center_group *groups;
} lmbi_center_cells;

/// Gathers the triangles of `mesh`. `alloc` may be NULL. False: no memory. Free with
/// lmbi_center_cells_free in any case.
bool lmbi_center_cells_gather(const lmb_mesh *mesh, const lmb_allocator *alloc,
                              lmbi_center_cells *out);
void lmbi_center_cells_free(lmbi_center_cells *cells, const lmb_allocator *alloc);

#endif
