/// Which bones are near a vertex, as seen from the middle of its flesh.
#include "rig/heat_near.h"

/// The vertex's point of view lies this share of the way to the middle.
static const float DEPTH = 0.9f;
/// What counts as no way in, as a share of the size.
static const float NOTHING = 1e-3f;
/// A ball that meets the skin under a flatter angle than this (the square of its sine) meets the
/// skin around the vertex, which is bent or rough, and not the other side.
static const float FLAT = 0.1f;
/// How exact balls are: small surfaces can afford it, large ones have round limbs of many
/// triangles.
enum { SMALL = 4096 };
static const float FINE = 0.02f, ROUGH = 0.2f;

float lmbi_bone_distance(const lmb_bone *bone, lmb_vec3 p, lmb_vec3 *out_nearest)
{
    lmb_vec3 d = lmb_vec3_sub(bone->tail, bone->head), to = lmb_vec3_sub(p, bone->head);
    float square = lmb_vec3_dot(d, d), t = square > 0 ? lmb_vec3_dot(to, d) / square : 0.0f;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    *out_nearest = lmb_vec3_mad(bone->head, d, t);
    return lmb_vec3_distance(*out_nearest, p);
}

/// A point in the middle of the flesh under a vertex, or nearly: artists paint a flank to the spine
/// although the arm is nearer, because the spine is what it lies around. Where the way in meets
/// nothing (open cloth) the vertex itself.
static lmb_vec3 middle_under(const lmbi_heat *heat, uint32_t v)
{
    const lmb_vec3 p = heat->surface->positions[v], inward = lmb_vec3_scale(heat->normals[v], -1);
    if (!(lmb_vec3_dot(inward, inward) > 0.5f)) { // no triangles around it, or flat ones
        return p;
    }
    const lmb_ray ray = {.origin = p,
                         .direction = inward,
                         .t_min = NOTHING * heat->size,
                         .t_max = heat->size,
                         .groups = heat->piece_count > 1 ? heat->piece_of_triangle : NULL,
                         .group = heat->piece_of_vertex[v]};
    const lmb_hit hit = lmb_tree_hit_first(heat->tree, &ray);
    if (hit.triangle == UINT32_MAX) {
        return p;
    }
    const lmb_inner_ball_job ball = {.point = p,
                                     .inward = inward,
                                     .radius = 0.5f * hit.t,
                                     .nothing = ray.t_min,
                                     .slack = heat->surface->vertex_count < SMALL ? FINE : ROUGH,
                                     .flat = FLAT,
                                     .groups = ray.groups,
                                     .group = ray.group};
    return lmb_vec3_mad(p, inward, DEPTH * lmb_tree_inner_ball(heat->tree, &ball));
}

uint32_t lmbi_nearest_bones(const lmbi_heat *heat, uint32_t v, lmbi_near out[LMBI_LOOKS])
{
    const lmb_vec3 p = heat->surface->positions[v], middle = middle_under(heat, v);
    uint32_t count = 0;
    lmb_vec3 at;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        const float counted =
            lmbi_bone_distance(&heat->bones->items[b], middle, &at) * heat->reach[b];
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
