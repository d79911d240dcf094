#include "embed/human/pose_cost.h"

#include <math.h>

/// Two feet are on the ground side by side, equally far from the center, and their legs point down.
float lmbi_feet_cost(const lmbi_tip_view *v, uint32_t a, uint32_t b)
{
    const lmbi_viewed_tip *p = &v->tips[a], *q = &v->tips[b];
    const float apart = lmb_vec3_distance(p->flat, q->flat);
    const float reach = 0.5f * (p->geodesic + q->geodesic);
    const float drop = v->center_height - 0.5f * (p->height + q->height);
    float cost = 5 * lmbi_excess(fmaxf(p->height, q->height), 0.05f) +
                 4 * lmbi_excess(fabsf(p->height - q->height), 0.02f);
    cost += 1.5f * lmbi_excess(fabsf(p->geodesic - q->geodesic), 0.03f);
    cost += 15 * lmbi_excess(0.05f, apart) + 3 * lmbi_excess(apart, 0.6f);
    cost += 2 * lmbi_excess(0.8f, drop / fmaxf(reach, 1e-3f));
    return cost;
}

/// How far `b` is from the mirror image of `a`, heights included.
static float mirror_miss(const lmbi_body_mirror *m, const lmbi_viewed_tip *a,
                         const lmbi_viewed_tip *b)
{
    const lmb_vec3 image =
        lmb_vec3_mad(a->flat, m->normal, -2 * lmbi_body_mirror_distance(m, a->flat));
    const float flat = lmb_vec3_distance(image, b->flat), tall = a->height - b->height;
    return lmb_sqrt(flat * flat + tall * tall);
}

/// Two hands are mirror images of each other, away from the plane, and their arms leave the trunk
/// above the legs and below the crown.
float lmbi_hands_cost(const lmbi_tip_view *v, const lmbi_body_mirror *m, const uint32_t foot[2],
                      const uint32_t hand[2])
{
    const lmbi_viewed_tip *p = &v->tips[hand[0]], *q = &v->tips[hand[1]];
    const lmb_vec3 feet = lmb_vec3_sub(v->tips[foot[0]].flat, v->tips[foot[1]].flat),
                   hands = lmb_vec3_sub(p->flat, q->flat);
    const float wide = lmb_vec3_length(hands);
    const float turned =
        1 - fabsf(lmb_vec3_dot(feet, hands)) / fmaxf(lmb_vec3_length(feet) * wide, 1e-6f);
    const float height = 0.5f * (p->height + q->height),
                base = fmaxf(p->base_height, q->base_height);
    const float length = fminf(p->length, q->length);
    float cost = 2.5f * lmbi_excess(mirror_miss(m, p, q), 0.03f) + 1.5f * turned;
    cost += 1.0f * lmbi_excess(fabsf(p->geodesic - q->geodesic), 0.03f);
    cost += 4 * lmbi_excess(0.28f, wide) + 6 * lmbi_excess(0.15f, height);
    cost += 5 * lmbi_excess(base, 0.82f) + 3 * lmbi_excess(0.3f, base) + 0.3f * base;
    return cost + 2 * lmbi_excess(height, 0.9f) + 1.5f * lmbi_excess(0.2f, length);
}

/// Arms are long; bumps on a hem or beside a touching hand are not.
float lmbi_bumps_cost(const lmbi_viewed_tip *p, const lmbi_viewed_tip *q)
{
    return 5 * lmbi_excess(0.1f, fmaxf(p->length, q->length)) +
           2 * lmbi_excess(0.32f, 0.5f * (p->geodesic + q->geodesic));
}

float lmbi_plane_cost(const lmbi_tip_view *v, const lmbi_body_mirror *m, const uint32_t foot[2],
                      const uint32_t hand[2])
{
    const float feet = lmbi_body_mirror_distance(
        m, lmb_vec3_scale(lmb_vec3_add(v->tips[foot[0]].flat, v->tips[foot[1]].flat), 0.5f));
    const float hands = lmbi_body_mirror_distance(
        m, lmb_vec3_scale(lmb_vec3_add(v->tips[hand[0]].flat, v->tips[hand[1]].flat), 0.5f));
    return 3 * lmbi_excess(fabsf(feet - hands), 0.02f) +
           2 * lmbi_excess(fabsf(lmbi_body_mirror_distance(m, v->center_flat)), 0.02f);
}

/// The crown is on the mirror plane and on top.
float lmbi_head_cost(const lmbi_tip_view *v, const lmbi_body_mirror *m, const uint32_t foot[2],
                     const uint32_t hand[2], int32_t *out_head)
{
    float best = 0.5f;
    *out_head = -1;
    for (uint32_t t = 0; t < v->count; ++t) {
        if (t == foot[0] || t == foot[1] || t == hand[0] || t == hand[1]) {
            continue;
        }
        const lmbi_viewed_tip *h = &v->tips[t];
        const float cost = 2.5f * lmbi_excess(fabsf(lmbi_body_mirror_distance(m, h->flat)), 0.03f) +
                           2.0f * lmbi_excess(0.97f, h->height) + lmbi_excess(0.06f, h->length);
        if (cost < best) {
            best = cost;
            *out_head = (int32_t)t;
        }
    }
    return best;
}
