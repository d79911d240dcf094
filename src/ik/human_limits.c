/// Joint limits of a human body, in the frames of a skeleton's rest pose.
///
/// Ranges are those of the American Academy of Orthopaedic Surgeons (Joint Motion, 1965), rounded
/// to 5 degrees and widened where one joint of a rig stands for several of a body (an upper arm
/// without a shoulder girdle).
#include "asset/tree.h"
#include "limber/ik.h"
#include "math/math.h"

#define DEGREE (LMB_PI / 180.0f)
#define SIN_BENT 0.17f
#define SIN_PAST_STRAIGHT 0.34f

typedef struct body {
    const lmb_skeleton *skeleton;
    const lmb_body_part *parts;
    lmb_transform body_from_model; ///< rotates the rest pose to face +Z
    lmb_vec3 hips;
    uint32_t spine_count, neck_count;
} body;

/// Rest pose of a joint, in the model rotated to face +Z.
typedef struct joint_rest {
    uint32_t joint;
    lmb_transform model;
    lmb_vec3 along; ///< unit, along the bone
} joint_rest;

static const lmb_vec3 up = {0, 1, 0}, forward = {0, 0, 1};

static lmb_transform rest_of(const body *b, uint32_t joint)
{
    const lmb_skeleton *skeleton = b->skeleton;
    lmb_transform t = skeleton->rest[joint];
    for (int32_t above = skeleton->parents[joint]; above != LMB_NONE;
         above = skeleton->parents[above]) {
        t = lmb_transform_mul(skeleton->rest[above], t);
    }
    return lmb_transform_mul(b->body_from_model, t);
}

/// The part at which a limb's bone ends.
static lmb_body_part end_part(lmb_body_part part)
{
    switch (part) {
    case LMB_PART_UPPER_ARM:
        return LMB_PART_LOWER_ARM;
    case LMB_PART_LOWER_ARM:
        return LMB_PART_HAND;
    case LMB_PART_UPPER_LEG:
        return LMB_PART_LOWER_LEG;
    case LMB_PART_LOWER_LEG:
        return LMB_PART_FOOT;
    default:
        return LMB_PART_OTHER;
    }
}

static bool is_under_part(const body *b, uint32_t joint, lmb_body_part part)
{
    int32_t above = b->skeleton->parents[joint];
    while (above != LMB_NONE && b->parts[above] != part) {
        above = b->skeleton->parents[above];
    }
    return above != LMB_NONE;
}

/// The nearest end of the limb's bone that hangs from no such bone: feet may be controls that hang
/// from the root. LMB_NONE if there is none.
static int32_t loose_end(const body *b, uint32_t joint)
{
    const lmb_body_part end = end_part(b->parts[joint]);
    const lmb_vec3 here = rest_of(b, joint).translation;
    int32_t best = LMB_NONE;
    float least = 0.0f;
    for (uint32_t k = 0; k < b->skeleton->joint_count && end != LMB_PART_OTHER; ++k) {
        if (b->parts[k] == end && !is_under_part(b, k, b->parts[joint])) {
            const float away = lmb_vec3_distance(here, rest_of(b, k).translation);
            best = best == LMB_NONE || away < least ? (int32_t)k : best;
            least = best == (int32_t)k ? away : least;
        }
    }
    return best;
}

/// The first descendant that is a body part, else the end of a limb that hangs elsewhere, else the
/// first descendant at a different position; LMB_NONE for a leaf.
static int32_t next_joint(const body *b, uint32_t joint)
{
    int32_t other = LMB_NONE;
    const lmb_vec3 here = rest_of(b, joint).translation;
    for (uint32_t k = joint + 1; k < b->skeleton->joint_count; ++k) {
        if (!lmbi_is_under(b->skeleton, b->skeleton->parents[k], (int32_t)joint) ||
            !(lmb_vec3_distance(here, rest_of(b, k).translation) > 1e-6f)) {
            continue;
        }
        if (b->parts[k] != LMB_PART_OTHER && b->parts[k] != LMB_PART_THUMB) {
            return (int32_t)k;
        }
        other = other == LMB_NONE ? (int32_t)k : other;
    }
    const int32_t loose = loose_end(b, joint);
    return loose != LMB_NONE ? loose : other;
}

static joint_rest read_joint_rest(const body *b, uint32_t joint)
{
    joint_rest s = {joint, rest_of(b, joint), up};
    const int32_t next = next_joint(b, joint), parent = b->skeleton->parents[joint];
    lmb_vec3 along = {0, 0, 0};
    if (next != LMB_NONE) {
        along = lmb_vec3_sub(rest_of(b, (uint32_t)next).translation, s.model.translation);
    } else if (b->skeleton->tips) {
        along = lmb_quat_rotate(s.model.rotation,
                                lmb_vec3_mul(s.model.scale, b->skeleton->tips[joint]));
    }
    if (!(lmb_vec3_dot(along, along) > 0.0f) &&
        parent != LMB_NONE) { // a leaf continues its parent's direction
        along = lmb_vec3_sub(s.model.translation, rest_of(b, (uint32_t)parent).translation);
    }
    s.along = lmb_vec3_normalize_or(along, up);
    return s;
}

/// The direction of unit `v` perpendicular to the bone; any perpendicular when `v` is parallel to
/// it.
static lmb_vec3 perpendicular_part(lmb_vec3 v, lmb_vec3 along)
{
    const lmb_vec3 flat = lmb_vec3_mad(v, along, -lmb_vec3_dot(v, along));
    return lmb_vec3_dot(flat, flat) > 0.01f ? lmb_vec3_normalize_or(flat, up)
                                            : lmb_vec3_any_perpendicular(along);
}

static lmb_vec3 in_joint_frame(const joint_rest *s, lmb_vec3 v)
{
    return lmb_quat_rotate(lmb_quat_conjugate(s->model.rotation), v);
}

/// A ball joint whose bone swings by these angles toward a direction, away from it, and to either
/// side. Degrees.
static lmb_joint_limit ball(const joint_rest *s, lmb_vec3 toward, const float swing[4], float twist)
{
    // A rotation about along x toward moves the bone toward it.
    lmb_joint_limit limit = {
        .kind = LMB_JOINT_BALL,
        .axis = in_joint_frame(s, s->along),
        .side = in_joint_frame(s, lmb_vec3_cross(s->along, perpendicular_part(toward, s->along))),
        .twist_min_rad = -twist * DEGREE,
        .twist_max_rad = twist * DEGREE};
    for (int k = 0; k < 2; ++k) {
        limit.swing_side_rad[k] = swing[1 - k] * DEGREE;
        limit.swing_across_rad[k] = swing[2 + k] * DEGREE;
    }
    return limit;
}

/// A hinge that bends its bone from straight by `least` to `most` degrees toward a direction. The
/// bend of the rest pose is subtracted, and a bend of more than 10 degrees defines the axis. Joints
/// are past straight by 20 degrees at most: a greater bend the other way is how this one bends.
static lmb_joint_limit hinge(const body *b, const joint_rest *s, lmb_vec3 toward, float least,
                             float most)
{
    const int32_t parent = b->skeleton->parents[s->joint];
    lmb_vec3 axis = lmb_vec3_cross(s->along, perpendicular_part(toward, s->along)),
             before = s->along;
    float bent = 0.0f;
    if (parent != LMB_NONE) {
        const lmb_vec3 from = rest_of(b, (uint32_t)parent).translation;
        before = lmb_vec3_normalize_or(lmb_vec3_sub(s->model.translation, from), s->along);
        const lmb_vec3 normal = lmb_vec3_cross(before, s->along);
        const float across = lmb_vec3_dot(normal, axis) > 0.0f ? SIN_BENT : SIN_PAST_STRAIGHT;
        if (lmb_vec3_length(normal) > across) {
            axis = lmb_vec3_normalize_or(normal, axis);
        }
        bent = lmb_atan2(lmb_vec3_dot(normal, axis), lmb_vec3_dot(before, s->along));
        bent = bent > 0.0f ? bent : 0.0f;
    }
    return (lmb_joint_limit){.kind = LMB_JOINT_HINGE,
                             .axis = in_joint_frame(s, axis),
                             .twist_min_rad = least * DEGREE - bent,
                             .twist_max_rad = most * DEGREE - bent};
}

static float at_least_5(float x)
{
    return x > 5.0f ? x : 5.0f;
}

/// Ranges are relative to the T-pose, so the rest pose of the arm is subtracted.
static lmb_joint_limit upper_arm(const joint_rest *s)
{
    const float down = lmbi_asin(-s->along.y) / DEGREE;
    const lmb_vec3 flat = {s->along.x, 0, s->along.z};
    const float out = flat.x < 0.0f ? -flat.x : flat.x;
    const float ahead = lmb_vec3_length(flat) > 0.2f ? lmb_atan2(flat.z, out) / DEGREE : 0.0f;
    // Which rotation about up is forward depends on the side of the body.
    const float front = at_least_5(135.0f - ahead), back = at_least_5(50.0f + ahead);
    const lmb_vec3 raised = perpendicular_part(up, s->along),
                   lifts = lmb_vec3_cross(s->along, raised);
    const lmb_vec3 other = lmb_vec3_cross(s->along, lifts);
    const bool is_front = lmb_vec3_dot(lmb_vec3_cross(other, s->along), forward) > 0.0f;
    const float swing[4] = {at_least_5(95.0f + down), at_least_5(100.0f - down),
                            is_front ? back : front, is_front ? front : back};
    return ball(s, up, swing, 90.0f);
}

static lmb_joint_limit upper_leg(const body *b, const joint_rest *s)
{
    const float side = s->model.translation.x < b->hips.x ? -1.0f : 1.0f;
    const lmb_vec3 ahead = perpendicular_part(forward, s->along),
                   lifts = lmb_vec3_cross(s->along, ahead);
    const lmb_vec3 other = lmb_vec3_cross(s->along, lifts);
    const bool is_out = side * lmb_vec3_cross(other, s->along).x > 0.0f;
    const float swing[4] = {120, 30, is_out ? 30.0f : 45.0f, is_out ? 45.0f : 30.0f};
    return ball(s, forward, swing, 45.0f);
}

/// Direction from the hand to its thumb, which identifies the palm. Zero where there is no thumb.
static lmb_vec3 thumb_side(const body *b, const joint_rest *hand)
{
    for (uint32_t k = hand->joint + 1; k < b->skeleton->joint_count; ++k) {
        if (b->parts[k] == LMB_PART_THUMB &&
            lmbi_is_under(b->skeleton, b->skeleton->parents[k], (int32_t)hand->joint)) {
            const joint_rest thumb = read_joint_rest(b, k);
            return lmb_vec3_sub(lmb_vec3_mad(thumb.model.translation, thumb.along, 0.02f),
                                hand->model.translation);
        }
    }
    return lmb_vec3_make(0, 0, 0);
}

/// Direction that the palm faces: perpendicular to the thumb where there is one, else down, or
/// inward for a hanging arm.
static lmb_vec3 palm_of(const body *b, uint32_t joint)
{
    uint32_t at = joint;
    while (b->parts[at] != LMB_PART_HAND && b->skeleton->parents[at] != LMB_NONE) {
        at = (uint32_t)b->skeleton->parents[at];
    }
    const joint_rest hand = read_joint_rest(b, at);
    const float side = hand.model.translation.x < b->hips.x ? -1.0f : 1.0f;
    const lmb_vec3 thumb = thumb_side(b, &hand);
    if (lmb_vec3_dot(thumb, thumb) > 0.0f) {
        return lmb_vec3_scale(
            lmb_vec3_cross(hand.along,
                           perpendicular_part(lmb_vec3_normalize_or(thumb, forward), hand.along)),
            side);
    }
    return hand.along.y < -0.8f ? lmb_vec3_make(-side, 0, 0) : lmb_vec3_make(0, -1, 0);
}

static lmb_joint_limit finger(const body *b, const joint_rest *s)
{
    const lmb_vec3 palm = palm_of(b, s->joint);
    const int32_t parent = b->skeleton->parents[s->joint];
    if (parent != LMB_NONE && b->parts[parent] == LMB_PART_FINGER) {
        return hinge(b, s, palm, -5, 105);
    }
    return ball(s, palm, (const float[4]){90, 40, 20, 20}, 10);
}

/// A column of n joints divides the whole range; each joint may use a quarter more than its part.
static float column_part(float degrees, uint32_t count)
{
    return count <= 1 ? degrees : 1.25f * degrees / (float)count;
}

static lmb_joint_limit column(const joint_rest *s, const float degrees[4], uint32_t count)
{
    const float swing[4] = {column_part(degrees[0], count), column_part(degrees[1], count),
                            column_part(degrees[2], count), column_part(degrees[2], count)};
    return ball(s, forward, swing, column_part(degrees[3], count));
}

static lmb_joint_limit limit_of(const body *b, uint32_t joint)
{
    const joint_rest s = read_joint_rest(b, joint);
    const lmb_vec3 back = {0, 0, -1};
    switch (b->parts[joint]) {
    case LMB_PART_SPINE:
        return column(&s, (const float[4]){90, 35, 40, 50}, b->spine_count);
    case LMB_PART_NECK:
        return column(&s, (const float[4]){60, 70, 50, 85}, b->neck_count);
    case LMB_PART_SHOULDER:
        return ball(&s, up, (const float[4]){40, 10, 25, 25}, 15);
    case LMB_PART_UPPER_ARM:
        return upper_arm(&s);
    case LMB_PART_LOWER_ARM:
        return hinge(b, &s, forward, 0, 150);
    case LMB_PART_HAND:
        return ball(&s, palm_of(b, joint), (const float[4]){80, 70, 30, 30}, 90);
    case LMB_PART_THUMB:
        return ball(&s, palm_of(b, joint), (const float[4]){60, 30, 45, 45}, 20);
    case LMB_PART_FINGER:
        return finger(b, &s);
    case LMB_PART_UPPER_LEG:
        return upper_leg(b, &s);
    case LMB_PART_LOWER_LEG:
        return hinge(b, &s, back, 0, 150);
    case LMB_PART_FOOT:
        return ball(&s, up, (const float[4]){30, 50, 25, 25}, 20);
    case LMB_PART_TOES:
        return ball(&s, up, (const float[4]){70, 40, 5, 5}, 5);
    default:
        return (lmb_joint_limit){.kind = LMB_JOINT_FREE};
    }
}

static lmb_transform rotation_to_face_z(lmb_vec3 facing)
{
    lmb_transform t = lmb_transform_identity();
    t.rotation = lmb_quat_axis_angle(up, -lmb_atan2(facing.x, facing.z));
    return t;
}

void lmb_human_limits(const lmb_skeleton *skeleton, const lmb_body_part *parts, lmb_vec3 facing,
                      lmb_joint_limit *limits)
{
    body b = {.skeleton = skeleton, .parts = parts, .body_from_model = rotation_to_face_z(facing)};
    for (uint32_t j = skeleton->joint_count; j-- > 0;) {
        b.spine_count += parts[j] == LMB_PART_SPINE;
        b.neck_count += parts[j] == LMB_PART_NECK;
        if (parts[j] == LMB_PART_HIPS) {
            b.hips = rest_of(&b, j).translation;
        }
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        limits[j] = limit_of(&b, j);
    }
}
