/// First poses from points with their signs and depths settled.
#include <math.h>
#include <string.h>

#include "capture/lift_trail.h"

#define OTHER 0.05f ///< of the height: a joint so far from where its sign has it is mirrored

static const uint8_t limb_slots[LMBI_LIMBS][3] = {
    {LMB_SLOT_LEFT_UPPER_ARM, LMB_SLOT_LEFT_LOWER_ARM, LMB_SLOT_LEFT_HAND},
    {LMB_SLOT_RIGHT_UPPER_ARM, LMB_SLOT_RIGHT_LOWER_ARM, LMB_SLOT_RIGHT_HAND},
    {LMB_SLOT_LEFT_UPPER_LEG, LMB_SLOT_LEFT_LOWER_LEG, LMB_SLOT_LEFT_FOOT},
    {LMB_SLOT_RIGHT_UPPER_LEG, LMB_SLOT_RIGHT_LOWER_LEG, LMB_SLOT_RIGHT_FOOT}};

static bool limb_joints(const lmbi_trail *t, int limb, int32_t joints[3])
{
    const int root = lmbi_limb_root(limb);
    for (int k = 0; k < 3; ++k) {
        joints[k] = t->lift->subject.map.slots[limb_slots[limb][k]].joint;
        if (joints[k] < 0 || !t->seen[root + 2 * k]) {
            return false;
        }
    }
    return true;
}

/// Turns a joint in the model's space; lift->model must be that of the pose.
static void turn_in_model(const lmbi_lifting *lift, lmb_transform *pose, int32_t joint, lmb_quat q)
{
    lmb_quat above = lmb_quat_identity();
    for (int32_t j = lift->subject.skeleton.parents[joint]; j >= 0;
         j = lift->subject.skeleton.parents[j]) {
        above = lmb_quat_mul(pose[j].rotation, above);
    }
    const lmb_quat own = lmb_quat_mul(lmb_quat_conjugate(above), lmb_quat_mul(q, above));
    pose[joint].rotation = lmb_quat_normalize(lmb_quat_mul(own, pose[joint].rotation));
}

/// The angle of the hinge that brings the end nearest to a distance from the root of the limb.
static float hinge_angle(const lmb_joint_limit *limit, const lmb_vec3 at[3], lmb_vec3 axis,
                         float distance)
{
    enum { TRIES = 48 };
    const float low = limit->twist_min_rad, high = limit->twist_max_rad;
    float best = 0, least = INFINITY, reach = (high - low) / TRIES, middle = 0.5f * (low + high);
    for (int round = 0; round < 3; ++round, middle = best, reach *= 2.0f / TRIES) {
        for (int k = 0; k <= TRIES; ++k) {
            const float angle = middle + reach * (float)(k - TRIES / 2);
            const lmb_quat q = lmb_quat_axis_angle(axis, fminf(fmaxf(angle, low), high));
            const lmb_vec3 end =
                lmb_vec3_add(at[1], lmb_quat_rotate(q, lmb_vec3_sub(at[2], at[1])));
            const float off = fabsf(lmb_vec3_distance(end, at[0]) - distance);
            if (off < least) {
                least = off;
                best = fminf(fmaxf(angle, low), high);
            }
        }
    }
    return best;
}

/// The turn that takes one limb's line and bend to another's. A limb that is nearly straight says
/// little of how it is rolled.
static lmb_quat align(const lmb_vec3 from[3], const lmb_vec3 to[3])
{
    const lmb_vec3 x = {1, 0, 0};
    const lmb_vec3 line = lmb_vec3_normalize_or(lmb_vec3_sub(from[2], from[0]), x),
                   goal = lmb_vec3_normalize_or(lmb_vec3_sub(to[2], to[0]), x);
    const lmb_quat swing = lmb_quat_between(line, goal);
    const lmb_vec3 a = lmb_quat_rotate(swing, lmb_vec3_sub(from[1], from[0])),
                   b = lmb_vec3_sub(to[1], to[0]);
    const lmb_vec3 bend = lmb_vec3_mad(a, goal, -lmb_vec3_dot(a, goal)),
                   wanted = lmb_vec3_mad(b, goal, -lmb_vec3_dot(b, goal));
    const float roll =
        lmb_atan2(lmb_vec3_dot(lmb_vec3_cross(bend, wanted), goal), lmb_vec3_dot(bend, wanted));
    const float told =
        fminf(lmb_vec3_length(wanted) / (0.15f * lmb_vec3_distance(to[2], to[0]) + 1e-6f), 1);
    const float most = 1.2f;
    return lmb_quat_mul(lmb_quat_axis_angle(goal, told * fminf(fmaxf(roll, -most), most)), swing);
}

/// Poses a limb by its three points, as far as its hinge goes.
static void pose_limb(const lmbi_trail *t, int limb, const lmb_vec3 *points, lmb_transform *pose)
{
    const lmbi_lifting *lift = t->lift;
    const lmbi_fit_subject *s = &lift->subject;
    const int root = lmbi_limb_root(limb);
    int32_t joints[3];
    if (!limb_joints(t, limb, joints)) {
        return;
    }
    const lmb_vec3 to[3] = {points[root], points[root + 2], points[root + 4]};
    pose[joints[0]].rotation = lift->usual[joints[0]].rotation;
    pose[joints[1]].rotation = s->rest[joints[1]].rotation;
    lmbi_subject_model(s, pose, lift->model);
    lmb_vec3 at[3];
    for (int k = 0; k < 3; ++k) {
        at[k] = lmb_mat4_translation(lift->model[joints[k]]);
    }
    const lmb_joint_limit *limit = s->limits != NULL ? &s->limits[joints[1]] : NULL;
    if (limit != NULL && limit->kind == LMB_JOINT_HINGE) {
        const lmb_vec3 axis = lmb_vec3_normalize_or(
            lmb_mat4_vector(lift->model[joints[1]], limit->axis), limit->axis);
        const float angle = hinge_angle(limit, at, axis, lmb_vec3_distance(to[0], to[2]));
        const lmb_quat bend = lmb_quat_axis_angle(axis, angle);
        turn_in_model(lift, pose, joints[1], bend);
        at[2] = lmb_vec3_add(at[1], lmb_quat_rotate(bend, lmb_vec3_sub(at[2], at[1])));
    } else {
        const lmb_quat bend =
            lmb_quat_between(lmb_vec3_normalize_or(lmb_vec3_sub(at[2], at[1]), to[0]),
                             lmb_vec3_normalize_or(lmb_vec3_sub(to[2], to[1]), to[0]));
        turn_in_model(lift, pose, joints[1], bend);
        at[2] = lmb_vec3_add(at[1], lmb_quat_rotate(bend, lmb_vec3_sub(at[2], at[1])));
    }
    turn_in_model(lift, pose, joints[0], align(at, to));
}

static lmb_vec3 trunk_way(const lmb_vec3 *points)
{
    return lmb_vec3_sub(lmb_vec3_lerp(points[0], points[1], 0.5f),
                        lmb_vec3_lerp(points[LMBI_HIP], points[LMBI_HIP + 1], 0.5f));
}

/// Upright, turned as the hips are, then leaning as the trunk does. Where its depth is not known, it
/// leans in the picture's plane alone: how it leans in depth is not seen, and stays as it rests.
static lmb_quat trunk_turn(const lmbi_trail *t, const lmb_vec3 *points)
{
    static const lmb_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    lmb_vec3 left = lmb_vec3_sub(points[LMBI_HIP], points[LMBI_HIP + 1]);
    left.y = 0;
    left = lmb_vec3_normalize_or(left, x);
    const lmb_quat upright = lmb_quat_from_axes(left, y, lmb_vec3_cross(left, y));
    const lmb_vec3 now = lmb_quat_rotate(upright, trunk_way(t->rest)), way = trunk_way(points);
    if (t->deep) {
        return lmb_quat_mul(
            lmb_quat_between(lmb_vec3_normalize_or(now, y), lmb_vec3_normalize_or(way, y)),
            upright);
    }
    const float lean = lmb_atan2(now.x * way.y - now.y * way.x, now.x * way.x + now.y * way.y);
    return lmb_quat_mul(lmb_quat_axis_angle(z, lean), upright);
}

static void pose_trunk(const lmbi_trail *t, const lmb_vec3 *points, lmb_transform *pose)
{
    static const lmb_vec3 x = {1, 0, 0}, y = {0, 1, 0};
    const lmbi_fit_subject *s = &t->lift->subject;
    const lmb_vec3 hips = lmb_vec3_lerp(points[LMBI_HIP], points[LMBI_HIP + 1], 0.5f);
    const lmb_quat turn = trunk_turn(t, points);
    const lmb_vec3 left = lmb_quat_rotate(turn, x), up = lmb_quat_rotate(turn, y);
    memcpy(pose, t->lift->usual, s->count * sizeof *pose);
    const lmb_vec3 aside =
        lmb_vec3_sub(lmb_vec3_lerp(t->rest[LMBI_HIP], t->rest[LMBI_HIP + 1], 0.5f), s->at[s->root]);
    pose[s->root].rotation = lmb_quat_mul(turn, s->rest[s->root].rotation);
    pose[s->root].translation = lmb_vec3_sub(hips, lmb_quat_rotate(turn, aside));
    // What shoulders are turned against hips goes into the joint that carries them.
    const lmb_vec3 across = lmb_vec3_sub(points[0], points[1]);
    const lmb_vec3 front = lmb_vec3_cross(left, up);
    const float twist = lmb_atan2(-lmb_vec3_dot(across, front), lmb_vec3_dot(across, left));
    const uint32_t count = s->map.spine_count;
    if (count > 1 && s->map.spine[count - 1] != (int32_t)s->root) {
        turn_in_model(t->lift, pose, s->map.spine[count - 1],
                      lmb_quat_axis_angle(up, fminf(fmaxf(twist, -0.8f), 0.8f)));
    }
}

void lmbi_lift_pose(const lmbi_trail *t, uint32_t moment, lmb_transform *pose)
{
    pose_trunk(t, t->points[moment], pose);
    for (int limb = 0; limb < LMBI_LIMBS; ++limb) {
        pose_limb(t, limb, t->points[moment], pose);
    }
}

void lmbi_lift_points(lmbi_trail *t, uint32_t moment, const lmb_transform *pose)
{
    const lmbi_lifting *lift = t->lift;
    lmbi_subject_model(&lift->subject, pose, lift->model);
    for (int limb = 0; limb < LMBI_LIMBS; ++limb) {
        for (int k = 0; k < 3; ++k) {
            const int32_t joint = lift->subject.map.slots[limb_slots[limb][k]].joint;
            if (joint >= 0) {
                t->points[moment][lmbi_limb_root(limb) + 2 * k] =
                    lmb_mat4_translation(lift->model[joint]);
            }
        }
    }
}

uint32_t lmbi_lift_mirror(lmbi_trail *t, uint32_t moment, const lmb_vec3 *was, lmb_transform *pose)
{
    const float limit = OTHER * t->lift->subject.height;
    uint32_t count = 0;
    for (int limb = 0; limb < LMBI_LIMBS; ++limb) {
        const int mid = lmbi_limb_root(limb) + 2, end = mid + 2;
        const lmb_vec3 *now = t->points[moment];
        int32_t joints[3];
        if (limb_joints(t, limb, joints) && (lmb_vec3_distance(now[mid], was[mid]) > limit ||
                                             lmb_vec3_distance(now[end], was[end]) > limit)) {
            pose_limb(t, limb, now, pose);
            ++count;
        }
    }
    return count;
}
