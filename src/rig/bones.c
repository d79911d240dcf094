/// Bones from a skeleton's joints.
#include <math.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/block.h"
#include "base/error.h"
#include "geometry/surface_sample.h"
#include "geometry/tree.h"
#include "geometry/tree_nodes.h"
#include "rig/bone_ends.h"
#include "rig/heat.h"
#include "rig/rig.h"

/// Length of a leaf's bone without a tip, in distances from the joint to the mean of its nearest
/// surface points.
static const float REACH = 1.5f;
/// A bone to a side child, not the straightest one, ends at this fraction of the distance; halfway if
/// the joint's own bone is known to go elsewhere.
static const float SIDE_FRACTION = 0.75f, OFF_AXIS_FRACTION = 0.5f;
/// Least cosine to the mean of the nearest surface for a leaf's bone to follow the axis of bones.
static const float INWARD = 0.2f;
/// At a fan, as in a palm, a bone to a child is inside the palm if it is shorter than FAN_WAY times
/// the child's longest bone. It then ends at FAN_SHARE of the distance.
static const float FAN_FRACTION = 0.25f, FAN_LENGTH = 0.8f;
enum { FAN = 3 };
/// Cosines of bends that differ by less are equal.
static const float EQUAL_COSINE = 0.02f;
/// Zero length, as a fraction of the skeleton's size.
static const float ZERO_FRACTION = 1e-5f;

/// Cosine of the bend of a child that goes on in its parent's direction.
static const float CONTINUED = 0.8f;

enum { DROPPED = 2 };

typedef struct builder {
    const lmbi_bones_def *def;
    lmbi_arena arena;
    uint32_t joint_count;
    lmb_vec3 *at; ///< joints in model space
    lmb_mat4 *model;
    int32_t *above;    ///< nearest deforming ancestor, or LMB_NONE
    uint32_t *below;   ///< how many deforming joints have this one as `above`
    uint32_t *size_of; ///< deforming joints of the subtree
    uint8_t *has_core; ///< one of the joint's bones begins as a point, to be extended
    uint8_t *is_side;  ///< a sibling is as straight a continuation
    /// 1: one of the joint's bones has a length; DROPPED: the joint has no bones left
    uint8_t *has_length;
    float zero; ///< shorter lengths are zero
    lmbi_bone_axis axis;
    lmbi_bone_segment *bones;
    uint32_t count;
} builder;

static bool deforms(const builder *b, uint32_t joint)
{
    return !b->def->deforms || b->def->deforms[joint];
}

static bool compute_joints(builder *b)
{
    const lmb_skeleton *s = b->def->skeleton;
    uint32_t n = b->joint_count = s->joint_count;
    b->at = lmbi_arena_array(&b->arena, n, sizeof *b->at);
    b->model = lmbi_arena_array(&b->arena, n, sizeof *b->model);
    b->above = lmbi_arena_array(&b->arena, n, sizeof *b->above);
    b->below = lmbi_arena_array(&b->arena, n, sizeof *b->below);
    b->has_length = lmbi_arena_array(&b->arena, n, sizeof *b->has_length);
    b->is_side = lmbi_arena_array(&b->arena, n, sizeof *b->is_side);
    b->has_core = lmbi_arena_array(&b->arena, n, sizeof *b->has_core);
    b->bones = lmbi_arena_array(&b->arena, 3 * (size_t)n, sizeof *b->bones);
    if (!b->at || !b->model || !b->above || !b->below || !b->has_length || !b->is_side ||
        !b->has_core || !b->bones) {
        return false;
    }
    if (!b->def->model_from_joint) {
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = s, .model_from_joint = b->model});
    }
    lmb_box box = lmb_box_empty();
    for (uint32_t j = 0; j < n; ++j) {
        if (b->def->model_from_joint) {
            b->model[j] = b->def->model_from_joint[j];
        }
        b->at[j] = lmb_mat4_translation(b->model[j]);
        box = lmb_box_add(box, b->at[j]);
        int32_t parent = s->parents[j];
        b->above[j] =
            parent == LMB_NONE || deforms(b, (uint32_t)parent) ? parent : b->above[parent];
        if (deforms(b, j) && b->above[j] != LMB_NONE) {
            ++b->below[b->above[j]];
        }
    }
    b->zero = n ? ZERO_FRACTION * lmb_vec3_distance(box.low, box.high) : 0.0f;
    return true;
}

static void add_bone(builder *b, uint32_t joint, lmb_vec3 tail)
{
    if (lmb_vec3_distance(b->at[joint], tail) > b->zero) {
        b->has_length[joint] = 1;
    }
    b->bones[b->count++] = (lmbi_bone_segment){b->at[joint], tail, joint};
}

static lmbi_joints joints_of(const builder *b)
{
    return (lmbi_joints){.skeleton = b->def->skeleton,
                         .deforms = b->def->deforms,
                         .model = b->model,
                         .at = b->at,
                         .above = b->above,
                         .below = b->below,
                         .zero = b->zero};
}

/// Whether a bone is a leaf's or a core's without a length yet.
static bool is_point(const builder *b, const lmbi_bone_segment *bone)
{
    return b->has_core[bone->joint] ? lmb_vec3_distance(bone->head, bone->tail) <= b->zero
                                    : !b->has_length[bone->joint];
}

/// Index of the bone nearest to p. A zero-length leaf wins over its parent's bone, which ends in
/// it.
static uint32_t nearest_bone(const builder *b, lmb_vec3 p)
{
    float best = INFINITY;
    uint32_t which = 0;
    lmb_vec3 at;
    for (uint32_t i = 0; i < b->count; ++i) {
        float d = lmbi_bone_distance(&b->bones[i], p, &at);
        if (d < best || (d <= best * 1.0001f && is_point(b, &b->bones[i]))) {
            best = d < best ? d : best;
            which = i;
        }
    }
    return which;
}

/// Along the axis of bones where that points into the part; `mean` is from the joint to the mean of the
/// part.
static lmb_vec3 extension(const builder *b, uint32_t joint, lmb_vec3 mean)
{
    const lmbi_joints joints = joints_of(b);
    const lmb_vec3 axis = lmbi_joint_axis(&joints, joint, b->axis);
    const float along = lmb_vec3_dot(axis, mean);
    return along > INWARD * lmb_vec3_length(mean) ? lmb_vec3_scale(axis, along) : mean;
}

/// Extends zero-length leaf bones into the part of the surface nearest to them.
static bool extend_leaves(builder *b)
{
    enum { SAMPLES = 8192 };
    lmbi_sample_point *samples = lmbi_arena_array(&b->arena, SAMPLES, sizeof *samples);
    lmb_vec3 *sums = lmbi_arena_array(&b->arena, b->count, sizeof *sums);
    uint32_t *counts = lmbi_arena_array(&b->arena, b->count, sizeof *counts);
    lmb_random random = lmb_random_seed(1);
    if (!samples || !sums || !counts) {
        return false;
    }
    lmb_result result =
        lmbi_surface_sample(b->def->surface, SAMPLES, &random, b->arena.alloc, samples, NULL);
    if (result != LMB_OK) {
        return result != LMB_ERROR_MEMORY; // a surface without area extends none
    }
    for (uint32_t k = 0; k < SAMPLES; ++k) {
        uint32_t i = nearest_bone(b, samples[k].position);
        sums[i] = lmb_vec3_add(sums[i], lmb_vec3_sub(samples[k].position, b->bones[i].head));
        ++counts[i];
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        lmbi_bone_segment *bone = &b->bones[i];
        const bool wanted = b->below[bone->joint] == 0 || b->has_core[bone->joint];
        if (wanted && is_point(b, bone) && counts[i] > 0) {
            const lmb_vec3 mean = lmb_vec3_scale(sums[i], 1 / (float)counts[i]);
            bone->tail = lmb_vec3_mad(bone->head, extension(b, bone->joint, mean), REACH);
            b->has_length[bone->joint] = 1;
        }
    }
    return true;
}

/// Majority of the hit parity along three directions: an open seam rarely misleads two of them.
static bool is_outside(const builder *b, lmb_vec3 p)
{
    static const lmb_vec3 ray_directions[3] = {
        {0.97f, 0.13f, 0.21f}, {-0.19f, 0.96f, 0.2f}, {0.11f, -0.23f, 0.967f}};
    int odd = 0;
    for (int k = 0; k < 3; ++k) {
        lmbi_ray ray = {.origin = p,
                        .direction = ray_directions[k],
                        .t_min = b->zero,
                        .t_max = INFINITY}; // a point on the surface is outside
        odd += (int)(lmbi_tree_hit_count(b->def->tree, &ray, NULL) & 1u);
    }
    return odd < 2;
}

static bool bone_is_outside(const builder *b, lmb_vec3 head, lmb_vec3 tail)
{
    enum { SAMPLES = 8 };
    int out = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        out += is_outside(b, lmb_vec3_lerp(head, tail, ((float)i + 0.5f) / SAMPLES)) ? 1 : 0;
    }
    return 2 * out > SAMPLES;
}

/// Whether most bones are inside the mesh. For open sheets and misplaced meshes none is, and the
/// inside test means nothing.
static bool mostly_inside(const builder *b)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        out += is_outside(b, lmb_vec3_lerp(b->bones[i].head, b->bones[i].tail, 0.5f)) ? 1 : 0;
    }
    return 2 * out < b->count;
}

/// Drops the bones of root joints that have one deforming child and a bone outside the mesh.
static void drop_floating_tops(builder *b)
{
    if (!b->def->tree || !mostly_inside(b)) {
        return;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->count; ++i) { // bones are in joint order, parents first
        const lmbi_bone_segment *bone = &b->bones[i];
        int32_t above = b->above[bone->joint];
        bool top = above == LMB_NONE || b->has_length[above] == DROPPED;
        if (top && b->below[bone->joint] == 1 && b->has_length[bone->joint] == 1 &&
            bone_is_outside(b, bone->head, bone->tail)) {
            b->has_length[bone->joint] = DROPPED;
            continue;
        }
        b->bones[kept++] = *bone;
    }
    b->count = kept > 0 ? kept : b->count;
}

static void drop_zero_bones(builder *b)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        const lmbi_bone_segment *bone = &b->bones[i];
        bool has_length = lmb_vec3_distance(bone->head, bone->tail) > b->zero;
        if (has_length || b->has_core[bone->joint] ||
            (!b->has_length[bone->joint] && b->below[bone->joint] == 0)) {
            b->bones[kept++] = *bone;
        } else if (!b->has_length[bone->joint]) {
            b->has_length[bone->joint] = DROPPED;
        }
    }
    b->count = kept;
}

static void sort_by_joint(builder *b)
{
    for (uint32_t i = 1; i < b->count; ++i) { // stable; nearly sorted already
        lmbi_bone_segment moving = b->bones[i];
        uint32_t at = i;
        for (; at > 0 && b->bones[at - 1].joint > moving.joint; --at) {
            b->bones[at] = b->bones[at - 1];
        }
        b->bones[at] = moving;
    }
}

/// How well a child continues a joint's direction: the cosine of the bend; at the root, the child's
/// fraction of the subtree's joints.
static float straightness(const builder *b, uint32_t joint, uint32_t child)
{
    const int32_t above = b->above[joint];
    if (above == LMB_NONE) {
        return (float)b->size_of[child] / (float)b->size_of[joint];
    }
    const lmb_vec3 zero = {0, 0, 0}, on = lmb_vec3_sub(b->at[child], b->at[joint]),
                   came = lmb_vec3_sub(b->at[joint], b->at[above]);
    return lmb_vec3_dot(lmb_vec3_normalize_or(on, zero), lmb_vec3_normalize_or(came, zero));
}

static bool count_below(builder *b)
{
    b->size_of = lmbi_arena_array(&b->arena, b->joint_count, sizeof *b->size_of);
    for (uint32_t j = b->joint_count; b->size_of && j-- > 0;) {
        b->size_of[j] += deforms(b, j) ? 1 : 0;
        if (deforms(b, j) && b->above[j] != LMB_NONE) {
            b->size_of[b->above[j]] += b->size_of[j];
        }
    }
    return b->size_of != NULL;
}

/// Whether one of the joint's children goes on in the joint's direction.
static bool is_continued(const builder *b, uint32_t joint)
{
    for (uint32_t c = 0; c < b->joint_count; ++c) {
        if (deforms(b, c) && b->above[c] == (int32_t)joint &&
            straightness(b, joint, c) > CONTINUED) {
            return true;
        }
    }
    return false;
}

/// A bone of its own, to be extended into the volume around it, for each joint with several children
/// of which none goes on: the skull of a head with eyes and a jaw.
static void add_cores(builder *b)
{
    for (uint32_t j = 0; b->def->surface && j < b->joint_count; ++j) {
        if (deforms(b, j) && b->below[j] >= 2 && b->above[j] != LMB_NONE && !is_continued(b, j)) {
            b->has_core[j] = 1;
            add_bone(b, j, b->at[j]);
        }
    }
}

/// Whether a sibling is as straight as a child, or straighter.
static bool has_straighter_sibling(const builder *b, uint32_t joint, uint32_t child)
{
    const float mine = straightness(b, joint, child);
    for (uint32_t other = 0; other < b->joint_count; ++other) {
        if (other != child && deforms(b, other) && b->above[other] == (int32_t)joint &&
            straightness(b, joint, other) > mine - EQUAL_COSINE) {
            return true;
        }
    }
    return false;
}

/// Whether a joint has three or more children and none continues straight: metacarpals.
static bool is_fan(const builder *b, uint32_t joint)
{
    bool all = b->below[joint] >= FAN;
    for (uint32_t c = 0; c < b->joint_count; ++c) {
        all = all && (!deforms(b, c) || b->above[c] != (int32_t)joint || b->is_side[c]);
    }
    return all;
}

static float longest_bone(const builder *b, uint32_t joint)
{
    float longest = 0;
    for (uint32_t k = 0; k < b->count; ++k) {
        const float length = lmb_vec3_distance(b->bones[k].head, b->bones[k].tail);
        longest = b->bones[k].joint == joint && length > longest ? length : longest;
    }
    return longest;
}

/// Fraction of the distance to a side child that the joint's bone covers.
static float side_fraction(const builder *b, uint32_t joint, uint32_t child)
{
    const float bone_length = lmb_vec3_distance(b->at[joint], b->at[child]);
    return is_fan(b, joint) && bone_length < FAN_LENGTH * longest_bone(b, child) ? FAN_FRACTION
                                                                                 : SIDE_FRACTION;
}

/// Shortens bones to side children: the end of the chest's bone to a shoulder belongs to the
/// shoulder. Left and right are treated alike.
static bool shorten_sides(builder *b)
{
    if (!count_below(b)) {
        return false;
    }
    for (uint32_t c = 0; c < b->joint_count; ++c) {
        const int32_t joint = deforms(b, c) ? b->above[c] : LMB_NONE;
        b->is_side[c] = joint != LMB_NONE && b->below[joint] > 1 &&
                        has_straighter_sibling(b, (uint32_t)joint, c);
    }
    for (uint32_t c = 0; c < b->joint_count;
         ++c) { // children come later, so longest_bone sees their bones uncut
        for (uint32_t k = 0; b->is_side[c] && k < b->count; ++k) {
            lmbi_bone_segment *bone = &b->bones[k];
            if (b->above[c] == (int32_t)bone->joint &&
                lmb_vec3_distance(bone->tail, b->at[c]) <= 0) {
                bone->tail =
                    lmb_vec3_lerp(bone->head, bone->tail, side_fraction(b, bone->joint, c));
                break;
            }
        }
    }
    return true;
}

/// Whether another child lies where the bone of a child's joint points, and the child does not.
static bool is_off_axis(const builder *b, uint32_t child)
{
    const lmbi_joints joints = joints_of(b);
    const uint32_t joint = (uint32_t)b->above[child];
    if (lmbi_is_along_bone(&joints, joint, child, b->axis)) {
        return false;
    }
    for (uint32_t c = joint + 1; c < b->joint_count; ++c) {
        if (deforms(b, c) && b->above[c] == (int32_t)joint &&
            lmbi_is_along_bone(&joints, joint, c, b->axis)) {
            return true;
        }
    }
    return false;
}

static void add_bone_to(builder *b, uint32_t child)
{
    const uint32_t joint = (uint32_t)b->above[child];
    const float fraction = is_off_axis(b, child) ? OFF_AXIS_FRACTION : 1;
    add_bone(b, joint,
             fraction < 1 ? lmb_vec3_lerp(b->at[joint], b->at[child], fraction) : b->at[child]);
}

static bool collect(builder *b)
{
    const lmbi_joints joints = joints_of(b);
    b->axis = lmbi_find_bone_axis(&joints);
    for (uint32_t j = 0; j < b->joint_count; ++j) {
        if (!deforms(b, j)) {
            continue;
        }
        if (b->above[j] != LMB_NONE) {
            add_bone_to(b, j);
        }
        if (b->below[j] == 0) {
            lmb_vec3 end;
            add_bone(b, j, lmbi_leaf_end(&joints, j, b->axis, &end) ? end : b->at[j]);
        }
    }
    add_cores(b);
    sort_by_joint(b);
    drop_zero_bones(b);
    drop_floating_tops(b);
    if (!shorten_sides(b)) {
        return false;
    }
    return b->count == 0 || !b->def->surface || extend_leaves(b);
}

static lmbi_bones *lay_out(const builder *b, lmbi_block *block, const lmbi_bones *def)
{
    lmbi_bones *bones = lmbi_block_array(block, def, 1, sizeof *def);
    lmbi_bone_segment *items = lmbi_block_array(block, b->bones, b->count, sizeof *items);
    int32_t *parents =
        lmbi_block_array(block, b->def->skeleton->parents, b->joint_count, sizeof *parents);
    lmb_vec3 *positions = lmbi_block_array(block, b->at, b->joint_count, sizeof *positions);
    if (bones) {
        bones->items = items;
        bones->parents = parents;
        bones->positions = positions;
    }
    return bones;
}

static lmb_result copy_out(const builder *b, const lmb_allocator *alloc, lmbi_bones **out,
                           lmb_error *error)
{
    lmbi_bones def = {.count = b->count, .joint_count = b->joint_count};
    if (alloc) {
        def.allocator = *alloc;
    }
    lmbi_block block = {0};
    (void)lay_out(b, &block, &def);
    uint8_t *base = block.overflow ? NULL : lmbi_alloc(alloc, block.used);
    if (!base) {
        return lmbi_fail_memory(error);
    }
    block = (lmbi_block){.base = base};
    *out = lay_out(b, &block, &def);
    return LMB_OK;
}

lmb_result lmbi_bones_create(const lmbi_bones_def *def, const lmb_allocator *alloc,
                             lmbi_bones **out, lmb_error *error)
{
    builder b = {.def = def};
    lmbi_arena_init(&b.arena, alloc);
    lmb_result result;
    if (!compute_joints(&b) || !collect(&b)) {
        result = lmbi_fail_memory(error);
    } else {
        result = b.count ? copy_out(&b, alloc, out, error)
                         : lmbi_fail(error, LMB_ERROR_INVALID, "a joint that deforms",
                                     "%u joints, none of which does", b.joint_count);
    }
    lmbi_arena_free(&b.arena);
    return result;
}

void lmbi_bones_destroy(lmbi_bones *bones)
{
    if (bones) {
        lmb_allocator alloc = bones->allocator;
        lmbi_free(&alloc, bones);
    }
}
