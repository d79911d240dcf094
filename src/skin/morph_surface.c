#include "geometry/surface_math.h"
#include "skin/morph_set.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/geometry.h"
#include "skin/binding.h"

typedef struct sorted_vertex {
    uint32_t point, normal, vertex;
} sorted_vertex;

/// A total order: vertices are unique.
static int compare_vertices(const void *left, const void *right)
{
    const sorted_vertex *a = left, *b = right;
    if (a->point != b->point) {
        return a->point < b->point ? -1 : 1;
    }
    if (a->normal != b->normal) {
        return a->normal < b->normal ? -1 : 1;
    }
    return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

/// Numbers the fans. Returns their number, or UINT32_MAX if out of memory.
static uint32_t number_fans(const lmb_mesh *mesh, uint32_t *fan_of, const lmb_allocator *alloc)
{
    const uint32_t n = mesh->vertex_count;
    sorted_vertex *sorted = lmbi_alloc_array(alloc, n, sizeof *sorted);
    uint32_t *points = lmbi_alloc_array(alloc, n, sizeof *points);
    uint32_t *normals = lmbi_alloc_array(alloc, n, sizeof *normals);
    uint32_t count = 0, fans = UINT32_MAX;
    if (sorted != NULL && points != NULL && normals != NULL &&
        lmbi_weld(mesh->positions, n, 0, alloc, points, &count, NULL) == LMB_OK &&
        (mesh->normals == NULL ||
         lmbi_weld(mesh->normals, n, 0, alloc, normals, &count, NULL) == LMB_OK)) {
        for (uint32_t v = 0; v < n; ++v) {
            sorted[v] = (sorted_vertex){points[v], normals[v], v};
        }
        qsort(sorted, n, sizeof *sorted, compare_vertices);
        fans = 0;
        for (uint32_t k = 0; k < n; ++k) {
            fans += k > 0 && (sorted[k].point != sorted[k - 1].point ||
                              sorted[k].normal != sorted[k - 1].normal);
            fan_of[sorted[k].vertex] = fans;
        }
        fans += n > 0;
    }
    lmbi_free(alloc, sorted);
    lmbi_free(alloc, points);
    lmbi_free(alloc, normals);
    return fans;
}

/// Counts the corners of each fan; also stores them if the array is allocated.
static void list_corners(const lmbi_morph_surface *s, const lmb_mesh *mesh, uint32_t *at)
{
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        const uint32_t *triangle = mesh->indices + primitive->first_index;
        for (uint32_t i = 0; primitive->topology == LMB_TRIANGLES && i + 2 < primitive->index_count;
             i += 3, triangle += 3) {
            for (int k = 0; k < 3; ++k) {
                const uint32_t fan = s->fan_of[triangle[k]];
                if (s->corners != NULL) {
                    s->corners[at[fan]] =
                        (lmbi_fan_corner){triangle[(k + 1) % 3], triangle[(k + 2) % 3]};
                }
                ++at[fan];
            }
        }
    }
}

static bool build_fans(lmbi_morph_surface *s, const lmb_mesh *mesh, uint32_t fans,
                       const lmb_allocator *alloc)
{
    uint32_t *at = lmbi_alloc_array(alloc, fans, sizeof *at);
    s->first = lmbi_alloc_array(alloc, (size_t)fans + 1, sizeof *s->first);
    bool ok = at != NULL && s->first != NULL;
    if (ok) {
        list_corners(s, mesh, at);
        for (uint32_t f = 0; f < fans; ++f) {
            s->first[f + 1] = s->first[f] + at[f];
            at[f] = s->first[f];
        }
        s->corners = lmbi_alloc_array(alloc, s->first[fans], sizeof *s->corners);
        ok = s->corners != NULL;
    }
    if (ok) {
        list_corners(s, mesh, at);
    }
    lmbi_free(alloc, at);
    return ok;
}

lmb_result lmbi_morph_surface_build(lmbi_morph_surface *s, const lmb_mesh *mesh,
                                    const lmb_allocator *alloc, lmb_error *error)
{
    *s = (lmbi_morph_surface){0};
    s->fan_of = lmbi_alloc_array(alloc, mesh->vertex_count, sizeof *s->fan_of);
    s->normals = lmbi_alloc_array(alloc, mesh->vertex_count, sizeof *s->normals);
    const uint32_t fans =
        s->fan_of && s->normals ? number_fans(mesh, s->fan_of, alloc) : UINT32_MAX;
    if (fans == UINT32_MAX || !build_fans(s, mesh, fans, alloc)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        s->normals[v] = lmbi_morph_surface_normal(s, mesh->positions, v);
    }
    return LMB_OK;
}

void lmbi_morph_surface_free(lmbi_morph_surface *s, const lmb_allocator *alloc)
{
    lmbi_free(alloc, s->fan_of);
    lmbi_free(alloc, s->first);
    lmbi_free(alloc, s->corners);
    lmbi_free(alloc, s->normals);
    *s = (lmbi_morph_surface){0};
}

lmb_vec3 lmbi_morph_surface_normal(const lmbi_morph_surface *s, const lmb_vec3 *positions,
                                   uint32_t v)
{
    const uint32_t fan = s->fan_of[v];
    const lmb_vec3 p = positions[v];
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t c = s->first[fan]; c < s->first[fan + 1]; ++c) {
        const lmb_vec3 a = lmb_vec3_sub(positions[s->corners[c].next], p);
        const lmb_vec3 b = lmb_vec3_sub(positions[s->corners[c].last], p);
        sum = lmb_vec3_add(sum, lmb_vec3_cross(a, b));
    }
    return lmbi_unit(sum);
}
