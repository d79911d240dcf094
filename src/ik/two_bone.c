/// Two-bone inverse kinematics in closed form, without angles: cosines from the law of cosines,
/// then half-angles.
#include "ik/ik.h"
#include "ik/limb_kernels.h"
#include "ik/limb_limit.h"
#include "limber/ik.h"
#include "math/math.h"
#include "math/scalar.h"

#define TINY 1e-12f
#define STRAIGHT 0.17f ///< sine of 10 degrees: a limb bent further has a reliable bend plane

/// Soft reach: within `soft` of full extension the solved distance approaches the length
/// asymptotically, d' = a + s (1 - (4 / (x + 4))^4), x = (d - a) / s, which starts with slope 1.
static float soft_distance(float distance, float length, float soft)
{
    const float s = length * soft, a = length - s;
    if (s <= 0.0f || distance <= a) {
        return distance;
    }
    const float r = 4.0f / ((distance - a) / s + 4.0f), r2 = r * r;
    return a + s * (1.0f - r2 * r2);
}

/// Distance of start and end to solve for, kept off full extension, where there is no bend plane,
/// and off zero, where there is no direction.
static float solved_distance(float distance, float a, float b, float soft)
{
    const float length = a + b, least = fabsf(a - b) + 1e-4f * length,
                most = length * (1.0f - 1e-6f);
    return lmbi_clampf(soft_distance(distance, length, lmbi_clampf(soft, 0.0f, 0.5f)), least, most);
}

static lmb_vec3 unit_or(lmb_vec3 v, lmb_vec3 fallback)
{
    const float square = lmb_vec3_dot(v, v);
    return square > 1e-30f ? lmb_vec3_scale(v, 1.0f / sqrtf(square)) : fallback;
}

/// Unit component of `hinge` perpendicular to the limb, or that of +X, or any perpendicular.
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

/// Unit rotation axis of the mid joint, the normal of the bend plane. The straighter the limb, the
/// more the hinge decides, since the plane of a straight limb is noise. A limb bent against its
/// hinge is bent back about it.
/// `scale` is the product of the bone lengths.
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
    const float own = lmbi_clampf(area / (STRAIGHT * scale), 0.0f, 1.0f);
    return unit_or(lmb_vec3_lerp(across, lmb_vec3_scale(normal, 1.0f / area), own), across);
}

/// Rotates unit `upper` by the angle of that cosine about the component of `axis` perpendicular to
/// it.
static lmb_vec3 bend_bone(lmb_vec3 upper, lmb_vec3 axis, float cosine)
{
    const lmb_vec3 square = lmb_vec3_mad(axis, upper, -lmb_vec3_dot(axis, upper));
    const lmb_vec3 about = unit_or(square, lmbi_perpendicular(upper));
    const float left = 1.0f - cosine * cosine, sine = left > 0.0f ? sqrtf(left) : 0.0f;
    return lmb_vec3_add(lmb_vec3_scale(upper, cosine),
                        lmb_vec3_scale(lmb_vec3_cross(about, upper), sine));
}

lmb_two_bone_rotation lmb_two_bone_solve(lmb_two_bone_points limb, lmb_vec3 goal, lmb_vec3 hinge,
                                         lmb_vec3 pole, float soft)
{
    lmb_two_bone_rotation rotations = {lmb_quat_identity(), lmb_quat_identity(), 0.0f};
    const lmb_vec3 upper = lmb_vec3_sub(limb.mid, limb.start),
                   lower = lmb_vec3_sub(limb.end, limb.mid);
    const float aa = lmb_vec3_dot(upper, upper), bb = lmb_vec3_dot(lower, lower), a = sqrtf(aa),
                b = sqrtf(bb);
    const lmb_vec3 to_goal = lmb_vec3_sub(goal, limb.start);
    const float distance = sqrtf(lmb_vec3_dot(to_goal, to_goal)), length = a + b;
    if (!(a > TINY) || !(b > TINY) || !(distance < INFINITY)) {
        return rotations;
    }
    rotations.reach = distance / length;
    const float d = solved_distance(distance, a, b, soft);
    // The bend is pi less the interior angle: cos = (d^2 - a^2 - b^2) / 2ab.
    const float cosine = lmbi_clampf((d * d - aa - bb) / (2.0f * a * b), -1.0f, 1.0f);
    const lmb_vec3 from_upper = lmb_vec3_scale(upper, 1.0f / a);
    const lmb_vec3 shin = bend_bone(from_upper, bend_axis(upper, lower, hinge, a * b), cosine);
    rotations.mid = lmbi_quat_between(lmb_vec3_scale(lower, 1.0f / b), shin);
    const lmb_vec3 from = unit_or(lmb_vec3_mad(upper, shin, b), from_upper);
    const lmb_vec3 toward = distance > TINY ? lmb_vec3_scale(to_goal, 1.0f / distance) : from;
    rotations.start = lmbi_quat_between(from, toward);
    if (lmb_vec3_dot(pole, pole) > TINY) {
        const lmb_quat roll =
            lmbi_quat_about(toward, lmbi_quat_rotate(rotations.start, upper), pole);
        rotations.start = lmbi_quat_renormalize(lmbi_quat_mul(roll, rotations.start));
    }
    if (!(lmb_quat_dot(rotations.start, rotations.start) < 2.0f) ||
        !(lmb_quat_dot(rotations.mid, rotations.mid) < 2.0f)) {
        return (lmb_two_bone_rotation){lmb_quat_identity(), lmb_quat_identity(),
                                       rotations.reach}; // float overflow
    }
    return rotations;
}

/// Rotation of `joint`'s parent in the frame of the start joint's parent.
static lmb_quat frame_above(const lmb_ik_two_bone_job *job, uint32_t joint)
{
    const int32_t *parents = job->skeleton->parents;
    int32_t at = parents[joint];
    lmb_quat q = job->local[at].rotation;
    while (at != (int32_t)job->chain[0]) {
        at = parents[at];
        q = lmbi_quat_mul(job->local[at].rotation, q);
    }
    return q;
}

static void rotate_joint(const lmb_ik_two_bone_job *job, const lmb_joint_limit *limits,
                         uint32_t joint, lmb_quat local, float weight)
{
    lmb_quat *rotation = &job->local[joint].rotation;
    *rotation = weight >= 1.0f ? lmbi_quat_unit_or_identity(local)
                               : lmbi_quat_nlerp(*rotation, local, weight);
    if (limits != NULL && limits[joint].kind != LMB_JOINT_FREE) {
        *rotation = lmbi_clamp_rotation(&limits[joint], job->skeleton->rest[joint], *rotation);
    }
}

/// Adds a rotation about the line to the goal.
static lmb_quat add_twist(lmb_quat start, lmb_vec3 from, lmb_vec3 goal, float angle)
{
    const lmb_vec3 axis = unit_or(lmb_vec3_sub(goal, from), lmb_vec3_make(0, 0, 0));
    if (!(fabsf(angle) > 0.0f) || !(fabsf(angle) < INFINITY) ||
        !(lmb_vec3_dot(axis, axis) > 0.5f)) {
        return start;
    }
    return lmbi_quat_unit_or_identity(lmbi_quat_mul(lmb_quat_axis_angle(axis, angle), start));
}

/// Replaces the rotations by ones within the joints' limits.
static void apply_limits(const lmb_ik_two_bone_job *job, const lmb_joint_limit *limits,
                         const lmb_two_bone_points *points, lmb_vec3 goal, lmb_quat above_mid,
                         lmb_two_bone_rotation *rotations)
{
    const uint32_t start = job->chain[0], mid = job->chain[1];
    const lmb_quat q = job->local[start].rotation,
                   whole = lmbi_quat_mul(above_mid, job->local[mid].rotation);
    const lmb_vec3 upper = lmb_vec3_sub(points->mid, points->start),
                   lower = lmb_vec3_sub(points->end, points->mid);
    const lmb_vec3 to_goal = lmb_vec3_sub(goal, points->start);
    const float a = lmb_vec3_length(upper), b = lmb_vec3_length(lower),
                d = lmb_vec3_length(to_goal);
    if (!(a > TINY) || !(b > TINY) || !(a + b < 1e15f) || !(d < INFINITY)) {
        return;
    }
    lmbi_two_bone_limb limb = {
        .upper = lmbi_quat_rotate(lmb_quat_conjugate(q), upper),
        .lower = lmbi_quat_rotate(lmb_quat_conjugate(whole), lower),
        .between = lmbi_quat_unit_or_identity(lmbi_quat_mul(lmb_quat_conjugate(q), above_mid)),
        .distance = solved_distance(d, a, b, job->soft),
        .start = lmbi_quat_unit_or_identity(lmbi_quat_mul(rotations->start, q)),
        .mid = lmbi_quat_unit_or_identity(
            lmbi_quat_mul(lmb_quat_conjugate(above_mid), lmbi_quat_mul(rotations->mid, whole))),
    };
    const lmb_vec3 tip = lmb_vec3_add(upper, lmbi_quat_rotate(rotations->mid, lower));
    limb.toward = lmb_vec3_normalize_or(
        to_goal,
        lmb_vec3_normalize_or(lmbi_quat_rotate(rotations->start, tip), lmb_vec3_make(0, -1, 0)));
    lmbi_limb_clamp(&limits[start], job->skeleton->rest[start], &limits[mid],
                    job->skeleton->rest[mid], &limb);
    rotations->start = lmbi_quat_mul(limb.start, lmb_quat_conjugate(q));
    rotations->mid = lmbi_quat_mul(lmbi_quat_mul(above_mid, limb.mid), lmb_quat_conjugate(whole));
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
    const lmb_quat mid = lmbi_quat_mul(above_mid, job->local[chain[1]].rotation);
    const lmb_vec3 goal = lmbi_frame_point(&parent, job->target);
    lmb_two_bone_rotation rotations =
        lmb_two_bone_solve(limb, goal, lmbi_quat_rotate(mid, job->hinge),
                           lmbi_frame_vector(&parent, job->pole), job->soft);
    const float weight = lmbi_clampf(job->weight, 0.0f, 1.0f);
    if (weight <= 0.0f) {
        return rotations.reach;
    }
    rotations.start = add_twist(rotations.start, limb.start, goal, job->twist_rad);
    const lmb_joint_limit *limits =
        job->free ? NULL : (job->limits != NULL ? job->limits : job->skeleton->limits);
    if (limits != NULL) {
        apply_limits(job, limits, &limb, goal, above_mid, &rotations);
    }
    const lmb_quat above_end = job->keep_end ? frame_above(job, chain[2]) : above_mid;
    rotate_joint(job, limits, chain[0],
                 lmbi_quat_mul(rotations.start, job->local[chain[0]].rotation), weight);
    rotate_joint(job, limits, chain[1],
                 lmbi_quat_mul(lmb_quat_conjugate(above_mid), lmbi_quat_mul(rotations.mid, mid)),
                 weight);
    if (job->keep_end) {
        const lmb_quat end = lmbi_quat_mul(above_end, job->local[chain[2]].rotation);
        const lmb_quat above =
            lmbi_quat_mul(lmbi_quat_mul(rotations.start, rotations.mid), above_end);
        rotate_joint(job, limits, chain[2], lmbi_quat_mul(lmb_quat_conjugate(above), end), weight);
    }
    return rotations.reach;
}

void lmb_two_bone_batch(const lmb_two_bone_batch_job *job)
{
    lmbi_limb_pick(job->simd)->two_bone(job);
}
