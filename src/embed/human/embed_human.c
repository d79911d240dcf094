/// Embeds a human: the likeliest candidate of the whole mesh, of its main body, or its pieces as blocks,
/// with a confidence and with fingers.
#include "base/error.h"
#include "embed/body_joint.h"
#include "embed/hand/hand.h"
#include "embed/human/human.h"
#include "embed/kinds.h"
#include "embed/shape/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Less confidence is doubt.
static const float UNSURE = 0.6f;
/// Another facing is named if its chance is at least this fraction of the best one's.
static const float LIKELY = 0.2f;

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

/// Of two that exclude each other one at most is right: P = o / (1 + o + o'), with o = p / (1 - p).
static float chance_beside(float chance, float other)
{
    const float least = 1e-6f; // both may have rounded to 1
    const float wrong = fmaxf(least, 1 - chance), other_wrong = fmaxf(least, 1 - other);
    const float odds = chance / wrong, other_odds = other / other_wrong;
    return odds / (1 + odds + other_odds);
}

/// Says how to turn a doubtful figure round.
static void name_other_facing(lmb_vec3 forward, lmb_embedding *e)
{
    static const char *const axes[3][2] = {{"x", "-x"}, {"y", "-y"}, {"z", "-z"}};
    const float v[3] = {-forward.x, -forward.y, -forward.z};
    const int along = fabsf(v[0]) > fabsf(v[1]) ? (fabsf(v[0]) > fabsf(v[2]) ? 0 : 2)
                                                : (fabsf(v[1]) > fabsf(v[2]) ? 1 : 2);
    const size_t used = strlen(e->summary);
    snprintf(e->summary + used, sizeof e->summary - used,
             "; if it looks the other way: --facing %s", axes[along][v[along] < 0]);
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
                                     lmbi_human_effort effort, lmb_embedding *out,
                                     lmbi_human_candidate *out_best, lmb_error *error)
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
            lmbi_human_candidates(cache, &told, landmarks, readings, effort, list, &count, error);
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
                    chance = chance_beside(best->chance, other);
        out_best->facing = best->chance / (best->chance + other);
        out->overall = landmarks ? 1 - 0.75f * (1 - chance) : chance;
        if (out->overall < UNSURE && other >= LIKELY * best->chance) {
            name_other_facing(best->figure.frame.axes[2], out);
        }
    }
    return result;
}

// ---- the whole mesh, its main body, or its pieces

/// An embedding with less confidence than that of a figure of blocks is compared with one.
static const float BLOCKS = 0.65f;
/// Up to this confidence the main body is tried too: the figure is doubtful, or leaves much uncovered.
/// Where one hand holds something it is tried first, and the whole mesh unless it is SURE.
static const float VAGUE = 0.5f, SURE = 0.65f;

/// Pieces of the mesh can show a figure whose solid has no separate limbs.
static lmb_result embed_blocks(lmbi_embed_input *input, const lmb_embed_opts *opts,
                               lmbi_readings *readings, lmb_embedding *out, lmb_error *error)
{
    lmbi_landmarks landmarks;
    bool found = false;
    lmb_result result = LMB_OK;
    if (opts->marker_count == 0) {
        result =
            lmbi_block_figure_find(&input->soup, opts->up, input->alloc, &found, &landmarks, error);
    }
    if (result != LMB_OK || !found) {
        return result != LMB_OK ? result
                                : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a figure of blocks",
                                            "pieces that form none");
    }
    lmbi_human_candidate best;
    result = lmbi_human_embed_readings(&input->whole, opts, &landmarks, readings, LMBI_EFFORT_USUAL,
                                       out, &best, error);
    if (result == LMB_OK) {
        for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
            out->joints[j] = landmarks.joint[j].set ? landmarks.joint[j].at : out->joints[j];
            out->confidence[j] = fminf(out->confidence[j], BLOCKS);
            out->reason[j] =
                landmarks.joint[j].set ? "a usual fraction of a piece of the mesh" : out->reason[j];
        }
        out->overall = BLOCKS;
        snprintf(out->summary, sizeof out->summary,
                 "a figure of blocks; limbs by the pieces of the mesh; its facing is guessed");
    }
    return result;
}

/// A mesh, or its main body, searched for a figure.
typedef struct attempt {
    const lmbi_triangle_soup *mesh;
    lmb_result result;
    lmb_embedding made;
    lmbi_human_candidate best;
    float overall; ///< the confidence, less where much of the mesh is uncovered
} attempt;

static void try_figure(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                       const lmbi_landmarks *landmarks, lmbi_readings *readings, attempt *out,
                       lmb_error *error)
{
    out->mesh = cache->mesh;
    out->result = lmbi_human_embed_readings(cache, opts, landmarks, readings, LMBI_EFFORT_USUAL,
                                            &out->made, &out->best, error);
    if (out->result == LMB_OK) {
        lmb_embedding doubted = out->made;
        lmbi_doubt_uncovered(cache->mesh, &doubted);
        out->overall = doubted.overall;
    }
}

static bool exceeds(const attempt *a, float confidence)
{
    return a->result == LMB_OK && a->overall > confidence;
}

static void try_main_body(lmbi_voxel_cache *body, const lmb_embed_opts *opts,
                          const lmbi_landmarks *landmarks, const lmbi_readings *readings,
                          attempt *out)
{
    lmbi_readings own;
    out->result = body ? lmbi_readings_find(body, opts, &own, NULL) : LMB_ERROR_UNSUPPORTED;
    if (out->result == LMB_OK) {
        own.seen = readings->seen;
        try_figure(body, opts, landmarks, &own, out, NULL);
    }
}

/// The figure of the main body where one hand holds what that leaves out, else of the whole mesh. If
/// it is doubtful, or none, the likelier of both: a floor or a prop may have been taken for limbs. If
/// there is none, keeps the error of the whole.
static void find_figure(lmbi_embed_input *input, const lmb_embed_opts *opts,
                        const lmbi_landmarks *landmarks, lmbi_readings *readings, attempt *out,
                        lmb_error *error)
{
    lmbi_voxel_cache *body;
    attempt alone = {.result = LMB_ERROR_UNSUPPORTED};
    *out = alone;
    out->result = lmbi_embed_input_main_body(input, readings, &body, error);
    if (out->result != LMB_OK) {
        return;
    }
    const bool holds = body && input->holds && !landmarks;
    if (holds) {
        try_main_body(body, opts, landmarks, readings, &alone);
    }
    if (!exceeds(&alone, SURE)) {
        try_figure(&input->whole, opts, landmarks, readings, out, error);
    }
    if (!exceeds(out, VAGUE) && !holds) {
        try_main_body(body, opts, landmarks, readings, &alone);
    }
    if (alone.result == LMB_OK && !exceeds(out, alone.overall)) {
        *out = alone;
    }
    if (alone.result == LMB_ERROR_MEMORY) {
        out->result = lmbi_fail_memory(error);
    }
}

/// An embedding with limbs that are seen; its confidence is the caller's.
static lmb_result embed_seen(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                             lmbi_readings *readings, const lmbi_seen_limbs *seen,
                             lmb_embedding *out, lmbi_human_candidate *out_best)
{
    lmbi_landmarks landmarks = {.count = LMBI_LIMB_JOINTS};
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k) {
        landmarks.joint[lmbi_limb_joints[k]] = (lmbi_landmark_point){true, seen->at[k]};
    }
    const lmb_result result = lmbi_human_embed_readings(cache, opts, &landmarks, readings,
                                                        LMBI_EFFORT_FEW, out, out_best, NULL);
    for (int k = 0; k < LMBI_LIMB_JOINTS && result == LMB_OK; ++k) {
        const int j = lmbi_limb_joints[k];
        out->joints[j] = seen->at[k];
        out->confidence[j] = seen->chance[k];
        out->reason[j] = "where a network that sees the whole body puts it";
    }
    return result;
}

/// Has the figure be one that is seen, of that chance beside another's; if it can be placed.
static lmb_result take_seen(lmbi_embed_input *input, const lmb_embed_opts *opts,
                            lmbi_readings *readings, const lmbi_seen_limbs *seen, float chance,
                            float other, attempt *figure)
{
    attempt taken = {.mesh = &input->soup};
    taken.result = embed_seen(&input->whole, opts, readings, seen, &taken.made, &taken.best);
    if (taken.result == LMB_OK) {
        taken.made.overall = chance;
        if (chance < UNSURE && other >= LIKELY * chance) {
            name_other_facing(taken.best.figure.frame.axes[2], &taken.made);
        }
        *figure = taken;
    }
    return taken.result == LMB_ERROR_MEMORY ? taken.result : LMB_OK;
}

/// Looks along the axes of the best reading as a human, if any, and where nothing is likely there as the mesh stands in
/// its file. Errors: INVALID for a mesh without an extent; MEMORY.
static lmb_result see(const lmbi_embed_input *input, const lmb_embed_opts *opts,
                      const lmbi_readings *readings, lmbi_seen_figure *out)
{
    const float likely = 0.5f;
    const lmbi_reading *human = lmbi_reading_best(readings, LMB_SKELETON_HUMAN);
    lmb_result result = LMB_OK;
    if (human) {
        const lmb_vec3 axes[3] = {human->left, human->up, human->forward};
        const bool both = !(lmb_vec3_dot(opts->forward, opts->forward) > 0);
        result = lmbi_see_figure(&input->soup, axes, both, input->alloc, out, NULL);
    }
    if (result == LMB_OK && (!human || out->chance < likely)) {
        lmbi_seen_figure standing;
        result = lmbi_see_standing(&input->soup, opts, input->alloc, &standing, NULL);
        if (result == LMB_OK && (!human || standing.chance > out->chance)) {
            *out = standing;
        }
    }
    return result;
}

/// Joints that are seen elsewhere, by NEAR of the height up to FAR and beyond, lie between: both may be off.
static void move_to_seen(const lmbi_seen_limbs *seen, lmb_embedding *e)
{
    const float near = 0.06f, far = 0.12f;
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k) {
        lmb_vec3 *at = &e->joints[lmbi_limb_joints[k]];
        const float off = lmb_vec3_distance(*at, seen->at[k]) / e->height,
                    share = fminf(fmaxf((off - near) / (far - near), 0), 1);
        *at = lmb_vec3_lerp(*at, seen->at[k], 0.5f * share);
    }
}

/// A figure that is the same as what is seen from one side: both confirm each other, and tell the facing together.
static lmb_result confirm(lmbi_embed_input *input, const lmb_embed_opts *opts,
                          lmbi_readings *readings, bool back, attempt *figure)
{
    const lmbi_seen_figure *seen = readings->seen;
    const float own = figure->best.facing, other = back ? 1 - seen->facing : seen->facing,
                same = own * other, reverse = (1 - own) * (1 - other),
                facing = same / fmaxf(same + reverse, 1e-6f);
    const float alone = fminf(figure->made.overall / own, 1),
                limbs = 1 - (1 - alone) * (1 - seen->chance);
    readings->confirmed = true;
    figure->made.overall = limbs * facing;
    move_to_seen(&seen->limbs[back], &figure->made);
    return facing >= 0.5f ? LMB_OK
                          : take_seen(input, opts, readings, &seen->limbs[!back],
                                      limbs * (1 - facing), limbs * facing, figure);
}

/// Weighs the figure, if one was found, against the limbs that a network sees: where these are the same they confirm
/// each other; else the likelier ones are taken, with less confidence. Errors: MEMORY.
static lmb_result weigh_seen(lmbi_embed_input *input, const lmb_embed_opts *opts,
                             lmbi_readings *readings, attempt *figure)
{
    const float least = 0.2f;
    const lmbi_seen_figure *seen = readings->seen;
    const bool found = figure->result == LMB_OK;
    const lmbi_figure *own = found ? &figure->best.figure : NULL;
    if (own && (own->guess[0].missing || own->guess[1].missing)) {
        return LMB_OK; // the network sees two arms and two legs in everything
    }
    for (int side = 0; side < 2 && found; ++side) {
        if (lmbi_seen_agrees(&seen->limbs[side], figure->made.joints, figure->made.height)) {
            return confirm(input, opts, readings, side == 1, figure);
        }
    }
    const bool back = seen->facing < 0.5f;
    const float other = found ? figure->made.overall : 0,
                facing = back ? 1 - seen->facing : seen->facing, chance = seen->chance * facing;
    figure->made.overall = chance_beside(other, chance);
    return chance > fmaxf(other, found ? 0 : least)
               ? take_seen(input, opts, readings, &seen->limbs[back], chance_beside(chance, other),
                           seen->chance * (1 - facing), figure)
               : LMB_OK;
}

lmb_result lmbi_embed_human(lmbi_embed_input *input, const lmb_embed_opts *opts,
                            lmbi_readings *readings, lmb_embedding *out, lmb_error *error)
{
    const lmbi_landmarks landmarks = lmbi_landmarks_read(opts->markers, opts->marker_count);
    const bool marked = landmarks.count > 0;
    attempt figure;
    lmbi_seen_figure seen;
    if (!marked) {
        const lmb_result looked = see(input, opts, readings, &seen);
        if (looked == LMB_ERROR_MEMORY) {
            return lmbi_fail_memory(error);
        }
        readings->seen = looked == LMB_OK ? &seen : NULL;
    }
    find_figure(input, opts, marked ? &landmarks : NULL, readings, &figure, error);
    if (readings->seen && figure.result != LMB_ERROR_MEMORY &&
        weigh_seen(input, opts, readings, &figure) != LMB_OK) {
        figure.result = lmbi_fail_memory(error);
    }
    readings->seen = NULL;
    const bool found = figure.result == LMB_OK, none = figure.result == LMB_ERROR_UNSUPPORTED;
    const bool doubtful = none || (found && figure.made.overall < BLOCKS);
    lmb_result blocks = LMB_ERROR_UNSUPPORTED;
    if (doubtful && !marked) {
        blocks = embed_blocks(input, opts, readings, out, NULL);
    }
    if (blocks == LMB_ERROR_MEMORY) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = blocks == LMB_OK ? LMB_OK : figure.result;
    if (blocks != LMB_OK && found) { // blocks have no fingers
        *out = figure.made;
        result = lmbi_human_add_fingers(&figure.best, out, error);
    }
    if (result == LMB_OK && opts->marker_count == 0 && opts->kind == LMB_SKELETON_AUTO) {
        lmbi_doubt_uncovered(blocks == LMB_OK ? &input->soup : figure.mesh, out);
    }
    return result;
}
