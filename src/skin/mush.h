/// Direct delta mush: what is kept of the rest pose.
#ifndef SKIN_MUSH_H
#define SKIN_MUSH_H

#include "base/arena.h"
#include "limber/skin.h"
#include "skin/points.h"

/// A joint's part in the transform of a point, the 4x4 Omega_ij of Le and Lewis 2019 with its
/// moments taken about the point's own smoothed place p_i instead of the origin, which costs
/// nothing and loses no digits far from it.
typedef struct lmbi_mush_item {
    float weight;    ///< of the moving: (1 - alpha) * sum of B_ki w_kj + alpha * sum of C_ki w_kj
    float mean[3];   ///< (1 - alpha) * sum of B_ki w_kj (u_k - p_i); over a row it sums to zero
    float spread[6]; ///< the second moment, xx yy zz xy yz zx
} lmbi_mush_item;

/// One joint's part at one point.
typedef struct lmbi_mush_record {
    uint32_t point;
    uint16_t joint;
    lmbi_mush_item item;
} lmbi_mush_record;

/// What smoothing found.
typedef struct lmbi_mush_found {
    const lmbi_points *points;
    lmb_vec3 *places; ///< of the points, smoothed; packing moves them
    const lmbi_mush_record *records;
    size_t record_count;
    uint32_t influences; ///< the most a point keeps; 0: all
    lmb_mush_variant variant;
} lmbi_mush_found;

/// As packed, point by point.
typedef struct lmbi_mush_rows {
    uint32_t vertex_count, point_count, joint_count; ///< joint_count: the highest joint and one
    const uint32_t *point_of;                        ///< [vertex_count]
    lmb_vec3 *places;                                ///< [point_count] p_i
    uint32_t *first;                                 ///< [point_count + 1]
    uint16_t *joints;                                ///< by falling weight
    lmbi_mush_item *items;
} lmbi_mush_rows;

enum {
    LMBI_MUSH_LANES = 16,
    LMBI_MUSH_FLOATS = 10,      ///< of an item of v0, in its order
    LMBI_MUSH_PLACE_FLOATS = 4, ///< of v2: the weight, and mean + weight * place
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
    lmb_mush_variant variant;
    lmb_binding *binding; ///< v4 and v5 are other deformers by smoothed weights; else NULL, and:
    uint32_t vertex_count, chunk_count, block_count, item_floats;
    size_t influence_count, joint_count; ///< before and after the rows of a block share joints
    uint32_t *chunk_first;               ///< [chunk_count + 1] blocks
    lmbi_mush_block *blocks;
    uint16_t *joints; ///< [joint_count]
    /// [joint_count - block_count][item_floats][lane], without the first joints of the blocks:
    /// over a row weights sum to 1, means to 0 and spreads to `spreads`. Zeros where a vertex does
    /// not follow the joint.
    float *items;
    float *spreads;  ///< [block_count][6][lane]; v0 only
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
    return (mush->blocks[b].joint_first - b) * mush->item_floats * LMBI_MUSH_LANES;
}

void lmbi_mush_scale(lmbi_mush_item *item, float scale);
/// The rows of the points, compiled for a variant; what it needs meanwhile comes from the arena.
/// NULL when there is no memory.
lmb_mush *lmbi_mush_pack(const lmbi_mush_found *found, const lmb_mesh *mesh, lmbi_arena *arena,
                         const lmb_allocator *alloc);
/// Fills a mush of v0 or v2, of which the allocator, the variant and vertex_count are set; or of v4
/// and v5. False when there is no memory.
bool lmbi_mush_compile(const lmbi_mush_rows *rows, const lmb_mesh *mesh, lmb_mush *mush);
bool lmbi_mush_bind(const lmbi_mush_rows *rows, const lmb_mesh *mesh, lmb_mush *mush);

/// The Chebyshev series of (1 + strength * (1 - x))^-passes on [-1, 1], which is one implicit
/// smoothing as a function of the walk: coefficients until they fall below 1e-8 of the sum. Returns
/// how many; at most `most`.
uint32_t lmbi_smoother_series(double strength, uint32_t passes, double *coefficients,
                              uint32_t most);

#endif
