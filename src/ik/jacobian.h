/// The dense Jacobian of a chain's ends.
#ifndef IK_JACOBIAN_H
#define IK_JACOBIAN_H

#include "ik/chain.h"

/// A hinge has one column, a ball three (the model axes), a joint with a box one for each open
/// axis.
uint32_t lmbi_jacobian_columns(const lmbi_ik_chain *chain);
/// Three rows for each end's position, then three for its orientation if it has a weight.
uint32_t lmbi_jacobian_rows(const lmbi_ik_chain *chain);
/// Fills the weighted Jacobian [rows][columns] and error [rows] of `now`, which must have been
/// measured.
void lmbi_jacobian_fill(const lmbi_ik_chain *chain, double *jacobian, double *error);
/// Converts a step [columns] to chain->rotations and chain->moves.
void lmbi_jacobian_apply(const lmbi_ik_chain *chain, const double *step);

#endif
