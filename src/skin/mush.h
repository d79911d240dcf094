/// Direct delta mush: what is kept of the rest pose.
#ifndef SKIN_MUSH_H
#define SKIN_MUSH_H

#include "limber/skin.h"

/// A joint's part in the transform of a point, the 4x4 Omega_ij of Le and Lewis 2019 with its
/// moments taken about the point's own smoothed place p_i instead of the origin, which costs
/// nothing and loses no digits far from it.
typedef struct lmbi_mush_item {
    float weight;    ///< of the moving: (1 - alpha) * sum of B_ki w_kj + alpha * sum of C_ki w_kj
    float mean[3];   ///< (1 - alpha) * sum of B_ki w_kj (u_k - p_i); over a row it sums to zero
    float spread[6]; ///< the second moment, xx yy zz xy yz zx
} lmbi_mush_item;

/// As found, point by point.
typedef struct lmbi_mush_rows {
    uint32_t vertex_count, point_count;
    const uint32_t *point_of; ///< [vertex_count]
    lmb_vec3 *places;         ///< [point_count] p_i
    uint32_t *first;          ///< [point_count + 1]
    uint16_t *joints;         ///< by falling weight
    lmbi_mush_item *items;
} lmbi_mush_rows;

enum {
    LMBI_MUSH_LANES = 16,
    LMBI_MUSH_FLOATS = 10, ///< of an item, in its order
    LMBI_MUSH_CHUNK = 16384,
};

/// Sixteen vertices of one chunk that follow much the same joints. Lanes beyond `count` repeat the
/// last vertex.
typedef struct lmbi_mush_block {
    uint32_t count;
    uint32_t joint_count;
    size_t joint_first; ///< in joints; the one that pulls most is first
} lmbi_mush_block;

struct lmb_mush {
    uint32_t vertex_count, chunk_count, block_count;
    size_t influence_count, joint_count; ///< before and after the rows of a block share joints
    uint32_t *chunk_first;               ///< [chunk_count + 1] blocks
    lmbi_mush_block *blocks;
    uint16_t *joints; ///< [joint_count]
    /// [joint_count - block_count][LMBI_MUSH_FLOATS][lane], without the first joints of the blocks:
    /// over a row weights sum to 1, means to 0 and spreads to `spreads`. Zeros where a vertex does
    /// not follow the joint.
    float *items;
    float *spreads;  ///< [block_count][6][lane]
    uint16_t *index; ///< [block_count][lane] vertex in its chunk
    float *places;   ///< [block_count][3][lane]
    // The mesh at rest; NULL where it has none.
    float *positions, *normals; ///< [block_count][3][lane]
    float *tangents;            ///< [block_count][4][lane]
    lmb_allocator allocator;
};

/// Where in `items` the second joint of block b begins.
static inline size_t lmbi_mush_item_at(const lmb_mush *mush, size_t b)
{
    return (mush->blocks[b].joint_first - b) * LMBI_MUSH_FLOATS * LMBI_MUSH_LANES;
}

/// NULL when there is no memory.
lmb_mush *lmbi_mush_compile(const lmbi_mush_rows *rows, const lmb_mesh *mesh,
                            const lmb_allocator *alloc);

/// The Chebyshev series of (1 + strength * (1 - x))^-passes on [-1, 1], which is one implicit
/// smoothing as a function of the walk: coefficients until they fall below 1e-8 of the sum. Returns
/// how many; at most `most`.
uint32_t lmbi_smoother_series(double strength, uint32_t passes, double *coefficients,
                              uint32_t most);

#endif
