/// Surfaces that are computed: normals, level sets of fields, fewer triangles; and measures of surfaces.
#ifndef GEOMETRY_GEOMETRY_H
#define GEOMETRY_GEOMETRY_H

#include "limber/geometry.h"

/// Sum of the signed volumes of the tetrahedra from the centre of the bounds: the volume when
/// closed, positive when faces look outward.
double lmbi_surface_volume(const lmb_surface *surface);

// ---- Allocation of an lmb_surface that is generated rather than joined from parts.

/// One zeroed block, freed by lmb_surface_destroy, without parts (vertex_of NULL). NULL on failure.
lmb_surface *lmbi_surface_alloc(const lmb_allocator *alloc, uint32_t vertex_count,
                                uint32_t triangle_count);

/// Normals for triangles that have none.
typedef struct lmbi_corner_normals_job {
    const lmb_vec3 *positions;
    uint32_t vertex_count;
    const uint32_t *indices; ///< [index_count] in threes, each below vertex_count
    uint32_t index_count;
    float crease_rad;      ///< faces that meet at a larger angle keep a hard edge
    lmb_vec3 *out_normals; ///< [index_count] unit, or zero where no face has an area
} lmbi_corner_normals_job;
/// Computes a normal for each corner: the mean of the faces at its position whose normals are
/// within the crease of its own face's, weighted by their angles there. Vertices at equal positions
/// are one.
/// `alloc` and `error` may be NULL. Errors: INVALID for a position that is not finite; MEMORY.
lmb_result lmbi_corner_normals(const lmbi_corner_normals_job *job, const lmb_allocator *alloc,
                               lmb_error *error);

// ----------------------------------------------------------------------------- surfaces of fields

/// The surface value(p) == 0 of a field that is negative inside. Always closed, consistently
/// oriented and two-manifold: surface nets (Gibson 1998) with one vertex per sheet of a cell
/// (Nielson 2004), on a sign lattice whose faces with diagonally opposite signs were removed by
/// filling a corner.
typedef struct lmbi_iso_job {
    float (*value)(const void *context, lmb_vec3 p);
    const void *context;
    lmb_box box; ///< the surface is cut off and closed at its faces
    float step;  ///< edge of a lattice cell, in metres
    /// upper bound of |gradient| in the box; blocks farther than |value| / slope are skipped. 0
    /// means 1
    float slope;
    unsigned rounds;      ///< of tangential smoothing; each projects back to the surface
    const lmb_jobs *jobs; ///< workers that call `value`. NULL: serial
} lmbi_iso_job;

/// Errors: INVALID for an empty box, a step that is not positive, or more than 2^32 lattice points;
/// MEMORY.
lmb_result lmbi_iso_surface(const lmbi_iso_job *job, const lmb_allocator *alloc, lmb_surface **out,
                            lmb_error *error);

// ------------------------------------------------------------------------------------- decimation

typedef struct lmbi_decimate_opts {
    uint32_t
        triangle_count; ///< target; the result has more if the surface allows no more collapses
    /// [vertex_count] relative edge length; NULL: uniform
    const float *sizes;
    /// weight of the shape against even triangles; 0 means 1
    float shape;
} lmbi_decimate_opts;

/// Collapses edges, shortest and flattest first (quadrics, Garland & Heckbert 1997, plus squared
/// length over size), until the count is reached. Closed two-manifold surfaces stay so: only
/// collapses that keep the topology and flip no triangle are made. `out_source` (or NULL, else room
/// for surface->vertex_count) receives the input vertex of each kept one.
/// Errors: INVALID unless every edge has exactly two triangles; MEMORY.
lmb_result lmbi_surface_decimate(const lmb_surface *surface, const lmbi_decimate_opts *opts,
                                 const lmb_allocator *alloc, lmb_surface **out,
                                 uint32_t *out_source, lmb_error *error);

#endif
