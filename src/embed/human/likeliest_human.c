/// The embedding of the likeliest candidate of a human, and its fingers.
#include "base/error.h"
#include "embed/body_joint.h"
#include "embed/hand/hand.h"
#include "embed/human/human.h"
#include "embed/kinds.h"
#include "embed/shape/shape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_joints(const lmbi_figure *f, const lmbi_human_joints *placed, lmb_embedding *out)
{
    memset(out, 0, sizeof *out);
    out->kind = LMB_SKELETON_HUMAN;
    const lmb_vec3 zero = {0, 0, 0}; // -0 + 0 is 0, so no negative zeros are written
    out->left = lmb_vec3_add(f->frame.axes[0], zero);
    out->up = lmb_vec3_add(f->frame.axes[1], zero);
    out->forward = lmb_vec3_add(f->frame.axes[2], zero);
    out->ground = f->frame.origin;
    out->height = f->frame.size;
    out->joint_count = LMBI_BODY_JOINTS;
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        out->joints[j] = lmbi_frame_from(&f->frame, placed->at[j]);
        out->tips[j] = out->joints[j];
        out->confidence[j] = placed->confidence[j];
        out->reason[j] = placed->reason[j];
    }
    out->tips[LMBI_HEAD] = lmbi_frame_from(&f->frame, placed->head_top);
    for (int side = 0; side < 2; ++side) {
        out->tips[LMBI_LEFT_HAND + side * LMBI_ARM_JOINTS] =
            lmbi_frame_from(&f->frame, placed->hand_tip[side]);
        out->tips[LMBI_LEFT_TOES + side * LMBI_LEG_JOINTS] =
            lmbi_frame_from(&f->frame, placed->toe_tip[side]);
    }
}

static void name_joints(lmb_embedding *e)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        snprintf(e->names[j], sizeof e->names[j], "%s", lmbi_body_joint_name(j));
        e->parents[j] = lmbi_body_joint_parent(j);
    }
}

/// A wrist that fingers show is at most this far from where the arm shows it, in heights: farther
/// off are other ends than fingers.
static const float SAME_WRIST = 0.06f;

static lmb_result find_hands(const lmbi_figure *f, const lmbi_human_joints *placed,
                             lmbi_hand hands[2], lmb_error *error)
{
    lmb_result result = LMB_OK;
    for (int side = 0; side < 2 && result == LMB_OK; ++side) {
        result = lmbi_find_fingers(f, placed, side, &hands[side], error);
        const lmb_vec3 wrist = placed->at[LMBI_LEFT_HAND + side * LMBI_ARM_JOINTS];
        if (!hands[side].found || !hands[side].separate ||
            lmb_vec3_distance(hands[side].wrist, wrist) > SAME_WRIST) {
            hands[side].found = false;
            break; // fingers are added to both hands or to none
        }
    }
    return result;
}

lmb_result lmbi_human_add_fingers(const lmbi_human_candidate *candidate, lmb_embedding *out,
                                  lmb_error *error)
{
    const lmbi_figure *f = &candidate->figure;
    lmbi_hand hands[2] = {{.found = false}};
    if (out->reason[LMBI_LEFT_HAND] == lmbi_arm_missing ||
        out->reason[LMBI_RIGHT_HAND] == lmbi_arm_missing) {
        return LMB_OK;
    }
    const lmb_result result = find_hands(f, &candidate->placed, hands, error);
    if (result != LMB_OK || !hands[0].found || !hands[1].found) {
        return result;
    }
    out->joint_count = LMBI_HUMANOID_JOINTS;
    for (int side = 0; side < 2; ++side) {
        // Fingers determine the wrist better than the narrowing of the arm does.
        const uint32_t j = (uint32_t)(LMBI_LEFT_HAND + side * LMBI_ARM_JOINTS);
        out->joints[j] = lmbi_frame_from(&f->frame, hands[side].wrist);
    }
    for (uint32_t k = 0; k < LMBI_FINGER_JOINTS; ++k) {
        const lmbi_hand *hand = &hands[k / (LMBI_FINGER_JOINTS / 2)];
        const uint32_t finger = k / 3 % 5, j = LMBI_BODY_JOINTS + k;
        out->joints[j] = lmbi_frame_from(&f->frame, hand->joint[finger][k % 3]);
        out->tips[j] = k % 3 == 2 ? lmbi_frame_from(&f->frame, hand->tip[finger]) : out->joints[j];
        out->confidence[j] = 0.8f;
        out->reason[j] = "a fraction of a finger that stands apart";
    }
    name_joints(out);
    return LMB_OK;
}

/// Whether knees and ankles of both legs are far before the hips, with the thighs on a seat. In a
/// squat the ankles stay below the hips.
static bool is_seated(const lmb_embedding *e)
{
    const float before = 0.15f;
    bool all = true;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t j = LMBI_LEFT_UPPER_LEG + 1 + k / 2 + (k % 2) * LMBI_LEG_JOINTS;
        const lmb_vec3 d = lmb_vec3_sub(e->joints[j], e->joints[LMBI_HIPS]);
        all = all && lmb_vec3_dot(d, e->forward) > before * e->height;
    }
    return all;
}

/// Says what was found, and which joint is least sure.
static void describe(const lmbi_figure *f, float facing, lmb_embedding *out)
{
    uint32_t weakest = 0;
    for (uint32_t j = 1; j < LMBI_BODY_JOINTS; ++j) {
        weakest = out->confidence[j] < out->confidence[weakest] ? j : weakest;
    }
    const bool seated = is_seated(out);
    if (seated) {
        weakest = LMBI_LEFT_UPPER_LEG;
        out->reason[LMBI_LEFT_UPPER_LEG] = out->reason[LMBI_RIGHT_UPPER_LEG] =
            "thighs that do not hang tell little of the hips";
    }
    snprintf(out->summary, sizeof out->summary, "%s, %s; least sure of %s: %s",
             seated               ? "a figure that sits"
             : f->pose.asymmetric ? "a figure in a pose"
                                  : "a clear figure",
             facing > 0.2f ? "facing clear" : "facing guessed", lmbi_body_joint_name(weakest),
             out->reason[weakest] ? out->reason[weakest] : "no reason");
}

/// The chance of the likeliest candidate that looks the other way.
static float opposite_chance(const lmbi_human_candidate *list, uint32_t count,
                             const lmbi_human_candidate *best)
{
    const float opposite = -0.7f;
    const lmb_vec3 forward = best->figure.frame.axes[2];
    float chance = 0;
    for (uint32_t k = 0; k < count && !best->given; ++k) {
        const float same = lmb_vec3_dot(list[k].figure.frame.axes[2], forward);
        chance = same < opposite ? fmaxf(chance, list[k].chance) : chance;
    }
    return chance;
}

/// Refuses a ball, out of which nothing protrudes by half its radius. A cube has a slimness of 1.7,
/// the stoutest figures with a head and limbs have 2.
static lmb_result refuse_ball(lmbi_voxel_cache *cache, const lmb_embed_opts *opts, lmb_error *error)
{
    const float round = 1.5f;
    const lmbi_voxelisation *coarse;
    if (opts->kind == LMB_SKELETON_HUMAN) {
        return LMB_OK;
    }
    const lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, &coarse, error);
    return result == LMB_OK && lmbi_body_slimness(&coarse->body) < round
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "an upright figure", "a ball")
               : result;
}

/// The least chance of joints of a human: what is clearly read as one may have a joint wrong.
static float least_chance(const lmb_embed_opts *opts, const lmbi_human_candidate *c)
{
    return c->clues[LMBI_CLUE_PLAN] > LMBI_EVIDENCE ? 0.04f
           : opts->kind == LMB_SKELETON_HUMAN       ? 0.05f
                                                    : 0.2f;
}

lmb_result lmbi_human_embed_readings(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                     const lmbi_landmarks *landmarks, lmbi_readings *readings,
                                     lmb_embedding *out, lmbi_human_candidate *out_best,
                                     lmb_error *error)
{
    lmbi_human_candidate list[LMBI_HUMAN_CANDIDATES];
    uint32_t count = 0;
    lmb_embed_opts told = *opts;
    if (landmarks) {
        lmbi_landmarks_axes(landmarks, &told.up, &told.forward);
    }
    lmb_result result = landmarks ? LMB_OK : refuse_ball(cache, opts, error);
    if (result == LMB_OK) {
        result =
            lmbi_human_candidates(cache, &told, landmarks, readings, false, list, &count, error);
    }
    const bool sure = landmarks && lmbi_landmarks_on_all_limbs(landmarks);
    const lmbi_human_candidate *best = &list[lmbi_human_best(list, count)];
    if (result == LMB_OK && count == 0) {
        result = lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "an upright figure",
                           "a body without arms and legs");
    }
    if (result == LMB_OK && !sure && best->chance < least_chance(opts, best)) {
        result =
            lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                      "an upright figure with two arms, two legs and a head; for other shapes, "
                      "a skeleton of your own",
                      "limbs that do not pair up as arms and legs");
    }
    if (result == LMB_OK) {
        *out_best = *best;
        write_joints(&best->figure, &best->placed, out);
        describe(&best->figure, best->given ? 1 : best->placed.facing, out);
        name_joints(out);
        // Landmarks tell a quarter of what may be wrong.
        const float other = opposite_chance(list, count, best),
                    chance = lmbi_chance_beside(best->chance, other);
        out_best->facing = best->chance / (best->chance + other);
        out->overall = landmarks ? 1 - 0.75f * (1 - chance) : chance;
    }
    return result;
}
