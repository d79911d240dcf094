#include <math.h>
#include <string.h>

#include "asset/asset.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "io/common.h"
#include "io/euler.h"
#include "io/mocap/asf.h"

#define DEGREES 57.2957795f
/// A person's least and greatest height in metres. A stated unit that gives a height outside is
/// ignored.
#define SHORTEST_M 0.7f
#define TALLEST_M 2.6f

typedef struct asf_builder {
    lmbi_asf asf;
    lmbi_arena arena;
    lmb_skeleton skeleton;
    lmb_clip clip;
    float *ticks;
    uint32_t *order;    ///< [bone_count] the bone of each joint: parents first
    uint32_t *joint_of; ///< [bone_count]
    lmb_error *error;
} asf_builder;

/// Rotations applied one after the other about fixed axes, so that the last is the leftmost factor.
/// Other letters than x y z are skipped, so that a bone's degrees of freedom can be given too.
static lmb_quat compose_rotations(const char *order, const float *angles, bool radians)
{
    lmb_quat q = lmb_quat_identity();
    for (size_t i = strlen(order); i-- > 0;) {
        if (order[i] >= 'x' && order[i] <= 'z') {
            lmbi_euler_rotate(&q, order[i], radians ? angles[i] * DEGREES : angles[i]);
        }
    }
    return q;
}

static lmb_quat bone_axes(const asf_builder *b, const lmbi_asf_bone *bone)
{
    return compose_rotations(bone->axis_order, bone->axis, b->asf.radians);
}

static const float *values_of(const asf_builder *b, const lmbi_asf_bone *bone, uint32_t frame)
{
    return b->asf.values + (size_t)frame * b->asf.value_count + bone->first_value;
}

/// C M C^-1 with the bone's axes C: the file gives motion in the bone's axes, joints have the
/// model's.
static lmb_quat rotation_at(const asf_builder *b, const lmbi_asf_bone *bone, uint32_t frame)
{
    const lmb_quat c = bone_axes(b, bone);
    const lmb_quat m =
        compose_rotations(bone->dofs, values_of(b, bone, frame), b->asf.motion_radians);
    const lmb_quat rotated = lmb_quat_mul(c, lmb_quat_mul(m, lmb_quat_conjugate(c)));
    // The root's axes are also its orientation before the motion.
    return bone == b->asf.bones ? lmb_quat_mul(rotated, c) : rotated;
}

static lmb_vec3 translation_at(const asf_builder *b, const lmbi_asf_bone *bone, uint32_t frame)
{
    const float *values = values_of(b, bone, frame);
    float t[3] = {0};
    for (int i = 0; bone->dofs[i]; ++i) {
        if (bone->dofs[i] >= 'X' && bone->dofs[i] <= 'Z') {
            t[bone->dofs[i] - 'X'] = values[i];
        }
    }
    const lmb_vec3 moved = lmb_vec3_make(t[0], t[1], t[2]);
    return bone == b->asf.bones ? moved : lmb_quat_rotate(bone_axes(b, bone), moved);
}

static lmb_vec3 bone_end(const lmbi_asf_bone *bone)
{
    return lmb_vec3_scale(bone->direction, bone->length);
}

/// A bone with one rotational degree of freedom is a hinge; with none, a fixed joint.
static lmb_joint_limit joint_limit_of(const asf_builder *b, const lmbi_asf_bone *bone)
{
    lmb_joint_limit limit = {.kind = bone->dofs[0] ? LMB_JOINT_FREE : LMB_JOINT_FIXED,
                             .axis = {1, 0, 0}};
    const bool hinge = bone->dofs[0] >= 'x' && bone->dofs[1] == 0 && bone->limit_count == 1;
    if (hinge && isfinite(bone->limits[0][0]) && isfinite(bone->limits[0][1]) &&
        bone->limits[0][0] <= bone->limits[0][1]) {
        const lmb_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const float scale = b->asf.radians ? 1 : 1 / DEGREES;
        limit.kind = LMB_JOINT_HINGE;
        limit.axis = lmb_quat_rotate(bone_axes(b, bone), axes[bone->dofs[0] - 'x']);
        limit.twist_min_rad = bone->limits[0][0] * scale;
        limit.twist_max_rad = bone->limits[0][1] * scale;
    }
    return limit;
}

static lmb_result sort_bones(asf_builder *b)
{
    const size_t count = b->asf.bone_count;
    int32_t *parents = lmbi_arena_array(&b->arena, count, sizeof *parents);
    b->order = lmbi_arena_array(&b->arena, count, sizeof *b->order);
    b->joint_of = lmbi_arena_array(&b->arena, count, sizeof *b->joint_of);
    if (!parents || !b->order || !b->joint_of) {
        return lmbi_fail_memory(b->error);
    }
    for (size_t i = 0; i < count; ++i) {
        parents[i] = b->asf.bones[i].parent;
    }
    const lmb_result result =
        lmbi_joints_sort(parents, (uint32_t)count, b->order, b->asf.alloc, b->error);
    for (size_t k = 0; k < count && result == LMB_OK; ++k) {
        b->joint_of[b->order[k]] = (uint32_t)k;
    }
    return result;
}

static lmb_result build_skeleton(asf_builder *b)
{
    const size_t count = b->asf.bone_count;
    lmb_skeleton *s = &b->skeleton;
    const lmb_result result = sort_bones(b);
    if (result != LMB_OK) {
        return result;
    }
    s->joint_count = (uint32_t)count;
    s->parents = lmbi_arena_array(&b->arena, count, sizeof *s->parents);
    s->rest = lmbi_arena_array(&b->arena, count, sizeof *s->rest);
    s->names = lmbi_arena_array(&b->arena, count, sizeof *s->names);
    s->tips = lmbi_arena_array(&b->arena, count, sizeof *s->tips);
    s->limits = lmbi_arena_array(&b->arena, count, sizeof *s->limits);
    if (!s->parents || !s->rest || !s->names || !s->tips || !s->limits) {
        return lmbi_fail_memory(b->error);
    }
    for (size_t k = 0; k < count; ++k) {
        const lmbi_asf_bone *bone = &b->asf.bones[b->order[k]];
        const bool root = bone->parent == LMB_NONE;
        s->parents[k] = root ? LMB_NONE : (int32_t)b->joint_of[bone->parent];
        s->rest[k] = lmb_transform_identity();
        s->rest[k].translation =
            root ? b->asf.root_position : bone_end(&b->asf.bones[bone->parent]);
        s->rest[k].rotation = root ? bone_axes(b, bone) : lmb_quat_identity();
        s->names[k] = b->asf.names.items[b->order[k]];
        s->tips[k] = bone_end(bone);
        s->limits[k] = joint_limit_of(b, bone);
    }
    for (size_t k = 1; k < count; ++k) {
        s->tips[s->parents[k]] = lmb_vec3_make(0, 0, 0); // only leaves have tips
    }
    return LMB_OK;
}

static lmb_channel *add_channel(asf_builder *b, size_t joint, lmb_path path, uint32_t width)
{
    return lmbi_clip_add_channel(&b->clip,
                                 &(lmb_channel){.joint = (uint32_t)joint,
                                                .path = path,
                                                .width = width,
                                                .key_count = b->asf.frame_count,
                                                .ticks = b->ticks},
                                 &b->arena);
}

static bool add_channels(asf_builder *b, size_t k)
{
    const lmbi_asf_bone *bone = &b->asf.bones[b->order[k]];
    const lmb_vec3 offset = b->skeleton.rest[k].translation;
    if (strpbrk(bone->dofs, "XYZ")) {
        const lmb_channel *channel = add_channel(b, k, LMB_PATH_TRANSLATION, 3);
        for (uint32_t f = 0; channel && f < b->asf.frame_count; ++f) {
            const lmb_vec3 t = lmb_vec3_add(offset, translation_at(b, bone, f));
            memcpy(channel->values + 3 * (size_t)f, &t, sizeof t);
        }
        if (channel == NULL) {
            return false;
        }
    }
    if (strpbrk(bone->dofs, "xyz")) {
        const lmb_channel *channel = add_channel(b, k, LMB_PATH_ROTATION, 4);
        lmb_quat before = lmb_quat_identity();
        for (uint32_t f = 0; channel && f < b->asf.frame_count; ++f) {
            lmb_quat q = lmb_quat_normalize(rotation_at(b, bone, f));
            q = lmb_quat_dot(q, before) < 0 ? lmb_quat_make(-q.x, -q.y, -q.z, -q.w) : q;
            memcpy(channel->values + 4 * (size_t)f, &q, sizeof q);
            before = q;
        }
        return channel != NULL;
    }
    return true;
}

static bool build_clip(asf_builder *b, float frame_rate)
{
    const uint32_t frames = b->asf.frame_count;
    b->clip.name = "motion";
    b->clip.ticks_per_s = b->clip.frame_rate = frame_rate;
    b->clip.duration = frames ? (float)(frames - 1) : 0;
    b->clip.channels =
        lmbi_arena_array(&b->arena, lmbi_size_mul(b->asf.bone_count, 2), sizeof *b->clip.channels);
    b->ticks = lmbi_arena_array(&b->arena, frames, sizeof *b->ticks);
    bool ok = b->clip.channels && b->ticks;
    for (uint32_t f = 0; ok && f < frames; ++f) {
        b->ticks[f] = (float)f;
    }
    for (size_t k = 0; ok && frames && k < b->asf.bone_count; ++k) {
        ok = add_channels(b, k);
    }
    return ok;
}

/// Converts to metres. Lengths are inches after division by the stated unit, where that gives a
/// person's height; otherwise the unit is guessed.
static lmb_result convert_to_metres(asf_builder *b, const lmb_asf_read_opts *opts)
{
    lmb_motion_guess guess;
    const lmb_result result =
        lmb_motion_guess_make(&b->skeleton, &b->clip, b->asf.alloc, &guess, b->error);
    if (result != LMB_OK) {
        return result;
    }
    const float stated = b->asf.length_unit > 0 ? 0.0254f / b->asf.length_unit : 0;
    const float height = guess.body_height * stated;
    const bool believable = height >= SHORTEST_M && height <= TALLEST_M;
    const float unit = opts->unit_m > 0 ? opts->unit_m : believable ? stated : guess.unit_m;
    const lmb_axis up = opts->up != LMB_AXIS_AUTO ? opts->up : guess.up;
    // Rest and motion have one up axis: an Acclaim root rotates relative to the bones' directions.
    lmbi_motion_convert(&b->skeleton, &b->clip, unit, up, up);
    b->skeleton.rest[0].rotation = lmbi_axis_quat_to_y(up, b->skeleton.rest[0].rotation);
    return LMB_OK;
}

lmb_result lmb_asf_read(const void *asf, size_t asf_size, const void *amc, size_t amc_size,
                        const lmb_asf_read_opts *opts, const lmb_allocator *alloc,
                        lmb_character **out, lmb_error *error)
{
    const lmb_asf_read_opts defaults = {0};
    opts = opts ? opts : &defaults;
    if (opts->notes) {
        memset(opts->notes, 0, sizeof *opts->notes);
    }
    asf_builder b = {.asf = {.alloc = alloc, .notes = opts->notes}, .error = error};
    lmbi_arena_init(&b.arena, alloc);
    lmb_result result = lmbi_asf_parse(&b.asf, asf, asf_size, error);
    if (result == LMB_OK && amc) {
        result = lmbi_amc_parse(&b.asf, amc, amc_size, error);
    }
    if (result == LMB_OK) {
        result = build_skeleton(&b);
    }
    if (result == LMB_OK && !build_clip(&b, opts->frame_rate > 0 ? opts->frame_rate : 120)) {
        result = lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        result = convert_to_metres(&b, opts);
    }
    if (result == LMB_OK) {
        result = lmbi_motion_create(&b.skeleton, &b.clip, alloc, out, error);
    }
    lmbi_arena_free(&b.arena);
    lmbi_asf_free(&b.asf);
    return result;
}
