/// Triangulation of polygons.
#ifndef IO_SURFACE_POLYGON_H
#define IO_SURFACE_POLYGON_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/math.h"

/// Working memory, grown as needed and kept between polygons. Zero-initialise, set `alloc`, free
/// with lmbi_polygon_free.
typedef struct lmbi_polygon {
    const lmb_allocator *alloc;
    double *xy; ///< corners in the polygon's plane
    uint32_t *next, *previous;
    size_t xy_capacity, next_capacity, previous_capacity;
} lmbi_polygon;

/// Writes (count - 2) * 3 indices: a fan from the first corner when the polygon is convex or nearly
/// flat, else by ear clipping (Meisters 1975). corners[count] index positions. The number of steps
/// on hostile polygons is bounded; the rest then becomes a fan. False when memory runs out.
bool lmbi_polygon_triangulate(lmbi_polygon *work, const lmb_vec3 *positions,
                              const uint32_t *corners, size_t count, uint32_t *triangles);
void lmbi_polygon_free(lmbi_polygon *work);

/// Whether the mesh has polygon lists that still describe its triangles: they do not after the
/// indices were edited.
bool lmbi_polygons_fit(const lmb_mesh *mesh);

#endif
