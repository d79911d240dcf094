#include "author/rest.h"
#include "mapping/body_joint.h"
#include "math/math.h"

#include "base/error.h"
#include "embed/human/human.h"

#include <math.h>
#include <string.h>

static const float DEGREE = LMB_PI / 180;
/// A thigh farther than this from vertical means that the figure sits or crouches: the mesh is
/// folded at the hips.
static const float SITS = 60 * LMB_PI / 180;
/// A thigh or shin within this angle of vertical is not moved.
static const float STANDS = 12 * LMB_PI / 180;
/// Least bend of a straight limb, so that IK solvers know its bend direction.
static const float TRACE = 0.02f;

static float angle_between(lmb_vec3 a, lmb_vec3 b)
{
    return lmbi_acos(fminf(1, fmaxf(-1, lmb_vec3_dot(a, b))));
}

static lmb_vec3 along(const lmb_embedding *e, uint32_t from, uint32_t to)
{
    return lmb_vec3_normalize_or(lmb_vec3_sub(e->joints[to], e->joints[from]), e->up);
}

static void rotate_bone(lmbi_rest *r, uint32_t joint, lmb_quat rotation)
{
    const float angle = lmb_quat_angle(lmb_quat_identity(), rotation);
    r->rotation[joint] = rotation;
    r->largest_rad = fmaxf(r->largest_rad, angle);
    r->turned_count += angle > DEGREE;
}

/// Rotation about `axis` that brings a bent elbow's bend direction to the front. The more the elbow
/// is bent, the better its plane is known.
static lmb_quat align_elbow(const lmb_embedding *e, lmb_vec3 axis, lmb_vec3 forearm)
{
    const lmb_vec3 fold = lmb_vec3_mad(forearm, axis, -lmb_vec3_dot(forearm, axis));
    const float bend = angle_between(axis, forearm);
    const float weight = fminf(1, fmaxf(0, (bend - 15 * DEGREE) / (25 * DEGREE)));
    const float angle = lmb_atan2(lmb_vec3_dot(lmb_vec3_cross(fold, e->forward), axis),
                                  lmb_vec3_dot(fold, e->forward));
    return lmb_quat_axis_angle(axis, weight * angle);
}

/// Aligns the hand with its forearm, except for wrist bends beyond the uncertainty of the tips of
/// fists and mittens.
static lmb_quat straighten_hand(const lmb_embedding *e, uint32_t hand, lmb_quat with_arm,
                                lmb_vec3 target)
{
    const float usual = 30 * DEGREE;
    const lmb_vec3 points = lmb_quat_rotate(
        with_arm, lmb_vec3_normalize_or(lmb_vec3_sub(e->tips[hand], e->joints[hand]), target));
    const float off = angle_between(points, target);
    if (off <= usual) {
        return with_arm;
    }
    const lmb_quat whole = lmb_quat_between(points, target);
    return lmb_quat_mul(lmb_quat_slerp(lmb_quat_identity(), whole, 1 - usual / off), with_arm);
}

static void rotate_arm(const lmb_embedding *e, int side, float below_rad, lmbi_rest *r)
{
    const uint32_t first = side == 0 ? LMBI_LEFT_SHOULDER : LMBI_RIGHT_SHOULDER;
    const lmb_vec3 out = side == 0 ? e->left : lmb_vec3_neg(e->left);
    const lmb_vec3 level =
        lmb_vec3_mad(lmb_vec3_scale(out, lmb_cos(below_rad)), e->up, -lmb_sin(below_rad));
    const lmb_vec3 upper = lmb_vec3_normalize_or(lmb_vec3_mad(level, e->forward, -TRACE), level);
    const lmb_vec3 lower = lmb_vec3_normalize_or(lmb_vec3_mad(level, e->forward, TRACE), level);
    const lmb_quat raise = lmb_quat_between(along(e, first + 1, first + 2), upper);
    const lmb_vec3 raised = lmb_quat_rotate(raise, along(e, first + 2, first + 3));
    const lmb_quat arm = lmb_quat_mul(align_elbow(e, upper, raised), raise);
    const lmb_vec3 forearm = lmb_quat_rotate(arm, along(e, first + 2, first + 3));
    const lmb_quat fore = lmb_quat_mul(lmb_quat_between(forearm, lower), arm);
    const float of_shoulder = 0.15f; // the clavicle rises with the arm
    r->rotation[first] = lmb_quat_slerp(lmb_quat_identity(), raise, of_shoulder);
    rotate_bone(r, first + 1, arm);
    rotate_bone(r, first + 2, fore);
    rotate_bone(r, first + 3, straighten_hand(e, first + 3, fore, level));
}

/// Vertical, except for the bone's sideways lean, within the limits of a stance.
static lmb_vec3 hanging(const lmb_embedding *e, lmb_vec3 bone, float bend)
{
    const float aside = fminf(0.14f, fmaxf(-0.14f, lmb_vec3_dot(bone, e->left)));
    const lmb_vec3 down = lmb_vec3_mad(lmb_vec3_neg(e->up), e->left, aside);
    return lmb_vec3_normalize_or(lmb_vec3_mad(down, e->forward, bend), lmb_vec3_neg(e->up));
}

static void rotate_leg(const lmb_embedding *e, int side, bool on_ground, lmbi_rest *r)
{
    const uint32_t first = side == 0 ? LMBI_LEFT_UPPER_LEG : LMBI_RIGHT_UPPER_LEG;
    const lmb_vec3 down = lmb_vec3_neg(e->up), thigh = along(e, first, first + 1),
                   shin = along(e, first + 1, first + 2);
    if (angle_between(thigh, down) < STANDS && angle_between(shin, down) < STANDS) {
        return;
    }
    const lmb_quat upper = lmb_quat_between(thigh, hanging(e, thigh, TRACE));
    const lmb_vec3 hung = lmb_quat_rotate(upper, shin);
    const lmb_quat lower = lmb_quat_mul(lmb_quat_between(hung, hanging(e, thigh, -TRACE)), upper);
    rotate_bone(r, first, upper);
    rotate_bone(r, first + 1, lower);
    // A foot flat on the ground stays so; one in the air follows its shin.
    r->rotation[first + 2] = r->rotation[first + 3] = on_ground ? lmb_quat_identity() : lower;
}

static float height_over_ground(const lmb_embedding *e, lmb_vec3 p)
{
    return lmb_vec3_dot(lmb_vec3_sub(p, e->ground), e->up);
}

/// Joints without a rotation of their own, such as fingers and toes, follow their parents.
static void place_joints(const lmb_embedding *e, lmbi_rest *r)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        const int32_t p = e->parents[j];
        if (j >= LMBI_BODY_JOINTS) {
            r->rotation[j] = r->rotation[p];
        }
        r->position[j] =
            p == LMB_NONE ? e->joints[j]
                          : lmb_vec3_add(r->position[p],
                                         lmb_quat_rotate(r->rotation[p],
                                                         lmb_vec3_sub(e->joints[j], e->joints[p])));
    }
    // Keeps the height of the lower ankle.
    const float before = fminf(height_over_ground(e, e->joints[LMBI_LEFT_FOOT]),
                               height_over_ground(e, e->joints[LMBI_RIGHT_FOOT])),
                after = fminf(height_over_ground(e, r->position[LMBI_LEFT_FOOT]),
                              height_over_ground(e, r->position[LMBI_RIGHT_FOOT]));
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        r->position[j] = lmb_vec3_mad(r->position[j], e->up, before - after);
    }
}

static lmb_result check_embedding(const lmb_embedding *e, lmb_error *error)
{
    if (e->kind != LMB_SKELETON_HUMAN) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a human for a T- or an A-pose", "%s",
                         e->kind == LMB_SKELETON_GENERIC ? "a body without a template"
                                                         : lmb_skeleton_kind_name(e->kind));
    }
    if (e->reason[LMBI_LEFT_HAND] == lmbi_arm_hidden ||
        e->reason[LMBI_RIGHT_HAND] == lmbi_arm_hidden) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                         "arms that are apart from the body, for a T- or an A-pose",
                         "a figure with an arm that is one with its body");
    }
    const lmb_vec3 down = lmb_vec3_neg(e->up);
    const float left = angle_between(along(e, LMBI_LEFT_UPPER_LEG, LMBI_LEFT_LOWER_LEG), down),
                right = angle_between(along(e, LMBI_RIGHT_UPPER_LEG, LMBI_RIGHT_LOWER_LEG), down);
    const float bent = fmaxf(left, right);
    return bent < SITS ? LMB_OK
                       : lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                                   "a figure that stands, for a T- or an A-pose",
                                   "a figure that sits or kneels: a thigh is %.0f degrees from "
                                   "hanging",
                                   (double)(bent / DEGREE));
}

lmb_result lmbi_rest_find(const lmb_embedding *e, lmb_rest_pose pose, lmbi_rest *out,
                          lmb_error *error)
{
    const lmb_result result = check_embedding(e, error);
    if (result != LMB_OK) {
        return result;
    }
    memset(out, 0, sizeof *out);
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        out->rotation[j] = lmb_quat_identity();
    }
    const float left = height_over_ground(e, e->joints[LMBI_LEFT_FOOT]),
                right = height_over_ground(e, e->joints[LMBI_RIGHT_FOOT]);
    const float lifted = fminf(left, right) + 0.05f * e->height;
    for (int side = 0; side < 2; ++side) {
        rotate_arm(e, side, pose == LMB_REST_A ? 45 * DEGREE : 0, out);
        rotate_leg(e, side, (side == 0 ? left : right) < lifted, out);
    }
    place_joints(e, out);
    return LMB_OK;
}

void lmbi_rest_move(const lmbi_rest *r, lmb_embedding *e)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        const lmb_vec3 tip =
            lmb_quat_rotate(r->rotation[j], lmb_vec3_sub(e->tips[j], e->joints[j]));
        e->hinges[j] = lmb_quat_rotate(r->rotation[j], e->hinges[j]);
        e->tips[j] = lmb_vec3_add(r->position[j], tip);
        e->joints[j] = r->position[j];
    }
}
