/// Chains of joints along medial lines: snakes, fish, spiders and every body without a template
/// consist of them.
#ifndef EMBED_CREATURE_CHAIN_H
#define EMBED_CREATURE_CHAIN_H

#include "embed/kinds.h"

/// The arc at which the limb from a tip ends: where it becomes 1.7 times as thick as its outer
/// half, at most the length of its branch.
float lmbi_limb_root(const lmbi_body_shape *shape, const lmbi_limb_profile *line,
                     const lmbi_tip *tip);

/// The arc in (low, high) where the line is farthest from the straight line between both; returns
/// that distance.
float lmbi_limb_bend(const lmbi_limb_profile *line, float low, float high, float *out_arc);

/// The `count` sharpest bends of the line between two arcs, found by recursive subdivision; a
/// straight part is halved instead. In descending order: the first is nearest to `high`.
void lmbi_limb_bends(const lmbi_limb_profile *line, float low, float high, uint32_t count,
                     float *out_arcs);

/// The longest medial path through the solid.
typedef struct lmbi_spine_line {
    lmbi_limb_profile line; ///< from the end with the head to the other
    float length;
    float thick;     ///< largest depth along it
    bool head_clear; ///< one end is thicker than the other
} lmbi_spine_line;

/// The path from the tip farthest from the center to the tip farthest from that one. Errors:
/// MEMORY.
lmb_result lmbi_spine_line_find(const lmbi_body_shape *shape, lmbi_spine_line *out,
                                lmb_error *error);

#endif
