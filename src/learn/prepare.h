/// The two halves of lmbi_learn_prepare.
#ifndef LEARN_PREPARE_H
#define LEARN_PREPARE_H

#include "learn/learn.h"

/// Fills point_of, rest, at and the measures.
lmb_result lmbi_learn_points(lmbi_learn *p, lmb_error *error);
/// Fills near_first, near and near_share.
lmb_result lmbi_learn_neighbours(lmbi_learn *p, lmb_error *error);

#endif
