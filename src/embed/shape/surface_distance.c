/// Shortest paths over the edges of a surface graph (Dijkstra 1959).
#include "base/alloc.h"
#include "embed/shape/shape.h"
#include "geometry/adjacency.h"

#include <math.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;

bool lmbi_surface_graph_connect(lmbi_surface_graph *graph, const lmbi_adjacency *edges,
                                const uint32_t *bridges, uint32_t bridge_count)
{
    const uint32_t n = graph->surface->vertex_count;
    const size_t all = 2 * ((size_t)edges->edge_count + bridge_count);
    lmbi_free(graph->alloc, graph->first);
    lmbi_free(graph->alloc, graph->to);
    graph->first = lmbi_alloc_array(graph->alloc, (size_t)n + 1, sizeof *graph->first);
    graph->to = lmbi_alloc_array(graph->alloc, all + 1, sizeof *graph->to);
    uint32_t *fill = lmbi_alloc_array(graph->alloc, (size_t)n + 1, sizeof *fill);
    const bool made = graph->first && graph->to && fill && all < NONE;
    if (made) {
        memset(graph->first, 0, ((size_t)n + 1) * sizeof *graph->first);
    }
    for (int pass = 0; made && pass < 2; ++pass) {
        for (size_t e = 0; e < all; ++e) {
            const size_t own = edges->edge_count;
            const uint32_t *pair =
                e / 2 < own ? &edges->edges[2 * (e / 2)] : &bridges[2 * (e / 2 - own)];
            const uint32_t from = pair[e % 2], to = pair[1 - e % 2];
            if (pass == 0) {
                ++graph->first[from + 1];
            } else {
                graph->to[fill[from]++] = to;
            }
        }
        for (uint32_t v = 0; pass == 0 && v < n; ++v) {
            graph->first[v + 1] += graph->first[v];
            fill[v] = graph->first[v];
        }
    }
    lmbi_free(graph->alloc, fill);
    return made;
}

/// A binary heap of vertices by distance; entries whose distance has fallen since are stale.
typedef struct entry {
    float distance;
    uint32_t vertex;
} entry;

typedef struct heap {
    entry *items;
    size_t count, capacity;
    const lmb_allocator *alloc;
} heap;

static bool is_before(entry a, entry b)
{
    return a.distance < b.distance || (!(b.distance < a.distance) && a.vertex < b.vertex);
}

static bool heap_push(heap *h, entry e)
{
    void *items = h->items;
    if (!lmbi_grow(h->alloc, &items, &h->capacity, h->count + 1, sizeof e)) {
        return false;
    }
    h->items = items;
    size_t at = h->count++;
    for (; at > 0 && is_before(e, h->items[(at - 1) / 2]); at = (at - 1) / 2) {
        h->items[at] = h->items[(at - 1) / 2];
    }
    h->items[at] = e;
    return true;
}

static entry heap_pop(heap *h)
{
    const entry top = h->items[0], e = h->items[--h->count];
    size_t at = 0;
    for (size_t child = 1; child < h->count; child = 2 * at + 1) {
        child += child + 1 < h->count && is_before(h->items[child + 1], h->items[child]);
        if (!is_before(h->items[child], e)) {
            break;
        }
        h->items[at] = h->items[child];
        at = child;
    }
    h->items[at] = e;
    return top;
}

bool lmbi_surface_distances(const lmbi_surface_graph *graph, const uint32_t *seeds,
                            uint32_t seed_count, float most, float *distance)
{
    const lmb_vec3 *positions = graph->surface->positions;
    heap h = {.alloc = graph->alloc};
    bool done = true;
    for (uint32_t k = 0; k < seed_count && done; ++k) {
        done = heap_push(&h, (entry){distance[seeds[k]], seeds[k]});
    }
    while (done && h.count > 0) {
        const entry e = heap_pop(&h);
        if (e.distance > distance[e.vertex]) {
            continue;
        }
        for (uint32_t k = graph->first[e.vertex]; done && k < graph->first[e.vertex + 1]; ++k) {
            const uint32_t to = graph->to[k];
            const float d = e.distance + lmb_vec3_distance(positions[e.vertex], positions[to]);
            if (d < distance[to] && d <= most) {
                distance[to] = d;
                done = heap_push(&h, (entry){d, to});
            }
        }
    }
    lmbi_free(h.alloc, h.items);
    return done;
}

/// The vertices around the center, with their distances from it; returns their number.
static uint32_t seed_center(const lmbi_surface_graph *graph, lmb_vec3 center, uint32_t *seeds)
{
    const float around = 1.3f;
    const lmb_surface *surface = graph->surface;
    uint32_t count = 0;
    float nearest = 1e30f;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        nearest = fminf(nearest, lmb_vec3_distance(surface->positions[v], center));
    }
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        const float d = lmb_vec3_distance(surface->positions[v], center);
        if (d <= around * nearest) {
            graph->distance[0][v] = d;
            seeds[count++] = v;
        }
    }
    return count;
}

/// The vertex farthest from all that the first `count` fields start from. The center counts only if
/// nothing else does: a hand may have sunk into the body there.
static uint32_t farthest(const lmbi_surface_graph *graph, int count)
{
    uint32_t best = 0;
    float most = -1;
    for (uint32_t v = 0; v < graph->surface->vertex_count; ++v) {
        float least = INFINITY;
        for (int m = count > 1 ? 1 : 0; m < count; ++m) {
            least = fminf(least, graph->distance[m][v]);
        }
        if (isfinite(least) && least > most) {
            most = least;
            best = v;
        }
    }
    return best;
}

/// The mean distance of a vertex from the far ends; infinite where no path leads.
static float mean_distance(const lmbi_surface_graph *graph, uint32_t v)
{
    float sum = 0;
    for (int k = 1; k < LMBI_SURFACE_FIELDS; ++k) {
        sum += graph->distance[k][v];
    }
    return sum / (LMBI_SURFACE_FIELDS - 1);
}

/// The vertices of the middle, where the mean distance from the far ends is least (Hilaga et al.
/// 2001). Returns their number.
static uint32_t seed_middle(const lmbi_surface_graph *graph, uint32_t *seeds)
{
    const float near = 0.02f; // in units
    float least = INFINITY;
    uint32_t count = 0;
    for (uint32_t v = 0; v < graph->surface->vertex_count; ++v) {
        least = fminf(least, mean_distance(graph, v));
        graph->middle[v] = INFINITY;
    }
    for (uint32_t v = 0; v < graph->surface->vertex_count; ++v) {
        const float beyond = mean_distance(graph, v) - least;
        if (beyond < near) {
            graph->middle[v] = beyond;
            seeds[count++] = v;
        }
    }
    return count;
}

bool lmbi_surface_graph_measure(const lmbi_surface_graph *graph, lmb_vec3 center)
{
    const uint32_t vertices = graph->surface->vertex_count;
    uint32_t *seeds = lmbi_alloc_array(graph->alloc, (size_t)vertices + 1, sizeof *seeds);
    bool done = seeds != NULL;
    for (int k = 0; k < LMBI_SURFACE_FIELDS && done; ++k) {
        float *distance = graph->distance[k];
        uint32_t count = 1;
        for (uint32_t v = 0; v < vertices; ++v) {
            distance[v] = INFINITY;
        }
        if (k == 0) {
            count = seed_center(graph, center, seeds);
        } else {
            seeds[0] = farthest(graph, k);
            distance[seeds[0]] = 0;
        }
        done = lmbi_surface_distances(graph, seeds, count, INFINITY, distance);
    }
    const uint32_t middle = done ? seed_middle(graph, seeds) : 0;
    done = done && lmbi_surface_distances(graph, seeds, middle, INFINITY, graph->middle);
    lmbi_free(graph->alloc, seeds);
    return done;
}
