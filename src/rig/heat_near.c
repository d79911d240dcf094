/// Bones near a vertex, measured from its medial point.
#include "rig/heat_near.h"

float lmbi_bone_distance(const lmb_bone *bone, lmb_vec3 p, lmb_vec3 *out_nearest)
{
    lmb_vec3 d = lmb_vec3_sub(bone->tail, bone->head), to = lmb_vec3_sub(p, bone->head);
    float square = lmb_vec3_dot(d, d), t = square > 0 ? lmb_vec3_dot(to, d) / square : 0.0f;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    *out_nearest = lmb_vec3_mad(bone->head, d, t);
    return lmb_vec3_distance(*out_nearest, p);
}

/// Weighted distance from a medial point to a bone.
static float counted_distance(const lmbi_heat *heat, uint32_t b, lmb_vec3 middle)
{
    const lmb_bone *bone = &heat->bones->items[b];
    lmb_vec3 at;
    const float far = lmbi_bone_distance(bone, middle, &at) * heat->reach[b];
    const bool beyond =
        heat->beyond[b] > 1 &&
        lmb_vec3_dot(lmb_vec3_sub(middle, bone->tail), lmb_vec3_sub(bone->tail, bone->head)) > 0;
    return beyond ? far * heat->beyond[b] : far;
}

uint32_t lmbi_nearest_bones(const lmbi_heat *heat, uint32_t v, lmbi_near out[LMBI_LOOKS])
{
    const lmb_vec3 p = heat->surface->positions[v],
                   middle = lmb_vec3_mad(p, heat->normals[v], -heat->depths[v]);
    uint32_t count = 0;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        const float counted = counted_distance(heat, b, middle);
        if (count == LMBI_LOOKS && !(counted < out[LMBI_LOOKS - 1].counted)) {
            continue;
        }
        uint32_t k = count < LMBI_LOOKS ? count++ : LMBI_LOOKS - 1;
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
