/// The points of a problem: vertices joined that are at one place in all shapes, in the problem's
/// own measure.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/prepare.h"
#include "limber/geometry.h"

/// Whether two vertices with one place at rest stay together in all frames.
static bool stay_together(const lmb_learn_def *def, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < def->frame_count; ++k) {
        const lmb_vec3 p = def->frames[k][a], q = def->frames[k][b];
        if (p.x < q.x || p.x > q.x || p.y < q.y || p.y > q.y || p.z < q.z || p.z > q.z) {
            return false;
        }
    }
    return true;
}

/// Numbers the points; first_of[point] is the first of its vertices.
static lmb_result join(lmbi_learn *p, uint32_t *first_of, lmb_error *error)
{
    const lmb_learn_def *def = p->def;
    const uint32_t n = def->vertex_count;
    uint32_t *place = lmbi_arena_array(&p->arena, n, sizeof *place), places = 0;
    uint32_t *newest = lmbi_arena_array(&p->arena, n, sizeof *newest); // of a place, plus 1
    uint32_t *older = lmbi_arena_array(&p->arena, n, sizeof *older);   // of a point, plus 1
    p->point_of = lmbi_arena_array(&p->arena, n, sizeof *p->point_of);
    if (!place || !newest || !older || !p->point_of) {
        return lmbi_fail_memory(error);
    }
    const lmb_result result = lmb_weld(def->rest, n, 0, p->arena.alloc, place, &places, error);
    for (uint32_t v = 0; result == LMB_OK && v < n; ++v) {
        uint32_t point = newest[place[v]];
        while (point && !stay_together(def, first_of[point - 1], v)) {
            point = older[point - 1];
        }
        if (!point) {
            first_of[p->point_count] = v;
            older[p->point_count] = newest[place[v]];
            point = newest[place[v]] = ++p->point_count;
        }
        p->point_of[v] = point - 1;
    }
    return result;
}

static void add(double sum[3], lmb_vec3 v)
{
    sum[0] += (double)v.x;
    sum[1] += (double)v.y;
    sum[2] += (double)v.z;
}

static void measure(lmbi_learn *p, const uint32_t *first_of)
{
    const uint32_t n = p->point_count;
    double square = 0;
    for (uint32_t i = 0; i < n; ++i) {
        add(p->center, p->def->rest[first_of[i]]);
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

static void measure_frame(lmbi_learn *p, const uint32_t *first_of, uint32_t k)
{
    const lmb_vec3 *frame = p->def->frames[k];
    const size_t n = p->point_count, m = p->frame_count;
    double *middle = p->frame_centers + 3 * (size_t)k;
    for (size_t i = 0; i < n; ++i) {
        add(middle, frame[first_of[i]]);
    }
    for (int c = 0; c < 3; ++c) {
        middle[c] /= (double)n;
    }
    for (size_t i = 0; i < n; ++i) {
        const lmb_vec3 v = frame[first_of[i]];
        float *at = p->at + 3 * i * m + k;
        at[0] = (float)(((double)v.x - middle[0]) / p->size);
        at[m] = (float)(((double)v.y - middle[1]) / p->size);
        at[2 * m] = (float)(((double)v.z - middle[2]) / p->size);
    }
}

lmb_result lmbi_learn_points(lmbi_learn *p, lmb_error *error)
{
    p->frame_count = p->def->frame_count;
    uint32_t *first_of = lmbi_arena_array(&p->arena, p->def->vertex_count, sizeof *first_of);
    if (!first_of) {
        return lmbi_fail_memory(error);
    }
    const lmb_result result = join(p, first_of, error);
    if (result != LMB_OK) {
        return result;
    }
    p->rest = lmbi_arena_array(&p->arena, p->point_count, 3 * sizeof *p->rest);
    p->at = lmbi_arena_array(&p->arena, p->point_count, 3 * sizeof *p->at * p->frame_count);
    p->frame_centers = lmbi_arena_array(&p->arena, p->frame_count, 3 * sizeof *p->frame_centers);
    if (!p->rest || !p->at || !p->frame_centers) {
        return lmbi_fail_memory(error);
    }
    measure(p, first_of);
    if (!(p->size > 0)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a rest shape with an extent",
                         "%u vertices in one place", p->def->vertex_count);
    }
    for (uint32_t k = 0; k < p->frame_count; ++k) {
        measure_frame(p, first_of, k);
    }
    return LMB_OK;
}
