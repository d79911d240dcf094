/// Embeds a human: limbs that a network sees, what the user's landmarks say, and fingers, with a confidence.
#include "base/error.h"
#include "embed/hand/hand.h"
#include "embed/human/human.h"
#include "embed/kinds.h"
#include "mapping/body_joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Fails for a ball, out of which nothing protrudes by half its radius. A cube has a slimness of 1.7,
/// the stoutest figures with a head and limbs have 2.
static lmb_result refuse_ball(lmbi_voxel_cache *cache, const lmb_embed_opts *opts, lmb_error *error)
{
    const float round = 1.5f;
    const lmbi_body_shape *coarse;
    if (opts->kind == LMB_SKELETON_HUMAN) {
        return LMB_OK;
    }
    const lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, &coarse, error);
    return result == LMB_OK && lmbi_body_slimness(&coarse->body) < round
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "an upright figure", "a ball")
               : result;
}

/// The options with the axes that landmarks tell.
static lmb_embed_opts with_axes_of(const lmbi_landmarks *landmarks, const lmb_embed_opts *opts)
{
    lmb_embed_opts told = *opts;
    lmbi_landmarks_axes(landmarks, &told.up, &told.forward);
    return told;
}

/// What is seen of a figure without what one hand holds, which moves joints.
static lmb_result see_without_held(lmbi_embed_input *input, const lmb_embed_opts *opts,
                                   lmbi_seen_figure *best, lmb_error *error)
{
    const lmbi_mirror plane = lmbi_plane_of_figure(best);
    lmbi_voxel_cache *body;
    const lmb_result result = lmbi_embed_input_main_body(input, &plane, &body, error);
    return result == LMB_OK && body && input->holds
               ? lmbi_see_standing(&input->humans, body, opts, best, error)
               : result;
}

lmb_result lmbi_see_human(lmbi_embed_input *input, const lmb_embed_opts *opts,
                          lmbi_seen_figure *out, lmb_error *error)
{
    const lmbi_landmarks landmarks = lmbi_landmarks_read(opts->markers, opts->marker_count);
    const lmb_embed_opts told = with_axes_of(&landmarks, opts);
    *out = (lmbi_seen_figure){.chance = -1};
    input->humans.count = 0;
    lmb_result result = input->humans.network
                            ? LMB_OK
                            : lmbi_volume_network_create(LMBI_VOLUME_BODY, input->alloc,
                                                         &input->humans.network, error);
    if (result == LMB_OK) {
        result = lmbi_see_standing(&input->humans, &input->whole, &told, out, error);
    }
    return result == LMB_OK && lmbi_seen_clearly(out) ? see_without_held(input, &told, out, error)
                                                      : result;
}

/// The likeliest of what is seen so far and, unless that is clear, the whole mesh along its mirror planes, and the mesh
/// without what one hand holds.
static lmb_result look_further(lmbi_embed_input *input, const lmb_embed_opts *opts,
                               lmbi_seen_figure *best, lmb_error *error)
{
    if (lmbi_seen_clearly(best)) {
        return LMB_OK;
    }
    lmb_result result = lmbi_see_along_mirrors(&input->humans, &input->whole, opts, best, error);
    const lmbi_mirror plane = lmbi_plane_of_figure(best);
    lmbi_voxel_cache *body = NULL;
    if (result == LMB_OK) {
        result = lmbi_embed_input_main_body(input, &plane, &body, error);
    }
    if (result == LMB_OK && body && input->holds) {
        result = lmbi_see_standing(&input->humans, body, opts, best, error);
        result = result == LMB_OK ? lmbi_see_along_mirrors(&input->humans, body, opts, best, error)
                                  : result;
    }
    return result;
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

/// How to turn a doubtful figure round, if one that faces the other way is likely enough.
static void name_other_facing(float facing, lmb_embedding *e)
{
    const float unsure = 0.7f, likely = 0.17f;
    if (e->overall >= unsure || 1 - facing < likely) {
        return;
    }
    static const char *const axes[3][2] = {{"x", "-x"}, {"y", "-y"}, {"z", "-z"}};
    const float v[3] = {-e->forward.x, -e->forward.y, -e->forward.z};
    const int along = fabsf(v[0]) > fabsf(v[1]) ? (fabsf(v[0]) > fabsf(v[2]) ? 0 : 2)
                                                : (fabsf(v[1]) > fabsf(v[2]) ? 1 : 2);
    const size_t used = strlen(e->summary);
    snprintf(e->summary + used, sizeof e->summary - used,
             "; if it looks the other way: --facing %s", axes[along][v[along] < 0]);
}

/// Says what was found, and which joint is least sure.
static void describe(float facing, lmb_embedding *e)
{
    const float clear = 0.9f;
    uint32_t weakest = 0;
    for (uint32_t j = 1; j < LMBI_BODY_JOINTS; ++j) {
        weakest = e->confidence[j] < e->confidence[weakest] ? j : weakest;
    }
    const bool seated = is_seated(e);
    if (seated) {
        weakest = LMBI_LEFT_UPPER_LEG;
        e->reason[LMBI_LEFT_UPPER_LEG] = e->reason[LMBI_RIGHT_UPPER_LEG] =
            "thighs that do not hang tell little of the hips";
    }
    snprintf(e->summary, sizeof e->summary, "%s, %s; least sure of %s: %s",
             seated ? "a figure that sits" : "a figure",
             facing > clear ? "facing clear" : "facing guessed", lmbi_body_joint_name(weakest),
             e->reason[weakest]);
    name_other_facing(facing, e);
}

/// Sees the hand at the end of an arm, not at all where there is none: from the wrist on or, where that shows no five
/// fingers, from farther up the arm.
static lmb_result see_hand(const lmbi_seen_figure *f, const lmb_embedding *e, bool right,
                           lmbi_volume_network *network, lmbi_hand *out, lmb_error *error)
{
    static const float lengths[] = {1, 1.35f}; // of what the arm reaches beyond the wrist
    const int joint = right ? LMBI_RIGHT_HAND : LMBI_LEFT_HAND;
    const lmbi_hand_view whole = lmbi_view_of_arm(e->joints[joint - 1], e->joints[joint],
                                                  e->tips[joint], e->left, e->forward, right);
    const bool has_hand = e->reason[joint] != lmbi_arm_missing && whole.length > 0;
    lmb_result result = LMB_OK;
    *out = (lmbi_hand){.sure = 0};
    for (int k = 0; k < 2 && has_hand && result == LMB_OK && lmbi_hand_chance(out->sure) < 0.5f;
         ++k) {
        lmbi_hand seen;
        lmbi_hand_view view = whole;
        view.length *= lengths[k];
        view.wrist = lmb_vec3_mad(e->tips[joint], view.axes[1], -view.length);
        result = lmbi_see_hand(network, f->body->mesh, &view, LMBI_HAND_LOOKS, f->body->alloc,
                               &seen, error);
        *out = result == LMB_OK && seen.sure > out->sure ? seen : *out;
    }
    return result;
}

static void write_fingers(const lmbi_hand hands[2], lmb_embedding *e)
{
    e->joint_count = LMBI_HUMANOID_JOINTS;
    for (int side = 0; side < 2; ++side) {
        const int hand = side ? LMBI_RIGHT_HAND : LMBI_LEFT_HAND;
        // Fingers determine the wrist better than the whole body does, but not than where its pieces meet.
        if (e->reason[hand] != lmbi_pieces_meet) {
            e->joints[hand] = hands[side].at[LMBI_WRIST];
        }
    }
    for (uint32_t k = 0; k < LMBI_FINGER_JOINTS; ++k) {
        const lmbi_hand *hand = &hands[k / (LMBI_FINGER_JOINTS / 2)];
        const uint32_t j = LMBI_BODY_JOINTS + k;
        const int finger = (int)k / 3 % 5;
        e->joints[j] = hand->at[lmbi_finger_joint(finger, (int)k % 3)];
        e->tips[j] = k % 3 == 2 ? hand->at[lmbi_finger_joint(finger, 3)] : e->joints[j];
        e->confidence[j] = 0.8f;
        e->reason[j] = "seen in the whole hand";
        e->parents[j] = lmbi_body_joint_parent(j);
        snprintf(e->names[j], sizeof e->names[j], "%s", lmbi_body_joint_name(j));
    }
}

/// Whether both hands have five fingers, by how sure each is.
static bool has_fingers(float left, float right)
{
    return lmbi_hand_chance(0.5f * (left + right)) > 0.5f;
}

lmb_result lmbi_human_add_fingers(const lmbi_seen_figure *f, lmb_embedding *e, lmb_error *error)
{
    lmbi_hand hands[2] = {{.sure = 1}, {.sure = 1}}; // until they are seen
    lmbi_volume_network *network;
    lmb_result result =
        lmbi_volume_network_create(LMBI_VOLUME_HAND, f->body->alloc, &network, error);
    for (int side = 0; side < 2 && result == LMB_OK && has_fingers(hands[0].sure, 1); ++side) {
        result = see_hand(f, e, side == 1, network, &hands[side], error);
    }
    lmbi_volume_network_destroy(network);
    if (result == LMB_OK && has_fingers(hands[0].sure, hands[1].sure)) {
        write_fingers(hands, e);
    } else if (result == LMB_OK) {
        lmbi_end_hands(f->body, e);
    }
    return result;
}

/// The least chance of a human: less where the user tells it.
static float least_chance(const lmb_embed_opts *opts)
{
    return opts->kind == LMB_SKELETON_HUMAN ? 0.01f : 0.15f;
}

/// The figure where it was not seen clearly; UNSUPPORTED where none is likely, unless the user's landmarks are on all limbs.
static lmb_result find_figure(lmbi_embed_input *input, const lmb_embed_opts *opts,
                              const lmbi_landmarks *landmarks, lmbi_seen_figure *best,
                              lmb_error *error)
{
    const bool sure = lmbi_landmarks_on_all_limbs(landmarks);
    const lmb_embed_opts told = with_axes_of(landmarks, opts);
    lmb_result result = sure ? LMB_OK : refuse_ball(&input->whole, opts, error);
    result = result == LMB_OK ? look_further(input, &told, best, error) : result;
    return result == LMB_OK && !sure && best->chance < least_chance(opts)
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                           "an upright figure with two arms, two legs and a head; for other "
                           "shapes, a skeleton of your own",
                           "a body in which no arms and legs are seen")
               : result;
}

/// The chance that an arm is missing where it looks so, by the rule of succession: of the known poses of artists' figures six
/// do, and have both arms.
static const float ARM_IS_MISSING = 1.0f / 8;

static bool lacks_arm(const lmb_embedding *e)
{
    return e->reason[LMBI_LEFT_HAND] == lmbi_arm_missing ||
           e->reason[LMBI_RIGHT_HAND] == lmbi_arm_missing;
}

lmb_result lmbi_embed_human(lmbi_embed_input *input, const lmb_embed_opts *opts,
                            lmbi_seen_figure *figure, lmb_embedding *out, lmb_error *error)
{
    const lmbi_landmarks landmarks = lmbi_landmarks_read(opts->markers, opts->marker_count);
    lmb_result result =
        lmbi_seen_clearly(figure) ? LMB_OK : find_figure(input, opts, &landmarks, figure, error);
    if (result == LMB_OK) {
        result = lmbi_place_human(figure, &landmarks, out, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    const float chance = figure->chance * figure->facing * (lacks_arm(out) ? ARM_IS_MISSING : 1);
    // Landmarks tell three quarters of what may be wrong.
    out->overall = landmarks.count > 0 ? 1 - 0.25f * (1 - chance) : chance;
    describe(figure->facing, out);
    if (opts->marker_count == 0 && opts->kind == LMB_SKELETON_AUTO) {
        lmbi_doubt_uncovered(figure->body->mesh, out);
    }
    return LMB_OK;
}
