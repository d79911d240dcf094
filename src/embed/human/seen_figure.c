/// The figure whose limbs a network sees in the whole body, beside the one that the search finds.
#include "embed/human/human.h"

#include <math.h>

/// The logarithm of the odds that all limb joints are right but for their sides, of how sure the
/// network is, and that of the facing, of how much surer it is than from behind: lines that
/// tools/fit-volume.py fits on families that the network was fitted without.
static const float AT_NONE = -17.73f, PER_SURE = 23.39f, PER_SURER = 56.5f;

/// How far the joints of an embedding's limbs are from those that are seen, at most, in heights.
static float apart_from(const lmbi_seen_limbs *seen, const lmb_embedding *e)
{
    float most = 0;
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k) {
        const lmb_vec3 at = e->joints[lmbi_limb_joints[k]];
        most = fmaxf(most, lmb_vec3_distance(seen->at[k], at) / e->height);
    }
    return most;
}

static float chance_of_odds(float logarithm)
{
    return 1 / (1 + lmb_exp(-logarithm));
}

lmb_result lmbi_see_figure(const lmbi_triangle_soup *soup, const lmb_embed_opts *opts,
                           const lmb_embedding *figure, const lmb_allocator *alloc,
                           lmbi_seen_figure *out, lmb_error *error)
{
    const lmb_vec3 axes[3] = {figure->left, figure->up, figure->forward},
                   reverse[3] = {lmb_vec3_neg(figure->left), figure->up,
                                 lmb_vec3_neg(figure->forward)};
    lmbi_seen_limbs *front = &out->limbs[0], *back = &out->limbs[1];
    *back = (lmbi_seen_limbs){.sure = -INFINITY};
    lmb_result result = lmbi_see_limbs(soup, axes, alloc, front, error);
    if (result == LMB_OK && !(lmb_vec3_dot(opts->forward, opts->forward) > 0)) {
        result = lmbi_see_limbs(soup, reverse, alloc, back, error);
    }
    if (result == LMB_OK) {
        out->chance = chance_of_odds(AT_NONE + PER_SURE * fmaxf(front->sure, back->sure));
        out->facing = chance_of_odds(PER_SURER * (front->sure - back->sure));
        out->apart = apart_from(front, figure);
    }
    return result;
}

bool lmbi_seen_agrees(const lmbi_seen_figure *seen)
{
    const float near = 0.12f; // what counts as right
    return seen->apart < near;
}
