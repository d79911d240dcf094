/// Two-bone inverse kinematics in closed form, without an angle: cosines from the law of cosines,
/// half-angles from them.
#include "ik/frame.h"
#include "ik/limb_limit.h"
#include "limber/ik.h"

#define TINY 1e-12f
#define STRAIGHT 0.17f ///< sine of 10 degrees: a limb bent more than this knows its plane

/// Nearer to full extension than `soft` of the length, the distance that is solved for approaches
/// the length and never gets there: d' = a + s (1 - (4 / (x + 4))^4), x = (d - a) / s, which leaves
/// with slope 1.
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

/// From start to end, for a goal at `distance`. A straight limb has no bend to change, and at equal
/// bones a goal at the start has no direction: it stays off both.
static float solved_distance(float distance, float a, float b, float soft)
{
    const float length = a + b, least = fabsf(a - b) + 1e-4f * length,
                most = length * (1.0f - 1e-6f);
    return clamp(soft_distance(distance, length, clamp(soft, 0.0f, 0.5f)), least, most);
}

static lmb_vec3 unit_or(lmb_vec3 v, lmb_vec3 fallback)
{
    const float square = lmb_vec3_dot(v, v);
    return square > 1e-30f ? lmb_vec3_scale(v, 1.0f / sqrtf(square)) : fallback;
}

/// The part of `hinge` across the limb, unit; +X or anything across where it has none.
static lmb_vec3 hinge_across(lmb_vec3 along, lmb_vec3 hinge)
{
    const lmb_vec3 tries[2] = {hinge, {1, 0, 0}};
    for (int i = 0; i < 2; ++i) {
        const lmb_vec3 across = lmb_vec3_mad(tries[i], along, -lmb_vec3_dot(tries[i], along));
        const float square = lmb_vec3_dot(across, across), whole = lmb_vec3_dot(tries[i], tries[i]);
        if (square > 1e-4f * whole && whole > TINY) {
            return lmb_vec3_scale(across, 1.0f / sqrtf(square));
        }
    }
    return lmbi_perpendicular(along);
}

/// The axis that bending the mid joint turns about: normal to the bend plane. The straighter the
/// limb, the more the hinge has a say, since the plane of a straight limb is noise; and a limb that
/// is bent against its hinge is bent back about it.
/// `scale` is the product of the bones' lengths.
static lmb_vec3 bend_axis(lmb_vec3 upper, lmb_vec3 lower, lmb_vec3 hinge, float scale)
{
    const lmb_vec3 normal = lmb_vec3_cross(upper, lower);
    const float area = sqrtf(lmb_vec3_dot(normal, normal));
    const bool has_hinge = lmb_vec3_dot(hinge, hinge) > TINY, has_plane = area > 1e-4f * scale;
    if (has_plane &&
        (!has_hinge || (area >= STRAIGHT * scale && lmb_vec3_dot(normal, hinge) > 0.0f))) {
        return lmb_vec3_scale(normal, 1.0f / area);
    }
    const lmb_vec3 across =
        hinge_across(unit_or(lmb_vec3_add(upper, lower), lmb_vec3_make(0, -1, 0)), hinge);
    if (!has_plane || lmb_vec3_dot(normal, across) < 0.0f) {
        return across;
    }
    const float own = clamp(area / (STRAIGHT * scale), 0.0f, 1.0f);
    return unit_or(lmb_vec3_lerp(across, lmb_vec3_scale(normal, 1.0f / area), own), across);
}

/// Where unit `upper` goes when it is turned about the axis, made square to it, by the angle of
/// that cosine.
static lmb_vec3 bent(lmb_vec3 upper, lmb_vec3 axis, float cosine)
{
    const lmb_vec3 square = lmb_vec3_mad(axis, upper, -lmb_vec3_dot(axis, upper));
    const lmb_vec3 about = unit_or(square, lmbi_perpendicular(upper));
    const float left = 1.0f - cosine * cosine, sine = left > 0.0f ? sqrtf(left) : 0.0f;
    return lmb_vec3_add(lmb_vec3_scale(upper, cosine),
                        lmb_vec3_scale(lmb_vec3_cross(about, upper), sine));
}

lmb_two_bone_turn lmb_two_bone_solve(lmb_two_bone_points limb, lmb_vec3 goal, lmb_vec3 hinge,
                                     lmb_vec3 pole, float soft)
{
    lmb_two_bone_turn turn = {lmb_quat_identity(), lmb_quat_identity(), 0.0f};
    const lmb_vec3 upper = lmb_vec3_sub(limb.mid, limb.start),
                   lower = lmb_vec3_sub(limb.end, limb.mid);
    const float aa = lmb_vec3_dot(upper, upper), bb = lmb_vec3_dot(lower, lower), a = sqrtf(aa),
                b = sqrtf(bb);
    const lmb_vec3 to_goal = lmb_vec3_sub(goal, limb.start);
    const float distance = sqrtf(lmb_vec3_dot(to_goal, to_goal)), length = a + b;
    if (!(a > TINY) || !(b > TINY) || !(distance < INFINITY)) {
        return turn;
    }
    turn.reach = distance / length;
    const float d = solved_distance(distance, a, b, soft);
    // The bend is what the interior angle leaves of a half turn: cos = (d^2 - a^2 - b^2) / 2ab.
    const float cosine = clamp((d * d - aa - bb) / (2.0f * a * b), -1.0f, 1.0f);
    const lmb_vec3 from_upper = lmb_vec3_scale(upper, 1.0f / a);
    const lmb_vec3 shin = bent(from_upper, bend_axis(upper, lower, hinge, a * b), cosine);
    turn.mid = lmbi_turn_between(lmb_vec3_scale(lower, 1.0f / b), shin);
    const lmb_vec3 from = unit_or(lmb_vec3_mad(upper, shin, b), from_upper);
    const lmb_vec3 toward = distance > TINY ? lmb_vec3_scale(to_goal, 1.0f / distance) : from;
    turn.start = lmbi_turn_between(from, toward);
    if (lmb_vec3_dot(pole, pole) > TINY) {
        const lmb_quat roll = lmbi_turn_about(toward, lmbi_turn_vector(turn.start, upper), pole);
        turn.start = lmbi_turn_refine(lmbi_turn_mul(roll, turn.start));
    }
    if (!(lmb_quat_dot(turn.start, turn.start) < 2.0f) ||
        !(lmb_quat_dot(turn.mid, turn.mid) < 2.0f)) {
        return (lmb_two_bone_turn){lmb_quat_identity(), lmb_quat_identity(),
                                   turn.reach}; // beyond float's range
    }
    return turn;
}

/// Rotation of the frame that `joint` stands in, in the space of the start joint's parent: the
/// product of those above it.
static lmb_quat frame_above(const lmb_ik_two_bone_job *job, uint32_t joint)
{
    const int32_t *parents = job->skeleton->parents;
    int32_t at = parents[joint];
    lmb_quat q = job->local[at].rotation;
    while (at != (int32_t)job->chain[0]) {
        at = parents[at];
        q = lmbi_turn_mul(job->local[at].rotation, q);
    }
    return q;
}

static void rotate_joint(const lmb_ik_two_bone_job *job, const lmb_joint_limit *limits,
                         uint32_t joint, lmb_quat local, float weight)
{
    lmb_quat *rotation = &job->local[joint].rotation;
    *rotation = weight >= 1.0f ? lmbi_turn_unit(local) : lmb_quat_nlerp(*rotation, local, weight);
    if (limits != NULL && limits[joint].kind != LMB_JOINT_FREE) {
        *rotation = lmbi_turn_within(&limits[joint], job->skeleton->rest[joint], *rotation);
    }
}

/// Further about the line to the goal.
static lmb_quat twisted(lmb_quat start, lmb_vec3 from, lmb_vec3 goal, float angle)
{
    const lmb_vec3 axis = unit_or(lmb_vec3_sub(goal, from), lmb_vec3_make(0, 0, 0));
    if (!(fabsf(angle) > 0.0f) || !(fabsf(angle) < INFINITY) ||
        !(lmb_vec3_dot(axis, axis) > 0.5f)) {
        return start;
    }
    return lmbi_turn_unit(lmbi_turn_mul(lmb_quat_axis_angle(axis, angle), start));
}

/// The turns again, of joints that stay in their limits.
static void hold(const lmb_ik_two_bone_job *job, const lmb_joint_limit *limits,
                 const lmb_two_bone_points *points, lmb_vec3 goal, lmb_quat above_mid,
                 lmb_two_bone_turn *turn)
{
    const uint32_t start = job->chain[0], mid = job->chain[1];
    const lmb_quat q = job->local[start].rotation,
                   whole = lmbi_turn_mul(above_mid, job->local[mid].rotation);
    const lmb_vec3 upper = lmb_vec3_sub(points->mid, points->start),
                   lower = lmb_vec3_sub(points->end, points->mid);
    const lmb_vec3 way = lmb_vec3_sub(goal, points->start);
    const float a = lmb_vec3_length(upper), b = lmb_vec3_length(lower), d = lmb_vec3_length(way);
    if (!(a > TINY) || !(b > TINY) || !(a + b < 1e15f) || !(d < INFINITY)) {
        return;
    }
    lmbi_two_bone_limb limb = {
        .upper = lmbi_turn_vector(lmb_quat_conjugate(q), upper),
        .lower = lmbi_turn_vector(lmb_quat_conjugate(whole), lower),
        .between = lmbi_turn_unit(lmbi_turn_mul(lmb_quat_conjugate(q), above_mid)),
        .distance = solved_distance(d, a, b, job->soft),
        .start = lmbi_turn_unit(lmbi_turn_mul(turn->start, q)),
        .mid = lmbi_turn_unit(
            lmbi_turn_mul(lmb_quat_conjugate(above_mid), lmbi_turn_mul(turn->mid, whole))),
    };
    const lmb_vec3 tip = lmb_vec3_add(upper, lmbi_turn_vector(turn->mid, lower));
    limb.toward = lmb_vec3_normalize_or(
        way, lmb_vec3_normalize_or(lmbi_turn_vector(turn->start, tip), lmb_vec3_make(0, -1, 0)));
    lmbi_limb_hold(&limits[start], job->skeleton->rest[start], &limits[mid],
                   job->skeleton->rest[mid], &limb);
    turn->start = lmbi_turn_mul(limb.start, lmb_quat_conjugate(q));
    turn->mid = lmbi_turn_mul(lmbi_turn_mul(above_mid, limb.mid), lmb_quat_conjugate(whole));
}

float lmb_ik_two_bone(const lmb_ik_two_bone_job *job)
{
    const uint32_t *chain = job->chain;
    const lmbi_parent_frame parent = lmbi_frame_of(job->skeleton, job->model_from_joint, chain[0]);
    const lmb_two_bone_points limb = {
        lmbi_frame_point(&parent, lmb_mat4_translation(job->model_from_joint[chain[0]])),
        lmbi_frame_point(&parent, lmb_mat4_translation(job->model_from_joint[chain[1]])),
        lmbi_frame_point(&parent, lmb_mat4_translation(job->model_from_joint[chain[2]])),
    };
    const lmb_quat above_mid = frame_above(job, chain[1]);
    const lmb_quat mid = lmbi_turn_mul(above_mid, job->local[chain[1]].rotation);
    const lmb_vec3 goal = lmbi_frame_point(&parent, job->target);
    lmb_two_bone_turn turn = lmb_two_bone_solve(limb, goal, lmbi_turn_vector(mid, job->hinge),
                                                lmbi_frame_vector(&parent, job->pole), job->soft);
    const float weight = clamp(job->weight, 0.0f, 1.0f);
    if (weight <= 0.0f) {
        return turn.reach;
    }
    turn.start = twisted(turn.start, limb.start, goal, job->twist_rad);
    const lmb_joint_limit *limits =
        job->free ? NULL : (job->limits != NULL ? job->limits : job->skeleton->limits);
    if (limits != NULL) {
        hold(job, limits, &limb, goal, above_mid, &turn);
    }
    const lmb_quat above_end = job->keep_end ? frame_above(job, chain[2]) : above_mid;
    rotate_joint(job, limits, chain[0], lmbi_turn_mul(turn.start, job->local[chain[0]].rotation),
                 weight);
    rotate_joint(job, limits, chain[1],
                 lmbi_turn_mul(lmb_quat_conjugate(above_mid), lmbi_turn_mul(turn.mid, mid)),
                 weight);
    if (job->keep_end) {
        const lmb_quat end = lmbi_turn_mul(above_end, job->local[chain[2]].rotation);
        const lmb_quat above = lmbi_turn_mul(lmbi_turn_mul(turn.start, turn.mid), above_end);
        rotate_joint(job, limits, chain[2], lmbi_turn_mul(lmb_quat_conjugate(above), end), weight);
    }
    return turn.reach;
}
