/// Voxels enclosed by a surface: those that a flood from outside does not reach, and those enclosed
/// by lines of sight where the surface has holes.
#include "base/alloc.h"
#include "base/error.h"
#include "geometry/volume.h"
#include "geometry/voxel_runs.h"

#include <string.h>

// sight[v] bit 2 * axis + 1 is set if a surface voxel lies beyond v in the positive direction of
// the axis, bit 2 * axis in the negative one.

static void look_along_x(const lmbi_grid *grid, const uint8_t *cells, uint8_t *sight)
{
    const size_t nx = (size_t)grid->nx, rows = (size_t)grid->ny * (size_t)grid->nz;
    for (size_t r = 0; r < rows; ++r) {
        const uint8_t *row = cells + r * nx;
        const uint8_t *first = memchr(row, LMB_VOXEL_SURFACE, nx);
        if (!first) {
            continue;
        }
        size_t last = nx - 1;
        for (; row[last] != LMB_VOXEL_SURFACE; --last) {
        }
        uint8_t *out = sight + r * nx;
        for (size_t i = (size_t)(first - row) + 1; i < nx; ++i) {
            out[i] |= 1;
        }
        for (size_t i = 0; i < last; ++i) {
            out[i] |= 2;
        }
    }
}

/// Advances many lines of sight by one voxel. `seen`: 0xff for lines that have met the surface.
static void step_sight(const uint8_t *cells, uint8_t *seen, size_t count, uint8_t bit,
                       uint8_t *sight)
{
    for (size_t i = 0; i < count; ++i) {
        sight[i] |= seen[i] & bit;
        seen[i] |= cells[i] == LMB_VOXEL_SURFACE ? 0xff : 0;
    }
}

/// Sweeps along y or z over sheets of `lines` adjacent voxels, forward and backward.
static void look_across(const uint8_t *cells, size_t lines, size_t sheets, int axis, uint8_t *seen,
                        uint8_t *sight)
{
    const uint8_t falling = (uint8_t)(1u << (2 * axis)), rising = (uint8_t)(2u << (2 * axis));
    memset(seen, 0, lines);
    for (size_t n = 0; n < sheets; ++n) {
        step_sight(cells + n * lines, seen, lines, falling, sight + n * lines);
    }
    memset(seen, 0, lines);
    for (size_t n = sheets; n-- > 0;) {
        step_sight(cells + n * lines, seen, lines, rising, sight + n * lines);
    }
}

/// `seen`: scratch for one layer of the grid.
static void look_around(const lmbi_grid *grid, const uint8_t *cells, uint8_t *seen, uint8_t *sight)
{
    const size_t nx = (size_t)grid->nx, ny = (size_t)grid->ny, nz = (size_t)grid->nz,
                 layer = nx * ny;
    look_along_x(grid, cells, sight);
    for (size_t k = 0; k < nz; ++k) {
        look_across(cells + k * layer, nx, ny, 1, seen, sight + k * layer);
    }
    look_across(cells, layer, nz, 2, seen, sight);
}

// Eight voxels at a time, a byte each.
static const uint64_t ONES = 0x0101010101010101u, HIGH = 0x8080808080808080u;

static uint64_t load_eight(const uint8_t *p, size_t count)
{
    uint64_t x = 0;
    memcpy(&x, p, count < sizeof x ? count : sizeof x);
    return x;
}

/// The high bit of each byte of which `least` or more of the six directions are set.
static uint64_t sees(uint64_t sight, unsigned least)
{
    const uint64_t pairs = (sight & 0x15 * ONES) + (sight >> 1 & 0x15 * ONES);
    const uint64_t sum = (pairs & 3 * ONES) + (pairs >> 2 & 3 * ONES) + (pairs >> 4 & 3 * ONES);
    return (sum + (0x80 - least) * ONES) & HIGH;
}

/// The high bit of each byte that is 0; none is above 0x7f.
static uint64_t is_zero(uint64_t x)
{
    return ~(x + 0x7f * ONES) & HIGH;
}

/// Whether `least` of the 26 neighbours are enclosed or surface. v is not on the border of the grid.
static bool has_around(const lmbi_grid *grid, const uint8_t *cells, size_t v, int least)
{
    int n = -(cells[v] != 0);
    for (int dk = -1; dk <= 1 && n < least; ++dk) {
        for (int dj = -1; dj <= 1; ++dj) {
            const uint8_t *row =
                cells + ((ptrdiff_t)v + ((ptrdiff_t)dk * grid->ny + dj) * grid->nx);
            n += (row[-1] != 0) + (row[0] != 0) + (row[1] != 0);
        }
    }
    return n >= least;
}

static void smooth_voxel(const lmbi_grid *grid, size_t v, uint8_t *cells)
{
    if (cells[v] == LMB_VOXEL_OUTSIDE) {
        cells[v] = has_around(grid, cells, v, 18) ? LMB_VOXEL_INSIDE : LMB_VOXEL_OUTSIDE;
    } else if (!has_around(grid, cells, v, 9)) {
        cells[v] = LMB_VOXEL_OUTSIDE;
    }
}

/// Enclosed voxels, and air that sees the surface in four directions.
static void smooth_row(const lmbi_grid *grid, size_t row, const uint8_t *sight, uint8_t *cells)
{
    const size_t end = row + (size_t)grid->nx - 1;
    for (size_t first = row + 1; first < end; first += 8) {
        const uint64_t own = load_eight(cells + first, end - first);
        const uint64_t noisy = (is_zero(own) & sees(load_eight(sight + first, end - first), 4)) |
                               (own << 6 & HIGH); // LMB_VOXEL_INSIDE is 2
        uint8_t each[8];
        memcpy(each, &noisy, sizeof each);
        for (size_t n = 0; noisy && n < 8; ++n) {
            if (each[n]) {
                smooth_voxel(grid, first + n, cells);
            }
        }
    }
}

/// Removes nearly isolated enclosed voxels and fills nearly enclosed gaps: lines of sight are noisy
/// at the rim of a hole.
static void smooth_enclosed(const lmbi_grid *grid, const uint8_t *sight, uint8_t *cells)
{
    for (int32_t k = 1; k < grid->nz - 1; ++k) {
        for (int32_t j = 1; j < grid->ny - 1; ++j) {
            smooth_row(grid, lmbi_grid_index(grid, 0, j, k), sight, cells);
        }
    }
}

static uint8_t bit_of_axis(int open_axis)
{
    const int axis = (open_axis < 0 ? -open_axis : open_axis) - 1;
    return open_axis == 0 ? 0 : (uint8_t)(open_axis < 0 ? 1u << (2 * axis) : 2u << (2 * axis));
}

/// Marks voxels that see the surface in enough directions as inside. `seen`: scratch for one layer
/// of the grid.
static void fill_by_sight(const lmbi_grid *grid, int open_axis, uint8_t *seen, uint8_t *sight,
                          uint8_t *cells)
{
    const size_t count = lmbi_grid_count(grid);
    const bool holes = open_axis != LMB_OPEN_NOWHERE;
    const uint8_t needed = holes ? bit_of_axis(open_axis) : 0;
    look_around(grid, cells, seen, sight);
    for (size_t v = 0; v < count && holes; v += 8) {
        uint64_t own = load_eight(cells + v, count - v);
        const uint64_t seen_by = load_eight(sight + v, count - v);
        own |= (is_zero(own) & sees(seen_by, 5) & is_zero(~seen_by & needed * ONES)) >> 6;
        memcpy(cells + v, &own, count - v < 8 ? count - v : 8);
    }
    smooth_enclosed(grid, sight, cells);
}

/// Marks voxels without a path over faces to the first voxel as inside.
static lmb_result fill_enclosed(const lmbi_grid *grid, uint8_t *cells, const lmb_allocator *alloc,
                                lmb_error *error)
{
    lmbi_voxel_runs air;
    const lmb_result result = lmbi_voxel_runs_create(grid, cells, false, alloc, &air, error);
    if (result != LMB_OK) {
        return result;
    }
    const bool open = cells[0] == LMB_VOXEL_OUTSIDE; // then the first run contains the first voxel
    for (uint32_t k = 0; k < air.count; ++k) {
        if (!open || lmbi_voxel_runs_piece(&air, k) != 0) {
            const lmbi_voxel_run run = air.items[k];
            memset(cells + run.from, LMB_VOXEL_INSIDE, run.to - run.from);
        }
    }
    lmbi_voxel_runs_destroy(&air);
    return LMB_OK;
}

lmb_result lmbi_voxels_fill(const lmbi_grid *grid, int open_axis, uint8_t *cells,
                            const lmb_allocator *alloc, lmb_error *error)
{
    lmb_result result = fill_enclosed(grid, cells, alloc, error);
    if (result != LMB_OK) {
        return result;
    }
    uint8_t *sight = lmbi_alloc_array(alloc, lmbi_grid_count(grid), 1);
    uint8_t *seen = lmbi_alloc_array(alloc, (size_t)grid->nx * (size_t)grid->ny, 1);
    if (sight && seen) {
        fill_by_sight(grid, open_axis, seen, sight, cells);
        result = fill_enclosed(grid, cells, alloc, error);
    } else {
        result = lmbi_fail_memory(error);
    }
    lmbi_free(alloc, sight);
    lmbi_free(alloc, seen);
    return result;
}
