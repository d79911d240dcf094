/// Ground for bodies to rest on: a mesh with a tree, or a height field.
#include "geometry/tree_nodes.h"
#include "physics/world.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "geometry/tree.h"
#include "limber/geometry.h"

struct lmb_ground {
    lmb_height_field *field; ///< NULL for a mesh
    lmb_surface *surface;
    lmbi_tree *tree;
    float (*bends)[3][2]; ///< [triangle_count] cosine and sine per edge, as in lmbi_facet
    lmb_box box;
    lmb_allocator allocator;
};

// -------------------------------------------------------------------------------------- triangles

static bool corners_of(const lmb_ground *g, uint32_t triangle, lmbi_v3 p[3])
{
    if (g->field == NULL) {
        for (int k = 0; k < 3; ++k) {
            p[k] = lmbi_v3_of(
                g->surface->positions[g->surface->triangles[3 * (size_t)triangle + (size_t)k]]);
        }
        return true;
    }
    const lmb_height_field *f = g->field;
    const uint32_t across = f->columns - 1, cell = triangle / 2, i = cell % across,
                   k = cell / across, second = triangle % 2;
    const uint32_t corners[2][3][2] = {{{i, k}, {i, k + 1}, {i + 1, k + 1}},
                                       {{i, k}, {i + 1, k + 1}, {i + 1, k}}};
    bool is_complete = true;
    for (int c = 0; c < 3; ++c) {
        const uint32_t *at = corners[second][c];
        const double y = (double)f->heights[(size_t)at[1] * f->columns + at[0]];
        p[c] = lmbi_v3_make(at[0] * (double)f->spacing[0], y, at[1] * (double)f->spacing[1]);
        is_complete = is_complete && !isnan(y);
    }
    return is_complete;
}

static bool normal_of(const lmbi_v3 p[3], lmbi_v3 *n)
{
    *n = lmbi_v3_cross(lmbi_v3_sub(p[1], p[0]), lmbi_v3_sub(p[2], p[0]));
    const double size = lmbi_v3_length(*n);
    *n = size > 0.0 ? lmbi_v3_scale(*n, 1.0 / size) : *n;
    return size > 1e-18;
}

/// Neighbour of a height field's triangle across an edge; UINT32_MAX at the border.
static uint32_t next_in_field(const lmb_height_field *f, uint32_t triangle, int edge)
{
    const uint32_t across = f->columns - 1, cell = triangle / 2, i = cell % across,
                   k = cell / across;
    if (triangle % 2 == 0) {
        const bool exists = edge == 0 ? i > 0 : (edge == 1 ? k + 2 < f->rows : true);
        const uint32_t next = edge == 0 ? cell - 1 : (edge == 1 ? cell + across : cell);
        return exists ? 2 * next + 1 : UINT32_MAX;
    }
    const bool exists = edge == 0 ? true : (edge == 1 ? i + 2 < f->columns : k > 0);
    const uint32_t next = edge == 0 ? cell : (edge == 1 ? cell + 1 : cell - across);
    return exists ? 2 * next : UINT32_MAX;
}

/// Sets all of a facet but its neighbours' normals.
static bool set_facet_plane(const lmb_ground *g, uint32_t triangle, lmbi_facet *out)
{
    if (!corners_of(g, triangle, out->p) || !normal_of(out->p, &out->n)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        const lmbi_v3 along = lmbi_v3_sub(out->p[(k + 1) % 3], out->p[k]),
                      over = lmbi_v3_cross(along, out->n);
        const double size = lmbi_v3_length(over);
        out->out[k] = lmbi_v3_scale(over, size > 0.0 ? 1.0 / size : 0.0);
        out->cos[k] = -1.0;
        out->sin[k] = 0.0;
    }
    return true;
}

/// Records the neighbour's normal at edge k; of several the one that allows the least lean.
static void add_neighbor_bend(lmbi_facet *f, int k, lmbi_v3 next)
{
    const double c = lmbi_v3_dot(next, f->n), s = lmbi_v3_dot(next, f->out[k]);
    const bool is_concave = s <= 1e-3;
    const double cosine = is_concave ? (c < -0.999 ? -1.0 : 1.0) : c;
    if (cosine > f->cos[k]) {
        f->cos[k] = cosine;
        f->sin[k] = is_concave ? 0.0 : s;
    }
}

bool lmbi_ground_facet(const lmb_ground *g, uint32_t triangle, lmbi_facet *out)
{
    if (!set_facet_plane(g, triangle, out)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        if (g->field == NULL) {
            out->cos[k] = (double)g->bends[triangle][k][0];
            out->sin[k] = (double)g->bends[triangle][k][1];
            continue;
        }
        const uint32_t next = next_in_field(g->field, triangle, k);
        lmbi_v3 p[3], n;
        if (next != UINT32_MAX && corners_of(g, next, p) && normal_of(p, &n)) {
            add_neighbor_bend(out, k, n);
        }
    }
    return true;
}

// ----------------------------------------------------------------------------------------- meshes

static uint32_t vertex_of(const lmb_surface *s, uint32_t triangle, int corner)
{
    return s->triangles[3 * (size_t)triangle + (size_t)corner];
}

/// Whether a triangle has the directed edge from `from` to `to`.
static bool has_directed_edge(const lmb_surface *s, uint32_t triangle, uint32_t from, uint32_t to)
{
    for (int k = 0; k < 3; ++k) {
        if (vertex_of(s, triangle, k) == from && vertex_of(s, triangle, (k + 1) % 3) == to) {
            return true;
        }
    }
    return false;
}

static void find_bends(lmb_ground *g, const lmbi_adjacency *adjacency)
{
    const lmb_surface *s = g->surface;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        lmbi_facet f;
        const bool is_degenerate = !set_facet_plane(g, t, &f);
        for (int k = 0; k < 3; ++k) {
            const uint32_t edge = adjacency->corner_edge[3 * (size_t)t + (size_t)k];
            for (uint32_t i = is_degenerate ? 0 : adjacency->edge_first[edge];
                 i < (is_degenerate ? 0 : adjacency->edge_first[edge + 1]); ++i) {
                const uint32_t other = adjacency->edge_triangles[i];
                lmbi_v3 p[3], n;
                if (other != t && corners_of(g, other, p) && normal_of(p, &n) &&
                    has_directed_edge(s, other, vertex_of(s, t, (k + 1) % 3), vertex_of(s, t, k))) {
                    add_neighbor_bend(&f, k, n);
                }
            }
            g->bends[t][k][0] = is_degenerate ? 1.0f : (float)f.cos[k];
            g->bends[t][k][1] = is_degenerate ? 0.0f : (float)f.sin[k];
        }
    }
}

static lmb_result init_mesh(lmb_ground *g, const lmb_ground_mesh *mesh, const lmb_allocator *alloc,
                            lmb_error *error)
{
    const lmb_surface_part part = {.positions = mesh->positions,
                                   .vertex_count = mesh->vertex_count,
                                   .indices = mesh->indices,
                                   .index_count = mesh->index_count};
    // Coincident opposite triangles stay, so that two-sided sheets keep both sides.
    const lmb_surface_opts opts = {.weld_fraction = 1e-6f, .keep_degenerate = true};
    lmb_result result = lmb_surface_create(&part, 1, &opts, alloc, &g->surface, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_adjacency *adjacency = NULL;
    g->bends = lmbi_alloc_array(alloc, g->surface->triangle_count, sizeof *g->bends);
    result = lmbi_tree_create(g->surface, alloc, &g->tree, error);
    if (result == LMB_OK) {
        result = g->bends ? lmbi_adjacency_create(g->surface, alloc, &adjacency, error)
                          : lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        find_bends(g, adjacency);
        lmbi_adjacency_destroy(adjacency);
        g->box = lmb_box_empty();
        for (uint32_t i = 0; i < 3 * g->surface->triangle_count; ++i) {
            g->box = lmb_box_add(g->box, g->surface->positions[g->surface->triangles[i]]);
        }
    }
    return result;
}

// --------------------------------------------------------------------------------------- creation

static lmb_result init_field(lmb_ground *g, const lmb_height_field *heights,
                             const lmb_allocator *alloc, lmb_error *error)
{
    const lmb_result result = lmb_height_field_create(heights, alloc, &g->field, error);
    if (result != LMB_OK) {
        return result;
    }
    g->box = lmb_box_empty();
    for (uint32_t i = 0; i < g->field->columns * g->field->rows; ++i) {
        const float y = g->field->heights[i];
        if (!isnan(y)) {
            g->box = lmb_box_add(
                g->box, lmb_vec3_make((float)(i % g->field->columns) * g->field->spacing[0], y,
                                      (float)(i / g->field->columns) * g->field->spacing[1]));
        }
    }
    return LMB_OK;
}

lmb_result lmb_ground_create(const lmb_ground_mesh *mesh, const lmb_height_field *heights,
                             const lmb_allocator *alloc, lmb_ground **out, lmb_error *error)
{
    assert(out && (mesh == NULL) != (heights == NULL));
    lmb_ground *g = lmbi_alloc(alloc, sizeof *g);
    if (!g) {
        return lmbi_fail_memory(error);
    }
    *g = (lmb_ground){.allocator = alloc ? *alloc : (lmb_allocator){0}};
    const lmb_result result =
        mesh ? init_mesh(g, mesh, alloc, error) : init_field(g, heights, alloc, error);
    if (result == LMB_OK) {
        *out = g;
    } else {
        lmb_ground_destroy(g);
    }
    return result;
}

void lmb_ground_destroy(lmb_ground *g)
{
    if (g) {
        const lmb_allocator alloc = g->allocator;
        lmb_height_field_destroy(g->field);
        lmb_surface_destroy(g->surface);
        lmbi_tree_destroy(g->tree);
        lmbi_free(&alloc, g->bends);
        lmbi_free(&alloc, g);
    }
}

// ---------------------------------------------------------------------------------------- queries

lmb_box lmbi_ground_box(const lmb_ground *ground)
{
    return ground->box;
}

bool lmbi_ground_is_solid(const lmb_ground *ground)
{
    return ground->field != NULL;
}

/// Index, clamped to `count` cells, of the cell that contains x.
static uint32_t cell_at(float x, float spacing, uint32_t count)
{
    const float at = x / spacing;
    return !(at > 0.0f) ? 0 : (at >= (float)(count - 1) ? count - 1 : (uint32_t)at);
}

static bool visit_field(const lmb_height_field *f, lmb_box box, bool (*visit)(void *, uint32_t),
                        void *user)
{
    const uint32_t across = f->columns - 1, along = f->rows - 1;
    const uint32_t i0 = cell_at(box.low.x, f->spacing[0], across),
                   i1 = cell_at(box.high.x, f->spacing[0], across),
                   k0 = cell_at(box.low.z, f->spacing[1], along),
                   k1 = cell_at(box.high.z, f->spacing[1], along);
    for (uint32_t k = k0; k <= k1; ++k) {
        for (uint32_t i = i0; i <= i1; ++i) {
            const float *near = f->heights + (size_t)k * f->columns + i, *far = near + f->columns;
            const float top = fmaxf(fmaxf(near[0], near[1]), fmaxf(far[0], far[1]));
            const uint32_t first = 2 * (k * across + i);
            if (top >= box.low.y && (!visit(user, first) || !visit(user, first + 1))) {
                return false;
            }
        }
    }
    return true;
}

bool lmbi_ground_visit(const lmb_ground *g, lmb_box box, bool (*visit)(void *, uint32_t),
                       void *user)
{
    if (g->field) {
        return visit_field(g->field, box, visit, user);
    }
    return lmbi_tree_visit(g->tree,
                           &(lmbi_tree_visit_job){.box = box, .visit = visit, .user = user});
}

static bool below_in_field(const lmb_ground *g, lmb_vec3 from, lmb_vec3 *at, lmb_vec3 *normal)
{
    const lmb_height_field *f = g->field;
    const float u = from.x / f->spacing[0], v = from.z / f->spacing[1];
    if (!(u >= 0 && v >= 0 && u <= (float)(f->columns - 1) && v <= (float)(f->rows - 1))) {
        return false;
    }
    const uint32_t i = cell_at(from.x, f->spacing[0], f->columns - 1),
                   k = cell_at(from.z, f->spacing[1], f->rows - 1);
    const uint32_t second = u - (float)i > v - (float)k;
    lmbi_v3 p[3], n;
    if (!corners_of(g, 2 * (k * (f->columns - 1) + i) + second, p) || !normal_of(p, &n)) {
        return false;
    }
    const double over = (n.x * ((double)from.x - p[0].x) + n.z * ((double)from.z - p[0].z)) / n.y;
    *at = lmb_vec3_make(from.x, (float)(p[0].y - over), from.z);
    *normal = lmbi_v3_single(n);
    return at->y <= from.y;
}

bool lmb_ground_below(const lmb_ground *g, lmb_vec3 from, lmb_vec3 *at, lmb_vec3 *normal)
{
    if (g->field) {
        return below_in_field(g, from, at, normal);
    }
    const lmbi_hit hit = lmbi_tree_hit_first(
        g->tree, &(lmbi_ray){.origin = from,
                             .direction = {0, -1, 0},
                             .t_max = fmaxf(0.0f, from.y - g->box.low.y) + 1.0f});
    lmbi_v3 p[3], n;
    if (hit.triangle == UINT32_MAX || !corners_of(g, hit.triangle, p) || !normal_of(p, &n)) {
        return false;
    }
    *at = lmb_vec3_make(from.x, from.y - hit.t, from.z);
    *normal = lmbi_v3_single(n.y < 0 ? lmbi_v3_neg(n) : n);
    return true;
}
