// Decimation by edge collapse.
#include "limber/geometry.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "geometry/geometry.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
enum { CROWD = 16 }; // most triangles per vertex after a collapse

// Error quadric: symmetric 4x4 matrix of a weighted sum of squared distances to planes, upper
// triangle by rows.
typedef struct {
    double q[10];
} quadric;

typedef struct {
    uint32_t vertex_count, triangle_count, living;
    lmb_vec3 *positions;
    uint32_t (*triangles)[3]; // [0] == NONE when collapsed away
    uint32_t *head, *next;    // corners of each vertex, corner = 3 * triangle + k
    uint32_t *marks;
    uint32_t mark;
    float *sizes;
    quadric *quadrics;
    float shape;
    const lmb_allocator *alloc;
} mesh;

static void quadric_add_plane(quadric *s, lmb_vec3 n, double d, double weight)
{
    const double p[4] = {(double)n.x, (double)n.y, (double)n.z, d};
    for (int i = 0, k = 0; i < 4; ++i) {
        for (int j = i; j < 4; ++j, ++k) {
            s->q[k] += weight * p[i] * p[j];
        }
    }
}

static double quadric_at(const quadric *s, lmb_vec3 v)
{
    const double p[4] = {(double)v.x, (double)v.y, (double)v.z, 1.0};
    double sum = 0.0;
    for (int i = 0, k = 0; i < 4; ++i) {
        for (int j = i; j < 4; ++j, ++k) {
            sum += (i == j ? 1.0 : 2.0) * s->q[k] * p[i] * p[j];
        }
    }
    return sum > 0.0 ? sum : 0.0;
}

static lmb_vec3 middle(const mesh *m, uint32_t a, uint32_t b)
{
    return lmb_vec3_lerp(m->positions[a], m->positions[b], 0.5f);
}

// The point of least error of both quadrics, regularised toward the edge's midpoint (3x3 solve by
// Cramer's rule).
static lmb_vec3 optimal_position(const mesh *m, uint32_t a, uint32_t b)
{
    double q[10];
    for (int k = 0; k < 10; ++k) {
        q[k] = m->quadrics[a].q[k] + m->quadrics[b].q[k];
    }
    const lmb_vec3 mid = middle(m, a, b);
    const double x = (double)mid.x, y = (double)mid.y, z = (double)mid.z,
                 soft = 0.003 * (q[0] + q[4] + q[7]);
    const double xx = q[0] + soft, xy = q[1], xz = q[2], yy = q[4] + soft, yz = q[5],
                 zz = q[7] + soft;
    const double r[3] = {-(q[0] * x + xy * y + xz * z + q[3]), -(xy * x + q[4] * y + yz * z + q[6]),
                         -(xz * x + yz * y + q[7] * z + q[8])};
    const double c0 = yy * zz - yz * yz, c1 = yz * xz - xy * zz, c2 = xy * yz - yy * xz,
                 det = xx * c0 + xy * c1 + xz * c2;
    if (!(det > 0.0)) {
        return mid;
    }
    const double d0 = (r[0] * c0 + r[1] * c1 + r[2] * c2) / det;
    const double d1 = (r[0] * c1 + r[1] * (xx * zz - xz * xz) + r[2] * (xy * xz - xx * yz)) / det;
    const double d2 = (r[0] * c2 + r[1] * (xy * xz - xx * yz) + r[2] * (xx * yy - xy * xy)) / det;
    const lmb_vec3 move = lmb_vec3_make((float)d0, (float)d1, (float)d2);
    const float longest = 0.5f * lmb_vec3_distance(m->positions[a], m->positions[b]);
    return lmb_vec3_dot(move, move) < longest * longest ? lmb_vec3_add(mid, move) : mid;
}

// Cost in units of the squared target length; INFINITY where its length alone reaches the limit.
static double edge_cost(const mesh *m, uint32_t a, uint32_t b, double limit)
{
    const lmb_vec3 d = lmb_vec3_sub(m->positions[b], m->positions[a]), mid = middle(m, a, b);
    const double square = (double)lmb_vec3_dot(d, d),
                 size = 0.5 * (double)(m->sizes[a] + m->sizes[b]);
    if (square / (size * size) >= limit) {
        return (double)INFINITY;
    }
    // Quadrics are weighted by area: the square root converts the error to a squared length.
    const double bend = sqrt(quadric_at(&m->quadrics[a], mid) + quadric_at(&m->quadrics[b], mid));
    return (square + (double)m->shape * bend) / (size * size);
}

static uint32_t corner_triangle(uint32_t corner)
{
    return corner / 3;
}

static lmb_vec3 face_cross(lmb_vec3 a, lmb_vec3 b, lmb_vec3 c)
{
    return lmb_vec3_cross(lmb_vec3_sub(b, a), lmb_vec3_sub(c, a));
}

// Whether moving v to `to` flips a triangle around it. Those at `other` vanish and do not count.
static bool flips_triangle(const mesh *m, uint32_t v, uint32_t other, lmb_vec3 to)
{
    for (uint32_t c = m->head[v]; c != NONE; c = m->next[c]) {
        const uint32_t *t = m->triangles[corner_triangle(c)];
        if (t[0] == other || t[1] == other || t[2] == other) {
            continue;
        }
        lmb_vec3 p[3], q[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = m->positions[t[k]];
            q[k] = t[k] == v ? to : p[k];
        }
        const lmb_vec3 was = face_cross(p[0], p[1], p[2]), now = face_cross(q[0], q[1], q[2]);
        const float dot = lmb_vec3_dot(was, now);
        if (!(dot > 0.3f * lmb_vec3_length(was) * lmb_vec3_length(now))) {
            return true;
        }
    }
    return false;
}

// Marks the neighbours of v with `mark`. Returns the number of its triangles.
static uint32_t mark_ring(mesh *m, uint32_t v, uint32_t mark)
{
    uint32_t count = 0;
    for (uint32_t c = m->head[v]; c != NONE; c = m->next[c], ++count) {
        const uint32_t *t = m->triangles[corner_triangle(c)];
        m->marks[t[0]] = m->marks[t[1]] = m->marks[t[2]] = mark;
    }
    return count;
}

static uint32_t triangles_at(const mesh *m, uint32_t v)
{
    uint32_t count = 0;
    for (uint32_t c = m->head[v]; c != NONE; c = m->next[c]) {
        ++count;
    }
    return count;
}

// Link condition: a and b share exactly the two vertices opposite their edge, and each of those
// keeps at least three triangles.
static bool keeps_topology(mesh *m, uint32_t a, uint32_t b)
{
    const uint32_t mark = ++m->mark;
    const uint32_t total = mark_ring(m, a, mark);
    uint32_t common = 0, others = 0;
    m->marks[a] = m->marks[b] = 0;
    for (uint32_t c = m->head[b]; c != NONE; c = m->next[c], ++others) {
        const uint32_t corner = corner_triangle(c) * 3, *t = m->triangles[corner_triangle(c)];
        // Around b, each neighbour follows b exactly once.
        const uint32_t v = t[(c - corner + 1) % 3];
        if (m->marks[v] == mark) {
            if (triangles_at(m, v) <= 3) {
                return false;
            }
            ++common;
        }
    }
    return common == 2 && total + others <= CROWD;
}

static void unlink_corner(mesh *m, uint32_t v, uint32_t corner)
{
    uint32_t *link = &m->head[v];
    while (*link != corner) {
        link = &m->next[*link];
    }
    *link = m->next[corner];
}

static void remove_triangle(mesh *m, uint32_t t)
{
    for (uint32_t k = 0; k < 3; ++k) {
        unlink_corner(m, m->triangles[t][k], 3 * t + k);
    }
    m->triangles[t][0] = NONE;
    --m->living;
}

static void collapse(mesh *m, uint32_t a, uint32_t b, lmb_vec3 to)
{
    m->positions[a] = to;
    m->sizes[a] = 0.5f * (m->sizes[a] + m->sizes[b]);
    for (int k = 0; k < 10; ++k) {
        m->quadrics[a].q[k] += m->quadrics[b].q[k];
    }
    for (uint32_t c = m->head[b]; c != NONE;) {
        const uint32_t next = m->next[c], *t = m->triangles[corner_triangle(c)];
        if (t[0] == a || t[1] == a || t[2] == a) {
            remove_triangle(m, corner_triangle(c));
        }
        c = next;
    }
    for (uint32_t c = m->head[b]; c != NONE;) {
        const uint32_t next = m->next[c];
        m->triangles[corner_triangle(c)][c % 3] = a;
        m->next[c] = m->head[a];
        m->head[a] = c;
        c = next;
    }
    m->head[b] = NONE;
}

static void try_edge(mesh *m, uint32_t a, uint32_t b, double limit)
{
    if (edge_cost(m, a, b, limit) >= limit || !keeps_topology(m, a, b)) {
        return;
    }
    const lmb_vec3 to = optimal_position(m, a, b);
    if (!flips_triangle(m, a, b, to) && !flips_triangle(m, b, a, to)) {
        collapse(m, a, b, to);
    }
}

static double mean_cost(const mesh *m)
{
    double sum = 0.0;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        sum += edge_cost(m, m->triangles[t][0], m->triangles[t][1], (double)INFINITY);
    }
    return m->triangle_count > 0 ? sum / (double)m->triangle_count : 0.0;
}

// Sweeps over all edges with a rising cost limit: needs no heap, and accesses memory in order. The
// limit rises slowly near the end, so that the last sweep, which stops midway, leaves no visible
// border.
static void collapse_edges(mesh *m, uint32_t target)
{
    double limit = 0.2 * mean_cost(m);
    for (int sweep = 0; sweep < 400 && m->living > target && limit < 1e30; ++sweep) {
        for (uint32_t t = 0; t < m->triangle_count && m->living > target; ++t) {
            for (uint32_t k = 0; k < 3 && m->triangles[t][0] != NONE; ++k) {
                const uint32_t a = m->triangles[t][k], b = m->triangles[t][(k + 1) % 3];
                if (a <
                    // each edge of a closed oriented surface ascends in exactly one triangle
                    b) {
                    try_edge(m, a, b, limit);
                }
            }
        }
        limit *= m->living > target + target / 2 ? 1.3 : 1.06;
    }
}

static bool make_room(mesh *m, const lmb_surface *s)
{
    const size_t corners = 3 * (size_t)s->triangle_count;
    m->positions = lmbi_alloc_array(m->alloc, s->vertex_count, sizeof *m->positions);
    m->triangles = lmbi_alloc_array(m->alloc, s->triangle_count, sizeof *m->triangles);
    m->head = lmbi_alloc_array(m->alloc, s->vertex_count, sizeof *m->head);
    m->next = lmbi_alloc_array(m->alloc, corners, sizeof *m->next);
    m->marks = lmbi_alloc_array(m->alloc, s->vertex_count, sizeof *m->marks);
    m->sizes = lmbi_alloc_array(m->alloc, s->vertex_count, sizeof *m->sizes);
    m->quadrics = lmbi_alloc_array(m->alloc, s->vertex_count, sizeof *m->quadrics);
    return m->positions && m->triangles && m->head && m->next && m->marks && m->sizes &&
           m->quadrics;
}

static void free_room(mesh *m)
{
    void *blocks[7] = {m->positions, m->triangles, m->head,    m->next,
                       m->marks,     m->sizes,     m->quadrics};
    for (int k = 0; k < 7; ++k) {
        lmbi_free(m->alloc, blocks[k]);
    }
}

static void fill(mesh *m, const lmb_surface *s, const lmbi_decimate_opts *opts)
{
    memcpy(m->positions, s->positions, s->vertex_count * sizeof *s->positions);
    memcpy(m->triangles, s->triangles, s->triangle_count * sizeof *m->triangles);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        m->head[v] = NONE;
        m->sizes[v] = opts->sizes != NULL && opts->sizes[v] > 1e-3f ? opts->sizes[v] : 1.0f;
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *i = m->triangles[t];
        const lmb_vec3 cross =
            face_cross(s->positions[i[0]], s->positions[i[1]], s->positions[i[2]]);
        const float area = 0.5f * lmb_vec3_length(cross);
        const lmb_vec3 n = lmb_vec3_normalize_or(cross, lmb_vec3_make(0, 0, 0));
        const double d = -(double)lmb_vec3_dot(n, s->positions[i[0]]);
        for (uint32_t k = 0; k < 3; ++k) {
            quadric_add_plane(&m->quadrics[i[k]], n, d, (double)area);
            m->next[3 * t + k] = m->head[i[k]];
            m->head[i[k]] = 3 * t + k;
        }
    }
}

static lmb_result pack(const mesh *m, lmb_surface **out, uint32_t *out_source, lmb_error *error)
{
    uint32_t kept = 0;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        kept += m->head[v] != NONE;
    }
    lmb_surface *s = lmbi_surface_alloc(m->alloc, kept, m->living);
    if (s == NULL) {
        return lmbi_fail_memory(error);
    }
    uint32_t *new_index = m->marks; // reused as scratch
    kept = 0;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        if (m->head[v] != NONE) {
            s->positions[kept] = m->positions[v];
            if (out_source != NULL) {
                out_source[kept] = v;
            }
            new_index[v] = kept++;
        }
    }
    uint32_t *at = s->triangles;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        for (int k = 0; k < 3 && m->triangles[t][0] != NONE; ++k) {
            *at++ = new_index[m->triangles[t][k]];
        }
    }
    *out = s;
    return LMB_OK;
}

static lmb_result check_edges(const lmb_surface *s, const lmb_allocator *alloc, lmb_error *error)
{
    lmbi_adjacency *a = NULL;
    lmb_result result = lmbi_adjacency_create(s, alloc, &a, error);
    if (result != LMB_OK) {
        return result;
    }
    if (a->crowded_count > 0 || a->border_count > 0) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "a closed manifold surface",
                           "%u open and %u crowded edges", a->border_count, a->crowded_count);
    }
    lmbi_adjacency_destroy(a);
    return result;
}

lmb_result lmbi_surface_decimate(const lmb_surface *surface, const lmbi_decimate_opts *opts,
                                 const lmb_allocator *alloc, lmb_surface **out,
                                 uint32_t *out_source, lmb_error *error)
{
    lmb_result result = check_edges(surface, alloc, error);
    if (result != LMB_OK) {
        return result;
    }
    mesh m = {.vertex_count = surface->vertex_count,
              .triangle_count = surface->triangle_count,
              .living = surface->triangle_count,
              .shape = opts->shape > 0.0f ? opts->shape : 1.0f,
              .alloc = alloc};
    result = LMB_ERROR_MEMORY;
    if (make_room(&m, surface)) {
        fill(&m, surface, opts);
        collapse_edges(&m, opts->triangle_count);
        result = pack(&m, out, out_source, error);
    }
    free_room(&m);
    return result == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : result;
}
