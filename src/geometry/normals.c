/// Normals, areas and volume of a surface.
#include <math.h>

#include "geometry/geometry.h"
#include "geometry/surface_math.h"
#include "limber/geometry.h"
#include "math/double.h"

static lmbi_v3 edge(lmb_vec3 from, lmb_vec3 to)
{
    return lmbi_v3_sub(lmbi_v3_of(to), lmbi_v3_of(from));
}

static lmb_vec3 unit(lmbi_v3 a)
{
    const double length = lmbi_v3_length(a);
    if (!(length > 0)) {
        return lmb_vec3_make(0, 0, 0);
    }
    return lmb_vec3_make((float)(a.x / length), (float)(a.y / length), (float)(a.z / length));
}

/// Twice the area, along the normal.
static lmbi_v3 area_vector(const lmb_surface *surface, uint32_t triangle)
{
    const uint32_t *t = surface->triangles + 3 * (size_t)triangle;
    lmb_vec3 a = surface->positions[t[0]];
    return lmbi_v3_cross(edge(a, surface->positions[t[1]]), edge(a, surface->positions[t[2]]));
}

void lmbi_surface_vertex_normals(const lmb_surface *surface, lmb_vec3 *out_normals)
{
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        out_normals[v] = lmb_vec3_make(0, 0, 0);
    }
    // The weights are inverse squared lengths; lengths in units of the bounds keep the float sums
    // in range.
    lmb_box box = lmb_box_of(surface->positions, surface->vertex_count);
    double size = surface->vertex_count ? (double)lmb_vec3_distance(box.low, box.high) : 0.0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const uint32_t *corner = surface->triangles + 3 * (size_t)t;
        lmbi_v3 normal = area_vector(surface, t);
        for (int k = 0; k < 3; ++k) {
            lmb_vec3 at = surface->positions[corner[k]];
            lmbi_v3 e1 = edge(at, surface->positions[corner[(k + 1) % 3]]),
                    e2 = edge(at, surface->positions[corner[(k + 2) % 3]]);
            double bottom = lmbi_v3_dot(e1, e1) * lmbi_v3_dot(e2, e2);
            double weight = bottom > 0 ? size * size / bottom : 0.0;
            lmb_vec3 *sum = &out_normals[corner[k]];
            *sum = lmb_vec3_add(*sum, lmb_vec3_make((float)(normal.x * weight),
                                                    (float)(normal.y * weight),
                                                    (float)(normal.z * weight)));
        }
    }
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        lmb_vec3 n = out_normals[v];
        out_normals[v] = unit(lmbi_v3_of(n));
    }
}

double lmbi_surface_areas(const lmb_surface *surface, float *out_areas)
{
    double sum = 0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        const double area = 0.5 * lmbi_v3_length(area_vector(surface, t));
        out_areas[t] = (float)area;
        sum += area;
    }
    return sum;
}

double lmbi_surface_volume(const lmb_surface *surface)
{
    if (!surface->vertex_count) {
        return 0;
    }
    lmb_box box = lmb_box_of(surface->positions, surface->vertex_count);
    lmb_vec3 centre = lmb_vec3_lerp(box.low, box.high, 0.5f);
    double sum = 0;
    for (uint32_t t = 0; t < surface->triangle_count; ++t) {
        lmbi_v3 n = area_vector(surface, t),
                to = edge(centre, surface->positions[surface->triangles[3 * (size_t)t]]);
        sum += n.x * to.x + n.y * to.y + n.z * to.z;
    }
    return sum / 6;
}
