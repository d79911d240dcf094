#include "embed/creature/stand.h"

#include "embed/shape/mirror_plane.h"

#include <math.h>

/// In units of the shape: the shortest free length of a leg, and the largest distance from a mirror
/// image.
static const float SHORTEST_LEG = 0.035f, WORST_MISS = 0.16f;

static float distance_across(const lmbi_stand_hypothesis *s, lmb_vec3 p)
{
    return lmb_vec3_dot(p, s->left) - s->offset;
}

/// How far q is from the mirror image of p. Offsets along forward count little, since legs stride.
static float mirror_miss(const lmbi_stand_hypothesis *s, lmb_vec3 p, lmb_vec3 q)
{
    const lmb_vec3 d = lmb_vec3_sub(p, q);
    return fabsf(distance_across(s, p) + distance_across(s, q)) +
           0.5f * fabsf(lmb_vec3_dot(d, s->up)) + 0.35f * fabsf(lmb_vec3_dot(d, s->forward));
}

static lmbi_leg_pair pair_of(const lmbi_stand_hypothesis *s, const lmbi_tip *a, const lmbi_tip *b)
{
    const bool swap = distance_across(s, a->position) < distance_across(s, b->position);
    const float ha = lmb_vec3_dot(a->position, s->up), hb = lmb_vec3_dot(b->position, s->up);
    const float free = fminf(lmb_vec3_dot(a->base, s->up), lmb_vec3_dot(b->base, s->up));
    return (lmbi_leg_pair){
        .foot = {swap ? b->position : a->position, swap ? a->position : b->position},
        .height = fmaxf(ha, hb) - s->low,
        .length = free - fmaxf(ha, hb),
        .free = free,
        .along = 0.5f * lmb_vec3_dot(lmb_vec3_add(a->position, b->position), s->forward),
        .miss = mirror_miss(s, a->position, b->position)};
}

/// Marks toes and claws, which are no legs: a lowest point is part of a longer leg on the same side
/// if it is near it relative to that leg's length. `feet` are longest first.
static void mark_toes(const lmbi_tip *feet, uint32_t count, const lmbi_stand_hypothesis *s,
                      bool *out)
{
    const float near = 0.3f;
    for (uint32_t f = 0; f < count; ++f) {
        out[f] = false;
        for (uint32_t k = 0; k < f; ++k) {
            const lmb_vec3 p = feet[f].position, q = feet[k].position;
            const float tall = lmb_vec3_dot(lmb_vec3_sub(feet[k].base, q), s->up);
            out[f] = out[f] || (!out[k] && distance_across(s, p) * distance_across(s, q) > 0 &&
                                lmb_vec3_distance(p, q) < near * tall);
        }
    }
}

/// Pairs feet greedily, the best mirror images first.
static void pair_feet(const lmbi_tip *feet, uint32_t count, lmbi_stand_hypothesis *s)
{
    bool used[LMBI_MAX_TIPS];
    mark_toes(feet, count, s, used);
    while (s->pair_count < LMBI_MAX_PAIRS) {
        float least = WORST_MISS;
        uint32_t best[2] = {0, 0};
        for (uint32_t a = 0; a < count; ++a) {
            for (uint32_t b = 0; b < count; ++b) {
                if (used[a] || used[b] || distance_across(s, feet[a].position) < 0.008f ||
                    distance_across(s, feet[b].position) > -0.008f) {
                    continue;
                }
                const float miss = mirror_miss(s, feet[a].position, feet[b].position);
                if (miss < least) {
                    least = miss;
                    best[0] = a;
                    best[1] = b;
                }
            }
        }
        if (least >= WORST_MISS) {
            return;
        }
        used[best[0]] = used[best[1]] = true;
        const lmbi_leg_pair pair = pair_of(s, &feet[best[0]], &feet[best[1]]);
        uint32_t at = s->pair_count++;
        while (at > 0 && s->pairs[at - 1].along > pair.along) {
            s->pairs[at] = s->pairs[at - 1];
            --at;
        }
        s->pairs[at] = pair;
    }
}

/// The principal axis in the plane of u and w (orthogonal to up) of the solid, or of its deep part,
/// the trunk.
static lmb_vec3 principal_axis(const lmbi_body_shape *v, lmb_vec3 u, lmb_vec3 w, bool deep)
{
    double uu = 0, uw = 0, ww = 0, u1 = 0, w1 = 0, sum = 0;
    for (uint32_t k = 0; k < v->body.solid_count; ++k) {
        const lmb_vec3 d = lmb_vec3_sub(v->body.at[k], v->body.centroid);
        const double depth = (double)v->body.depth[v->body.solid[k]];
        const double m = deep ? depth * depth : 1;
        const double a = (double)lmb_vec3_dot(d, u), b = (double)lmb_vec3_dot(d, w);
        sum += m;
        u1 += m * a;
        w1 += m * b;
        uu += m * a * a;
        uw += m * a * b;
        ww += m * b * b;
    }
    sum = sum > 0 ? sum : 1;
    uu -= u1 * u1 / sum;
    uw -= u1 * w1 / sum;
    ww -= w1 * w1 / sum;
    const float angle = 0.5f * lmb_atan2((float)(2 * uw), (float)(uu - ww));
    return lmb_vec3_mad(lmb_vec3_scale(u, lmb_cos(angle)), w, lmb_sin(angle));
}

/// Candidates for the mirror plane's normal, orthogonal to up: axes of the frame, and principal
/// axes of the solid and of its trunk seen from above.
static uint32_t guess_normals(const lmbi_body_shape *v, lmb_vec3 up,
                              lmb_vec3 out[LMBI_MAX_STAND_HYPOTHESES])
{
    const lmb_vec3 u = fabsf(up.x) > 0.9f
                           ? lmb_vec3_make(0, 0, 1)
                           : lmb_vec3_normalize_or(lmb_vec3_mad(lmb_vec3_make(1, 0, 0), up, -up.x),
                                                   lmb_vec3_make(0, 0, 1));
    const lmb_vec3 w = lmb_vec3_cross(u, up);
    const lmb_vec3 whole = principal_axis(v, u, w, false), trunk = principal_axis(v, u, w, true);
    const lmb_vec3 guesses[LMBI_MAX_STAND_HYPOTHESES] = {
        u, w, whole, lmb_vec3_cross(whole, up), trunk, lmb_vec3_cross(trunk, up)};
    uint32_t count = 0;
    for (int g = 0; g < LMBI_MAX_STAND_HYPOTHESES; ++g) {
        bool known = false;
        for (uint32_t k = 0; k < count; ++k) {
            known = known || fabsf(lmb_vec3_dot(out[k], guesses[g])) > 0.985f; // 10 degrees
        }
        if (!known) {
            out[count++] = guesses[g];
        }
    }
    return count;
}

static lmbi_stand_hypothesis create_hypothesis(const lmbi_body_shape *v, lmb_vec3 up,
                                               lmb_vec3 guess)
{
    lmbi_stand_hypothesis s = {.up = up, .left = guess};
    s.offset = lmb_vec3_dot(v->body.centroid, guess);
    float miss = lmbi_mirror_refine(&v->body, up, &s.left, &s.offset);
    const lmb_vec3 axis = lmbi_snap_to_axis(s.left);
    if (lmb_vec3_dot(axis, s.left) < 1) {
        lmb_vec3 turned = axis;
        float offset = lmb_vec3_dot(v->body.centroid, axis);
        miss = fminf(miss, lmbi_mirror_refine(&v->body, up, &turned, &offset));
        s.left = axis;
        s.offset = offset;
    }
    s.asymmetry = miss / 3;
    s.forward = lmb_vec3_cross(s.left, up);
    s.low = 1e30f;
    s.high = -1e30f;
    for (int c = 0; c < 8; ++c) {
        const lmb_vec3 corner = lmb_vec3_make(c & 1 ? v->box.high.x : v->box.low.x,
                                              c & 2 ? v->box.high.y : v->box.low.y,
                                              c & 4 ? v->box.high.z : v->box.low.z);
        s.low = fminf(s.low, lmb_vec3_dot(corner, up));
        s.high = fmaxf(s.high, lmb_vec3_dot(corner, up));
    }
    return s;
}

static uint32_t count_feet_on_ground(const lmbi_stand_hypothesis *s, const lmbi_tip *feet,
                                     uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < count; ++k) {
        n += lmb_vec3_dot(feet[k].position, s->up) < s->low + 0.1f * (s->high - s->low);
    }
    return n;
}

/// Moves each foot from its first lowest voxel to the centroid of its contact with the ground.
static void center_feet(const lmbi_body_shape *v, lmb_vec3 up, lmbi_tip *feet, uint32_t count)
{
    const float near = 0.05f, thick = 2.5f * v->body.grid.cell;
    for (uint32_t f = 0; f < count; ++f) {
        for (int round = 0; round < 2; ++round) {
            lmb_vec3 sum = {0, 0, 0};
            float n = 0;
            const lmb_vec3 at = feet[f].position;
            for (uint32_t k = 0; k < v->body.solid_count; ++k) {
                const lmb_vec3 p = v->body.at[k];
                const lmb_vec3 d = lmb_vec3_sub(p, at);
                if (fabsf(lmb_vec3_dot(d, up)) < thick && lmb_vec3_dot(d, d) < near * near) {
                    sum = lmb_vec3_add(sum, d);
                    n += 1;
                }
            }
            sum = lmb_vec3_mad(sum, up, -lmb_vec3_dot(sum, up));
            feet[f].position = n > 0 ? lmb_vec3_mad(at, sum, 1 / n) : at;
        }
    }
}

lmb_result lmbi_stand_hypotheses_find(const lmbi_body_shape *shape, lmb_vec3 up,
                                      lmbi_stand_hypothesis *out, uint32_t *out_count,
                                      lmb_error *error)
{
    lmbi_tip feet[LMBI_MAX_TIPS];
    uint32_t foot_count;
    const lmb_result result =
        lmbi_body_find_feet(&shape->body, up, SHORTEST_LEG, feet, &foot_count, error);
    if (result != LMB_OK) {
        return result;
    }
    center_feet(shape, up, feet, foot_count);
    lmb_vec3 normals[LMBI_MAX_STAND_HYPOTHESES];
    *out_count = guess_normals(shape, up, normals);
    for (uint32_t n = 0; n < *out_count; ++n) {
        out[n] = create_hypothesis(shape, up, normals[n]);
        out[n].foot_count = count_feet_on_ground(&out[n], feet, foot_count);
        pair_feet(feet, foot_count, &out[n]);
    }
    return LMB_OK;
}

void lmbi_stand_reverse(lmbi_stand_hypothesis *stand)
{
    stand->left = lmb_vec3_neg(stand->left);
    stand->forward = lmb_vec3_neg(stand->forward);
    stand->offset = -stand->offset;
    for (uint32_t k = 0; k < stand->pair_count; ++k) {
        lmbi_leg_pair *p = &stand->pairs[k];
        const lmb_vec3 foot = p->foot[0];
        p->foot[0] = p->foot[1];
        p->foot[1] = foot;
        p->along = -p->along;
    }
    for (uint32_t k = 0; k < stand->pair_count / 2; ++k) {
        const lmbi_leg_pair pair = stand->pairs[k];
        stand->pairs[k] = stand->pairs[stand->pair_count - 1 - k];
        stand->pairs[stand->pair_count - 1 - k] = pair;
    }
}

lmbi_stand_hypothesis lmbi_stand_in_frame(const lmbi_stand_hypothesis *stand,
                                          const lmbi_frame *from, const lmbi_frame *to)
{
    lmbi_stand_hypothesis s = *stand;
    const lmb_vec3 ground = lmbi_frame_to(from, to->origin);
    const float low = lmb_vec3_dot(ground, stand->up);
    s.left = lmb_vec3_make(1, 0, 0);
    s.up = lmb_vec3_make(0, 1, 0);
    s.forward = lmb_vec3_make(0, 0, 1);
    s.offset = 0;
    s.low -= low;
    s.high -= low;
    for (uint32_t k = 0; k < s.pair_count; ++k) {
        lmbi_leg_pair *p = &s.pairs[k];
        for (int side = 0; side < 2; ++side) {
            p->foot[side] = lmbi_frame_to(to, lmbi_frame_from(from, p->foot[side]));
        }
        p->along = 0.5f * (p->foot[0].z + p->foot[1].z);
        p->free -= low;
    }
    return s;
}
