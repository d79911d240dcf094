/// Bones being added to those that are given.
#ifndef LEARN_HELPING_H
#define LEARN_HELPING_H

#include "learn/given.h"
#include "learn/helpers.h"

typedef struct lmbi_helping {
    lmbi_given g;
    uint32_t given, most; ///< bones of the rig, and helpers
    uint32_t *linear_bones;
    double *linear_weights; ///< rows before there were helpers
    double linear_error;
    uint32_t *cluster_of, *queue; ///< [point_count] round in which a point was taken, 0: none
    uint32_t cluster_count;
} lmbi_helping;

/// The helpers in the rig's own spaces. Needs the lists of rows by bone.
lmb_result lmbi_helping_result(lmbi_helping *h, const lmb_allocator *alloc,
                               lmbi_learned_helpers **out, lmb_error *error);

#endif
