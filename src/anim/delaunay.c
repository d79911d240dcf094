#include "anim/delaunay.h"

#include <string.h>

double lmbi_orient(lmb_vec2 a, lmb_vec2 b, lmb_vec2 c)
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
    while (lmbi_orient(m->points[order[0]], m->points[order[1]], m->points[order[apex]]) == 0) {
        ++apex;
    }
    const bool left =
        lmbi_orient(m->points[order[0]], m->points[order[1]], m->points[order[apex]]) > 0;
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
    return lmbi_orient(m->points[a], m->points[b], m->points[p]) < 0;
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
        if (in_circle(p[a], p[b], p[c], p[d]) <= 1e-12 || lmbi_orient(p[d], p[b], p[c]) <= 0 ||
            lmbi_orient(p[a], p[d], p[c]) <= 0) {
            return false;
        }
        memcpy(own, (const uint32_t[3]){d, b, c}, sizeof(*m->triangles));
        memcpy(other, (const uint32_t[3]){a, d, c}, sizeof(*m->triangles));
        return true;
    }
    return false;
}

void lmbi_delaunay_triangulate(const lmb_vec2 *points, const uint32_t *order, uint32_t count,
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
