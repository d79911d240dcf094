/// Connected pieces of a surface, by union-find.
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/union_find.h"
#include "limber/geometry.h"

/// The lower root wins, so that the root is the lowest vertex of the piece.
static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = lmbi_union_root(parent, a);
    b = lmbi_union_root(parent, b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

lmb_result lmb_surface_components(const lmb_surface *surface, const lmb_allocator *alloc,
                                  uint32_t *out_component, uint32_t *out_count, lmb_error *error)
{
    uint32_t *parent = lmbi_alloc_array(alloc, surface->vertex_count, sizeof *parent);
    if (!parent) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        parent[v] = v;
    }
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t *corner = surface->triangles + 3 * (size_t)t;
        join(parent, corner[0], corner[1]);
        join(parent, corner[0], corner[2]);
    }
    uint32_t count = 0;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        uint32_t root = lmbi_union_root(parent, v);
        out_component[v] = root == v ? count++ : out_component[root];
    }
    *out_count = count;
    lmbi_free(alloc, parent);
    return LMB_OK;
}
