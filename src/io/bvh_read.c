#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/bvh_carry.h"
#include "io/euler.h"
#include "io/motion_build.h"

/// Assets in the making: first in the file's units and axes, so that these can be guessed, then
/// converted in place.
typedef struct bvh_builder {
    lmbi_bvh bvh;
    lmb_bvh_read_opts opts;
    lmb_bvh_info info;
    lmbi_arena arena;
    lmb_skeleton skeleton;
    lmb_clip clip;
    float *ticks; ///< shared by all channels
    bool *adds;   ///< [joint_count] position channels come on top of the offset
    lmb_error *error;
} bvh_builder;

static bool is_position(char channel)
{
    return channel >= 'X' && channel <= 'Z';
}

static bool has_channels(const lmbi_bvh_joint *joint, const char *letters)
{
    return strpbrk(joint->channels, letters) != NULL;
}

static const float *row(const lmbi_bvh *bvh, uint32_t frame, const lmbi_bvh_joint *joint)
{
    return bvh->values + (size_t)frame * bvh->channel_count + joint->first_value;
}

/// The joint's translation in a frame; channels that are missing leave the offset.
static lmb_vec3 translation_at(const bvh_builder *b, size_t j, uint32_t frame)
{
    const lmbi_bvh_joint *joint = &b->bvh.joints[j];
    const float *values = row(&b->bvh, frame, joint);
    float t[3] = {joint->offset.x, joint->offset.y, joint->offset.z};
    for (int i = 0; joint->channels[i]; ++i) {
        if (is_position(joint->channels[i])) {
            const int axis = joint->channels[i] - 'X';
            t[axis] = b->adds[j] ? t[axis] + values[i] : values[i];
        }
    }
    return lmb_vec3_make(t[0], t[1], t[2]);
}

/// The rotation channels' values in a frame, in their order; how many there are.
static int read_angles(const lmbi_bvh *bvh, const lmbi_bvh_joint *joint, uint32_t frame,
                       float angles[3])
{
    const float *values = row(bvh, frame, joint);
    int turns = 0;
    for (int i = 0; joint->channels[i]; ++i) {
        if (!is_position(joint->channels[i])) {
            angles[turns++] = values[i];
        }
    }
    return turns;
}

static lmb_quat rotation_at(const lmbi_bvh *bvh, const lmbi_bvh_joint *joint, uint32_t frame)
{
    const float *values = row(bvh, frame, joint);
    lmb_quat q = lmb_quat_identity();
    for (int i = 0; joint->channels[i]; ++i) {
        if (!is_position(joint->channels[i])) {
            lmbi_euler_turn(&q, joint->channels[i], values[i]);
        }
    }
    return lmb_quat_normalize(q);
}

/// Do the position channels lie near zero where the offset is long? Then they add to it. Looks at
/// up to 16 frames.
static bool looks_additive(const lmbi_bvh *bvh, const lmbi_bvh_joint *joint)
{
    const float offset = lmb_vec3_length(joint->offset);
    uint32_t small = 0, seen = 0;
    for (uint32_t i = 0; i < 16 && i < bvh->frame_count; ++i) {
        const float *values = row(bvh, (uint32_t)((uint64_t)i * bvh->frame_count / 16), joint);
        float length2 = 0;
        for (int k = 0; joint->channels[k]; ++k) {
            length2 += is_position(joint->channels[k]) ? values[k] * values[k] : 0;
        }
        small += lmb_sqrt(length2) < 0.1f * offset;
        ++seen;
    }
    return seen > 0 && small * 2 > seen;
}

/// One writer, one habit: the joints below the roots vote together. Roots, whose place is free,
/// speak for themselves.
static bool find_additive(bvh_builder *b)
{
    const lmbi_bvh *bvh = &b->bvh;
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
        b->adds[j] = looks_additive(bvh, joint);
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

static bool build_skeleton(bvh_builder *b)
{
    const lmbi_bvh *bvh = &b->bvh;
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

static lmb_channel *add_channel(bvh_builder *b, size_t joint, lmb_path path, uint32_t width)
{
    const uint32_t frames = b->bvh.frame_count;
    lmb_channel *channel = &b->clip.channels[b->clip.channel_count];
    *channel = (lmb_channel){.joint = (uint32_t)joint,
                             .path = path,
                             .width = width,
                             .key_count = frames,
                             .ticks = b->ticks};
    channel->values = lmbi_arena_array(&b->arena, lmbi_size_mul(frames, width), sizeof(float));
    b->clip.channel_count += channel->values != NULL;
    return channel->values ? channel : NULL;
}

static bool add_rotation(bvh_builder *b, size_t j)
{
    const lmb_channel *channel = add_channel(b, j, LMB_PATH_ROTATION, 4);
    if (channel == NULL) {
        return false;
    }
    const lmbi_bvh *bvh = &b->bvh;
    const lmbi_bvh_joint *joint = &bvh->joints[j];
    lmb_quat *turns = (lmb_quat *)(void *)channel->values;
    for (uint32_t f = 0; f < bvh->frame_count; ++f) {
        turns[f] = lmb_quat_identity();
    }
    for (int i = 0; joint->channels[i]; ++i) {
        if (!is_position(joint->channels[i])) {
            lmbi_euler_turn_all(turns, joint->channels[i], row(bvh, 0, joint) + i,
                                bvh->channel_count, bvh->frame_count);
        }
    }
    lmb_quat before = lmb_quat_identity();
    for (uint32_t f = 0; f < bvh->frame_count; ++f) {
        // A product of three unit quaternions is off by rounding alone: Newton's step for
        // 1 / sqrt(x) at 1.
        const float scale = 1.5f - 0.5f * lmb_quat_dot(turns[f], turns[f]);
        lmb_quat q = turns[f];
        q = lmb_quat_make(q.x * scale, q.y * scale, q.z * scale, q.w * scale);
        if (lmb_quat_dot(q, before) < 0) {
            // the same rotation, on the side of the one before
            q = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
        }
        turns[f] = before = q;
    }
    return true;
}

/// Positions that only repeat the offset in every frame say nothing.
static bool translation_moves(const bvh_builder *b, size_t j)
{
    const lmb_vec3 offset = b->bvh.joints[j].offset;
    const float near = 1e-5f * (1 + lmb_vec3_length(offset));
    for (uint32_t f = 0; f < b->bvh.frame_count; ++f) {
        if (!(lmb_vec3_distance(translation_at(b, j, f), offset) <= near)) {
            return true;
        }
    }
    return false;
}

static bool add_translation(bvh_builder *b, size_t j)
{
    const bool root = b->bvh.joints[j].parent < 0;
    if (!root && !b->opts.keep_channels && !translation_moves(b, j)) {
        return true;
    }
    const lmb_channel *channel = add_channel(b, j, LMB_PATH_TRANSLATION, 3);
    for (uint32_t f = 0; channel && f < b->bvh.frame_count; ++f) {
        const lmb_vec3 t = translation_at(b, j, f);
        memcpy(channel->values + 3 * (size_t)f, &t, sizeof t);
    }
    return channel != NULL;
}

static bool build_clip(bvh_builder *b)
{
    const lmbi_bvh *bvh = &b->bvh;
    const double rate = 1 / bvh->frame_time_s;
    b->clip.name = "motion";
    b->clip.ticks_per_s = (float)rate;
    b->clip.frame_rate = (float)rate;
    b->clip.duration = bvh->frame_count ? (float)(bvh->frame_count - 1) : 0;
    b->clip.channels =
        lmbi_arena_array(&b->arena, lmbi_size_mul(bvh->joint_count, 2), sizeof *b->clip.channels);
    b->ticks = lmbi_arena_array(&b->arena, bvh->frame_count, sizeof *b->ticks);
    if (!b->clip.channels || !b->ticks) {
        return false;
    }
    for (uint32_t f = 0; f < bvh->frame_count; ++f) {
        b->ticks[f] = (float)f;
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

static lmb_result decide_conventions(bvh_builder *b)
{
    lmb_motion_guess guess;
    const lmb_result result =
        lmb_motion_guess_make(&b->skeleton, &b->clip, b->bvh.alloc, &guess, b->error);
    if (result != LMB_OK) {
        return result;
    }
    b->info.unit_guessed = !(b->opts.unit_m > 0);
    b->info.up_guessed = b->opts.up == LMB_AXIS_AUTO;
    b->info.unit_m = b->info.unit_guessed ? guess.unit_m : b->opts.unit_m;
    b->info.up = b->info.up_guessed ? guess.up : b->opts.up;
    // A stated axis holds for the offsets too, unless the body plainly stands along another in
    // both.
    b->info.rest_up = b->info.up_guessed || guess.rest_up != guess.up ? guess.rest_up : b->info.up;
    return LMB_OK;
}

/// Angles inside the principal range come back from a quaternion as they are; others need to be
/// followed.
static lmbi_bvh_joint_carry joint_carry(const lmbi_bvh *bvh, const lmbi_bvh_joint *joint)
{
    lmbi_bvh_joint_carry carry = {.known = true};
    memcpy(carry.channels, joint->channels, sizeof carry.channels);
    for (uint32_t f = 0; f < bvh->frame_count; ++f) {
        float angles[3];
        const int turns = read_angles(bvh, joint, f, angles);
        for (int i = 0; i < turns; ++i) {
            const float limit = i == 1 ? 90.0f : 180.0f;
            carry.continuous = carry.continuous || fabsf(angles[i]) > limit;
            carry.start[i] = f == 0 ? angles[i] : carry.start[i];
        }
    }
    return carry;
}

/// Near the poles a rotation in single precision does not hold its outer angles, and 180 is as good
/// as -180: the frames where writing would not give the angles back carry them.
static void carry_angles(bvh_builder *b, lmbi_text *text, size_t j,
                         const lmbi_bvh_joint_carry *carry)
{
    const lmbi_bvh *bvh = &b->bvh;
    const lmbi_bvh_joint *joint = &bvh->joints[j];
    double angles[3]; // as the writer will begin
    for (int i = 0; i < 3; ++i) {
        angles[i] = carry->continuous ? (double)carry->start[i] : 0;
    }
    float given[3];
    char order[3];
    const uint32_t count = lmbi_bvh_order(joint->channels, order) == 3 ? bvh->frame_count : 0;
    for (uint32_t f = 0; f < count; ++f) {
        read_angles(bvh, joint, f, given);
        const bool doubtful =
            fabsf(given[1]) > 60 || fabsf(given[0]) > 179.9f || fabsf(given[2]) > 179.9f;
        if (!doubtful && !carry->continuous) {
            continue;
        }
        lmbi_euler_degrees(rotation_at(bvh, joint, f), order, 3, carry->continuous, angles);
        for (int i = 0; i < 3; ++i) {
            if (!(fabs(angles[i] - (double)given[i]) < 4e-5)) {
                lmbi_bvh_carry_angles(text, f, given);
                angles[0] = (double)given[0];
                angles[1] = (double)given[1];
                angles[2] = (double)given[2];
            }
        }
    }
}

static bool carry_the_rest(bvh_builder *b)
{
    lmbi_text text;
    lmbi_text_init(&text, b->bvh.alloc);
    for (size_t j = 0; j < b->bvh.joint_count && !text.failed; ++j) {
        lmbi_bvh_joint_carry carry = joint_carry(&b->bvh, &b->bvh.joints[j]);
        carry.positions_add = b->adds[j];
        text.size = 0;
        lmbi_bvh_joint_carry_begin(&text, &carry);
        carry_angles(b, &text, j, &carry);
        lmbi_bvh_joint_carry_end(&text);
        b->skeleton.carried[j] = lmbi_arena_string(&b->arena, text.data, text.size);
        text.failed = text.failed || b->skeleton.carried[j] == NULL;
    }
    const lmbi_bvh_clip_carry carry = {b->info.unit_m, b->info.up, b->info.rest_up,
                                       b->bvh.frame_time_s};
    text.size = 0;
    lmbi_bvh_clip_carry_write(&text, &carry);
    b->clip.carried = text.failed ? NULL : lmbi_arena_string(&b->arena, text.data, text.size);
    lmbi_text_free(&text);
    return b->clip.carried != NULL;
}

static lmb_result build(bvh_builder *b, lmb_character **out)
{
    if (!find_additive(b) || !build_skeleton(b) || !build_clip(b)) {
        return lmbi_fail_memory(b->error);
    }
    const lmb_result result = decide_conventions(b);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_motion_convert(&b->skeleton, &b->clip, b->info.unit_m, b->info.up, b->info.rest_up);
    if (!carry_the_rest(b)) {
        return lmbi_fail_memory(b->error);
    }
    return lmbi_motion_create(&b->skeleton, &b->clip, b->bvh.alloc, out, b->error);
}

static void report(bvh_builder *b)
{
    lmb_bvh_info *info = &b->info;
    info->joint_count = (uint32_t)b->bvh.joint_count;
    info->root_count = b->bvh.root_count;
    info->end_site_count = b->bvh.end_site_count;
    info->channel_count = b->bvh.channel_count;
    info->declared_frames = b->bvh.declared_frames;
    info->frame_count = b->bvh.frame_count;
    info->frame_time_s = b->bvh.frame_time_s;
    if (b->opts.info) {
        *b->opts.info = *info;
    }
}

lmb_result lmb_bvh_read(const void *bytes, size_t size, const lmb_bvh_read_opts *opts,
                        const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    bvh_builder b = {.error = error};
    if (opts) {
        b.opts = *opts;
    }
    lmbi_arena_init(&b.arena, alloc);
    b.bvh.alloc = alloc;
    b.bvh.decimal_comma = b.opts.decimal_comma;
    b.bvh.notes = &b.info.notes;
    lmb_result result = lmbi_bvh_parse(&b.bvh, bytes, size, error);
    if (result == LMB_OK) {
        result = build(&b, out);
    }
    if (result == LMB_OK) {
        report(&b);
    }
    lmbi_arena_free(&b.arena);
    lmbi_bvh_free(&b.bvh);
    return result;
}
