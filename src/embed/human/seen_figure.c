/// The figure whose joints a network sees in the whole body, along the axes in which it is likeliest.
#include "embed/human/human.h"
#include "math/math.h"

#include <math.h>

/// A line of how sure the network is of the joints that it is least sure of: the logarithm of the odds that all limb joints
/// are right but for their sides.
typedef struct chance_line {
    float at_none, per_sure;
} chance_line;

/// Lines that tools/fit-volume.py fits on families that the network was fitted without: for what is seen straight, and from
/// beside too. The facing's odds rise by how much surer it is than from behind, beside how files usually face.
static const chance_line STRAIGHT = {-7.37f, 13.78f}, BESIDE = {-6.80f, 13.98f};
static const float PER_SURER = 17.1f;

/// Chances up to which a figure is given up, at which it needs no other axes of the file, from which on looks from beside
/// find no more right ones on the same families, and from which on it surely stands along the axes: turned by 34 degrees
/// from them it has less (embed_bench --copies).
static const float UNLIKELY = 0.02f, LIKELY = 0.5f, CLEAR = 0.93f, ALONG = 0.97f;

static float chance_of(chance_line line, float least, float prior)
{
    return lmbi_logistic(line.at_none + line.per_sure * least + prior);
}

static bool is_given(lmb_vec3 axis)
{
    return lmb_vec3_dot(axis, axis) > 0;
}

static lmbi_seen_joints with_sides_exchanged(const lmbi_seen_joints *seen)
{
    lmbi_seen_joints out = *seen;
    for (int k = 0; k < LMBI_SEEN_JOINTS; ++k) {
        const int other = lmbi_other_seen_joint(k);
        out.at[k] = seen->at[other];
        out.chance[k] = seen->chance[other];
    }
    return out;
}

/// Looks from the front and from behind, and what is known before them: which way is forward, and the logarithm of how often
/// bodies stand so.
typedef struct both_looks {
    bool told;
    float prior;
    lmbi_sight *sight[2];
    lmbi_seen_joints seen[2];
} both_looks;

/// The likelier side or, where forward is told, the surer limbs with sides as told. What is neither clear nor unlikely is
/// looked at from beside too.
static lmb_result choose_side(both_looks *b, lmbi_voxel_cache *body, const lmb_vec3 axes[3],
                              const lmb_vec3 reverse[3], lmbi_seen_figure *out, lmb_error *error)
{
    const bool told = b->told;
    const float usual =
        lmbi_facing_prior(axes[1], axes[2]) - lmbi_facing_prior(axes[1], reverse[2]);
    const float surer = b->seen[0].sure - b->seen[1].sure;
    const float facing = told ? 1 : lmbi_logistic(usual + PER_SURER * surer);
    const bool turns = facing < 0.5f, from_behind = told ? surer < 0 : turns;
    lmbi_seen_joints *seen = &b->seen[from_behind];
    const float least = fmaxf(b->seen[0].least, b->seen[1].least),
                alone = chance_of(STRAIGHT, least, 0); // however it stands
    float chance = chance_of(STRAIGHT, least, b->prior);
    lmb_result result = LMB_OK;
    if (alone > UNLIKELY && alone <= CLEAR) {
        result = lmbi_sight_look_beside(b->sight[from_behind], seen, error);
        chance = chance_of(BESIDE, seen->least, b->prior);
    }
    *out = (lmbi_seen_figure){
        .axes = {turns ? reverse[0] : axes[0], axes[1], turns ? reverse[2] : axes[2]},
        .seen = told && from_behind ? with_sides_exchanged(seen) : *seen,
        .body = body,
        .chance = chance,
        .facing = turns ? 1 - facing : facing};
    return result;
}

/// Sees the mesh along axes and from behind.
static lmb_result see_along(lmbi_volume_network *network, lmbi_voxel_cache *body,
                            const lmb_vec3 axes[3], const lmb_embed_opts *opts,
                            lmbi_seen_figure *out, lmb_error *error)
{
    const lmb_vec3 reverse[3] = {lmb_vec3_neg(axes[0]), axes[1], lmb_vec3_neg(axes[2])};
    both_looks b = {is_given(opts->forward), lmbi_up_prior(opts, axes[1]), .sight = {NULL, NULL}};
    lmb_result result = lmbi_sight_create(network, body, axes, &b.sight[0], &b.seen[0], error);
    if (result == LMB_OK) {
        result = lmbi_sight_create(network, body, reverse, &b.sight[1], &b.seen[1], error);
    }
    if (result == LMB_OK) {
        result = choose_side(&b, body, axes, reverse, out, error);
    }
    lmbi_sight_destroy(b.sight[0]);
    lmbi_sight_destroy(b.sight[1]);
    return result;
}

/// Notes that a body is looked at along axes; false if it was already, or from behind.
static bool begin_look(lmbi_human_looks *looks, const lmbi_voxel_cache *body,
                       const lmb_vec3 axes[3])
{
    const float same = 0.999f;
    for (uint32_t k = 0; k < looks->count; ++k) {
        if (looks->list[k].body == body && lmb_vec3_dot(looks->list[k].up, axes[1]) > same &&
            fabsf(lmb_vec3_dot(looks->list[k].forward, axes[2])) > same) {
            return false;
        }
    }
    if (looks->count == LMBI_MOST_LOOKS) {
        return false;
    }
    looks->list[looks->count].body = body;
    looks->list[looks->count].up = axes[1];
    looks->list[looks->count++].forward = axes[2];
    return true;
}

/// Sees along the axes unless what was seen so far is as likely as `enough`, and keeps the likelier.
static lmb_result see_better(lmbi_human_looks *looks, lmbi_voxel_cache *body,
                             const lmb_vec3 axes[3], const lmb_embed_opts *opts, float enough,
                             lmbi_seen_figure *best, lmb_error *error)
{
    lmbi_seen_figure seen = {.chance = -1};
    const lmb_result result = best->chance > enough || !begin_look(looks, body, axes)
                                  ? LMB_OK
                                  : see_along(looks->network, body, axes, opts, &seen, error);
    if (result == LMB_OK && seen.chance > best->chance) {
        *best = seen;
    }
    return result;
}

lmbi_mirror lmbi_plane_of_figure(const lmbi_seen_figure *seen)
{
    lmb_vec3 middle = {0, 0, 0};
    for (int k = 0; k < 4; ++k) { // shoulders and hips
        middle = lmb_vec3_mad(middle, seen->seen.at[3 * k], 0.25f);
    }
    return (lmbi_mirror){.normal = seen->axes[0], .offset = lmb_vec3_dot(middle, seen->axes[0])};
}

bool lmbi_seen_clearly(const lmbi_seen_figure *seen)
{
    return seen->chance > ALONG;
}

lmb_result lmbi_see_standing(lmbi_human_looks *looks, lmbi_voxel_cache *body,
                             const lmb_embed_opts *opts, lmbi_seen_figure *best, lmb_error *error)
{
    lmb_vec3 axes[LMBI_MOST_AXES][3];
    const uint32_t count = lmbi_standing_axes(opts, axes);
    lmb_result result = LMB_OK;
    for (uint32_t k = 0; k < count && result == LMB_OK; ++k) {
        // What stands as files usually do is looked at in any case: a floor or a prop moves joints.
        result = see_better(looks, body, axes[k], opts, k == 0 ? 1 : LIKELY, best, error);
    }
    return result;
}

lmb_result lmbi_see_along_mirrors(lmbi_human_looks *looks, lmbi_voxel_cache *body,
                                  const lmb_embed_opts *opts, lmbi_seen_figure *best,
                                  lmb_error *error)
{
    lmb_vec3 axes[LMBI_MOST_AXES][3];
    lmb_embed_opts told = *opts;
    const lmbi_body_shape *coarse;
    lmb_result result = lmbi_voxel_cache_get(body, LMBI_VOXELS_COARSE, &coarse, error);
    if (best->chance > LIKELY) {
        told.up = best->axes[1];
    }
    const uint32_t count = result == LMB_OK ? lmbi_mirror_axes(&coarse->body, &told, axes) : 0;
    for (uint32_t k = 0; k < count && result == LMB_OK; ++k) {
        result = see_better(looks, body, axes[k], opts, ALONG, best, error);
    }
    return result;
}
