/// Nearest-piece regions of a grid, grown from all pieces at once: which pieces are nearest to each
/// other, and where their regions meet.
#ifndef GEOMETRY_VOXEL_REGIONS_H
#define GEOMETRY_VOXEL_REGIONS_H

#include "geometry/volume.h"
#include "geometry/voxel_queue.h"

/// Lengths are integers in this fraction of a voxel, so that equal path lengths compare equal.
enum { LMBI_VOXEL_LENGTH = 1024 };

typedef struct lmbi_voxel_list {
    uint32_t *items;
    size_t count, capacity;
} lmbi_voxel_list;

/// Two adjacent voxels where two separate pieces met.
typedef struct lmbi_piece_contact {
    uint32_t a, b;
} lmbi_piece_contact;

enum { LMBI_RINGS = 3 }; ///< the longest step is shorter than two rings

typedef struct lmbi_regions {
    const lmbi_grid *grid;
    lmbi_neighbours around;
    uint32_t length[26];  ///< of the steps of `around`
    uint32_t onward[26];  ///< bits of the steps allowed after each step
    uint32_t *label;      ///< [voxels] the nearest piece, from 1; 0: not reached
    uint32_t *distance;   ///< [voxels] distance to it, if labelled; 0 in the piece
    uint32_t *previous;   ///< [voxels] predecessor on the path from it, where the distance is not 0
    uint32_t *directions; ///< [voxels] bits of the steps allowed from here
    uint32_t *joined;     ///< [pieces + 1] union-find over joined pieces
    lmbi_piece_contact *tree;   ///< [pieces] contacts that joined pieces, shortest first
    uint32_t tree_count, apart; ///< apart: remaining separate unions
    lmbi_voxel_list ring[LMBI_RINGS];
    uint32_t radius;           ///< in voxels; nearer voxels are final
    lmbi_voxel_queue meetings; ///< by the lower bound of the path between the pieces
    const lmb_allocator *alloc;
} lmbi_regions;

/// Computes the steps and their continuations for `grid`.
void lmbi_regions_init(lmbi_regions *regions);
/// Restarts with all pieces separate. The caller sets the labels: the piece's number in pieces, 0
/// elsewhere. `rim`: all piece voxels next to air; those without a label are skipped. `apart`:
/// number of labelled pieces. False when out of memory.
bool lmbi_regions_begin(lmbi_regions *regions, const uint32_t *rim, size_t rim_count,
                        uint32_t piece_count, uint32_t apart);
/// Joins the nearest pieces first (Kruskal's algorithm), while a path of at most `limit` voxels
/// connects separate ones. False when out of memory.
bool lmbi_regions_join(lmbi_regions *regions, float limit);
/// Representative of the pieces joined with this one.
uint32_t lmbi_regions_joined(lmbi_regions *regions, uint32_t piece);
/// Frees the lists and the queue; the arrays belong to the caller.
void lmbi_regions_free(lmbi_regions *regions);

#endif
