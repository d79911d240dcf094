/// Orders of joints, and weights as whole numbers.
#ifndef ASSET_ORDER_H
#define ASSET_ORDER_H

#include "limber/asset.h"

/// Weights that sum to 1 as whole numbers that sum to `one` (255, 65535) exactly: each rounded
/// down, what is left to those that lost most, the first of equals first.
void lmbi_weights_quantize(const float *weights, uint32_t count, uint32_t one, uint32_t *out);

/// Sorts joints so that parents precede children, keeping the given order otherwise. parents[count]
/// in any order;
/// order_out[k] is the old index of the k-th joint. INVALID when the parents form a cycle.
lmb_result lmbi_joints_sort(const int32_t *parents, uint32_t count, uint32_t *order_out,
                            const lmb_allocator *alloc, lmb_error *error);

#endif
