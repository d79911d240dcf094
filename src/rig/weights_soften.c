/// Softens the border between filled rows and transferred ones.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "rig/rings.h"
#include "rig/weights_fill.h"

/// Fraction of the step toward the mean of the neighbours per round.
static const float STEP = 0.2f;

/// Distance of each vertex from a filled one, along edges.
static void measure_distances(const lmbi_soften *in, const lmbi_rings *rings, float *distance)
{
    const lmb_surface *s = in->fill->surface;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        distance[v] = in->fill->known[v] ? INFINITY : 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            for (uint32_t k = rings->first[v]; k < rings->first[v + 1]; ++k) {
                const uint32_t other = rings->around[k];
                const float d =
                    distance[other] + lmb_vec3_distance(s->positions[v], s->positions[other]);
                if (d < distance[v] && d <= in->reach) {
                    distance[v] = d;
                    changed = true;
                }
            }
        }
    }
}

static void add_row(lmbi_row_sum *sum, const lmb_influence *row, float scale)
{
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        lmbi_row_sum_add(sum, row[k].joint, scale * row[k].weight);
    }
}

static void soften_round(const lmbi_soften *in, const lmbi_rings *rings, const float *distance,
                         const lmb_influence *now, lmbi_row_sum *sum)
{
    for (uint32_t v = 0; v < in->fill->surface->vertex_count; ++v) {
        const uint32_t begin = rings->first[v], end = rings->first[v + 1];
        if (!(distance[v] <= in->reach) || begin == end) {
            continue;
        }
        add_row(sum, now + (size_t)v * LMBI_ROW_WIDTH, 1 - STEP);
        for (uint32_t k = begin; k < end; ++k) {
            add_row(sum, now + (size_t)rings->around[k] * LMBI_ROW_WIDTH,
                    STEP / (float)(end - begin));
        }
        lmbi_row_sum_take(sum, in->fill->influences, in->fill->rows + (size_t)v * LMBI_ROW_WIDTH);
    }
}

lmb_result lmbi_soften_rows(const lmbi_soften *in, lmbi_row_sum *sum, lmbi_arena *arena,
                            lmb_error *error)
{
    const size_t n = in->fill->surface->vertex_count;
    lmbi_rings rings;
    float *distance = lmbi_arena_array(arena, n, sizeof *distance);
    lmb_influence *now = lmbi_arena_array(arena, n, LMBI_ROW_WIDTH * sizeof *now);
    const lmb_result result = distance && now
                                  ? lmbi_rings_find(in->fill->surface, arena, &rings, error)
                                  : lmbi_fail_memory(error);
    if (result != LMB_OK) {
        return result;
    }
    measure_distances(in, &rings, distance);
    for (uint32_t round = 0; round < in->rounds; ++round) {
        memcpy(now, in->fill->rows, n * (LMBI_ROW_WIDTH * sizeof *now));
        soften_round(in, &rings, distance, now, sum);
    }
    return LMB_OK;
}
