#include "embed/hand/fingers.h"

#include <math.h>
#include <string.h>

/// Voxels to the length of a hand: coarse ones to see how it lies, finer ones where fingers do not
/// part in those, and to place joints in.
static const float COARSE = 60, FINE = 96;
/// The most solid voxels that a fine look is given, each about a microsecond: a fat arm beside a
/// trunk has many and shows no more in them. Hands with fingers have 80 000 to 100 000.
static const float MOST_SOLID = 1.5e5f;

static lmb_vec3 mean_of(const lmbi_hand *hand, int joint)
{
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        sum = lmb_vec3_mad(sum, hand->joint[t][joint], 0.25f);
    }
    return sum;
}

/// The palm that the knuckles lie in: from the wrist to them, and somewhat as the fingers point,
/// should the wrist be off.
static lmbi_palm palm_of(const lmbi_palm *before, const lmbi_hand *hand)
{
    const lmb_vec3 knuckles = mean_of(hand, 0), middles = mean_of(hand, 1);
    const lmb_vec3 *middle = hand->joint[LMBI_MIDDLE];
    const float finger = lmb_vec3_distance(middle[0], middle[1]) +
                         lmb_vec3_distance(middle[1], middle[2]) +
                         lmb_vec3_distance(middle[2], hand->tip[LMBI_MIDDLE]);
    const lmb_vec3 palm = lmb_vec3_scale(lmb_vec3_sub(knuckles, hand->wrist), 1 / finger);
    const lmb_vec3 out = lmb_vec3_normalize_or(lmb_vec3_sub(middles, knuckles), before->along);
    lmbi_palm p;
    p.along = lmb_vec3_normalize_or(lmb_vec3_mad(palm, out, 0.3f), before->along);
    p.wrist = lmb_vec3_mad(knuckles, p.along, -finger);
    p.length = 2 * finger;
    const lmb_vec3 wide = lmb_vec3_sub(hand->joint[LMBI_INDEX][0], hand->joint[LMBI_LITTLE][0]);
    p.across = lmb_vec3_normalize_or(lmb_vec3_mad(wide, p.along, -lmb_vec3_dot(wide, p.along)),
                                     lmb_vec3_any_perpendicular(p.along));
    return p;
}

/// What the look shows; `hand` stays where it shows none. Of how many voxels the solid was.
static lmb_result look_once(const lmbi_triangle_soup *soup, const lmbi_palm *palm, float cells,
                            const lmb_allocator *alloc, lmbi_hand *hand, uint32_t *out_solid,
                            lmb_error *error)
{
    lmbi_hand_voxels look;
    lmb_result result = lmbi_hand_voxels_create(soup, palm, cells, alloc, &look, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_hand seen = {.found = false};
    *out_solid = look.empty ? 0 : look.body.solid_count;
    if (!look.empty) {
        result = lmbi_hand_place_joints(&look, &seen, error);
    }
    if (result == LMB_OK && seen.found) {
        *hand = seen;
    }
    lmbi_hand_voxels_destroy(&look);
    return result;
}

/// As fine as it may be, after a coarse look at a solid of so many voxels.
static float fine_cells(uint32_t coarse_solid)
{
    const float step = 0.95f;
    float cells = FINE, finer = FINE / COARSE;
    while (cells > COARSE && (float)coarse_solid * finer * finer * finer > MOST_SOLID) {
        cells *= step;
        finer *= step;
    }
    return cells;
}

lmb_result lmbi_hand_find(const lmbi_triangle_soup *soup, const lmbi_palm *palm,
                          const lmb_allocator *alloc, lmbi_hand *out, lmb_error *error)
{
    uint32_t solid = 0;
    memset(out, 0, sizeof *out);
    lmb_result result = look_once(soup, palm, COARSE, alloc, out, &solid, error);
    const float fine = fine_cells(solid);
    if (result == LMB_OK && !(out->found && out->separate) && fine > COARSE) {
        result = look_once(soup, palm, fine, alloc, out, &solid, error);
    }
    if (result == LMB_OK && out->found) {
        const lmbi_palm seen = palm_of(palm, out);
        result = look_once(soup, &seen, fine, alloc, out, &solid, error);
    }
    return result;
}

lmb_result lmbi_find_fingers(const lmbi_figure *figure, const lmbi_human_joints *placed, int side,
                             lmbi_hand *out, lmb_error *error)
{
    memset(out, 0, sizeof *out);
    const lmb_vec3 wrist = placed->at[LMB_LEFT_HAND + side * LMBI_ARM_JOINTS],
                   tip = placed->hand_tip[side];
    lmbi_palm palm = {.wrist = wrist, .length = lmb_vec3_distance(wrist, tip)};
    if (palm.length < 0.03f) {
        return LMB_OK;
    }
    palm.along = lmb_vec3_scale(lmb_vec3_sub(tip, wrist), 1 / palm.length);
    palm.across = lmb_vec3_any_perpendicular(palm.along);
    return lmbi_hand_find(&figure->soup, &palm, figure->alloc, out, error);
}
