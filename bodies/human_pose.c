// Poses a human: rotations of the bones from the rest pose.
#include "bodies/human.h"

#include <math.h>

static lmb_quat about_x(float a)
{
    return lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), a);
}
static lmb_quat about_y(float a)
{
    return lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), a);
}
static lmb_quat about_z(float a)
{
    return lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), a);
}

typedef struct {
    float drop, elbow, apart, knee, toe_out;
} side_pose;

// Angles of the left side; the right side is mirrored.
static void pose_side(lmbi_plan *p, int side, side_pose a)
{
    const float m = side == 0 ? 1.0f : -1.0f;
    p->bones[lmbi_side_bone(side, SHOULDER)].rotation = about_z(-m * 0.12f * a.drop);
    p->bones[lmbi_side_bone(side, UPPER_ARM)].rotation = about_z(-m * 0.88f * a.drop);
    p->bones[lmbi_side_bone(side, LOWER_ARM)].rotation = about_y(-m * a.elbow);
    p->bones[lmbi_side_bone(side, UPPER_LEG)].rotation =
        lmb_quat_mul(about_z(m * a.apart), about_x(-0.5f * a.knee));
    p->bones[lmbi_side_bone(side, LOWER_LEG)].rotation = about_x(a.knee);
    p->bones[lmbi_side_bone(side, FOOT)].rotation = lmb_quat_mul(
        about_x(-0.5f * a.knee), lmb_quat_mul(about_z(-m * a.apart), about_y(m * a.toe_out)));
}

/// Rotates upper and lower arm so that the wrist reaches a point, with the elbow towards `pole`.
static void reach_with_arm(lmbi_plan *p, int side, lmb_vec3 wrist, lmb_vec3 pole)
{
    lmbi_bone *upper = &p->bones[lmbi_side_bone(side, UPPER_ARM)],
              *lower = &p->bones[lmbi_side_bone(side, LOWER_ARM)];
    const lmb_vec3 hand = p->bones[lmbi_side_bone(side, HAND)].at;
    const float a = lmb_vec3_distance(upper->at, lower->at), b = lmb_vec3_distance(lower->at, hand);
    const lmb_vec3 offset = lmb_vec3_sub(wrist, upper->at);
    const float distance = fminf(lmb_vec3_length(offset), 0.99f * (a + b));
    const lmb_vec3 along = lmb_vec3_normalize_or(offset, lmb_vec3_make(0, -1, 0));
    const lmb_vec3 aside = lmb_vec3_normalize_or(
        lmb_vec3_mad(pole, along, -lmb_vec3_dot(pole, along)), lmb_vec3_make(0, 0, -1));
    const float elbow_along = (a * a - b * b + distance * distance) / (2 * distance);
    const float elbow_aside = lmb_sqrt(fmaxf(0, a * a - elbow_along * elbow_along));
    const lmb_vec3 elbow =
        lmb_vec3_mad(lmb_vec3_mad(upper->at, along, elbow_along), aside, elbow_aside);
    const lmb_vec3 end = lmb_vec3_mad(upper->at, along, distance);
    const lmb_quat upper_rotation =
        lmb_quat_between(lmb_vec3_normalize_or(lmb_vec3_sub(lower->at, upper->at), along),
                         lmb_vec3_normalize_or(lmb_vec3_sub(elbow, upper->at), along));
    const lmb_quat lower_rotation =
        lmb_quat_between(lmb_vec3_normalize_or(lmb_vec3_sub(hand, lower->at), along),
                         lmb_vec3_normalize_or(lmb_vec3_sub(end, elbow), along));
    upper->rotation = upper_rotation;
    lower->rotation = lmb_quat_mul(lmb_quat_conjugate(upper_rotation), lower_rotation);
}

/// Poses arms that touch the body: hanging, hands on the hips, or hands before the thighs.
static void pose_touching_arm(lmbi_human *h, lmb_made_body_pose pose, float elbow, int side)
{
    lmbi_plan *p = h->plan;
    const float m = side == 0 ? 1.0f : -1.0f, u = h->height;
    const lmb_vec3 shoulder = p->bones[lmbi_side_bone(side, UPPER_ARM)].at;
    const float arm = h->upper_arm + h->lower_arm, wide = h->hip * h->girth * h->hips_width;
    if (pose == LMB_MADE_POSE_DOWN) {
        reach_with_arm(
            p, side,
            lmb_vec3_make(shoulder.x + m * 0.02f * u, shoulder.y - 0.985f * arm, 0.01f * u),
            lmb_vec3_make(0, 0, -1));
    } else if (pose == LMB_MADE_POSE_HIPS) {
        reach_with_arm(p, side, lmb_vec3_make(m * (wide + 0.055f * u), h->leg + 0.1f * h->torso, 0),
                       lmb_vec3_make(m, 0, -0.35f));
        p->bones[lmbi_side_bone(side, HAND)].rotation = about_z(-m * 0.5f);
    } else {
        reach_with_arm(p, side,
                       lmb_vec3_make(m * 0.9f * h->hip, h->leg + 0.02f * u, 0.075f * u * h->girth),
                       lmb_vec3_make(m, 0, -0.5f - elbow));
    }
}

void lmbi_human_pose(lmbi_human *h, const lmb_made_body_opts *opts, lmb_random *r)
{
    static const char *const names[] = {"a", "t", "a", "down", "hips", "thighs"};
    lmbi_plan *p = h->plan;
    const bool t =
        opts->pose == LMB_MADE_POSE_T || (opts->pose == LMB_MADE_POSE_ANY && lmbi_chance(r, 0.4f));
    const bool touches = opts->pose >= LMB_MADE_POSE_DOWN;
    const float degree = LMB_PI / 180.0f;
    float drop = opts->pose == LMB_MADE_POSE_A
                     ? (opts->arm_angle_rad > 0.0f ? opts->arm_angle_rad : 45.0f * degree)
                     : lmb_random_range(r, 20.0f, 60.0f) * degree;
    drop = t ? 0.0f : drop;
    const bool exact = opts->pose != LMB_MADE_POSE_ANY;
    p->pose = t ? "t" : names[opts->pose];
    p->arm_angle_rad = touches ? 0.0f : drop;
    const float apart = lmb_random_range(r, 1.5f, 8.0f) * degree,
                toe_out = lmb_random_range(r, 0.0f, 12.0f) * degree;
    const float elbow = lmb_random_range(r, 2.0f, 12.0f) * degree,
                knee = lmb_random_range(r, 0.0f, 5.0f) * degree;
    for (int side = 0; side < 2; ++side) {
        const float uneven = exact ? 0.0f : 2.5f * degree;
        // One random draw per statement: the evaluation order inside an initialiser is unspecified.
        const float more_drop = lmb_random_range(r, -uneven, uneven);
        const float more_elbow = lmb_random_range(r, -uneven, uneven);
        const float more_apart = 0.5f * lmb_random_range(r, -uneven, uneven);
        side_pose a = {drop + more_drop, elbow + more_elbow, apart + more_apart, knee, toe_out};
        if (exact && t) {
            a = (side_pose){.apart = 3.0f * degree};
        }
        a.apart = opts->together ? -1.5f * degree : a.apart;
        pose_side(p, side, a);
        if (touches) {
            p->bones[lmbi_side_bone(side, SHOULDER)].rotation = lmb_quat_identity();
            pose_touching_arm(h, opts->pose, elbow, side);
        }
    }
}
