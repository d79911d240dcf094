#include "rig/rings.h"

#include "base/error.h"
#include "geometry/adjacency.h"

lmb_result lmbi_rings_find(const lmb_surface *surface, lmbi_arena *arena, lmbi_rings *out,
                           lmb_error *error)
{
    const uint32_t n = surface->vertex_count;
    lmbi_adjacency *a = NULL;
    const lmb_result result = lmbi_adjacency_create(surface, arena->alloc, &a, error);
    if (result != LMB_OK) {
        return result;
    }
    // counts go in at v + 2, so that filling through [v + 1]++ leaves the starts at [v]
    uint32_t *first = lmbi_arena_array(arena, (size_t)n + 2, sizeof *first),
             *around = lmbi_arena_array(arena, a->edge_count, 2 * sizeof *around);
    if (first && around) {
        for (size_t k = 0; k < 2 * (size_t)a->edge_count; ++k) {
            ++first[a->edges[k] + 2];
        }
        for (uint32_t v = 0; v < n; ++v) {
            first[v + 2] += first[v + 1];
        }
        for (size_t k = 0; k < 2 * (size_t)a->edge_count; ++k) {
            around[first[a->edges[k] + 1]++] = a->edges[k ^ 1u];
        }
        *out = (lmbi_rings){first, around};
    }
    lmbi_adjacency_destroy(a);
    return first && around ? LMB_OK : lmbi_fail_memory(error);
}
