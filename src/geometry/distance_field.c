#include "base/alloc.h"
#include "base/error.h"
#include "limber/geometry.h"

#include <math.h>

static const float FAR = 1e18f; ///< squared; no voxel is so far

typedef struct lower_envelope {
    float *value;    ///< [n] squared distances along the line
    int32_t *place;  ///< [n] apex of each parabola
    float *boundary; ///< [n + 1] where parabola k takes over
} lower_envelope;

/// out(q) = min over p of (q - p)^2 + f(p), in place along one line (Felzenszwalb, Huttenlocher
/// 2012, algorithm 1).
static void transform_line(float *line, size_t stride, int32_t n, lower_envelope *e)
{
    int32_t top = -1;
    for (int32_t q = 0; q < n; ++q) {
        const float f = line[(size_t)q * stride];
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
        line[(size_t)q * stride] = d * d + e->value[e->place[at]];
    }
}

/// The same, run by run of what is not 0: nothing reaches past a 0.
static void transform_runs(float *line, size_t stride, int32_t n, lower_envelope *e)
{
    for (int32_t q = 0; q < n; ++q) {
        if (!(line[(size_t)q * stride] > 0)) {
            continue;
        }
        const int32_t first = q > 0 ? q - 1 : 0;
        while (q < n && line[(size_t)q * stride] > 0) {
            ++q;
        }
        const int32_t last = q < n ? q : n - 1;
        transform_line(line + (size_t)first * stride, stride, last - first + 1, e);
    }
}

lmb_result lmb_distance_transform(const lmb_grid *grid, const uint8_t *cells, float *out_distance,
                                  const lmb_allocator *alloc, lmb_error *error)
{
    const int32_t size[3] = {grid->nx, grid->ny, grid->nz};
    const int32_t longest = size[0] > size[1] ? (size[0] > size[2] ? size[0] : size[2])
                                              : (size[1] > size[2] ? size[1] : size[2]);
    lower_envelope e = {lmbi_alloc_array(alloc, (size_t)longest, sizeof(float)),
                        lmbi_alloc_array(alloc, (size_t)longest, sizeof(int32_t)),
                        lmbi_alloc_array(alloc, (size_t)longest + 1, sizeof(float))};
    lmb_result result = LMB_OK;
    if (!e.value || !e.place || !e.boundary) {
        result = lmbi_fail_memory(error);
    } else {
        const size_t count = lmb_grid_count(grid);
        for (size_t v = 0; v < count; ++v) {
            out_distance[v] = cells[v] ? FAR : 0;
        }
        const size_t stride[3] = {1, (size_t)grid->nx, (size_t)grid->nx * (size_t)grid->ny};
        for (int a = 0; a < 3; ++a) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            for (int32_t q = 0; q < size[c]; ++q) {
                for (int32_t p = 0; p < size[b]; ++p) {
                    transform_runs(out_distance + (size_t)p * stride[b] + (size_t)q * stride[c],
                                   stride[a], size[a], &e);
                }
            }
        }
        for (size_t v = 0; v < count; ++v) {
            out_distance[v] = lmb_sqrt(out_distance[v]);
        }
    }
    lmbi_free(alloc, e.value);
    lmbi_free(alloc, e.place);
    lmbi_free(alloc, e.boundary);
    return result;
}

float lmb_field_sample(const lmb_grid *grid, const float *field, lmb_vec3 point)
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
