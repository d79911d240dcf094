/// A figure in the pose of a reading.
#include "embed/human/human.h"

#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"

#include <math.h>

/// Hands whose mirror images miss each other by more, or that reach higher, are in a pose of their
/// own: the crown must be looked for.
static const float UNEVEN = 0.08f, RAISED = 0.9f;

/// The mirror plane of the reading, snapped to an axis of the file that it nearly contains.
static lmbi_frame frame_of(const lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                           const lmbi_reading *r, lmb_vec3 *extent)
{
    const lmbi_voxel_body *body = &cache->variant[variant].body;
    const float unit = cache->frame.size;
    lmb_vec3 left = lmbi_snap_to_axis(r->left);
    float offset = r->offset;
    if (lmb_vec3_dot(left, r->left) < 1) {
        lmb_vec3 normal = left;
        lmbi_mirror_refine(body, r->up, &normal, &offset);
    } else {
        left = r->left;
    }
    lmbi_frame f = {.axes = {left, r->up, lmb_vec3_cross(left, r->up)}};
    const lmb_box box = lmbi_soup_bounds_along(cache->mesh, f.axes);
    *extent = lmb_vec3_sub(box.high, box.low);
    f.size = fmaxf(box.high.y - box.low.y, 1e-3f * unit);
    const float x = lmb_vec3_dot(cache->frame.origin, f.axes[0]) + unit * offset, y = box.low.y,
                z = 0.5f * (box.low.z + box.high.z);
    f.origin = lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(f.axes[0], x), f.axes[1], y), f.axes[2], z);
    return f;
}

/// Adds a tip at the voxel nearest to a point.
static uint32_t create_tip(lmbi_figure *f, lmb_vec3 at)
{
    const uint32_t index =
        f->tip_count < LMBI_MAX_TIPS ? f->tip_count++ : (uint32_t)LMBI_MAX_TIPS - 1;
    f->tips[index] = lmbi_tip_at(&f->body, at);
    return index;
}

/// The figure's tip at the end that the reading has at `at`, in the figure's space: the nearest
/// one, or a new one.
static uint32_t tip_at(lmbi_figure *f, lmb_vec3 at)
{
    float least = 0.06f;
    uint32_t best = UINT32_MAX;
    for (uint32_t t = 0; t < f->tip_count; ++t) {
        const float d = lmb_vec3_distance(f->tips[t].position, at);
        if (d < least) {
            least = d;
            best = t;
        }
    }
    return best != UINT32_MAX ? best : create_tip(f, at);
}

static uint32_t find_tip(lmbi_figure *f, const lmbi_voxel_cache *cache, const lmbi_voxelisation *x,
                         int32_t tip)
{
    const lmb_vec3 at =
        lmbi_frame_to(&f->frame, lmbi_frame_from(&cache->frame, x->tips[tip].position));
    return x->tips[tip].line ? create_tip(f, at) : tip_at(f, at);
}

static void set_tips(lmbi_figure *f, const lmbi_voxel_cache *cache, const lmbi_voxelisation *x,
                     const lmbi_reading *r)
{
    const int32_t *legs = r->tips[LMBI_CHAIN_LEGS], *arms = r->tips[LMBI_CHAIN_FORE],
                  head = r->tips[LMBI_CHAIN_HEAD][0];
    f->pose.head = head == LMB_NONE ? -1 : (int32_t)find_tip(f, cache, x, head);
    f->pose.armless = arms[0] == LMB_NONE || arms[1] == LMB_NONE;
    for (int side = 0; side < 2; ++side) {
        f->pose.foot[side] = find_tip(f, cache, x, legs[side]);
        f->pose.hand[side] = f->pose.armless || arms[side] == LMB_NONE
                                 ? f->pose.foot[side]
                                 : find_tip(f, cache, x, arms[side]);
    }
}

/// The line of a reading's tip in the figure's space; false if it has none.
static bool take_line(const lmbi_figure *f, const lmbi_voxel_cache *cache,
                      const lmbi_voxelisation *x, int32_t tip, lmbi_tip_line *out)
{
    const lmbi_tip_line *line = tip == LMB_NONE ? NULL : x->tips[tip].line;
    const float grown = cache->frame.size / f->frame.size;
    for (uint32_t n = 0; line && n < LMBI_TIP_LINE; ++n) {
        out->at[n] = lmbi_frame_to(&f->frame, lmbi_frame_from(&cache->frame, line->at[n]));
        out->radius[n] = grown * line->radius[n];
    }
    if (line) {
        out->step = grown * line->step;
        out->fork = grown * line->fork;
    }
    return line != NULL;
}

void lmbi_figure_trace(const lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                       const lmbi_reading *r, lmbi_figure *f)
{
    const lmbi_voxelisation *x = &cache->variant[variant];
    lmb_vec3 extent;
    f->frame = frame_of(cache, variant, r, &extent);
    f->middle = lmbi_frame_to(&f->frame, lmbi_frame_from(&cache->frame, x->body.centroid));
    f->traced = true;
    for (int side = 0; side < 2; ++side) {
        f->traced = take_line(f, cache, x, r->tips[LMBI_CHAIN_FORE][side], &f->hand_line[side]) &&
                    take_line(f, cache, x, r->tips[LMBI_CHAIN_LEGS][side], &f->foot_line[side]) &&
                    f->traced;
    }
}

/// Takes the voxels of the mesh in the frame of the figure.
static lmb_result take_voxels(lmbi_voxel_cache *cache, lmbi_voxel_variant variant, lmb_vec3 extent,
                              lmbi_figure *f, lmb_error *error)
{
    // Parted voxels are two thirds as large.
    const float cell = variant == LMBI_VOXELS_PARTED ? 1.0f / 96 : 1.0f / 128;
    const lmbi_voxelisation *x = NULL;
    lmbi_voxel_cache *upright;
    variant = variant == LMBI_VOXELS_SURFACE ? LMBI_VOXELS_COARSE : variant;
    lmb_result result = lmbi_voxel_cache_upright(cache, &f->frame, extent, cell, &upright, error);
    result = result == LMB_OK ? lmbi_voxel_cache_get(upright, variant, &x, error) : result;
    if (result == LMB_OK && !x) {
        variant = LMBI_VOXELS_COARSE;
        result = lmbi_voxel_cache_get(upright, variant, &x, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    f->voxels = &upright->variant[variant];
    f->soup = upright->soup;
    f->body = x->body;
    f->tip_count = x->tip_count;
    for (uint32_t t = 0; t < f->tip_count; ++t) {
        f->tips[t] = x->tips[t];
    }
    return LMB_OK;
}

lmb_result lmbi_figure_from_reading(lmbi_voxel_cache *cache, lmbi_voxel_variant variant,
                                    const lmbi_reading *reading, const lmbi_landmarks *landmarks,
                                    lmbi_figure *out, lmb_error *error)
{
    static const char limbs[] = "a figure with arms and legs", none[] = "a body without those";
    const int32_t *legs = reading->tips[LMBI_CHAIN_LEGS];
    if (legs[0] == LMB_NONE || legs[1] == LMB_NONE) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, limbs, none);
    }
    lmb_vec3 extent;
    lmbi_figure f = {.frame = frame_of(cache, variant, reading, &extent), .alloc = cache->alloc};
    const lmb_result result = take_voxels(cache, variant, extent, &f, error);
    if (result != LMB_OK) {
        return result;
    }
    f.landmarks = landmarks ? lmbi_landmarks_in_frame(landmarks, &f.frame) : (lmbi_landmarks){0};
    set_tips(&f, cache, &cache->variant[variant], reading);
    lmbi_figure_trace(cache, variant, reading, &f);
    f.traced = f.traced && !landmarks; // these place joints otherwise
    if (f.pose.armless && !lmbi_hidden_arms(&f)) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, limbs, none);
    }
    const lmb_vec3 a = f.tips[f.pose.hand[0]].position, b = f.tips[f.pose.hand[1]].position;
    f.pose.asymmetric = !f.pose.armless && (lmb_vec3_distance(lmbi_mirrored(a), b) > UNEVEN ||
                                            fmaxf(a.y, b.y) > RAISED);
    *out = f;
    return LMB_OK;
}
