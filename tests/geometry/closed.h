/// Checks of closed surfaces.
#ifndef TESTS_GEOMETRY_CLOSED_H
#define TESTS_GEOMETRY_CLOSED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "geometry/adjacency.h"
#include "limber/geometry.h"

/// Euler characteristic; fails unless every edge has two triangles that run
/// along it in opposite
/// directions and the triangles round every vertex form one fan.
static inline int shape_euler_of_closed(const lmb_surface *s)
{
    lmbi_adjacency *a = NULL;
    assert_int_equal(lmbi_adjacency_create(s, NULL, &a, NULL), LMB_OK);
    assert_int_equal(a->border_count, 0);
    assert_int_equal(a->crowded_count, 0);
    for (uint32_t e = 0; e < a->edge_count; ++e) {
        int balance = 0;
        for (uint32_t i = a->edge_first[e]; i < a->edge_first[e + 1]; ++i) {
            const uint32_t *t = &s->triangles[3 * (size_t)a->edge_triangles[i]];
            for (int k = 0; k < 3; ++k) {
                if (a->corner_edge[3 * (size_t)a->edge_triangles[i] + (size_t)k] == e) {
                    balance += t[k] == a->edges[2 * (size_t)e] ? 1 : -1;
                }
            }
        }
        assert_int_equal(balance, 0);
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const uint32_t first = a->vertex_first[v], count = a->vertex_first[v + 1] - first;
        assert_true(count >= 3);
        uint32_t walked = 0, t = a->vertex_triangles[first];
        do { // from triangle to triangle across the edge that leaves v
            const uint32_t *c = &s->triangles[3 * (size_t)t];
            const uint32_t k = c[0] == v   ? 0
                               : c[1] == v ? 1
                                           : 2,
                           e = a->corner_edge[3 * (size_t)t + k];
            const uint32_t *pair = &a->edge_triangles[a->edge_first[e]];
            t = pair[0] == t ? pair[1] : pair[0];
            ++walked;
        } while (t != a->vertex_triangles[first] && walked <= count);
        assert_int_equal(walked, count);
    }
    const int euler = (int)s->vertex_count - (int)a->edge_count + (int)s->triangle_count;
    lmbi_adjacency_destroy(a);
    return euler;
}

#endif
