/// Conditional logit: which of several alternatives is chosen, from what is known of each
/// (McFadden, Conditional logit analysis of qualitative choice behavior, 1974).
#ifndef LEARN_CHOICE_H
#define LEARN_CHOICE_H

#include "limber/base.h"

typedef struct lmbi_choices {
    uint32_t group_count, feature_count;
    const uint32_t *first;  ///< [group_count + 1] into the alternatives
    const float *features;  ///< [alternative][feature_count]
    const float *shares;    ///< [alternative] how often each was chosen; those of a group sum to 1
    const float *weights;   ///< [group_count] not negative
    const float *towards;   ///< [feature_count] coefficients that the penalty pulls to; NULL: zeros
    float penalty;          ///< of the squared distance to those, against the mean of the log loss
} lmbi_choices;

/// Finds the coefficients that minimise the weighted mean of -sum(shares log p) plus the penalty,
/// p = exp(c . x) / sum over the group, by Newton's method with halved steps: the loss is convex.
/// `out`: [feature_count]; `loss`: NULL, or receives the minimum. Errors: INVALID for features that
/// are not finite; MEMORY.
lmb_result lmbi_choices_fit(const lmbi_choices *choices, const lmb_allocator *alloc, float *out,
                            double *loss, lmb_error *error);

#endif
