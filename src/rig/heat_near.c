/// Bones near a vertex, measured from its medial point; and weights by distance to the bones alone.
#include "rig/ownership.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/rig.h"

float lmbi_bone_distance(const lmbi_bone_segment *bone, lmb_vec3 p, lmb_vec3 *out_nearest)
{
    lmb_vec3 d = lmb_vec3_sub(bone->tail, bone->head), to = lmb_vec3_sub(p, bone->head);
    float square = lmb_vec3_dot(d, d), t = square > 0 ? lmb_vec3_dot(to, d) / square : 0.0f;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    *out_nearest = lmb_vec3_mad(bone->head, d, t);
    return lmb_vec3_distance(*out_nearest, p);
}

/// Weighted distance from the medial point of vertex v to a bone.
static float counted_distance(const lmbi_heat *heat, uint32_t b, uint32_t v, lmb_vec3 middle)
{
    const lmbi_bone_segment *bone = &heat->bones->items[b];
    lmb_vec3 at;
    const float claim = heat->claims ? lmbi_claim(heat, heat->slot_of_bone[b], v) : 1,
                far = lmbi_reach_distance(heat, b, lmbi_bone_distance(bone, middle, &at)) * claim;
    const bool beyond =
        heat->beyond[b] > 1 &&
        lmb_vec3_dot(lmb_vec3_sub(middle, bone->tail), lmb_vec3_sub(bone->tail, bone->head)) > 0;
    return beyond ? far * heat->beyond[b] : far;
}

uint32_t lmbi_nearest_bones(const lmbi_heat *heat, uint32_t v, lmbi_near out[LMBI_NEAR_BONES])
{
    const lmb_vec3 p = heat->surface->positions[v],
                   middle = lmb_vec3_mad(p, heat->normals[v], -heat->depths[v]);
    uint32_t count = 0;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        const float counted = counted_distance(heat, b, v, middle);
        if (count == LMBI_NEAR_BONES && !(counted < out[LMBI_NEAR_BONES - 1].counted)) {
            continue;
        }
        uint32_t k = count < LMBI_NEAR_BONES ? count++ : LMBI_NEAR_BONES - 1;
        for (; k > 0 && counted < out[k - 1].counted; --k) {
            out[k] = out[k - 1];
        }
        out[k] = (lmbi_near){.counted = counted, .bone = b};
    }
    for (uint32_t k = 0; k < count; ++k) {
        out[k].distance = lmbi_bone_distance(&heat->bones->items[out[k].bone], p, &out[k].point);
    }
    return count;
}

// ---- weights by distance

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
