#include "embed/creature/slice_profile.h"

#include <math.h>
#include <string.h>

static void add_voxel(lmbi_slice_profile *p, float *weights, lmb_box *boxes, uint32_t k,
                      lmb_vec3 at, float depth, float cell)
{
    const float w = depth * depth;
    p->middle[k] = lmb_vec3_mad(p->middle[k], at, w);
    weights[k] += w;
    boxes[k] = lmb_box_add(boxes[k], at);
    p->deep[k] = fmaxf(p->deep[k], depth * cell);
}

void lmbi_slice_profile_measure(const lmbi_body_shape *shape, float reach, lmbi_slice_profile *out)
{
    const lmbi_voxel_body *body = &shape->body;
    const float cell = body->grid.cell;
    float weights[LMBI_SLICES] = {0};
    lmb_box boxes[LMBI_SLICES];
    memset(out, 0, sizeof *out);
    out->box = lmb_box_empty();
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const lmb_vec3 p = body->at[s];
        out->box = lmb_box_add(out->box, p);
    }
    out->low = out->box.low.z - 0.5f * cell;
    out->step = cell;
    const uint32_t slices = (uint32_t)((out->box.high.z - out->low) / cell) + 1;
    out->count = slices < LMBI_SLICES ? slices : LMBI_SLICES;
    for (uint32_t k = 0; k < out->count; ++k) {
        boxes[k] = lmb_box_empty();
    }
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const lmb_vec3 p = body->at[s];
        const uint32_t k = (uint32_t)((p.z - out->low) / cell);
        if (fabsf(p.x) < reach && k < out->count) {
            add_voxel(out, weights, boxes, k, p, body->depth[body->solid[s]], cell);
        }
    }
    for (uint32_t k = 0; k < out->count; ++k) {
        if (weights[k] > 0) {
            out->middle[k] = lmb_vec3_scale(out->middle[k], 1 / weights[k]);
            out->wide[k] = boxes[k].high.x - boxes[k].low.x + cell;
            out->tall[k] = boxes[k].high.y - boxes[k].low.y + cell;
        }
    }
}

lmb_vec3 lmbi_slice_profile_at(const lmbi_slice_profile *profile, float z)
{
    const float x = (z - profile->low) / profile->step - 0.5f;
    const float last = (float)profile->count - 1;
    uint32_t k = (uint32_t)(x < 0 ? 0 : x > last ? last : x);
    const uint32_t near = k;
    // Use the nearest slice that is not empty.
    for (uint32_t d = 0; d < profile->count && !(profile->deep[k] > 0); ++d) {
        const uint32_t up = near + d, down = near - d;
        k = up < profile->count && profile->deep[up] > 0       ? up
            : down < profile->count && profile->deep[down] > 0 ? down
                                                               : k;
    }
    lmb_vec3 p = profile->middle[k];
    p.z = z;
    return p;
}
