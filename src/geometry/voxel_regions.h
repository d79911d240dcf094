/// Pieces that grow into the air between them, all at once, and meet: who is nearest to whom, and
/// over which voxels.
#ifndef GEOMETRY_VOXEL_REGIONS_H
#define GEOMETRY_VOXEL_REGIONS_H

#include "geometry/volume.h"
#include "geometry/voxel_queue.h"

/// Lengths are whole numbers, of which a voxel has so many, so that ways of one length are known to
/// be.
enum { LMBI_VOXEL_LENGTH = 1024 };

typedef struct lmbi_voxel_list {
    uint32_t *items;
    size_t count, capacity;
} lmbi_voxel_list;

/// Two voxels next to each other where two pieces met that were not one before.
typedef struct lmbi_piece_contact {
    uint32_t a, b;
} lmbi_piece_contact;

enum { LMBI_RINGS = 3 }; ///< the longest step is shorter than two and begins in a ring of one

typedef struct lmbi_regions {
    const lmb_grid *grid;
    lmbi_neighbours around;
    uint32_t length[26];        ///< of the steps of `around`
    uint32_t onward[26];        ///< bits of the steps that a way may take after each step
    uint32_t *label;            ///< [voxels] the nearest piece, from 1; 0: no piece came so far
    uint32_t *distance;         ///< [voxels] to it, where there is a label; 0 in the piece
    uint32_t *previous;         ///< [voxels] the next voxel on the way to it, where that is not 0
    uint32_t *directions;       ///< [voxels] bits of the steps that ways may take from here
    uint32_t *joined;           ///< [pieces + 1] union-find over what has met
    lmbi_piece_contact *tree;   ///< [pieces] the meetings that joined, shortest first
    uint32_t tree_count, apart; ///< apart: what is not joined yet, of pieces and joined pieces
    lmbi_voxel_list ring[LMBI_RINGS];
    uint32_t radius;           ///< in voxels: what is nearer is final
    lmbi_voxel_queue meetings; ///< by how long the way between the pieces is at least
    const lmb_allocator *alloc;
} lmbi_regions;

/// The steps and what follows which, for `grid`.
void lmbi_regions_init(lmbi_regions *regions);
/// Sets the pieces apart and begins anew: the label of a voxel where a piece is has to be set, that
/// of every other voxel has to be 0. `rim`: all voxels of pieces next to the air, those without a
/// label are passed over. `apart` is how many pieces have one. False when out of memory.
bool lmbi_regions_begin(lmbi_regions *regions, const uint32_t *rim, size_t rim_count,
                        uint32_t piece_count, uint32_t apart);
/// Joins the nearest pieces, then the next ones (Kruskal's tree), as long as the way between them
/// is not longer than `limit` voxels and something is apart. False when out of memory.
bool lmbi_regions_join(lmbi_regions *regions, float limit);
/// The piece that stands for all that is joined with this one.
uint32_t lmbi_regions_joined(lmbi_regions *regions, uint32_t piece);
/// Frees lists and the queue; the arrays are the caller's.
void lmbi_regions_free(lmbi_regions *regions);

#endif
