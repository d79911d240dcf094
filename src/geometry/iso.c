// Builds a closed triangle surface from the signs of a lattice.
#include "geometry/iso.h"

#include "geometry/geometry.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

// Corner k of a cell is at (k & 1, k >> 1 & 1, k >> 2). Edge 4 * axis + i runs along the axis; i
// counts the other two axes in the order x, y, z.
enum { NO_SHEET = 255 };

typedef struct {
    uint8_t sheet_count;
    uint8_t sheet[12]; // sheet of the surface that crosses the edge, NO_SHEET if none does
} cell_case;

static const uint8_t edge_corners[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                            {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const uint8_t face_edges[6][4] = {{4, 8, 6, 10},  {5, 9, 7, 11}, {0, 8, 2, 9},
                                         {1, 10, 3, 11}, {0, 4, 1, 5},  {2, 6, 3, 7}};

typedef struct {
    const lmbi_iso_lattice *lattice;
    cell_case cases[256];
    uint32_t *below, *here; // first vertex of each cell of two layers, nx * ny
    uint32_t vertex_count, quad_count;
    lmb_vec3 *positions;
    uint32_t (*quads)[4];
} net;

static bool crosses(unsigned corners, unsigned edge)
{
    return ((corners >> edge_corners[edge][0] ^ corners >> edge_corners[edge][1]) & 1u) != 0;
}

// Crossed edges of one face belong to one sheet: the lattice has no face with four crossings.
static void make_case(unsigned corners, cell_case *c)
{
    uint8_t label[12];
    for (uint8_t e = 0; e < 12; ++e) {
        label[e] = crosses(corners, e) ? e : NO_SHEET;
    }
    for (int pass = 0; pass < 6; ++pass) {
        for (int f = 0; f < 6; ++f) {
            uint8_t low = NO_SHEET;
            for (int i = 0; i < 4; ++i) {
                const uint8_t l = label[face_edges[f][i]];
                low = l < low ? l : low;
            }
            for (int i = 0; i < 4; ++i) {
                if (label[face_edges[f][i]] != NO_SHEET) {
                    label[face_edges[f][i]] = low;
                }
            }
        }
    }
    c->sheet_count = 0;
    for (uint8_t e = 0; e < 12; ++e) {
        c->sheet[e] = label[e] == NO_SHEET ? NO_SHEET
                      : label[e] == e      ? c->sheet_count++
                                           : c->sheet[label[e]];
    }
}

static unsigned cell_corners(const lmbi_iso_lattice *g, uint32_t x, uint32_t y, uint32_t z)
{
    unsigned corners = 0;
    for (unsigned k = 0; k < 8; ++k) {
        corners |= lmbi_lattice_bit(g, x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)) << k;
    }
    return corners;
}

// Mask of the cells x .. x + 63 of the row whose corners differ in sign.
static uint64_t mixed_cells(const lmbi_iso_lattice *g, uint32_t w, uint32_t y, uint32_t z)
{
    uint64_t any = 0, all = ~(uint64_t)0;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint64_t *row = lmbi_lattice_row(g, y + (k & 1), z + (k >> 1));
        const uint64_t next = row[w] >> 1 | (w + 1 < g->words ? row[w + 1] << 63 : 0);
        any |= row[w] | next;
        all &= row[w] & next;
    }
    return any & ~all;
}

static unsigned lowest_bit(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

static lmb_vec3 sheet_middle(const lmbi_iso_lattice *g, const cell_case *c, uint8_t sheet,
                             uint32_t x, uint32_t y, uint32_t z)
{
    lmb_vec3 sum = {0, 0, 0};
    float count = 0.0f;
    for (unsigned e = 0; e < 12; ++e) {
        if (c->sheet[e] != sheet) {
            continue;
        }
        const unsigned a = edge_corners[e][0], b = edge_corners[e][1];
        sum = lmb_vec3_add(sum, lmb_vec3_make(0.5f * (float)((a & 1) + (b & 1)),
                                              0.5f * (float)((a >> 1 & 1) + (b >> 1 & 1)),
                                              0.5f * (float)((a >> 2) + (b >> 2))));
        count += 1.0f;
    }
    const lmb_vec3 cell = lmb_vec3_make((float)x, (float)y, (float)z);
    return lmb_vec3_mad(g->origin, lmb_vec3_mad(cell, sum, 1.0f / count), g->step);
}

// Adds the quad across the lattice edge that leaves the cell's corner 0 along `axis`. Its other
// three cells were processed earlier.
static void add_quad(net *n, unsigned axis, unsigned corners, uint32_t x, uint32_t y, uint32_t z)
{
    static const uint8_t around[4][2] = {
        {1, 1}, {0, 1}, {0, 0}, {1, 0}}; // steps back along the two other axes
    uint32_t quad[4];
    const uint32_t at[3] = {x, y, z};
    for (unsigned k = 0; k < 4; ++k) {
        uint32_t cell[3] = {at[0], at[1], at[2]};
        const unsigned u = (axis + 1) % 3, v = (axis + 2) % 3;
        cell[u] -= around[k][0];
        cell[v] -= around[k][1];
        unsigned low = 0, shift = 0; // index of the edge in that cell
        for (unsigned other = 0; other < 3; ++other) {
            if (other != axis) {
                low |= (at[other] - cell[other]) << shift++;
            }
        }
        const uint32_t *layer = cell[2] == z ? n->here : n->below;
        const cell_case *c = &n->cases[cell_corners(n->lattice, cell[0], cell[1], cell[2])];
        quad[k] = layer[(size_t)cell[1] * n->lattice->nx + cell[0]] + c->sheet[4 * axis + low];
    }
    const bool leaves =
        (corners & 1u) != 0; // inside at corner 0: the surface faces in the direction of the axis
    for (unsigned k = 0; k < 4; ++k) {
        n->quads[n->quad_count][k] = quad[leaves ? k : 3 - k];
    }
    ++n->quad_count;
}

static void visit_cell(net *n, uint32_t x, uint32_t y, uint32_t z)
{
    const unsigned corners = cell_corners(n->lattice, x, y, z);
    const cell_case *c = &n->cases[corners];
    const bool counting = n->positions == NULL;
    if (!counting) {
        n->here[(size_t)y * n->lattice->nx + x] = n->vertex_count;
        for (uint8_t s = 0; s < c->sheet_count; ++s) {
            n->positions[n->vertex_count + s] = sheet_middle(n->lattice, c, s, x, y, z);
        }
    }
    n->vertex_count += c->sheet_count;
    for (unsigned axis = 0; axis < 3; ++axis) {
        if (!crosses(corners, 4 * axis)) {
            continue;
        }
        if (counting) {
            ++n->quad_count;
        } else {
            add_quad(n, axis, corners, x, y, z);
        }
    }
}

static void visit_cells(net *n)
{
    const lmbi_iso_lattice *g = n->lattice;
    n->vertex_count = n->quad_count = 0;
    for (uint32_t z = 0; z + 1 < g->nz; ++z) {
        for (uint32_t y = 0; y + 1 < g->ny; ++y) {
            for (uint32_t w = 0; w < g->words; ++w) {
                for (uint64_t mask = mixed_cells(g, w, y, z); mask != 0; mask &= mask - 1) {
                    visit_cell(n, w * 64 + lowest_bit(mask), y, z);
                }
            }
        }
        uint32_t *swap = n->below;
        n->below = n->here;
        n->here = swap;
    }
}

// Gradient and mean value, from a tetrahedron around the point.
static lmb_vec3 gradient(const lmbi_iso_job *job, lmb_vec3 p, float *mean)
{
    static const float corner[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    const float h = 0.05f * job->step;
    lmb_vec3 g = {0, 0, 0};
    *mean = 0.0f;
    for (int k = 0; k < 4; ++k) {
        const lmb_vec3 d = lmb_vec3_make(corner[k][0], corner[k][1], corner[k][2]);
        const float v = job->value(job->context, lmb_vec3_mad(p, d, h));
        g = lmb_vec3_mad(g, d, v);
        *mean += 0.25f * v;
    }
    return lmb_vec3_scale(g, 0.25f / h);
}

static lmb_vec3 newton_step(const lmbi_iso_job *job, lmb_vec3 p)
{
    float mean;
    const lmb_vec3 g = gradient(job, p, &mean);
    const float square = lmb_vec3_dot(g, g);
    if (!(square > 0.01f)) {
        return lmb_vec3_make(0, 0, 0);
    }
    lmb_vec3 move = lmb_vec3_scale(g, -mean / square);
    const float length = lmb_vec3_length(move);
    return length > job->step ? lmb_vec3_scale(move, job->step / length) : move;
}

typedef struct {
    const lmbi_iso_job *job;
    lmb_vec3 *points;
    int steps;
} project_context;

static void project_points(void *context, size_t begin, size_t end)
{
    const project_context *c = context;
    for (size_t i = begin; i < end; ++i) {
        for (int k = 0; k < c->steps; ++k) {
            const lmb_vec3 move = newton_step(c->job, c->points[i]);
            c->points[i] = lmb_vec3_add(c->points[i], move);
            if (lmb_vec3_dot(move, move) < 1e-6f * c->job->step * c->job->step) {
                break;
            }
        }
    }
}

void lmbi_iso_project(const lmbi_iso_job *job, lmb_vec3 *points, uint32_t count)
{
    project_context c = {job, points, 5};
    lmb_parallel_for(job->jobs, count, 1024, project_points, &c);
}

typedef struct {
    const lmbi_iso_job *job;
    const lmb_vec3 *points;
    lmb_vec3 *normals;
} normal_context;

static void normals_of(void *context, size_t begin, size_t end)
{
    const normal_context *c = context;
    for (size_t i = begin; i < end; ++i) {
        float mean;
        c->normals[i] =
            lmb_vec3_normalize_or(gradient(c->job, c->points[i], &mean), lmb_vec3_make(0, 1, 0));
    }
}

void lmbi_iso_normals(const lmbi_iso_job *job, const lmb_vec3 *points, uint32_t count,
                      lmb_vec3 *out_normals)
{
    normal_context c = {job, points, out_normals};
    lmb_parallel_for(job->jobs, count, 1024, normals_of, &c);
}

static void smooth_once(const net *n, lmb_vec3 *sum, uint32_t *degree)
{
    memset(sum, 0, n->vertex_count * sizeof *sum);
    memset(degree, 0, n->vertex_count * sizeof *degree);
    for (uint32_t q = 0; q < n->quad_count; ++q) {
        for (int k = 0; k < 4; ++k) {
            const uint32_t a = n->quads[q][k], b = n->quads[q][(k + 1) & 3];
            sum[a] = lmb_vec3_add(sum[a], n->positions[b]);
            sum[b] = lmb_vec3_add(sum[b], n->positions[a]);
            ++degree[a];
            ++degree[b];
        }
    }
    for (uint32_t v = 0; v < n->vertex_count; ++v) {
        const lmb_vec3 mean = lmb_vec3_scale(sum[v], 1.0f / (float)degree[v]);
        n->positions[v] = lmb_vec3_lerp(n->positions[v], mean, 0.6f);
    }
}

static lmb_result settle(const lmbi_iso_job *job, net *n, const lmb_allocator *alloc,
                         lmb_error *error)
{
    lmbi_iso_project(job, n->positions, n->vertex_count);
    if (job->rounds == 0) {
        return LMB_OK;
    }
    lmb_vec3 *sum = lmbi_alloc_array(alloc, n->vertex_count, sizeof *sum);
    uint32_t *degree = lmbi_alloc_array(alloc, n->vertex_count, sizeof *degree);
    if (sum != NULL && degree != NULL) {
        for (unsigned r = 0; r < job->rounds; ++r) {
            smooth_once(n, sum, degree);
            lmbi_iso_project(job, n->positions, n->vertex_count);
        }
    }
    const bool failed = sum == NULL || degree == NULL;
    lmbi_free(alloc, sum);
    lmbi_free(alloc, degree);
    return failed ? lmbi_fail_memory(error) : LMB_OK;
}

static float corner_dot(lmb_vec3 a, lmb_vec3 b, lmb_vec3 c, lmb_vec3 d)
{
    return lmb_vec3_dot(lmb_vec3_cross(lmb_vec3_sub(b, a), lmb_vec3_sub(c, a)),
                        lmb_vec3_cross(lmb_vec3_sub(c, a), lmb_vec3_sub(d, a)));
}

// Whether to split at corners 0 and 2: the shorter diagonal, unless it folds the quad and the other
// does not.
static bool cut_from_first(const net *n, const uint32_t q[4])
{
    const lmb_vec3 a = n->positions[q[0]], b = n->positions[q[1]], c = n->positions[q[2]],
                   d = n->positions[q[3]];
    const bool first_folds = corner_dot(a, b, c, d) < 0.0f,
               second_folds = corner_dot(b, c, d, a) < 0.0f;
    if (first_folds != second_folds) {
        return second_folds;
    }
    return lmb_vec3_distance(a, c) <= lmb_vec3_distance(b, d);
}

static lmb_result surface_of(const net *n, const lmb_allocator *alloc, lmb_surface **out,
                             lmb_error *error)
{
    lmb_surface *s = lmbi_surface_alloc(alloc, n->vertex_count, 2 * n->quad_count);
    if (s == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(s->positions, n->positions, n->vertex_count * sizeof *s->positions);
    for (uint32_t k = 0; k < n->quad_count; ++k) {
        const uint32_t *q = n->quads[k];
        const unsigned r = cut_from_first(n, q) ? 0 : 1;
        const uint32_t t[6] = {q[r], q[r + 1], q[r + 2], q[r], q[r + 2], q[(r + 3) & 3]};
        memcpy(s->triangles + 6 * (size_t)k, t, sizeof t);
    }
    *out = s;
    return LMB_OK;
}

static lmb_result build_net(const lmbi_iso_job *job, net *n, const lmb_allocator *alloc,
                            lmb_surface **out, lmb_error *error)
{
    const size_t layer = (size_t)n->lattice->nx * n->lattice->ny;
    visit_cells(n);
    const uint32_t vertices = n->vertex_count, quads = n->quad_count;
    n->positions = lmbi_alloc_array(alloc, vertices, sizeof *n->positions);
    n->quads = lmbi_alloc_array(alloc, quads, sizeof *n->quads);
    n->below = lmbi_alloc_array(alloc, layer, sizeof *n->below);
    n->here = lmbi_alloc_array(alloc, layer, sizeof *n->here);
    lmb_result result = LMB_ERROR_MEMORY;
    if (n->positions != NULL && n->quads != NULL && n->below != NULL && n->here != NULL) {
        visit_cells(n);
        result = settle(job, n, alloc, error);
        if (result == LMB_OK) {
            result = surface_of(n, alloc, out, error);
        }
    } else {
        result = lmbi_fail_memory(error);
    }
    lmbi_free(alloc, n->positions);
    lmbi_free(alloc, n->quads);
    lmbi_free(alloc, n->below);
    lmbi_free(alloc, n->here);
    return result;
}

lmb_result lmbi_iso_surface(const lmbi_iso_job *job, const lmb_allocator *alloc, lmb_surface **out,
                            lmb_error *error)
{
    lmbi_iso_lattice lattice = {0};
    lmb_result result = lmbi_lattice_fill(job, alloc, &lattice, error);
    if (result != LMB_OK) {
        return result;
    }
    net n = {.lattice = &lattice};
    for (unsigned corners = 0; corners < 256; ++corners) {
        make_case(corners, &n.cases[corners]);
    }
    result = build_net(job, &n, alloc, out, error);
    lmbi_free(alloc, lattice.bits);
    return result;
}
