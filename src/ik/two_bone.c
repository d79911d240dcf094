/// Two-bone inverse kinematics in closed form.
#include "limber/ik.h"

#include <math.h>

#define TINY 1e-12f
#define STRAIGHT 0.17f ///< sine of 10 degrees: a limb bent more than this knows its plane

/// Nearer to full extension than `soft` of the length, the distance that is solved for approaches the length and never
/// gets there: d' = a + s (1 - (4 / (x + 4))^4), x = (d - a) / s, which leaves with slope 1.
static float soft_distance(float distance, float length, float soft)
{
    const float s = length * soft, a = length - s;
    if (s <= 0.0f || distance <= a) {
        return distance;
    }
    const float r = 4.0f / ((distance - a) / s + 4.0f), r2 = r * r;
    return a + s * (1.0f - r2 * r2);
}

static float clamp(float x, float low, float high)
{
    return x < low ? low : (x > high ? high : x);
}

/// The part of `hinge` across the limb, unit; +X or anything across where it has none.
static lmb_vec3 hinge_across(lmb_vec3 along, lmb_vec3 hinge)
{
    const lmb_vec3 tries[2] = {hinge, {1, 0, 0}};
    for (int i = 0; i < 2; ++i) {
        const lmb_vec3 across = lmb_vec3_mad(tries[i], along, -lmb_vec3_dot(tries[i], along));
        if (lmb_vec3_dot(across, across) > 1e-4f * lmb_vec3_dot(tries[i], tries[i]) &&
            lmb_vec3_dot(tries[i], tries[i]) > TINY) {
            return lmb_vec3_normalize_or(across, lmb_vec3_make(1, 0, 0));
        }
    }
    return lmb_vec3_any_perpendicular(along);
}

/// The axis that bending the mid joint turns about: normal to the bend plane. The straighter the limb, the more the hinge has a say,
/// since the plane of a straight limb is noise; and a limb that is bent against its hinge is bent back about it.
static lmb_vec3 bend_axis(lmb_vec3 upper, lmb_vec3 lower, lmb_vec3 hinge)
{
    const lmb_vec3 along =
        lmb_vec3_normalize_or(lmb_vec3_add(upper, lower), lmb_vec3_make(0, -1, 0));
    const lmb_vec3 normal = lmb_vec3_cross(upper, lower), across = hinge_across(along, hinge);
    const float area = lmb_vec3_length(normal),
                scale = lmb_vec3_length(upper) * lmb_vec3_length(lower);
    const bool has_hinge = lmb_vec3_dot(hinge, hinge) > TINY;
    if (!(area > 1e-4f * scale) || (has_hinge && lmb_vec3_dot(normal, across) < 0.0f)) {
        return across;
    }
    const lmb_vec3 unit = lmb_vec3_scale(normal, 1.0f / area);
    const float own = has_hinge ? clamp(area / (STRAIGHT * scale), 0.0f, 1.0f) : 1.0f;
    return lmb_vec3_normalize_or(lmb_vec3_lerp(across, unit, own), unit);
}

/// The turn about `axis` (unit) that brings the part of `from` across the axis to that of `to`.
static lmb_quat turn_about(lmb_vec3 axis, lmb_vec3 from, lmb_vec3 to)
{
    const lmb_vec3 a = lmb_vec3_mad(from, axis, -lmb_vec3_dot(from, axis));
    const lmb_vec3 b = lmb_vec3_mad(to, axis, -lmb_vec3_dot(to, axis));
    const float sine = lmb_vec3_dot(axis, lmb_vec3_cross(a, b)), cosine = lmb_vec3_dot(a, b);
    if (sine * sine + cosine * cosine < TINY * TINY) {
        return lmb_quat_identity();
    }
    return lmb_quat_axis_angle(axis, lmb_atan2(sine, cosine));
}

/// The least turn of the lower bone that leaves it bent by `bend` from the upper, about the axis made square to that.
static lmb_quat bend_to(lmb_vec3 upper, lmb_vec3 lower, lmb_vec3 axis, float bend)
{
    const lmb_vec3 square = lmb_vec3_mad(axis, upper, -lmb_vec3_dot(axis, upper));
    const lmb_vec3 about = lmb_vec3_normalize_or(square, lmb_vec3_any_perpendicular(upper));
    return lmb_quat_between(lower, lmb_quat_rotate(lmb_quat_axis_angle(about, bend), upper));
}

lmb_two_bone_turn lmb_two_bone_solve(lmb_two_bone_points limb, lmb_vec3 goal, lmb_vec3 hinge,
                                     lmb_vec3 pole, float soft)
{
    lmb_two_bone_turn turn = {lmb_quat_identity(), lmb_quat_identity(), 0.0f};
    const lmb_vec3 upper = lmb_vec3_sub(limb.mid, limb.start),
                   lower = lmb_vec3_sub(limb.end, limb.mid);
    const float a = lmb_vec3_length(upper), b = lmb_vec3_length(lower);
    const lmb_vec3 to_goal = lmb_vec3_sub(goal, limb.start);
    const float distance = lmb_vec3_length(to_goal);
    if (!(a > TINY) || !(b > TINY) || !lmb_vec3_is_finite(goal)) {
        return turn;
    }
    turn.reach = distance / (a + b);
    // A straight limb has no bend to change, and at equal bones a goal at the start has no direction: stay off both.
    const float least = fabsf(a - b) + 1e-4f * (a + b), most = (a + b) * (1.0f - 1e-6f);
    const float d = clamp(soft_distance(distance, a + b, clamp(soft, 0.0f, 0.5f)), least, most);
    const float bend = LMB_PI - lmb_acos((a * a + b * b - d * d) / (2.0f * a * b));
    turn.mid = bend_to(lmb_vec3_scale(upper, 1.0f / a), lmb_vec3_scale(lower, 1.0f / b),
                       bend_axis(upper, lower, hinge), bend);
    const lmb_vec3 reached = lmb_vec3_add(upper, lmb_quat_rotate(turn.mid, lower));
    const lmb_vec3 from = lmb_vec3_normalize_or(reached, lmb_vec3_make(0, -1, 0));
    const lmb_vec3 toward = lmb_vec3_normalize_or(to_goal, from);
    turn.start = lmb_quat_between(from, toward);
    if (lmb_vec3_dot(pole, pole) > TINY) {
        const lmb_vec3 knee = lmb_quat_rotate(turn.start, upper);
        turn.start = lmb_quat_normalize(lmb_quat_mul(turn_about(toward, knee, pole), turn.start));
    }
    return turn;
}

/// Rotation of a model matrix that may hold a scale.
static lmb_quat rotation_of(lmb_mat4 m)
{
    lmb_transform t;
    lmb_mat4_decompose(m, &t);
    return t.rotation;
}

static lmb_quat parent_rotation(const lmb_ik_two_bone_job *job, uint32_t joint)
{
    const int32_t parent = job->skeleton->parents[joint];
    return parent < 0 ? lmb_quat_identity() : rotation_of(job->model_from_joint[parent]);
}

/// Turns a joint by `turn`, given in model space, when its parent has turned by `above`.
static void turn_joint(const lmb_ik_two_bone_job *job, uint32_t joint, lmb_quat turn,
                       lmb_quat above, float weight)
{
    const lmb_quat parent = lmb_quat_mul(above, parent_rotation(job, joint));
    const lmb_quat model = lmb_quat_mul(turn, rotation_of(job->model_from_joint[joint]));
    const lmb_quat local = lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(parent), model));
    job->local[joint].rotation =
        weight >= 1.0f ? local : lmb_quat_nlerp(job->local[joint].rotation, local, weight);
}

float lmb_ik_two_bone(const lmb_ik_two_bone_job *job)
{
    const uint32_t *chain = job->chain;
    const lmb_two_bone_points limb = {
        lmb_mat4_translation(job->model_from_joint[chain[0]]),
        lmb_mat4_translation(job->model_from_joint[chain[1]]),
        lmb_mat4_translation(job->model_from_joint[chain[2]]),
    };
    const bool has_hinge = lmb_vec3_dot(job->hinge, job->hinge) > TINY;
    const lmb_vec3 hinge =
        has_hinge ? lmb_quat_rotate(rotation_of(job->model_from_joint[chain[1]]), job->hinge)
                  : lmb_vec3_make(0, 0, 0);
    const lmb_two_bone_turn turn =
        lmb_two_bone_solve(limb, job->target, hinge, job->pole, job->soft);
    const float weight = clamp(job->weight, 0.0f, 1.0f);
    if (weight <= 0.0f) {
        return turn.reach;
    }
    const lmb_quat below_start = turn.start, below_mid = lmb_quat_mul(turn.start, turn.mid);
    turn_joint(job, chain[0], below_start, lmb_quat_identity(), weight);
    turn_joint(job, chain[1], below_mid, below_start, weight);
    if (job->keep_end) {
        turn_joint(job, chain[2], lmb_quat_identity(), below_mid, weight);
    }
    return turn.reach;
}
