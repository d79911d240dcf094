#include "embed/kinds.h"
#include "geometry/surface_math.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/adjacency.h"
#include "geometry/tree.h"
#include "limber/geometry.h"

#include <math.h>
#include <string.h>

/// Fractions of the size of the whole: a flat piece is thinner than FLAT, a floor wider than WIDE,
/// and pieces nearer than TOUCHES count as touching.
static const float FLAT = 0.01f, WIDE = 0.25f, TOUCHES = 0.012f;
enum { PROBES = 400, ROUNDS = 4 };

typedef struct piece {
    lmb_box box;
    double area;
    uint32_t vertex_count;
    bool flat, kept;
} piece;

typedef struct pieces {
    lmb_surface *surface;
    uint32_t *of_vertex; ///< [vertex_count]
    uint32_t count;
    piece *items;
    float size;
} pieces;

static lmb_vec3 box_size(lmb_box box)
{
    return lmb_vec3_sub(box.high, box.low);
}

static bool is_floor(const piece *p, float size)
{
    const lmb_vec3 e = box_size(p->box);
    const float thin = fminf(e.x, fminf(e.y, e.z)), wide = lmbi_longest_side(e);
    const float middle = e.x + e.y + e.z - thin - wide;
    return thin < FLAT * size && middle > WIDE * size;
}

/// Measures box, area and vertex count of each piece, and the size of the whole.
static void measure_pieces(pieces *p, const float *areas)
{
    const lmb_surface *s = p->surface;
    for (uint32_t k = 0; k < p->count; ++k) {
        p->items[k].box = lmb_box_empty();
    }
    lmb_box all = lmb_box_empty();
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        piece *item = &p->items[p->of_vertex[s->triangles[3 * t]]];
        item->area += (double)areas[t];
        for (int c = 0; c < 3; ++c) {
            const lmb_vec3 at = s->positions[s->triangles[3 * t + (uint32_t)c]];
            item->box = lmb_box_add(item->box, at);
            all = lmb_box_add(all, at);
        }
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        ++p->items[p->of_vertex[v]].vertex_count;
    }
    const lmb_vec3 e = box_size(all);
    p->size = lmbi_longest_side(e);
    for (uint32_t k = 0; k < p->count; ++k) {
        p->items[k].flat = is_floor(&p->items[k], p->size);
    }
}

/// A triangle tree over the pieces that are kept so far.
static lmb_result tree_of_kept(const pieces *p, const lmb_allocator *alloc, uint32_t *scratch,
                               lmbi_tree **out, lmb_error *error)
{
    lmb_surface kept = *p->surface;
    kept.triangles = scratch;
    kept.triangle_count = 0;
    for (uint32_t t = 0; t < p->surface->triangle_count; ++t) {
        const uint32_t *corner = &p->surface->triangles[3 * t];
        if (p->items[p->of_vertex[corner[0]]].kept) {
            memcpy(&scratch[3 * kept.triangle_count++], corner, 3 * sizeof *corner);
        }
    }
    return lmbi_tree_create(&kept, alloc, out, error);
}

/// Marks in `near` the pieces within TOUCHES of the tree, testing at most about PROBES vertices of
/// each.
static void mark_near_pieces(const pieces *p, const lmbi_tree *tree, uint32_t *seen, bool *near)
{
    memset(seen, 0, p->count * sizeof *seen);
    for (uint32_t v = 0; v < p->surface->vertex_count; ++v) {
        const uint32_t k = p->of_vertex[v];
        const piece *item = &p->items[k];
        const uint32_t stride = 1 + item->vertex_count / PROBES;
        if (item->kept || item->flat || near[k] || seen[k]++ % stride != 0) {
            continue;
        }
        const float reach = TOUCHES * p->size;
        near[k] = lmbi_tree_closest(tree, p->surface->positions[v], reach).triangle != UINT32_MAX;
    }
}

/// Keeps the piece of the largest area, and repeatedly what touches a kept piece.
static lmb_result keep_body(pieces *p, const lmb_allocator *alloc, lmbi_arena *arena,
                            lmb_error *error)
{
    uint32_t largest = 0;
    for (uint32_t k = 1; k < p->count; ++k) {
        const bool better = p->items[largest].flat || p->items[k].area > p->items[largest].area;
        largest = !p->items[k].flat && better ? k : largest;
    }
    p->items[largest].kept = true;
    uint32_t *scratch = lmbi_arena_array(arena, p->surface->triangle_count, 3 * sizeof *scratch);
    uint32_t *seen = lmbi_arena_array(arena, p->count, sizeof *seen);
    bool *near = lmbi_arena_array(arena, p->count, sizeof *near);
    if (!scratch || !seen || !near) {
        return lmbi_fail_memory(error);
    }
    bool grew = true;
    for (int round = 0; grew && round < ROUNDS; ++round) {
        lmbi_tree *tree = NULL;
        const lmb_result result = tree_of_kept(p, alloc, scratch, &tree, error);
        if (result != LMB_OK) {
            return result;
        }
        mark_near_pieces(p, tree, seen, near);
        lmbi_tree_destroy(tree);
        grew = false;
        for (uint32_t k = 0; k < p->count; ++k) {
            grew = grew || (near[k] && !p->items[k].kept);
            p->items[k].kept = p->items[k].kept || near[k];
        }
    }
    return LMB_OK;
}

static lmb_result find_pieces(pieces *p, const lmb_allocator *alloc, lmbi_arena *arena,
                              lmb_error *error)
{
    p->of_vertex = lmbi_arena_array(arena, p->surface->vertex_count, sizeof *p->of_vertex);
    float *areas = lmbi_arena_array(arena, p->surface->triangle_count, sizeof *areas);
    if (!p->of_vertex || !areas) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = lmb_surface_components(p->surface, alloc, p->of_vertex, &p->count, error);
    if (result != LMB_OK) {
        return result;
    }
    p->items = lmbi_arena_array(arena, p->count, sizeof *p->items);
    if (!p->items) {
        return lmbi_fail_memory(error);
    }
    lmbi_surface_areas(p->surface, areas);
    measure_pieces(p, areas);
    return p->count > 0 ? keep_body(p, alloc, arena, error) : LMB_OK;
}

static lmb_result extract_main_body(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                    uint32_t *out_triangles, uint32_t *out_count, lmb_error *error)
{
    const lmb_surface_opts opts = {.keep_degenerate = true};
    pieces p = {0};
    lmb_result result = lmbi_soup_surface(soup, &opts, alloc, &p.surface, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    result = find_pieces(&p, alloc, &arena, error);
    *out_count = 0;
    for (uint32_t t = 0; result == LMB_OK && t < soup->triangle_count; ++t) {
        const uint32_t *corner = &soup->triangles[3 * t];
        if (p.items[p.of_vertex[p.surface->vertex_of[corner[0]]]].kept) {
            memcpy(&out_triangles[3 * (*out_count)++], corner, 3 * sizeof *corner);
        }
    }
    lmbi_arena_free(&arena);
    lmb_surface_destroy(p.surface);
    return result;
}

/// Whether every edge has an even number of triangles. Such a surface has no holes, even where its
/// shells intersect.
static lmb_result find_closed(lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                              lmb_error *error)
{
    lmb_surface *surface = NULL;
    lmbi_adjacency *edges = NULL;
    const lmb_result result = lmbi_soup_edges(soup, alloc, &surface, &edges, error);
    soup->closed = edges != NULL;
    for (uint32_t e = 0; soup->closed && e < edges->edge_count; ++e) {
        soup->closed = (edges->edge_first[e + 1] - edges->edge_first[e]) % 2 == 0;
    }
    lmbi_adjacency_destroy(edges);
    lmb_surface_destroy(surface);
    return result;
}

lmb_result lmbi_embed_input_create(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                   lmbi_embed_input *out, lmb_error *error)
{
    *out = (lmbi_embed_input){.soup = *soup, .main_body.alloc = alloc, .alloc = alloc};
    const lmb_result result = find_closed(&out->soup, alloc, error);
    return result == LMB_OK ? lmbi_voxel_cache_create(&out->soup, alloc, &out->whole, error)
                            : result;
}

void lmbi_embed_input_destroy(lmbi_embed_input *input)
{
    uint32_t *triangles = input->triangles;
    lmbi_voxel_cache_destroy(&input->whole);
    lmbi_voxel_cache_destroy(&input->main_body);
    lmbi_free(input->alloc, triangles);
    *input = (lmbi_embed_input){.alloc = input->alloc};
}

static lmb_result find_main_body(lmbi_embed_input *s, lmb_error *error)
{
    const uint32_t all = s->soup.triangle_count;
    s->triangles = lmbi_alloc_array(s->alloc, all, 3 * sizeof *s->triangles);
    if (!s->triangles) {
        return lmbi_fail_memory(error);
    }
    s->body = s->soup;
    s->body.triangles = s->triangles;
    lmb_result result =
        extract_main_body(&s->soup, s->alloc, s->triangles, &s->body.triangle_count, error);
    if (result == LMB_OK && s->body.triangle_count > 0 && s->body.triangle_count < all) {
        result = find_closed(&s->body, s->alloc, error);
        result = result == LMB_OK
                     ? lmbi_voxel_cache_create(&s->body, s->alloc, &s->main_body, error)
                     : result;
        s->has_main_body = result == LMB_OK;
    }
    return result;
}

lmb_result lmbi_embed_input_main_body(lmbi_embed_input *input, lmbi_voxel_cache **out,
                                      lmb_error *error)
{
    *out = NULL;
    lmb_result result = LMB_OK;
    if (!input->searched) {
        result = find_main_body(input, error);
        input->searched = result == LMB_OK;
    }
    if (result == LMB_OK && input->has_main_body) {
        *out = &input->main_body;
    }
    return result;
}
