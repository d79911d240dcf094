/// Hand contacts: a palm that touches the other palm, the trunk, the head, a thigh, the other arm
/// or the floor in the source touches it on the target, whatever its proportions.
///
/// A body part is a line with a girth. A palm near a part gets a goal at the same position along
/// the target's line, at a distance scaled by the ratio of the girths (from the skin, else from the
/// widths of hips, shoulders and head), weighted by its closeness. Two-bone IK of the arm reaches
/// the goal, and the trunk bends where an arm is too short. Hands keep their rotation.
#include <math.h>

#include "limber/ik.h"
#include "mapping/contact.h"
#include "math/scalar.h"
#include "retarget/hands_figure.h"
#include "retarget/hands_reach.h"

#define NEAR_M 0.01f  ///< a palm this close to the skin touches it, metres on a body of common size
#define FAR_M 0.07f   ///< and one this far away has no relation to it
#define CLASP_M 0.10f ///< the same between the palms
#define APART_M 0.30f
#define PRESS_M 0.05f ///< and above the floor
#define RAISED_M 0.20f
#define SOFT 0.005f     ///< soft-elbow zone of the IK, as a fraction of the arm's length
#define STILL 1e-4f     ///< smaller corrections, as a fraction of the arm's length, are skipped
#define REST_S 0.1f     ///< half window over which a palm's speed is measured, seconds
#define REST_M_S 0.1f   ///< a palm this slow rests on what it touches, m/s
#define SWING_M_S 0.35f ///< and one this fast swings by
#define HANGS 0.85f ///< an arm hangs if its hand is this fraction of its length below the shoulder
#define RAISED 0.7f ///< and is raised if it is this or less
#define STRAIGHT 0.995f ///< longest reach, as a fraction of the arm's length

typedef struct hand_state {
    lmbi_transfer *t;
    lmbi_hand_figure from, to;
    float body_m; ///< of the source
    lmb_transform *model;
    lmbi_hands_reach reach;
} hand_state;

/// Falloff weight: 1 up to `near_by`, 0 from `far_away`.
static float falloff(float x, float near_by, float far_away)
{
    return 1.0f - lmbi_smoothstepf((x - near_by) / (far_away - near_by));
}

/// Ratio of the girths of target and source at a position along the part.
static float girth_ratio(const hand_state *h, const lmbi_hand_part *p, float along)
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

typedef struct goal_sum {
    lmb_vec3 sum; ///< weighted sum of targets
    float total, most;
} goal_sum;

static void add_goal(goal_sum *w, lmb_vec3 position, float weight)
{
    // Squared, so that a touched part outweighs parts nearby.
    w->sum = lmb_vec3_mad(w->sum, position, weight * weight);
    w->total += weight * weight;
    w->most = fmaxf(w->most, weight);
}

static void add_part_goal(const hand_state *h, int index, const lmb_transform *pose, lmb_vec3 palm,
                          goal_sum *w)
{
    const lmbi_hand_part *p = &lmbi_hand_parts[index];
    const lmbi_hand_line a = lmbi_line_of(&h->from, pose, p), b = lmbi_line_of(&h->to, h->model, p);
    const lmb_vec3 segment = lmb_vec3_sub(a.to, a.from);
    const float length2 = lmb_vec3_dot(segment, segment);
    const float x =
        length2 > 0.0f ? lmb_vec3_dot(lmb_vec3_sub(palm, a.from), segment) / length2 : 0.0f;
    const float along = fminf(fmaxf(x, 0.0f), 1.0f);
    const lmb_vec3 aside = lmb_vec3_sub(palm, lmb_vec3_lerp(a.from, a.to, along));
    const float length = lmb_vec3_length(aside), ratio = girth_ratio(h, p, along);
    const float from =
                    lmbi_girth_of(&h->from, pose, index, a, aside, along, p->radius_m * h->body_m),
                to = lmbi_girth_of(&h->to, h->model, index, b, aside, along, ratio * from);
    const float weight = falloff((length - from) / h->body_m, NEAR_M, FAR_M);
    if (!(weight > 0.0f)) {
        return;
    }
    // Not below the skin where it is known: the distance from the axis may be an estimate.
    const float hand = h->to.forearm / h->from.forearm;
    const float goal_distance =
        h->to.girths[index].known ? to + hand * fmaxf(0.0f, length - from) : ratio * length;
    add_goal(w,
             lmb_vec3_mad(lmb_vec3_lerp(b.from, b.to, along), aside,
                          length > 0.0f ? goal_distance / length : 0.0f),
             weight);
}

/// Moves a palm out of the skin of body parts, weighted by `most`.
static lmb_vec3 push_out_of_skin(const hand_state *h, int side, lmb_vec3 palm, float most)
{
    for (int i = 0; i < PARTS; ++i) {
        const lmbi_hand_line b = lmbi_line_of(&h->to, h->model, &lmbi_hand_parts[i]);
        const lmb_vec3 segment = lmb_vec3_sub(b.to, b.from);
        const float length2 = lmb_vec3_dot(segment, segment);
        const float along =
            length2 > 0.0f ? lmb_vec3_dot(lmb_vec3_sub(palm, b.from), segment) / length2 : -1.0f;
        if (!h->to.girths[i].known || lmbi_hand_parts[i].side == side || along < 0.0f ||
            along > 1.0f) {
            continue;
        }
        const lmb_vec3 closest = lmb_vec3_lerp(b.from, b.to, along),
                       aside = lmb_vec3_sub(palm, closest);
        const float girth_m = lmbi_girth_of(&h->to, h->model, i, b, aside, along, 0.0f),
                    length = lmb_vec3_length(aside);
        if (length > 0.0f && length < girth_m) {
            palm = lmb_vec3_mad(palm, aside, most * (girth_m - length) / length);
        }
    }
    return palm;
}

/// Goals of both palms in a frame. Returns whether anything is touched.
static bool find_goals(const hand_state *h, const lmb_transform *pose,
                       const lmb_vec3 initial[SIDES], lmb_vec3 goals[SIDES])
{
    const lmbi_transfer *t = h->t;
    lmb_vec3 palms[SIDES];
    float touched = 0.0f, most[SIDES];
    for (int k = 0; k < SIDES; ++k) {
        goal_sum w = {{0, 0, 0}, 0.0f, 0.0f};
        palms[k] = lmbi_palm_of(&h->from, pose, k);
        for (int i = 0; i < PARTS; ++i) {
            if (lmbi_hand_parts[i].side != k) {
                add_part_goal(h, i, pose, palms[k], &w);
            }
        }
        goals[k] = w.total > 0.0f
                       ? lmb_vec3_lerp(initial[k], lmb_vec3_scale(w.sum, 1.0f / w.total), w.most)
                       : initial[k];
        most[k] = w.most;
    }
    const lmb_vec3 apart = lmb_vec3_sub(palms[1], palms[0]);
    const float clasp = falloff(lmb_vec3_length(apart) / h->body_m, CLASP_M, APART_M);
    const lmb_vec3 middle = lmb_vec3_lerp(goals[0], goals[1], 0.5f),
                   half = lmb_vec3_scale(apart, 0.5f * h->to.forearm / h->from.forearm);
    goals[0] = lmb_vec3_lerp(goals[0], lmb_vec3_sub(middle, half), clasp);
    goals[1] = lmb_vec3_lerp(goals[1], lmb_vec3_add(middle, half), clasp);
    touched = fmaxf(touched, clasp);
    for (int k = 0; k < SIDES; ++k) {
        goals[k] = push_out_of_skin(h, k, goals[k], fmaxf(most[k], clasp));
        touched = fmaxf(touched, most[k]);
    }
    for (int k = 0; k < SIDES; ++k) {
        const float height = palms[k].y - t->source_floor,
                    press = falloff(height / h->body_m, PRESS_M, RAISED_M);
        const float goal_height = t->target_floor + t->scale * height;
        goals[k].y += press * (goal_height - goals[k].y);
        touched = fmaxf(touched, press);
    }
    return touched > 0.5f;
}

/// Joints and positions of an arm in h->model.
static bool arm_of(const hand_state *h, int side, int32_t joints[3], lmb_two_bone_points *out)
{
    const lmbi_transfer *t = h->t;
    const int bone = side == 0 ? LMB_HUMAN_LEFT_UPPER_ARM : LMB_HUMAN_RIGHT_UPPER_ARM;
    for (int k = 0; k < 3; ++k) {
        joints[k] = lmbi_driven_slot(t, bone + k);
        if (joints[k] < 0) {
            return false;
        }
    }
    *out = (lmb_two_bone_points){h->model[t->driven[joints[0]].joint].translation,
                                 h->model[t->driven[joints[1]].joint].translation,
                                 h->model[t->driven[joints[2]].joint].translation};
    return true;
}

static void solve_arm(hand_state *h, int side, uint32_t f, lmb_vec3 initial, lmb_vec3 goal)
{
    lmbi_transfer *t = h->t;
    int32_t joints[3];
    lmb_two_bone_points arm;
    const lmb_vec3 whole = lmb_vec3_sub(goal, initial);
    const float length = lmb_vec3_length(whole), still = STILL * (h->to.forearm + h->to.shoulders);
    if (!arm_of(h, side, joints, &arm) || length <= still) {
        return;
    }
    const lmb_vec3 shift = lmb_vec3_scale(whole, (length - still) / length);
    // A straight elbow bends forward, about the vertical of the reference pose.
    const uint32_t lower = t->driven[joints[1]].joint;
    const lmb_quat since_rest = lmb_quat_mul(
        h->model[lower].rotation, lmb_quat_conjugate(t->target->reference[lower].rotation));
    const lmb_vec3 hinge =
                       lmb_quat_rotate(since_rest, lmb_vec3_make(0, side == 0 ? -1.0f : 1.0f, 0)),
                   none = {0, 0, 0};
    const lmb_two_bone_rotation rotation =
        lmb_two_bone_solve(arm, lmb_vec3_add(arm.end, shift), hinge, none, SOFT);
    lmb_quat *rotations = t->rotations + (size_t)f * t->driven_count;
    rotations[joints[0]] = lmb_quat_normalize(lmb_quat_mul(rotation.start, rotations[joints[0]]));
    rotations[joints[1]] = lmb_quat_normalize(
        lmb_quat_mul(lmb_quat_mul(rotation.start, rotation.mid), rotations[joints[1]]));
}

/// Unsolved positions and goals of the palms in a frame. Returns whether anything is touched.
static bool find_palm_goals(hand_state *h, uint32_t f, lmb_vec3 initial[SIDES],
                            lmb_vec3 goals[SIDES])
{
    const lmb_transform *pose = h->t->motion->model + (size_t)f * h->t->source->count;
    lmbi_transfer_pose(h->t, f, h->model);
    for (int k = 0; k < SIDES; ++k) {
        initial[k] = lmbi_palm_of(&h->to, h->model, k);
    }
    return find_goals(h, pose, initial, goals);
}

/// Position of a source palm relative to a body part, the other palm (index PARTS) or the floor.
static lmb_vec3 relative_palm(const hand_state *h, int side, int index, uint32_t f)
{
    const lmb_transform *pose = h->t->motion->model + (size_t)f * h->t->source->count;
    const lmb_vec3 palm = lmbi_palm_of(&h->from, pose, side);
    if (index >= PARTS) {
        return index == PARTS ? lmb_vec3_sub(palm, lmbi_palm_of(&h->from, pose, 1 - side)) : palm;
    }
    const lmbi_hand_part *p = &lmbi_hand_parts[index];
    const lmbi_hand_line l = lmbi_line_of(&h->from, pose, p);
    const int bone = p->girth == GIRTH_TRUNK ? LMB_HUMAN_HIPS : p->from;
    return lmb_quat_rotate(lmb_quat_conjugate(pose[lmbi_joint(h->t->source, bone)].rotation),
                           lmb_vec3_sub(palm, l.from));
}

/// What a palm is nearest to: a part, PARTS for the other palm, PARTS + 1 for the floor.
static int nearest_to(const hand_state *h, int side, uint32_t f)
{
    const lmb_transform *pose = h->t->motion->model + (size_t)f * h->t->source->count;
    const lmb_vec3 palm = lmbi_palm_of(&h->from, pose, side),
                   apart = lmb_vec3_sub(palm, lmbi_palm_of(&h->from, pose, 1 - side));
    float nearest = lmb_vec3_length(apart);
    int best = PARTS;
    for (int i = 0; i < PARTS; ++i) {
        const lmbi_hand_part *p = &lmbi_hand_parts[i];
        const lmbi_hand_line l = lmbi_line_of(&h->from, pose, p);
        const lmb_vec3 segment = lmb_vec3_sub(l.to, l.from);
        const float length2 = lmb_vec3_dot(segment, segment),
                    x = length2 > 0.0f ? lmb_vec3_dot(lmb_vec3_sub(palm, l.from), segment) / length2
                                       : 0.0f;
        const lmb_vec3 at = lmb_vec3_lerp(l.from, l.to, fminf(fmaxf(x, 0.0f), 1.0f));
        const float gap = lmb_vec3_distance(palm, at) - p->radius_m * h->body_m;
        if (p->side != side && gap < nearest) {
            nearest = gap;
            best = i;
        }
    }
    return palm.y - h->t->source_floor < nearest ? PARTS + 1 : best;
}

/// Weight 1 for a hanging arm, whose hand beside the thigh touches nothing; 0 for a raised one.
static float hang_weight(const hand_state *h, int side, uint32_t f)
{
    const lmb_transform *pose = h->t->motion->model + (size_t)f * h->t->source->count;
    const int bone = side == 0 ? LMB_HUMAN_LEFT_UPPER_ARM : LMB_HUMAN_RIGHT_UPPER_ARM;
    const lmb_vec3 shoulder = pose[lmbi_joint(h->t->source, bone)].translation,
                   elbow = pose[lmbi_joint(h->t->source, bone + 1)].translation,
                   wrist = pose[lmbi_joint(h->t->source, bone + 2)].translation;
    const float length = lmb_vec3_distance(shoulder, elbow) + lmb_vec3_distance(elbow, wrist);
    const float down = length > 0.0f ? (shoulder.y - wrist.y) / length : 0.0f;
    return lmbi_smoothstepf((down - RAISED) / (HANGS - RAISED));
}

/// Weight 1 for a palm at rest on what it touches, 0 for one that swings by.
static float rest_weight(const hand_state *h, int side, uint32_t f)
{
    const lmbi_motion *motion = h->t->motion;
    const uint32_t reach = (uint32_t)(REST_S * motion->rate + 1.0f), a = f > reach ? f - reach : 0,
                   b = f + reach < motion->frame_count ? f + reach : motion->frame_count - 1;
    const int index = nearest_to(h, side, f);
    const float segment =
        lmb_vec3_distance(relative_palm(h, side, index, a), relative_palm(h, side, index, b));
    const float speed = b > a ? segment * motion->rate / ((float)(b - a) * h->body_m) : 0.0f;
    const float still = falloff(speed, REST_M_S, SWING_M_S);
    return index < PARTS ? still * (1.0f - hang_weight(h, side, f)) : still;
}

/// Requests a bend of the trunk where an arm is too short.
static void request_trunk_bend(hand_state *h, uint32_t f)
{
    lmb_vec3 initial[SIDES], goals[SIDES];
    lmbi_hand_goal hands[SIDES];
    bool too_far = false;
    (void)find_palm_goals(h, f, initial, goals);
    for (int k = 0; k < SIDES; ++k) {
        int32_t joints[3];
        lmb_two_bone_points arm;
        lmb_vec3 shift = lmb_vec3_sub(goals[k], initial[k]);
        if (lmb_vec3_dot(shift, shift) > 0.0f) {
            shift = lmb_vec3_scale(shift, rest_weight(h, k, f));
        }
        hands[k] = (lmbi_hand_goal){LMB_NONE, {0, 0, 0}};
        if (lmb_vec3_dot(shift, shift) > 0.0f && arm_of(h, k, joints, &arm)) {
            const lmb_vec3 position = lmb_vec3_add(arm.end, shift);
            const float length = lmb_vec3_distance(arm.start, arm.mid) +
                                 lmb_vec3_distance(arm.mid, arm.end),
                        wanted = lmb_vec3_distance(arm.start, position);
            hands[k] = (lmbi_hand_goal){(int32_t)h->t->driven[joints[2]].joint, position};
            // An arm that is straight already and gets no farther goal needs no bend.
            too_far = too_far || (wanted > STRAIGHT * length &&
                                  wanted > lmb_vec3_distance(arm.start, arm.end));
        }
    }
    if (too_far) {
        lmbi_hands_reach_request(&h->reach, f, h->model, hands);
    }
}

bool lmbi_hands_place(lmbi_transfer *t, lmbi_arena *arena, uint32_t *touching)
{
    hand_state h = {.t = t, .body_m = lmbi_metre_on(t->source->leg_length)};
    *touching = 0;
    if (!lmbi_hand_figure_is_whole(t->source) || !lmbi_hand_figure_is_whole(t->target)) {
        return true;
    }
    lmbi_hand_figure figures[2];
    if (!lmbi_hand_figures_measure(t->source, t->target, arena, figures)) {
        return false;
    }
    h.from = figures[0];
    h.to = figures[1];
    h.model = lmbi_arena_array(arena, t->target->count, sizeof(*h.model));
    if (h.model == NULL) {
        return false;
    }
    if (!(h.from.hips > 0.0f) || !(h.from.shoulders > 0.0f) || !(h.from.forearm > 0.0f)) {
        return true;
    }
    if (!lmbi_hands_reach_begin(t, arena, &h.reach)) {
        return false;
    }
    for (uint32_t f = 0; f < t->motion->frame_count; ++f) {
        request_trunk_bend(&h, f);
    }
    lmbi_hands_reach_apply(&h.reach);
    for (uint32_t f = 0; f < t->motion->frame_count; ++f) {
        const bool kept = f >= t->motion->lead && f < t->motion->lead + t->motion->kept;
        lmb_vec3 initial[SIDES], goals[SIDES];
        *touching += find_palm_goals(&h, f, initial, goals) && kept ? 1 : 0;
        for (int k = 0; k < SIDES; ++k) {
            solve_arm(&h, k, f, initial[k], goals[k]);
        }
    }
    return true;
}
