/// Uniform random points on a surface.
#include "geometry/surface_math.h"
#include "geometry/surface_sample.h"
#include "limber/geometry.h"

#include "base/alloc.h"
#include "base/error.h"

static lmbi_sample_point place(const lmb_surface *surface, uint32_t triangle, lmb_random *random)
{
    // Turk 1990: folding the unit square onto the triangle keeps the density uniform.
    float s = lmb_random_unit(random), t = lmb_random_unit(random);
    if (s + t > 1) {
        s = 1 - s;
        t = 1 - t;
    }
    const uint32_t *corner = surface->triangles + 3 * (size_t)triangle;
    lmbi_sample_point point = {.triangle = triangle, .barycentric = {1 - s - t, s, t}};
    lmb_vec3 at = lmb_vec3_scale(surface->positions[corner[0]], point.barycentric[0]);
    at = lmb_vec3_mad(at, surface->positions[corner[1]], s);
    point.position = lmb_vec3_mad(at, surface->positions[corner[2]], t);
    return point;
}

lmb_result lmbi_surface_sample(const lmb_surface *surface, uint32_t count, lmb_random *random,
                               const lmb_allocator *alloc, lmbi_sample_point *out_points,
                               lmb_error *error)
{
    float *areas = lmbi_alloc_array(alloc, surface->triangle_count, sizeof *areas);
    if (!areas) {
        return lmbi_fail_memory(error);
    }
    double total = lmbi_surface_areas(surface, areas), passed = 0;
    if (count && !(total > 0)) {
        lmbi_free(alloc, areas);
        return lmbi_fail(error, LMB_ERROR_INVALID, "a surface with area",
                         "%u triangles without any", surface->triangle_count);
    }
    uint32_t triangle = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double target = ((double)i + (double)lmb_random_unit(random)) * total / (double)count;
        while (triangle + 1 < surface->triangle_count &&
               (passed + (double)areas[triangle] <= target || !(areas[triangle] > 0))) {
            passed += (double)areas[triangle++];
        }
        out_points[i] = place(surface, triangle, random);
    }
    lmbi_free(alloc, areas);
    return LMB_OK;
}
