/// Limbs without tips: arms fused with the sides of the body or missing, legs under a robe.
#ifndef EMBED_HUMAN_HIDDEN_LIMBS_H
#define EMBED_HUMAN_HIDDEN_LIMBS_H

#include "embed/human/figure.h"

/// For a figure known by its feet and its head alone. A tip that can only be a hand becomes one.
/// For an arm without a tip, the figure's landmarks get shoulder, elbow and wrist: along the outer
/// edge of the body, or in the stump of a missing arm. `figure->guess` says which. False where no
/// arms can be.
bool lmbi_hidden_arms(lmbi_figure *figure);

/// For a figure without feet, as in a robe down to the ground: adds two tips on the ground as feet.
void lmbi_hidden_legs(lmbi_figure *figure);

#endif
