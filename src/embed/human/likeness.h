/// What a mesh that is no humanoid looks like.
#ifndef EMBED_HUMAN_LIKENESS_H
#define EMBED_HUMAN_LIKENESS_H

#include "embed/human/figure.h"

/// Fills an UNSUPPORTED error with what the shape looks like and what it would take, and returns
/// the code.
lmb_result lmbi_refuse_figure(const lmbi_figure *figure, lmb_error *error);

/// Four or more ends on the ground of the file's own vertical, while the figure was read with
/// another axis as up: an animal on its legs, read as a figure that stands on its tail or its nose.
bool lmbi_on_all_fours(const lmbi_figure *figure);
/// Ends on the ground, feet among them.
uint32_t lmbi_ground_ends(const lmbi_figure *figure);

#endif
