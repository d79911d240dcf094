/// A maker's style: what is learned and what is stored.
#ifndef AUTHOR_STYLE_H
#define AUTHOR_STYLE_H

#include "base/arena.h"
#include "learn/ranker.h"
#include "limber/author.h"

enum {
    LMBI_STYLE_JOINTS = 256,
    LMBI_STYLE_NAME = 64,
    LMBI_STYLE_BYTES = 65536,
    LMBI_STYLE_MEMBERS = 3, ///< networks that are asked, for a style of few joints
    LMBI_STYLE_FEW = 128,
};

struct lmb_style {
    lmb_allocator allocator;
    lmbi_arena arena; ///< holds all but the skeleton
    lmb_style_report report;
    lmb_skeleton *skeleton;
    uint8_t *deforms; ///< [skeleton joint_count]
    float ownership[LMB_OWNERSHIP_COEFFICIENTS];
    /// from where the embedding has a human bone to where the maker has it, in fractions of the
    /// height, along the bone, forward across it and outward; zero where unknown
    lmb_vec3 offsets[LMB_HUMAN_BONE_COUNT];
    lmbi_ranker_shape shape;
    uint32_t member_count, network_size;
    float *
        network; ///< [member_count][network_size], of other seeds; the mean of their weights counts
    /// [shape.kinds] names of the joints that the network has a table row for, and their human bones
    char (*kinds)[LMBI_STYLE_NAME];
    int32_t *bones; ///< [shape.kinds] lmb_human_bone, or LMB_NONE
};

/// An empty style. Errors: MEMORY.
lmb_result lmbi_style_new(const lmb_allocator *alloc, lmb_style **out, lmb_error *error);

/// The row of the table for each joint of a skeleton, UINT32_MAX where there is none. Errors:
/// MEMORY.
lmb_result lmbi_style_kinds(const lmb_style *style, const lmb_skeleton *skeleton,
                            const lmb_allocator *alloc, uint32_t *out, lmb_error *error);

/// The numbers by which a candidate's row of the table is multiplied.
void lmbi_style_terms(const float *features, float terms[LMBI_RANKER_TERMS]);

/// Axes of a human bone of an embedding: along it, forward across it, outward. False where the
/// embedding has no such bone.
bool lmbi_style_axes(const lmb_embedding *embedding, lmb_human_bone bone, lmb_vec3 axes[3]);

/// Offsets of a character's joints from those that an embedding has in its bare mesh, and which
/// are known; out[i] as in lmb_style. Returns their mean length as a fraction of the height, or -1
/// where too few are known.
float lmbi_style_measure(const lmb_character *character, const lmb_embedding *embedding,
                         const lmb_joint_map *map, lmb_vec3 *out, bool *known);

#endif
