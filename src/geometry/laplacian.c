/// The cotangent Laplacian, kept an M-matrix on any triangles.
#include <math.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/block.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "geometry/laplacian.h"
#include "limber/geometry.h"

/// Cotangent limit, an angle of about 0.06 degrees: a sliver must not rigidly couple its two ends.
static const double COT_LIMIT = 1e3;
/// Least weight of an edge. Equilateral meshes have 0.577.
static const double WEIGHT_FLOOR = 1e-6;

typedef struct builder {
    const lmb_surface *surface;
    const lmbi_adjacency *adjacency;
    lmbi_arena arena;
    double *weights; ///< [edge_count]
    lmbi_laplacian made;
} builder;

/// Cotangent of the angle at `a` and twice the area.
static double corner_cot(lmb_vec3 a, lmb_vec3 b, lmb_vec3 c, double *double_area)
{
    double ux = (double)b.x - (double)a.x, uy = (double)b.y - (double)a.y,
           uz = (double)b.z - (double)a.z;
    double vx = (double)c.x - (double)a.x, vy = (double)c.y - (double)a.y,
           vz = (double)c.z - (double)a.z;
    double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    double dot = ux * vx + uy * vy + uz * vz;
    *double_area = sqrt(nx * nx + ny * ny + nz * nz);
    double limit = *double_area * COT_LIMIT;
    return dot >= limit    ? (dot > 0 ? COT_LIMIT : 0)
           : dot <= -limit ? -COT_LIMIT
                           : dot / *double_area;
}

static void add_triangle(builder *b, uint32_t triangle)
{
    const uint32_t *corner = b->surface->triangles + 3 * (size_t)triangle;
    const lmb_vec3 *p = b->surface->positions;
    double double_area = 0;
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        double cot = corner_cot(p[corner[k]], p[corner[next]], p[corner[last]], &double_area);
        // The edge opposite corner k runs from the next corner to the last.
        b->weights[b->adjacency->corner_edge[3 * (size_t)triangle + (size_t)next]] += 0.5 * cot;
    }
    for (int k = 0; k < 3; ++k) {
        b->made.areas[corner[k]] += double_area / 6;
    }
}

static void raise_weights(builder *b)
{
    for (uint32_t e = 0; e < b->adjacency->edge_count; ++e) {
        if (!(b->weights[e] >= WEIGHT_FLOOR)) {
            b->weights[e] = WEIGHT_FLOOR;
            ++b->made.clamped_count;
        }
    }
}

/// Edges ascend by (low, high), the order of the lower triangle by columns.
static void fill_matrix(builder *b)
{
    lmbi_sparse *m = &b->made.matrix;
    uint32_t at = 0, e = 0;
    for (uint32_t v = 0; v < m->size; ++v) {
        m->first[v] = at;
        m->rows[at++] = v;
        for (; e < b->adjacency->edge_count && b->adjacency->edges[2 * (size_t)e] == v; ++e) {
            uint32_t other = b->adjacency->edges[2 * (size_t)e + 1];
            if (other == v) {
                continue;
            }
            m->rows[at] = other;
            m->values[at++] = -b->weights[e];
            m->values[m->first[v]] += b->weights[e];
        }
    }
    m->first[m->size] = at;
    for (uint32_t v = 0; v < m->size; ++v) { // diagonal of the higher vertex
        for (uint32_t i = m->first[v] + 1; i < m->first[v + 1]; ++i) {
            m->values[m->first[m->rows[i]]] -= m->values[i];
        }
    }
}

static bool build(builder *b)
{
    uint32_t n = b->surface->vertex_count;
    size_t entries = (size_t)n + b->adjacency->edge_count;
    b->weights = lmbi_arena_array(&b->arena, b->adjacency->edge_count, sizeof *b->weights);
    b->made.areas = lmbi_arena_array(&b->arena, n, sizeof *b->made.areas);
    b->made.matrix = (lmbi_sparse){
        .size = n,
        .first = lmbi_arena_array(&b->arena, (size_t)n + 1, sizeof(uint32_t)),
        .rows = lmbi_arena_array(&b->arena, entries, sizeof(uint32_t)),
        .values = lmbi_arena_array(&b->arena, entries, sizeof(double)),
    };
    lmbi_sparse *m = &b->made.matrix;
    if (entries > UINT32_MAX || !b->weights || !b->made.areas || !m->first || !m->rows ||
        !m->values) {
        return false;
    }
    for (uint32_t t = 0; t < b->surface->triangle_count; ++t) {
        add_triangle(b, t);
    }
    raise_weights(b);
    fill_matrix(b);
    return true;
}

static void lay_out(lmbi_block *block, const builder *b, lmbi_laplacian *to)
{
    const lmbi_sparse *m = &b->made.matrix;
    size_t entries = m->first[m->size];
    to->matrix.first = lmbi_block_array(block, m->first, (size_t)m->size + 1, sizeof *m->first);
    to->matrix.rows = lmbi_block_array(block, m->rows, entries, sizeof *m->rows);
    to->matrix.values = lmbi_block_array(block, m->values, entries, sizeof *m->values);
    to->areas = lmbi_block_array(block, b->made.areas, m->size, sizeof *b->made.areas);
}

static void *copy(lmbi_block *block, const void *definition)
{
    const builder *b = definition;
    lmbi_laplacian made = b->made;
    lmbi_laplacian *to = lmbi_block_array(block, &b->made, 1, sizeof b->made);
    lay_out(block, b, &made);
    if (to) {
        *to = made;
    }
    return to;
}

lmb_result lmbi_laplacian_create(const lmb_surface *surface, const lmbi_adjacency *adjacency,
                                 const lmb_allocator *alloc, lmbi_laplacian **out, lmb_error *error)
{
    builder b = {.surface = surface, .adjacency = adjacency};
    lmbi_arena_init(&b.arena, alloc);
    lmbi_laplacian *laplacian = NULL;
    if (build(&b)) {
        if (alloc) {
            b.made.allocator = *alloc;
        }
        laplacian = lmbi_block_build(copy, &b, alloc);
    }
    lmbi_arena_free(&b.arena);
    if (!laplacian) {
        return lmbi_fail_memory(error);
    }
    *out = laplacian;
    return LMB_OK;
}

void lmbi_laplacian_destroy(lmbi_laplacian *laplacian)
{
    if (laplacian) {
        lmb_allocator alloc = laplacian->allocator;
        lmbi_free(&alloc, laplacian);
    }
}
