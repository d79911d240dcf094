/// Chains of joints along lines through the solid: what snakes, fish, spiders and everything
/// without a template of its own are made of.
#ifndef EMBED_CREATURE_CHAIN_H
#define EMBED_CREATURE_CHAIN_H

#include "embed/kinds.h"

/// How far along a line from a tip the limb ends: where it becomes 1.7 times as thick as its outer
/// half is, at most its whole branch.
float lmbi_limb_root(const lmbi_body_shape *shape, const lmbi_limb_profile *line,
                     const lmbi_tip *tip);

/// The arc in (low, high) that is farthest from the straight between both; how far it is.
float lmbi_limb_bend(const lmbi_limb_profile *line, float low, float high, float *out_arc);

/// The sharpest bends of the line between two arcs, `count` of them, each the farthest from a
/// straight of its part; by shares of the length where it is straight. Falling arcs: the first
/// is nearest to `high`.
void lmbi_limb_bends(const lmbi_limb_profile *line, float low, float high, uint32_t count,
                     float *out_arcs);

/// The longest way through the solid.
struct lmbi_spine_line {
    lmbi_limb_profile line; ///< its middle, from the head's end to the other
    float length;
    float thick;     ///< largest depth along it
    bool head_clear; ///< one end is thicker than the other
};

/// From the tip that is farthest from the middle to the one farthest from that. Errors: MEMORY.
lmb_result lmbi_spine_line_find(const lmbi_body_shape *shape, lmbi_spine_line *out,
                                lmb_error *error);

#endif
