/// Where limbs along medial lines end and bend.
#ifndef EMBED_CREATURE_CHAIN_H
#define EMBED_CREATURE_CHAIN_H

#include "embed/creature/body_shape.h"

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

#endif
