#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "base/alloc.h"
#include "base/error.h"
#include "limber/anim.h"

// ----------------------------------------------------------------------------------- triangulation

/// Twice the signed area of the triangle a b c, positive counter-clockwise. For floats of one
/// magnitude its sign is exact.
static double orient(lmb_vec2 a, lmb_vec2 b, lmb_vec2 c)
{
    return ((double)b.x - (double)a.x) * ((double)c.y - (double)a.y) -
           ((double)b.y - (double)a.y) * ((double)c.x - (double)a.x);
}

typedef struct mesh {
    const lmb_vec2 *points;
    uint32_t (*triangles)[3];
    uint32_t triangle_count;
    uint32_t *hull; ///< counter-clockwise
    uint32_t hull_count;
} mesh;

static void add_triangle(mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = m->triangles[m->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// ------------------------------------------------------------------------------------------ sweep

/// Triangulates the leading collinear points with the first point off their line, order[apex].
/// Returns apex + 1.
static uint32_t triangulate_first_fan(mesh *m, const uint32_t *order)
{
    uint32_t apex = 2;
    while (orient(m->points[order[0]], m->points[order[1]], m->points[order[apex]]) == 0) {
        ++apex;
    }
    const bool left = orient(m->points[order[0]], m->points[order[1]], m->points[order[apex]]) > 0;
    for (uint32_t i = 0; i < apex; ++i) {
        m->hull[m->hull_count++] = order[left ? i : apex - 1 - i];
    }
    for (uint32_t i = 0; i + 1 < apex; ++i) {
        add_triangle(m, m->hull[i], m->hull[i + 1], order[apex]);
    }
    m->hull[m->hull_count++] = order[apex];
    return apex + 1;
}

static bool edge_faces_point(const mesh *m, uint32_t edge, uint32_t p)
{
    const uint32_t a = m->hull[edge], b = m->hull[(edge + 1) % m->hull_count];
    return orient(m->points[a], m->points[b], m->points[p]) < 0;
}

/// p follows all points of the hull in the order, so it sees at least one edge, and those it sees
/// are consecutive.
static void add_point(mesh *m, uint32_t p)
{
    uint32_t first = 0, seen = 0;
    while (!edge_faces_point(m, first, p) ||
           edge_faces_point(m, (first + m->hull_count - 1) % m->hull_count, p)) {
        ++first;
    }
    // Rotate the hull so that the visible edges come first and can be cut out in one piece.
    for (uint32_t k = 0; k < first; ++k) {
        const uint32_t head = m->hull[0];
        memmove(m->hull, m->hull + 1, (m->hull_count - 1) * sizeof(*m->hull));
        m->hull[m->hull_count - 1] = head;
    }
    while (seen < m->hull_count && edge_faces_point(m, seen, p)) {
        add_triangle(m, m->hull[(seen + 1) % m->hull_count], m->hull[seen], p);
        ++seen;
    }
    memmove(m->hull + 2, m->hull + seen, (m->hull_count - seen) * sizeof(*m->hull));
    m->hull[1] = p;
    m->hull_count += 2 - seen;
}

// ------------------------------------------------------------------------------------------ flips

/// Positive when d is inside the circle through the counter-clockwise a b c, relative to
/// the fourth power of the lengths.
static double in_circle(lmb_vec2 a, lmb_vec2 b, lmb_vec2 c, lmb_vec2 d)
{
    const double ax = (double)a.x - (double)d.x, ay = (double)a.y - (double)d.y;
    const double bx = (double)b.x - (double)d.x, by = (double)b.y - (double)d.y;
    const double cx = (double)c.x - (double)d.x, cy = (double)c.y - (double)d.y;
    const double aa = ax * ax + ay * ay, bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    const double det =
        ax * (by * cc - bb * cy) - ay * (bx * cc - bb * cx) + aa * (bx * cy - by * cx);
    const double size = aa + bb + cc;
    return det / (size * size);
}

/// The corner of t opposite its edge a b, in that direction; 3 if t has no such edge.
static uint32_t corner_across(const uint32_t t[3], uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < 3; ++k) {
        if (t[k] == a && t[(k + 1) % 3] == b) {
            return (k + 2) % 3;
        }
    }
    return 3;
}

/// Flips edge k of triangle t if the circumcircle of t contains the neighbour's opposite corner.
static bool flip_edge(mesh *m, uint32_t t, uint32_t k)
{
    uint32_t *own = m->triangles[t];
    const uint32_t a = own[k], b = own[(k + 1) % 3], c = own[(k + 2) % 3];
    for (uint32_t n = 0; n < m->triangle_count; ++n) {
        uint32_t *other = m->triangles[n];
        const uint32_t across = corner_across(other, b, a);
        if (across == 3) {
            continue;
        }
        const uint32_t d = other[across];
        const lmb_vec2 *p = m->points;
        // The tolerance keeps cocircular points (squares of a grid) from flipping forever.
        if (in_circle(p[a], p[b], p[c], p[d]) <= 1e-12 || orient(p[d], p[b], p[c]) <= 0 ||
            orient(p[a], p[d], p[c]) <= 0) {
            return false;
        }
        memcpy(own, (const uint32_t[3]){d, b, c}, sizeof(*m->triangles));
        memcpy(other, (const uint32_t[3]){a, d, c}, sizeof(*m->triangles));
        return true;
    }
    return false;
}

/// `order` sorts the points by x, then y. Points are distinct and not all collinear. Writes up to
/// 2 * count counter-clockwise triangles, and up to `count` points of the convex hull,
/// counter-clockwise, including those on its edges.
static void triangulate(const lmb_vec2 *points, const uint32_t *order, uint32_t count,
                        uint32_t (*triangles)[3], uint32_t *triangle_count, uint32_t *hull,
                        uint32_t *hull_count)
{
    mesh m = {.points = points, .triangles = triangles, .hull = hull};
    for (uint32_t i = triangulate_first_fan(&m, order); i < count; ++i) {
        add_point(&m, order[i]);
    }
    // Lawson's flips terminate, at most one per pair of points; the limit guards against rounding.
    bool flipped = true;
    for (uint32_t pass = 0; flipped && pass < count * count; ++pass) {
        flipped = false;
        for (uint32_t t = 0; t < m.triangle_count; ++t) {
            for (uint32_t k = 0; k < 3; ++k) {
                flipped = flip_edge(&m, t, k) || flipped;
            }
        }
    }
    *triangle_count = m.triangle_count;
    *hull_count = m.hull_count;
}

// ------------------------------------------------------------------------------------ blend spaces

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

static bool are_collinear(const lmbi_blend_space *s)
{
    for (uint32_t i = 2; i < s->point_count; ++i) {
        if (orient(s->points[s->order[0]], s->points[s->order[1]], s->points[s->order[i]]) != 0) {
            return false;
        }
    }
    return true;
}

static lmbi_blend_space *alloc_space(uint32_t count, const lmb_allocator *alloc)
{
    const size_t size =
        sizeof(lmbi_blend_space) + count * (sizeof(lmb_vec2) + sizeof(uint32_t) +
                                            2 * 3 * sizeof(uint32_t) + 2 * sizeof(uint32_t));
    lmbi_blend_space *s = lmbi_alloc(alloc, size);
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

lmb_result lmbi_blend_space_create(const lmb_vec2 *points, uint32_t count,
                                   const lmb_allocator *alloc, lmbi_blend_space **out,
                                   lmb_error *error)
{
    const lmb_result checked = check_points(points, count, error);
    if (checked != LMB_OK) {
        return checked;
    }
    lmbi_blend_space *s = alloc_space(count, alloc);
    if (s == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(s->points, points, count * sizeof(*points));
    sort_points(s->points, count, s->order);
    s->is_line = are_collinear(s);
    if (!s->is_line) {
        uint32_t hull[MAX_POINTS];
        triangulate(s->points, s->order, count, s->triangles, &s->triangle_count, hull,
                    &s->edge_count);
        for (uint32_t e = 0; e < s->edge_count; ++e) {
            s->edges[e][0] = hull[e];
            s->edges[e][1] = hull[(e + 1) % s->edge_count];
        }
    }
    *out = s;
    return LMB_OK;
}

void lmbi_blend_space_destroy(lmbi_blend_space *space)
{
    if (space != NULL) {
        lmbi_free_own(&space->allocator, space);
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

static void set_line_weights(const lmbi_blend_space *s, lmb_vec2 at, float *weights)
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

static void set_hull_weights(const lmbi_blend_space *s, lmb_vec2 at, float *weights)
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
    const double area = orient(v0, v1, v2);
    b[0] = orient(v1, v2, p) / area;
    b[1] = orient(v2, v0, p) / area;
    b[2] = 1 - b[0] - b[1];
    return fmin(b[0], fmin(b[1], b[2]));
}

void lmbi_blend_space_weights(const lmbi_blend_space *space, lmb_vec2 at, float *weights)
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
