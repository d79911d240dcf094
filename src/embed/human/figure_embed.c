/// The joints of a humanoid in a figure, and how sure they are.
#include "embed/human/figure_embed.h"
#include "embed/cost.h"

#include "base/error.h"
#include "embed/hand/fingers.h"
#include "embed/human/figure.h"
#include "embed/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Figures that cost more, by their ends alone.
static const float HOPELESS = 1.1f;
/// The most that a figure is sure of whose arms or legs were not seen.
static const float LIMBS_GUESSED = 0.34f;
/// The same of one that sits, whose hips are guessed.
static const float SEATED = 0.3f;
/// The same of one whose sides are in different poses, and of one whose feet stand one before the
/// other besides: its mirror plane may be a few degrees off, which can take a foot for the other.
static const float POSED = 0.32f, STRIDING = 0.3f;

static void write_joints(const lmbi_figure *f, const lmbi_human_joints *placed, lmb_embedding *out)
{
    memset(out, 0, sizeof *out);
    out->kind = LMB_SKELETON_HUMAN;
    const lmb_vec3 zero = {0, 0, 0}; // -0 + 0 is 0
    out->left = lmb_vec3_add(f->frame.axes[0], zero);
    out->up = lmb_vec3_add(f->frame.axes[1], zero);
    out->forward = lmb_vec3_add(f->frame.axes[2], zero);
    out->ground = f->frame.origin;
    out->height = f->frame.size;
    out->joint_count = LMB_BODY_JOINTS;
    for (uint32_t j = 0; j < LMB_BODY_JOINTS; ++j) {
        out->joints[j] = lmbi_frame_from(&f->frame, placed->at[j]);
        out->tips[j] = out->joints[j];
        out->confidence[j] = placed->confidence[j];
        out->reason[j] = placed->reason[j];
    }
    out->tips[LMB_HEAD] = lmbi_frame_from(&f->frame, placed->head_top);
    for (int side = 0; side < 2; ++side) {
        out->tips[LMB_LEFT_HAND + side * LMBI_ARM_JOINTS] =
            lmbi_frame_from(&f->frame, placed->hand_tip[side]);
        out->tips[LMB_LEFT_TOES + side * LMBI_LEG_JOINTS] =
            lmbi_frame_from(&f->frame, placed->toe_tip[side]);
    }
}

static void name_joints(lmb_embedding *e)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        snprintf(e->names[j], sizeof e->names[j], "%s", lmb_humanoid_name(j));
        e->parents[j] = lmb_humanoid_parent(j);
    }
}

/// How like a textbook figure it stands, 0 to 1.
static float pose_clarity(const lmbi_figure *f)
{
    return lmbi_clamp_unit(1 - (f->pose.cost - 0.25f) / 0.6f);
}

static lmb_result find_hands(const lmbi_figure *f, const lmbi_human_joints *placed,
                             lmbi_hand hands[2], lmb_error *error)
{
    lmb_result result = LMB_OK;
    for (int side = 0; side < 2 && result == LMB_OK; ++side) {
        result = lmbi_find_fingers(f, placed, side, &hands[side], error);
        if (!hands[side].found || !hands[side].separate) {
            hands[side].found = false;
            break; // the other hand would change nothing
        }
    }
    return result;
}

/// Five fingers on both hands, or none.
static lmb_result add_fingers(const lmbi_figure *f, const lmbi_human_joints *placed,
                              lmb_embedding *out, lmb_error *error)
{
    lmbi_hand hands[2] = {{.found = false}};
    const lmb_result result = find_hands(f, placed, hands, error);
    if (result != LMB_OK || !hands[0].found || !hands[1].found) {
        return result;
    }
    out->joint_count = LMB_HUMANOID_JOINTS;
    for (int side = 0; side < 2; ++side) {
        // fingers show where a hand begins better than how narrow an arm is does
        const uint32_t j = (uint32_t)(LMB_LEFT_HAND + side * LMBI_ARM_JOINTS);
        out->joints[j] = lmbi_frame_from(&f->frame, hands[side].wrist);
    }
    for (uint32_t k = 0; k < LMB_FINGER_JOINTS; ++k) {
        const lmbi_hand *hand = &hands[k / (LMB_FINGER_JOINTS / 2)];
        const uint32_t finger = k / 3 % 5, j = LMB_BODY_JOINTS + k;
        out->joints[j] = lmbi_frame_from(&f->frame, hand->joint[finger][k % 3]);
        out->tips[j] = k % 3 == 2 ? lmbi_frame_from(&f->frame, hand->tip[finger]) : out->joints[j];
        out->confidence[j] = lmbi_clamp_unit(0.8f * (0.4f + 0.6f * pose_clarity(f)));
        out->reason[j] = "a share of a finger that stands apart";
    }
    return LMB_OK;
}

static const char NO_FEET[] = "no feet to be seen; usual legs in what the figure stands on";

bool lmbi_feet_guessed(const lmb_embedding *e)
{
    return e->reason[LMB_LEFT_FOOT] == NO_FEET;
}

bool lmbi_arms_guessed(const lmb_embedding *e)
{
    bool guessed = true;
    for (int side = 0; side < 2; ++side) {
        const char *why = e->reason[LMB_LEFT_HAND + side * LMBI_ARM_JOINTS];
        guessed = guessed && (why == lmbi_arm_hidden || why == lmbi_arm_missing);
    }
    return guessed;
}

/// Knees and ankles of both legs far before the hips: a seat is there, and the thighs lie on it. Of
/// knees that are bent ankles stay below the hips.
static bool sits(const lmb_embedding *e)
{
    const float before = 0.15f;
    bool all = true;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t j = LMB_LEFT_UPPER_LEG + 1 + k / 2 + (k % 2) * LMBI_LEG_JOINTS;
        const lmb_vec3 d = lmb_vec3_sub(e->joints[j], e->joints[LMB_HIPS]);
        all = all && lmb_vec3_dot(d, e->forward) > before * e->height;
    }
    return all;
}

static void rate_confidence(const lmbi_figure *f, float facing, lmb_embedding *out)
{
    const float pose = pose_clarity(f);
    float lowest = 1;
    uint32_t weakest = 0;
    for (uint32_t j = 0; j < LMB_BODY_JOINTS; ++j) {
        out->confidence[j] = lmbi_clamp_unit(out->confidence[j] * (0.4f + 0.6f * pose));
        if (out->confidence[j] < lowest) {
            lowest = out->confidence[j];
            weakest = j;
        }
    }
    const float facing_confidence = lmbi_clamp_unit(0.5f + facing);
    out->overall =
        lmbi_clamp_unit((0.3f + 0.7f * pose) * facing_confidence * (0.4f + 0.6f * lowest));
    for (uint32_t j = LMB_LEFT_UPPER_LEG; f->pose.footless && j < LMB_BODY_JOINTS; ++j) {
        out->reason[j] = NO_FEET;
    }
    if ((f->guess[0].made && f->guess[1].made) || f->pose.footless) {
        // A fish has a head and two ends of a tail too: another kind that fits better is believed.
        out->overall = fminf(out->overall, LIMBS_GUESSED);
    }
    if (f->pose.asymmetric) {
        const float before =
            f->tips[f->pose.foot[0]].position.z - f->tips[f->pose.foot[1]].position.z;
        out->overall = fminf(out->overall, fabsf(before) > 0.12f ? STRIDING : POSED);
    }
    const bool seated = sits(out);
    if (seated) {
        out->overall = fminf(out->overall, SEATED);
        weakest = LMB_LEFT_UPPER_LEG;
        out->reason[LMB_LEFT_UPPER_LEG] = out->reason[LMB_RIGHT_UPPER_LEG] =
            "thighs that do not hang tell little of the hips";
    }
    snprintf(out->summary, sizeof out->summary, "%s, %s; least sure of %s: %s",
             seated               ? "a figure that sits"
             : f->pose.asymmetric ? "a figure in a pose"
             : pose > 0.7f        ? "a clear figure"
                                  : "an unusual figure",
             facing_confidence > 0.7f ? "facing clear" : "facing guessed",
             lmb_humanoid_name(weakest), out->reason[weakest] ? out->reason[weakest] : "no reason");
}

/// What a figure rarely does and a misread animal often: legs that do not part, a trunk
/// that does not stand, arms that begin too low or do not end, no head between them, ends on the
/// ground beside the feet.
static float doubts(const lmbi_figure *figure, const lmbi_human_joints *p)
{
    const float lean = p->at[LMB_NECK].z - p->at[LMB_HIPS].z;
    // Above legs that do not part a robe has clear arms and a clear head.
    const bool clear_above =
        p->arm_clear[0] && p->arm_clear[1] && p->neck_clear && figure->pose.head_cost < 0.1f;
    float doubt = p->crotch_clear || figure->pose.footless ? 0 : clear_above ? 0.35f : 0.45f;
    // Arms that begin far below the neck are the hem of a skirt, or a second pair of legs.
    const float arms = fmaxf(p->at[LMB_LEFT_UPPER_ARM].y, p->at[LMB_RIGHT_UPPER_ARM].y);
    doubt += fmaxf(0, 5 * (p->at[LMB_NECK].y - arms - 0.18f));
    doubt += fmaxf(0, 6 * (fabsf(lean) - 0.1f));
    doubt += p->arm_clear[0] || p->arm_clear[1] ? 0 : 0.05f;
    doubt += figure->pose.head_cost > 0.4f ? 0.2f : 0;
    doubt += lmbi_ground_ends(figure) >= 4 ? 0.25f : 0;
    // Longer than tall, with a beak before and a tail behind: a bird, a beast on its hind legs.
    const float depth = (float)figure->body.grid.nz * figure->body.grid.cell;
    doubt += (depth > 1 || fabsf(lean) > 0.06f) && figure->pose.unused_length > 0.4f ? 0.4f : 0;
    return doubt;
}

/// Reads the mesh as a figure that looks along opts->stance.forward, or somewhere.
static lmb_result read_figure(lmbi_voxel_cache *cache, const lmbi_figure_opts *opts,
                              lmbi_figure *figure, lmbi_human_joints *placed, lmb_error *error)
{
    lmb_result result = lmbi_figure_create(cache, opts, figure, error);
    if (result != LMB_OK) {
        return result;
    }
    memset(placed, 0, sizeof *placed);
    const bool sure = lmbi_landmarks_on_all_limbs(&figure->landmarks);
    if (!sure && (figure->pose.cost > HOPELESS || lmbi_on_all_fours(figure))) {
        result = lmbi_refuse_figure(figure, error);
    } else {
        result = lmbi_place_human_joints(figure, placed, error);
        figure->pose.cost += sure ? 0 : doubts(figure, placed);
        if (result == LMB_OK && figure->pose.cost > LMBI_FIGURE_MAX_COST) {
            result = lmbi_refuse_figure(figure, error);
        }
    }
    if (result != LMB_OK) {
        lmbi_figure_destroy(figure);
    }
    return result;
}

/// A ball: nothing sticks out of it for half of its radius. A cube is at 1.7, the stoutest figures
/// with a head and limbs are at 2.
static lmb_result check_limbs(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                              const lmbi_landmarks *landmarks, lmb_error *error)
{
    const float round = 1.5f;
    const lmbi_voxelisation *coarse;
    if (opts->kind == LMB_SKELETON_HUMAN || landmarks->count > 0) {
        return LMB_OK;
    }
    const lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, &coarse, error);
    return result == LMB_OK && lmbi_body_slimness(&coarse->body) < round
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "an upright figure", "a ball")
               : result;
}

lmb_result lmbi_figure_embed(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                             const lmbi_landmarks *landmarks, float least, lmb_embedding *out,
                             lmb_error *error)
{
    lmbi_figure_opts figure_opts = {
        .pose = {.up = opts->up, .forward = opts->forward, .asymmetric = cache->asymmetric},
        .landmarks = landmarks};
    lmbi_landmarks_axes(landmarks, &figure_opts.pose.up, &figure_opts.pose.forward);
    const bool given = lmb_vec3_dot(figure_opts.pose.forward, figure_opts.pose.forward) > 0;
    lmbi_figure figure;
    lmbi_human_joints placed;
    lmb_result result = check_limbs(cache, opts, landmarks, error);
    if (result == LMB_OK) {
        result = read_figure(cache, &figure_opts, &figure, &placed, error);
    }
    if (result == LMB_OK && placed.facing < 0 && !given) {
        figure_opts.pose.up = figure.frame.axes[1];
        figure_opts.pose.forward = lmb_vec3_neg(figure.frame.axes[2]);
        lmbi_figure before = figure;
        figure_opts.before = &before;
        result = read_figure(cache, &figure_opts, &figure, &placed, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmb_embedding made;
    write_joints(&figure, &placed, &made);
    rate_confidence(&figure, given ? 1 : placed.facing, &made);
    result = made.overall > least
                 ? add_fingers(&figure, &placed, &made, error)
                 : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a surer figure", "%.40s", made.summary);
    if (result == LMB_OK) {
        name_joints(&made);
        *out = made;
    }
    lmbi_figure_destroy(&figure);
    return result;
}
