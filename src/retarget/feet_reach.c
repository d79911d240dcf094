/// Legs that reach their goals: hips that sink, knees that bend.
#include "retarget/footwork.h"

#include <math.h>

#include "limber/ik.h"

#define SINK_S 0.15f     ///< hips sink and rise over about this long
#define SOFT 0.004f      ///< share of the leg over which it straightens softly
#define STRAIGHT 0.9965f ///< of the leg's length: further is out of reach
#define EDGE_S 0.2f      ///< the hips do not sink for a contact that begins or ends within this
#define SINK_MAX 0.15f   ///< of the leg

static float clampf(float x, float low, float high)
{
    return x < low ? low : (x > high ? high : x);
}

/// How far the hips have to sink for a goal to come within reach.
static float needed_sink(const lmbi_foot_limb *leg, lmb_vec3 hip, lmb_vec3 ankle)
{
    const float most = STRAIGHT * leg->length;
    const float x = ankle.x - hip.x, z = ankle.z - hip.z, down = hip.y - ankle.y;
    const float flat2 = x * x + z * z;
    if (flat2 + down * down <= most * most) {
        return 0.0f;
    }
    const float reach = flat2 < most * most ? lmb_sqrt(most * most - flat2) : 0.0f;
    return clampf(down - reach, 0.0f, SINK_MAX * leg->length);
}

/// 0 at the edges of a contact, 1 well inside: a heel that is about to rise asks for no lower hips.
static float inside(const lmbi_foot_limb *leg, uint32_t f, float edge)
{
    float most = 0.0f;
    for (int p = 0; p < POINTS; ++p) {
        const lmbi_contacts *contacts = &leg->points[p].contacts;
        for (uint32_t i = 0; i < contacts->count && contacts->items[i].begin <= f; ++i) {
            const lmbi_contact c = contacts->items[i];
            if (f < c.end) {
                const uint32_t near_edge = f - c.begin < c.end - f ? f - c.begin : c.end - f;
                most = fmaxf(most, lmbi_smooth((float)near_edge / edge));
            }
        }
    }
    return most;
}

void lmbi_feet_find_sink(lmbi_footwork *feet)
{
    for (uint32_t f = 0; f < feet->frame_count; ++f) {
        lmbi_transfer_pose(feet->t, f, feet->model);
        feet->sink[f] = 0.0f;
        for (int k = 0; k < 2; ++k) {
            const lmbi_foot_limb *leg = &feet->legs[k];
            const lmbi_foot_goal g = lmbi_feet_goal(leg, f);
            if (g.held > 0.0f) {
                const lmb_vec3 hip = feet->model[feet->t->driven[leg->upper].joint].translation;
                feet->sink[f] =
                    fmaxf(feet->sink[f], inside(leg, f, EDGE_S * feet->t->motion->rate) *
                                             needed_sink(leg, hip, g.ankle));
            }
        }
    }
    lmbi_feet_spread(feet->sink, feet->scratch, feet->frame_count,
                     (uint32_t)(0.5f * SINK_S * feet->t->motion->rate + 1.0f));
}

float lmbi_feet_solve_leg(lmbi_footwork *feet, const lmbi_foot_limb *leg, uint32_t f, float lift)
{
    lmbi_transfer *t = feet->t;
    lmbi_foot_goal g = lmbi_feet_goal(leg, f);
    g.ankle.y += lift;
    // The turns alone are exact where bodies are alike.
    if (g.held <= 0.0f &&
        lmb_vec3_distance(g.ankle, lmbi_feet_ankle(feet, leg)) < 1e-5f * leg->length) {
        return 0.0f;
    }
    const lmb_transform *upper = &feet->model[t->driven[leg->upper].joint],
                        *lower = &feet->model[t->driven[leg->lower].joint];
    const lmb_two_bone_points bones = {upper->translation, lower->translation,
                                       lmbi_feet_ankle(feet, leg)};
    // A straight knee bends forward: about the joint's own left, as it stands in the reference
    // pose.
    const lmb_quat stood = t->target->reference[t->driven[leg->lower].joint].rotation;
    const lmb_quat turned = lmb_quat_mul(lower->rotation, lmb_quat_conjugate(stood));
    const lmb_vec3 hinge = lmb_quat_rotate(turned, lmb_vec3_make(1, 0, 0)), none = {0, 0, 0};
    const lmb_two_bone_turn turn = lmb_two_bone_solve(bones, g.ankle, hinge, none, SOFT * g.held);
    lmb_quat *rotations = t->rotations + (size_t)f * t->driven_count;
    rotations[leg->upper] = lmb_quat_normalize(lmb_quat_mul(turn.start, rotations[leg->upper]));
    rotations[leg->lower] =
        lmb_quat_normalize(lmb_quat_mul(lmb_quat_mul(turn.start, turn.mid), rotations[leg->lower]));
    rotations[leg->foot] = lmb_quat_normalize(lmb_quat_mul(g.turn, rotations[leg->foot]));
    return lmb_vec3_distance(g.ankle, leg->points[ANKLE].came[f]);
}
