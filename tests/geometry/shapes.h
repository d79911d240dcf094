/// Surfaces with known answers, made for tests.
#ifndef TESTS_GEOMETRY_SHAPES_H
#define TESTS_GEOMETRY_SHAPES_H

#include <stdlib.h>

#include "limber/geometry.h"

/// Points and triangles on the heap; free with shape_free.
typedef struct shape {
    lmb_vec3 *points;
    uint32_t *triangles;
    uint32_t point_count, triangle_count;
} shape;

static inline void shape_free(shape *s)
{
    free(s->points);
    free(s->triangles);
}

/// Welded by exact position, as every solver sees it.
static inline lmb_surface *shape_surface(const shape *s)
{
    lmb_surface_part part = {.positions = s->points,
                             .vertex_count = s->point_count,
                             .indices = s->triangles,
                             .index_count = 3 * s->triangle_count};
    lmb_surface *surface = NULL;
    if (lmb_surface_create(&part, 1, NULL, NULL, &surface, NULL) != LMB_OK) {
        abort();
    }
    return surface;
}

/// A quad strip sheet of (columns x rows) cells over the unit square of (u, v), placed by `place`.
/// Counter-clockwise in (u, v).
static inline shape shape_sheet(uint32_t columns, uint32_t rows,
                                lmb_vec3 (*position)(float u, float v, void *user), void *user)
{
    shape s = {.point_count = (columns + 1) * (rows + 1), .triangle_count = 2 * columns * rows};
    s.points = malloc(s.point_count * sizeof *s.points);
    s.triangles = malloc(3 * (size_t)s.triangle_count * sizeof *s.triangles);
    for (uint32_t j = 0; j <= rows; ++j) {
        for (uint32_t i = 0; i <= columns; ++i) {
            // A closing column repeats the first one's bits, so that welding closes the seam.
            s.points[j * (columns + 1) + i] =
                position((float)i / (float)columns, (float)j / (float)rows, user);
        }
    }
    uint32_t *t = s.triangles;
    for (uint32_t j = 0; j < rows; ++j) {
        for (uint32_t i = 0; i < columns; ++i) {
            uint32_t a = j * (columns + 1) + i, b = a + 1, c = a + columns + 1, d = c + 1;
            uint32_t quad[6] = {a, b, d, a, d, c};
            for (int k = 0; k < 6; ++k) {
                *t++ = quad[k];
            }
        }
    }
    return s;
}

static inline lmb_vec3 shape_on_sphere(float u, float v, void *user)
{
    (void)user;
    float longitude = u >= 1 ? 0 : u * 2 * LMB_PI;
    float z = -lmb_cos(v * LMB_PI), r = v <= 0 || v >= 1 ? 0 : lmb_sin(v * LMB_PI);
    return lmb_vec3_make(r * lmb_cos(longitude), r * lmb_sin(longitude), z);
}

/// The unit sphere, closed, facing outward.
static inline shape shape_sphere(uint32_t columns, uint32_t rows)
{
    return shape_sheet(columns, rows, shape_on_sphere, NULL);
}

typedef struct shape_tube_size {
    float radius, from_x, to_x;
} shape_tube_size;

static inline lmb_vec3 shape_on_tube(float u, float v, void *user)
{
    const shape_tube_size *size = user;
    float angle = v >= 1 ? 0 : v * 2 * LMB_PI;
    float x = size->from_x + (size->to_x - size->from_x) * u;
    return lmb_vec3_make(x, size->radius * lmb_cos(angle), size->radius * lmb_sin(angle));
}

/// An open tube along x.
static inline shape shape_tube(uint32_t along, uint32_t around, float radius, float from_x,
                               float to_x)
{
    shape_tube_size size = {radius, from_x, to_x};
    return shape_sheet(along, around, shape_on_tube, &size);
}

#endif
