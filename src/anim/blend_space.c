#include <math.h>
#include <string.h>

#include "anim/delaunay.h"
#include "base/alloc.h"
#include "base/error.h"
#include "limber/anim.h"

#define MAX_POINTS 256

// ----------------------------------------------------------------------------------------- making

static bool comes_before(lmb_vec2 a, lmb_vec2 b)
{
    return a.x < b.x || (a.x <= b.x && a.y < b.y);
}

static void sort_points(const lmb_vec2 *points, uint32_t count, uint32_t *order)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = i;
        for (; at > 0 && comes_before(points[i], points[order[at - 1]]); --at) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

static lmb_result check_points(const lmb_vec2 *points, uint32_t count, lmb_error *error)
{
    if (count == 0 || count > MAX_POINTS) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "1 to 256 points of a blend space", "%u", count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!isfinite(points[i].x) || !isfinite(points[i].y)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "points of finite numbers",
                             "point %u at %g, %g", i, (double)points[i].x, (double)points[i].y);
        }
        for (uint32_t k = 0; k < i; ++k) {
            if (points[k].x == points[i].x && points[k].y == points[i].y) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "points of a blend space all apart",
                                 "points %u and %u at %g, %g", k, i, (double)points[i].x,
                                 (double)points[i].y);
            }
        }
    }
    return LMB_OK;
}

static bool are_collinear(const lmb_blend_space *s)
{
    for (uint32_t i = 2; i < s->point_count; ++i) {
        if (lmbi_orient(s->points[s->order[0]], s->points[s->order[1]], s->points[s->order[i]]) !=
            0) {
            return false;
        }
    }
    return true;
}

static lmb_blend_space *alloc_space(uint32_t count, const lmb_allocator *alloc)
{
    const size_t size =
        sizeof(lmb_blend_space) + count * (sizeof(lmb_vec2) + sizeof(uint32_t) +
                                           2 * 3 * sizeof(uint32_t) + 2 * sizeof(uint32_t));
    lmb_blend_space *s = lmbi_alloc(alloc, size);
    if (s != NULL) {
        s->points = (lmb_vec2 *)(void *)(s + 1);
        s->order = (uint32_t *)(void *)(s->points + count);
        s->triangles = (uint32_t(*)[3])(void *)(s->order + count);
        s->edges = (uint32_t(*)[2])(void *)(s->triangles + 2 * count);
        s->point_count = count;
        if (alloc != NULL) {
            s->allocator = *alloc;
        }
    }
    return s;
}

lmb_result lmb_blend_space_create(const lmb_vec2 *points, uint32_t count,
                                  const lmb_allocator *alloc, lmb_blend_space **out,
                                  lmb_error *error)
{
    const lmb_result checked = check_points(points, count, error);
    if (checked != LMB_OK) {
        return checked;
    }
    lmb_blend_space *s = alloc_space(count, alloc);
    if (s == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(s->points, points, count * sizeof(*points));
    sort_points(s->points, count, s->order);
    s->is_line = are_collinear(s);
    if (!s->is_line) {
        uint32_t hull[MAX_POINTS];
        lmbi_delaunay_triangulate(s->points, s->order, count, s->triangles, &s->triangle_count,
                                  hull, &s->edge_count);
        for (uint32_t e = 0; e < s->edge_count; ++e) {
            s->edges[e][0] = hull[e];
            s->edges[e][1] = hull[(e + 1) % s->edge_count];
        }
    }
    *out = s;
    return LMB_OK;
}

void lmb_blend_space_destroy(lmb_blend_space *space)
{
    if (space != NULL) {
        const lmb_allocator alloc = space->allocator;
        lmbi_free(&alloc, space);
    }
}

// ---------------------------------------------------------------------------------------- weights

/// Projects p onto the segment a b: the fraction in [0, 1] and the squared distance.
static double project_on_edge(lmb_vec2 a, lmb_vec2 b, lmb_vec2 p, double *distance2)
{
    const double ex = (double)b.x - (double)a.x, ey = (double)b.y - (double)a.y;
    const double px = (double)p.x - (double)a.x, py = (double)p.y - (double)a.y;
    const double fraction = fmax(0, fmin((px * ex + py * ey) / (ex * ex + ey * ey), 1));
    const double dx = px - fraction * ex, dy = py - fraction * ey;
    *distance2 = dx * dx + dy * dy;
    return fraction;
}

static void set_edge_weights(uint32_t a, uint32_t b, double fraction, float *weights)
{
    weights[a] = (float)(1 - fraction);
    weights[b] = (float)fraction;
}

static void set_line_weights(const lmb_blend_space *s, lmb_vec2 at, float *weights)
{
    if (s->point_count == 1) {
        weights[0] = 1;
        return;
    }
    double best = (double)INFINITY, best_fraction = 0;
    uint32_t a = 0, b = 0;
    for (uint32_t i = 0; i + 1 < s->point_count; ++i) {
        double distance2;
        const double fraction =
            project_on_edge(s->points[s->order[i]], s->points[s->order[i + 1]], at, &distance2);
        if (distance2 < best) {
            best = distance2;
            best_fraction = fraction;
            a = s->order[i];
            b = s->order[i + 1];
        }
    }
    set_edge_weights(a, b, best_fraction, weights);
}

static void set_hull_weights(const lmb_blend_space *s, lmb_vec2 at, float *weights)
{
    double best = (double)INFINITY, best_fraction = 0;
    uint32_t edge = 0;
    for (uint32_t e = 0; e < s->edge_count; ++e) {
        double distance2;
        const double fraction =
            project_on_edge(s->points[s->edges[e][0]], s->points[s->edges[e][1]], at, &distance2);
        if (distance2 < best) {
            best = distance2;
            best_fraction = fraction;
            edge = e;
        }
    }
    set_edge_weights(s->edges[edge][0], s->edges[edge][1], best_fraction, weights);
}

/// Barycentric coordinates of p. Returns the smallest.
static double barycentric(const lmb_vec2 *points, const uint32_t t[3], lmb_vec2 p, double b[3])
{
    const lmb_vec2 v0 = points[t[0]], v1 = points[t[1]], v2 = points[t[2]];
    const double area = lmbi_orient(v0, v1, v2);
    b[0] = lmbi_orient(v1, v2, p) / area;
    b[1] = lmbi_orient(v2, v0, p) / area;
    b[2] = 1 - b[0] - b[1];
    return fmin(b[0], fmin(b[1], b[2]));
}

void lmb_blend_space_weights(const lmb_blend_space *space, lmb_vec2 at, float *weights)
{
    memset(weights, 0, space->point_count * sizeof(*weights));
    if (!isfinite(at.x) || !isfinite(at.y)) {
        at = space->points[0];
    }
    if (space->is_line) {
        set_line_weights(space, at, weights);
        return;
    }
    for (uint32_t t = 0; t < space->triangle_count; ++t) {
        const uint32_t *corners = space->triangles[t];
        double b[3];
        // Slack for rounding, so that no point falls between two triangles.
        if (barycentric(space->points, corners, at, b) >= -1e-9) {
            for (int k = 0; k < 3; ++k) {
                weights[corners[k]] = (float)fmax(b[k], 0);
            }
            return;
        }
    }
    set_hull_weights(space, at, weights);
}
