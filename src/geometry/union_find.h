/// Disjoint sets of numbered things: parents, where a root is its own parent.
#ifndef GEOMETRY_UNION_FIND_H
#define GEOMETRY_UNION_FIND_H

#include <stdint.h>

/// The root of v's set. Halves the path to it (Tarjan and van Leeuwen 1984).
static inline uint32_t lmbi_union_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

#endif
