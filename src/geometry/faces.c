#include "geometry/faces.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>

/// Cosine of the largest angle between the halves of a quad: 30 degrees.
static const float FLAT = 0.866f;

static lmb_vec3 corner(const lmb_surface *s, uint32_t triangle, uint32_t k)
{
    return s->positions[s->triangles[3 * (size_t)triangle + k]];
}

static float edge_length(const lmbi_faces *f, uint32_t edge)
{
    const uint32_t *ends = f->adjacency->edges + 2 * (size_t)edge;
    return lmb_vec3_distance(f->surface->positions[ends[0]], f->surface->positions[ends[1]]);
}

/// The first of the longest edges of a triangle.
static uint32_t longest_edge(const lmbi_faces *f, uint32_t triangle)
{
    const uint32_t *edges = f->adjacency->corner_edge + 3 * (size_t)triangle;
    uint32_t best = edges[0];
    for (int k = 1; k < 3; ++k) {
        const float d = edge_length(f, edges[k]) - edge_length(f, best);
        best = d > 0 || (!(d < 0) && edges[k] < best) ? edges[k] : best;
    }
    return best;
}

static lmb_vec3 normal_of(const lmb_surface *s, uint32_t triangle)
{
    const lmb_vec3 a = corner(s, triangle, 0);
    return lmb_vec3_normalize_or(lmb_vec3_cross(lmb_vec3_sub(corner(s, triangle, 1), a),
                                                lmb_vec3_sub(corner(s, triangle, 2), a)),
                                 (lmb_vec3){0, 0, 0});
}

static void find_quads(lmbi_faces *f)
{
    const lmbi_adjacency *a = f->adjacency;
    for (uint32_t t = 0; t < f->surface->triangle_count; ++t) {
        f->face_of[t] = t;
    }
    for (uint32_t e = 0; e < a->edge_count; ++e) {
        const uint32_t *sides = a->edge_triangles + a->edge_first[e];
        f->inner[e] =
            a->edge_first[e + 1] - a->edge_first[e] == 2 && longest_edge(f, sides[0]) == e &&
            longest_edge(f, sides[1]) == e &&
            lmb_vec3_dot(normal_of(f->surface, sides[0]), normal_of(f->surface, sides[1])) > FLAT;
        if (f->inner[e]) {
            const uint32_t first = sides[0] < sides[1] ? sides[0] : sides[1];
            f->face_of[sides[0]] = f->face_of[sides[1]] = first;
        }
    }
}

lmb_result lmbi_faces_create(const lmb_surface *surface, const lmb_allocator *alloc,
                             lmbi_faces **out, lmb_error *error)
{
    lmbi_faces *f = lmbi_alloc(alloc, sizeof *f);
    if (!f) {
        return lmbi_fail_memory(error);
    }
    *f = (lmbi_faces){.surface = surface};
    if (alloc) {
        f->allocator = *alloc;
    }
    lmb_result result = lmbi_adjacency_create(surface, alloc, &f->adjacency, error);
    if (result == LMB_OK) {
        f->face_of = lmbi_alloc(alloc, (surface->triangle_count + 1) * sizeof *f->face_of);
        f->inner = lmbi_alloc(alloc, (size_t)f->adjacency->edge_count + 1);
        result = f->face_of && f->inner ? LMB_OK : lmbi_fail_memory(error);
    }
    if (result != LMB_OK) {
        lmbi_faces_destroy(f);
        return result;
    }
    find_quads(f);
    *out = f;
    return LMB_OK;
}

void lmbi_faces_destroy(lmbi_faces *faces)
{
    if (faces) {
        const lmb_allocator alloc = faces->allocator;
        lmbi_adjacency_destroy(faces->adjacency);
        lmbi_free(&alloc, faces->face_of);
        lmbi_free(&alloc, faces->inner);
        lmbi_free(&alloc, faces);
    }
}

// ---- edges

static float distance_to_edge(const lmbi_faces *f, uint32_t edge, lmb_vec3 p)
{
    const uint32_t *ends = f->adjacency->edges + 2 * (size_t)edge;
    const lmb_vec3 a = f->surface->positions[ends[0]];
    const lmb_vec3 along = lmb_vec3_sub(f->surface->positions[ends[1]], a);
    const float square = lmb_vec3_dot(along, along);
    float t = square > 0 ? lmb_vec3_dot(lmb_vec3_sub(p, a), along) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return lmb_vec3_distance(lmb_vec3_mad(a, along, t), p);
}

uint32_t lmbi_faces_edge_at(const lmbi_faces *f, uint32_t triangle, lmb_vec3 point)
{
    const lmbi_adjacency *a = f->adjacency;
    uint32_t halves[2] = {triangle, triangle}, best = a->corner_edge[3 * (size_t)triangle];
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t e = a->corner_edge[3 * (size_t)triangle + k];
        const uint32_t *sides = a->edge_triangles + a->edge_first[e];
        halves[1] = f->inner[e] ? (sides[0] == triangle ? sides[1] : sides[0]) : halves[1];
    }
    float least = INFINITY;
    for (uint32_t k = 0; k < 6; ++k) {
        const uint32_t e = a->corner_edge[3 * (size_t)halves[k / 3] + k % 3];
        const float d = f->inner[e] ? INFINITY : distance_to_edge(f, e, point);
        if (d < least || (!(d > least) && d < INFINITY && e < best)) {
            least = d;
            best = e;
        }
    }
    return best;
}

static bool share_a_face(const lmbi_faces *f, uint32_t a, uint32_t b)
{
    const uint32_t *first = f->adjacency->edge_first, *sides = f->adjacency->edge_triangles;
    for (uint32_t i = first[a]; i < first[a + 1]; ++i) {
        for (uint32_t k = first[b]; k < first[b + 1]; ++k) {
            if (f->face_of[sides[i]] == f->face_of[sides[k]]) {
                return true;
            }
        }
    }
    return false;
}

static bool is_border(const lmbi_faces *f, uint32_t edge)
{
    return f->adjacency->edge_first[edge + 1] - f->adjacency->edge_first[edge] == 1;
}

enum { MOST_EDGES = 64 };

/// Edges of faces at a vertex, each once; how many, MOST_EDGES where that is not all.
static uint32_t edges_at(const lmbi_faces *f, uint32_t vertex, uint32_t *out)
{
    const lmbi_adjacency *a = f->adjacency;
    uint32_t count = 0;
    for (uint32_t i = a->vertex_first[vertex]; i < a->vertex_first[vertex + 1]; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t e = a->corner_edge[3 * (size_t)a->vertex_triangles[i] + k];
            const uint32_t *ends = a->edges + 2 * (size_t)e;
            uint32_t at = 0;
            while (at < count && out[at] != e) {
                ++at;
            }
            if (at == count && count < MOST_EDGES && !f->inner[e] &&
                (ends[0] == vertex || ends[1] == vertex)) {
                out[count++] = e;
            }
        }
    }
    return count;
}

/// The edge on which a loop goes on beyond a vertex; UINT32_MAX: it ends.
static uint32_t next_edge(const lmbi_faces *f, uint32_t edge, uint32_t vertex)
{
    uint32_t around[MOST_EDGES], next = UINT32_MAX;
    const uint32_t count = edges_at(f, vertex, around);
    const bool border = is_border(f, edge);
    if (!border && count != 4) {
        return UINT32_MAX;
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (around[k] != edge &&
            (border ? is_border(f, around[k]) : !share_a_face(f, edge, around[k]))) {
            if (next != UINT32_MAX) {
                return UINT32_MAX;
            }
            next = around[k];
        }
    }
    return next;
}

void lmbi_faces_mark_loop(const lmbi_faces *f, uint32_t edge, uint8_t *marks)
{
    const uint32_t *edges = f->adjacency->edges;
    for (int way = 0; way < 2; ++way) {
        uint32_t at = edge, vertex = edges[2 * (size_t)edge + (uint32_t)way];
        marks[vertex] = 1;
        // a loop that crosses itself comes by no edge twice in one direction
        for (uint32_t left = f->adjacency->edge_count; left > 0; --left) {
            at = next_edge(f, at, vertex);
            if (at == UINT32_MAX || at == edge) {
                break;
            }
            vertex =
                edges[2 * (size_t)at] == vertex ? edges[2 * (size_t)at + 1] : edges[2 * (size_t)at];
            marks[vertex] = 1;
        }
    }
}
