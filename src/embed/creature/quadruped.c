/// Places the joints of an animal on four legs, digitigrade or plantigrade, and of a reptile on two
/// with a tail.
#include "embed/creature/chain.h"
#include "embed/creature/leg_line.h"
#include "embed/creature/spine.h"
#include "embed/kinds.h"

#include <math.h>

enum { BACK = 0, FRONT = 1 };

typedef struct leg {
    lmb_vec3 at[4]; ///< hip, knee, hock, toes; or scapula, shoulder, elbow, foot
    lmb_vec3 tip;
    float sure; ///< confidence of the bends
} leg;

typedef struct quad {
    const lmbi_body_shape *v;
    const lmbi_stand *stand;
    float root_z[2]; ///< z of hips and shoulders
    float length;    ///< from hips to shoulders
    float top;       ///< of the trunk, between its legs
    leg legs[2][2];  ///< [FRONT][0] is the left front one
} quad;

/// Height of a leg's root above its free part, as a fraction of the trunk above it. A hip lies in
/// the middle of the croup, a shoulder joint low at the chest.
static const float HIND_ROOT = 0.38f, FORE_ROOT = 0.27f;
/// The spine runs in the upper third of the trunk, under the back.
static const float BACKBONE = 0.67f;

static float trunk_top(const quad *q, float z)
{
    float low, high;
    if (!lmbi_trunk_span(q->v, z, &low, &high)) {
        return q->top;
    }
    return fminf(fmaxf(high, 0.85f * q->top), 1.12f * q->top);
}

/// Finds the point of the line that is farthest behind the straight line from `a` down to `b` (sign
/// -1), or in front of it (sign +1), between the heights low and high. Returns the distance.
static float farthest_bend(const lmbi_leg_line *line, lmb_vec3 a, lmb_vec3 b, float low, float high,
                           float sign, float *out_y)
{
    float best = 0;
    for (uint32_t k = 0; k < line->count; ++k) {
        const lmb_vec3 p = line->at[k];
        if (p.y < low || p.y > high) {
            continue;
        }
        const float t = (p.y - b.y) / fmaxf(a.y - b.y, 1e-4f);
        const float off = sign * (p.z - (b.z + t * (a.z - b.z)));
        if (off > best) {
            best = off;
            *out_y = p.y;
        }
    }
    return best;
}

/// The foremost point of the foot near the ground.
static lmb_vec3 toe_tip(const lmbi_body_shape *v, lmb_vec3 foot, float tall)
{
    lmb_vec3 tip = foot;
    for (uint32_t k = 0; k < v->body.solid_count; ++k) {
        const lmb_vec3 p = v->body.at[k];
        if (p.y < foot.y + 0.5f * tall && fabsf(p.x - foot.x) < 0.05f && p.z - foot.z < 0.1f &&
            p.z > tip.z) {
            tip.z = p.z;
        }
    }
    tip.y = foot.y + 0.2f * tall;
    return tip;
}

static void place_hind_leg(const quad *q, const lmbi_leg_line *line, const lmbi_leg_pair *pair,
                           int side, leg *out)
{
    const lmb_vec3 foot = pair->foot[side];
    const float root = pair->free + HIND_ROOT * (trunk_top(q, q->root_z[BACK]) - pair->free);
    const float tall = root - foot.y;
    const lmb_vec3 hip = lmbi_leg_line_at(line, root);
    float hock = foot.y + 0.345f * tall, knee = 0;
    const lmb_vec3 pastern = lmbi_leg_line_at(line, foot.y + 0.06f * tall);
    const float back =
        farthest_bend(line, hip, pastern, foot.y + 0.1f * tall, foot.y + 0.5f * tall, -1, &hock);
    if (back < 0.012f) {
        hock = foot.y + 0.345f * tall;
    }
    knee = hock + 0.44f * (root - hock);
    const float bend =
        farthest_bend(line, hip, lmbi_leg_line_at(line, hock), hock + 0.25f * (root - hock),
                      hock + 0.7f * (root - hock), 1, &knee);
    if (bend < 0.01f) {
        knee = hock + 0.44f * (root - hock);
    }
    out->at[0] = hip;
    out->at[1] = lmbi_leg_line_at(line, knee);
    out->at[2] = lmbi_leg_line_at(line, hock);
    out->at[3] = lmbi_leg_line_at(line, foot.y + fminf(0.11f * tall, 0.45f * (hock - foot.y)));
    out->tip = toe_tip(q->v, foot, out->at[3].y - foot.y);
    out->sure = 0.6f + (back < 0.012f ? 0 : 0.15f) + (bend < 0.01f ? 0 : 0.15f);
}

static void place_fore_leg(const quad *q, const lmbi_leg_line *line, const lmbi_leg_pair *pair,
                           int side, leg *out)
{
    const lmb_vec3 foot = pair->foot[side];
    const float top = trunk_top(q, q->root_z[FRONT]);
    const float root = pair->free + FORE_ROOT * (top - pair->free), tall = root - foot.y;
    const lmb_vec3 shoulder = lmbi_leg_line_at(line, root);
    out->at[1] = shoulder;
    out->at[0] = lmb_vec3_make(0.6f * shoulder.x, root + 0.4f * (top - root),
                               shoulder.z - 0.12f * q->length);
    out->at[2] = lmbi_leg_line_at(line, foot.y + 0.53f * tall);
    out->at[3] = lmbi_leg_line_at(line, foot.y + 0.14f * tall);
    out->tip = toe_tip(q->v, foot, out->at[3].y - foot.y);
    out->sure = 0.75f;
}

/// Makes both sides of a pair mirror images if they nearly are.
static void symmetrise_pair(leg pair[2])
{
    const float alike = 0.025f;
    for (int k = 0; k < 5; ++k) {
        lmb_vec3 *a = k < 4 ? &pair[0].at[k] : &pair[0].tip,
                 *b = k < 4 ? &pair[1].at[k] : &pair[1].tip;
        const lmb_vec3 image = lmb_vec3_make(-b->x, b->y, b->z);
        if (lmb_vec3_distance(*a, image) < alike) {
            *a = lmb_vec3_lerp(*a, image, 0.5f);
            *b = lmb_vec3_make(-a->x, a->y, a->z);
        }
    }
}

static lmb_result place_legs(quad *q, lmb_error *error)
{
    lmbi_leg_line lines[2][2];
    for (int end = 0; end < 2; ++end) {
        const lmbi_leg_pair *pair = &q->stand->pairs[end];
        for (int side = 0; side < 2; ++side) {
            const lmb_result result = lmbi_leg_line_trace(q->v, pair->foot[side],
                                                          pair->free - 1.5f * q->v->body.grid.cell,
                                                          &lines[end][side], error);
            if (result != LMB_OK) {
                return result;
            }
        }
        q->root_z[end] = 0.5f * (lmbi_leg_line_at(&lines[end][0], 1e9f).z +
                                 lmbi_leg_line_at(&lines[end][1], 1e9f).z);
    }
    q->length = fmaxf(q->root_z[FRONT] - q->root_z[BACK], 0.1f);
    float low;
    if (!lmbi_trunk_span(q->v, 0.5f * (q->root_z[0] + q->root_z[1]), &low, &q->top)) {
        q->top = q->v->body.centroid.y;
    }
    for (int side = 0; side < 2; ++side) {
        place_hind_leg(q, &lines[BACK][side], &q->stand->pairs[BACK], side, &q->legs[BACK][side]);
        place_fore_leg(q, &lines[FRONT][side], &q->stand->pairs[FRONT], side,
                       &q->legs[FRONT][side]);
    }
    symmetrise_pair(q->legs[BACK]);
    symmetrise_pair(q->legs[FRONT]);
    return LMB_OK;
}

static lmb_vec3 spine_at(const quad *q, float fraction)
{
    const float z = q->root_z[BACK] + fraction * q->length;
    float low = 0, high = q->top;
    lmbi_trunk_span(q->v, z, &low, &high);
    high = fminf(high, 1.12f * q->top);
    low = fmaxf(low, q->stand->pair_count < 2
                         ? q->stand->pairs[0].free
                         : fminf(q->stand->pairs[0].free, q->stand->pairs[1].free));
    return lmb_vec3_make(0, low + BACKBONE * (high - low), z);
}

static int32_t write_trunk(quad *q, lmbi_embedding_writer *c, int32_t *out_chest)
{
    const lmbi_head_line head = lmbi_head_find(q->v, q->root_z[FRONT], q->length);
    const int32_t hips = lmbi_embedding_add_joint(c, "hips", LMB_NONE, spine_at(q, -0.06f), 0.8f,
                                                  "in the trunk above the hind legs");
    const int32_t spine = lmbi_embedding_add_joint(c, "spine", hips, spine_at(q, 0.35f), 0.8f,
                                                   "a fraction of the trunk between its legs");
    *out_chest = lmbi_embedding_add_joint(c, "chest", spine, spine_at(q, 0.76f), 0.8f,
                                          "a fraction of the trunk between its legs");
    const int32_t neck =
        lmbi_embedding_add_joint(c, "neck", *out_chest, head.neck, head.sure,
                                 "where the path from the muzzle opens into the trunk");
    const int32_t skull = lmbi_embedding_add_joint(
        c, "head", neck, head.head, head.sure,
        head.sure > 0.7f ? "where the skull narrows" : "a fraction of head and neck");
    lmbi_embedding_set_tip(c, skull, head.muzzle);
    lmbi_tail_line tail;
    if (lmbi_tail_find(q->v, q->root_z[BACK] - 0.18f * q->length, q->stand->pairs[BACK].free,
                       &tail)) {
        int32_t parent = hips;
        for (uint32_t k = 0; k < 3; ++k) {
            parent = lmbi_embedding_add_numbered(c, "tail", k + 1, parent, tail.at[k], 0.8f,
                                                 "a fraction of the tail");
        }
        lmbi_embedding_set_tip(c, parent, tail.at[3]);
    }
    return hips;
}

static void write_leg(lmbi_embedding_writer *c, const leg *l, const char *const names[4],
                      int32_t parent, int first_hinge)
{
    for (int k = 0; k < 4; ++k) {
        parent =
            lmbi_embedding_add_joint(c, names[k], parent, l->at[k], l->sure,
                                     l->sure > 0.7f ? "on the middle line of the leg, at its bend"
                                                    : "a fraction of the leg");
        if (k >= first_hinge) {
            lmbi_embedding_set_hinge(c, parent, lmb_vec3_make(1, 0, 0));
        }
    }
    lmbi_embedding_set_tip(c, parent, l->tip);
}

/// Arms or wings with the given tips.
static void write_arms(const quad *q, lmbi_embedding_writer *c, const int32_t tips[2],
                       int32_t chest)
{
    static const char *const names[2][3] = {{"leftUpperArm", "leftLowerArm", "leftHand"},
                                            {"rightUpperArm", "rightLowerArm", "rightHand"}};
    const float fractions[3] = {1, 0.55f, 0.22f};
    for (int side = 0; side < 2 && tips[0] != LMB_NONE && tips[1] != LMB_NONE; ++side) {
        const lmbi_tip *tip = &q->v->tips[tips[side]];
        lmbi_limb_profile line;
        lmbi_body_shape_trace_limb(q->v, tip->voxel, &line);
        const float root = lmbi_limb_root(q->v, &line, tip);
        int32_t parent = chest;
        for (int k = 0; k < 3; ++k) {
            parent = lmbi_embedding_add_joint(c, names[side][k], parent,
                                              lmbi_limb_point(&line, fractions[k] * root), 0.65f,
                                              "a fraction of the arm");
        }
        lmbi_embedding_set_tip(c, parent, line.at[0]);
    }
}

lmb_result lmbi_quadruped_place(const lmbi_body_shape *shape, const lmbi_stand *stand,
                                lmb_embedding *out, lmb_error *error)
{
    static const char *const names[2][2][4] = {
        {{"leftFrontShoulder", "leftFrontUpperLeg", "leftFrontLowerLeg", "leftFrontFoot"},
         {"leftBackUpperLeg", "leftBackLowerLeg", "leftBackFoot", "leftBackToes"}},
        {{"rightFrontShoulder", "rightFrontUpperLeg", "rightFrontLowerLeg", "rightFrontFoot"},
         {"rightBackUpperLeg", "rightBackLowerLeg", "rightBackFoot", "rightBackToes"}}};
    quad q = {.v = shape, .stand = stand};
    const lmb_result result = place_legs(&q, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_QUADRUPED, &shape->frame, shape->box.high.y, out);
    int32_t chest;
    const int32_t hips = write_trunk(&q, &c, &chest);
    for (int side = 0; side < 2; ++side) {
        write_leg(&c, &q.legs[FRONT][side], names[side][0], chest, 2);
        write_leg(&c, &q.legs[BACK][side], names[side][1], hips, 1);
    }
    write_arms(&q, &c, stand->tips[LMBI_CHAIN_UPPER], chest);
    return LMB_OK;
}

// ---- on two legs

/// How far the chest lies from the hips to the muzzle.
static const float CHEST = 0.42f;

static lmb_result place_two_legs(quad *q, lmb_error *error)
{
    lmbi_leg_line lines[2];
    const lmbi_leg_pair *pair = &q->stand->pairs[BACK];
    for (int side = 0; side < 2; ++side) {
        const lmb_result result = lmbi_leg_line_trace(
            q->v, pair->foot[side], pair->free - 1.5f * q->v->body.grid.cell, &lines[side], error);
        if (result != LMB_OK) {
            return result;
        }
    }
    q->root_z[BACK] =
        0.5f * (lmbi_leg_line_at(&lines[0], 1e9f).z + lmbi_leg_line_at(&lines[1], 1e9f).z);
    q->length = fmaxf(CHEST * (q->v->box.high.z - q->root_z[BACK]), 0.08f);
    q->root_z[FRONT] = q->root_z[BACK] + q->length;
    float low;
    if (!lmbi_trunk_span(q->v, q->root_z[BACK], &low, &q->top)) {
        q->top = q->v->body.centroid.y;
    }
    for (int side = 0; side < 2; ++side) {
        place_hind_leg(q, &lines[side], pair, side, &q->legs[BACK][side]);
    }
    symmetrise_pair(q->legs[BACK]);
    return LMB_OK;
}

lmb_result lmbi_biped_place(const lmbi_body_shape *shape, const lmbi_stand *stand,
                            lmb_embedding *out, lmb_error *error)
{
    static const char *const names[2][4] = {
        {"leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"},
        {"rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes"}};
    quad q = {.v = shape, .stand = stand};
    const lmb_result result = place_two_legs(&q, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_BIPED, &shape->frame, shape->box.high.y, out);
    int32_t chest;
    const int32_t hips = write_trunk(&q, &c, &chest);
    for (int side = 0; side < 2; ++side) {
        write_leg(&c, &q.legs[BACK][side], names[side], hips, 1);
    }
    write_arms(&q, &c, stand->tips[LMBI_CHAIN_FORE], chest);
    return LMB_OK;
}
