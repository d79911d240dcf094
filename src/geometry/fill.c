/// Which voxels a surface encloses: flood from outside, and sight lines where the surface has
/// holes.
#include "base/alloc.h"
#include "base/error.h"
#include "limber/geometry.h"

#include <string.h>

enum { REACHED = 0x80 }; ///< set on a cell while flooding

typedef struct flooding {
    const lmb_grid *grid;
    uint8_t *cells;
    uint32_t *stack; ///< every voxel is there at most once
    size_t top;
} flooding;

/// Puts one voxel of each dry run on the stack, of those `from` to `to`.
static void wet_runs(flooding *f, size_t from, size_t to)
{
    bool dry = false;
    for (size_t v = from; v <= to; ++v) {
        const bool is_dry = f->cells[v] == LMB_VOXEL_OUTSIDE;
        if (is_dry && !dry) {
            f->cells[v] = REACHED;
            f->stack[f->top++] = (uint32_t)v;
        }
        dry = is_dry;
    }
}

/// Marks the voxels of kind OUTSIDE that a 6-connected flood from index 0 reaches, a row at a time.
static void flood(const lmb_grid *grid, uint8_t *cells, uint32_t *stack)
{
    const size_t nx = (size_t)grid->nx, ny = (size_t)grid->ny, layer = nx * ny;
    flooding f = {grid, cells, stack, 0};
    cells[0] |= REACHED;
    stack[f.top++] = 0;
    while (f.top > 0) {
        const size_t v = stack[--f.top], row = v / nx, start = row * nx, end = start + nx - 1;
        size_t from = v, to = v;
        for (; from > start && cells[from - 1] == LMB_VOXEL_OUTSIDE; --from) {
            cells[from - 1] = REACHED;
        }
        for (; to < end && cells[to + 1] == LMB_VOXEL_OUTSIDE; ++to) {
            cells[to + 1] = REACHED;
        }
        const size_t j = row % ny, k = row / ny;
        if (j > 0) {
            wet_runs(&f, from - nx, to - nx);
        }
        if (j + 1 < ny) {
            wet_runs(&f, from + nx, to + nx);
        }
        if (k > 0) {
            wet_runs(&f, from - layer, to - layer);
        }
        if (k + 1 < (size_t)grid->nz) {
            wet_runs(&f, from + layer, to + layer);
        }
    }
}

/// What the flood reached is outside, the rest of what was outside is inside.
static void settle(uint8_t *cells, size_t count)
{
    for (size_t v = 0; v < count; ++v) {
        if (cells[v] == REACHED) {
            cells[v] = LMB_VOXEL_OUTSIDE;
        } else if (cells[v] == LMB_VOXEL_OUTSIDE) {
            cells[v] = LMB_VOXEL_INSIDE;
        }
    }
}

/// sight[v] bit (2 * axis + 1) when a surface voxel lies beyond v in that axis's rising direction,
/// bit 2 * axis for the falling one.
static void look_along(const lmb_grid *grid, const uint8_t *cells, int axis, uint8_t *sight)
{
    const size_t stride[3] = {1, (size_t)grid->nx, (size_t)grid->nx * (size_t)grid->ny};
    const size_t size[3] = {(size_t)grid->nx, (size_t)grid->ny, (size_t)grid->nz};
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    const uint8_t falling = (uint8_t)(1u << (2 * axis)), rising = (uint8_t)(2u << (2 * axis));
    for (size_t q = 0; q < size[c]; ++q) {
        for (size_t p = 0; p < size[b]; ++p) {
            const size_t start = p * stride[b] + q * stride[c];
            bool seen = false;
            for (size_t n = 0; n < size[axis]; ++n) {
                const size_t v = start + n * stride[axis];
                sight[v] |= seen ? falling : 0;
                seen = seen || cells[v] == LMB_VOXEL_SURFACE;
            }
            seen = false;
            for (size_t n = size[axis]; n-- > 0;) {
                const size_t v = start + n * stride[axis];
                sight[v] |= seen ? rising : 0;
                seen = seen || cells[v] == LMB_VOXEL_SURFACE;
            }
        }
    }
}

static int bits_of(unsigned x)
{
    int n = 0;
    for (; x; x &= x - 1) {
        ++n;
    }
    return n;
}

/// How many of the 26 neighbours are enclosed or surface. v is not on the border of the grid.
static int solid_around(const lmb_grid *grid, const uint8_t *cells, size_t v)
{
    int n = 0;
    for (int dk = -1; dk <= 1; ++dk) {
        for (int dj = -1; dj <= 1; ++dj) {
            const uint8_t *row =
                cells + ((ptrdiff_t)v + ((ptrdiff_t)dk * grid->ny + dj) * grid->nx);
            n += (row[-1] != 0) + (row[0] != 0) + (row[1] != 0);
        }
    }
    return n - (cells[v] != 0);
}

/// Takes back enclosed voxels that stand nearly alone in the air, and fills gaps nearly closed:
/// sight lines are noisy at the rim of a hole.
static void smooth_enclosed(const lmb_grid *grid, const uint8_t *sight, uint8_t *cells)
{
    for (int32_t k = 1; k < grid->nz - 1; ++k) {
        for (int32_t j = 1; j < grid->ny - 1; ++j) {
            for (int32_t i = 1; i < grid->nx - 1; ++i) {
                const size_t v = lmb_grid_index(grid, i, j, k);
                if (cells[v] == LMB_VOXEL_OUTSIDE && bits_of(sight[v]) >= 4 &&
                    solid_around(grid, cells, v) >= 18) {
                    cells[v] = LMB_VOXEL_INSIDE;
                } else if (cells[v] == LMB_VOXEL_INSIDE && solid_around(grid, cells, v) < 9) {
                    cells[v] = LMB_VOXEL_OUTSIDE;
                }
            }
        }
    }
}

static uint8_t bit_of_axis(int open_axis)
{
    const int axis = (open_axis < 0 ? -open_axis : open_axis) - 1;
    return open_axis == 0 ? 0 : (uint8_t)(open_axis < 0 ? 1u << (2 * axis) : 2u << (2 * axis));
}

/// What sees the surface nearly all around becomes inside.
static void fill_by_sight(const lmb_grid *grid, int open_axis, uint8_t *sight, uint8_t *cells)
{
    const size_t count = lmb_grid_count(grid);
    for (int axis = 0; axis < 3; ++axis) {
        look_along(grid, cells, axis, sight);
    }
    const bool holes = open_axis != LMB_OPEN_NOWHERE;
    const uint8_t needed = holes ? bit_of_axis(open_axis) : 0;
    for (size_t v = 0; v < count; ++v) {
        const int seen = bits_of(sight[v]);
        if (holes && cells[v] == LMB_VOXEL_OUTSIDE && seen >= 5 && (sight[v] & needed) == needed) {
            cells[v] = LMB_VOXEL_INSIDE;
        }
    }
    smooth_enclosed(grid, sight, cells);
}

lmb_result lmb_voxels_fill(const lmb_grid *grid, int open_axis, uint8_t *cells,
                           const lmb_allocator *alloc, lmb_error *error)
{
    const size_t count = lmb_grid_count(grid);
    uint32_t *stack = lmbi_alloc_array(alloc, count, sizeof *stack);
    uint8_t *sight = lmbi_alloc_array(alloc, count, 1);
    if (!stack || !sight) {
        lmbi_free(alloc, stack);
        lmbi_free(alloc, sight);
        return lmbi_fail_memory(error);
    }
    flood(grid, cells, stack);
    settle(cells, count);
    fill_by_sight(grid, open_axis, sight, cells);
    flood(grid, cells, stack);
    settle(cells, count);
    lmbi_free(alloc, stack);
    lmbi_free(alloc, sight);
    return LMB_OK;
}
