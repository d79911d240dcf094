#include "embed/human/tip_view.h"

#include "geometry/volume.h"

#include <math.h>

float lmbi_toes_hint(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, const lmbi_tip *tips,
                     lmb_vec3 axis)
{
    const lmbi_voxel_body *body = v->body;
    float sum = 0;
    for (int side = 0; side < 2; ++side) {
        const lmb_vec3 tip = tips[s->foot[side]].position;
        double toes = 0, shin = 0;
        uint32_t toe_count = 0, shin_count = 0;
        const float nearby = 0.14f * v->size;
        for (uint32_t k = 0; k < body->solid_count; ++k) {
            const lmb_vec3 p = body->at[k];
            const float h = (lmb_vec3_dot(p, v->up) - v->low) / v->size;
            if (h > 0.22f || fabsf(lmb_vec3_dot(lmb_vec3_sub(p, tip), s->left)) > 0.5f * nearby ||
                fabsf(lmb_vec3_dot(lmb_vec3_sub(p, tip), axis)) > 2 * nearby) {
                continue;
            }
            if (h < 0.05f) {
                toes += (double)lmb_vec3_dot(p, axis);
                ++toe_count;
            } else if (h > 0.09f) {
                shin += (double)lmb_vec3_dot(p, axis);
                ++shin_count;
            }
        }
        if (toe_count && shin_count) {
            sum += (float)(toes / toe_count - shin / shin_count) / v->size;
        }
    }
    return sum;
}

/// Toes lie before shins, and arms reach forward.
float lmbi_facing_hint(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, const lmbi_tip *tips,
                       lmb_vec3 axis)
{
    return lmbi_toes_hint(v, s, tips, axis) +
           0.1f * lmbi_pair_offset_along(v, s->hand[0], s->hand[1], axis);
}

lmbi_tip_view lmbi_tip_view_make(const lmbi_voxel_body *body, const lmbi_tip *tips,
                                 uint32_t tip_count, lmb_vec3 up)
{
    float low = 1e30f, high = -1e30f;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const float h = lmb_vec3_dot(body->at[s], up);
        low = fminf(low, h);
        high = fmaxf(high, h);
    }
    low -= 0.5f * body->grid.cell;
    high += 0.5f * body->grid.cell;
    lmbi_tip_view v = {.body = body, .up = up, .low = low, .size = high - low, .count = tip_count};
    const float per_height = 1 / v.size;
    const lmb_vec3 center = lmbi_grid_center(&body->grid, body->center);
    v.center_flat = lmb_vec3_scale(lmbi_horizontal_part(center, up), per_height);
    v.center_height = (lmb_vec3_dot(center, up) - low) * per_height;
    for (uint32_t t = 0; t < tip_count; ++t) {
        v.tips[t] = (lmbi_viewed_tip){
            .flat = lmb_vec3_scale(lmbi_horizontal_part(tips[t].position, up), per_height),
            .height = (lmb_vec3_dot(tips[t].position, up) - low) * per_height,
            .base_height = (lmb_vec3_dot(tips[t].base, up) - low) * per_height,
            .geodesic = tips[t].geodesic * per_height,
            .length = tips[t].length * per_height};
    }
    return v;
}

lmbi_body_mirror lmbi_body_mirror_between(const lmbi_tip_view *v, const uint32_t foot[2],
                                          const uint32_t hand[2])
{
    if (v->mirrored) {
        return (lmbi_body_mirror){v->side, {0, 0, 0}};
    }
    const lmb_vec3 feet = lmb_vec3_sub(v->tips[foot[0]].flat, v->tips[foot[1]].flat);
    lmb_vec3 hands = lmb_vec3_sub(v->tips[hand[0]].flat, v->tips[hand[1]].flat);
    if (lmb_vec3_dot(feet, hands) < 0) {
        hands = lmb_vec3_neg(hands);
    }
    lmb_vec3 middle = lmb_vec3_add(v->tips[foot[0]].flat, v->tips[foot[1]].flat);
    middle = lmb_vec3_add(middle, lmb_vec3_add(v->tips[hand[0]].flat, v->tips[hand[1]].flat));
    middle = lmb_vec3_scale(lmb_vec3_mad(middle, v->center_flat, 2), 1.0f / 6.0f);
    return (lmbi_body_mirror){
        lmb_vec3_normalize_or(lmb_vec3_add(feet, hands), lmb_vec3_any_perpendicular(v->up)),
        middle};
}

float lmbi_body_mirror_distance(const lmbi_body_mirror *m, lmb_vec3 p)
{
    return lmb_vec3_dot(lmb_vec3_sub(p, m->middle), m->normal);
}

float lmbi_body_mirror_top(const lmbi_tip_view *v, const lmbi_body_mirror *m)
{
    float top = 0;
    for (uint32_t k = 0; k < v->body->solid_count; ++k) {
        const lmb_vec3 p = v->body->at[k];
        if (fabsf(lmbi_body_mirror_distance(
                m, lmb_vec3_scale(lmbi_horizontal_part(p, v->up), 1 / v->size))) < 0.02f) {
            top = fmaxf(top, (lmb_vec3_dot(p, v->up) - v->low) / v->size);
        }
    }
    return top;
}

float lmbi_pair_offset_along(const lmbi_tip_view *v, uint32_t a, uint32_t b, lmb_vec3 axis)
{
    const lmb_vec3 between = lmb_vec3_scale(lmb_vec3_add(v->tips[a].flat, v->tips[b].flat), 0.5f);
    return lmb_vec3_dot(lmb_vec3_sub(between, v->center_flat), axis);
}

float lmbi_unused_tip_length(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s)
{
    float longest = 0;
    for (uint32_t t = 0; t < v->count; ++t) {
        const bool used = t == s->foot[0] || t == s->foot[1] || t == s->hand[0] ||
                          t == s->hand[1] || (int32_t)t == s->head;
        longest = used ? longest : fmaxf(longest, v->tips[t].length);
    }
    return longest;
}

lmbi_pose_hypothesis lmbi_pose_hypothesis_make(const lmbi_tip_view *v, const lmbi_body_mirror *m,
                                               const uint32_t foot[2], const uint32_t hand[2],
                                               int32_t head)
{
    lmbi_pose_hypothesis s = {.left = m->normal,
                              .up = v->up,
                              .low = v->low,
                              .high = v->low + v->size,
                              .foot = {foot[0], foot[1]},
                              .hand = {hand[0], hand[1]},
                              .head = head};
    s.unused_length = lmbi_unused_tip_length(v, &s);
    return s;
}
