/// Legs that are not seen: a robe down to the ground.
#ifndef EMBED_HUMAN_HIDDEN_LEGS_H
#define EMBED_HUMAN_HIDDEN_LEGS_H

#include "embed/human/figure.h"

/// Gives a figure without feet two on the ground, and its stance the cost of such a figure.
void lmbi_hidden_legs(lmbi_figure *figure);

#endif
