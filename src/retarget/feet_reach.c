/// Solves the legs: lowers the hips where a leg is too short, then two-bone IK.
#include "math/math.h"
#include "retarget/feet_state.h"

#include <math.h>

#include "limber/ik.h"
#include "math/scalar.h"

#define SINK_S 0.15f     ///< time over which the hips are lowered and raised
#define SOFT 0.004f      ///< soft-knee zone of the IK, as a fraction of the leg's length
#define STRAIGHT 0.9965f ///< longest reach, as a fraction of the leg's length
#define EDGE_S 0.2f      ///< the hips are not lowered for a heel that rises within this time
#define STRIKE_S 0.15f   ///< nor for one that landed within this time
#define SINK_MAX 0.15f   ///< most that the hips are lowered, as a fraction of the leg's length

/// Vertical hip offset that brings the ankle's goal within the leg's length.
static float needed_sink(const lmbi_foot_limb *leg, lmb_vec3 hip, lmb_vec3 ankle)
{
    const float most = STRAIGHT * leg->length;
    const float x = ankle.x - hip.x, z = ankle.z - hip.z, down = hip.y - ankle.y;
    const float flat2 = x * x + z * z;
    if (flat2 + down * down <= most * most) {
        return 0.0f;
    }
    const float reach = flat2 < most * most ? lmb_sqrt(most * most - flat2) : 0.0f;
    return lmbi_clampf(down - reach, 0.0f, SINK_MAX * leg->length);
}

/// Weight of a leg's needed hip offset: fades in after its heel lands and out before it rises.
static float sink_weight(const lmbi_foot_limb *leg, uint32_t f, uint32_t frame_count, float rate)
{
    const lmbi_foot_contacts *contacts = &leg->points[ANKLE].contacts;
    float most = 0.0f;
    for (uint32_t i = 0; i < contacts->count && contacts->items[i].begin <= f; ++i) {
        const lmbi_foot_contact c = contacts->items[i];
        if (f < c.end) {
            const bool rolls = c.end < frame_count && leg->points[TOE].locked[c.end];
            const float in = lmbi_smoothstepf((float)(f - c.begin) / (STRIKE_S * rate)),
                        out = lmbi_smoothstepf((float)(c.end - f) /
                                               ((rolls ? EDGE_S : STRIKE_S) * rate));
            most = fmaxf(most, fminf(in, out));
        }
    }
    return most;
}

void lmbi_feet_find_sink(lmbi_feet_state *feet)
{
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        lmbi_transfer_pose(feet->t, f, feet->model);
        feet->sink[f] = 0.0f;
        for (int k = 0; k < 2; ++k) {
            const lmbi_foot_limb *leg = &feet->legs[k];
            if (leg->points[ANKLE].locked[f]) {
                const lmb_vec3 hip = feet->model[feet->t->driven[leg->upper].joint].translation;
                feet->sink[f] = fmaxf(
                    feet->sink[f], sink_weight(leg, f, feet->frame_count, feet->t->motion->rate) *
                                       needed_sink(leg, hip, lmbi_foot_ankle_goal(leg, f)));
            }
        }
    }
    lmbi_feet_spread(feet->sink, feet->scratch, feet->frame_count,
                     (uint32_t)(0.5f * SINK_S * feet->t->motion->rate + 1.0f));
}

/// Rotates the foot about its toe until the ankle lies within the leg's length of the hip: the
/// point common to both spheres that is nearest to the old ankle.
static lmb_vec3 roll_over_toe(const lmbi_foot_limb *leg, lmb_vec3 hip, lmb_vec3 toe, lmb_vec3 ankle)
{
    const float most = STRAIGHT * leg->length, length = leg->toe_length;
    const lmb_vec3 to_hip = lmb_vec3_sub(hip, toe);
    const float d = lmb_vec3_length(to_hip);
    if (lmb_vec3_distance(hip, ankle) <= most || d <= length) {
        return ankle;
    }
    const lmb_vec3 u = lmb_vec3_scale(to_hip, 1.0f / d), from = lmb_vec3_sub(ankle, toe);
    const float along = fminf((d * d + length * length - most * most) / (2.0f * d), length);
    const lmb_vec3 aside = lmb_vec3_mad(from, u, -lmb_vec3_dot(from, u));
    const float width = lmb_vec3_length(aside),
                radius = lmb_sqrt(fmaxf(0.0f, length * length - along * along));
    return lmb_vec3_mad(lmb_vec3_mad(toe, u, along), aside, width > 0.0f ? radius / width : 0.0f);
}

static lmb_quat rotation_between(lmb_vec3 from, lmb_vec3 to)
{
    const lmb_vec3 forward = {0, 0, 1};
    return lmb_quat_between(lmb_vec3_normalize_or(from, forward),
                            lmb_vec3_normalize_or(to, forward));
}

float lmbi_feet_solve_leg(lmbi_feet_state *feet, const lmbi_foot_limb *leg, uint32_t f)
{
    lmbi_transfer *t = feet->t;
    const bool on_toe = leg->points[TOE].locked[f], locked = on_toe || leg->points[ANKLE].locked[f];
    const lmb_transform *upper = &feet->model[t->driven[leg->upper].joint],
                        *lower = &feet->model[t->driven[leg->lower].joint];
    lmb_vec3 ankle = lmbi_foot_ankle_goal(leg, f);
    lmb_quat foot_rotation = lmbi_rotation_vector(leg->rotation[f]);
    ankle.y += leg->lift[f];
    if (leg->raise[f] > 0.0f) {
        ankle.y += leg->raise[f] * needed_sink(leg, upper->translation, ankle);
    }
    // Skip the IK where the joint rotations alone are exact, as between bodies of one proportion.
    if (!locked && lmb_vec3_dot(leg->rotation[f], leg->rotation[f]) == 0.0f &&
        lmb_vec3_distance(ankle, lmbi_feet_ankle(feet, leg)) < 1e-5f * leg->length) {
        return 0.0f;
    }
    if (on_toe) {
        const lmb_vec3 bone = lmb_quat_rotate(foot_rotation, lmbi_foot_bone(leg, f)),
                       toe = lmb_vec3_add(ankle, bone);
        const lmb_vec3 rolled = roll_over_toe(leg, upper->translation, toe, ankle);
        foot_rotation =
            lmb_quat_mul(rotation_between(bone, lmb_vec3_sub(toe, rolled)), foot_rotation);
        ankle = rolled;
    }
    const lmb_two_bone_points bones = {upper->translation, lower->translation,
                                       lmbi_feet_ankle(feet, leg)};
    // A straight knee bends forward, about the lower leg's left axis of the reference pose.
    const lmb_quat rest = t->target->reference[t->driven[leg->lower].joint].rotation;
    const lmb_quat since_rest = lmb_quat_mul(lower->rotation, lmb_quat_conjugate(rest));
    const lmb_vec3 hinge = lmb_quat_rotate(since_rest, lmb_vec3_make(1, 0, 0)), none = {0, 0, 0};
    const lmb_two_bone_rotation rotation = lmb_two_bone_solve(bones, ankle, hinge, none, SOFT);
    lmb_quat *rotations = t->rotations + (size_t)f * t->driven_count;
    rotations[leg->upper] = lmb_quat_normalize(lmb_quat_mul(rotation.start, rotations[leg->upper]));
    rotations[leg->lower] = lmb_quat_normalize(
        lmb_quat_mul(lmb_quat_mul(rotation.start, rotation.mid), rotations[leg->lower]));
    rotations[leg->foot] = lmb_quat_normalize(lmb_quat_mul(foot_rotation, rotations[leg->foot]));
    if (leg->toes != LMB_NONE) {
        const lmb_vec3 toe = lmb_vec3_add(ankle, lmb_quat_rotate(rotations[leg->foot], leg->toe));
        rotations[leg->toes] = lmb_quat_normalize(
            lmbi_feet_flex_toes(leg, toe, lmb_quat_mul(foot_rotation, rotations[leg->toes])));
    }
    return lmb_vec3_distance(ankle, leg->points[ANKLE].path[f]);
}
