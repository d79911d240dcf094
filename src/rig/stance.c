#include "rig/stance.h"

#include "rig/mirror.h"

#include <math.h>

/// A tip as seen with one axis taken as up; lengths in heights of the body.
typedef struct seen_tip {
    lmb_vec3 flat; ///< position without its part along up
    float height, base_height, reach, length;
} seen_tip;

typedef struct view {
    const lmbi_body *body;
    lmb_vec3 up;
    float low, size;
    lmb_vec3 center_flat;
    float center_height;
    /// the mirror plane is known: at right angles to `side`, through the origin
    bool mirrored;
    lmb_vec3 side;
    uint32_t count;
    seen_tip tips[LMBI_MAX_TIPS];
} view;

static float over(float x, float limit)
{
    return x > limit ? x - limit : 0;
}

static lmb_vec3 flatten(lmb_vec3 p, lmb_vec3 up)
{
    return lmb_vec3_mad(p, up, -lmb_vec3_dot(p, up));
}

static view look_with_up(const lmbi_body *body, const lmbi_tip *tips, uint32_t tip_count,
                         lmb_vec3 up)
{
    float low = 1e30f, high = -1e30f;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const float h = lmb_vec3_dot(body->at[s], up);
        low = fminf(low, h);
        high = fmaxf(high, h);
    }
    low -= 0.5f * body->grid.cell;
    high += 0.5f * body->grid.cell;
    view v = {.body = body, .up = up, .low = low, .size = high - low, .count = tip_count};
    const float per_height = 1 / v.size;
    const lmb_vec3 center = lmb_grid_center(&body->grid, body->center);
    v.center_flat = lmb_vec3_scale(flatten(center, up), per_height);
    v.center_height = (lmb_vec3_dot(center, up) - low) * per_height;
    for (uint32_t t = 0; t < tip_count; ++t) {
        v.tips[t] = (seen_tip){.flat = lmb_vec3_scale(flatten(tips[t].position, up), per_height),
                               .height = (lmb_vec3_dot(tips[t].position, up) - low) * per_height,
                               .base_height = (lmb_vec3_dot(tips[t].base, up) - low) * per_height,
                               .reach = tips[t].reach * per_height,
                               .length = tips[t].length * per_height};
    }
    return v;
}

static void set_mirror(view *v, const lmbi_stance_opts *opts)
{
    v->mirrored = opts->mirrored;
    v->side = lmb_vec3_cross(v->up, opts->forward);
}

/// Two feet stand on the ground side by side, equally far from the middle, and their legs go down.
static float feet_cost(const view *v, uint32_t a, uint32_t b)
{
    const seen_tip *p = &v->tips[a], *q = &v->tips[b];
    const float apart = lmb_vec3_distance(p->flat, q->flat);
    const float reach = 0.5f * (p->reach + q->reach);
    const float drop = v->center_height - 0.5f * (p->height + q->height);
    float cost = 5 * over(fmaxf(p->height, q->height), 0.05f) +
                 4 * over(fabsf(p->height - q->height), 0.02f);
    cost += 1.5f * over(fabsf(p->reach - q->reach), 0.03f);
    cost += 15 * over(0.05f, apart) + 3 * over(apart, 0.6f);
    cost += 2 * over(0.8f, drop / fmaxf(reach, 1e-3f));
    return cost;
}

/// The mirror plane that a pair of tips suggests: unit normal and offset.
typedef struct mirror {
    lmb_vec3 normal, middle;
} mirror;

static mirror mirror_of(const view *v, const uint32_t foot[2], const uint32_t hand[2])
{
    if (v->mirrored) {
        return (mirror){v->side, {0, 0, 0}};
    }
    const lmb_vec3 feet = lmb_vec3_sub(v->tips[foot[0]].flat, v->tips[foot[1]].flat);
    lmb_vec3 hands = lmb_vec3_sub(v->tips[hand[0]].flat, v->tips[hand[1]].flat);
    if (lmb_vec3_dot(feet, hands) < 0) {
        hands = lmb_vec3_neg(hands);
    }
    lmb_vec3 middle = lmb_vec3_add(v->tips[foot[0]].flat, v->tips[foot[1]].flat);
    middle = lmb_vec3_add(middle, lmb_vec3_add(v->tips[hand[0]].flat, v->tips[hand[1]].flat));
    middle = lmb_vec3_scale(lmb_vec3_mad(middle, v->center_flat, 2), 1.0f / 6.0f);
    return (mirror){
        lmb_vec3_normalize_or(lmb_vec3_add(feet, hands), lmb_vec3_any_perpendicular(v->up)),
        middle};
}

static float across(const mirror *m, lmb_vec3 p)
{
    return lmb_vec3_dot(lmb_vec3_sub(p, m->middle), m->normal);
}

/// How far `b` is from the mirror image of `a`, heights included.
static float mirror_miss(const mirror *m, const seen_tip *a, const seen_tip *b)
{
    const lmb_vec3 image = lmb_vec3_mad(a->flat, m->normal, -2 * across(m, a->flat));
    const float flat = lmb_vec3_distance(image, b->flat), tall = a->height - b->height;
    return lmb_sqrt(flat * flat + tall * tall);
}

/// Two hands are mirror images of each other, away from the mirror, and their arms leave the trunk
/// above the legs and below the crown.
static float hands_cost(const view *v, const mirror *m, const uint32_t foot[2],
                        const uint32_t hand[2])
{
    const seen_tip *p = &v->tips[hand[0]], *q = &v->tips[hand[1]];
    const lmb_vec3 feet = lmb_vec3_sub(v->tips[foot[0]].flat, v->tips[foot[1]].flat),
                   hands = lmb_vec3_sub(p->flat, q->flat);
    const float wide = lmb_vec3_length(hands);
    const float turned =
        1 - fabsf(lmb_vec3_dot(feet, hands)) / fmaxf(lmb_vec3_length(feet) * wide, 1e-6f);
    const float height = 0.5f * (p->height + q->height),
                base = fmaxf(p->base_height, q->base_height);
    const float length = fminf(p->length, q->length);
    float cost = 2.5f * over(mirror_miss(m, p, q), 0.03f) + 1.5f * turned;
    cost += 1.0f * over(fabsf(p->reach - q->reach), 0.03f);
    cost += 4 * over(0.28f, wide) + 6 * over(0.15f, height);
    cost += 5 * over(base, 0.82f) + 3 * over(0.3f, base) + 0.3f * base;
    return cost + 2 * over(height, 0.9f) + 1.5f * over(0.2f, length);
}

/// Arms are long; bumps on a hem or at a hand that touches are not.
static float bumps_cost(const seen_tip *p, const seen_tip *q)
{
    return 5 * over(0.1f, fmaxf(p->length, q->length)) +
           2 * over(0.32f, 0.5f * (p->reach + q->reach));
}

static float plane_cost(const view *v, const mirror *m, const uint32_t foot[2],
                        const uint32_t hand[2])
{
    const float feet =
        across(m, lmb_vec3_scale(lmb_vec3_add(v->tips[foot[0]].flat, v->tips[foot[1]].flat), 0.5f));
    const float hands =
        across(m, lmb_vec3_scale(lmb_vec3_add(v->tips[hand[0]].flat, v->tips[hand[1]].flat), 0.5f));
    return 3 * over(fabsf(feet - hands), 0.02f) + 2 * over(fabsf(across(m, v->center_flat)), 0.02f);
}

/// The crown is on the mirror plane and on top.
static float head_cost(const view *v, const mirror *m, const uint32_t foot[2],
                       const uint32_t hand[2], int32_t *out_head)
{
    float best = 0.5f;
    *out_head = -1;
    for (uint32_t t = 0; t < v->count; ++t) {
        if (t == foot[0] || t == foot[1] || t == hand[0] || t == hand[1]) {
            continue;
        }
        const seen_tip *h = &v->tips[t];
        const float cost = 2.5f * over(fabsf(across(m, h->flat)), 0.03f) +
                           2.0f * over(0.97f, h->height) + over(0.06f, h->length);
        if (cost < best) {
            best = cost;
            *out_head = (int32_t)t;
        }
    }
    return best;
}

static float spare_length(const view *v, const lmbi_stance *s)
{
    float longest = 0;
    for (uint32_t t = 0; t < v->count; ++t) {
        const bool used = t == s->foot[0] || t == s->foot[1] || t == s->hand[0] ||
                          t == s->hand[1] || (int32_t)t == s->head;
        longest = used ? longest : fmaxf(longest, v->tips[t].length);
    }
    return longest;
}

/// The pair has every tip that is known to be in it and none that is known to be in the other.
static bool may_be(const int32_t known[2], const int32_t other[2], uint32_t a, uint32_t b)
{
    for (int side = 0; side < 2; ++side) {
        if (known[side] != LMB_NONE && known[side] != (int32_t)a && known[side] != (int32_t)b) {
            return false;
        }
        if (other[side] == (int32_t)a || other[side] == (int32_t)b) {
            return false;
        }
    }
    return true;
}

/// Limbs beside these, one of which may be the only arm that is seen; tails and hair hang amid.
static uint32_t count_spare(const view *v, const mirror *m, const uint32_t foot[2], int32_t head)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < v->count; ++t) {
        const bool aside = fabsf(across(m, v->tips[t].flat)) > 0.08f;
        count += t != foot[0] && t != foot[1] && (int32_t)t != head && aside &&
                 v->tips[t].length > 0.12f;
    }
    return count;
}

/// The higher end of the branches of two tips.
static float base_of(const view *v, const uint32_t hand[2])
{
    return fmaxf(v->tips[hand[0]].base_height, v->tips[hand[1]].base_height);
}

/// A figure by its feet and its head alone, whose arms are part of its outline.
static void read_armless(const view *v, uint32_t a, uint32_t b, float cost, lmbi_stance *best)
{
    const float without_hands = 0.7f;
    const uint32_t foot[2] = {a, b};
    const mirror m = mirror_of(v, foot, foot);
    int32_t head;
    const float crown = head_cost(v, &m, foot, foot, &head);
    cost += without_hands + 2 * crown + plane_cost(v, &m, foot, foot);
    if (cost >= best->cost || crown > 0.2f || count_spare(v, &m, foot, head) > 1) {
        return;
    }
    *best = (lmbi_stance){.left = m.normal,
                          .up = v->up,
                          .low = v->low,
                          .high = v->low + v->size,
                          .foot = {a, b},
                          .hand = {a, b},
                          .head = head,
                          .armless = true,
                          .cost = cost,
                          .foot_cost = cost - without_hands - 2 * crown,
                          .hand_cost = without_hands,
                          .head_cost = crown};
    best->spare = spare_length(v, best);
}

/// How far the lowest places lie beside a mirror plane, in heights.
static float ground_aside(const view *v, const mirror *m)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < v->body->solid_count; ++k) {
        const lmb_vec3 p = v->body->at[k];
        if (lmb_vec3_dot(p, v->up) < v->low + 0.04f * v->size) {
            sum += (double)across(m, lmb_vec3_scale(flatten(p, v->up), 1 / v->size));
            ++count;
        }
    }
    return count > 0 ? fabsf((float)(sum / count)) : 1;
}

/// A figure by its arms and its head alone, which stands on a robe.
static void read_footless(const view *v, float prior, lmbi_stance *best)
{
    const float without_feet = 0.65f; // any reading of a whole figure is better
    for (uint32_t c = 0; c < v->count; ++c) {
        for (uint32_t d = c + 1; d < v->count; ++d) {
            const uint32_t hand[2] = {c, d};
            const mirror m = mirror_of(v, hand, hand);
            float cost = prior + without_feet + hands_cost(v, &m, hand, hand) +
                         plane_cost(v, &m, hand, hand) + bumps_cost(&v->tips[c], &v->tips[d]);
            if (cost >= best->cost || base_of(v, hand) < 0.5f) {
                continue;
            }
            int32_t head;
            const float crown = head_cost(v, &m, hand, hand, &head);
            cost += 2 * crown;
            if (cost >= best->cost || crown > 0.2f || count_spare(v, &m, hand, head) > 3 ||
                ground_aside(v, &m) > 0.05f) {
                continue;
            }
            *best = (lmbi_stance){.left = m.normal,
                                  .up = v->up,
                                  .low = v->low,
                                  .high = v->low + v->size,
                                  .foot = {c, d},
                                  .hand = {c, d},
                                  .head = head,
                                  .footless = true,
                                  .cost = cost,
                                  .foot_cost = without_feet,
                                  .hand_cost = cost - without_feet - 2 * crown,
                                  .head_cost = crown};
            best->spare = spare_length(v, best);
        }
    }
}

static void read_view(const view *v, float prior, const lmbi_marked_tips *known, lmbi_stance *best)
{
    static const lmbi_marked_tips nothing = {{LMB_NONE, LMB_NONE}, {LMB_NONE, LMB_NONE}};
    known = known ? known : &nothing;
    // A told hand may be known by one of its fingers.
    const bool hands_told = known->hand[0] != LMB_NONE || known->hand[1] != LMB_NONE;
    if (known == &nothing && prior < 0.1f) {
        read_footless(v, prior, best);
    }
    for (uint32_t a = 0; a < v->count; ++a) {
        for (uint32_t b = a + 1; b < v->count; ++b) {
            const float feet = feet_cost(v, a, b);
            if (feet + prior >= best->cost || !may_be(known->foot, known->hand, a, b)) {
                continue;
            }
            if (known == &nothing && prior < 0.1f) {
                read_armless(v, a, b, feet + prior, best);
            }
            for (uint32_t c = 0; c < v->count; ++c) {
                for (uint32_t d = c + 1; d < v->count; ++d) {
                    if (c == a || c == b || d == a || d == b ||
                        !may_be(known->hand, known->foot, c, d)) {
                        continue;
                    }
                    const uint32_t foot[2] = {a, b}, hand[2] = {c, d};
                    const mirror m = mirror_of(v, foot, hand);
                    const float hands = hands_cost(v, &m, foot, hand) +
                                        plane_cost(v, &m, foot, hand) +
                                        (hands_told ? 0 : bumps_cost(&v->tips[c], &v->tips[d]));
                    if (feet + hands + prior >= best->cost) {
                        continue;
                    }
                    int32_t head;
                    const float crown = head_cost(v, &m, foot, hand, &head);
                    const float cost = feet + hands + crown + prior;
                    if (cost < best->cost) {
                        *best = (lmbi_stance){.left = m.normal,
                                              .up = v->up,
                                              .low = v->low,
                                              .high = v->low + v->size,
                                              .foot = {a, b},
                                              .hand = {c, d},
                                              .head = head,
                                              .cost = cost,
                                              .foot_cost = feet,
                                              .hand_cost = hands,
                                              .head_cost = crown};
                        best->spare = spare_length(v, best);
                    }
                }
            }
        }
    }
}

/// How far toes lie before shins along `axis`, both sides added, in heights.
static float toes_hint(const view *v, const lmbi_stance *s, const lmbi_tip *tips, lmb_vec3 axis)
{
    const lmbi_body *body = v->body;
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

/// How far two tips lie before the middle along `axis`, in heights.
static float reach_along(const view *v, uint32_t a, uint32_t b, lmb_vec3 axis)
{
    const lmb_vec3 between = lmb_vec3_scale(lmb_vec3_add(v->tips[a].flat, v->tips[b].flat), 0.5f);
    return lmb_vec3_dot(lmb_vec3_sub(between, v->center_flat), axis);
}

/// Which way along `axis` the body looks, as a sum of hints in heights: toes lie before shins, feet
/// end in toes, arms reach forward.
static float facing_hint(const view *v, const lmbi_stance *s, const lmbi_tip *tips, lmb_vec3 axis)
{
    return toes_hint(v, s, tips, axis) + 0.1f * reach_along(v, s->hand[0], s->hand[1], axis);
}

/// How high the solid reaches on a mirror plane, in heights.
static float top_on(const view *v, const mirror *m)
{
    float top = 0;
    for (uint32_t k = 0; k < v->body->solid_count; ++k) {
        const lmb_vec3 p = v->body->at[k];
        if (fabsf(across(m, lmb_vec3_scale(flatten(p, v->up), 1 / v->size))) < 0.02f) {
            top = fmaxf(top, (lmb_vec3_dot(p, v->up) - v->low) / v->size);
        }
    }
    return top;
}

static void take_hands(const view *v, const uint32_t hand[2], float cost, lmbi_stance *s)
{
    s->hand[0] = hand[0];
    s->hand[1] = hand[1];
    s->cost += cost - s->hand_cost;
    s->hand_cost = cost;
    s->spare = spare_length(v, s);
}

/// What may be arms instead of those of a stance.
typedef struct rivals {
    uint32_t not_these[4];
    float shortest, most; ///< lengths of branches, cost
    lmb_vec3 forward;     ///< zero: whatever lies before what
    float highest;        ///< base
    float front;          ///< they have to lie farther along forward
} rivals;

/// The foremost of the pairs that may be; false where there is none.
static bool find_rival(const view *v, const lmbi_stance *s, const rivals *r, uint32_t out[2],
                       float *out_cost)
{
    float front = r->front;
    bool found = false;
    for (uint32_t c = 0; c < v->count; ++c) {
        for (uint32_t d = c + 1; d < v->count; ++d) {
            const uint32_t hand[2] = {c, d};
            bool used = false;
            for (int k = 0; k < 4; ++k) {
                used = used || c == r->not_these[k] || d == r->not_these[k];
            }
            const float before = reach_along(v, c, d, r->forward);
            if (used || fminf(v->tips[c].length, v->tips[d].length) < r->shortest ||
                before < front || base_of(v, hand) > r->highest) {
                continue;
            }
            const mirror m = mirror_of(v, s->foot, hand);
            const float cost = hands_cost(v, &m, s->foot, hand) + plane_cost(v, &m, s->foot, hand);
            if (cost < r->most) {
                out[0] = c;
                out[1] = d;
                *out_cost = cost;
                front = before;
                found = true;
            }
        }
    }
    return found;
}

/// Of two pairs of limbs that both may be arms, those that grow from the crown are horns or ears,
/// and those behind are wings or tails of hair.
static void choose_arms(const view *v, const lmbi_tip *tips, lmbi_stance *s)
{
    const float alike = 0.35f, limb = 0.15f, stub = 0.1f, behind = 0.03f, least_toes = 0.004f;
    const mirror m = mirror_of(v, s->foot, s->hand);
    const float top = top_on(v, &m), head = 0.85f * top;
    uint32_t hand[2];
    float cost;
    rivals r = {.not_these = {s->foot[0], s->foot[1], s->hand[0], s->hand[1]},
                .shortest = stub,
                .most = s->hand_cost + alike,
                .highest = head};
    if (base_of(v, s->hand) > head && find_rival(v, s, &r, hand, &cost)) {
        take_hands(v, hand, cost, s);
    }
    r.forward = lmb_vec3_cross(s->left, s->up);
    const float toes = toes_hint(v, s, tips, r.forward);
    if (fabsf(toes) > least_toes) {
        r.forward = toes < 0 ? lmb_vec3_neg(r.forward) : r.forward;
        r.shortest = limb;
        r.front = reach_along(v, s->hand[0], s->hand[1], r.forward) + behind;
        if (find_rival(v, s, &r, hand, &cost)) {
            take_hands(v, hand, cost, s);
        }
    }
}

static lmb_vec3 snapped(lmb_vec3 v)
{
    const float near_one = 0.997f; // 4.4 degrees
    const lmb_vec3 axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int a = 0; a < 6; ++a) {
        if (lmb_vec3_dot(v, axes[a]) > near_one) {
            return axes[a];
        }
    }
    return v;
}

static void swap_u32(uint32_t pair[2])
{
    const uint32_t t = pair[0];
    pair[0] = pair[1];
    pair[1] = t;
}

/// Without a good tip for a head the trunk itself may reach the top: how high the solid is on the
/// mirror plane tells.
static void look_for_crown(const view *v, lmbi_stance *s)
{
    if (s->head_cost < 0.15f) {
        return;
    }
    const mirror m = mirror_of(v, s->foot, s->hand);
    const float top = top_on(v, &m);
    const float cost = 0.1f + 2 * over(0.97f, top);
    if (cost < s->head_cost) {
        s->cost += cost - s->head_cost;
        s->head_cost = cost;
        s->head = -1;
    }
}

/// The axes of the figure: the mirror plane as the solid itself has it, and axes of the file where
/// they are near.
static void settle_axes(const lmbi_body *body, const view *v, const lmbi_stance_opts *opts,
                        lmbi_stance *s)
{
    if (opts->mirrored) {
        s->left = v->side;
        s->middle = 0;
    } else {
        const mirror m = mirror_of(v, s->foot, s->hand);
        s->left =
            lmb_vec3_normalize_or(flatten(m.normal, s->up), lmb_vec3_any_perpendicular(s->up));
        s->middle = lmb_vec3_dot(m.middle, s->left) * v->size;
        lmbi_mirror_refine(body, s->up, &s->left, &s->middle);
        const lmb_vec3 axis = snapped(s->left);
        if (lmb_vec3_dot(axis, s->left) < 1) {
            s->left = lmb_vec3_normalize_or(flatten(axis, s->up), s->left);
            float offset = s->middle;
            lmb_vec3 turned = s->left;
            lmbi_mirror_refine(body, s->up, &turned, &offset);
            s->middle = offset;
        }
    }
    s->forward = lmb_vec3_cross(s->left, s->up);
}

static void settle_sides(const lmbi_body *body, const lmbi_tip *tips, uint32_t tip_count,
                         const lmbi_stance_opts *opts, lmbi_stance *s)
{
    view v = look_with_up(body, tips, tip_count, s->up);
    set_mirror(&v, opts);
    if (!opts->known && !s->armless && !s->footless) {
        choose_arms(&v, tips, s);
    }
    look_for_crown(&v, s);
    settle_axes(body, &v, opts, s);
    const float hint = facing_hint(&v, s, tips, s->forward);
    bool turn = hint < 0;
    if (lmb_vec3_dot(opts->forward, opts->forward) > 0) {
        turn = lmb_vec3_dot(opts->forward, s->forward) < 0;
    }
    s->toes = turn ? -hint : hint;
    if (turn) {
        s->forward = lmb_vec3_neg(s->forward);
        s->left = lmb_vec3_neg(s->left);
        s->middle = -s->middle;
    }
    if (lmb_vec3_dot(lmb_vec3_sub(tips[s->foot[0]].position, tips[s->foot[1]].position), s->left) <
        0) {
        swap_u32(s->foot);
    }
    if (lmb_vec3_dot(lmb_vec3_sub(tips[s->hand[0]].position, tips[s->hand[1]].position), s->left) <
        0) {
        swap_u32(s->hand);
    }
}

bool lmbi_stance_find(const lmbi_body *body, const lmbi_tip *tips, uint32_t tip_count,
                      const lmbi_stance_opts *opts, lmbi_stance *out)
{
    const struct {
        lmb_vec3 up;
        float prior;
    } ups[6] = {{{0, 1, 0}, 0},     {{0, 0, 1}, 0.02f}, {{1, 0, 0}, 0.2f},
                {{-1, 0, 0}, 0.2f}, {{0, -1, 0}, 0.3f}, {{0, 0, -1}, 0.3f}};
    const uint32_t considered = tip_count < 16 ? tip_count : 16;
    lmbi_stance best = {.cost = 1e30f};
    if (lmb_vec3_dot(opts->up, opts->up) > 0) {
        view v = look_with_up(body, tips, considered, opts->up);
        set_mirror(&v, opts);
        read_view(&v, 0, opts->known, &best);
    } else {
        for (int u = 0; u < 6; ++u) {
            const view v = look_with_up(body, tips, considered, ups[u].up);
            read_view(&v, ups[u].prior, opts->known, &best);
        }
    }
    if (best.cost >= 1e30f) {
        return false;
    }
    settle_sides(body, tips, tip_count, opts, &best);
    *out = best;
    return true;
}
