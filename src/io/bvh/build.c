#include "io/bvh/build.h"
#include "io/bvh/bvh.h"
#include "io/common.h"

#include <math.h>

#include "base/alloc.h"
#include "io/euler.h"

static lmb_vec3 translation_at(const lmbi_bvh_builder *b, size_t j, uint32_t frame)
{
    const lmbi_bvh_joint *joint = &b->bvh->joints[j];
    return lmbi_bvh_translation(joint, lmbi_bvh_row(b->bvh, frame, joint), b->adds[j]);
}

static bool has_channels(const lmbi_bvh_joint *joint, const char *letters)
{
    return strpbrk(joint->channels, letters) != NULL;
}

/// Whether the position channels add to the offset: they do where they stay near zero although the
/// offset is long. Samples up to 16 frames.
static bool positions_are_additive(const lmbi_bvh *bvh, const lmbi_bvh_joint *joint)
{
    const float offset = lmb_vec3_length(joint->offset);
    uint32_t small = 0, seen = 0;
    for (uint32_t i = 0; i < 16 && i < bvh->frame_count; ++i) {
        const float *values =
            lmbi_bvh_row(bvh, (uint32_t)((uint64_t)i * bvh->frame_count / 16), joint);
        float length2 = 0;
        for (int k = 0; joint->channels[k]; ++k) {
            length2 += lmbi_bvh_is_position(joint->channels[k]) ? values[k] * values[k] : 0;
        }
        small += lmb_sqrt(length2) < 0.1f * offset;
        ++seen;
    }
    return seen > 0 && small * 2 > seen;
}

/// Decides for every joint whether positions add to the offset. One program wrote the whole file,
/// so the joints below the roots decide by majority. Roots, which may be anywhere, are decided one
/// by one.
static bool find_additive(lmbi_bvh_builder *b)
{
    const lmbi_bvh *bvh = b->bvh;
    b->adds = lmbi_arena_array(&b->arena, bvh->joint_count, sizeof *b->adds);
    if (b->adds == NULL) {
        return false;
    }
    uint32_t votes = 0, against = 0;
    for (size_t j = 0; j < bvh->joint_count; ++j) {
        const lmbi_bvh_joint *joint = &bvh->joints[j];
        if (!has_channels(joint, "XYZ") || !(lmb_vec3_length(joint->offset) > 0)) {
            continue;
        }
        b->adds[j] = positions_are_additive(bvh, joint);
        votes += joint->parent >= 0 && b->adds[j];
        against += joint->parent >= 0 && !b->adds[j];
        b->info.positions_add = b->info.positions_add || b->adds[j];
    }
    for (size_t j = 0; j < bvh->joint_count; ++j) {
        const bool inner = bvh->joints[j].parent >= 0;
        b->adds[j] = inner ? votes > against : b->adds[j];
    }
    return true;
}

static bool build_skeleton(lmbi_bvh_builder *b)
{
    const lmbi_bvh *bvh = b->bvh;
    const size_t count = bvh->joint_count;
    lmb_skeleton *s = &b->skeleton;
    s->joint_count = (uint32_t)count;
    s->parents = lmbi_arena_array(&b->arena, count, sizeof *s->parents);
    s->rest = lmbi_arena_array(&b->arena, count, sizeof *s->rest);
    s->names = lmbi_arena_array(&b->arena, count, sizeof *s->names);
    s->tips = lmbi_arena_array(&b->arena, count, sizeof *s->tips);
    s->carried = lmbi_arena_array(&b->arena, count, sizeof *s->carried);
    if (!s->parents || !s->rest || !s->names || !s->tips || !s->carried) {
        return false;
    }
    for (size_t j = 0; j < count; ++j) {
        s->parents[j] = bvh->joints[j].parent;
        s->rest[j] = lmb_transform_identity();
        s->rest[j].translation = bvh->joints[j].offset;
        s->names[j] = bvh->joints[j].name;
        s->tips[j] = bvh->joints[j].tip;
    }
    return true;
}

static lmb_channel *add_channel(lmbi_bvh_builder *b, size_t joint, lmb_path path, uint32_t width)
{
    return lmbi_clip_add_channel(&b->clip,
                                 &(lmb_channel){.joint = (uint32_t)joint,
                                                .path = path,
                                                .width = width,
                                                .key_count = b->bvh->frame_count,
                                                .ticks = b->ticks},
                                 &b->arena);
}

static bool add_rotation(lmbi_bvh_builder *b, size_t j)
{
    const lmb_channel *channel = add_channel(b, j, LMB_PATH_ROTATION, 4);
    if (channel == NULL) {
        return false;
    }
    const lmbi_bvh *bvh = b->bvh;
    const lmbi_bvh_joint *joint = &bvh->joints[j];
    lmb_quat *rotations = (lmb_quat *)(void *)channel->values;
    for (uint32_t f = 0; f < bvh->frame_count; ++f) {
        rotations[f] = lmb_quat_identity();
    }
    for (int i = 0; joint->channels[i]; ++i) {
        if (!lmbi_bvh_is_position(joint->channels[i])) {
            lmbi_euler_rotate_all(rotations, joint->channels[i], lmbi_bvh_row(bvh, 0, joint) + i,
                                  bvh->channel_count, bvh->frame_count);
        }
    }
    lmb_quat before = lmb_quat_identity();
    for (uint32_t f = 0; f < bvh->frame_count; ++f) {
        // The product of three unit quaternions is off unit length by rounding only, so one Newton
        // step of 1 / sqrt(x) around 1 normalises it.
        const float scale = 1.5f - 0.5f * lmb_quat_dot(rotations[f], rotations[f]);
        lmb_quat q = rotations[f];
        q = lmb_quat_make(q.x * scale, q.y * scale, q.z * scale, q.w * scale);
        if (lmb_quat_dot(q, before) < 0) {
            // q and -q are the same rotation: choose the sign nearer to the previous frame
            q = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
        }
        rotations[f] = before = q;
    }
    return true;
}

/// Whether the joint's position differs from its offset in any frame. Where it does not, it needs
/// no channel.
static bool translation_moves(const lmbi_bvh_builder *b, size_t j)
{
    const lmb_vec3 offset = b->bvh->joints[j].offset;
    const float near = 1e-5f * (1 + lmb_vec3_length(offset));
    for (uint32_t f = 0; f < b->bvh->frame_count; ++f) {
        if (!(lmb_vec3_distance(translation_at(b, j, f), offset) <= near)) {
            return true;
        }
    }
    return false;
}

static bool add_translation(lmbi_bvh_builder *b, size_t j)
{
    const bool root = b->bvh->joints[j].parent < 0;
    if (!root && !b->opts.keep_channels && !translation_moves(b, j)) {
        return true;
    }
    const lmb_channel *channel = add_channel(b, j, LMB_PATH_TRANSLATION, 3);
    for (uint32_t f = 0; channel && f < b->bvh->frame_count; ++f) {
        const lmb_vec3 t = translation_at(b, j, f);
        memcpy(channel->values + 3 * (size_t)f, &t, sizeof t);
    }
    return channel != NULL;
}

static bool build_clip(lmbi_bvh_builder *b)
{
    const lmbi_bvh *bvh = b->bvh;
    const double rate = 1 / bvh->frame_time_s;
    b->clip.name = b->name != NULL ? b->name : "motion";
    b->clip.ticks_per_s = (float)rate;
    b->clip.frame_rate = (float)rate;
    const uint32_t last = bvh->frame_count > 0 ? bvh->frame_count - 1 : 0;
    b->clip.duration = (float)(b->frames != NULL && bvh->frame_count > 0 ? b->frames[last] : last);
    b->clip.channels =
        lmbi_arena_array(&b->arena, lmbi_size_mul(bvh->joint_count, 2), sizeof *b->clip.channels);
    b->ticks = lmbi_arena_array(&b->arena, bvh->frame_count, sizeof *b->ticks);
    if (!b->clip.channels || !b->ticks) {
        return false;
    }
    for (uint32_t f = 0; f < bvh->frame_count; ++f) {
        b->ticks[f] = (float)(b->frames != NULL ? b->frames[f] : f);
    }
    for (size_t j = 0; j < bvh->joint_count && bvh->frame_count; ++j) {
        if (has_channels(&bvh->joints[j], "XYZ") && !add_translation(b, j)) {
            return false;
        }
        if (has_channels(&bvh->joints[j], "xyz") && !add_rotation(b, j)) {
            return false;
        }
    }
    return true;
}

static lmb_result decide_conventions(lmbi_bvh_builder *b)
{
    lmb_motion_guess guess;
    const lmb_result result =
        lmb_motion_guess_make(&b->skeleton, &b->clip, b->bvh->alloc, &guess, b->error);
    if (result != LMB_OK) {
        return result;
    }
    b->info.unit_guessed = !(b->opts.unit_m > 0);
    b->info.up_guessed = b->opts.up == LMB_AXIS_AUTO;
    b->info.unit_m = b->info.unit_guessed ? guess.unit_m : b->opts.unit_m;
    b->info.up = b->info.up_guessed ? guess.up : b->opts.up;
    // An axis given by the caller applies to the rest pose too, unless the body clearly stands
    // along another axis there.
    b->info.rest_up = b->info.up_guessed || guess.rest_up != guess.up ? guess.rest_up : b->info.up;
    return LMB_OK;
}

lmb_result lmbi_bvh_build(lmbi_bvh_builder *b, lmb_character **out)
{
    if (!find_additive(b) || !build_skeleton(b) || !build_clip(b)) {
        return lmbi_fail_memory(b->error);
    }
    const lmb_result result = decide_conventions(b);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_motion_convert(&b->skeleton, &b->clip, b->info.unit_m, b->info.up, b->info.rest_up);
    if (!lmbi_bvh_carry_build(b)) {
        return lmbi_fail_memory(b->error);
    }
    return lmbi_motion_create(&b->skeleton, &b->clip, b->bvh->alloc, out, b->error);
}

static void fill_info(const lmbi_bvh *bvh, lmb_bvh_info *info)
{
    info->joint_count = (uint32_t)bvh->joint_count;
    info->channel_count = bvh->channel_count;
    info->frame_count = bvh->frame_count;
    info->frame_time_s = bvh->frame_time_s;
}

lmb_result lmbi_bvh_read(const void *bytes, size_t size, const lmbi_bvh_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    lmbi_bvh_builder b = {.error = error};
    lmbi_bvh bvh = {.alloc = alloc};
    if (opts) {
        b.opts = *opts;
    }
    lmbi_arena_init(&b.arena, alloc);
    bvh.decimal_comma = b.opts.decimal_comma;
    b.bvh = &bvh;
    lmb_result result = lmbi_bvh_parse(&bvh, bytes, size, error);
    if (result == LMB_OK) {
        b.info = bvh.info;
        fill_info(&bvh, &b.info);
        result = lmbi_bvh_build(&b, out);
    }
    if (result == LMB_OK && b.opts.info) {
        *b.opts.info = b.info;
    }
    lmbi_arena_free(&b.arena);
    lmbi_bvh_free(&bvh);
    return result;
}
