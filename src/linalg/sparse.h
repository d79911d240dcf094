/// Checking a sparse matrix before anything trusts its indices.
#ifndef LINALG_SPARSE_H
#define LINALG_SPARSE_H

#include "linalg/linalg.h"

/// INVALID unless rows rise in every column from the diagonal on and stay below the size. Values
/// are not looked at.
lmb_result lmbi_sparse_check(const lmb_sparse *matrix, lmb_error *error);

#endif
