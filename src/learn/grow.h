/// Clusters grown over the surface.
#ifndef LEARN_GROW_H
#define LEARN_GROW_H

#include "learn/learn.h"

/// What growing works with: labels[point] is the bone of each point.
typedef struct lmbi_grow {
    lmbi_learn *p;
    uint32_t *labels; ///< [point_count]
    uint32_t *was;    ///< [point_count]
    struct lmbi_front *front;
    size_t front_count;
    uint32_t *members; ///< [bone capacity] points of each cluster
    uint32_t *piece;   ///< [point_count] the connected piece of the surface
    uint32_t *best;    ///< [piece] while starting a bone
    double *least;     ///< [piece] the same
} lmbi_grow;

lmb_result lmbi_grow_init(lmbi_grow *g, lmbi_learn *p, lmb_error *error);
/// Relabels all points: every bone starts from its best point in each connected piece and takes
/// neighbours, the least error first; pieces that no bone starts in take the best bone. Bones with fewer than `least`
/// points go, and theirs go to the best of the others. Returns how many labels changed.
uint32_t lmbi_grow_labels(lmbi_grow *g, uint32_t least);

#endif
