#include "base/alloc.h"
#include "base/error.h"
#include "geometry/volume.h"
#include "limber/geometry.h"

#include <math.h>

static const float FAR = 1e18f; ///< squared; larger than any distance in a grid

typedef struct lower_envelope {
    float *value;    ///< [n] squared distances along the line
    int32_t *place;  ///< [n] apex of each parabola
    float *boundary; ///< [n + 1] where parabola k becomes the lowest
    float *lines;    ///< [BESIDE n] copies of strided lines
} lower_envelope;

/// out(q) = min over p of (q - p)^2 + f(p), in place along one line (Felzenszwalb, Huttenlocher
/// 2012, algorithm 1).
static void transform_line(float *line, int32_t n, lower_envelope *e)
{
    int32_t top = -1;
    for (int32_t q = 0; q < n; ++q) {
        const float f = line[q];
        e->value[q] = f;
        if (f >= FAR) {
            continue;
        }
        float s = -FAR;
        while (top >= 0) {
            const int32_t p = e->place[top];
            s = ((f - e->value[p]) + (float)(q - p) * (float)(q + p)) / (2.0f * (float)(q - p));
            if (s > e->boundary[top]) {
                break;
            }
            --top;
        }
        ++top;
        e->place[top] = q;
        e->boundary[top] = top == 0 ? -FAR : s;
    }
    if (top < 0) {
        return;
    }
    int32_t at = 0;
    for (int32_t q = 0; q < n; ++q) {
        while (at < top && e->boundary[at + 1] < (float)q) {
            ++at;
        }
        const float d = (float)(q - e->place[at]);
        line[q] = d * d + e->value[e->place[at]];
    }
}

/// The same for each run of nonzero values: a 0 separates runs.
static void transform_runs(float *line, int32_t n, lower_envelope *e)
{
    for (int32_t q = 0; q < n; ++q) {
        if (!(line[q] > 0)) {
            continue;
        }
        const int32_t first = q > 0 ? q - 1 : 0;
        while (q < n && line[q] > 0) {
            ++q;
        }
        const int32_t last = q < n ? q : n - 1;
        transform_line(line + first, last - first + 1, e);
    }
}

enum { BESIDE = 16 }; ///< lines processed together, as they share cache lines

/// Transforms up to BESIDE adjacent lines, their elements `stride` apart. Lines of air are skipped.
static void transform_beside(float *field, size_t stride, int32_t n, size_t count,
                             lower_envelope *e)
{
    float most[BESIDE] = {0};
    for (int32_t q = 0; q < n; ++q) {
        for (size_t i = 0; i < count; ++i) {
            const float f = field[(size_t)q * stride + i];
            e->lines[i * (size_t)n + (size_t)q] = f;
            most[i] = f > most[i] ? f : most[i];
        }
    }
    for (size_t i = 0; i < count; ++i) {
        if (!(most[i] > 0)) {
            continue;
        }
        float *line = e->lines + i * (size_t)n;
        transform_runs(line, n, e);
        for (int32_t q = 0; q < n; ++q) {
            field[(size_t)q * stride + i] = line[q];
        }
    }
}

/// Extent of the solid along x in some rows, [from, to); empty if from >= to.
typedef struct span {
    int32_t from, to;
} span;

static span span_of(const uint8_t *row, int32_t nx)
{
    span s = {0, nx};
    while (s.from < nx && !row[s.from]) {
        ++s.from;
    }
    while (s.to > s.from && !row[s.to - 1]) {
        --s.to;
    }
    return s;
}

/// Transforms the lines along y or z of a sheet of the grid: `n` rows, `stride` apart, with spans
/// `span_stride` apart. Voxels outside all spans are air, as are rows before the first and after
/// the last nonempty span.
static void transform_sheet(float *sheet, size_t stride, const span *spans, size_t span_stride,
                            int32_t n, lower_envelope *e)
{
    span all = {INT32_MAX, 0};
    int32_t first = n, last = 0;
    for (int32_t q = 0; q < n; ++q) {
        const span s = spans[(size_t)q * span_stride];
        if (s.from < s.to) {
            all.from = s.from < all.from ? s.from : all.from;
            all.to = s.to > all.to ? s.to : all.to;
            first = q < first ? q : first;
            last = q;
        }
    }
    // includes the air next to the solid
    first = first > 0 ? first - 1 : 0;
    last = last + 1 < n ? last + 1 : last;
    for (int32_t i = all.from; i < all.to; i += BESIDE) {
        transform_beside(sheet + (size_t)first * stride + i, stride, last - first + 1,
                         (size_t)(all.to - i < BESIDE ? all.to - i : BESIDE), e);
    }
}

static void transform(const lmbi_grid *grid, const span *spans, float *field, lower_envelope *e)
{
    const size_t nx = (size_t)grid->nx, ny = (size_t)grid->ny, nz = (size_t)grid->nz;
    for (size_t row = 0; row < ny * nz; ++row) {
        if (spans[row].from < spans[row].to) {
            transform_runs(field + row * nx, grid->nx, e);
        }
    }
    for (size_t k = 0; k < nz; ++k) {
        transform_sheet(field + k * nx * ny, nx, spans + k * ny, 1, grid->ny, e);
    }
    for (size_t j = 0; j < ny; ++j) {
        transform_sheet(field + j * nx, nx * ny, spans + j, ny, grid->nz, e);
    }
    for (size_t row = 0; row < ny * nz; ++row) {
        for (int32_t i = spans[row].from; i < spans[row].to; ++i) {
            field[row * nx + (size_t)i] = lmb_sqrt(field[row * nx + (size_t)i]);
        }
    }
}

lmb_result lmbi_distance_transform(const lmbi_grid *grid, const uint8_t *cells, float *out_distance,
                                   const lmb_allocator *alloc, lmb_error *error)
{
    const int32_t size[3] = {grid->nx, grid->ny, grid->nz};
    const int32_t longest = size[0] > size[1] ? (size[0] > size[2] ? size[0] : size[2])
                                              : (size[1] > size[2] ? size[1] : size[2]);
    lower_envelope e = {lmbi_alloc_array(alloc, (size_t)longest, sizeof(float)),
                        lmbi_alloc_array(alloc, (size_t)longest, sizeof(int32_t)),
                        lmbi_alloc_array(alloc, (size_t)longest + 1, sizeof(float)),
                        lmbi_alloc_array(alloc, (size_t)longest, BESIDE * sizeof(float))};
    const size_t rows = (size_t)grid->ny * (size_t)grid->nz, nx = (size_t)grid->nx;
    span *spans = lmbi_alloc_array(alloc, rows, sizeof *spans);
    const bool room = e.value && e.place && e.boundary && e.lines && spans;
    if (room) {
        for (size_t row = 0; row < rows; ++row) {
            spans[row] = span_of(cells + row * nx, grid->nx);
        }
        for (size_t v = 0; v < rows * nx; ++v) {
            out_distance[v] = cells[v] ? FAR : 0;
        }
        transform(grid, spans, out_distance, &e);
    }
    lmbi_free(alloc, spans);
    lmbi_free(alloc, e.value);
    lmbi_free(alloc, e.place);
    lmbi_free(alloc, e.boundary);
    lmbi_free(alloc, e.lines);
    return room ? LMB_OK : lmbi_fail_memory(error);
}

float lmbi_field_sample(const lmbi_grid *grid, const float *field, lmb_vec3 point)
{
    const lmb_vec3 p = lmb_vec3_scale(lmb_vec3_sub(point, grid->low), 1.0f / grid->cell);
    const float at[3] = {p.x - 0.5f, p.y - 0.5f, p.z - 0.5f};
    const int32_t n[3] = {grid->nx, grid->ny, grid->nz};
    const size_t stride[3] = {1, (size_t)grid->nx, (size_t)grid->nx * (size_t)grid->ny};
    size_t low = 0, step[3];
    float t[3];
    for (int a = 0; a < 3; ++a) {
        const float last = (float)(n[a] - 1), above = at[a] > 0 ? at[a] : 0;
        const float x = above < last ? above : last;
        const int32_t cell = (int32_t)x;
        low += (size_t)cell * stride[a];
        step[a] = cell + 1 < n[a] ? stride[a] : 0;
        t[a] = x - (float)cell;
    }
    float value = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const int cx = corner & 1, cy = corner >> 1 & 1, cz = corner >> 2;
        const float w = (cx ? t[0] : 1 - t[0]) * (cy ? t[1] : 1 - t[1]) * (cz ? t[2] : 1 - t[2]);
        value += w * field[low + (cx ? step[0] : 0) + (cy ? step[1] : 0) + (cz ? step[2] : 0)];
    }
    return value;
}
