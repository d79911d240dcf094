/// Sorting joints, and quantising weights.
#ifndef ASSET_ORDER_H
#define ASSET_ORDER_H

#include "limber/asset.h"

/// Quantises weights that sum to 1 to integers that sum to `one` (255, 65535) exactly: rounds each
/// down, then gives the remainder to those with the largest rounding error, ties in order.
void lmbi_weights_quantize(const float *weights, uint32_t count, uint32_t one, uint32_t *out);

/// Sorts joints so that parents precede children, and keeps the given order otherwise.
/// order_out[k] is the old index of the k-th joint. INVALID when the parents form a cycle.
lmb_result lmbi_joints_sort(const int32_t *parents, uint32_t count, uint32_t *order_out,
                            const lmb_allocator *alloc, lmb_error *error);

#endif
