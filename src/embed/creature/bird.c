/// Birds with spread wings, standing or flying.
#include "embed/creature/chain.h"
#include "embed/creature/leg_line.h"
#include "embed/creature/slice_profile.h"
#include "embed/creature/spine.h"

#include <math.h>

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
    const lmbi_stand *stand;
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

lmb_result lmbi_bird_place(const lmbi_body_shape *shape, const lmbi_stand *stand,
                           lmb_embedding *out, lmb_error *error)
{
    bird b = {.v = shape, .stand = stand};
    find_body(&b);
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_BIRD, &shape->frame, shape->box.high.y, out);
    int32_t chest;
    const int32_t hips = write_trunk(&b, &c, &chest);
    const int32_t *wings = stand->tips[LMBI_CHAIN_FORE];
    const bool winged = wings[0] != LMB_NONE && wings[1] != LMB_NONE;
    lmb_result result = LMB_OK;
    for (int side = 0; side < 2 && result == LMB_OK; ++side) {
        if (winged) {
            write_wing(&b, &c, side, (uint32_t)wings[side], chest);
        }
        if (stand->pair_count > 0) {
            result = write_leg(&b, &c, side, hips, error);
        }
    }
    return result;
}
