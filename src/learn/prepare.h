/// The two halves of lmbi_learn_prepare.
#ifndef LEARN_PREPARE_H
#define LEARN_PREPARE_H

#include "learn/learn.h"

/// Fills point_of, rest, at, center, size and frame_centers.
lmb_result lmbi_learn_points(lmbi_learn *p, lmb_error *error);
/// Fills neighbour_first, neighbours and neighbour_weights.
lmb_result lmbi_learn_neighbours(lmbi_learn *p, lmb_error *error);

#endif
