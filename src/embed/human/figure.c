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
static lmbi_frame frame_of(const lmbi_voxel_cache *cache, const lmbi_reading *r, lmb_vec3 *extent)
{
    const lmbi_voxel_body *body = &cache->variant[LMBI_VOXELS_COARSE].body;
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

static uint32_t find_tip(lmbi_figure *f, const lmbi_voxel_cache *cache, int32_t tip)
{
    const lmb_vec3 at = cache->variant[LMBI_VOXELS_COARSE].tips[tip].position;
    return tip_at(f, lmbi_frame_to(&f->frame, lmbi_frame_from(&cache->frame, at)));
}

static void set_tips(lmbi_figure *f, const lmbi_voxel_cache *cache, const lmbi_reading *r)
{
    const int32_t head = r->tips[LMBI_CHAIN_HEAD][0];
    f->pose.head = head == LMB_NONE ? -1 : (int32_t)find_tip(f, cache, head);
    for (int side = 0; side < 2; ++side) {
        f->pose.foot[side] = find_tip(f, cache, r->tips[LMBI_CHAIN_LEGS][side]);
        f->pose.hand[side] = find_tip(f, cache, r->tips[LMBI_CHAIN_FORE][side]);
    }
}

/// Takes the voxels of the mesh in the frame of the figure.
static lmb_result take_voxels(lmbi_voxel_cache *cache, lmb_vec3 extent, lmbi_figure *f,
                              lmb_error *error)
{
    const float cell = 1.0f / 128;
    const lmbi_voxelisation *x = NULL;
    lmbi_voxel_cache *upright;
    lmb_result result = lmbi_voxel_cache_upright(cache, &f->frame, extent, cell, &upright, error);
    result =
        result == LMB_OK ? lmbi_voxel_cache_get(upright, LMBI_VOXELS_COARSE, &x, error) : result;
    if (result != LMB_OK) {
        return result;
    }
    f->voxels = &upright->variant[LMBI_VOXELS_COARSE];
    f->soup = upright->soup;
    f->body = x->body;
    f->tip_count = x->tip_count;
    for (uint32_t t = 0; t < f->tip_count; ++t) {
        f->tips[t] = x->tips[t];
    }
    return LMB_OK;
}

lmb_result lmbi_figure_from_reading(lmbi_voxel_cache *cache, const lmbi_reading *reading,
                                    const lmbi_landmarks *landmarks, lmbi_figure *out,
                                    lmb_error *error)
{
    for (int side = 0; side < 2; ++side) {
        if (reading->tips[LMBI_CHAIN_LEGS][side] == LMB_NONE ||
            reading->tips[LMBI_CHAIN_FORE][side] == LMB_NONE) {
            return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a figure with arms and legs",
                             "a body without those");
        }
    }
    lmb_vec3 extent;
    lmbi_figure f = {.frame = frame_of(cache, reading, &extent), .alloc = cache->alloc};
    const lmb_result result = take_voxels(cache, extent, &f, error);
    if (result != LMB_OK) {
        return result;
    }
    f.landmarks = landmarks ? lmbi_landmarks_in_frame(landmarks, &f.frame) : (lmbi_landmarks){0};
    set_tips(&f, cache, reading);
    const lmb_vec3 a = f.tips[f.pose.hand[0]].position, b = f.tips[f.pose.hand[1]].position;
    f.pose.asymmetric = lmb_vec3_distance(lmbi_mirrored(a), b) > UNEVEN || fmaxf(a.y, b.y) > RAISED;
    *out = f;
    return LMB_OK;
}
