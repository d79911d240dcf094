/// Arms of a standing figure that do not stand out: fused with the sides of the body, or missing.
#ifndef EMBED_HUMAN_HIDDEN_LIMBS_H
#define EMBED_HUMAN_HIDDEN_LIMBS_H

#include "embed/human/figure.h"

/// For a figure read by its feet and its head alone. A tip that can only be a hand becomes one; for
/// an arm without a tip the figure's marks get shoulder, elbow and wrist: along the outer edge of
/// the body, or in the stump of an arm that is missing. `figure->guess` says which.
void lmbi_hidden_arms(lmbi_figure *figure);

/// For a figure without feet, as in a robe down to the ground: gives it two on the ground, and its
/// pose the cost of such a figure.
void lmbi_hidden_legs(lmbi_figure *figure);

#endif
