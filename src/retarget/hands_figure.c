/// Measures the body parts that hands touch.
#include "retarget/hands_figure.h"

#include <math.h>

#define PALM 0.35f ///< from wrist to palm, as a fraction of the forearm
#define HEAD 0.25f ///< default height of a head, as a fraction of the leg

const lmbi_hand_part lmbi_hand_parts[PARTS] = {
    {LMB_SLOT_LEFT_UPPER_LEG, LMB_SLOT_LEFT_UPPER_ARM, 0.13f, GIRTH_TRUNK, -1},
    {LMB_SLOT_HEAD, LMB_SLOT_HEAD, 0.10f, GIRTH_HEAD, -1},
    {LMB_SLOT_LEFT_UPPER_LEG, LMB_SLOT_LEFT_LOWER_LEG, 0.08f, GIRTH_THIGH, -1},
    {LMB_SLOT_RIGHT_UPPER_LEG, LMB_SLOT_RIGHT_LOWER_LEG, 0.08f, GIRTH_THIGH, -1},
    {LMB_SLOT_LEFT_UPPER_ARM, LMB_SLOT_LEFT_LOWER_ARM, 0.05f, GIRTH_ARM, 0},
    {LMB_SLOT_RIGHT_UPPER_ARM, LMB_SLOT_RIGHT_LOWER_ARM, 0.05f, GIRTH_ARM, 1},
    {LMB_SLOT_LEFT_LOWER_ARM, LMB_SLOT_LEFT_HAND, 0.04f, GIRTH_ARM, 0},
    {LMB_SLOT_RIGHT_LOWER_ARM, LMB_SLOT_RIGHT_HAND, 0.04f, GIRTH_ARM, 1},
};

// ------------------------------------------------------------------------------------- the figures

static float between(const lmbi_humanoid *body, int a, int b)
{
    return lmb_vec3_distance(lmbi_reference_at(body, a), lmbi_reference_at(body, b));
}

/// Height of the highest joint or tip above the head joint; 0 if there is none.
static float head_size(const lmbi_humanoid *body)
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

bool lmbi_figure_is_whole(const lmbi_humanoid *body)
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
    // A hand under an IK control and not under the trunk comes no nearer when the trunk bends.
    lmb_map_gap gaps[LMB_SLOT_COUNT];
    const uint32_t count = lmb_joint_map_gaps(&body->map, body->skeleton, gaps);
    for (uint32_t k = 0; k < count; ++k) {
        if (gaps[k].apart_from < LMB_SLOT_COUNT) {
            return false;
        }
    }
    return body->leg_length > 0.0f;
}

static lmbi_hand_figure measure(const lmbi_humanoid *body)
{
    lmbi_hand_figure g = {.body = body};
    g.hips = between(body, LMB_SLOT_LEFT_UPPER_LEG, LMB_SLOT_RIGHT_UPPER_LEG);
    g.shoulders = between(body, LMB_SLOT_LEFT_UPPER_ARM, LMB_SLOT_RIGHT_UPPER_ARM);
    g.head = head_size(body);
    g.forearm = 0.5f * (between(body, LMB_SLOT_LEFT_LOWER_ARM, LMB_SLOT_LEFT_HAND) +
                        between(body, LMB_SLOT_RIGHT_LOWER_ARM, LMB_SLOT_RIGHT_HAND));
    return g;
}

int lmbi_hand_slot(int side)
{
    return side == 0 ? LMB_SLOT_LEFT_HAND : LMB_SLOT_RIGHT_HAND;
}

/// Puts the palm along the hand's bone if that is known on both bodies, else along the forearm.
static void place_palm(lmbi_hand_figure *g, int side, bool known)
{
    const lmbi_humanoid *body = g->body;
    const int hand = lmbi_hand_slot(side);
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

static void measure_both(lmbi_hand_figure *from, lmbi_hand_figure *to)
{
    if (from->head <= 0.0f || to->head <= 0.0f) {
        from->head = HEAD * from->body->leg_length;
        to->head = HEAD * to->body->leg_length;
    }
    for (int k = 0; k < SIDES; ++k) {
        lmb_vec3 way;
        const bool known = lmbi_bone_direction(from->body, lmbi_hand_slot(k), &way) &&
                           lmbi_bone_direction(to->body, lmbi_hand_slot(k), &way);
        place_palm(from, k, known);
        place_palm(to, k, known);
    }
}

// --------------------------------------------------------------------------------------- one frame

lmb_vec3 lmbi_palm_of(const lmbi_hand_figure *g, const lmb_transform *pose, int side)
{
    const lmb_transform hand = pose[lmbi_joint(g->body, lmbi_hand_slot(side))];
    return lmb_vec3_add(hand.translation, lmb_quat_rotate(hand.rotation, g->palm[side]));
}

static lmb_vec3 slot_at(const lmbi_hand_figure *g, const lmb_transform *pose, int slot)
{
    return pose[lmbi_joint(g->body, slot)].translation;
}

lmbi_hand_line lmbi_line_of(const lmbi_hand_figure *g, const lmb_transform *pose,
                            const lmbi_hand_part *p)
{
    if (p->girth == GIRTH_TRUNK) {
        return (lmbi_hand_line){lmb_vec3_lerp(slot_at(g, pose, LMB_SLOT_LEFT_UPPER_LEG),
                                              slot_at(g, pose, LMB_SLOT_RIGHT_UPPER_LEG), 0.5f),
                                lmb_vec3_lerp(slot_at(g, pose, LMB_SLOT_LEFT_UPPER_ARM),
                                              slot_at(g, pose, LMB_SLOT_RIGHT_UPPER_ARM), 0.5f)};
    }
    if (p->girth == GIRTH_HEAD) {
        const int32_t head = lmbi_joint(g->body, LMB_SLOT_HEAD);
        const lmb_quat turn = lmb_quat_mul(pose[head].rotation,
                                           lmb_quat_conjugate(g->body->reference[head].rotation));
        const lmb_vec3 up = lmb_quat_rotate(turn, lmb_vec3_make(0, g->head, 0));
        return (lmbi_hand_line){lmb_vec3_mad(pose[head].translation, up, 0.3f),
                                lmb_vec3_mad(pose[head].translation, up, 0.6f)};
    }
    return (lmbi_hand_line){slot_at(g, pose, p->from), slot_at(g, pose, p->to)};
}

/// Angle 0 around a part: forward in the reference pose, rotated with the part's joint.
static lmb_vec3 front_of(const lmbi_hand_figure *g, const lmb_transform *pose,
                         const lmbi_hand_part *p, lmb_vec3 axis)
{
    const int slot = p->girth == GIRTH_TRUNK ? LMB_SLOT_HIPS : p->from;
    const int32_t joint = lmbi_joint(g->body, slot);
    const lmb_quat turn =
        lmb_quat_mul(pose[joint].rotation, lmb_quat_conjugate(g->body->reference[joint].rotation));
    const lmb_vec3 front = lmb_quat_rotate(turn, lmb_vec3_make(0, 0, 1));
    return lmb_vec3_normalize_or(lmb_vec3_mad(front, axis, -lmb_vec3_dot(front, axis)),
                                 lmb_vec3_any_perpendicular(axis));
}

static lmb_vec3 axis_of(lmbi_hand_line l)
{
    return lmb_vec3_normalize_or(lmb_vec3_sub(l.to, l.from), lmb_vec3_make(0, 1, 0));
}

/// The nearest human bone at or above a joint: LMB_SLOT_SPINE for any joint of the spine,
/// LMB_SLOT_COUNT for none.
static int slot_over(const lmbi_humanoid *body, int32_t joint)
{
    for (; joint >= 0; joint = body->skeleton->parents[joint]) {
        for (int slot = 0; slot < LMB_SLOT_COUNT; ++slot) {
            if (lmbi_joint(body, slot) == joint) {
                return slot;
            }
        }
        for (uint32_t k = 0; k < body->map.spine_count; ++k) {
            if (body->map.spine[k] == joint) {
                return LMB_SLOT_SPINE;
            }
        }
    }
    return LMB_SLOT_COUNT;
}

static bool is_on(const lmbi_hand_part *p, int slot)
{
    switch (p->girth) {
    case GIRTH_TRUNK:
        return (slot >= LMB_SLOT_HIPS && slot <= LMB_SLOT_UPPER_CHEST) ||
               slot == LMB_SLOT_LEFT_SHOULDER || slot == LMB_SLOT_RIGHT_SHOULDER;
    case GIRTH_HEAD:
        return slot == LMB_SLOT_HEAD || (slot >= LMB_SLOT_LEFT_EYE && slot <= LMB_SLOT_JAW);
    default:
        return slot == p->from;
    }
}

/// Measures the girths of a body's parts on its skin in the reference pose.
static bool measure_girths(lmbi_hand_figure *g, lmbi_arena *arena)
{
    const lmbi_humanoid *body = g->body;
    lmb_vec3 *points = NULL;
    int32_t *joints = NULL, *on = lmbi_arena_array(arena, body->count, sizeof *on);
    int *slots = lmbi_arena_array(arena, body->count, sizeof *slots);
    uint32_t count = 0;
    if (on == NULL || slots == NULL || !lmbi_girth_skin(body, arena, &points, &joints, &count)) {
        return false;
    }
    for (uint32_t j = 0; j < body->count; ++j) {
        slots[j] = slot_over(body, (int32_t)j);
    }
    for (int i = 0; i < PARTS && count > 0; ++i) {
        const lmbi_hand_line l = lmbi_line_of(g, body->reference, &lmbi_hand_parts[i]);
        lmbi_girth_line how = {.from = l.from, .to = l.to, .joints = on};
        how.front = front_of(g, body->reference, &lmbi_hand_parts[i], axis_of(l));
        for (uint32_t j = 0; j < body->count; ++j) {
            if (is_on(&lmbi_hand_parts[i], slots[j])) {
                on[how.joint_count++] = (int32_t)j;
            }
        }
        lmbi_girth_measure(&how, points, joints, count, &g->girths[i]);
    }
    return true;
}

/// Girth of a part in a direction; `guess` if its skin is unknown.
float lmbi_girth_of(const lmbi_hand_figure *g, const lmb_transform *pose, int index,
                    lmbi_hand_line l, lmb_vec3 aside, float along, float guess)
{
    const lmbi_girth *skin = &g->girths[index];
    const lmb_vec3 axis = axis_of(l);
    return skin->known ? lmbi_girth_at(skin, axis, front_of(g, pose, &lmbi_hand_parts[index], axis),
                                       aside, along)
                       : guess;
}

bool lmbi_figures_measure(const lmbi_humanoid *from, const lmbi_humanoid *to, lmbi_arena *arena,
                          lmbi_hand_figure out[2])
{
    out[0] = measure(from);
    out[1] = measure(to);
    measure_both(&out[0], &out[1]);
    return measure_girths(&out[0], arena) && measure_girths(&out[1], arena);
}
