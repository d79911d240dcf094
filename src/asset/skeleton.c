#include <math.h>
#include <string.h>

#include "asset/asset.h"
#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/asset.h"

static bool transform_is_finite(lmb_transform t)
{
    return lmb_vec3_is_finite(t.translation) && lmb_vec3_is_finite(t.scale) &&
           isfinite(t.rotation.x) && isfinite(t.rotation.y) && isfinite(t.rotation.z) &&
           isfinite(t.rotation.w);
}

static bool is_valid_range(float low, float high)
{
    return isfinite(low) && isfinite(high) && low <= high;
}

static bool is_valid_limit(const lmb_joint_limit *limit)
{
    const lmb_vec3 low = limit->box.low, high = limit->box.high;
    if (limit->has_box && !(is_valid_range(low.x, high.x) && is_valid_range(low.y, high.y) &&
                            is_valid_range(low.z, high.z))) {
        return false;
    }
    if (limit->kind == LMB_JOINT_FREE || limit->kind == LMB_JOINT_FIXED) {
        return true;
    }
    if (!(fabsf(lmb_vec3_length(limit->axis) - 1) < 1e-3f) ||
        !is_valid_range(limit->twist_min_rad, limit->twist_max_rad)) {
        return false;
    }
    if (limit->kind == LMB_JOINT_HINGE || !(lmb_vec3_dot(limit->side, limit->side) > 0)) {
        return limit->kind == LMB_JOINT_HINGE || is_valid_range(0, limit->swing_rad);
    }
    return fabsf(lmb_vec3_length(limit->side) - 1) < 1e-3f &&
           fabsf(lmb_vec3_dot(limit->side, limit->axis)) < 1e-3f &&
           is_valid_range(0, limit->swing_side_rad[0]) &&
           is_valid_range(0, limit->swing_side_rad[1]) &&
           is_valid_range(0, limit->swing_across_rad[0]) &&
           is_valid_range(0, limit->swing_across_rad[1]);
}

static lmb_result check_skeleton(const lmb_skeleton *def, lmb_error *error)
{
    for (uint32_t j = 0; j < def->joint_count; ++j) {
        if (def->parents[j] < LMB_NONE || def->parents[j] >= (int32_t)j) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "parents before children",
                             "joint %u has the parent %d", j, def->parents[j]);
        }
        if (def->names[j] == NULL) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a name for every joint",
                             "joint %u has none", j);
        }
        const lmb_transform t = def->rest[j];
        if (!transform_is_finite(t)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite rest transforms",
                             "joint %u at %g, %g, %g, rotation %g, %g, %g, %g, scale %g, %g, %g", j,
                             (double)t.translation.x, (double)t.translation.y,
                             (double)t.translation.z, (double)t.rotation.x, (double)t.rotation.y,
                             (double)t.rotation.z, (double)t.rotation.w, (double)t.scale.x,
                             (double)t.scale.y, (double)t.scale.z);
        }
        if (def->limits && !is_valid_limit(&def->limits[j])) {
            const lmb_joint_limit *limit = &def->limits[j];
            return lmbi_fail(error, LMB_ERROR_INVALID, "a limit of unit axes and rising ranges",
                             "joint %u of kind %d, axis of length %g, twist %g to %g, swing %g rad",
                             j, (int)limit->kind, (double)lmb_vec3_length(limit->axis),
                             (double)limit->twist_min_rad, (double)limit->twist_max_rad,
                             (double)limit->swing_rad);
        }
    }
    return LMB_OK;
}

static const char **copy_strings(lmbi_block *block, const char *const *strings, uint32_t count)
{
    const char **copies = lmbi_block_array(block, strings, count, sizeof *copies);
    for (uint32_t i = 0; strings && i < count; ++i) {
        const char *copy = lmbi_block_string(block, strings[i]);
        if (copies) {
            copies[i] = copy;
        }
    }
    return copies;
}

static void *copy_skeleton(lmbi_block *block, const void *definition)
{
    const lmb_skeleton *def = definition;
    const uint32_t n = def->joint_count;
    lmb_skeleton copy = *def;
    lmb_skeleton *skeleton = lmbi_block_array(block, def, 1, sizeof *def);
    copy.name = lmbi_block_string(block, def->name);
    copy.parents = lmbi_block_array(block, def->parents, n, sizeof(int32_t));
    copy.rest = lmbi_block_array(block, def->rest, n, sizeof(lmb_transform));
    copy.names = copy_strings(block, def->names, n);
    copy.limits = lmbi_block_array(block, def->limits, n, sizeof(lmb_joint_limit));
    copy.tips = lmbi_block_array(block, def->tips, n, sizeof(lmb_vec3));
    copy.source_index = lmbi_block_array(block, def->source_index, n, sizeof(uint32_t));
    copy.carried = copy_strings(block, def->carried, n);
    if (skeleton) {
        *skeleton = copy;
    }
    return skeleton;
}

lmb_result lmb_skeleton_create(const lmb_skeleton *def, const lmb_allocator *alloc,
                               lmb_skeleton **out, lmb_error *error)
{
    const lmb_result result = check_skeleton(def, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_skeleton *skeleton = lmbi_block_build(copy_skeleton, def, alloc);
    if (skeleton == NULL) {
        return lmbi_fail_memory(error);
    }
    skeleton->allocator = alloc ? *alloc : (lmb_allocator){0};
    *out = skeleton;
    return LMB_OK;
}

void lmb_skeleton_destroy(lmb_skeleton *skeleton)
{
    if (skeleton) {
        lmbi_free_own(&skeleton->allocator, skeleton);
    }
}

int32_t lmb_skeleton_find(const lmb_skeleton *skeleton, const char *name)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (strcmp(skeleton->names[j], name) == 0) {
            return (int32_t)j;
        }
    }
    return LMB_NONE;
}

/// Depth of every joint. Walks up to a joint of known depth, then assigns depths on the way back. A
/// walk of more than `count` steps means a cycle.
static bool find_depths(const int32_t *parents, uint32_t count, uint32_t *depth, uint32_t *path)
{
    memset(depth, 0, count * sizeof *depth); // 0: not known yet; known depths count from 1
    for (uint32_t j = 0; j < count; ++j) {
        uint32_t length = 0;
        int32_t at = (int32_t)j;
        while (at != LMB_NONE && depth[at] == 0) {
            if (length == count || parents[at] < LMB_NONE || parents[at] >= (int32_t)count) {
                path[count] = (uint32_t)at;
                return false;
            }
            path[length++] = (uint32_t)at;
            at = parents[at];
        }
        uint32_t d = at == LMB_NONE ? 0 : depth[at];
        while (length > 0) {
            depth[path[--length]] = ++d;
        }
    }
    return true;
}

/// Stable: joints that are already in order keep it exactly.
static void emit_order(const int32_t *parents, uint32_t count, const uint32_t *depth,
                       uint32_t *order_out, uint32_t *bucket)
{
    bool in_order = true;
    for (uint32_t j = 0; j < count; ++j) {
        in_order = in_order && parents[j] < (int32_t)j;
        order_out[j] = j;
    }
    if (in_order) {
        return;
    }
    // Counting sort by depth.
    memset(bucket, 0, ((size_t)count + 2) * sizeof *bucket);
    for (uint32_t j = 0; j < count; ++j) {
        ++bucket[depth[j] + 1];
    }
    for (uint32_t d = 1; d <= count + 1; ++d) {
        bucket[d] += bucket[d - 1];
    }
    for (uint32_t j = 0; j < count; ++j) {
        order_out[bucket[depth[j]]++] = j;
    }
}

uint32_t lmbi_joint_depth(const int32_t *parents, uint32_t joint)
{
    uint32_t depth = 0;
    for (int32_t j = parents[joint]; j != LMB_NONE; j = parents[j]) {
        ++depth;
    }
    return depth;
}

lmb_result lmbi_joints_sort(const int32_t *parents, uint32_t count, uint32_t *order_out,
                            const lmb_allocator *alloc, lmb_error *error)
{
    uint32_t *depth = lmbi_alloc_array(alloc, count, sizeof *depth);
    uint32_t *scratch = lmbi_alloc_array(alloc, (size_t)count + 2, sizeof *scratch);
    lmb_result result = LMB_OK;
    if (depth == NULL || scratch == NULL) {
        result = lmbi_fail_memory(error);
    } else if (!find_depths(parents, count, depth, scratch)) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "a tree of joints",
                           "joint %u with the parent %d of %u, in a cycle or out of range",
                           scratch[count], parents[scratch[count]], count);
    } else {
        emit_order(parents, count, depth, order_out, scratch);
    }
    lmbi_free(alloc, depth);
    lmbi_free(alloc, scratch);
    return result;
}
