/// Initial poses from points in space.
#include <math.h>
#include <string.h>

#include "capture/lift_trail.h"

/// fraction of the height: a joint farther from its chosen point is mirrored
#define MIRROR_DISTANCE 0.05f

static const uint8_t limb_bones[LMBI_LIMBS][3] = {
    {LMB_HUMAN_LEFT_UPPER_ARM, LMB_HUMAN_LEFT_LOWER_ARM, LMB_HUMAN_LEFT_HAND},
    {LMB_HUMAN_RIGHT_UPPER_ARM, LMB_HUMAN_RIGHT_LOWER_ARM, LMB_HUMAN_RIGHT_HAND},
    {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_LEFT_LOWER_LEG, LMB_HUMAN_LEFT_FOOT},
    {LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_RIGHT_LOWER_LEG, LMB_HUMAN_RIGHT_FOOT}};

static bool limb_joints(const lmbi_trail *t, int limb, int32_t joints[3])
{
    const int root = lmbi_limb_root(limb);
    for (int k = 0; k < 3; ++k) {
        joints[k] = t->lift->subject.map.bones[limb_bones[limb][k]].joint;
        if (joints[k] < 0 || !t->seen[root + 2 * k]) {
            return false;
        }
    }
    return true;
}

/// Rotates a joint in model space; lift->model must be that of the pose.
static void rotate_in_model(const lmbi_lifting *lift, lmb_transform *pose, int32_t joint,
                            lmb_quat q)
{
    lmb_quat above = lmb_quat_identity();
    for (int32_t j = lift->subject.skeleton.parents[joint]; j >= 0;
         j = lift->subject.skeleton.parents[j]) {
        above = lmb_quat_mul(pose[j].rotation, above);
    }
    const lmb_quat local = lmb_quat_mul(lmb_quat_conjugate(above), lmb_quat_mul(q, above));
    pose[joint].rotation = lmb_quat_normalize(lmb_quat_mul(local, pose[joint].rotation));
}

/// The hinge angle that brings the limb's end nearest to a distance from its root.
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
            const float error = fabsf(lmb_vec3_distance(end, at[0]) - distance);
            if (error < least) {
                least = error;
                best = fminf(fmaxf(angle, low), high);
            }
        }
    }
    return best;
}

/// Rotation of one limb's line and bend onto another's. The roll is faded out where the target limb
/// is nearly straight.
static lmb_quat align(const lmb_vec3 from[3], const lmb_vec3 to[3])
{
    const lmb_vec3 x = {1, 0, 0};
    const lmb_vec3 line = lmb_vec3_normalize_or(lmb_vec3_sub(from[2], from[0]), x),
                   goal = lmb_vec3_normalize_or(lmb_vec3_sub(to[2], to[0]), x);
    const lmb_quat swing = lmb_quat_between(line, goal);
    const lmb_vec3 a = lmb_quat_rotate(swing, lmb_vec3_sub(from[1], from[0])),
                   b = lmb_vec3_sub(to[1], to[0]);
    const lmb_vec3 bend = lmb_vec3_mad(a, goal, -lmb_vec3_dot(a, goal)),
                   target_bend = lmb_vec3_mad(b, goal, -lmb_vec3_dot(b, goal));
    const float roll = lmb_atan2(lmb_vec3_dot(lmb_vec3_cross(bend, target_bend), goal),
                                 lmb_vec3_dot(bend, target_bend));
    const float roll_weight =
        fminf(lmb_vec3_length(target_bend) / (0.15f * lmb_vec3_distance(to[2], to[0]) + 1e-6f), 1);
    const float most = 1.2f;
    return lmb_quat_mul(lmb_quat_axis_angle(goal, roll_weight * fminf(fmaxf(roll, -most), most)),
                        swing);
}

/// Poses a limb by its three points, within the limits of its hinge.
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
    pose[joints[0]].rotation = lift->mean_pose[joints[0]].rotation;
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
        rotate_in_model(lift, pose, joints[1], bend);
        at[2] = lmb_vec3_add(at[1], lmb_quat_rotate(bend, lmb_vec3_sub(at[2], at[1])));
    } else {
        const lmb_quat bend =
            lmb_quat_between(lmb_vec3_normalize_or(lmb_vec3_sub(at[2], at[1]), to[0]),
                             lmb_vec3_normalize_or(lmb_vec3_sub(to[2], to[1]), to[0]));
        rotate_in_model(lift, pose, joints[1], bend);
        at[2] = lmb_vec3_add(at[1], lmb_quat_rotate(bend, lmb_vec3_sub(at[2], at[1])));
    }
    rotate_in_model(lift, pose, joints[0], align(at, to));
}

static lmb_vec3 trunk_vector(const lmb_vec3 *points)
{
    return lmb_vec3_sub(lmb_vec3_lerp(points[0], points[1], 0.5f),
                        lmb_vec3_lerp(points[LMBI_HIP], points[LMBI_HIP + 1], 0.5f));
}

/// Rotation of the trunk: heading of the hips, then lean. Without solved depths it leans in the
/// picture plane alone, since the lean in depth is not observed.
static lmb_quat trunk_rotation(const lmbi_trail *t, const lmb_vec3 *points)
{
    static const lmb_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    lmb_vec3 left = lmb_vec3_sub(points[LMBI_HIP], points[LMBI_HIP + 1]);
    left.y = 0;
    left = lmb_vec3_normalize_or(left, x);
    const lmb_quat upright = lmb_quat_from_axes(left, y, lmb_vec3_cross(left, y));
    const lmb_vec3 now = lmb_quat_rotate(upright, trunk_vector(t->rest)),
                   target = trunk_vector(points);
    if (t->has_depths) {
        return lmb_quat_mul(
            lmb_quat_between(lmb_vec3_normalize_or(now, y), lmb_vec3_normalize_or(target, y)),
            upright);
    }
    const float lean =
        lmb_atan2(now.x * target.y - now.y * target.x, now.x * target.x + now.y * target.y);
    return lmb_quat_mul(lmb_quat_axis_angle(z, lean), upright);
}

static void pose_trunk(const lmbi_trail *t, const lmb_vec3 *points, lmb_transform *pose)
{
    static const lmb_vec3 x = {1, 0, 0}, y = {0, 1, 0};
    const lmbi_fit_subject *s = &t->lift->subject;
    const lmb_vec3 hips = lmb_vec3_lerp(points[LMBI_HIP], points[LMBI_HIP + 1], 0.5f);
    const lmb_quat rotation = trunk_rotation(t, points);
    const lmb_vec3 left = lmb_quat_rotate(rotation, x), up = lmb_quat_rotate(rotation, y);
    memcpy(pose, t->lift->mean_pose, s->count * sizeof *pose);
    const lmb_vec3 hips_offset = lmb_vec3_sub(
        lmb_vec3_lerp(t->rest[LMBI_HIP], t->rest[LMBI_HIP + 1], 0.5f), s->positions[s->root]);
    pose[s->root].rotation = lmb_quat_mul(rotation, s->rest[s->root].rotation);
    pose[s->root].translation = lmb_vec3_sub(hips, lmb_quat_rotate(rotation, hips_offset));
    // The top spine joint takes the twist between hips and shoulders.
    const lmb_vec3 across = lmb_vec3_sub(points[0], points[1]);
    const lmb_vec3 front = lmb_vec3_cross(left, up);
    const float twist = lmb_atan2(-lmb_vec3_dot(across, front), lmb_vec3_dot(across, left));
    const uint32_t count = s->map.spine_count;
    if (count > 1 && s->map.spine[count - 1] != (int32_t)s->root) {
        rotate_in_model(t->lift, pose, s->map.spine[count - 1],
                        lmb_quat_axis_angle(up, fminf(fmaxf(twist, -0.8f), 0.8f)));
    }
}

void lmbi_trail_to_pose(const lmbi_trail *t, uint32_t sample, lmb_transform *pose)
{
    pose_trunk(t, t->points[sample], pose);
    for (int limb = 0; limb < LMBI_LIMBS; ++limb) {
        pose_limb(t, limb, t->points[sample], pose);
    }
}

void lmbi_trail_from_pose(lmbi_trail *t, uint32_t sample, const lmb_transform *pose)
{
    const lmbi_lifting *lift = t->lift;
    lmbi_subject_model(&lift->subject, pose, lift->model);
    for (int limb = 0; limb < LMBI_LIMBS; ++limb) {
        for (int k = 0; k < 3; ++k) {
            const int32_t joint = lift->subject.map.bones[limb_bones[limb][k]].joint;
            if (joint >= 0) {
                t->points[sample][lmbi_limb_root(limb) + 2 * k] =
                    lmb_mat4_translation(lift->model[joint]);
            }
        }
    }
}

uint32_t lmbi_lift_mirror(lmbi_trail *t, uint32_t sample, const lmb_vec3 *before,
                          lmb_transform *pose)
{
    const float limit = MIRROR_DISTANCE * t->lift->subject.height;
    uint32_t count = 0;
    for (int limb = 0; limb < LMBI_LIMBS; ++limb) {
        const int mid = lmbi_limb_root(limb) + 2, end = mid + 2;
        const lmb_vec3 *now = t->points[sample];
        int32_t joints[3];
        if (limb_joints(t, limb, joints) && (lmb_vec3_distance(now[mid], before[mid]) > limit ||
                                             lmb_vec3_distance(now[end], before[end]) > limit)) {
            pose_limb(t, limb, now, pose);
            ++count;
        }
    }
    return count;
}
