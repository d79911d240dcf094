#include "embed/hand/fingers.h"
#include "embed/body_joint.h"

#include <math.h>
#include <string.h>

/// Voxels along the length of a hand: coarse ones to find its orientation; fine ones to place
/// joints, and if the coarse ones do not separate the fingers.
static const float COARSE = 60, FINE = 96;
/// The most solid voxels of a fine voxelisation, each about a microsecond. A thick arm beside a
/// trunk has more without more detail; hands with fingers have 80 000 to 100 000.
static const float MOST_SOLID = 1.5e5f;

static lmb_vec3 mean_knuckle(const lmbi_hand *hand, int joint)
{
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        sum = lmb_vec3_mad(sum, hand->joint[t][joint], 0.25f);
    }
    return sum;
}

/// A better palm through the knuckles: from the wrist to them, with some of the fingers' direction
/// in case the wrist is misplaced.
static lmbi_palm improve_palm(const lmbi_palm *before, const lmbi_hand *hand)
{
    const lmb_vec3 knuckles = mean_knuckle(hand, 0), middles = mean_knuckle(hand, 1);
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

/// Places joints in one voxelisation. `hand` is kept if that finds none. The number of solid voxels
/// goes to *out_solid.
static lmb_result place_in_voxels(const lmbi_triangle_soup *soup, const lmbi_palm *palm,
                                  float cells, const lmb_allocator *alloc, lmbi_hand *hand,
                                  uint32_t *out_solid, lmb_error *error)
{
    lmbi_hand_voxels voxels;
    lmb_result result = lmbi_hand_voxels_create(soup, palm, cells, alloc, &voxels, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_hand seen = {.found = false};
    *out_solid = voxels.empty ? 0 : voxels.body.solid_count;
    if (!voxels.empty) {
        result = lmbi_hand_place_joints(&voxels, &seen, error);
    }
    if (result == LMB_OK && seen.found) {
        *hand = seen;
    }
    lmbi_hand_voxels_destroy(&voxels);
    return result;
}

/// The finest resolution that stays below MOST_SOLID, given the voxels of the coarse one.
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
    lmb_result result = place_in_voxels(soup, palm, COARSE, alloc, out, &solid, error);
    const float fine = fine_cells(solid);
    if (result == LMB_OK && !(out->found && out->separate) && fine > COARSE) {
        result = place_in_voxels(soup, palm, fine, alloc, out, &solid, error);
    }
    if (result == LMB_OK && out->found) {
        const lmbi_palm seen = improve_palm(palm, out);
        result = place_in_voxels(soup, &seen, fine, alloc, out, &solid, error);
    }
    return result;
}

lmb_result lmbi_find_fingers(const lmbi_figure *figure, const lmbi_human_joints *placed, int side,
                             lmbi_hand *out, lmb_error *error)
{
    memset(out, 0, sizeof *out);
    const lmb_vec3 wrist = placed->at[LMBI_LEFT_HAND + side * LMBI_ARM_JOINTS],
                   tip = placed->hand_tip[side];
    lmbi_palm palm = {.wrist = wrist, .length = lmb_vec3_distance(wrist, tip)};
    if (palm.length < 0.03f) {
        return LMB_OK;
    }
    palm.along = lmb_vec3_scale(lmb_vec3_sub(tip, wrist), 1 / palm.length);
    palm.across = lmb_vec3_any_perpendicular(palm.along);
    return lmbi_hand_find(&figure->soup, &palm, figure->alloc, out, error);
}
