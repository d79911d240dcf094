/// Creation of soft tissue from a skin: particles, edges, regions with their boundary loops.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/block.h"
#include "base/error.h"
#include "geometry/surface_math.h"
#include "geometry/union_find.h"
#include "limber/geometry.h"
#include "physics/soft_tissue.h"

/// Directed edge of a triangle, sorted to find its opposite.
typedef struct side {
    uint32_t low, high, a, b, triangle;
} side;

/// Items grouped by region: row r is items[first[r]] to items[first[r + 1] - 1].
typedef struct region_items {
    uint32_t *first; ///< [region_count + 2], the last for the sort alone
    uint32_t *items;
} region_items;

typedef struct maker {
    const lmb_soft_tissue_def *def;
    lmbi_arena arena;
    lmb_soft_tissue tissue;
    uint32_t triangle_count;
    uint32_t *corners;   ///< [3 triangle_count] particles; degenerate triangles are left out
    uint32_t *region_of; ///< [triangle_count]
    side *sides, *spare; ///< [3 triangle_count]
    void *zeros;
    uint32_t *union_parent; ///< [particle_count] union-find over the boundary of one region
} maker;

// -------------------------------------------------------------------------------------- particles

/// Merges vertices at the same position into one particle, so that seams do not open.
static bool weld_vertices(maker *m)
{
    const lmb_soft_tissue_def *def = m->def;
    const uint32_t n = def->vertex_count;
    lmb_soft_tissue *f = &m->tissue;
    f->particle_of = lmbi_arena_array(&m->arena, n, sizeof *f->particle_of);
    f->vertex_of = lmbi_arena_array(&m->arena, n, sizeof *f->vertex_of);
    if (f->particle_of == NULL || f->vertex_of == NULL ||
        lmbi_weld(def->rest, n, 0, m->arena.alloc, f->particle_of, &f->particle_count, NULL) !=
            LMB_OK) {
        return false;
    }
    // Particles are numbered in the order of their first vertices.
    for (uint32_t v = 0, next = 0; v < n; ++v) {
        if (f->particle_of[v] == next) {
            f->vertex_of[next++] = v;
        }
    }
    f->vertex_count = n;
    return true;
}

static bool set_parameters(maker *m)
{
    const lmb_soft_tissue_def *def = m->def;
    lmb_soft_tissue *f = &m->tissue;
    f->frequency_hz = def->frequency_hz > 0.0f ? def->frequency_hz : 4.0f;
    f->damping = def->damping > 0.0f ? def->damping : 0.25f;
    f->stretch_hz = def->stretch_hz > 0.0f ? def->stretch_hz : 30.0f;
    f->hz = lmbi_arena_array(&m->arena, f->particle_count, sizeof *f->hz);
    f->volume_weight = lmbi_arena_array(&m->arena, f->particle_count, sizeof *f->volume_weight);
    for (uint32_t p = 0; f->hz != NULL && f->volume_weight != NULL && p < f->particle_count; ++p) {
        const uint32_t v = f->vertex_of[p];
        const float soft = def->soft != NULL ? def->soft[v] : 1.0f;
        f->hz[p] = f->frequency_hz / fmaxf(soft, 0.02f);
        f->volume_weight[p] = def->give != NULL ? def->give[v] : 1.0f;
    }
    return f->hz != NULL && f->volume_weight != NULL;
}

// -------------------------------------------------------------------------------------- triangles

static uint32_t region_of(const maker *m, const uint32_t v[3])
{
    const uint32_t *r = m->def->region;
    // The majority of the corners, else the lowest.
    if (r == NULL) {
        return 0;
    }
    const uint32_t a = r[v[0]], b = r[v[1]], c = r[v[2]];
    const uint32_t least = a < b ? (a < c ? a : c) : (b < c ? b : c);
    return b == c ? b : (a == b || a == c ? a : least);
}

static bool list_triangles(maker *m)
{
    const uint32_t count = m->def->index_count / 3;
    m->corners = lmbi_arena_array(&m->arena, 3 * (size_t)count, sizeof *m->corners);
    m->region_of = lmbi_arena_array(&m->arena, count, sizeof *m->region_of);
    m->sides = lmbi_arena_array(&m->arena, 3 * (size_t)count, sizeof *m->sides);
    m->spare = lmbi_arena_array(&m->arena, 3 * (size_t)count, sizeof *m->spare);
    if (m->corners == NULL || m->region_of == NULL || m->sides == NULL || m->spare == NULL) {
        return false;
    }
    for (uint32_t t = 0; t < count; ++t) {
        const uint32_t *v = m->def->indices + 3 * (size_t)t;
        const uint32_t *of = m->tissue.particle_of;
        const uint32_t p[3] = {of[v[0]], of[v[1]], of[v[2]]};
        if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0]) {
            continue;
        }
        memcpy(m->corners + 3 * (size_t)m->triangle_count, p, sizeof p);
        m->region_of[m->triangle_count++] = region_of(m, v);
    }
    return true;
}

/// Stable counting sort by one key below the particle count.
static bool sort_sides(maker *m, side *from, side *to, bool by_high)
{
    const uint32_t limit = m->tissue.particle_count, count = 3 * m->triangle_count;
    uint32_t *starts = lmbi_arena_array(&m->arena, (size_t)limit + 1, sizeof *starts);
    if (starts == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count; ++k) {
        ++starts[(by_high ? from[k].high : from[k].low) + 1];
    }
    for (uint32_t k = 0; k < limit; ++k) {
        starts[k + 1] += starts[k];
    }
    for (uint32_t k = 0; k < count; ++k) {
        to[starts[by_high ? from[k].high : from[k].low]++] = from[k];
    }
    return true;
}

static bool list_sides(maker *m)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t a = m->corners[3 * (size_t)t + k],
                           b = m->corners[3 * (size_t)t + (k + 1) % 3];
            m->sides[count++] = (side){a < b ? a : b, a < b ? b : a, a, b, t};
        }
    }
    return sort_sides(m, m->sides, m->spare, true) && sort_sides(m, m->spare, m->sides, false);
}

static bool is_first_of_edge(const maker *m, uint32_t k)
{
    const side *s = m->sides;
    return k == 0 || s[k].low != s[k - 1].low || s[k].high != s[k - 1].high;
}

/// Greedy edge colouring into 32 colours without shared particles, so that consecutive edges do not
/// depend on each other. Edges that find no colour come last.
static bool color_edges(maker *m, const lmbi_soft_tissue_edge *edges)
{
    enum { COLORS = 32 };
    lmb_soft_tissue *f = &m->tissue;
    uint32_t starts[COLORS + 2] = {0};
    uint32_t *used_colors = lmbi_arena_array(&m->arena, f->particle_count, sizeof *used_colors);
    uint8_t *color = lmbi_arena_array(&m->arena, f->edge_count, 1);
    f->edges = lmbi_arena_array(&m->arena, f->edge_count, sizeof *f->edges);
    if (used_colors == NULL || color == NULL || f->edges == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < f->edge_count; ++k) {
        const uint32_t used = used_colors[edges[k].a] | used_colors[edges[k].b];
        while (color[k] < COLORS && (used >> color[k] & 1u) != 0) {
            ++color[k];
        }
        if (color[k] < COLORS) {
            used_colors[edges[k].a] |= 1u << color[k];
            used_colors[edges[k].b] |= 1u << color[k];
        }
        ++starts[color[k] + 1];
    }
    for (uint32_t r = 0; r <= COLORS; ++r) {
        starts[r + 1] += starts[r];
    }
    for (uint32_t k = 0; k < f->edge_count; ++k) {
        f->edges[starts[color[k]]++] = edges[k];
    }
    return true;
}

static bool list_edges(maker *m)
{
    lmb_soft_tissue *f = &m->tissue;
    const uint32_t count = 3 * m->triangle_count;
    lmbi_soft_tissue_edge *edges = lmbi_arena_array(&m->arena, count, sizeof *edges);
    for (uint32_t k = 0; edges != NULL && k < count; ++k) {
        if (is_first_of_edge(m, k)) {
            const uint32_t a = m->sides[k].low, b = m->sides[k].high;
            const lmb_vec3 d =
                lmb_vec3_sub(m->def->rest[f->vertex_of[a]], m->def->rest[f->vertex_of[b]]);
            edges[f->edge_count++] = (lmbi_soft_tissue_edge){a, b, sqrtf(lmb_vec3_dot(d, d)), 0};
        }
    }
    return edges != NULL && color_edges(m, edges);
}

// ---------------------------------------------------------------------------------------- regions

/// Counting sort by region of the first `count` of `sides`, or of the triangles where `sides` is
/// NULL. Items of one region keep their order.
static bool sort_by_region(maker *m, const side *sides, uint32_t count, region_items *out)
{
    const uint32_t regions = m->tissue.region_count;
    count = regions > 0 ? count : 0; // without regions, triangles may name any
    out->first = lmbi_arena_array(&m->arena, (size_t)regions + 2, sizeof *out->first);
    out->items = lmbi_arena_array(&m->arena, count, sizeof *out->items);
    if (out->first == NULL || out->items == NULL) {
        return false;
    }
    // Shifted by one, so that filling the rows leaves first[r] at the begin of row r.
    for (uint32_t k = 0; k < count; ++k) {
        ++out->first[m->region_of[sides != NULL ? sides[k].triangle : k] + 2];
    }
    for (uint32_t r = 0; r < regions; ++r) {
        out->first[r + 1] += out->first[r];
    }
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t r = m->region_of[sides != NULL ? sides[k].triangle : k];
        out->items[out->first[r + 1]++] = k;
    }
    return true;
}

/// Groups triangles by region and lists each region's particles.
static bool collect_regions(maker *m)
{
    lmb_soft_tissue *f = &m->tissue;
    region_items by_region;
    uint8_t *seen = lmbi_arena_array(&m->arena, f->particle_count, 1);
    f->triangles = lmbi_arena_array(&m->arena, 3 * (size_t)m->triangle_count, sizeof(uint32_t));
    f->members = lmbi_arena_array(&m->arena, 3 * (size_t)m->triangle_count, sizeof(uint32_t));
    if (seen == NULL || f->triangles == NULL || f->members == NULL ||
        !sort_by_region(m, NULL, m->triangle_count, &by_region)) {
        return false;
    }
    for (uint32_t r = 0; r < f->region_count; ++r) {
        lmbi_soft_tissue_region *region = &f->regions[r];
        region->first_triangle = f->triangle_count;
        region->first_member = f->member_count;
        for (uint32_t i = by_region.first[r]; i < by_region.first[r + 1]; ++i) {
            const uint32_t *corners = m->corners + 3 * (size_t)by_region.items[i];
            for (int k = 0; k < 3; ++k) {
                f->triangles[3 * (size_t)f->triangle_count + (uint32_t)k] = corners[k];
                if (!seen[corners[k]]) {
                    seen[corners[k]] = 1;
                    f->members[f->member_count++] = corners[k];
                }
            }
            ++f->triangle_count;
        }
        region->triangle_count = f->triangle_count - region->first_triangle;
        region->member_count = f->member_count - region->first_member;
        for (uint32_t k = region->first_member; k < f->member_count; ++k) {
            seen[f->members[k]] = 0;
        }
    }
    return true;
}

/// Lists a region's boundary edges: those directed edges whose uses in the two directions do not
/// cancel. `items` are the region's sides, in the order of their edges.
static void list_boundary(maker *m, const uint32_t *items, uint32_t count, uint32_t *loop_of)
{
    lmb_soft_tissue *f = &m->tissue;
    for (uint32_t begin = 0, end = 0; begin < count; begin = end) {
        const side *edge = &m->sides[items[begin]];
        int balance = 0; // uses from low to high, less those from high to low
        for (; end < count && m->sides[items[end]].low == edge->low &&
               m->sides[items[end]].high == edge->high;
             ++end) {
            balance += m->sides[items[end]].a == edge->low ? 1 : -1;
        }
        for (uint32_t i = begin; i < end; ++i) {
            const side *s = &m->sides[items[i]];
            if (s->a == s->low ? balance > 0 : balance < 0) {
                f->boundary_edges[f->boundary_edge_count++] =
                    (lmbi_soft_tissue_boundary_edge){s->a, s->b, 0};
                m->union_parent[s->a] = s->a;
                m->union_parent[s->b] = s->b;
                loop_of[s->a] = loop_of[s->b] = UINT32_MAX;
            }
        }
    }
}

/// Boundary edges of one region, and the loop that each belongs to.
static void find_boundary(maker *m, const region_items *sides, uint32_t r, uint32_t *loop_of)
{
    lmb_soft_tissue *f = &m->tissue;
    lmbi_soft_tissue_region *region = &f->regions[r];
    region->first_boundary_edge = f->boundary_edge_count;
    region->first_loop = f->loop_count;
    list_boundary(m, sides->items + sides->first[r], sides->first[r + 1] - sides->first[r],
                  loop_of);
    region->boundary_edge_count = f->boundary_edge_count - region->first_boundary_edge;
    for (uint32_t k = region->first_boundary_edge; k < f->boundary_edge_count; ++k) {
        m->union_parent[lmbi_union_root(m->union_parent, f->boundary_edges[k].a)] =
            lmbi_union_root(m->union_parent, f->boundary_edges[k].b);
    }
    for (uint32_t k = region->first_boundary_edge; k < f->boundary_edge_count; ++k) {
        const uint32_t root = lmbi_union_root(m->union_parent, f->boundary_edges[k].a);
        if (loop_of[root] == UINT32_MAX) {
            loop_of[root] = f->loop_count++;
        }
        f->boundary_edges[k].loop = loop_of[root];
        ++f->loop_sides[loop_of[root]];
    }
    region->loop_count = f->loop_count - region->first_loop;
}

static bool list_regions(maker *m)
{
    lmb_soft_tissue *f = &m->tissue;
    const size_t side_count = 3 * (size_t)m->triangle_count;
    f->region_count = m->def->region_count;
    f->regions = lmbi_arena_array(&m->arena, f->region_count, sizeof *f->regions);
    f->boundary_edges = lmbi_arena_array(&m->arena, side_count, sizeof *f->boundary_edges);
    f->loop_sides = lmbi_arena_array(&m->arena, side_count, sizeof *f->loop_sides);
    m->union_parent = lmbi_arena_array(&m->arena, f->particle_count, sizeof *m->union_parent);
    uint32_t *loop_of = lmbi_arena_array(&m->arena, f->particle_count, sizeof *loop_of);
    region_items sides_of;
    if (f->regions == NULL || f->boundary_edges == NULL || f->loop_sides == NULL ||
        m->union_parent == NULL || loop_of == NULL || !collect_regions(m) ||
        !sort_by_region(m, m->sides, 3 * m->triangle_count, &sides_of)) {
        return false;
    }
    for (uint32_t r = 0; r < f->region_count; ++r) {
        find_boundary(m, &sides_of, r, loop_of);
    }
    return true;
}

// --------------------------------------------------------------------------------------- creation

static void *copy_soft_tissue(lmbi_block *block, const void *context)
{
    const maker *m = context;
    const lmb_soft_tissue *def = &m->tissue;
    const void *zeros = m->zeros; // at least as long as any array below
    lmb_soft_tissue f = *def, *out = lmbi_block_array(block, def, 1, sizeof *def);
    const size_t n = def->particle_count, v3 = sizeof(lmb_vec3);
    f.particle_of = lmbi_block_array(block, def->particle_of, def->vertex_count, 4);
    f.vertex_of = lmbi_block_array(block, def->vertex_of, n, 4);
    f.hz = lmbi_block_array(block, def->hz, n, 4);
    f.volume_weight = lmbi_block_array(block, def->volume_weight, n, 4);
    f.edges = lmbi_block_array(block, def->edges, def->edge_count, sizeof *def->edges);
    f.regions = lmbi_block_array(block, def->regions, def->region_count, sizeof *def->regions);
    f.triangles = lmbi_block_array(block, def->triangles, 3 * (size_t)def->triangle_count, 4);
    f.surface_triangle_count = m->triangle_count;
    f.surface_triangles = lmbi_block_array(block, m->corners, 3 * (size_t)m->triangle_count, 4);
    f.members = lmbi_block_array(block, def->members, def->member_count, 4);
    f.boundary_edges = lmbi_block_array(block, def->boundary_edges, def->boundary_edge_count,
                                        sizeof *def->boundary_edges);
    f.loop_sides = lmbi_block_array(block, def->loop_sides, def->loop_count, 4);
    f.position = lmbi_block_array(block, zeros, n, v3);
    f.previous = lmbi_block_array(block, zeros, n, v3);
    f.velocity = lmbi_block_array(block, zeros, n, v3);
    f.target = lmbi_block_array(block, zeros, n, v3);
    f.target_before = lmbi_block_array(block, zeros, n, v3);
    f.gradient = lmbi_block_array(block, zeros, n, v3);
    f.normals[0] = lmbi_block_array(block, zeros, n, v3);
    f.normals[1] = lmbi_block_array(block, zeros, n, v3);
    f.spring_weight = lmbi_block_array(block, zeros, n, 4);
    f.damping_weight = lmbi_block_array(block, zeros, n, 4);
    f.loop_center = lmbi_block_array(block, zeros, def->loop_count, v3);
    f.loop_gradient = lmbi_block_array(block, zeros, def->loop_count, v3);
    if (out != NULL) {
        *out = f;
    }
    return out;
}

static lmb_result check_def(const lmb_soft_tissue_def *def, lmb_error *error)
{
    const uint32_t regions = def->region_count;
    for (uint32_t k = 0; k < def->index_count; ++k) {
        if (def->indices[k] >= def->vertex_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "indices of vertices", "%u of %u",
                             (unsigned)def->indices[k], (unsigned)def->vertex_count);
        }
    }
    for (uint32_t v = 0; v < def->vertex_count; ++v) {
        const float soft = def->soft != NULL ? def->soft[v] : 1.0f,
                    give = def->give != NULL ? def->give[v] : 1.0f;
        if (!lmb_vec3_is_finite(def->rest[v]) || !(soft >= 0.0f && soft <= 1.0f) ||
            !(give >= 0.0f && give <= 1.0f) ||
            (def->region != NULL && regions > 0 && def->region[v] >= regions)) {
            return lmbi_fail(error, LMB_ERROR_INVALID,
                             "finite positions, soft and give from 0 to 1, regions below the count",
                             "vertex %u at %g %g %g, soft %g, give %g, region %u of %u",
                             (unsigned)v, (double)def->rest[v].x, (double)def->rest[v].y,
                             (double)def->rest[v].z, (double)soft, (double)give,
                             def->region != NULL ? (unsigned)def->region[v] : 0u,
                             (unsigned)regions);
        }
    }
    if (def->vertex_count == 0 || def->index_count % 3 != 0 || def->index_count > 1u << 29 ||
        !(def->frequency_hz >= 0.0f && def->frequency_hz <= 1e3f) ||
        !(def->damping >= 0.0f && def->damping <= 1e3f) ||
        !(def->stretch_hz >= 0.0f && def->stretch_hz <= 1e6f) ||
        (regions > 1 && def->region == NULL)) {
        return lmbi_fail(
            error, LMB_ERROR_INVALID,
            "triangles, and frequencies and damping that are not negative",
            "%u vertices, %u indices, %u regions, frequency %g, damping %g, stretch %g",
            (unsigned)def->vertex_count, (unsigned)def->index_count, (unsigned)regions,
            (double)def->frequency_hz, (double)def->damping, (double)def->stretch_hz);
    }
    return LMB_OK;
}

static void measure_rest(lmb_soft_tissue *f, const lmb_vec3 *rest)
{
    for (uint32_t p = 0; p < f->particle_count; ++p) {
        f->position[p] = rest[f->vertex_of[p]];
    }
    for (uint32_t r = 0; r < f->region_count; ++r) {
        lmbi_soft_tissue_region *region = &f->regions[r];
        lmb_box box = lmb_box_empty();
        for (uint32_t k = 0; k < region->member_count; ++k) {
            box = lmb_box_add(box, f->position[f->members[region->first_member + k]]);
        }
        region->size = 0.02f * lmb_vec3_distance(box.low, box.high);
        region->volume = lmbi_soft_tissue_volume(f, region);
    }
}

/// Removes regions without triangles.
static void drop_empty(lmb_soft_tissue *f)
{
    uint32_t used = 0;
    for (uint32_t r = 0; r < f->region_count; ++r) {
        if (f->regions[r].member_count > 0) {
            f->regions[used++] = f->regions[r];
        }
    }
    f->region_count = used;
}

lmb_result lmb_soft_tissue_create(const lmb_soft_tissue_def *def, const lmb_allocator *alloc,
                                  lmb_soft_tissue **out, lmb_error *error)
{
    const lmb_result result = check_def(def, error);
    if (result != LMB_OK) {
        return result;
    }
    maker m = {.def = def};
    lmbi_arena_init(&m.arena, alloc);
    lmb_soft_tissue *tissue = NULL;
    bool made = weld_vertices(&m) && set_parameters(&m) && list_triangles(&m) && list_sides(&m) &&
                list_edges(&m) && list_regions(&m);
    // Initial zeros of the state arrays.
    const size_t zeros = (size_t)m.tissue.particle_count + m.tissue.loop_count;
    m.zeros = made ? lmbi_arena_array(&m.arena, zeros, sizeof(lmb_vec3)) : NULL;
    made = made && m.zeros != NULL;
    if (made) {
        drop_empty(&m.tissue);
        tissue = lmbi_block_build(copy_soft_tissue, &m, alloc);
    }
    lmbi_arena_free(&m.arena);
    if (tissue == NULL) {
        return lmbi_fail_memory(error);
    }
    tissue->allocator = alloc != NULL ? *alloc : (lmb_allocator){0};
    measure_rest(tissue, def->rest);
    *out = tissue;
    return LMB_OK;
}

void lmb_soft_tissue_destroy(lmb_soft_tissue *tissue)
{
    if (tissue != NULL) {
        const lmb_allocator allocator = tissue->allocator;
        lmbi_free(&allocator, tissue);
    }
}
