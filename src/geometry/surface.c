/// Joins the meshes of a character into one welded surface; allocation of generated ones.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/block.h"
#include "base/error.h"
#include "geometry/convex_parts.h"
#include "geometry/geometry.h"
#include "geometry/surface_math.h"
#include "limber/geometry.h"

typedef struct counts {
    size_t vertices, triangles;
} counts;

typedef struct builder {
    lmbi_arena arena;
    lmb_vec3 *points;    ///< of all parts
    uint32_t *vertex_of; ///< welded vertex of each point
    uint32_t *triangles; ///< indices of welded vertices
    lmb_vec3 *positions; ///< of the welded vertices
    uint32_t point_count, vertex_count, triangle_count;
} builder;

static lmb_result check_parts(const lmb_surface_part *parts, uint32_t part_count, counts *out,
                              lmb_error *error)
{
    counts c = {0, 0};
    for (uint32_t p = 0; p < part_count; ++p) {
        c.vertices += parts[p].vertex_count;
        c.triangles += parts[p].index_count / 3;
        for (uint32_t i = 0; i < parts[p].index_count; ++i) {
            if (parts[p].indices[i] >= parts[p].vertex_count) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "indices below the vertex count",
                                 "%u of %u in part %u", parts[p].indices[i], parts[p].vertex_count,
                                 p);
            }
        }
    }
    if (c.vertices >= UINT32_MAX || c.triangles >= UINT32_MAX / 3) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "fewer than 2^32 vertices and corners",
                         "%zu vertices, %zu triangles", c.vertices, c.triangles);
    }
    *out = c;
    return LMB_OK;
}

static bool is_zero(const lmb_mat4 *m)
{
    for (int i = 0; i < 16; ++i) {
        if (m->m[i] != 0) {
            return false;
        }
    }
    return true;
}

static void place_points(builder *b, const lmb_surface_part *parts, uint32_t part_count)
{
    for (uint32_t p = 0; p < part_count; ++p) {
        bool identity = is_zero(&parts[p].model_from_part);
        for (uint32_t v = 0; v < parts[p].vertex_count; ++v) {
            lmb_vec3 at = parts[p].positions[v];
            b->points[b->point_count++] =
                identity ? at : lmb_mat4_point(parts[p].model_from_part, at);
        }
    }
}

static lmb_result weld_points(builder *b, const lmb_surface_part *parts, uint32_t part_count,
                              float weld_share, lmb_error *error)
{
    lmb_box box = lmb_box_of(b->points, b->point_count);
    float tolerance =
        b->point_count && weld_share > 0 ? weld_share * lmb_vec3_distance(box.low, box.high) : 0.0f;
    lmb_result result = lmbi_weld(b->points, b->point_count, tolerance, b->arena.alloc,
                                  b->vertex_of, &b->vertex_count, error);
    if (result == LMB_OK && part_count > 1) {
        result = lmbi_separate_convex_parts(parts, part_count, &b->arena, b->vertex_of,
                                            &b->vertex_count, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    b->positions = lmbi_arena_array(&b->arena, b->vertex_count, sizeof *b->positions);
    if (!b->positions) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = b->point_count;
         i-- > 0;) { // backwards, so that the first point of a number wins
        b->positions[b->vertex_of[i]] = b->points[i];
    }
    return LMB_OK;
}

static void gather_triangles(builder *b, const lmb_surface_part *parts, uint32_t part_count,
                             bool keep_degenerate)
{
    uint32_t base = 0;
    for (uint32_t p = 0; p < part_count; ++p) {
        for (uint32_t i = 0; i + 2 < parts[p].index_count; i += 3) {
            uint32_t *to = b->triangles + 3 * (size_t)b->triangle_count;
            for (uint32_t c = 0; c < 3; ++c) {
                to[c] = b->vertex_of[base + parts[p].indices[i + c]];
            }
            bool collapsed = to[0] == to[1] || to[1] == to[2] || to[2] == to[0];
            b->triangle_count += keep_degenerate || !collapsed ? 1 : 0;
        }
        base += parts[p].vertex_count;
    }
}

static void sorted_corners(const uint32_t *t, uint32_t out[3])
{
    uint32_t a = t[0], b = t[1], c = t[2], swap;
    if (a > b) {
        swap = a, a = b, b = swap;
    }
    if (b > c) {
        swap = b, b = c, c = swap;
    }
    if (a > b) {
        swap = a, a = b, b = swap;
    }
    out[0] = a, out[1] = b, out[2] = c;
}

/// Hashes all three vertices: triangles of a fan share two.
static uint32_t slot_of(const uint32_t corners[3], uint32_t slot_count)
{
    uint64_t mixed = corners[0];
    for (int c = 1; c < 3; ++c) {
        mixed = (mixed ^ mixed >> 29) * 0x9e3779b97f4a7c15u + corners[c];
    }
    mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)(mixed >> 32) & (slot_count - 1);
}

/// Drops triangles with the same three vertices as an earlier one, in any order.
static lmb_result drop_repeats(builder *b, lmb_error *error)
{
    uint32_t slot_count = 1;
    while (slot_count < b->triangle_count && slot_count < 1u << 31) {
        slot_count *= 2;
    }
    uint32_t *head = lmbi_arena_array(&b->arena, slot_count, sizeof *head);
    uint32_t *next = lmbi_arena_array(&b->arena, b->triangle_count, sizeof *next);
    if (!head || !next) {
        return lmbi_fail_memory(error);
    }
    uint32_t kept = 0;
    for (uint32_t t = 0; t < b->triangle_count; ++t) {
        uint32_t mine[3], other[3];
        sorted_corners(b->triangles + 3 * (size_t)t, mine);
        bool repeated = false;
        uint32_t *slot = &head[slot_of(mine, slot_count)];
        for (uint32_t n = *slot; n && !repeated; n = next[n - 1]) {
            sorted_corners(b->triangles + 3 * (size_t)(n - 1), other);
            repeated = other[0] == mine[0] && other[1] == mine[1] && other[2] == mine[2];
        }
        if (repeated) {
            continue;
        }
        memmove(b->triangles + 3 * (size_t)kept, b->triangles + 3 * (size_t)t,
                3 * sizeof *b->triangles);
        next[kept] = *slot;
        *slot = ++kept;
    }
    b->triangle_count = kept;
    return LMB_OK;
}

static void lay_out(lmbi_block *block, const builder *b, lmb_surface *surface)
{
    surface->positions =
        lmbi_block_array(block, b->positions, b->vertex_count, sizeof *b->positions);
    surface->triangles =
        lmbi_block_array(block, b->triangles, 3 * (size_t)b->triangle_count, sizeof *b->triangles);
    surface->vertex_of =
        lmbi_block_array(block, b->vertex_of, b->point_count, sizeof *b->vertex_of);
}

static lmb_result finish(const builder *b, const lmb_allocator *alloc, lmb_surface **out,
                         lmb_error *error)
{
    lmb_surface def = {.vertex_count = b->vertex_count,
                       .triangle_count = b->triangle_count,
                       .part_vertex_count = b->point_count};
    if (alloc) {
        def.allocator = *alloc;
    }
    lmbi_block block = {0};
    (void)lmbi_block_array(&block, &def, 1, sizeof def);
    lay_out(&block, b, &def);
    uint8_t *base = block.overflow ? NULL : lmbi_alloc(alloc, block.used);
    if (!base) {
        return lmbi_fail_memory(error);
    }
    block = (lmbi_block){.base = base};
    lmb_surface *surface = lmbi_block_array(&block, &def, 1, sizeof def);
    lay_out(&block, b, surface);
    *out = surface;
    return LMB_OK;
}

static lmb_result build(builder *b, const lmb_surface_part *parts, uint32_t part_count,
                        const lmb_surface_opts *opts, lmb_error *error)
{
    counts c = {0, 0};
    lmb_result result = check_parts(parts, part_count, &c, error);
    if (result != LMB_OK) {
        return result;
    }
    b->points = lmbi_arena_array(&b->arena, c.vertices, sizeof *b->points);
    b->vertex_of = lmbi_arena_array(&b->arena, c.vertices, sizeof *b->vertex_of);
    // One extra triangle: each is written before it may be dropped.
    b->triangles = lmbi_arena_array(&b->arena, 3 * (c.triangles + 1), sizeof *b->triangles);
    if (!b->points || !b->vertex_of || !b->triangles) {
        return lmbi_fail_memory(error);
    }
    place_points(b, parts, part_count);
    result = weld_points(b, parts, part_count, opts->weld_fraction, error);
    if (result != LMB_OK) {
        return result;
    }
    gather_triangles(b, parts, part_count, opts->keep_degenerate);
    return opts->keep_degenerate ? LMB_OK : drop_repeats(b, error);
}

lmb_result lmb_surface_create(const lmb_surface_part *parts, uint32_t part_count,
                              const lmb_surface_opts *opts, const lmb_allocator *alloc,
                              lmb_surface **out, lmb_error *error)
{
    lmb_surface_opts defaults = {0};
    builder b = {0};
    lmbi_arena_init(&b.arena, alloc);
    lmb_result result = build(&b, parts, part_count, opts ? opts : &defaults, error);
    if (result == LMB_OK) {
        result = finish(&b, alloc, out, error);
    }
    lmbi_arena_free(&b.arena);
    return result;
}

void lmb_surface_destroy(lmb_surface *surface)
{
    if (surface) {
        lmb_allocator alloc = surface->allocator;
        lmbi_free(&alloc, surface);
    }
}

lmb_surface *lmbi_surface_alloc(const lmb_allocator *alloc, uint32_t vertex_count,
                                uint32_t triangle_count)
{
    const size_t positions = lmbi_size_mul(vertex_count, sizeof(lmb_vec3));
    const size_t triangles = lmbi_size_mul(triangle_count, 3 * sizeof(uint32_t));
    if (positions > SIZE_MAX / 4 || triangles > SIZE_MAX / 4) {
        return NULL;
    }
    const size_t head = (sizeof(lmb_surface) + 15) / 16 * 16;
    uint8_t *block = lmbi_alloc(alloc, head + positions + triangles);
    if (block == NULL) {
        return NULL;
    }
    lmb_surface *s = (void *)block;
    s->vertex_count = vertex_count;
    s->triangle_count = triangle_count;
    s->positions = (void *)(block + head);
    s->triangles = (void *)(block + head + positions);
    if (alloc != NULL) {
        s->allocator = *alloc;
    }
    return s;
}
