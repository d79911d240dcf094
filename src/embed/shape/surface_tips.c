/// Limb tips are local maxima of the distance from the middle along the surface, ranked by the
/// persistence of their branches, as limb_tips.c has it for the solid. The line of a limb runs
/// through the centroids of its rings: the level sets of the distance from its tip (Verroust,
/// Lazarus 2000). Distances along the surface are the same in every pose, whatever touches.
#include "embed/shape/shape.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "geometry/union_find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NONE = UINT32_MAX;
/// Branches longer than this, in units, are limbs and no fingers: where two of them meet they leave
/// the trunk.
static const float LIMB = 0.12f;
/// Rings are level sets of the distance from the middle on this share of a limb, which has none of
/// its fingers at the distance of its wrist; from there on, of the distance along the limb.
static const float OUTER = 0.5f;

typedef struct branch {
    float length;
    uint32_t tip, base;
} branch;

typedef struct sweep {
    const lmbi_surface_graph *graph;
    uint32_t *order, *up; ///< [vertex_count]; up is NONE before the sweep reaches a vertex
    float *fork;          ///< [vertex_count] of a tip: where its branch meets the first other limb
    branch list[LMBI_TIP_LINES];
    uint32_t count;
    float shortest;
} sweep;

typedef struct far_vertex {
    float distance;
    uint32_t vertex;
} far_vertex;

static int farther_first(const void *left, const void *right)
{
    const far_vertex *a = left, *b = right;
    if (a->distance > b->distance || b->distance > a->distance) {
        return a->distance > b->distance ? -1 : 1;
    }
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/// Inserts by descending length and drops the shortest if the list is full.
static void keep_branch(sweep *s, uint32_t tip, uint32_t base)
{
    const float *field = s->graph->middle;
    const branch made = {field[tip] - field[base], tip, base};
    if (made.length < s->shortest) {
        return;
    }
    uint32_t at = s->count < LMBI_TIP_LINES ? s->count++ : LMBI_TIP_LINES;
    for (; at > 0 && s->list[at - 1].length < made.length; --at) {
        if (at < LMBI_TIP_LINES) {
            s->list[at] = s->list[at - 1];
        }
    }
    if (at < LMBI_TIP_LINES) {
        s->list[at] = made;
    }
}

/// Joins two branches at a vertex; returns the tip that survives, the farther one.
static uint32_t join(sweep *s, uint32_t a, uint32_t b, uint32_t vertex)
{
    const float *field = s->graph->middle, level = field[vertex];
    const bool a_farther = field[a] > field[b] || (!(field[a] < field[b]) && a < b);
    const uint32_t lives = a_farther ? a : b, ends = a_farther ? b : a;
    if (field[ends] - level > LIMB) {
        s->fork[lives] = fmaxf(s->fork[lives], level);
    }
    s->fork[ends] = fmaxf(s->fork[ends], level);
    s->up[ends] = lives;
    if (ends != vertex) {
        keep_branch(s, ends, vertex);
    }
    return lives;
}

/// Visits all vertices, the farthest first: `order` holds them, `count` are reached.
static void sweep_surface(sweep *s, uint32_t count)
{
    const lmbi_surface_graph *g = s->graph;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t v = s->order[k];
        uint32_t own = v;
        s->up[v] = v;
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; ++e) {
            if (s->up[g->to[e]] != NONE) {
                const uint32_t root = lmbi_union_root(s->up, g->to[e]);
                own = root != own ? join(s, own, root, v) : own;
            }
        }
    }
    if (count > 0) {
        keep_branch(s, s->order[0], s->order[count - 1]);
    }
}

// ---- lines

/// Sums over the surface between two levels.
typedef struct ring {
    double weight, square;
    double at[3];
} ring;

typedef struct line_work {
    const lmbi_surface_graph *graph;
    float *distance; ///< [vertex_count] from the tip
    uint32_t *seeds; ///< [vertex_count]
    ring rings[LMBI_TIP_LINE];
} line_work;

/// The outer part of a limb: the vertices beyond `level` that are connected with its tip. Returns
/// their number.
static uint32_t flood_outer(line_work *w, uint32_t tip, float level)
{
    const lmbi_surface_graph *g = w->graph;
    const float *field = g->middle;
    uint32_t count = 0;
    for (uint32_t v = 0; v < g->surface->vertex_count; ++v) {
        w->distance[v] = INFINITY;
    }
    w->distance[tip] = 0;
    w->seeds[count++] = tip;
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t e = g->first[w->seeds[k]]; e < g->first[w->seeds[k] + 1]; ++e) {
            const uint32_t to = g->to[e];
            if (field[to] >= level && isfinite(field[to]) && !isfinite(w->distance[to])) {
                w->distance[to] = fmaxf(field[tip] - field[to], 0);
                w->seeds[count++] = to;
            }
        }
    }
    return count;
}

static void add_to_ring(ring *r, double weight, lmb_vec3 p)
{
    r->weight += weight;
    r->at[0] += weight * (double)p.x;
    r->at[1] += weight * (double)p.y;
    r->at[2] += weight * (double)p.z;
    r->square += weight * (double)lmb_vec3_dot(p, p);
}

/// Shares the area of a triangle out to the rings that it crosses.
static void add_triangle(line_work *w, const uint32_t corner[3], float step)
{
    enum { PARTS = 5 }; // edges are at most a few steps long
    const lmb_vec3 *position = w->graph->surface->positions;
    const lmb_vec3 a = position[corner[0]], ab = lmb_vec3_sub(position[corner[1]], a),
                   ac = lmb_vec3_sub(position[corner[2]], a);
    const float da = w->distance[corner[0]], db = w->distance[corner[1]] - da,
                dc = w->distance[corner[2]] - da;
    const double area = (double)lmb_vec3_length(lmb_vec3_cross(ab, ac)) / (PARTS * PARTS);
    for (int i = 0; i < PARTS; ++i) {
        for (int j = 0; j < 2 * (PARTS - i) - 1; ++j) {
            // The centroids of the small triangles, those that point up and down in turn.
            const float s = ((float)i + (j % 2 ? 2.0f : 1.0f) / 3) / PARTS,
                        t = ((float)(j / 2) + (j % 2 ? 2.0f : 1.0f) / 3) / PARTS;
            const lmb_vec3 p = lmb_vec3_mad(lmb_vec3_mad(a, ab, s), ac, t);
            const float at = (da + s * db + t * dc) / step;
            const uint32_t n = (uint32_t)fmaxf(at, 0);
            if (n + 1 < LMBI_TIP_LINE) {
                const double above = (double)(at - (float)n);
                add_to_ring(&w->rings[n], area * (1 - above), p);
                add_to_ring(&w->rings[n + 1], area * above, p);
            }
        }
    }
}

/// Centroids and mean radii of the rings. Where there is no surface the line goes on as it is.
static void write_line(const line_work *w, lmb_vec3 tip, lmbi_tip_line *out)
{
    for (uint32_t n = 0; n < LMBI_TIP_LINE; ++n) {
        const ring *r = &w->rings[n];
        if (n == 0 || !(r->weight > 0)) {
            out->at[n] = n > 0 ? out->at[n - 1] : tip;
            out->radius[n] = n > 0 ? out->radius[n - 1] : 0;
            continue;
        }
        const double per = 1 / r->weight, x = per * r->at[0], y = per * r->at[1],
                     z = per * r->at[2];
        out->at[n] = lmb_vec3_make((float)x, (float)y, (float)z);
        out->radius[n] = lmb_sqrt((float)fmax(per * r->square - x * x - y * y - z * z, 0));
    }
}

static bool measure_line(line_work *w, uint32_t tip, float fork, lmbi_tip_line *out)
{
    const lmb_surface *surface = w->graph->surface;
    const float total = w->graph->middle[tip];
    const uint32_t seeds = flood_outer(w, tip, fork + (1 - OUTER) * (total - fork));
    if (!lmbi_surface_distances(w->graph, w->seeds, seeds, total, w->distance)) {
        return false;
    }
    memset(w->rings, 0, sizeof w->rings);
    out->step = fmaxf(total / (LMBI_TIP_LINE - 1), 1e-6f);
    out->fork = total - fork;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t *c = &surface->triangles[3 * (size_t)t];
        if (isfinite(w->distance[c[0]]) && isfinite(w->distance[c[1]]) &&
            isfinite(w->distance[c[2]])) {
            add_triangle(w, c, out->step);
        }
    }
    write_line(w, surface->positions[tip], out);
    return true;
}

lmb_vec3 lmbi_tip_line_point(const lmbi_tip_line *line, float arc)
{
    const float x = fminf(fmaxf(arc / line->step, 0), (float)(LMBI_TIP_LINE - 1));
    const uint32_t k = (uint32_t)x < LMBI_TIP_LINE - 1 ? (uint32_t)x : LMBI_TIP_LINE - 2;
    return lmb_vec3_lerp(line->at[k], line->at[k + 1], x - (float)k);
}

static float mean_radius(const lmbi_tip_line *line, float length)
{
    const float outer = 0.6f;
    float sum = 0, count = 0;
    for (uint32_t n = 1; n < LMBI_TIP_LINE && (float)n * line->step < outer * length; ++n) {
        sum += line->radius[n];
        count += 1;
    }
    return sum / fmaxf(count, 1);
}

static lmbi_tip tip_of(const sweep *s, const lmbi_voxel_body *body, const branch *b,
                       const lmbi_tip_line *line)
{
    const lmb_surface *surface = s->graph->surface;
    const lmb_vec3 at = surface->positions[b->tip];
    return (lmbi_tip){.voxel = lmbi_body_nearest_voxel(body, at),
                      .position = at,
                      .geodesic = s->graph->middle[b->tip],
                      .base = lmbi_tip_line_point(line, b->length),
                      .length = b->length,
                      .radius = mean_radius(line, b->length),
                      .line = line};
}

static bool order_vertices(sweep *s, lmbi_arena *arena, uint32_t *out_count)
{
    const uint32_t vertices = s->graph->surface->vertex_count;
    far_vertex *list = lmbi_arena_array(arena, (size_t)vertices + 1, sizeof *list);
    s->order = lmbi_arena_array(arena, (size_t)vertices + 1, sizeof *s->order);
    s->up = lmbi_arena_array(arena, (size_t)vertices + 1, sizeof *s->up);
    s->fork = lmbi_arena_array(arena, (size_t)vertices + 1, sizeof *s->fork);
    if (!list || !s->order || !s->up || !s->fork) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t v = 0; v < vertices; ++v) {
        s->up[v] = NONE;
        s->fork[v] = 0;
        if (isfinite(s->graph->middle[v])) {
            list[count++] = (far_vertex){s->graph->middle[v], v};
        }
    }
    if (count > 0) {
        qsort(list, count, sizeof *list, farther_first);
    }
    for (uint32_t k = 0; k < count; ++k) {
        s->order[k] = list[k].vertex;
    }
    *out_count = count;
    return true;
}

lmb_result lmbi_surface_find_tips(const lmbi_surface_graph *graph, const lmbi_voxel_body *body,
                                  float shortest, lmbi_tip *out, uint32_t *out_count,
                                  lmbi_tip_line *lines, lmb_error *error)
{
    const uint32_t vertices = graph->surface->vertex_count;
    sweep s = {.graph = graph, .shortest = shortest};
    line_work w = {.graph = graph};
    lmbi_arena arena;
    uint32_t reached = 0;
    lmbi_arena_init(&arena, body->alloc);
    w.distance = lmbi_arena_array(&arena, (size_t)vertices + 1, sizeof *w.distance);
    w.seeds = lmbi_arena_array(&arena, (size_t)vertices + 1, sizeof *w.seeds);
    bool done = w.distance && w.seeds && order_vertices(&s, &arena, &reached);
    if (done) {
        sweep_surface(&s, reached);
    }
    for (uint32_t k = 0; k < s.count && done; ++k) {
        const branch *b = &s.list[k];
        done = measure_line(&w, b->tip, s.fork[b->tip], &lines[k]);
        out[k] = tip_of(&s, body, b, &lines[k]);
    }
    *out_count = done ? s.count : 0;
    lmbi_arena_free(&arena);
    return done ? LMB_OK : lmbi_fail_memory(error);
}
