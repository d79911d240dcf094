#include "io/surface/polygon.h"
#include "asset/asset.h"

#include <math.h>

#include "base/alloc.h"

/// Number of ear tests allowed beyond a linear number, so that a polygon of a million corners
/// cannot take hours.
#define EAR_TESTS 40000000u

static void write_fan(const uint32_t *corners, size_t count, uint32_t *triangles)
{
    for (size_t i = 2; i < count; ++i) {
        *triangles++ = corners[0];
        *triangles++ = corners[i - 1];
        *triangles++ = corners[i];
    }
}

/// Newell's normal, in double, so that positions far from the origin do not cancel.
static void newell_normal(const lmb_vec3 *positions, const uint32_t *corners, size_t count,
                          double n[3])
{
    const lmb_vec3 o = positions[corners[0]];
    n[0] = n[1] = n[2] = 0;
    for (size_t i = 1; i + 1 < count; ++i) {
        const lmb_vec3 p = positions[corners[i]], q = positions[corners[i + 1]];
        const double a[3] = {(double)p.x - (double)o.x, (double)p.y - (double)o.y,
                             (double)p.z - (double)o.z};
        const double b[3] = {(double)q.x - (double)o.x, (double)q.y - (double)o.y,
                             (double)q.z - (double)o.z};
        n[0] += a[1] * b[2] - a[2] * b[1];
        n[1] += a[2] * b[0] - a[0] * b[2];
        n[2] += a[0] * b[1] - a[1] * b[0];
    }
}

/// Projects along the axis in which the normal is longest, keeping counter-clockwise order. False
/// when the polygon has no area.
static bool project_to_plane(lmbi_polygon *work, const lmb_vec3 *positions, const uint32_t *corners,
                             size_t count)
{
    double n[3];
    newell_normal(positions, corners, count, n);
    const double x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
    if (!(x + y + z > 0) || !isfinite(x + y + z)) {
        return false;
    }
    const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    const double sign = n[axis] > 0 ? 1 : -1;
    for (size_t i = 0; i < count; ++i) {
        const lmb_vec3 p = positions[corners[i]];
        const double c[3] = {(double)p.x, (double)p.y, (double)p.z};
        work->xy[2 * i] = c[(axis + 1) % 3];
        work->xy[2 * i + 1] = sign * c[(axis + 2) % 3];
    }
    return true;
}

/// Twice the signed area of the triangle a b c.
static double doubled_area(const double *xy, size_t a, size_t b, size_t c)
{
    return (xy[2 * b] - xy[2 * a]) * (xy[2 * c + 1] - xy[2 * a + 1]) -
           (xy[2 * b + 1] - xy[2 * a + 1]) * (xy[2 * c] - xy[2 * a]);
}

static bool same_point(const double *xy, size_t a, size_t b)
{
    return !(xy[2 * a] < xy[2 * b]) && !(xy[2 * a] > xy[2 * b]) &&
           !(xy[2 * a + 1] < xy[2 * b + 1]) && !(xy[2 * a + 1] > xy[2 * b + 1]);
}

/// Whether a fan triangulates the polygon: no triangle is flipped, and the corners go round once.
static bool fan_is_right(const double *xy, size_t count)
{
    for (size_t i = 2; i < count; ++i) {
        if (doubled_area(xy, 0, i - 1, i) < 0) {
            return false;
        }
    }
    // Require a turning number of one: a star polygon has more.
    for (size_t i = 0; i < count; ++i) {
        if (doubled_area(xy, i, (i + 1) % count, (i + 2) % count) < 0) {
            return false;
        }
    }
    return true;
}

static bool is_ear(const lmbi_polygon *work, uint32_t a, uint32_t b, uint32_t c, size_t *tests)
{
    const double *xy = work->xy;
    if (!(doubled_area(xy, a, b, c) > 0)) {
        return false;
    }
    for (uint32_t p = work->next[c]; p != a; p = work->next[p]) {
        ++*tests;
        if (same_point(xy, p, a) || same_point(xy, p, b) || same_point(xy, p, c)) {
            continue;
        }
        if (doubled_area(xy, a, b, p) >= 0 && doubled_area(xy, b, c, p) >= 0 &&
            doubled_area(xy, c, a, p) >= 0) {
            return false;
        }
    }
    return true;
}

static void clip_ears(lmbi_polygon *work, const uint32_t *corners, size_t count,
                      uint32_t *triangles)
{
    for (size_t i = 0; i < count; ++i) {
        work->next[i] = (uint32_t)(i + 1 == count ? 0 : i + 1);
        work->previous[i] = (uint32_t)(i == 0 ? count - 1 : i - 1);
    }
    size_t left = count, tests = 0, since_ear = 0;
    uint32_t b = 1;
    while (left > 3) {
        const uint32_t a = work->previous[b], c = work->next[b];
        // After a whole round without an ear (self-intersecting or collinear corners) any corner is
        // cut.
        const bool forced = since_ear >= left || tests > EAR_TESTS;
        if (forced || is_ear(work, a, b, c, &tests)) {
            *triangles++ = corners[a];
            *triangles++ = corners[b];
            *triangles++ = corners[c];
            work->next[a] = c;
            work->previous[c] = a;
            --left;
            since_ear = 0;
            b = work->next[c]; // continue at every second corner, which makes fewer slivers
            continue;
        }
        ++since_ear;
        b = c;
    }
    *triangles++ = corners[work->previous[b]];
    *triangles++ = corners[b];
    *triangles++ = corners[work->next[b]];
}

static bool reserve(lmbi_polygon *work, size_t count)
{
    void *xy = work->xy, *next = work->next, *previous = work->previous;
    const bool ok =
        lmbi_grow(work->alloc, &xy, &work->xy_capacity, count, 2 * sizeof(double)) &&
        lmbi_grow(work->alloc, &next, &work->next_capacity, count, sizeof(uint32_t)) &&
        lmbi_grow(work->alloc, &previous, &work->previous_capacity, count, sizeof(uint32_t));
    work->xy = xy;
    work->next = next;
    work->previous = previous;
    return ok;
}

bool lmbi_polygon_triangulate(lmbi_polygon *work, const lmb_vec3 *positions,
                              const uint32_t *corners, size_t count, uint32_t *triangles)
{
    if (count <= 3) {
        write_fan(corners, count, triangles);
        return true;
    }
    if (!reserve(work, count)) {
        return false;
    }
    if (!project_to_plane(work, positions, corners, count) || fan_is_right(work->xy, count)) {
        write_fan(corners, count, triangles);
    } else {
        clip_ears(work, corners, count, triangles);
    }
    return true;
}

void lmbi_polygon_free(lmbi_polygon *work)
{
    lmbi_free(work->alloc, work->xy);
    lmbi_free(work->alloc, work->next);
    lmbi_free(work->alloc, work->previous);
}

bool lmbi_polygons_fit(const lmb_mesh *mesh)
{
    const uint64_t triangles = lmbi_mesh_triangle_count(mesh);
    uint64_t from_polygons = 0;
    for (uint32_t k = 0; k < mesh->polygon_count; ++k) {
        from_polygons += mesh->polygon_first[k + 1] - mesh->polygon_first[k] - 2;
    }
    return mesh->polygon_count > 0 && triangles == from_polygons;
}
