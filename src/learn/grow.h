/// Region growing of clusters over the surface.
#ifndef LEARN_GROW_H
#define LEARN_GROW_H

#include "learn/learn.h"

/// State of growing: labels[point] is the bone of each point.
typedef struct lmbi_grow {
    lmbi_learn *p;
    uint32_t *labels;   ///< [point_count]
    uint32_t *previous; ///< [point_count]
    struct lmbi_grow_candidate *heap;
    size_t heap_count;
    uint32_t *members;   ///< [bone capacity] points of each cluster
    uint32_t *component; ///< [point_count] connected component of the surface
    uint32_t *seeds;     ///< [component] best seed while a bone is seeded
    double *seed_errors; ///< [component] its error
} lmbi_grow;

lmb_result lmbi_grow_init(lmbi_grow *g, lmbi_learn *p, lmb_error *error);
/// Relabels all points. Every bone starts from its best point in each connected component and grows
/// over neighbours, least error first; components without a seed take the best bone. Bones with
/// fewer than `least` points are removed and their points go to the best of the others. Returns how
/// many labels changed.
uint32_t lmbi_grow_labels(lmbi_grow *g, uint32_t least);

#endif
