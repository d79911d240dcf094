/// A humanoid from triangles: the figure, the joints in it, and how sure they are.
#include "base/alloc.h"
#include "base/error.h"
#include "rig/blocks.h"
#include "rig/fingers.h"
#include "rig/kinds.h"
#include "rig/likeness.h"
#include "rig/place.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Readings that cost more are no humanoids.
static const float REFUSED = 0.75f, HOPELESS = 1.1f;
/// The most that a figure is sure of whose arms or legs were not seen.
static const float LIMBS_GUESSED = 0.34f;
/// A reading less sure than this is weighed against the pieces of the mesh, and how sure these are.
static const float DOUBTED = 0.5f, BLOCKS = 0.65f;

static void fill(const lmbi_figure *f, const lmbi_placed *placed, lmb_embedding *out)
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

static lmb_result find_hands(const lmbi_figure *f, const lmbi_placed *placed, lmbi_hand hands[2],
                             lmb_error *error)
{
    lmb_result result = LMB_OK;
    for (int side = 0; side < 2 && result == LMB_OK; ++side) {
        result = lmbi_find_fingers(f, placed, side, &hands[side], error);
        if (!hands[side].found || !hands[side].parted) {
            hands[side].found = false;
            break; // the other hand would change nothing
        }
    }
    return result;
}

/// Five fingers on both hands, or none.
static lmb_result add_fingers(const lmbi_figure *f, const lmbi_placed *placed, lmb_embedding *out,
                              lmb_error *error)
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
        out->confidence[j] = 0.8f;
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

static float clamp01(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static void rate(const lmbi_figure *f, float facing, lmb_embedding *out)
{
    const float stance = clamp01(1 - (f->stance.cost - 0.25f) / 0.6f);
    float lowest = 1;
    uint32_t weakest = 0;
    for (uint32_t j = 0; j < out->joint_count; ++j) {
        out->confidence[j] = clamp01(out->confidence[j] * (0.4f + 0.6f * stance));
        if (j < LMB_BODY_JOINTS && out->confidence[j] < lowest) {
            lowest = out->confidence[j];
            weakest = j;
        }
    }
    const float sure_of_facing = clamp01(0.5f + facing);
    out->overall = clamp01((0.3f + 0.7f * stance) * sure_of_facing * (0.4f + 0.6f * lowest));
    for (uint32_t j = LMB_LEFT_UPPER_LEG; f->stance.footless && j < LMB_BODY_JOINTS; ++j) {
        out->reason[j] = NO_FEET;
    }
    if ((f->guess[0].made && f->guess[1].made) || f->stance.footless) {
        // A fish has a head and two ends of a tail too: another kind that fits better is believed.
        out->overall = fminf(out->overall, LIMBS_GUESSED);
    }
    snprintf(out->summary, sizeof out->summary, "%s, %s; least sure of %s: %s",
             stance > 0.7f ? "a clear figure" : "an unusual figure",
             sure_of_facing > 0.7f ? "facing clear" : "facing guessed", lmb_humanoid_name(weakest),
             out->reason[weakest] ? out->reason[weakest] : "no reason");
}

/// What a figure rarely does and a misread animal often: legs that do not part, a trunk
/// that does not stand, arms that begin too low or do not end, no head between them, ends on the
/// ground beside the feet.
static float doubts(const lmbi_figure *figure, const lmbi_placed *p)
{
    const float lean = p->at[LMB_NECK].z - p->at[LMB_HIPS].z;
    // Above legs that do not part a robe has clear arms and a clear head.
    const bool clear_above =
        p->arm_clear[0] && p->arm_clear[1] && p->neck_clear && figure->stance.head_cost < 0.1f;
    float doubt = p->crotch_clear || figure->stance.footless ? 0 : clear_above ? 0.35f : 0.45f;
    // Arms that begin far below the neck are the hem of a skirt, or a second pair of legs.
    const float arms = fmaxf(p->at[LMB_LEFT_UPPER_ARM].y, p->at[LMB_RIGHT_UPPER_ARM].y);
    doubt += fmaxf(0, 5 * (p->at[LMB_NECK].y - arms - 0.18f));
    doubt += fmaxf(0, 6 * (fabsf(lean) - 0.1f));
    doubt += p->arm_clear[0] || p->arm_clear[1] ? 0 : 0.05f;
    doubt += figure->stance.head_cost > 0.4f ? 0.2f : 0;
    doubt += lmbi_ground_ends(figure) >= 4 ? 0.25f : 0;
    // Longer than tall, with a beak before and a tail behind: a bird, a beast on its hind legs.
    const float depth = (float)figure->body.grid.nz * figure->body.grid.cell;
    doubt += (depth > 1 || fabsf(lean) > 0.06f) && figure->stance.spare > 0.4f ? 0.4f : 0;
    return doubt;
}

/// Reads the mesh as a figure that looks along opts->stance.forward, or somewhere.
static lmb_result read_figure(lmbi_looks *looks, const lmbi_figure_opts *opts, lmbi_figure *figure,
                              lmbi_placed *placed, lmb_error *error)
{
    lmb_result result = lmbi_figure_create(looks, opts, figure, error);
    if (result != LMB_OK) {
        return result;
    }
    memset(placed, 0, sizeof *placed);
    const bool sure = lmbi_marks_whole(&figure->marks);
    if (!sure && (figure->stance.cost > HOPELESS || lmbi_on_all_fours(figure))) {
        result = lmbi_refuse(figure, error);
    } else {
        result = lmbi_place(figure, placed, error);
        figure->stance.cost += sure ? 0 : doubts(figure, placed);
        if (result == LMB_OK && figure->stance.cost > REFUSED) {
            result = lmbi_refuse(figure, error);
        }
    }
    if (result != LMB_OK) {
        lmbi_figure_destroy(figure);
    }
    return result;
}

/// A ball: nothing sticks out of it for half of its radius. A cube is at 1.7, the stoutest figures
/// with a head and limbs are at 2.
static lmb_result check_limbs(lmbi_looks *looks, const lmb_embed_opts *opts,
                              const lmbi_marks *marks, lmb_error *error)
{
    const float round = 1.5f;
    const lmbi_look *look;
    if (opts->kind == LMB_SKELETON_HUMAN || marks->count > 0) {
        return LMB_OK;
    }
    const lmb_result result = lmbi_looks_take(looks, LMBI_COARSE, &look, error);
    return result == LMB_OK && lmbi_body_slimness(&look->body) < round
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "an upright figure", "a ball")
               : result;
}

static lmb_result embed(lmbi_looks *looks, const lmb_embed_opts *opts, const lmbi_marks *marks,
                        lmb_embedding *out, lmb_error *error)
{
    lmbi_figure_opts figure_opts = {.stance = {.up = opts->up, .forward = opts->forward},
                                    .marks = marks};
    lmbi_marks_aim(marks, &figure_opts.stance.up, &figure_opts.stance.forward);
    const bool told = lmb_vec3_dot(figure_opts.stance.forward, figure_opts.stance.forward) > 0;
    lmbi_figure figure;
    lmbi_placed placed;
    lmb_result result = check_limbs(looks, opts, marks, error);
    if (result == LMB_OK) {
        result = read_figure(looks, &figure_opts, &figure, &placed, error);
    }
    if (result == LMB_OK && placed.facing < 0 && !told) {
        figure_opts.stance.up = figure.frame.axes[1];
        figure_opts.stance.forward = lmb_vec3_neg(figure.frame.axes[2]);
        lmbi_figure_destroy(&figure);
        result = read_figure(looks, &figure_opts, &figure, &placed, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmb_embedding made;
    fill(&figure, &placed, &made);
    result = add_fingers(&figure, &placed, &made, error);
    if (result == LMB_OK) {
        name_joints(&made);
        rate(&figure, told ? 1 : placed.facing, &made);
        *out = made;
    }
    lmbi_figure_destroy(&figure);
    return result;
}

/// What the solid does not tell the pieces may: a figure of blocks that touch.
static lmb_result embed_blocks(lmbi_subject *subject, const lmb_embed_opts *opts,
                               lmb_embedding *out, lmb_error *error)
{
    lmbi_marks marks;
    bool found = false;
    lmb_result result = LMB_OK;
    if (opts->marker_count == 0) {
        result = lmbi_blocks_read(&subject->soup, opts->up, subject->alloc, &found, &marks, error);
    }
    if (result != LMB_OK || !found) {
        return result != LMB_OK
                   ? result
                   : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a figure of blocks", "other pieces");
    }
    result = embed(&subject->whole, opts, &marks, out, error);
    if (result == LMB_OK) {
        out->joint_count = LMB_BODY_JOINTS; // blocks have no fingers that could move a wrist
        for (uint32_t j = 0; j < LMB_BODY_JOINTS; ++j) {
            out->joints[j] = marks.joint[j].set ? marks.joint[j].at : out->joints[j];
            out->confidence[j] = fminf(out->confidence[j], BLOCKS);
            out->reason[j] =
                marks.joint[j].set ? "a usual share of a piece of the mesh" : out->reason[j];
        }
        out->overall = BLOCKS;
        snprintf(out->summary, sizeof out->summary,
                 "a figure of blocks; limbs by the pieces of the mesh; where it looks is guessed");
    }
    return result;
}

lmb_result lmbi_embed_human(lmbi_subject *subject, const lmb_embed_opts *opts, lmb_embedding *out,
                            lmb_error *error)
{
    const lmbi_marks marks = lmbi_marks_read(opts->markers, opts->marker_count);
    lmb_result result = embed(&subject->whole, opts, &marks, out, error);
    if (result == LMB_ERROR_UNSUPPORTED) {
        // A floor or a loose prop may have been read as limbs. What was said of the whole stands
        // when its body is no figure either.
        lmbi_looks *body;
        const lmb_result parted = lmbi_subject_alone(subject, &body, NULL);
        const lmb_result alone = parted == LMB_OK && body ? embed(body, opts, &marks, out, NULL)
                                 : parted != LMB_OK       ? parted
                                                          : result;
        result = alone == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : alone;
    }
    if (result == LMB_ERROR_UNSUPPORTED || (result == LMB_OK && out->overall < DOUBTED)) {
        lmb_embedding blocks;
        const lmb_result read = embed_blocks(subject, opts, &blocks, NULL);
        if (read == LMB_ERROR_MEMORY) {
            return lmbi_fail_memory(error);
        }
        if (read == LMB_OK) {
            *out = blocks;
            return LMB_OK;
        }
    }
    return result;
}

/// Axes of the mesh that may be up, seen without a preference, those first along which its ends
/// make the best figures. How many there are.
static int rank_ups(const lmbi_look *look, lmb_vec3 out[6])
{
    static const lmb_vec3 ups[6] = {{0, 1, 0},  {0, 0, 1},  {1, 0, 0},
                                    {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    float costs[6];
    int count = 0;
    for (int u = 0; u < 6; ++u) {
        const lmbi_stance_opts opts = {.up = ups[u]};
        lmbi_stance stance;
        if (!lmbi_stance_find(&look->body, look->tips, look->tip_count, &opts, &stance) ||
            stance.armless || stance.cost > REFUSED) {
            continue;
        }
        int at = count++;
        for (; at > 0 && costs[at - 1] > stance.cost; --at) {
            costs[at] = costs[at - 1];
            out[at] = out[at - 1];
        }
        costs[at] = stance.cost;
        out[at] = ups[u];
    }
    return count;
}

lmb_result lmbi_embed_lying(lmbi_subject *subject, const lmb_embed_opts *opts, lmb_embedding *out,
                            lmb_error *error)
{
    enum { TRIES = 3 };
    const lmbi_marks marks = lmbi_marks_read(opts->markers, opts->marker_count);
    const lmbi_look *look;
    lmb_result result = lmbi_looks_take(&subject->whole, LMBI_COARSE, &look, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_vec3 ups[6];
    const int count = rank_ups(look, ups);
    bool any = false;
    for (int u = 0; u < count && u < TRIES; ++u) {
        lmb_embed_opts told = *opts;
        told.up = ups[u];
        lmb_embedding made;
        result = embed(&subject->whole, &told, &marks, &made, error);
        if (result == LMB_OK && (!any || made.overall > out->overall)) {
            *out = made;
            any = true;
        } else if (result != LMB_OK && result != LMB_ERROR_UNSUPPORTED) {
            return result;
        }
    }
    return any ? LMB_OK : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a figure", "another body");
}
