/// Edges and the triangles that share them, for surfaces of any topology.
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/block.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "limber/geometry.h"

/// A corner's edge, listed at its lower vertex.
typedef struct half {
    uint32_t high;
    uint32_t corner; ///< 3 * triangle + k
} half;

typedef struct builder {
    const lmb_surface *surface;
    lmbi_arena arena;
    uint32_t *low_first; ///< [vertex_count + 1] into halves
    half *halves;        ///< [3 * triangle_count]
    lmbi_adjacency made;
} builder;

static void corner_ends(const lmb_surface *surface, uint32_t corner, uint32_t *low, uint32_t *high)
{
    uint32_t next = corner % 3 == 2 ? corner - 2 : corner + 1;
    uint32_t a = surface->triangles[corner], b = surface->triangles[next];
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

/// Prefix sum: counts at [key + 1] become starts at [key].
static void running_sum(uint32_t *first, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        first[i + 1] += first[i];
    }
}

/// Restores the starts after filling through first[key]++ moved them.
static void shift_back(uint32_t *first, uint32_t count)
{
    memmove(first + 1, first, count * sizeof *first);
    first[0] = 0;
}

static bool bin_halves(builder *b)
{
    uint32_t n = b->surface->vertex_count, corners = 3 * b->surface->triangle_count;
    b->low_first = lmbi_arena_array(&b->arena, (size_t)n + 1, sizeof *b->low_first);
    b->halves = lmbi_arena_array(&b->arena, corners, sizeof *b->halves);
    if (!b->low_first || !b->halves) {
        return false;
    }
    uint32_t low, high;
    for (uint32_t c = 0; c < corners; ++c) {
        corner_ends(b->surface, c, &low, &high);
        ++b->low_first[low + 1];
    }
    running_sum(b->low_first, n);
    for (uint32_t c = 0; c < corners; ++c) {
        corner_ends(b->surface, c, &low, &high);
        b->halves[b->low_first[low]++] = (half){high, c};
    }
    shift_back(b->low_first, n);
    return true;
}

static bool half_before(half a, half b)
{
    return a.high != b.high ? a.high < b.high : a.corner < b.corner;
}

static void sift_down(half *items, uint32_t at, uint32_t count)
{
    half moving = items[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && half_before(items[child], items[child + 1]) ? 1 : 0;
        if (!half_before(moving, items[child])) {
            break;
        }
        items[at] = items[child];
    }
    items[at] = moving;
}

/// Insertion sort for small lists, which nearly all are; heap sort for the centre of a fan of
/// thousands.
static void sort_halves(half *items, uint32_t count)
{
    if (count > 48) {
        for (uint32_t i = count / 2; i-- > 0;) {
            sift_down(items, i, count);
        }
        for (uint32_t i = count - 1; i > 0; --i) {
            half top = items[0];
            items[0] = items[i];
            items[i] = top;
            sift_down(items, 0, i);
        }
        return;
    }
    for (uint32_t i = 1; i < count; ++i) {
        half moving = items[i];
        uint32_t at = i;
        for (; at > 0 && half_before(moving, items[at - 1]); --at) {
            items[at] = items[at - 1];
        }
        items[at] = moving;
    }
}

static bool number_edges(builder *b)
{
    uint32_t n = b->surface->vertex_count, corners = 3 * b->surface->triangle_count;
    lmbi_adjacency *a = &b->made;
    a->edges = lmbi_arena_array(&b->arena, 2 * (size_t)corners, sizeof *a->edges);
    a->edge_first = lmbi_arena_array(&b->arena, (size_t)corners + 1, sizeof *a->edge_first);
    a->edge_triangles = lmbi_arena_array(&b->arena, corners, sizeof *a->edge_triangles);
    a->corner_edge = lmbi_arena_array(&b->arena, corners, sizeof *a->corner_edge);
    if (!a->edges || !a->edge_first || !a->edge_triangles || !a->corner_edge) {
        return false;
    }
    for (uint32_t v = 0; v < n; ++v) {
        uint32_t begin = b->low_first[v], end = b->low_first[v + 1];
        sort_halves(b->halves + begin, end - begin);
        for (uint32_t i = begin; i < end; ++i) {
            if (i == begin || b->halves[i].high != b->halves[i - 1].high) {
                a->edges[2 * (size_t)a->edge_count] = v;
                a->edges[2 * (size_t)a->edge_count + 1] = b->halves[i].high;
                a->edge_first[a->edge_count++] = i;
            }
            a->edge_triangles[i] = b->halves[i].corner / 3;
            a->corner_edge[b->halves[i].corner] = a->edge_count - 1;
        }
    }
    a->edge_first[a->edge_count] = corners;
    for (uint32_t e = 0; e < a->edge_count; ++e) {
        uint32_t around = a->edge_first[e + 1] - a->edge_first[e];
        a->border_count += around == 1 ? 1 : 0;
        a->crowded_count += around > 2 ? 1 : 0;
    }
    return true;
}

static bool list_around_vertices(builder *b)
{
    uint32_t n = b->surface->vertex_count, corners = 3 * b->surface->triangle_count;
    lmbi_adjacency *a = &b->made;
    a->vertex_first = lmbi_arena_array(&b->arena, (size_t)n + 1, sizeof *a->vertex_first);
    a->vertex_triangles = lmbi_arena_array(&b->arena, corners, sizeof *a->vertex_triangles);
    if (!a->vertex_first || !a->vertex_triangles) {
        return false;
    }
    for (uint32_t c = 0; c < corners; ++c) {
        ++a->vertex_first[b->surface->triangles[c] + 1];
    }
    running_sum(a->vertex_first, n);
    for (uint32_t c = 0; c < corners; ++c) {
        a->vertex_triangles[a->vertex_first[b->surface->triangles[c]]++] = c / 3;
    }
    shift_back(a->vertex_first, n);
    return true;
}

static void lay_out(lmbi_block *block, const builder *b, lmbi_adjacency *to)
{
    const lmbi_adjacency *a = &b->made;
    size_t corners = 3 * (size_t)b->surface->triangle_count;
    to->edges = lmbi_block_array(block, a->edges, 2 * (size_t)a->edge_count, sizeof *a->edges);
    to->corner_edge = lmbi_block_array(block, a->corner_edge, corners, sizeof *a->corner_edge);
    to->edge_first =
        lmbi_block_array(block, a->edge_first, (size_t)a->edge_count + 1, sizeof *a->edge_first);
    to->edge_triangles =
        lmbi_block_array(block, a->edge_triangles, corners, sizeof *a->edge_triangles);
    to->vertex_first = lmbi_block_array(
        block, a->vertex_first, (size_t)b->surface->vertex_count + 1, sizeof *a->vertex_first);
    to->vertex_triangles =
        lmbi_block_array(block, a->vertex_triangles, corners, sizeof *a->vertex_triangles);
}

static void *copy(lmbi_block *block, const void *definition)
{
    const builder *b = definition;
    lmbi_adjacency made = b->made;
    lmbi_adjacency *to = lmbi_block_array(block, &b->made, 1, sizeof b->made);
    lay_out(block, b, &made);
    if (to) {
        *to = made;
    }
    return to;
}

lmb_result lmbi_adjacency_create(const lmb_surface *surface, const lmb_allocator *alloc,
                                 lmbi_adjacency **out, lmb_error *error)
{
    builder b = {.surface = surface};
    lmbi_arena_init(&b.arena, alloc);
    lmbi_adjacency *adjacency = NULL;
    if (bin_halves(&b) && number_edges(&b) && list_around_vertices(&b)) {
        if (alloc) {
            b.made.allocator = *alloc;
        }
        adjacency = lmbi_block_build(copy, &b, alloc);
    }
    lmbi_arena_free(&b.arena);
    if (!adjacency) {
        return lmbi_fail_memory(error);
    }
    *out = adjacency;
    return LMB_OK;
}

void lmbi_adjacency_destroy(lmbi_adjacency *adjacency)
{
    if (adjacency) {
        lmb_allocator alloc = adjacency->allocator;
        lmbi_free(&alloc, adjacency);
    }
}
