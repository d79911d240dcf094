#ifndef TESTS_RIG_WEIGHT_OF_H
#define TESTS_RIG_WEIGHT_OF_H

#include "limber/rig.h"

/// The weight with which a vertex follows a joint; 0 where it does not.
static inline float weight_of(const lmb_weights *w, uint32_t vertex, uint32_t joint)
{
    for (uint32_t k = w->influences.first[vertex]; k < w->influences.first[vertex + 1]; ++k) {
        if (w->influences.items[k].joint == joint) {
            return w->influences.items[k].weight;
        }
    }
    return 0;
}

#endif
