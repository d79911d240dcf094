/// Components of the air by runs: a row holds few runs, and which of two rows next to each other
/// touch is seen in one pass over both. Runs that touch are united (Galler and Fischer 1964).
#include "geometry/enclosed.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/// Voxels of air side by side in a row.
typedef struct run {
    uint32_t from, to; ///< the first, and the one after the last
    uint32_t up;       ///< union-find: a run that came before, or itself
} run;

typedef struct air {
    const lmb_grid *grid;
    run *runs;
    uint32_t *first; ///< [rows + 1] of each row, in runs
} air;

/// The first voxel of a row, from `i` on, that is air, or that is none; `nx` where there is none.
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

/// How many runs there are; they are written where `a` has room for them.
static uint32_t list_runs(const uint8_t *cells, air *a)
{
    const uint32_t nx = (uint32_t)a->grid->nx, rows = (uint32_t)(a->grid->ny * a->grid->nz);
    uint32_t count = 0;
    for (uint32_t r = 0; r < rows; ++r) {
        const uint8_t *row = cells + (size_t)r * nx;
        if (a->runs) {
            a->first[r] = count;
        }
        for (uint32_t i = next_air(row, 0, nx); i < nx; ++count) {
            const uint32_t end = next_solid(row, i, nx);
            if (a->runs) {
                a->runs[count] = (run){r * nx + i, r * nx + end, count};
            }
            i = next_air(row, end, nx);
        }
    }
    if (a->runs) {
        a->first[rows] = count;
    }
    return count;
}

static uint32_t root_of(run *runs, uint32_t k)
{
    while (runs[k].up != k) {
        runs[k].up = runs[runs[k].up].up;
        k = runs[k].up;
    }
    return k;
}

/// Unites the runs of a row with those of one that lies `rows` before it.
static void unite_rows(air *a, uint32_t row, uint32_t rows)
{
    run *runs = a->runs;
    const uint32_t apart = rows * (uint32_t)a->grid->nx;
    uint32_t k = a->first[row], n = a->first[row - rows];
    while (k < a->first[row + 1] && n < a->first[row - rows + 1]) {
        if (runs[n].from + apart < runs[k].to && runs[k].from < runs[n].to + apart) {
            const uint32_t one = root_of(runs, k), other = root_of(runs, n);
            runs[one > other ? one : other].up = one > other ? other : one;
        }
        if (runs[k].to < runs[n].to + apart) {
            ++k;
        } else {
            ++n;
        }
    }
}

static void unite(air *a)
{
    const uint32_t ny = (uint32_t)a->grid->ny, nz = (uint32_t)a->grid->nz;
    for (uint32_t k = 0; k < nz; ++k) {
        for (uint32_t j = 0; j < ny; ++j) {
            if (j > 0) {
                unite_rows(a, k * ny + j, 1);
            }
            if (k > 0) {
                unite_rows(a, k * ny + j, ny);
            }
        }
    }
}

lmb_result lmbi_fill_enclosed(const lmb_grid *grid, uint8_t *cells, const lmb_allocator *alloc,
                              lmb_error *error)
{
    air a = {.grid = grid};
    const uint32_t count = list_runs(cells, &a);
    a.runs = lmbi_alloc_array(alloc, (size_t)count + 1, sizeof *a.runs);
    a.first = lmbi_alloc_array(alloc, (size_t)grid->ny * (size_t)grid->nz + 1, sizeof *a.first);
    const bool room = a.runs && a.first;
    if (room) {
        list_runs(cells, &a);
        unite(&a);
        const bool open = cells[0] == LMB_VOXEL_OUTSIDE; // then the first run holds it
        for (uint32_t k = 0; k < count; ++k) {
            if (!open || root_of(a.runs, k) != 0) {
                memset(cells + a.runs[k].from, LMB_VOXEL_INSIDE, a.runs[k].to - a.runs[k].from);
            }
        }
    }
    lmbi_free(alloc, a.runs);
    lmbi_free(alloc, a.first);
    return room ? LMB_OK : lmbi_fail_memory(error);
}
