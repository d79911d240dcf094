/// Validates a sparse matrix before its indices are used.
#ifndef LINALG_SPARSE_H
#define LINALG_SPARSE_H

#include "linalg/linalg.h"

/// INVALID unless rows ascend in every column from the diagonal on and stay below the size. Values
/// are not checked.
lmb_result lmbi_sparse_check(const lmbi_sparse *matrix, lmb_error *error);

#endif
