/// Multi-weight enveloping: a mesh's coefficients as its kernels read them.
#ifndef SKIN_ENVELOPE_H
#define SKIN_ENVELOPE_H

#include "limber/skin.h"

enum {
    LMBI_ENVELOPE_LANES = 16,
    LMBI_ENVELOPE_CHUNK = 16384, ///< vertices; what a chunk indexes fits 16 bits
    LMBI_ENVELOPE_OTHERS = LMB_ENVELOPE_INFLUENCES - 1,
    /// Coefficients of a vertex' first joint, whose matrix in its own frame is the identity: only
    /// those on the diagonal count.
    LMBI_ENVELOPE_FIRST = 3,
    LMBI_ENVELOPE_OTHER = 12, ///< of each other joint: three rows of four
};

/// An affine transform, and what transforms normals.
typedef struct lmbi_envelope_frame {
    float rows[3][4];
    float cofactors[3][4]; ///< of the linear part; in the last column its determinant
} lmbi_envelope_frame;

/// A joint as seen from another.
typedef struct lmbi_envelope_pair {
    uint16_t reference, joint;
} lmbi_envelope_pair;

/// Up to sixteen vertices of one chunk with similar joints. Lanes beyond `count` repeat the last.
typedef struct lmbi_envelope_block {
    uint32_t count;
    uint32_t others; ///< most joints of a vertex beside its first
    /// bit 0: the first joints of the lanes differ; bit 1 + k: the pairs of other joint k do
    uint32_t mixed;
    uint32_t pair_first;      ///< in rows of `lane_pairs`
    size_t coefficient_first; ///< in rows of `coefficients`
} lmbi_envelope_block;

struct lmb_envelope_skin {
    const lmb_mesh *mesh;
    const lmb_skin *skin;
    uint32_t chunk_count;
    uint32_t *chunk_first; ///< [chunk_count + 1] in blocks
    uint32_t *pair_first;  ///< [chunk_count + 1] in `pairs`
    lmbi_envelope_block *blocks;
    lmbi_envelope_pair *pairs; ///< by chunk, ascending and distinct within it
    uint16_t *index;           ///< [block][lane] vertex within its chunk
    uint16_t *references;      ///< [block][lane] first joint
    uint16_t *lane_pairs;      ///< [block][others][lane] pair within its chunk
    /// [block][LMBI_ENVELOPE_FIRST + others * LMBI_ENVELOPE_OTHER][lane]; zero where a vertex has
    /// fewer joints
    float *coefficients;
    lmb_mat4 *bind_from_joint;            ///< [joint_count of the skin]
    lmbi_envelope_frame *joint_from_bind; ///< [joint_count]
    // Of the pose:
    lmbi_envelope_frame *model_from_joint; ///< [joint_count]
    lmb_mat4 *joint_from_model;            ///< [joint_count]
    float (*relative)[3][4];               ///< [pair_first[chunk_count]]
    lmb_allocator allocator;
};

/// The matrix's upper rows and their cofactors.
lmbi_envelope_frame lmbi_envelope_frame_of(const lmb_mat4 *matrix);

#endif
