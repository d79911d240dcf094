/// Direct delta mush: the precomputed data of the rest pose.
#ifndef SKIN_MUSH_H
#define SKIN_MUSH_H

#include "base/arena.h"
#include "limber/skin.h"
#include "skin/points.h"

/// Contribution of one joint to the transform of a point: the 4x4 matrix Omega_ij of Le and Lewis
/// 2019. Moments are taken about the point's smoothed position p_i instead of the origin, which
/// costs nothing and keeps precision far from the origin.
typedef struct lmbi_mush_item {
    float weight; ///< translation weight: (1 - alpha) * sum of B_ki w_kj + alpha * sum of C_ki w_kj
    float mean[3];   ///< (1 - alpha) * sum of B_ki w_kj (u_k - p_i); sums to zero over a row
    float spread[6]; ///< second moment, xx yy zz xy yz zx
} lmbi_mush_item;

/// The contribution of one joint to one point.
typedef struct lmbi_mush_record {
    uint32_t point;
    uint16_t joint;
    lmbi_mush_item item;
} lmbi_mush_record;

/// Result of the smoothing.
typedef struct lmbi_mush_smoothing {
    const lmbi_points *points;
    /// of the points; lmbi_mush_pack adjusts them
    lmb_vec3 *smoothed;
    const lmbi_mush_record *records;
    size_t record_count;
    uint32_t influences; ///< maximum per point; 0: unlimited
    lmb_mush_variant variant;
} lmbi_mush_smoothing;

/// Rows of the points, packed.
typedef struct lmbi_mush_rows {
    /// joint_count: highest joint index + 1
    uint32_t vertex_count, point_count, joint_count;
    const uint32_t *point_of; ///< [vertex_count]
    lmb_vec3 *smoothed;       ///< [point_count] p_i
    uint32_t *first;          ///< [point_count + 1]
    uint16_t *joints;         ///< by descending weight
    lmbi_mush_item *items;
} lmbi_mush_rows;

enum {
    LMBI_MUSH_LANES = 16,
    LMBI_MUSH_FLOATS = 10,   ///< floats of an item of v0, in the order of lmbi_mush_item
    LMBI_MUSH_V2_FLOATS = 4, ///< of v2: the weight, and mean + weight * smoothed position
    LMBI_MUSH_CHUNK = 16384,
};

/// Sixteen vertices of one chunk with similar joints. Lanes beyond `count` repeat the last vertex.
typedef struct lmbi_mush_block {
    uint32_t count;
    uint32_t joint_count;
    size_t joint_first; ///< in `joints`; the joint with the largest total weight comes first
} lmbi_mush_block;

struct lmb_mush {
    lmb_mush_variant variant;
    /// for v4 and v5, which run other deformers with smoothed weights; otherwise NULL, and the rest
    /// is used
    lmb_binding *binding;
    uint32_t vertex_count, chunk_count, block_count, item_floats;
    size_t influence_count, joint_count; ///< before and after the vertices of a block share joints
    uint32_t *chunk_first;               ///< [chunk_count + 1] in blocks
    lmbi_mush_block *blocks;
    uint16_t *joints; ///< [joint_count]
    /// [joint_count - block_count][item_floats][lane]. The first joint of each block is omitted:
    /// over a row weights sum to 1, means to 0 and spreads to `spreads`. Zero where a vertex does
    /// not have the joint.
    float *items;
    float *spreads;  ///< [block_count][6][lane]; v0 only
    uint16_t *index; ///< [block_count][lane] vertex index within its chunk
    float *smoothed; ///< [block_count][3][lane]
    // The mesh at rest; NULL if it has none.
    float *positions, *normals; ///< [block_count][3][lane]
    float *tangents;            ///< [block_count][4][lane]
    lmb_allocator allocator;
};

/// Index in `items` of the second joint of block b.
static inline size_t lmbi_mush_item_offset(const lmb_mush *mush, size_t b)
{
    return (mush->blocks[b].joint_first - b) * mush->item_floats * LMBI_MUSH_LANES;
}

void lmbi_mush_scale(lmbi_mush_item *item, float scale);
/// Packs the smoothing result into a mush of its variant; temporary memory comes from the arena.
/// NULL if out of memory.
lmb_mush *lmbi_mush_pack(const lmbi_mush_smoothing *found, const lmb_mesh *mesh, lmbi_arena *arena,
                         const lmb_allocator *alloc);
/// Compiles v0 or v2 (lmbi_mush_compile), v4 or v5 (lmbi_mush_bind) into `mush`, whose allocator,
/// variant and vertex_count are set. False if out of memory.
bool lmbi_mush_compile(const lmbi_mush_rows *rows, const lmb_mesh *mesh, lmb_mush *mush);

#endif
