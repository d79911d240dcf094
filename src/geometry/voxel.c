#include "base/alloc.h"
#include "base/error.h"
#include "geometry/volume.h"
#include "limber/geometry.h"

#include <math.h>
#include <string.h>

lmb_result lmbi_grid_around(lmb_box box, float cell, int32_t margin, lmbi_grid *out,
                            lmb_error *error)
{
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    if (!(cell > 0) || !lmb_vec3_is_finite(size) || size.x < 0 || size.y < 0 || size.z < 0 ||
        margin < 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a box and a cell with a size", "cell %g",
                         (double)cell);
    }
    const float cells[3] = {size.x / cell, size.y / cell, size.z / cell};
    double total = 1;
    int32_t count[3];
    for (int a = 0; a < 3; ++a) {
        const double n = ceil((double)cells[a]) + 1 + 2.0 * margin;
        total *= n;
        if (!(n < 1e6) || !(total <= 268435456.0)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "at most 2^28 voxels", "cell %g",
                             (double)cell);
        }
        count[a] = (int32_t)n;
    }
    // Centred, so that a mirrored shape gives mirrored voxels.
    const lmb_vec3 middle = lmb_vec3_scale(lmb_vec3_add(box.low, box.high), 0.5f);
    const lmb_vec3 half = {0.5f * cell * (float)count[0], 0.5f * cell * (float)count[1],
                           0.5f * cell * (float)count[2]};
    *out = (lmbi_grid){lmb_vec3_sub(middle, half), cell, count[0], count[1], count[2]};
    return LMB_OK;
}

lmb_vec3 lmbi_grid_center(const lmbi_grid *grid, size_t index)
{
    // 32-bit divisions, which suffice for 2^28 voxels, take a third of the time of 64-bit ones
    const uint32_t v = (uint32_t)index, nx = (uint32_t)grid->nx, ny = (uint32_t)grid->ny;
    const uint32_t row = v / nx, k = row / ny, i = v - row * nx, j = row - k * ny;
    return lmb_vec3_make(grid->low.x + grid->cell * ((float)i + 0.5f),
                         grid->low.y + grid->cell * ((float)j + 0.5f),
                         grid->low.z + grid->cell * ((float)k + 0.5f));
}

static int32_t clamp_cell(float x, int32_t n)
{
    if (!(x > 0)) {
        return 0;
    }
    return x >= (float)(n - 1) ? n - 1 : (int32_t)x;
}

size_t lmbi_grid_voxel_at(const lmbi_grid *grid, lmb_vec3 point)
{
    const lmb_vec3 p = lmb_vec3_scale(lmb_vec3_sub(point, grid->low), 1.0f / grid->cell);
    return lmbi_grid_index(grid, clamp_cell(p.x, grid->nx), clamp_cell(p.y, grid->ny),
                           clamp_cell(p.z, grid->nz));
}

// ---- marking: a triangle touches a cube unless one of 13 axes separates them (Akenine-Moller
// 2001)

static bool axis_separates(lmb_vec3 axis, const lmb_vec3 t[3], float half)
{
    const float a = lmb_vec3_dot(axis, t[0]), b = lmb_vec3_dot(axis, t[1]),
                c = lmb_vec3_dot(axis, t[2]);
    const float reach = half * (fabsf(axis.x) + fabsf(axis.y) + fabsf(axis.z));
    return (a > reach && b > reach && c > reach) || (a < -reach && b < -reach && c < -reach);
}

/// Whether a row of cubes along x may be touched, by the three axes without x, which cannot
/// separate cubes within a row. The triangle is relative to the centre of any cube of the row.
static bool touches_row(const lmb_vec3 t[3], const lmb_vec3 edges[3])
{
    for (int e = 0; e < 3; ++e) {
        const lmb_vec3 d = edges[e];
        if (axis_separates(lmb_vec3_make(0, -d.z, d.y), t, 0.5f)) {
            return false;
        }
    }
    return true;
}

/// The triangle is in cells, relative to the cube's centre. Assumes that the bounds overlap and
/// touches_row is true.
static bool touches(const lmb_vec3 t[3], lmb_vec3 normal, const lmb_vec3 edges[3])
{
    const float half = 0.5f;
    if (axis_separates(normal, t, half)) {
        return false;
    }
    for (int e = 0; e < 3; ++e) {
        const lmb_vec3 d = edges[e];
        if (axis_separates(lmb_vec3_make(d.z, 0, -d.x), t, half) ||
            axis_separates(lmb_vec3_make(-d.y, d.x, 0), t, half)) {
            return false;
        }
    }
    return true;
}

enum { LONG = 4 }; // shortest run worth narrowing, in cells

typedef struct marking {
    const lmbi_grid *grid;
    uint8_t *cells;
    lmb_vec3 p[3]; ///< in cells, from the grid's low corner
    lmb_vec3 edges[3], normal;
} marking;

/// Narrows a run of cells [*first, *last] to those that an axis may not separate from the triangle,
/// conservatively; empty if *first > *last. The axis has the component `along` in the direction of
/// the run and `beside` (of absolute values) across it; `least` and `most` bound the triangle along
/// the axis, relative to the centre of cell 0.
static void keep_near(float along, float beside, float least, float most, int32_t count,
                      int32_t *first, int32_t *last)
{
    // cell i overlaps if along * i is within half of |along| + beside of these
    const float across = fabsf(along), reach = 0.501f * (across + beside);
    least -= reach;
    most += reach;
    if (across > 1e-3f * beside) {
        const float ends[2] = {least / along, most / along};
        const int32_t low = clamp_cell(fminf(ends[0], ends[1]) - 1, count),
                      high = clamp_cell(fmaxf(ends[0], ends[1]) + 2, count);
        *first = *first > low ? *first : low;
        *last = *last < high ? *last : high;
    } else if (least > across * (float)*last || most < -across * (float)*last) {
        *last = *first - 1;
    }
}

/// Narrows a run along x by any axis; `t` is the triangle relative to the cube i = 0.
static void keep_near_x(const marking *m, lmb_vec3 n, const lmb_vec3 t[3], int32_t *i0, int32_t *i1)
{
    const float a = lmb_vec3_dot(n, t[0]), b = lmb_vec3_dot(n, t[1]), c = lmb_vec3_dot(n, t[2]);
    keep_near(n.x, fabsf(n.y) + fabsf(n.z), fminf(a, fminf(b, c)), fmaxf(a, fmaxf(b, c)),
              m->grid->nx, i0, i1);
}

/// Narrows the rows of one k by the triangle's projection along x.
static void narrow_rows(const marking *m, int32_t k, int32_t *j0, int32_t *j1)
{
    const float y = 0.5f, z = (float)k + 0.5f;
    for (int e = 0; e < 3; ++e) {
        const float ny = -m->edges[e].z, nz = m->edges[e].y;
        float d[3];
        for (int c = 0; c < 3; ++c) {
            d[c] = ny * (m->p[c].y - y) + nz * (m->p[c].z - z);
        }
        keep_near(ny, fabsf(nz), fminf(d[0], fminf(d[1], d[2])), fmaxf(d[0], fmaxf(d[1], d[2])),
                  m->grid->ny, j0, j1);
    }
}

/// Narrows by the plane first, which excludes most of the bounds of a large triangle, then by the
/// edges, which exclude most of the bounds of a long thin one.
static void narrow_row(const marking *m, const lmb_vec3 t[3], int32_t *i0, int32_t *i1)
{
    if (*i1 - *i0 >= LONG) {
        keep_near_x(m, m->normal, t, i0, i1);
    }
    for (int e = 0; e < 3 && *i1 - *i0 >= 2 * LONG; ++e) {
        const lmb_vec3 d = m->edges[e];
        keep_near_x(m, lmb_vec3_make(d.z, 0, -d.x), t, i0, i1);
        keep_near_x(m, lmb_vec3_make(-d.y, d.x, 0), t, i0, i1);
    }
}

static void mark_row(const marking *m, int32_t i0, int32_t i1, int32_t j, int32_t k)
{
    const lmb_vec3 first = {0.5f, (float)j + 0.5f, (float)k + 0.5f};
    const lmb_vec3 from[3] = {lmb_vec3_sub(m->p[0], first), lmb_vec3_sub(m->p[1], first),
                              lmb_vec3_sub(m->p[2], first)};
    narrow_row(m, from, &i0, &i1);
    uint8_t *row = m->cells + lmbi_grid_index(m->grid, 0, j, k);
    // Skips marked cells: where many triangles overlap, most are.
    while (i0 <= i1 && row[i0] == LMB_VOXEL_SURFACE) {
        ++i0;
    }
    if (i0 > i1 || !touches_row(from, m->edges)) {
        return;
    }
    for (int32_t i = i0; i <= i1; ++i) {
        if (row[i] == LMB_VOXEL_SURFACE) {
            continue;
        }
        const lmb_vec3 center = lmb_vec3_make((float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f);
        const lmb_vec3 t[3] = {lmb_vec3_sub(m->p[0], center), lmb_vec3_sub(m->p[1], center),
                               lmb_vec3_sub(m->p[2], center)};
        if (touches(t, m->normal, m->edges)) {
            row[i] = LMB_VOXEL_SURFACE;
        }
    }
}

static void mark_triangle(const lmbi_grid *grid, const lmb_vec3 corner[3], uint8_t *cells)
{
    const float per_cell = 1.0f / grid->cell;
    marking m = {.grid = grid, .cells = cells};
    for (int c = 0; c < 3; ++c) {
        m.p[c] = lmb_vec3_scale(lmb_vec3_sub(corner[c], grid->low), per_cell);
    }
    const lmb_box box = lmb_box_of(m.p, 3);
    if (box.high.x < 0 || box.high.y < 0 || box.high.z < 0 || box.low.x >= (float)grid->nx ||
        box.low.y >= (float)grid->ny || box.low.z >= (float)grid->nz) {
        return;
    }
    const int32_t i0 = clamp_cell(box.low.x, grid->nx), i1 = clamp_cell(box.high.x, grid->nx);
    const int32_t j0 = clamp_cell(box.low.y, grid->ny), j1 = clamp_cell(box.high.y, grid->ny);
    const int32_t k0 = clamp_cell(box.low.z, grid->nz), k1 = clamp_cell(box.high.z, grid->nz);
    if (i0 == i1 && j0 == j1 && k0 == k1) {
        cells[lmbi_grid_index(grid, i0, j0, k0)] = LMB_VOXEL_SURFACE;
        return;
    }
    for (int e = 0; e < 3; ++e) {
        m.edges[e] = lmb_vec3_sub(m.p[(e + 1) % 3], m.p[e]);
    }
    m.normal = lmb_vec3_cross(m.edges[0], m.edges[1]);
    for (int32_t k = k0; k <= k1; ++k) {
        int32_t first = j0, last = j1;
        if (j1 - j0 >= LONG) {
            narrow_rows(&m, k, &first, &last);
        }
        for (int32_t j = first; j <= last; ++j) {
            mark_row(&m, i0, i1, j, k);
        }
    }
}

void lmbi_voxels_mark(const lmbi_grid *grid, const lmb_vec3 *positions, const uint32_t *triangles,
                      uint32_t triangle_count, uint8_t *cells)
{
    for (uint32_t t = 0; t < triangle_count; ++t) {
        const lmb_vec3 corner[3] = {positions[triangles[3 * t]], positions[triangles[3 * t + 1]],
                                    positions[triangles[3 * t + 2]]};
        mark_triangle(grid, corner, cells);
    }
}
