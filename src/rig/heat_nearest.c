/// Weights by distance to the bones alone.
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/heat.h"

/// Added to distances, as a fraction of the size: keeps weights finite at a bone, and nonzero for
/// its neighbours.
static const float SOFT_FRACTION = 0.005f;
/// Joints with less than this fraction of the strongest weight are dropped.
static const float LEAST_FRACTION = 0.02f;

static void weigh_vertices(const lmbi_heat *heat, uint32_t v, float *near)
{
    lmb_influence *row = heat->rows + (size_t)v * heat->row_width;
    lmb_vec3 at;
    float best = INFINITY, sum = 0;
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        near[s] = INFINITY;
    }
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        float d = lmbi_bone_distance(&heat->bones->items[b], heat->surface->positions[v], &at) +
                  SOFT_FRACTION * heat->size;
        float *slot = &near[heat->slot_of_bone[b]];
        *slot = d < *slot ? d : *slot;
        best = d < best ? d : best;
    }
    for (uint32_t s = 0; s < heat->slot_count;
         ++s) { // ratio to the nearest, so that the unit does not matter
        float ratio = near[s] > 0 ? best / near[s] : 1.0f, pull = ratio * ratio * ratio * ratio;
        near[s] = pull < LEAST_FRACTION ? 0 : pull;
        sum += near[s];
    }
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        lmbi_row_insert(row, heat->row_width, s, near[s] / sum);
    }
}

lmb_result lmbi_heat_nearest(lmbi_heat *heat, lmb_error *error)
{
    float *near = lmbi_alloc_array(heat->alloc, heat->slot_count, sizeof *near);
    if (!near) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < heat->surface->vertex_count; ++v) {
        weigh_vertices(heat, v, near);
    }
    lmbi_free(heat->alloc, near);
    return LMB_OK;
}
