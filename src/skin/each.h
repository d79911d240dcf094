/// Iterates over the weight rows of a binding, vertex by vertex, for deformers without a kernel.
#ifndef SKIN_EACH_H
#define SKIN_EACH_H

#include "skin/binding.h"

typedef struct lmbi_each_row {
    uint32_t width;
    uint16_t strongest; ///< joint with the largest weight
    const uint16_t *joints;
    /// Weight k is weights[k * step], or shorts[k * step] in units of 2^-16.
    const float *weights;
    const uint16_t *shorts;
    size_t step;
    /// the weight of the last joint, if is_short: the row stores one weight fewer than joints
    float last;
    bool is_short;
} lmbi_each_row;

static inline float lmbi_each_weight(const lmbi_each_row *row, uint32_t k)
{
    if (row->is_short && k + 1 == row->width) {
        return row->last;
    }
    return row->shorts != NULL ? (float)row->shorts[k * row->step] * 0x1p-16f
                               : row->weights[k * row->step];
}

typedef void (*lmbi_each_fn)(void *context, size_t vertex, const lmbi_each_row *row);
/// Calls `call` for every vertex of a chunk, in the binding's storage order.
void lmbi_binding_each(const lmb_binding *binding, size_t chunk, lmbi_each_fn call, void *context);

#endif
