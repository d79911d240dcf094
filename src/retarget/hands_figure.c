/// Measures the body parts that hands touch.
#include "retarget/hands_figure.h"

#include <math.h>

#define PALM 0.35f ///< from wrist to palm, as a fraction of the forearm
#define HEAD 0.25f ///< default height of a head, as a fraction of the leg

const lmbi_hand_part lmbi_hand_parts[PARTS] = {
    {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_LEFT_UPPER_ARM, 0.13f, GIRTH_TRUNK, -1},
    {LMB_HUMAN_HEAD, LMB_HUMAN_HEAD, 0.10f, GIRTH_HEAD, -1},
    {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_LEFT_LOWER_LEG, 0.08f, GIRTH_THIGH, -1},
    {LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_RIGHT_LOWER_LEG, 0.08f, GIRTH_THIGH, -1},
    {LMB_HUMAN_LEFT_UPPER_ARM, LMB_HUMAN_LEFT_LOWER_ARM, 0.05f, GIRTH_ARM, 0},
    {LMB_HUMAN_RIGHT_UPPER_ARM, LMB_HUMAN_RIGHT_LOWER_ARM, 0.05f, GIRTH_ARM, 1},
    {LMB_HUMAN_LEFT_LOWER_ARM, LMB_HUMAN_LEFT_HAND, 0.04f, GIRTH_ARM, 0},
    {LMB_HUMAN_RIGHT_LOWER_ARM, LMB_HUMAN_RIGHT_HAND, 0.04f, GIRTH_ARM, 1},
};

// ------------------------------------------------------------------------------------- the figures

static float bone_distance(const lmbi_humanoid *body, int a, int b)
{
    return lmb_vec3_distance(lmbi_reference_at(body, a), lmbi_reference_at(body, b));
}

/// Height of the highest joint or tip above the head joint; 0 if there is none.
static float head_height(const lmbi_humanoid *body)
{
    const int32_t head = lmbi_joint(body, LMB_HUMAN_HEAD);
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

bool lmbi_hand_figure_is_whole(const lmbi_humanoid *body)
{
    static const int needed[] = {LMB_HUMAN_HEAD,
                                 LMB_HUMAN_LEFT_UPPER_LEG,
                                 LMB_HUMAN_LEFT_LOWER_LEG,
                                 LMB_HUMAN_RIGHT_UPPER_LEG,
                                 LMB_HUMAN_RIGHT_LOWER_LEG,
                                 LMB_HUMAN_LEFT_UPPER_ARM,
                                 LMB_HUMAN_LEFT_LOWER_ARM,
                                 LMB_HUMAN_LEFT_HAND,
                                 LMB_HUMAN_RIGHT_UPPER_ARM,
                                 LMB_HUMAN_RIGHT_LOWER_ARM,
                                 LMB_HUMAN_RIGHT_HAND};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); ++i) {
        if (lmbi_joint(body, needed[i]) < 0) {
            return false;
        }
    }
    // A hand under an IK control and not under the trunk comes no nearer when the trunk bends.
    lmb_map_gap gaps[LMB_HUMAN_BONE_COUNT];
    const uint32_t count = lmb_joint_map_gaps(&body->map, body->skeleton, gaps);
    for (uint32_t k = 0; k < count; ++k) {
        if (gaps[k].apart_from < LMB_HUMAN_BONE_COUNT) {
            return false;
        }
    }
    return body->leg_length > 0.0f;
}

static lmbi_hand_figure measure_figure(const lmbi_humanoid *body)
{
    lmbi_hand_figure g = {.body = body};
    g.hips = bone_distance(body, LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG);
    g.shoulders = bone_distance(body, LMB_HUMAN_LEFT_UPPER_ARM, LMB_HUMAN_RIGHT_UPPER_ARM);
    g.head = head_height(body);
    g.forearm = 0.5f * (bone_distance(body, LMB_HUMAN_LEFT_LOWER_ARM, LMB_HUMAN_LEFT_HAND) +
                        bone_distance(body, LMB_HUMAN_RIGHT_LOWER_ARM, LMB_HUMAN_RIGHT_HAND));
    return g;
}

int lmbi_hand_bone(int side)
{
    return side == 0 ? LMB_HUMAN_LEFT_HAND : LMB_HUMAN_RIGHT_HAND;
}

/// Puts the palm along the hand's bone if that is known on both bodies, else along the forearm.
static void place_palm(lmbi_hand_figure *g, int side, bool known)
{
    const lmbi_humanoid *body = g->body;
    const int hand = lmbi_hand_bone(side);
    const lmb_vec3 forearm =
        lmb_vec3_sub(lmbi_reference_at(body, hand), lmbi_reference_at(body, hand - 1));
    lmb_vec3 direction = lmb_vec3_normalize_or(forearm, lmb_vec3_make(0, -1, 0));
    if (known) {
        (void)lmbi_bone_direction(body, hand, &direction);
    }
    g->palm[side] =
        lmb_quat_rotate(lmb_quat_conjugate(body->reference[lmbi_joint(body, hand)].rotation),
                        lmb_vec3_scale(direction, PALM * g->forearm));
}

static void complete_measures(lmbi_hand_figure *from, lmbi_hand_figure *to)
{
    if (from->head <= 0.0f || to->head <= 0.0f) {
        from->head = HEAD * from->body->leg_length;
        to->head = HEAD * to->body->leg_length;
    }
    for (int k = 0; k < SIDES; ++k) {
        lmb_vec3 direction;
        const bool known = lmbi_bone_direction(from->body, lmbi_hand_bone(k), &direction) &&
                           lmbi_bone_direction(to->body, lmbi_hand_bone(k), &direction);
        place_palm(from, k, known);
        place_palm(to, k, known);
    }
}

// --------------------------------------------------------------------------------------- one frame

lmb_vec3 lmbi_palm_of(const lmbi_hand_figure *g, const lmb_transform *pose, int side)
{
    const lmb_transform hand = pose[lmbi_joint(g->body, lmbi_hand_bone(side))];
    return lmb_vec3_add(hand.translation, lmb_quat_rotate(hand.rotation, g->palm[side]));
}

static lmb_vec3 bone_position(const lmbi_hand_figure *g, const lmb_transform *pose, int bone)
{
    return pose[lmbi_joint(g->body, bone)].translation;
}

lmbi_hand_line lmbi_line_of(const lmbi_hand_figure *g, const lmb_transform *pose,
                            const lmbi_hand_part *p)
{
    if (p->girth == GIRTH_TRUNK) {
        return (lmbi_hand_line){
            lmb_vec3_lerp(bone_position(g, pose, LMB_HUMAN_LEFT_UPPER_LEG),
                          bone_position(g, pose, LMB_HUMAN_RIGHT_UPPER_LEG), 0.5f),
            lmb_vec3_lerp(bone_position(g, pose, LMB_HUMAN_LEFT_UPPER_ARM),
                          bone_position(g, pose, LMB_HUMAN_RIGHT_UPPER_ARM), 0.5f)};
    }
    if (p->girth == GIRTH_HEAD) {
        const int32_t head = lmbi_joint(g->body, LMB_HUMAN_HEAD);
        const lmb_quat rotation = lmb_quat_mul(
            pose[head].rotation, lmb_quat_conjugate(g->body->reference[head].rotation));
        const lmb_vec3 up = lmb_quat_rotate(rotation, lmb_vec3_make(0, g->head, 0));
        return (lmbi_hand_line){lmb_vec3_mad(pose[head].translation, up, 0.3f),
                                lmb_vec3_mad(pose[head].translation, up, 0.6f)};
    }
    return (lmbi_hand_line){bone_position(g, pose, p->from), bone_position(g, pose, p->to)};
}

/// Angle 0 around a part: forward in the reference pose, rotated with the part's joint.
static lmb_vec3 front_of(const lmbi_hand_figure *g, const lmb_transform *pose,
                         const lmbi_hand_part *p, lmb_vec3 axis)
{
    const int bone = p->girth == GIRTH_TRUNK ? LMB_HUMAN_HIPS : p->from;
    const int32_t joint = lmbi_joint(g->body, bone);
    const lmb_quat rotation =
        lmb_quat_mul(pose[joint].rotation, lmb_quat_conjugate(g->body->reference[joint].rotation));
    const lmb_vec3 front = lmb_quat_rotate(rotation, lmb_vec3_make(0, 0, 1));
    return lmb_vec3_normalize_or(lmb_vec3_mad(front, axis, -lmb_vec3_dot(front, axis)),
                                 lmb_vec3_any_perpendicular(axis));
}

static lmb_vec3 axis_of(lmbi_hand_line l)
{
    return lmb_vec3_normalize_or(lmb_vec3_sub(l.to, l.from), lmb_vec3_make(0, 1, 0));
}

/// The nearest human bone at or above a joint: LMB_HUMAN_SPINE for any joint of the spine,
/// LMB_HUMAN_BONE_COUNT for none.
static int bone_above(const lmbi_humanoid *body, int32_t joint)
{
    for (; joint >= 0; joint = body->skeleton->parents[joint]) {
        for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
            if (lmbi_joint(body, bone) == joint) {
                return bone;
            }
        }
        for (uint32_t k = 0; k < body->map.spine_count; ++k) {
            if (body->map.spine[k] == joint) {
                return LMB_HUMAN_SPINE;
            }
        }
    }
    return LMB_HUMAN_BONE_COUNT;
}

static bool is_part_of(const lmbi_hand_part *p, int bone)
{
    switch (p->girth) {
    case GIRTH_TRUNK:
        return (bone >= LMB_HUMAN_HIPS && bone <= LMB_HUMAN_UPPER_CHEST) ||
               bone == LMB_HUMAN_LEFT_SHOULDER || bone == LMB_HUMAN_RIGHT_SHOULDER;
    case GIRTH_HEAD:
        return bone == LMB_HUMAN_HEAD || (bone >= LMB_HUMAN_LEFT_EYE && bone <= LMB_HUMAN_JAW);
    default:
        return bone == p->from;
    }
}

/// Measures the girths of a body's parts on its skin in the reference pose.
static bool measure_girths(lmbi_hand_figure *g, lmbi_arena *arena)
{
    const lmbi_humanoid *body = g->body;
    lmb_vec3 *points = NULL;
    int32_t *joints = NULL, *on = lmbi_arena_array(arena, body->count, sizeof *on);
    int *bones = lmbi_arena_array(arena, body->count, sizeof *bones);
    uint32_t count = 0;
    if (on == NULL || bones == NULL || !lmbi_girth_skin(body, arena, &points, &joints, &count)) {
        return false;
    }
    for (uint32_t j = 0; j < body->count; ++j) {
        bones[j] = bone_above(body, (int32_t)j);
    }
    for (int i = 0; i < PARTS && count > 0; ++i) {
        const lmbi_hand_line l = lmbi_line_of(g, body->reference, &lmbi_hand_parts[i]);
        lmbi_girth_line line = {.from = l.from, .to = l.to, .joints = on};
        line.front = front_of(g, body->reference, &lmbi_hand_parts[i], axis_of(l));
        for (uint32_t j = 0; j < body->count; ++j) {
            if (is_part_of(&lmbi_hand_parts[i], bones[j])) {
                on[line.joint_count++] = (int32_t)j;
            }
        }
        lmbi_girth_measure(&line, points, joints, count, &g->girths[i]);
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

bool lmbi_hand_figures_measure(const lmbi_humanoid *from, const lmbi_humanoid *to,
                               lmbi_arena *arena, lmbi_hand_figure out[2])
{
    out[0] = measure_figure(from);
    out[1] = measure_figure(to);
    complete_measures(&out[0], &out[1]);
    return measure_girths(&out[0], arena) && measure_girths(&out[1], arena);
}
