#include "embed/human/figure.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

void lmbi_figure_destroy(lmbi_figure *figure)
{
    if (!figure->borrowed) {
        lmbi_body_destroy(&figure->body);
        lmbi_free(figure->alloc, figure->positions);
        lmbi_free(figure->alloc, figure->paths);
    }
    *figure = (lmbi_figure){.alloc = figure->alloc};
}

/// The best pose hypothesis of the tips that agrees with the landmarks.
static bool find_pose(lmbi_figure *f, const lmbi_pose_opts *opts)
{
    const lmbi_landmark_tips known =
        lmbi_landmarks_match_tips(&f->landmarks, &f->body, opts->up, f->tips, &f->tip_count);
    lmbi_pose_opts given = *opts;
    given.known = &known;
    if (!lmbi_pose_hypothesis_find(&f->body, f->tips, f->tip_count, &given, &f->pose)) {
        return false;
    }
    if (lmbi_landmarks_on_all_limbs(&f->landmarks)) {
        f->pose.cost = f->pose.foot_cost = f->pose.hand_cost = f->pose.head_cost = 0;
    }
    return true;
}

/// A pose that costs more than DOUBTFUL is searched again in other voxelisations; above REFUSED it
/// is no figure.
static const float DOUBTFUL = 0.6f, REFUSED = 0.75f;
/// A pose that costs more may hold something in one hand.
static const float ODD = 0.3f;
/// How much cheaper a later voxelisation's pose must be.
static const float CLEARLY = 0.05f;

/// Finds a figure in one voxelisation, whose body it borrows. `found` is false if there is none, or
/// if the variant is the same as the fine one.
static lmb_result find_figure_in(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                 const lmbi_pose_opts *opts, lmbi_figure *f, bool *found,
                                 lmb_error *error)
{
    const lmbi_voxelisation *voxels;
    const lmb_result result = lmbi_voxel_cache_get(cache, variant, &voxels, error);
    if (result == LMB_OK && voxels) {
        f->body = voxels->body;
        f->tip_count = voxels->tip_count;
        memcpy(f->tips, voxels->tips, voxels->tip_count * sizeof *f->tips);
        *found = find_pose(f, opts);
    }
    return result;
}

/// Touching limbs show as few long tips.
static bool limbs_may_touch(const lmbi_figure *f)
{
    uint32_t limbs = 0;
    for (uint32_t t = 0; t < f->tip_count; ++t) {
        limbs += f->tips[t].length > 0.12f;
    }
    return limbs <= 5;
}

/// Whether both ends of a pair of limbs lie in the part that symmetrisation removed. Then the limbs
/// are in different poses and what was removed is no prop.
static bool both_ends_removed(const lmbi_voxel_body *whole, const lmbi_voxel_body *symmetric,
                              const lmbi_tip *tips, const uint32_t pair[2])
{
    const float near = 0.04f;
    bool cut[2] = {false, false};
    for (uint32_t k = 0; k < whole->solid_count && !(cut[0] && cut[1]); ++k) {
        const uint32_t v = whole->solid[k];
        for (int side = 0; side < 2 && !symmetric->cells[v]; ++side) {
            const lmb_vec3 p = lmbi_grid_center(&whole->grid, v);
            cut[side] = cut[side] || lmb_vec3_distance(p, tips[pair[side]].position) < near;
        }
    }
    return cut[0] && cut[1];
}

/// Whether the symmetric part shows a whole figure, not only what two different poses have in
/// common.
static lmb_result is_symmetric_pose(lmbi_voxel_cache *cache, const lmbi_figure *symmetric,
                                    bool *out, lmb_error *error)
{
    const lmbi_voxelisation *coarse;
    const lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, &coarse, error);
    *out =
        result == LMB_OK &&
        !both_ends_removed(&coarse->body, &symmetric->body, symmetric->tips,
                           symmetric->pose.hand) &&
        !both_ends_removed(&coarse->body, &symmetric->body, symmetric->tips, symmetric->pose.foot);
    return result;
}

/// Searches voxelisations from the coarse one to `last` until a pose is good enough. A later one
/// must be clearly cheaper, since each shows less of the body. `f` comes with frame and landmarks;
/// the rest is set from *best.
static lmb_result search_variants(lmbi_voxel_cache *cache, const lmbi_pose_opts *opts,
                                  lmbi_voxel_variant last, lmbi_figure *f, lmbi_voxel_variant *best,
                                  lmb_error *error)
{
    const lmbi_figure base = *f;
    lmbi_figure coarse = base;
    bool any = false, parts = true;
    for (int variant = LMBI_VOXELS_COARSE; variant <= (int)last; ++variant) {
        const bool symmetric = variant == LMBI_VOXELS_SYMMETRIC;
        if ((any && f->pose.cost < (symmetric ? ODD : DOUBTFUL)) || (!parts && !symmetric)) {
            continue;
        }
        lmbi_figure now = base;
        bool found = false;
        const lmb_result result =
            find_figure_in(cache, (lmbi_voxel_variant)variant, opts, &now, &found, error);
        if (result != LMB_OK) {
            return result;
        }
        coarse = variant == LMBI_VOXELS_COARSE ? now : coarse;
        if (found && symmetric && !cache->upright && any && f->pose.cost < REFUSED) {
            const lmb_result given = is_symmetric_pose(cache, &now, &found, error);
            if (given != LMB_OK) {
                return given;
            }
        }
        if (found && (!any || now.pose.cost < f->pose.cost - CLEARLY)) {
            *f = now;
            *best = (lmbi_voxel_variant)variant;
            any = true;
        }
        parts = variant == LMBI_VOXELS_FINE ? limbs_may_touch(&now) : parts;
    }
    return any ? LMB_OK : lmbi_refuse_figure(&coarse, error);
}

/// Finds the pose in the mesh's own axes.
static lmb_result find_first_pose(lmbi_voxel_cache *cache, const lmbi_figure_opts *opts,
                                  lmbi_pose_hypothesis *out, lmbi_voxel_variant *variant,
                                  lmb_error *error)
{
    lmbi_figure f = {.frame = cache->frame, .alloc = cache->alloc};
    f.landmarks =
        opts->landmarks ? lmbi_landmarks_in_frame(opts->landmarks, &f.frame) : (lmbi_landmarks){0};
    const lmb_result result =
        search_variants(cache, &opts->pose, LMBI_VOXELS_SYMMETRIC, &f, variant, error);
    if (result != LMB_OK) {
        return result;
    }
    *out = f.pose;
    const bool hopeless = f.pose.cost > REFUSED;
    return hopeless && !lmbi_landmarks_on_all_limbs(&f.landmarks) ? lmbi_refuse_figure(&f, error)
                                                                  : LMB_OK;
}

lmbi_frame lmbi_upright_frame(const lmbi_voxel_cache *cache, const lmbi_pose_hypothesis *s,
                              lmbi_voxel_variant variant, lmb_vec3 *extent)
{
    lmbi_frame f = {.axes = {s->left, s->up, s->forward}};
    const float unit = cache->frame.size;
    lmb_box box = lmbi_soup_bounds_along(cache->mesh, f.axes);
    *extent = lmb_vec3_sub(box.high, box.low);
    if (variant == LMBI_VOXELS_SYMMETRIC) {
        const float at = lmb_vec3_dot(cache->frame.origin, s->up);
        box.low.y = at + unit * s->low;
        box.high.y = at + unit * s->high;
    }
    f.size = fmaxf(box.high.y - box.low.y, 1e-3f * unit);
    const float x = lmb_vec3_dot(cache->frame.origin, f.axes[0]) + unit * s->plane_offset,
                y = box.low.y, z = 0.5f * (box.low.z + box.high.z);
    f.origin = lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(f.axes[0], x), f.axes[1], y), f.axes[2], z);
    return f;
}

void lmbi_figure_take_voxels(lmbi_voxel_cache *cache, lmbi_voxel_variant variant, lmbi_figure *f)
{
    f->soup = cache->soup;
    f->positions = cache->positions;
    cache->positions = NULL;
    cache->variant[variant].body = (lmbi_voxel_body){.alloc = cache->alloc};
    lmbi_voxel_cache_destroy(cache);
}

static const lmbi_pose_opts UPRIGHT = {.up = {0, 1, 0}, .forward = {0, 0, 1}, .mirrored = true};

/// Voxelises the mesh in the frame of `f` and finds the figure again.
static lmb_result find_upright_figure(lmbi_voxel_cache *cache, lmb_vec3 extent,
                                      lmbi_voxel_variant voxels, lmbi_figure *f, lmb_error *error)
{
    const float cell = 1.0f / 128;
    lmbi_voxel_cache turned;
    lmb_result result =
        lmbi_voxel_cache_create_upright(cache, &f->frame, extent, cell, &turned, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_voxel_variant best;
    const lmbi_voxel_variant last =
        voxels == LMBI_VOXELS_SYMMETRIC ? LMBI_VOXELS_SYMMETRIC : LMBI_VOXELS_SPLIT_MORE;
    result = search_variants(&turned, &UPRIGHT, last, f, &best, error);
    if (result != LMB_OK) {
        lmbi_voxel_cache_destroy(&turned);
        return result;
    }
    lmbi_figure_take_voxels(&turned, best, f);
    return LMB_OK;
}

lmb_result lmbi_figure_create(lmbi_voxel_cache *cache, const lmbi_figure_opts *opts,
                              lmbi_figure *out, lmb_error *error)
{
    lmbi_pose_hypothesis first;
    lmbi_voxel_variant voxels;
    lmb_result result = find_first_pose(cache, opts, &first, &voxels, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_vec3 extent;
    lmbi_figure f = {.frame = lmbi_upright_frame(cache, &first, voxels, &extent),
                     .alloc = cache->alloc};
    f.landmarks =
        opts->landmarks ? lmbi_landmarks_in_frame(opts->landmarks, &f.frame) : (lmbi_landmarks){0};
    result = find_upright_figure(cache, extent, voxels, &f, error);
    if (result != LMB_OK) {
        return result;
    }
    f.pose.cost = fmaxf(f.pose.cost, first.cost);
    *out = f;
    return LMB_OK;
}
