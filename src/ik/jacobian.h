/// The Jacobian of a chain's ends, written out.
#ifndef IK_JACOBIAN_H
#define IK_JACOBIAN_H

#include "ik/chain.h"

/// A hinge has one column, a ball three (the axes of the model), a joint with a box one for each
/// open side.
uint32_t lmbi_jacobian_columns(const lmbi_ik_chain *chain);
/// Three rows for each end's position, then three for its orientation where that counts.
uint32_t lmbi_jacobian_rows(const lmbi_ik_chain *chain);
/// Both weighted, [rows][columns] and [rows], of `now`, which must have been measured.
void lmbi_jacobian_fill(const lmbi_ik_chain *chain, double *jacobian, double *error);
/// A step by columns, [columns], to chain->turns and chain->moves.
void lmbi_jacobian_spread(const lmbi_ik_chain *chain, const double *step);

#endif
