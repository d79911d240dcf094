/// The figure whose limbs a network sees in the whole body, beside the one that the search finds.
#include "embed/human/human.h"

#include <math.h>
#include <string.h>

/// The logarithm of the odds that all limb joints are right but for their sides, of how sure the
/// network is, and that of the facing, of how much surer it is than from behind, beside how files usually face: lines that
/// tools/fit-volume.py fits on families that the network was fitted without.
static const float AT_NONE = -10.53f, PER_SURE = 15.32f, PER_SURER = 7.7f;

static float chance_of_odds(float logarithm)
{
    return 1 / (1 + lmb_exp(-logarithm));
}

/// Of two that exclude each other one at most is right: P = o / (1 + o + o'), with o = p / (1 - p).
float lmbi_chance_beside(float chance, float other)
{
    const float least = 1e-6f; // both may have rounded to 1
    const float wrong = fmaxf(least, 1 - chance), other_wrong = fmaxf(least, 1 - other);
    const float odds = chance / wrong, other_odds = other / other_wrong;
    return odds / (1 + odds + other_odds);
}

/// Turns what is seen from behind to the front if that is likelier.
static void turn_to_front(lmbi_seen_figure *f)
{
    if (f->facing < 0.5f) {
        const lmbi_seen_limbs front = f->limbs[0];
        f->limbs[0] = f->limbs[1];
        f->limbs[1] = front;
        f->axes[0] = lmb_vec3_neg(f->axes[0]);
        f->axes[2] = lmb_vec3_neg(f->axes[2]);
        f->facing = 1 - f->facing;
    }
}

lmb_result lmbi_see_figure(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3], bool both,
                           const lmb_allocator *alloc, lmbi_seen_figure *out, lmb_error *error)
{
    const lmb_vec3 reverse[3] = {lmb_vec3_neg(axes[0]), axes[1], lmb_vec3_neg(axes[2])};
    lmbi_seen_limbs *front = &out->limbs[0], *back = &out->limbs[1];
    memcpy(out->axes, axes, sizeof out->axes);
    *back = (lmbi_seen_limbs){.sure = -INFINITY};
    lmb_result result = lmbi_see_limbs(soup, axes, alloc, front, error);
    if (result == LMB_OK && both) {
        result = lmbi_see_limbs(soup, reverse, alloc, back, error);
    }
    if (result == LMB_OK) {
        out->chance = chance_of_odds(AT_NONE + PER_SURE * fmaxf(front->sure, back->sure));
        const float usual =
            lmbi_facing_prior(axes[1], axes[2]) - lmbi_facing_prior(axes[1], reverse[2]);
        out->facing = chance_of_odds(usual + PER_SURER * (front->sure - back->sure));
    }
    return result;
}

lmb_result lmbi_see_standing(const lmbi_triangle_soup *soup, const lmb_embed_opts *opts,
                             const lmb_allocator *alloc, lmbi_seen_figure *out, lmb_error *error)
{
    const bool up_told = lmb_vec3_dot(opts->up, opts->up) > 0,
               forward_told = lmb_vec3_dot(opts->forward, opts->forward) > 0;
    const lmb_vec3 ups[2] = {up_told ? opts->up : lmb_vec3_make(0, 1, 0), lmb_vec3_make(0, 0, 1)};
    lmb_result result = LMB_OK;
    *out = (lmbi_seen_figure){.chance = -1};
    for (int k = 0; k < (up_told || opts->y_up ? 1 : 2); ++k) {
        const lmb_vec3 first = forward_told ? opts->forward : lmb_vec3_any_perpendicular(ups[k]);
        for (int quarter = 0; quarter < (forward_told ? 1 : 2) && result == LMB_OK; ++quarter) {
            const lmb_vec3 along = quarter ? lmb_vec3_cross(ups[k], first) : first,
                           left = lmb_vec3_normalize_or(lmb_vec3_cross(ups[k], along), first),
                           axes[3] = {left, ups[k], lmb_vec3_cross(left, ups[k])};
            lmbi_seen_figure seen;
            result = lmbi_see_figure(soup, axes, !forward_told, alloc, &seen, error);
            if (result == LMB_OK && seen.chance > out->chance) {
                *out = seen;
            }
        }
    }
    turn_to_front(out);
    return result;
}

bool lmbi_seen_agrees(const lmbi_seen_limbs *seen, const lmb_vec3 joints[LMBI_BODY_JOINTS],
                      float height)
{
    const float near = 0.12f; // what counts as right
    bool agrees = true;
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k) {
        agrees =
            agrees && lmb_vec3_distance(seen->at[k], joints[lmbi_limb_joints[k]]) < near * height;
    }
    return agrees;
}
