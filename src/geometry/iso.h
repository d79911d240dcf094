/// Sign lattice of a field: one bit per sample, 1 inside, rows of 64-bit words along x.
#ifndef GEOMETRY_ISO_H
#define GEOMETRY_ISO_H

#include "geometry/geometry.h"
#include "limber/geometry.h"

typedef struct lmbi_iso_lattice {
    uint32_t nx, ny, nz; ///< samples
    uint32_t words;      ///< per row
    lmb_vec3 origin;     ///< of sample 0, 0, 0
    float step;
    uint64_t *bits;
} lmbi_iso_lattice;

/// Samples the field. The outermost layer is outside. The caller frees `bits`.
lmb_result lmbi_lattice_fill(const lmbi_iso_job *job, const lmb_allocator *alloc,
                             lmbi_iso_lattice *lattice, lmb_error *error);

static inline const uint64_t *lmbi_lattice_row(const lmbi_iso_lattice *lattice, uint32_t y,
                                               uint32_t z)
{
    return lattice->bits + ((size_t)z * lattice->ny + y) * lattice->words;
}

static inline unsigned lmbi_lattice_bit(const lmbi_iso_lattice *lattice, uint32_t x, uint32_t y,
                                        uint32_t z)
{
    return (unsigned)(lmbi_lattice_row(lattice, y, z)[x >> 6] >> (x & 63)) & 1u;
}

/// Unit gradients of the field, measured over a tenth of job->step; +Y where it is flat.
void lmbi_iso_normals(const lmbi_iso_job *job, const lmb_vec3 *points, uint32_t count,
                      lmb_vec3 *out_normals);

/// Moves points onto value(p) == 0 by damped Newton steps of at most job->step each. job->rounds is
/// not used.
void lmbi_iso_project(const lmbi_iso_job *job, lmb_vec3 *points, uint32_t count);

#endif
