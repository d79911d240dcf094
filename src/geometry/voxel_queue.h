/// Priority queue of voxels by distance, and the 26-neighbourhood, for searches on a grid.
#ifndef GEOMETRY_VOXEL_QUEUE_H
#define GEOMETRY_VOXEL_QUEUE_H

#include "base/alloc.h"
#include "geometry/volume.h"
#include "limber/geometry.h"

typedef struct lmbi_voxel_entry {
    float distance;
    uint32_t voxel;
} lmbi_voxel_entry;

typedef struct lmbi_voxel_queue {
    lmbi_voxel_entry *items;
    size_t count, capacity;
    const lmb_allocator *alloc;
} lmbi_voxel_queue;

/// False when out of memory.
bool lmbi_voxel_push(lmbi_voxel_queue *queue, float distance, uint32_t voxel);
/// Removes the nearest voxel; of equal ones the lowest index. The queue must not be empty.
lmbi_voxel_entry lmbi_voxel_pop(lmbi_voxel_queue *queue);

typedef struct lmbi_neighbours {
    ptrdiff_t step[26]; ///< in voxel indices
    int8_t d[26][3];
    float length[26];
} lmbi_neighbours;

void lmbi_neighbours_of(const lmbi_grid *grid, lmbi_neighbours *out);
/// A neighbour's index, or UINT32_MAX beyond the border. (i, j, k) are the voxel's coordinates.
static inline uint32_t lmbi_neighbour(const lmbi_grid *grid, const lmbi_neighbours *around, int n,
                                      uint32_t voxel, int32_t i, int32_t j, int32_t k)
{
    const int32_t a = i + around->d[n][0], b = j + around->d[n][1], c = k + around->d[n][2];
    if (a < 0 || b < 0 || c < 0 || a >= grid->nx || b >= grid->ny || c >= grid->nz) {
        return UINT32_MAX;
    }
    return (uint32_t)((ptrdiff_t)voxel + around->step[n]);
}
static inline void lmbi_voxel_coordinates(const lmbi_grid *grid, uint32_t voxel, int32_t out[3])
{
    out[0] = (int32_t)(voxel % (uint32_t)grid->nx);
    out[1] = (int32_t)(voxel / (uint32_t)grid->nx % (uint32_t)grid->ny);
    out[2] = (int32_t)(voxel / ((uint32_t)grid->nx * (uint32_t)grid->ny));
}

/// The indices of all 26 neighbours.
static inline void lmbi_voxels_around(const lmbi_grid *grid, const lmbi_neighbours *around,
                                      uint32_t voxel, uint32_t out[26])
{
    int32_t at[3];
    lmbi_voxel_coordinates(grid, voxel, at);
    const bool inside = at[0] > 0 && at[1] > 0 && at[2] > 0 && at[0] + 1 < grid->nx &&
                        at[1] + 1 < grid->ny && at[2] + 1 < grid->nz;
    for (int n = 0; n < 26; ++n) {
        out[n] = inside ? (uint32_t)((ptrdiff_t)voxel + around->step[n])
                        : lmbi_neighbour(grid, around, n, voxel, at[0], at[1], at[2]);
    }
}

#endif
