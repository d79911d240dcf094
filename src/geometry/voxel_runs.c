/// Connected components of runs, by union-find (Galler and Fischer 1964).
#include "geometry/voxel_runs.h"
#include "geometry/volume.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/// The first voxel of a row, from `i` on, that is 0; `nx` where there is none.
static uint32_t next_air(const uint8_t *row, uint32_t i, uint32_t nx)
{
    const uint8_t *at = i < nx ? memchr(row + i, LMB_VOXEL_OUTSIDE, nx - i) : NULL;
    return at ? (uint32_t)(at - row) : nx;
}

static uint32_t next_solid(const uint8_t *row, uint32_t i, uint32_t nx)
{
    // eight voxels of air at a time
    for (uint64_t eight; i + sizeof eight <= nx; i += (uint32_t)sizeof eight) {
        memcpy(&eight, row + i, sizeof eight);
        if (eight != 0) {
            break;
        }
    }
    while (i < nx && row[i] == LMB_VOXEL_OUTSIDE) {
        ++i;
    }
    return i;
}

/// Counts the runs, and stores them if `r` has arrays.
static uint32_t list_runs(const uint8_t *cells, lmbi_voxel_runs *r)
{
    uint32_t (*begin)(const uint8_t *, uint32_t, uint32_t) = r->solid ? next_solid : next_air;
    uint32_t (*end)(const uint8_t *, uint32_t, uint32_t) = r->solid ? next_air : next_solid;
    const uint32_t nx = (uint32_t)r->grid->nx, rows = (uint32_t)(r->grid->ny * r->grid->nz);
    uint32_t count = 0;
    for (uint32_t k = 0; k < rows; ++k) {
        const uint8_t *row = cells + (size_t)k * nx;
        if (r->items) {
            r->first[k] = count;
        }
        for (uint32_t i = begin(row, 0, nx); i < nx; ++count) {
            const uint32_t to = end(row, i, nx);
            if (r->items) {
                r->items[count] = (lmbi_voxel_run){k * nx + i, k * nx + to, count};
            }
            i = begin(row, to, nx);
        }
    }
    if (r->items) {
        r->first[rows] = count;
    }
    return count;
}

uint32_t lmbi_voxel_runs_piece(lmbi_voxel_runs *runs, uint32_t run)
{
    lmbi_voxel_run *items = runs->items;
    while (items[run].up != run) {
        items[run].up = items[items[run].up].up;
        run = items[run].up;
    }
    return run;
}

/// Unites the runs of a row with those of the row `rows` before it.
static void unite_rows(lmbi_voxel_runs *r, uint32_t row, uint32_t rows)
{
    lmbi_voxel_run *items = r->items;
    const uint32_t apart = rows * (uint32_t)r->grid->nx, reach = r->solid ? 1 : 0;
    uint32_t k = r->first[row], n = r->first[row - rows];
    while (k < r->first[row + 1] && n < r->first[row - rows + 1]) {
        const uint32_t from = items[n].from + apart, to = items[n].to + apart;
        if (from < items[k].to + reach && items[k].from < to + reach) {
            const uint32_t one = lmbi_voxel_runs_piece(r, k), other = lmbi_voxel_runs_piece(r, n);
            items[one > other ? one : other].up = one > other ? other : one;
        }
        if (items[k].to < to) {
            ++k;
        } else {
            ++n;
        }
    }
}

static void unite(lmbi_voxel_runs *r)
{
    const uint32_t ny = (uint32_t)r->grid->ny, nz = (uint32_t)r->grid->nz;
    for (uint32_t k = 0; k < nz; ++k) {
        for (uint32_t j = 0; j < ny; ++j) {
            const uint32_t row = k * ny + j;
            if (j > 0) {
                unite_rows(r, row, 1);
            }
            if (k > 0) {
                unite_rows(r, row, ny);
            }
            if (r->solid && k > 0 && j > 0) {
                unite_rows(r, row, ny + 1);
            }
            if (r->solid && k > 0 && j + 1 < ny) {
                unite_rows(r, row, ny - 1);
            }
        }
    }
}

lmb_result lmbi_voxel_runs_create(const lmbi_grid *grid, const uint8_t *cells, bool solid,
                                  const lmb_allocator *alloc, lmbi_voxel_runs *out,
                                  lmb_error *error)
{
    lmbi_voxel_runs r = {.grid = grid, .solid = solid, .alloc = alloc};
    r.count = list_runs(cells, &r);
    r.items = lmbi_alloc_array(alloc, (size_t)r.count + 1, sizeof *r.items);
    r.first = lmbi_alloc_array(alloc, (size_t)grid->ny * (size_t)grid->nz + 1, sizeof *r.first);
    if (!r.items || !r.first) {
        lmbi_voxel_runs_destroy(&r);
        return lmbi_fail_memory(error);
    }
    list_runs(cells, &r);
    unite(&r);
    *out = r;
    return LMB_OK;
}

void lmbi_voxel_runs_destroy(lmbi_voxel_runs *runs)
{
    lmbi_free(runs->alloc, runs->items);
    lmbi_free(runs->alloc, runs->first);
    *runs = (lmbi_voxel_runs){.alloc = runs->alloc};
}

bool lmbi_voxel_runs_are_one(lmbi_voxel_runs *runs)
{
    bool one = true;
    for (uint32_t k = 1; k < runs->count && one; ++k) {
        one = runs->items[k].up != k; // a root: the first run of a piece
    }
    return one;
}
