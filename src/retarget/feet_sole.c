/// Soles: the skin of a foot against the ground. Heels and tips of shoes reach beyond the joints
/// that carry them, so a pitched foot whose joints are above the ground may still dip into it.
#include "math/math.h"
#include "retarget/feet_state.h"
#include "retarget/hands_figure.h"

#include <math.h>

#include "math/scalar.h"

#define LAND_S 0.06f    ///< time over which a foot is raised and lowered
#define MOST_FLEX 1.05f ///< most that toes are bent up, radians

/// The axis that toes bend about in the reference pose: level, and square to the foot. Their skin may
/// reach behind their joint, on one side more than on the other.
static lmb_vec3 hinge_of(lmb_vec3 ankle, lmb_vec3 toes)
{
    const lmb_vec3 left = {1, 0, 0}, ahead = lmb_vec3_sub(toes, ankle);
    return lmb_vec3_normalize_or(lmb_vec3_make(ahead.z, 0, -ahead.x), left);
}

static void measure_leg(lmbi_feet_state *feet, lmbi_foot_limb *leg, const lmb_vec3 *points,
                        const int32_t *joints, uint32_t count)
{
    const lmbi_humanoid *body = feet->t->target;
    const int32_t foot = lmbi_joint(body, leg->bone + 2),
                  toes = leg->toes == LMB_NONE ? LMB_NONE : lmbi_joint(body, leg->bone + 3);
    lmbi_sole_find(body, points, joints, count, foot, toes, &leg->sole);
    const lmb_transform ankle = body->reference[foot];
    float low = ankle.translation.y + lmbi_sole_lowest(&leg->sole, ankle.rotation);
    if (toes != LMB_NONE) {
        lmbi_sole_find(body, points, joints, count, toes, LMB_NONE, &leg->toe_sole);
        const lmb_transform at = body->reference[toes];
        low = fminf(low, at.translation.y + lmbi_sole_lowest(&leg->toe_sole, at.rotation));
        leg->toe_hinge = lmb_quat_rotate(lmb_quat_conjugate(at.rotation),
                                         hinge_of(ankle.translation, at.translation));
    }
    // The reference pose stands on the ground, with the ankle at its floor.
    leg->ground = leg->points[ANKLE].floor + low - ankle.translation.y;
}

bool lmbi_feet_measure_soles(lmbi_feet_state *feet, lmbi_arena *arena)
{
    lmb_vec3 *points = NULL;
    int32_t *joints = NULL;
    uint32_t count = 0;
    if (!lmbi_girth_skin(feet->t->target, arena, &points, &joints, &count)) {
        return false;
    }
    for (int k = 0; k < 2; ++k) {
        measure_leg(feet, &feet->legs[k], points, joints, count);
    }
    return true;
}

/// Rotation that brings p, at `ahead` in front of the joint and `up` over it, to `height`: above 0 where
/// it is lower.
static float flex_to(float ahead, float up, float height)
{
    const float radius = lmb_sqrt(ahead * ahead + up * up);
    if (radius <= fabsf(height)) {
        return height < 0.0f ? -LMB_PI : 0.0f;
    }
    const float level = lmb_sqrt(radius * radius - height * height);
    return lmb_atan2(height, level) - lmb_atan2(up, ahead);
}

lmb_quat lmbi_feet_flex_toes(const lmbi_foot_limb *leg, lmb_vec3 joint, lmb_quat rotation)
{
    const lmb_vec3 up = {0, 1, 0}, left = {1, 0, 0},
                   hinge = lmb_quat_rotate(rotation, leg->toe_hinge);
    const lmb_vec3 axis = lmb_vec3_normalize_or(lmb_vec3_make(hinge.x, 0, hinge.z), left),
                   front = lmb_vec3_cross(axis, up);
    const float height = leg->ground - joint.y;
    float tip = -LMB_PI, rear = 0.0f; // bends that bring tips, and what is behind the joint, up
    for (uint32_t k = 0; k < leg->toe_sole.count; ++k) {
        const lmb_vec3 p = lmb_quat_rotate(rotation, leg->toe_sole.points[k]);
        const float ahead = lmb_vec3_dot(p, front);
        if (ahead > 0.0f) {
            tip = fmaxf(tip, flex_to(ahead, p.y, height));
        } else {
            rear = fmaxf(rear, flex_to(-ahead, p.y, height));
        }
    }
    const float flex = tip > 0.0f ? fminf(tip, MOST_FLEX) : -fminf(rear, -tip);
    return lmb_quat_mul(lmbi_rotation_vector(lmb_vec3_scale(axis, -flex)), rotation);
}

/// How deep a frame's foot is in the ground, or its toes as they will be bent.
static float depth_of(const lmbi_feet_state *feet, const lmbi_foot_limb *leg, uint32_t f)
{
    const lmb_quat *rotations = feet->t->rotations + (size_t)f * feet->t->driven_count;
    const lmb_quat correction = lmbi_rotation_vector(leg->rotation[f]),
                   foot = lmb_quat_mul(correction, rotations[leg->foot]);
    const lmb_vec3 ankle = lmbi_foot_ankle_goal(leg, f);
    float low = ankle.y + lmbi_sole_lowest(&leg->sole, foot);
    if (leg->toes != LMB_NONE && leg->toe_sole.count > 0) {
        const lmb_vec3 joint = lmb_vec3_add(ankle, lmb_quat_rotate(foot, leg->toe));
        const lmb_quat toes = lmb_quat_mul(correction, rotations[leg->toes]);
        low = fminf(
            low, joint.y + lmbi_sole_lowest(&leg->toe_sole, lmbi_feet_flex_toes(leg, joint, toes)));
    }
    return fmaxf(0.0f, leg->ground - low);
}

void lmbi_feet_raise_soles(lmbi_feet_state *feet, lmbi_foot_limb *leg)
{
    float *lift = feet->scratch_lift;
    if (leg->sole.count == 0) {
        return;
    }
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        lift[f] = depth_of(feet, leg, f);
    }
    lmbi_feet_spread(lift, feet->scratch, feet->frame_count,
                     (uint32_t)(LAND_S * feet->t->motion->rate + 1.0f));
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        leg->lift[f] = fmaxf(leg->lift[f], lift[f]);
    }
}
