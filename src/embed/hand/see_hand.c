/// The joints of a hand, as a network tells them of a volume around it: first about where the end of an arm lies, then in the
/// frame that the hand itself shows.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/hand/hand.h"
#include "math/math.h"

#include <math.h>
#include <string.h>

/// The cube that is looked at, in lengths of the hand: its side, and how far from the wrist its middle lies. Knuckles lie in
/// the middle of a hand (tools/made_hands.py).
static const float SIDE = 1.6f, MIDDLE = 0.45f, KNUCKLES = 0.5f;

/// The log odds of five fingers for how sure what is seen is, and those of their side for how much surer it is than the other
/// one: fitted on families that a network was fitted without (tools/fit-hand.py).
static const float AT_NONE = -4.89f, PER_SURE = 8.69f, PER_SURER = 12.3f;

lmbi_hand_view lmbi_view_of_arm(lmb_vec3 elbow, lmb_vec3 wrist, lmb_vec3 end, lmb_vec3 left,
                                lmb_vec3 forward, bool right)
{
    const lmb_vec3 out = right ? lmb_vec3_neg(left) : left,
                   arm = lmb_vec3_normalize_or(lmb_vec3_sub(wrist, elbow), out);
    lmbi_hand_view v = {.wrist = wrist, .length = lmb_vec3_distance(wrist, end)};
    v.axes[1] = lmb_vec3_normalize_or(lmb_vec3_sub(end, wrist), arm);
    v.axes[0] = lmb_quat_rotate(lmb_quat_between(out, v.axes[1]), forward);
    v.axes[2] = lmb_vec3_scale(lmb_vec3_cross(v.axes[0], v.axes[1]), right ? -1.0f : 1.0f);
    return v;
}

bool lmbi_view_of_hand(const lmbi_hand *hand, bool right, lmbi_hand_view *out)
{
    lmb_vec3 knuckles = {0, 0, 0};
    for (int f = LMBI_INDEX; f <= LMBI_LITTLE; ++f) {
        knuckles = lmb_vec3_mad(knuckles, hand->at[lmbi_finger_joint(f, 0)], 0.25f);
    }
    const lmb_vec3 palm = lmb_vec3_sub(knuckles, hand->at[LMBI_WRIST]),
                   row = lmb_vec3_sub(hand->at[lmbi_finger_joint(LMBI_INDEX, 0)],
                                      hand->at[lmbi_finger_joint(LMBI_LITTLE, 0)]);
    const float length = lmb_vec3_length(palm);
    if (!(length > 0)) {
        return false;
    }
    const lmb_vec3 along = lmb_vec3_scale(palm, 1 / length),
                   across = lmb_vec3_mad(row, along, -lmb_vec3_dot(row, along));
    const float wide = lmb_vec3_length(across);
    if (!(wide > 0)) {
        return false;
    }
    *out = (lmbi_hand_view){.wrist = hand->at[LMBI_WRIST], .length = length / KNUCKLES};
    out->axes[0] = lmb_vec3_scale(across, 1 / wide);
    out->axes[1] = along;
    out->axes[2] = lmb_vec3_scale(lmb_vec3_cross(out->axes[0], along), right ? -1.0f : 1.0f);
    return true;
}

lmb_result lmbi_hand_volume(const lmbi_triangle_soup *soup, const lmbi_hand_view *view,
                            const lmb_allocator *alloc, lmbi_volume *out, lmb_error *error)
{
    const lmb_vec3 middle = lmbi_along_axes(
        lmb_vec3_mad(view->wrist, view->axes[1], MIDDLE * view->length), view->axes);
    const float half = 0.5f * SIDE * view->length;
    const lmb_vec3 corner = lmb_vec3_make(half, half, half);
    const lmb_box box = {lmb_vec3_sub(middle, corner), lmb_vec3_add(middle, corner)};
    return lmbi_volume_of(soup, view->axes, box, alloc, out, error);
}

/// What is seen and told in one look.
typedef struct look {
    lmbi_volume seen;
    lmbi_told told;
} look;

static void see(lmbi_volume_network *network, const lmbi_hand_view *view, look *l, lmbi_hand *out)
{
    const float cell = l->seen.cell * LMBI_VOLUME_SIDE / LMBI_TOLD_SIDE;
    memset(&l->told, 0, sizeof l->told);
    lmbi_volume_network_add(network, &l->seen, NULL, &l->told);
    out->sure = 0;
    for (int j = 0; j < LMBI_HAND_JOINTS; ++j) {
        lmb_vec3 p;
        out->sure += lmbi_told_joint(l->told.odds[j], &p) / LMBI_HAND_JOINTS;
        out->at[j] = lmbi_from_axes(lmb_vec3_mad(l->seen.low, p, cell), view->axes);
    }
}

lmb_result lmbi_see_hand(lmbi_volume_network *network, const lmbi_triangle_soup *soup,
                         const lmbi_hand_view *from, int looks, const lmb_allocator *alloc,
                         lmbi_hand *out, lmb_error *error)
{
    const bool right =
        lmb_vec3_dot(lmb_vec3_cross(from->axes[0], from->axes[1]), from->axes[2]) < 0;
    lmbi_hand_view view = *from;
    look *l = lmbi_alloc_array(alloc, 1, sizeof *l);
    lmb_result result = l ? LMB_OK : lmbi_fail_memory(error);
    bool more = true;
    *out = (lmbi_hand){.sure = 0};
    for (int k = 0; k < looks && more && result == LMB_OK; ++k) {
        result = lmbi_hand_volume(soup, &view, alloc, &l->seen, error);
        if (result == LMB_OK) {
            see(network, &view, l, out);
        }
        more = result == LMB_OK && out->sure > LMBI_HAND_HOPELESS &&
               lmbi_view_of_hand(out, right, &view);
    }
    // A frame without an extent shows nothing.
    result = result == LMB_ERROR_INVALID ? LMB_OK : result;
    lmbi_free(alloc, l);
    return result;
}

float lmbi_hand_chance(float sure)
{
    return lmbi_logistic(AT_NONE + PER_SURE * sure);
}

float lmbi_hand_side_chance(const lmbi_lone_hand *hand)
{
    return lmbi_logistic(PER_SURER * (hand->hand.sure - hand->other));
}
