/// The learned rig in units of the mesh.
#ifndef LEARN_RESULT_H
#define LEARN_RESULT_H

#include "learn/learn.h"

/// `tree` is NULL for a flat skeleton. Fills the errors of `report`, measured on the
/// single-precision result.
lmb_result lmbi_learn_result(const lmbi_learn *p, const lmbi_learn_tree *tree,
                             const lmb_allocator *alloc, lmb_learned **out,
                             lmb_learn_report *report, lmb_error *error);
/// Kavan's e_rms of a mean square error in normalised coordinates.
double lmbi_learn_e_rms(const lmbi_learn *p, double mean_square);

#endif
