/// What tests of transitions need to say how suddenly a body moves.
#ifndef ANIM_POPS_H
#define ANIM_POPS_H

#include "limber/asset.h"

#include <string.h>

/// For qsort, of doubles.
static inline int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Fingers go where their hands go: counted one by one, they would be most of the body.
static inline bool is_finger(const lmb_skeleton *skeleton, uint32_t joint)
{
    for (int32_t j = skeleton->parents[joint]; j != LMB_NONE; j = skeleton->parents[j]) {
        if (strstr(skeleton->names[j], "Hand") != NULL) {
            return true;
        }
    }
    return false;
}

#endif
