/// The surface integrals of Le and Hodgins' centres of rotation, binned: area and first moment per
/// pair of joints and per cell of their two weights.
///
/// Their similarity of two weight rows is a sum over pairs of joints, each term a function of four
/// weights. The surface integral is thus a sum over pairs of a function of two weights. Triangles
/// are binned by the two weights once for each pair; a vertex then sums over cells instead of
/// triangles.
#ifndef SKIN_CENTER_CELLS_H
#define SKIN_CENTER_CELLS_H

#include "limber/skin.h"

/// The cells of one pair, in groups of four; the last group is padded with cells of zero area.
typedef struct lmbi_center_pair {
    uint32_t low, high;    ///< joints, low < high
    uint32_t first, count; ///< groups
} lmbi_center_pair;

/// Four cells, one per SIMD lane.
typedef struct lmbi_center_group {
    float low[4], high[4];  ///< mean weights of the two joints
    float area[4];          ///< area times both weights
    float x[4], y[4], z[4]; ///< that, times the mean position
} lmbi_center_group;

typedef struct lmbi_center_cells {
    uint32_t pair_count;
    lmbi_center_pair *pairs; ///< ascending by (low, high)
    lmbi_center_group *groups;
} lmbi_center_cells;

/// Bins the triangles of `mesh`. `alloc` may be NULL. False: out of memory. Free with
/// lmbi_center_cells_free in either case.
bool lmbi_center_cells_gather(const lmb_mesh *mesh, const lmb_allocator *alloc,
                              lmbi_center_cells *out);
void lmbi_center_cells_free(lmbi_center_cells *cells, const lmb_allocator *alloc);

#endif
