// Samples the signs of a field on a lattice. One sample decides a block that the surface cannot
// reach.
#include "geometry/iso.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>

enum { BLOCK = 32, LEAF = 4 };

static const float SQRT3 = 1.7320508f;

typedef struct {
    const lmbi_iso_job *job;
    lmbi_iso_lattice *lattice;
} fill_context;

static lmb_vec3 lattice_point(const lmbi_iso_lattice *g, float x, float y, float z)
{
    return lmb_vec3_mad(g->origin, lmb_vec3_make(x, y, z), g->step);
}

static uint64_t *row_of(lmbi_iso_lattice *g, uint32_t y, uint32_t z)
{
    return g->bits + ((size_t)z * g->ny + y) * g->words;
}

static void set_bit(lmbi_iso_lattice *g, uint32_t x, uint32_t y, uint32_t z)
{
    row_of(g, y, z)[x >> 6] |= (uint64_t)1 << (x & 63);
}

// The outermost layer stays outside, so that every surface is closed.
static bool is_inner(const lmbi_iso_lattice *g, uint32_t x, uint32_t y, uint32_t z)
{
    return x > 0 && y > 0 && z > 0 && x + 1 < g->nx && y + 1 < g->ny && z + 1 < g->nz;
}

static void fill_leaf(const fill_context *f, uint32_t x0, uint32_t y0, uint32_t z0, uint32_t size,
                      bool all_inside)
{
    lmbi_iso_lattice *g = f->lattice;
    for (uint32_t z = z0; z < z0 + size && z < g->nz; ++z) {
        for (uint32_t y = y0; y < y0 + size && y < g->ny; ++y) {
            for (uint32_t x = x0; x < x0 + size && x < g->nx; ++x) {
                if (!is_inner(g, x, y, z)) {
                    continue;
                }
                if (all_inside ||
                    f->job->value(f->job->context, lattice_point(g, (float)x, (float)y, (float)z)) <
                        0.0f) {
                    set_bit(g, x, y, z);
                }
            }
        }
    }
}

// Recursion is at most log2(BLOCK / LEAF) deep.
static void fill_block(const fill_context *f, uint32_t x, uint32_t y, uint32_t z, uint32_t size)
{
    const lmbi_iso_lattice *g = f->lattice;
    if (x >= g->nx || y >= g->ny || z >= g->nz) {
        return;
    }
    const float half = 0.5f * (float)(size - 1);
    const float v = f->job->value(
        f->job->context, lattice_point(g, (float)x + half, (float)y + half, (float)z + half));
    const float slope = f->job->slope > 0.0f ? f->job->slope : 1.0f;
    if (fabsf(v) > slope * SQRT3 * half * g->step) {
        if (v < 0.0f) {
            fill_leaf(f, x, y, z, size, true);
        }
        return;
    }
    if (size <= LEAF) {
        fill_leaf(f, x, y, z, size, false);
        return;
    }
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t h = size / 2;
        fill_block(f, x + (k & 1) * h, y + (k >> 1 & 1) * h, z + (k >> 2) * h, h);
    }
}

// Slabs of BLOCK layers share no word, so workers may fill them concurrently.
static void fill_slabs(void *context, size_t begin, size_t end)
{
    const fill_context *f = context;
    for (size_t s = begin; s < end; ++s) {
        for (uint32_t y = 0; y < f->lattice->ny; y += BLOCK) {
            for (uint32_t x = 0; x < f->lattice->nx; x += BLOCK) {
                fill_block(f, x, y, (uint32_t)s * BLOCK, BLOCK);
            }
        }
    }
}

// A word of the row shifted by one sample along x.
static uint64_t next_along_x(const uint64_t *row, uint32_t w, uint32_t words)
{
    const uint64_t carry = w + 1 < words ? row[w + 1] << 63 : 0;
    return row[w] >> 1 | carry;
}

// Mask of lattice faces with a == d != b == c for corners a b / c d: the surface could connect in
// two ways, and the cells on either side might choose differently.
static uint64_t diagonal(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return ~(a ^ d) & ~(b ^ c) & (a ^ b);
}

static bool fill_diagonals_of_rows(uint64_t *r0, uint64_t *r1, uint32_t words)
{
    bool changed = false;
    for (uint32_t w = 0; w < words; ++w) {
        const uint64_t m =
            diagonal(r0[w], next_along_x(r0, w, words), r1[w], next_along_x(r1, w, words));
        if (m != 0) {
            r0[w] |= m | m << 1;
            if (w + 1 < words) {
                r0[w + 1] |= m >> 63;
            }
            changed = true;
        }
    }
    return changed;
}

static bool fill_diagonals_along_x(uint64_t *r00, const uint64_t *r10, uint64_t *r01,
                                   const uint64_t *r11, uint32_t words)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < words; ++w) {
        const uint64_t m = diagonal(r00[w], r10[w], r01[w], r11[w]);
        r00[w] |= m;
        r01[w] |= m;
        any |= m;
    }
    return any != 0;
}

// Terminates because it only adds inside samples; smooth fields need one or two sweeps.
static void remove_diagonals(lmbi_iso_lattice *g)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t z = 0; z < g->nz; ++z) {
            for (uint32_t y = 0; y < g->ny; ++y) {
                uint64_t *here = row_of(g, y, z);
                if (y + 1 < g->ny) {
                    changed |= fill_diagonals_of_rows(here, row_of(g, y + 1, z), g->words);
                }
                if (z + 1 < g->nz) {
                    changed |= fill_diagonals_of_rows(here, row_of(g, y, z + 1), g->words);
                }
                if (y + 1 < g->ny && z + 1 < g->nz) {
                    changed |=
                        fill_diagonals_along_x(here, row_of(g, y + 1, z), row_of(g, y, z + 1),
                                               row_of(g, y + 1, z + 1), g->words);
                }
            }
        }
    }
}

static bool lattice_size(const lmbi_iso_job *job, lmbi_iso_lattice *g)
{
    const lmb_vec3 extent = lmb_vec3_sub(job->box.high, job->box.low);
    if (!(job->step > 0.0f) || !lmb_vec3_is_finite(job->box.low) || !lmb_vec3_is_finite(extent) ||
        !(extent.x > 0.0f) || !(extent.y > 0.0f) || !(extent.z > 0.0f)) {
        return false;
    }
    const double n[3] = {ceil((double)extent.x / (double)job->step) + 3.0,
                         ceil((double)extent.y / (double)job->step) + 3.0,
                         ceil((double)extent.z / (double)job->step) + 3.0};
    if (n[0] * n[1] * n[2] > 4294967296.0) {
        return false;
    }
    g->nx = (uint32_t)n[0];
    g->ny = (uint32_t)n[1];
    g->nz = (uint32_t)n[2];
    g->words = (g->nx + 63) / 64;
    g->step = job->step;
    g->origin = lmb_vec3_mad(job->box.low, lmb_vec3_make(1, 1, 1), -job->step);
    return true;
}

lmb_result lmbi_lattice_fill(const lmbi_iso_job *job, const lmb_allocator *alloc,
                             lmbi_iso_lattice *lattice, lmb_error *error)
{
    if (!lattice_size(job, lattice)) {
        return lmbi_fail(
            error, LMB_ERROR_INVALID, "a box of positive size and a lattice of at most 2^32 points",
            "a box of %g by %g by %g at a step of %g", (double)(job->box.high.x - job->box.low.x),
            (double)(job->box.high.y - job->box.low.y), (double)(job->box.high.z - job->box.low.z),
            (double)job->step);
    }
    lattice->bits = lmbi_alloc_array(alloc, (size_t)lattice->nz * lattice->ny * lattice->words,
                                     sizeof(uint64_t));
    if (lattice->bits == NULL) {
        return lmbi_fail_memory(error);
    }
    fill_context f = {job, lattice};
    lmb_parallel_for(job->jobs, (lattice->nz + BLOCK - 1) / BLOCK, 1, fill_slabs, &f);
    remove_diagonals(lattice);
    return LMB_OK;
}
