#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lmb_result lmbi_medial_paths(const lmbi_voxel_body *body, uint32_t *out_previous, lmb_error *error)
{
    const size_t voxels = lmbi_grid_count(&body->grid);
    float *slowness = lmbi_alloc_unset(body->alloc, voxels, sizeof(float));
    float *distance = lmbi_alloc_unset(body->alloc, voxels, sizeof(float));
    lmb_result result = LMB_OK;
    if (!slowness || !distance) {
        result = lmbi_fail_memory(error);
    } else {
        for (uint32_t s = 0; s < body->solid_count; ++s) {
            const uint32_t v = body->solid[s];
            const float d = body->depth[v] + 0.3f;
            slowness[v] = 100.0f / (d * d);
        }
        const lmbi_geodesic_job job = {.grid = &body->grid,
                                       .cells = body->cells,
                                       .slowness = slowness,
                                       .seeds = &body->center,
                                       .seed_count = 1,
                                       .out_distance = distance,
                                       .out_previous = out_previous};
        result = lmbi_geodesic(&job, body->alloc, error);
    }
    lmbi_free(body->alloc, slowness);
    lmbi_free(body->alloc, distance);
    return result;
}

enum { MAX_STEPS = 2048 };

static void smooth_line(lmb_vec3 *p, uint32_t count, int rounds)
{
    for (int r = 0; r < rounds; ++r) {
        lmb_vec3 before = p[0];
        for (uint32_t k = 1; k + 1 < count; ++k) {
            const lmb_vec3 here = p[k];
            const lmb_vec3 ends = lmb_vec3_lerp(before, p[k + 1], 0.5f);
            p[k] = lmb_vec3_lerp(here, ends, 0.5f);
            before = here;
        }
    }
}

static void resample_line(const lmb_vec3 *p, uint32_t count, float total, lmbi_limb_profile *out)
{
    out->count = LMBI_LIMB_SAMPLES;
    out->step = total / (float)(LMBI_LIMB_SAMPLES - 1);
    float before = 0;
    uint32_t k = 0;
    for (uint32_t n = 0; n < out->count; ++n) {
        const float arc = out->step * (float)n;
        float length = k + 1 < count ? lmb_vec3_distance(p[k], p[k + 1]) : 0;
        while (k + 2 < count && before + length < arc) {
            before += length;
            ++k;
            length = lmb_vec3_distance(p[k], p[k + 1]);
        }
        const float t = length > 0 ? fminf(1, (arc - before) / length) : 0;
        out->at[n] = k + 1 < count ? lmb_vec3_lerp(p[k], p[k + 1], t) : p[k];
    }
}

/// Appends the path from a voxel to the center to the `count` points in p; returns the new count.
static uint32_t follow_path(const lmbi_voxel_body *body, const uint32_t *previous, uint32_t from,
                            lmb_vec3 *p, uint32_t count)
{
    for (uint32_t v = from; count < MAX_STEPS; v = previous[v]) {
        p[count++] = lmbi_grid_center(&body->grid, v);
        if (previous[v] == v) {
            break;
        }
    }
    return count;
}

void lmbi_limb_from_points(const lmbi_voxel_body *body, const lmb_vec3 *p, uint32_t count,
                           lmbi_limb_profile *out)
{
    float total = 0;
    for (uint32_t k = 1; k < count; ++k) {
        total += lmb_vec3_distance(p[k - 1], p[k]);
    }
    memset(out, 0, sizeof *out);
    resample_line(p, count, total, out);
    for (uint32_t n = 0; n < out->count; ++n) {
        out->depth[n] = lmbi_field_sample(&body->grid, body->depth, out->at[n]) * body->grid.cell;
    }
}

void lmbi_limb_trace(const lmbi_voxel_body *body, const uint32_t *previous, uint32_t tip,
                     lmbi_limb_profile *out)
{
    lmb_vec3 p[MAX_STEPS];
    const uint32_t count = follow_path(body, previous, tip, p, 0);
    smooth_line(p, count, 12);
    lmbi_limb_from_points(body, p, count, out);
}

void lmbi_limb_trace_through(const lmbi_voxel_body *body, const uint32_t *previous,
                             const lmb_vec3 *through, uint32_t count, lmbi_limb_profile *out)
{
    lmb_vec3 p[MAX_STEPS];
    uint32_t steps = 0;
    for (uint32_t k = 0; k + 1 < count; ++k) {
        p[steps++] = through[k];
    }
    const lmb_vec3 last = through[count - 1];
    const uint32_t nearest = lmbi_body_nearest_voxel(body, last);
    const uint32_t leads = steps;
    steps = follow_path(body, previous, nearest, p, leads);
    p[leads] = last;
    smooth_line(p + leads, steps - leads, 12);
    lmbi_limb_from_points(body, p, steps, out);
}

float lmbi_limb_arc(const lmbi_limb_profile *limb, lmb_vec3 p)
{
    uint32_t best = 0;
    for (uint32_t n = 1; n < limb->count; ++n) {
        best = lmb_vec3_distance(limb->at[n], p) < lmb_vec3_distance(limb->at[best], p) ? n : best;
    }
    return (float)best * limb->step;
}

lmb_vec3 lmbi_limb_direction(const lmbi_limb_profile *limb, uint32_t sample)
{
    const uint32_t wide = (uint32_t)(0.035f / fmaxf(limb->step, 1e-4f)) + 1;
    const uint32_t a = sample > wide ? sample - wide : 0,
                   b = sample + wide < limb->count ? sample + wide : limb->count - 1;
    return lmb_vec3_normalize_or(lmb_vec3_sub(limb->at[b], limb->at[a]), lmb_vec3_make(0, 1, 0));
}

lmb_vec3 lmbi_limb_point(const lmbi_limb_profile *limb, float arc)
{
    const float x = fminf(fmaxf(arc / fmaxf(limb->step, 1e-6f), 0), (float)(limb->count - 1));
    const uint32_t k = (uint32_t)x < limb->count - 1 ? (uint32_t)x : limb->count - 2;
    return lmb_vec3_lerp(limb->at[k], limb->at[k + 1], x - (float)k);
}

float lmbi_section_area(const lmbi_voxel_body *body, lmb_vec3 p, lmb_vec3 normal, float reach,
                        uint8_t *scratch, lmb_vec3 *out_center)
{
    const lmb_vec3 u = lmb_vec3_any_perpendicular(normal), v = lmb_vec3_cross(normal, u);
    const int half = LMBI_SECTION_CELLS / 2;
    const float step = fmaxf(body->grid.cell, reach / (float)half);
    uint16_t stack[LMBI_SECTION_CELLS * LMBI_SECTION_CELLS];
    uint32_t top = 0, found = 0;
    memset(scratch, 0, (size_t)LMBI_SECTION_CELLS * LMBI_SECTION_CELLS);
    stack[top++] = (uint16_t)(half * LMBI_SECTION_CELLS + half);
    scratch[stack[0]] = 1;
    lmb_vec3 sum = {0, 0, 0};
    while (top > 0) {
        const int at = stack[--top], row = at / LMBI_SECTION_CELLS,
                  column = at % LMBI_SECTION_CELLS;
        const float a = step * (float)(column - half), b = step * (float)(row - half);
        const lmb_vec3 q = lmb_vec3_mad(lmb_vec3_mad(p, u, a), v, b);
        if (a * a + b * b > reach * reach || !body->cells[lmbi_grid_voxel_at(&body->grid, q)]) {
            continue;
        }
        ++found;
        sum = lmb_vec3_add(sum, lmb_vec3_sub(q, p));
        const int next[4] = {at - 1, at + 1, at - LMBI_SECTION_CELLS, at + LMBI_SECTION_CELLS};
        const bool room[4] = {column > 0, column<LMBI_SECTION_CELLS - 1, row> 0,
                              row < LMBI_SECTION_CELLS - 1};
        for (int n = 0; n < 4; ++n) {
            if (room[n] && !scratch[next[n]]) {
                scratch[next[n]] = 1;
                stack[top++] = (uint16_t)next[n];
            }
        }
    }
    if (out_center) {
        *out_center = found ? lmb_vec3_mad(p, sum, 1 / (float)found) : p;
    }
    return (float)found * step * step;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

void lmbi_sort_floats(float *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_floats);
}
