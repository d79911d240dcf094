/// The points of a problem: vertices that coincide in all shapes are joined, and positions are
/// normalised.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "geometry/surface_math.h"
#include "learn/learn.h"
#include "limber/geometry.h"

/// True when two vertices that coincide at rest coincide in all frames.
static bool coincide(const lmb_learn_def *def, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < def->frame_count; ++k) {
        const lmb_vec3 p = def->frames[k][a], q = def->frames[k][b];
        if (p.x < q.x || p.x > q.x || p.y < q.y || p.y > q.y || p.z < q.z || p.z > q.z) {
            return false;
        }
    }
    return true;
}

/// Numbers the points; first_of[point] is its first vertex.
static lmb_result join_vertices(lmbi_learn *p, uint32_t *first_of, lmb_error *error)
{
    const lmb_learn_def *def = p->def;
    const uint32_t n = def->vertex_count;
    uint32_t *rest_position = lmbi_arena_array(&p->arena, n, sizeof *rest_position),
             rest_position_count = 0;
    // point + 1 added last at a rest position, 0: none
    uint32_t *newest = lmbi_arena_array(&p->arena, n, sizeof *newest);
    // point + 1 before it at that rest position, 0: none
    uint32_t *older = lmbi_arena_array(&p->arena, n, sizeof *older);
    p->point_of = lmbi_arena_array(&p->arena, n, sizeof *p->point_of);
    if (!rest_position || !newest || !older || !p->point_of) {
        return lmbi_fail_memory(error);
    }
    const lmb_result result =
        lmbi_weld(def->rest, n, 0, p->arena.alloc, rest_position, &rest_position_count, error);
    for (uint32_t v = 0; result == LMB_OK && v < n; ++v) {
        uint32_t point = newest[rest_position[v]];
        while (point && !coincide(def, first_of[point - 1], v)) {
            point = older[point - 1];
        }
        if (!point) {
            first_of[p->point_count] = v;
            older[p->point_count] = newest[rest_position[v]];
            point = newest[rest_position[v]] = ++p->point_count;
        }
        p->point_of[v] = point - 1;
    }
    return result;
}

static void add_to_sum(double sum[3], lmb_vec3 v)
{
    sum[0] += (double)v.x;
    sum[1] += (double)v.y;
    sum[2] += (double)v.z;
}

static void normalise_rest(lmbi_learn *p, const uint32_t *first_of)
{
    const uint32_t n = p->point_count;
    double square = 0;
    for (uint32_t i = 0; i < n; ++i) {
        add_to_sum(p->center, p->def->rest[first_of[i]]);
    }
    for (int c = 0; c < 3; ++c) {
        p->center[c] /= n;
    }
    for (uint32_t i = 0; i < n; ++i) {
        const lmb_vec3 v = p->def->rest[first_of[i]];
        const double at[3] = {(double)v.x, (double)v.y, (double)v.z};
        for (int c = 0; c < 3; ++c) {
            const double d = at[c] - p->center[c];
            p->rest[3 * (size_t)i + (size_t)c] = d;
            square += d * d;
        }
    }
    p->size = sqrt(square / n);
    for (size_t k = 0; p->size > 0 && k < 3 * (size_t)n; ++k) {
        p->rest[k] /= p->size;
    }
}

static void normalise_frame(lmbi_learn *p, const uint32_t *first_of, uint32_t k)
{
    const lmb_vec3 *frame = p->def->frames[k];
    const size_t n = p->point_count, m = p->frame_count;
    double *centroid = p->frame_centers + 3 * (size_t)k;
    for (size_t i = 0; i < n; ++i) {
        add_to_sum(centroid, frame[first_of[i]]);
    }
    for (int c = 0; c < 3; ++c) {
        centroid[c] /= (double)n;
    }
    for (size_t i = 0; i < n; ++i) {
        const lmb_vec3 v = frame[first_of[i]];
        float *at = p->positions + 3 * i * m + k;
        at[0] = (float)(((double)v.x - centroid[0]) / p->size);
        at[m] = (float)(((double)v.y - centroid[1]) / p->size);
        at[2 * m] = (float)(((double)v.z - centroid[2]) / p->size);
    }
}

lmb_result lmbi_learn_points(lmbi_learn *p, lmb_error *error)
{
    p->frame_count = p->def->frame_count;
    uint32_t *first_of = lmbi_arena_array(&p->arena, p->def->vertex_count, sizeof *first_of);
    if (!first_of) {
        return lmbi_fail_memory(error);
    }
    const lmb_result result = join_vertices(p, first_of, error);
    if (result != LMB_OK) {
        return result;
    }
    p->rest = lmbi_arena_array(&p->arena, p->point_count, 3 * sizeof *p->rest);
    p->positions =
        lmbi_arena_array(&p->arena, p->point_count, 3 * sizeof *p->positions * p->frame_count);
    p->frame_centers = lmbi_arena_array(&p->arena, p->frame_count, 3 * sizeof *p->frame_centers);
    if (!p->rest || !p->positions || !p->frame_centers) {
        return lmbi_fail_memory(error);
    }
    normalise_rest(p, first_of);
    if (!(p->size > 0)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a rest shape with an extent",
                         "%u vertices in one place", p->def->vertex_count);
    }
    for (uint32_t k = 0; k < p->frame_count; ++k) {
        normalise_frame(p, first_of, k);
    }
    return LMB_OK;
}
