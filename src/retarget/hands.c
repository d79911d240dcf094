/// Hands keep their relation to the body: what touches each other, the trunk, the head, a thigh,
/// the other arm or the floor in the source does so in the target, whatever its proportions.
///
/// A part of the body is a line and a girth. A palm that is near one is put at the same place along
/// the target's line, as far aside as the girths compare; the nearer, the more it counts. Two-bone
/// IK takes the arm there; the hand keeps its turn.
#include "retarget/hands.h"

#include <math.h>

#include "limber/ik.h"

#define NEAR_M 0.01f  ///< from the skin, on a body of common size: touching
#define FAR_M 0.07f   ///< and out of touch
#define CLASP_M 0.10f ///< from palm to palm
#define APART_M 0.30f
#define PRESS_M 0.05f ///< over the floor
#define RAISED_M 0.20f
#define PALM 0.35f  ///< of the forearm: from the wrist to the palm
#define HEAD 0.25f  ///< of the leg: a head whose top nothing tells
#define SOFT 0.005f ///< share of the arm over which it straightens softly
#define STILL 1e-4f ///< of the arm: moved by less, it stays as it came

enum { SIDES = 2, PARTS = 8 };

typedef enum girth {
    GIRTH_TRUNK,
    GIRTH_HEAD,
    GIRTH_THIGH,
    GIRTH_ARM,
} girth;

/// A part of the body that hands touch.
typedef struct part {
    int from, to;   ///< slots; `to` at the left of two means the middle of both
    float radius_m; ///< on a body of common size
    girth girth;
    int side; ///< of an arm: 0 left, 1 right; its own hand does not touch it. -1: neither
} part;

static const part parts[PARTS] = {
    {LMB_SLOT_LEFT_UPPER_LEG, LMB_SLOT_LEFT_UPPER_ARM, 0.13f, GIRTH_TRUNK, -1},
    {LMB_SLOT_HEAD, LMB_SLOT_HEAD, 0.10f, GIRTH_HEAD, -1},
    {LMB_SLOT_LEFT_UPPER_LEG, LMB_SLOT_LEFT_LOWER_LEG, 0.08f, GIRTH_THIGH, -1},
    {LMB_SLOT_RIGHT_UPPER_LEG, LMB_SLOT_RIGHT_LOWER_LEG, 0.08f, GIRTH_THIGH, -1},
    {LMB_SLOT_LEFT_UPPER_ARM, LMB_SLOT_LEFT_LOWER_ARM, 0.05f, GIRTH_ARM, 0},
    {LMB_SLOT_RIGHT_UPPER_ARM, LMB_SLOT_RIGHT_LOWER_ARM, 0.05f, GIRTH_ARM, 1},
    {LMB_SLOT_LEFT_LOWER_ARM, LMB_SLOT_LEFT_HAND, 0.04f, GIRTH_ARM, 0},
    {LMB_SLOT_RIGHT_LOWER_ARM, LMB_SLOT_RIGHT_HAND, 0.04f, GIRTH_ARM, 1},
};

typedef struct line {
    lmb_vec3 from, to;
} line;

/// One body's measures.
typedef struct figure {
    const lmbi_body *body;
    float hips, shoulders, head, forearm;
    lmb_vec3 palm[SIDES]; ///< in the frame of the hand, model lengths
} figure;

typedef struct handwork {
    lmbi_transfer *t;
    figure from, to;
    float body_m; ///< of the source
    lmb_transform *model;
} handwork;

static float smooth(float x)
{
    return x <= 0.0f ? 0.0f : (x >= 1.0f ? 1.0f : x * x * (3.0f - 2.0f * x));
}

/// 1 up to `near_by`, 0 from `far_off` on.
static float nearness(float x, float near_by, float far_off)
{
    return 1.0f - smooth((x - near_by) / (far_off - near_by));
}

// ------------------------------------------------------------------------------------- the figures

static float between(const lmbi_body *body, int a, int b)
{
    return lmb_vec3_distance(lmbi_reference_at(body, a), lmbi_reference_at(body, b));
}

/// From the head joint to what reaches highest of the joints and tips on it; 0 where nothing tells.
static float head_size(const lmbi_body *body)
{
    const int32_t head = lmbi_joint(body, LMB_SLOT_HEAD);
    const lmb_skeleton *skeleton = body->skeleton;
    float size = 0.0f;
    for (uint32_t j = (uint32_t)head; j < body->count; ++j) {
        const bool on_it = (int32_t)j == head || skeleton->parents[j] == head;
        lmb_vec3 p = body->reference[j].translation;
        if (on_it && (int32_t)j == head && skeleton->tips != NULL) {
            p = lmb_transform_point(body->reference[j], skeleton->tips[j]);
        }
        size = on_it ? fmaxf(size, p.y - body->reference[head].translation.y) : size;
    }
    return size > 0.1f * body->leg_length ? size : 0.0f;
}

static bool is_whole(const lmbi_body *body)
{
    static const int needed[] = {LMB_SLOT_HEAD,
                                 LMB_SLOT_LEFT_UPPER_LEG,
                                 LMB_SLOT_LEFT_LOWER_LEG,
                                 LMB_SLOT_RIGHT_UPPER_LEG,
                                 LMB_SLOT_RIGHT_LOWER_LEG,
                                 LMB_SLOT_LEFT_UPPER_ARM,
                                 LMB_SLOT_LEFT_LOWER_ARM,
                                 LMB_SLOT_LEFT_HAND,
                                 LMB_SLOT_RIGHT_UPPER_ARM,
                                 LMB_SLOT_RIGHT_LOWER_ARM,
                                 LMB_SLOT_RIGHT_HAND};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); ++i) {
        if (lmbi_joint(body, needed[i]) < 0) {
            return false;
        }
    }
    return body->leg_length > 0.0f;
}

static figure measure(const lmbi_body *body)
{
    figure g = {.body = body};
    g.hips = between(body, LMB_SLOT_LEFT_UPPER_LEG, LMB_SLOT_RIGHT_UPPER_LEG);
    g.shoulders = between(body, LMB_SLOT_LEFT_UPPER_ARM, LMB_SLOT_RIGHT_UPPER_ARM);
    g.head = head_size(body);
    g.forearm = 0.5f * (between(body, LMB_SLOT_LEFT_LOWER_ARM, LMB_SLOT_LEFT_HAND) +
                        between(body, LMB_SLOT_RIGHT_LOWER_ARM, LMB_SLOT_RIGHT_HAND));
    return g;
}

static int hand_slot(int side)
{
    return side == 0 ? LMB_SLOT_LEFT_HAND : LMB_SLOT_RIGHT_HAND;
}

/// The palm lies the hand's way, where that is known of both bodies; else the forearm's.
static void place_palm(figure *g, int side, bool known)
{
    const lmbi_body *body = g->body;
    const int hand = hand_slot(side);
    const lmb_vec3 forearm =
        lmb_vec3_sub(lmbi_reference_at(body, hand), lmbi_reference_at(body, hand - 1));
    lmb_vec3 way = lmb_vec3_normalize_or(forearm, lmb_vec3_make(0, -1, 0));
    if (known) {
        (void)lmbi_bone_direction(body, hand, &way);
    }
    g->palm[side] =
        lmb_quat_rotate(lmb_quat_conjugate(body->reference[lmbi_joint(body, hand)].rotation),
                        lmb_vec3_scale(way, PALM * g->forearm));
}

static void measure_both(figure *from, figure *to)
{
    if (from->head <= 0.0f || to->head <= 0.0f) {
        from->head = HEAD * from->body->leg_length;
        to->head = HEAD * to->body->leg_length;
    }
    for (int k = 0; k < SIDES; ++k) {
        lmb_vec3 way;
        const bool known = lmbi_bone_direction(from->body, hand_slot(k), &way) &&
                           lmbi_bone_direction(to->body, hand_slot(k), &way);
        place_palm(from, k, known);
        place_palm(to, k, known);
    }
}

// ---------------------------------------------------------------------------------------- one frame

static lmb_vec3 palm_of(const figure *g, const lmb_transform *pose, int side)
{
    const lmb_transform hand = pose[lmbi_joint(g->body, hand_slot(side))];
    return lmb_vec3_add(hand.translation, lmb_quat_rotate(hand.rotation, g->palm[side]));
}

static lmb_vec3 slot_at(const figure *g, const lmb_transform *pose, int slot)
{
    return pose[lmbi_joint(g->body, slot)].translation;
}

static line line_of(const figure *g, const lmb_transform *pose, const part *p)
{
    if (p->girth == GIRTH_TRUNK) {
        return (line){lmb_vec3_lerp(slot_at(g, pose, LMB_SLOT_LEFT_UPPER_LEG),
                                    slot_at(g, pose, LMB_SLOT_RIGHT_UPPER_LEG), 0.5f),
                      lmb_vec3_lerp(slot_at(g, pose, LMB_SLOT_LEFT_UPPER_ARM),
                                    slot_at(g, pose, LMB_SLOT_RIGHT_UPPER_ARM), 0.5f)};
    }
    if (p->girth == GIRTH_HEAD) {
        const int32_t head = lmbi_joint(g->body, LMB_SLOT_HEAD);
        const lmb_quat turn = lmb_quat_mul(pose[head].rotation,
                                           lmb_quat_conjugate(g->body->reference[head].rotation));
        const lmb_vec3 up = lmb_quat_rotate(turn, lmb_vec3_make(0, g->head, 0));
        return (line){lmb_vec3_mad(pose[head].translation, up, 0.3f),
                      lmb_vec3_mad(pose[head].translation, up, 0.6f)};
    }
    return (line){slot_at(g, pose, p->from), slot_at(g, pose, p->to)};
}

/// How the girths compare at a place along the part.
static float girth_ratio(const handwork *h, const part *p, float along)
{
    const float hips = h->to.hips / h->from.hips, shoulders = h->to.shoulders / h->from.shoulders;
    switch (p->girth) {
    case GIRTH_TRUNK:
        return hips + along * (shoulders - hips);
    case GIRTH_HEAD:
        return h->to.head / h->from.head;
    case GIRTH_THIGH:
        return h->t->scale;
    default:
        return h->to.forearm / h->from.forearm;
    }
}

typedef struct wish {
    lmb_vec3 sum; ///< of places, weighted
    float total, most;
} wish;

static void add_wish(wish *w, lmb_vec3 place, float weight)
{
    // Squared, so that the part that is touched outweighs those that are near.
    w->sum = lmb_vec3_mad(w->sum, place, weight * weight);
    w->total += weight * weight;
    w->most = fmaxf(w->most, weight);
}

static void wish_for_part(const handwork *h, const part *p, const lmb_transform *pose,
                          lmb_vec3 palm, wish *w)
{
    const line a = line_of(&h->from, pose, p), b = line_of(&h->to, h->model, p);
    const lmb_vec3 way = lmb_vec3_sub(a.to, a.from);
    const float length2 = lmb_vec3_dot(way, way);
    const float x = length2 > 0.0f ? lmb_vec3_dot(lmb_vec3_sub(palm, a.from), way) / length2 : 0.0f;
    const float along = fminf(fmaxf(x, 0.0f), 1.0f);
    const lmb_vec3 aside = lmb_vec3_sub(palm, lmb_vec3_lerp(a.from, a.to, along));
    const float gap = lmb_vec3_length(aside) / h->body_m - p->radius_m;
    const float weight = nearness(gap, NEAR_M, FAR_M);
    if (weight > 0.0f) {
        add_wish(w,
                 lmb_vec3_mad(lmb_vec3_lerp(b.from, b.to, along), aside, girth_ratio(h, p, along)),
                 weight);
    }
}

/// Where the palms shall be in a frame; whether anything is touched.
static bool find_goals(const handwork *h, const lmb_transform *pose, const lmb_vec3 came[SIDES],
                       lmb_vec3 goals[SIDES])
{
    const lmbi_transfer *t = h->t;
    lmb_vec3 palms[SIDES];
    float touched = 0.0f;
    for (int k = 0; k < SIDES; ++k) {
        wish w = {{0, 0, 0}, 0.0f, 0.0f};
        palms[k] = palm_of(&h->from, pose, k);
        for (int i = 0; i < PARTS; ++i) {
            if (parts[i].side != k) {
                wish_for_part(h, &parts[i], pose, palms[k], &w);
            }
        }
        goals[k] = w.total > 0.0f
                       ? lmb_vec3_lerp(came[k], lmb_vec3_scale(w.sum, 1.0f / w.total), w.most)
                       : came[k];
        touched = fmaxf(touched, w.most);
    }
    const lmb_vec3 apart = lmb_vec3_sub(palms[1], palms[0]);
    const float clasp = nearness(lmb_vec3_length(apart) / h->body_m, CLASP_M, APART_M);
    const lmb_vec3 middle = lmb_vec3_lerp(goals[0], goals[1], 0.5f),
                   half = lmb_vec3_scale(apart, 0.5f * h->to.forearm / h->from.forearm);
    goals[0] = lmb_vec3_lerp(goals[0], lmb_vec3_sub(middle, half), clasp);
    goals[1] = lmb_vec3_lerp(goals[1], lmb_vec3_add(middle, half), clasp);
    touched = fmaxf(touched, clasp);
    for (int k = 0; k < SIDES; ++k) {
        const float height = palms[k].y - t->source_floor,
                    press = nearness(height / h->body_m, PRESS_M, RAISED_M);
        const float shall = t->target_floor + t->scale * height;
        goals[k].y += press * (shall - goals[k].y);
        touched = fmaxf(touched, press);
    }
    return touched > 0.5f;
}

static void solve_arm(handwork *h, int side, uint32_t f, lmb_vec3 came, lmb_vec3 goal)
{
    lmbi_transfer *t = h->t;
    const int slot = side == 0 ? LMB_SLOT_LEFT_UPPER_ARM : LMB_SLOT_RIGHT_UPPER_ARM;
    const int32_t upper = lmbi_driven_slot(t, slot), lower = lmbi_driven_slot(t, slot + 1),
                  hand = lmbi_driven_slot(t, slot + 2);
    const lmb_transform *model = h->model;
    const lmb_vec3 whole = lmb_vec3_sub(goal, came);
    const float length = lmb_vec3_length(whole), still = STILL * (h->to.forearm + h->to.shoulders);
    if (upper < 0 || lower < 0 || hand < 0 || length <= still) {
        return;
    }
    const lmb_vec3 shift = lmb_vec3_scale(whole, (length - still) / length);
    const lmb_two_bone_points arm = {model[t->driven[upper].joint].translation,
                                     model[t->driven[lower].joint].translation,
                                     model[t->driven[hand].joint].translation};
    // A straight elbow bends forward: about the vertical of an arm that is held out.
    const lmb_transform *stood = &t->target->reference[t->driven[lower].joint];
    const lmb_quat turned =
        lmb_quat_mul(model[t->driven[lower].joint].rotation, lmb_quat_conjugate(stood->rotation));
    const lmb_vec3 hinge = lmb_quat_rotate(turned, lmb_vec3_make(0, side == 0 ? -1.0f : 1.0f, 0)),
                   none = {0, 0, 0};
    const lmb_two_bone_turn turn =
        lmb_two_bone_solve(arm, lmb_vec3_add(arm.end, shift), hinge, none, SOFT);
    lmb_quat *rotations = t->rotations + (size_t)f * t->driven_count;
    rotations[upper] = lmb_quat_normalize(lmb_quat_mul(turn.start, rotations[upper]));
    rotations[lower] =
        lmb_quat_normalize(lmb_quat_mul(lmb_quat_mul(turn.start, turn.mid), rotations[lower]));
}

bool lmbi_hands_place(lmbi_transfer *t, lmbi_arena *arena, uint32_t *touching)
{
    handwork h = {.t = t, .body_m = t->source->leg_length / 0.85f};
    *touching = 0;
    if (!is_whole(t->source) || !is_whole(t->target)) {
        return true;
    }
    h.from = measure(t->source);
    h.to = measure(t->target);
    measure_both(&h.from, &h.to);
    h.model = lmbi_arena_array(arena, t->target->count, sizeof(*h.model));
    if (h.model == NULL) {
        return false;
    }
    if (!(h.from.hips > 0.0f) || !(h.from.shoulders > 0.0f) || !(h.from.forearm > 0.0f)) {
        return true;
    }
    for (uint32_t f = 0; f < t->motion->frame_count; ++f) {
        const lmb_transform *pose = t->motion->model + (size_t)f * t->source->count;
        lmbi_transfer_pose(t, f, h.model);
        const lmb_vec3 came[SIDES] = {palm_of(&h.to, h.model, 0), palm_of(&h.to, h.model, 1)};
        lmb_vec3 goals[SIDES];
        const bool kept = f >= t->motion->lead && f < t->motion->lead + t->motion->kept;
        *touching += find_goals(&h, pose, came, goals) && kept ? 1 : 0;
        for (int k = 0; k < SIDES; ++k) {
            solve_arm(&h, k, f, came[k], goals[k]);
        }
    }
    return true;
}
