/// Birds with spread wings, standing or flying.
#include "embed/cost.h"
#include "embed/creature/chain.h"
#include "embed/creature/leg_line.h"
#include "embed/creature/slice_profile.h"
#include "embed/creature/spine.h"

#include <math.h>

static float distance_across(const lmbi_stand_hypothesis *s, lmb_vec3 p)
{
    return lmb_vec3_dot(p, s->left) - s->offset;
}

/// The pair of tips that reaches farthest to both sides. Returns how far, or 0 if there is none.
static float find_wings(const lmbi_body_shape *v, const lmbi_stand_hypothesis *s, uint32_t out[2])
{
    float best = 0;
    for (uint32_t a = 0; a < v->tip_count; ++a) {
        for (uint32_t b = 0; b < v->tip_count; ++b) {
            const lmb_vec3 p = v->tips[a].position, q = v->tips[b].position;
            const float x = distance_across(s, p), y = -distance_across(s, q);
            const lmb_vec3 d = lmb_vec3_sub(p, q);
            const float off = fabsf(x - y) + fabsf(lmb_vec3_dot(d, s->up)) +
                              0.5f * fabsf(lmb_vec3_dot(d, s->forward));
            if (x > 0.1f && y > 0.1f && off < 0.12f && fminf(x, y) > best) {
                best = fminf(x, y);
                out[0] = a;
                out[1] = b;
            }
        }
    }
    return best;
}

typedef struct bird_extent {
    float tall, deep; ///< extents of the voxels near the mirror plane, along up and forward
    float spread_up, spread_forward; ///< standard deviations weighted by depth
} bird_extent;

static bird_extent measure_extent(const lmbi_body_shape *v, const lmbi_stand_hypothesis *s)
{
    double w = 0, y1 = 0, y2 = 0, z1 = 0, z2 = 0;
    float low = 1e30f, high = -1e30f, back = 1e30f, front = -1e30f;
    for (uint32_t k = 0; k < v->body.solid_count; ++k) {
        const lmb_vec3 p = v->body.at[k];
        if (fabsf(distance_across(s, p)) > 0.06f) {
            continue;
        }
        const float y = lmb_vec3_dot(p, s->up), z = lmb_vec3_dot(p, s->forward);
        const double d = (double)v->body.depth[v->body.solid[k]], m = d * d;
        w += m;
        y1 += m * (double)y;
        y2 += m * (double)(y * y);
        z1 += m * (double)z;
        z2 += m * (double)(z * z);
        low = fminf(low, y);
        high = fmaxf(high, y);
        back = fminf(back, z);
        front = fmaxf(front, z);
    }
    w = w > 0 ? w : 1;
    const float vy = (float)(y2 / w - y1 / w * (y1 / w)), vz = (float)(z2 / w - z1 / w * (z1 / w));
    return (bird_extent){high - low, front - back, lmb_sqrt(fmaxf(vy, 0)), lmb_sqrt(fmaxf(vz, 0))};
}

/// Chord over thickness of the outer half of both wings: about 1 for arms.
static float flatness(const lmbi_body_shape *v, const lmbi_stand_hypothesis *s, float wing)
{
    enum { BINS = 64 };
    float low[2 * BINS][2], high[2 * BINS][2];
    for (int b = 0; b < 2 * BINS; ++b) {
        low[b][0] = low[b][1] = 1e30f;
        high[b][0] = high[b][1] = -1e30f;
    }
    for (uint32_t k = 0; k < v->body.solid_count; ++k) {
        const lmb_vec3 p = v->body.at[k];
        const float x = distance_across(s, p), fraction = (fabsf(x) / wing - 0.4f) / 0.5f;
        if (!(fraction >= 0 && fraction < 1)) {
            continue;
        }
        const int b = (int)(fraction * BINS) + (x < 0 ? BINS : 0);
        const float at[2] = {lmb_vec3_dot(p, s->up), lmb_vec3_dot(p, s->forward)};
        for (int c = 0; c < 2; ++c) {
            low[b][c] = fminf(low[b][c], at[c]);
            high[b][c] = fmaxf(high[b][c], at[c]);
        }
    }
    float thick = 0, chord = 0;
    for (int b = 0; b < 2 * BINS; ++b) {
        if (high[b][0] >= low[b][0]) {
            thick += high[b][0] - low[b][0] + v->body.grid.cell;
            chord += high[b][1] - low[b][1] + v->body.grid.cell;
        }
    }
    return chord / fmaxf(thick, 1e-4f);
}

/// The index of the lowest pair of legs, or -1.
static int32_t choose_feet(const lmbi_stand_hypothesis *s, float wing)
{
    int32_t best = -1;
    for (uint32_t k = 0; k < s->pair_count; ++k) {
        const lmbi_leg_pair *p = &s->pairs[k];
        const float apart = 0.5f * lmb_vec3_distance(p->foot[0], p->foot[1]);
        if (apart < 0.7f * wing && p->height < 0.25f * (s->high - s->low) &&
            (best < 0 || p->length > s->pairs[best].length)) {
            best = (int32_t)k;
        }
    }
    return best;
}

/// Above 0 if the bird faces along forward: heads are high and round, tails are flat, toes point
/// forward.
static float head_hint(const lmbi_body_shape *v, const lmbi_stand_hypothesis *s)
{
    float back = 1e30f, front = -1e30f;
    for (uint32_t k = 0; k < v->body.solid_count; ++k) {
        const lmb_vec3 p = v->body.at[k];
        const float z = lmb_vec3_dot(p, s->forward);
        if (fabsf(distance_across(s, p)) < 0.03f) {
            back = fminf(back, z);
            front = fmaxf(front, z);
        }
    }
    const float end = 0.22f * (front - back), tall = s->high - s->low;
    float wide[2] = {0, 0}, low[2] = {1e30f, 1e30f}, high[2] = {-1e30f, -1e30f};
    float toes = 0, shank = 0, toe_count = 0, shank_count = 0;
    for (uint32_t k = 0; k < v->body.solid_count; ++k) {
        const lmb_vec3 p = v->body.at[k];
        const float z = lmb_vec3_dot(p, s->forward), y = lmb_vec3_dot(p, s->up) - s->low,
                    x = fabsf(distance_across(s, p));
        const int which = z > front - end ? 0 : z < back + end ? 1 : 2;
        if (which < 2 && x < 0.12f && y > 0.25f * tall) {
            wide[which] = fmaxf(wide[which], x);
            low[which] = fminf(low[which], y);
            high[which] = fmaxf(high[which], y);
        }
        if (s->pair_count > 0 && x < 0.2f) {
            const float free = s->pairs[0].free - s->low;
            if (y < 0.12f * free + 0.01f) {
                toes += z;
                toe_count += 1;
            } else if (y > 0.3f * free && y < 0.7f * free) {
                shank += z;
                shank_count += 1;
            }
        }
    }
    const float flat =
        wide[1] / fmaxf(high[1] - low[1], 0.02f) - wide[0] / fmaxf(high[0] - low[0], 0.02f);
    const float higher = (high[0] - high[1]) / fmaxf(tall, 0.1f);
    const float toe =
        toe_count > 0 && shank_count > 0 ? (toes / toe_count - shank / shank_count) / 0.02f : 0;
    const float f = flat < -1  ? -1
                    : flat > 1 ? 1
                               : flat,
                t = toe < -1  ? -1
                    : toe > 1 ? 1
                              : toe,
                h = higher * 3 < -1  ? -1
                    : higher * 3 > 1 ? 1
                                     : higher * 3;
    return 0.7f * f + 0.9f * h + 0.7f * t;
}

float lmbi_bird_cost(const lmbi_body_shape *shape, lmb_vec3 given, lmbi_stand_hypothesis *stand)
{
    uint32_t wings[2];
    const float wing = find_wings(shape, stand, wings);
    if (!(wing > 0)) {
        return 3;
    }
    const bird_extent e = measure_extent(shape, stand);
    const int32_t feet = choose_feet(stand, wing);
    const float flat = flatness(shape, stand, wing);
    // An upright trunk speaks against a bird, but only mildly: herons stand upright.
    const float upright = lmbi_excess(e.spread_up / fmaxf(e.spread_forward, 1e-4f), 1.9f);
    float cost = 4 * lmbi_excess(0.28f, wing) +
                 2 * lmbi_excess(0.4f, e.deep / fmaxf(2 * wing, e.tall)) +
                 (flat > 3.5f ? 0.3f : 1.0f) * upright;
    // A wing is level along its length, unlike a leg, and thinner than the trunk.
    const lmb_vec3 tip = shape->tips[wings[0]].position;
    const float tip_high = (lmb_vec3_dot(tip, stand->up) - stand->low) / (stand->high - stand->low);
    cost += 3 * lmbi_excess(0.25f, tip_high) + 0.5f * stand->asymmetry;
    cost += feet < 0 ? 0.25f : 0;
    // Spread wings are wider than the body is long, and thin for their chord.
    cost += 3 * lmbi_excess(0.95f, 2 * wing / fmaxf(e.deep, e.tall));
    cost += 0.8f * lmbi_excess(2.0f, flat);
    if (feet >= 0) {
        stand->pairs[0] = stand->pairs[feet];
    }
    stand->pair_count = feet >= 0;
    const bool reversed = lmb_vec3_dot(given, given) > 0 ? lmb_vec3_dot(given, stand->forward) < 0
                                                         : head_hint(shape, stand) < 0;
    if (reversed) {
        lmbi_stand_reverse(stand);
    }
    return cost;
}

/// The line of the wing bones: a fifth of the chord behind the leading edge.
static lmb_vec3 wing_bone_point(const lmbi_body_shape *v, lmb_vec3 p)
{
    const float near = 1.2f * v->body.grid.cell;
    float front = -1e30f, back = 1e30f;
    for (uint32_t k = 0; k < v->body.solid_count; ++k) {
        const lmb_vec3 q = v->body.at[k];
        if (fabsf(q.x - p.x) < near && fabsf(q.y - p.y) < 0.05f && fabsf(q.z - p.z) < 0.25f) {
            front = fmaxf(front, q.z);
            back = fminf(back, q.z);
        }
    }
    p.z = front > back ? front - 0.2f * (front - back) : p.z;
    return p;
}

typedef struct bird {
    const lmbi_body_shape *v;
    const lmbi_stand_hypothesis *stand;
    lmbi_slice_profile p;
    float back, front; ///< z range in which the body is thick
    float unit;        ///< length of the body
} bird;

/// Finds the z range in which the body near the mirror plane is thick.
static void find_body(bird *b)
{
    lmbi_slice_profile_measure(b->v, 0.1f, &b->p);
    float most = 0;
    uint32_t deepest = 0;
    for (uint32_t k = 0; k < b->p.count; ++k) {
        if (b->p.deep[k] > most) {
            most = b->p.deep[k];
            deepest = k;
        }
    }
    uint32_t low = deepest, high = deepest;
    while (low > 0 && b->p.deep[low - 1] > 0.5f * most) {
        --low;
    }
    while (high + 1 < b->p.count && b->p.deep[high + 1] > 0.5f * most) {
        ++high;
    }
    b->back = b->p.low + b->p.step * (float)low;
    b->front = b->p.low + b->p.step * (float)(high + 1);
    const lmb_vec3 a = lmbi_slice_profile_at(&b->p, b->back),
                   c = lmbi_slice_profile_at(&b->p, b->front);
    b->unit = fmaxf(lmb_vec3_distance(a, c), 0.05f) / 0.86f;
}

/// The point of the trunk at a fraction of its length: -0.5 at the rear end, 0.5 at the front end.
static lmb_vec3 point_of_trunk(const bird *b, float fraction)
{
    const float z = b->back + (fraction + 0.37f) / 0.77f * (b->front - b->back);
    lmb_vec3 p = lmbi_slice_profile_at(&b->p, z);
    p.x = 0;
    return p;
}

static int32_t write_trunk(const bird *b, lmbi_embedding_writer *c, int32_t *out_chest)
{
    const int32_t hips = lmbi_embedding_add_joint(c, "hips", LMB_NONE, point_of_trunk(b, -0.28f),
                                                  0.8f, "a fraction of the body");
    const int32_t spine = lmbi_embedding_add_joint(c, "spine", hips, point_of_trunk(b, -0.02f),
                                                   0.8f, "a fraction of the body");
    *out_chest = lmbi_embedding_add_joint(c, "chest", spine, point_of_trunk(b, 0.20f), 0.8f,
                                          "a fraction of the body");
    const lmbi_head_line head = lmbi_head_find(b->v, b->front - 0.12f * b->unit, b->unit);
    const int32_t neck =
        lmbi_embedding_add_joint(c, "neck", *out_chest, head.neck, head.sure,
                                 "where the path from the beak opens into the body");
    const int32_t skull =
        lmbi_embedding_add_joint(c, "head", neck, head.head, head.sure, "behind the skull");
    lmbi_embedding_set_tip(c, skull, head.muzzle);
    const int32_t tail = lmbi_embedding_add_joint(c, "tail", hips, point_of_trunk(b, -0.48f), 0.75f,
                                                  "where the body ends behind");
    lmb_vec3 tip = lmbi_slice_profile_at(&b->p, b->v->box.low.z);
    tip.x = 0;
    lmbi_embedding_set_tip(c, tail, tip);
    return hips;
}

static void write_wing(const bird *b, lmbi_embedding_writer *c, int side, uint32_t tip,
                       int32_t chest)
{
    static const char *const names[2][3] = {{"leftUpperArm", "leftLowerArm", "leftHand"},
                                            {"rightUpperArm", "rightLowerArm", "rightHand"}};
    lmbi_limb_profile line;
    lmbi_body_shape_trace_limb(b->v, b->v->tips[tip].voxel, &line);
    const float root = lmbi_limb_root(b->v, &line, &b->v->tips[tip]);
    const lmb_vec3 end = line.at[0], start = lmbi_limb_point(&line, root);
    static const float fractions[3] = {0, 0.28f, 0.61f};
    int32_t parent = chest;
    for (int k = 0; k < 3; ++k) {
        lmb_vec3 p = lmb_vec3_lerp(start, end, fractions[k]);
        p.y = lmbi_limb_point(&line, root * (1 - fractions[k])).y;
        // At its root the wing's leading edge is inside the body, so measure a little farther out.
        const lmb_vec3 outer = k == 0 ? lmb_vec3_lerp(start, end, 0.14f) : p;
        p.z = wing_bone_point(b->v, outer).z;
        parent = lmbi_embedding_add_joint(c, names[side][k], parent, p, 0.75f,
                                          k == 0 ? "where the wing leaves the body"
                                                 : "a fraction of the wing, behind its front edge");
    }
    lmbi_embedding_set_tip(c, parent, end);
}

static lmb_result write_leg(const bird *b, lmbi_embedding_writer *c, int side, int32_t hips,
                            lmb_error *error)
{
    static const char *const names[2][4] = {
        {"leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"},
        {"rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes"}};
    const lmbi_leg_pair *pair = &b->stand->pairs[0];
    lmbi_leg_line line;
    const lmb_result result = lmbi_leg_line_trace(b->v, pair->foot[side],
                                                  pair->free - b->v->body.grid.cell, &line, error);
    if (result != LMB_OK) {
        return result;
    }
    const float ground = pair->foot[side].y, free = pair->free - ground;
    const lmb_vec3 shank = lmbi_leg_line_at(&line, ground + 0.45f * free);
    float low = pair->free, high = pair->free + 0.3f * b->unit;
    lmbi_trunk_span(b->v, shank.z, &low, &high);
    const float root = pair->free + 0.33f * fmaxf(high - pair->free, 0);
    lmb_vec3 at[4] = {
        {shank.x, root, shank.z},
        lmbi_leg_line_at(&line, ground + 0.78f * free),
        {shank.x, ground + fminf(0.055f * b->unit, 0.3f * free), shank.z},
        {shank.x, ground + fminf(0.03f * b->unit, 0.15f * free), shank.z + 0.09f * b->unit}};
    int32_t parent = hips;
    for (int k = 0; k < 4; ++k) {
        parent = lmbi_embedding_add_joint(c, names[side][k], parent, at[k], 0.7f,
                                          "a fraction of the leg");
        if (k > 0) {
            lmbi_embedding_set_hinge(c, parent, lmb_vec3_make(1, 0, 0));
        }
    }
    lmbi_embedding_set_tip(c, parent, lmb_vec3_make(shank.x, at[3].y, shank.z + 0.19f * b->unit));
    return LMB_OK;
}

lmb_result lmbi_bird_place(const lmbi_body_shape *shape, const lmbi_stand_hypothesis *stand,
                           lmb_embedding *out, lmb_error *error)
{
    bird b = {.v = shape, .stand = stand};
    find_body(&b);
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_BIRD, &shape->frame, stand->high - stand->low, out);
    int32_t chest;
    const int32_t hips = write_trunk(&b, &c, &chest);
    uint32_t wings[2];
    const bool winged = find_wings(shape, stand, wings) > 0;
    lmb_result result = LMB_OK;
    for (int side = 0; side < 2 && result == LMB_OK; ++side) {
        if (winged) {
            write_wing(&b, &c, side, wings[side], chest);
        }
        if (stand->pair_count > 0) {
            result = write_leg(&b, &c, side, hips, error);
        }
    }
    return result;
}
