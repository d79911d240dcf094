/// A small network that distributes one unit of weight over the candidates of a group: the same layer
/// for each candidate, what the group holds on average and at most, a second layer, a table of
/// numbers for each kind of candidate, and a softmax.
#ifndef LEARN_RANKER_H
#define LEARN_RANKER_H

#include "limber/base.h"

enum {
    LMBI_RANKER_MOST_FEATURES = 64,
    LMBI_RANKER_HIDDEN = 24,
    LMBI_RANKER_TERMS = 6, ///< numbers of a kind, and of a candidate that they multiply
    LMBI_RANKER_MOST_CANDIDATES = 16,
};

typedef struct lmbi_ranker_shape {
    uint32_t features; ///< at most LMBI_RANKER_MOST_FEATURES
    uint32_t kinds;    ///< rows of the table
} lmbi_ranker_shape;

/// Numbers of a network: scales of the features, layers, the factor of the prior, the table.
uint32_t lmbi_ranker_size(const lmbi_ranker_shape *shape);

/// One group. `kinds`: UINT32_MAX for a candidate without a row in the table. The prior is a
/// feature, the log of a first guess.
typedef struct lmbi_ranker_group {
    uint32_t count;        ///< of candidates, at most LMBI_RANKER_MOST_CANDIDATES
    const float *features; ///< [count][shape features]
    const float *terms;    ///< [count][LMBI_RANKER_TERMS]
    const float *priors;   ///< [count]
    const uint32_t *kinds; ///< [count]
} lmbi_ranker_group;

/// The weights of the candidates, which sum to 1.
void lmbi_ranker_apply(const lmbi_ranker_shape *shape, const float *network,
                       const lmbi_ranker_group *group, float *shares);

/// Groups with known weights, one after the other.
typedef struct lmbi_ranker_data {
    uint32_t group_count;
    const uint32_t *first; ///< [group_count + 1] into the candidates
    const float *features, *terms, *priors, *targets;
    const uint32_t *kinds;
} lmbi_ranker_data;

typedef struct lmbi_ranker_opts {
    uint32_t epochs; ///< 0: 24
    uint64_t seed;
    const lmb_progress *progress; ///< stage "learning"
    float begin, end;             ///< the part of the progress that this training is
} lmbi_ranker_opts;

/// Trains a network to lower the mean L1 of the weights (and a little of the log loss): Adam
/// (Kingma, Ba 2015) with a cosine from its rate to 0, in an order that the seed fixes.
/// `network`: [lmbi_ranker_size]. Errors: INVALID for numbers that are not finite; MEMORY;
/// CANCELLED.
lmb_result lmbi_ranker_train(const lmbi_ranker_shape *shape, const lmbi_ranker_data *data,
                             const lmbi_ranker_opts *opts, const lmb_allocator *alloc,
                             float *network, lmb_error *error);

/// The loss of one group and what it adds to the gradient: for tests.
float lmbi_ranker_gradient(const lmbi_ranker_shape *shape, const float *network,
                           const lmbi_ranker_group *group, const float *targets, float *gradient);

#endif
