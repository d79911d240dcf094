/// Whether a body stands on four legs, and at which end its head is.
#include "embed/cost.h"
#include "embed/kinds.h"

#include <math.h>

/// How unlike a pair of legs on the ground a pair of tips is.
static float pair_cost(const lmbi_stand_hypothesis *s, const lmbi_leg_pair *p)
{
    const float tall = s->high - s->low;
    const float apart = lmb_vec3_distance(p->foot[0], p->foot[1]);
    return 3 * lmbi_excess(p->miss, 0.02f) + 4 * lmbi_excess(p->height / tall, 0.06f) +
           4 * lmbi_excess(0.14f, p->length / tall) + 3 * lmbi_excess(apart, 0.6f * tall);
}

/// Chooses the two pairs that are most like legs; returns the cost of both.
static float choose_pairs(const lmbi_stand_hypothesis *s, uint32_t out[2])
{
    float best = 1e30f;
    for (uint32_t a = 0; a < s->pair_count; ++a) {
        for (uint32_t b = a + 1; b < s->pair_count; ++b) {
            const float apart = s->pairs[b].along - s->pairs[a].along;
            const float cost = pair_cost(s, &s->pairs[a]) + pair_cost(s, &s->pairs[b]) +
                               6 * lmbi_excess(0.18f, apart);
            if (cost < best) {
                best = cost;
                out[0] = a;
                out[1] = b;
            }
        }
    }
    return best;
}

/// A third pair of legs speaks against a quadruped.
static float extra_legs_cost(const lmbi_stand_hypothesis *s, const uint32_t legs[2])
{
    const float leg = fminf(s->pairs[legs[0]].length, s->pairs[legs[1]].length);
    float cost = 0;
    for (uint32_t k = 0; k < s->pair_count; ++k) {
        const lmbi_leg_pair *p = &s->pairs[k];
        if (k != legs[0] && k != legs[1] && p->height < 0.1f * (s->high - s->low)) {
            cost += lmbi_excess(p->length / leg, 0.4f);
        }
    }
    return cost;
}

/// How far the toes of one foot lie before its shank, along forward.
static float toes_before_shank(const lmbi_body_shape *v, const lmbi_stand_hypothesis *s,
                               const lmbi_leg_pair *leg, int side)
{
    const float tall = s->high - s->low, free = leg->free - s->low, beside = 0.07f, reach = 0.12f;
    const lmb_vec3 foot = leg->foot[side];
    float toes = 0, shank = 0, toe_count = 0, shank_count = 0;
    for (uint32_t k = 0; k < v->body.solid_count; ++k) {
        const lmb_vec3 d = lmb_vec3_sub(v->body.at[k], foot);
        const float y = lmb_vec3_dot(v->body.at[k], s->up) - s->low,
                    z = lmb_vec3_dot(d, s->forward);
        if (y > 0.5f * free || fabsf(z) > reach || fabsf(lmb_vec3_dot(d, s->left)) > beside) {
            continue;
        }
        if (y < 0.06f * tall) {
            toes += z;
            toe_count += 1;
        } else if (y > 0.25f * free) {
            shank += z;
            shank_count += 1;
        }
    }
    return toe_count > 0 && shank_count > 0 ? toes / toe_count - shank / shank_count : 0;
}

/// The mean over all four feet, since in a walking animal one foot is as far before its shank as
/// another is behind.
static float toe_hint(const lmbi_body_shape *v, const lmbi_stand_hypothesis *s)
{
    float sum = 0;
    for (int leg = 0; leg < 2; ++leg) {
        for (int side = 0; side < 2; ++side) {
            sum += toes_before_shank(v, s, &s->pairs[leg], side);
        }
    }
    return sum / 4;
}

/// Above 0 if the head is at the front: there the body is heavier and taller, and the toes point
/// there.
static float head_hint(const lmbi_body_shape *v, const lmbi_stand_hypothesis *s)
{
    const lmbi_voxel_body *body = &v->body;
    const float back = s->pairs[0].along, front = s->pairs[1].along;
    const float tall = s->high - s->low;
    float volume[2] = {0, 0}, top[2] = {0, 0};
    float thick = 0;
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        thick = fmaxf(thick, 0.3f * body->depth[body->solid[k]]);
    }
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        const lmb_vec3 p = body->at[k];
        const float z = lmb_vec3_dot(p, s->forward), y = lmb_vec3_dot(p, s->up) - s->low;
        const int end = z > front + 0.02f ? 0 : z < back - 0.02f ? 1 : 2;
        if (end < 2 && y > 0.1f * tall) {
            volume[end] += 1;
            // A tail may reach higher, but it is thin.
            top[end] = body->depth[body->solid[k]] > thick ? fmaxf(top[end], y) : top[end];
        }
    }
    const float heavier = (volume[0] - volume[1]) / fmaxf(volume[0] + volume[1], 1);
    const float higher = (top[0] - top[1]) / tall;
    return 0.8f * lmbi_clamp_signed(1.5f * heavier) + lmbi_clamp_signed(2.5f * higher) +
           0.6f * lmbi_clamp_signed(toe_hint(v, s) / 0.02f);
}

float lmbi_quadruped_cost(const lmbi_body_shape *shape, lmb_vec3 given,
                          lmbi_stand_hypothesis *stand)
{
    uint32_t legs[2] = {0, 0};
    float cost = choose_pairs(stand, legs);
    if (cost > 2) {
        return cost;
    }
    cost += extra_legs_cost(stand, legs);
    const lmbi_leg_pair back = stand->pairs[legs[0]], front = stand->pairs[legs[1]];
    stand->pairs[0] = back;
    stand->pairs[1] = front;
    stand->pair_count = 2;
    const lmb_vec3 middle = shape->body.centroid;
    const float z = lmb_vec3_dot(middle, stand->forward),
                y = lmb_vec3_dot(middle, stand->up) - stand->low;
    cost += 5 * lmbi_excess(z, front.along + 0.05f) + 5 * lmbi_excess(back.along - 0.05f, z);
    cost += 2 * lmbi_excess(0.3f, y / (stand->high - stand->low));
    cost += 0.5f * stand->asymmetry;
    const bool reversed = lmb_vec3_dot(given, given) > 0 ? lmb_vec3_dot(given, stand->forward) < 0
                                                         : head_hint(shape, stand) < 0;
    if (reversed) {
        lmbi_stand_reverse(stand);
    }
    return cost;
}
