/// Stores the frames of a stream. The number of values in the first frame decides which channels
/// bones have.
#include "io/bvh/stream.h"

#include <math.h>

#include "base/alloc.h"

enum {
    RESTART_BACK = 64,       ///< frames: when the count falls by more, the sender has restarted
    RESTART_AHEAD = 1 << 20, ///< frames: likewise when it rises by more
};

// ------------------------------------------------------------------------------- the first frame

/// Gives every bone three angles, preceded by a position for every bone or, with `roots_only`, for
/// the first alone.
static void set_channels(lmbi_bvh_stream *stream, bool roots_only)
{
    lmbi_bvh *bvh = &stream->bvh;
    bvh->channel_count = 0;
    for (size_t j = 0; j < bvh->joint_count; ++j) {
        lmbi_bvh_joint *joint = &bvh->joints[j];
        const char *positions = j == 0 || !roots_only ? "XYZ" : "";
        memset(joint->channels, 0, sizeof joint->channels);
        memcpy(joint->channels, positions, strlen(positions));
        memcpy(joint->channels + strlen(positions), stream->order, 3);
        joint->has_channels = true;
        joint->first_value = bvh->channel_count;
        bvh->channel_count += (uint32_t)strlen(joint->channels);
    }
}

/// Positions in the first frame also become the rest offsets.
static void set_offsets(lmbi_bvh_stream *stream, const float *values)
{
    for (size_t j = 1; j < stream->bvh.joint_count; ++j) {
        const float *at = values + 6 * j;
        stream->bvh.joints[j].offset = lmb_vec3_make(at[0], at[1], at[2]);
    }
}

/// Accepts the skeleton's own channels; a position and angles for every bone; or the root's
/// position and angles for every bone. Any of them may follow the 6 numbers of a reference bone.
static bool match_width(lmbi_bvh_stream *stream, size_t count, const float *values)
{
    lmbi_bvh *bvh = &stream->bvh;
    const size_t joints = bvh->joint_count;
    for (uint32_t reference = 0; reference <= 6 && reference <= count; reference += 6) {
        const size_t bones = count - reference;
        if (!stream->is_suit && bones == bvh->channel_count) {
        } else if (bones == 6 * joints || bones == 3 * joints + 3) {
            set_channels(stream, bones != 6 * joints);
        } else {
            continue;
        }
        if (stream->is_suit && bones == 6 * joints) {
            set_offsets(stream, values + reference);
        }
        stream->reference = reference;
        stream->width = (uint32_t)count;
        return true;
    }
    return false;
}

static bool learn_width(lmbi_bvh_stream *stream, size_t count, const float *values)
{
    const size_t bones = LMBI_SUIT_BONES;
    if (!stream->has_skeleton) {
        const bool suit = count == 6 * bones || count == 6 * bones + 6 || count == 3 * bones + 3 ||
                          count == 3 * bones + 9;
        if (!suit) {
            return false;
        }
        lmbi_bvh_free(&stream->bvh);
        stream->bvh = (lmbi_bvh){.alloc = &stream->alloc};
        lmbi_arena_init(&stream->bvh.arena, &stream->alloc);
        if (lmbi_suit_skeleton(&stream->bvh, NULL) != LMB_OK) {
            return false;
        }
        stream->is_suit = stream->has_skeleton = true;
        stream->opts.unit_m = stream->opts.unit_m > 0 ? stream->opts.unit_m : 0.01f;
        stream->opts.up = stream->opts.up != LMB_AXIS_AUTO ? stream->opts.up : LMB_AXIS_Y;
    }
    return match_width(stream, count, values);
}

// ----------------------------------------------------------------------------------- every frame

/// The frame's number in the sender's count, from 0. False for a frame that arrives too late.
static bool find_number(lmbi_bvh_stream *stream, const lmbi_stream_head *head, uint32_t *number)
{
    const uint32_t rows = stream->bvh.frame_count;
    const uint32_t before = rows > 0 ? stream->numbers[rows - 1] : 0;
    int64_t step = rows > 0 ? 1 : 0;
    if (head->has_count && rows > 0) {
        step = (int64_t)head->count - (int64_t)stream->count_now;
        if (step < -RESTART_BACK || step > RESTART_AHEAD || step > (int64_t)(UINT32_MAX - before)) {
            stream->report.restarts += 1;
            step = 1;
        } else if (step <= 0) {
            stream->report.late += 1;
            return false;
        } else {
            stream->report.missed += (uint64_t)step - 1;
        }
    }
    stream->count_now = head->count;
    *number = before + (uint32_t)step;
    return true;
}

static bool keep_frame(lmbi_bvh_stream *stream, uint32_t number, const float *values, double now_s)
{
    lmbi_bvh *bvh = &stream->bvh;
    void *rows = bvh->values, *numbers = stream->numbers;
    const size_t count = bvh->value_count + bvh->channel_count;
    bool ok = bvh->frame_count < UINT32_MAX &&
              lmbi_grow(&stream->alloc, &rows, &bvh->value_capacity, count, sizeof(float));
    bvh->values = ok ? rows : bvh->values;
    ok = ok && lmbi_grow(&stream->alloc, &numbers, &stream->number_capacity,
                         (size_t)bvh->frame_count + 1, sizeof *stream->numbers);
    if (!ok) {
        stream->report.missed += 1;
        return false;
    }
    stream->numbers = numbers;
    memcpy(bvh->values + bvh->value_count, values, bvh->channel_count * sizeof *values);
    bvh->value_count = count;
    stream->first_s = bvh->frame_count == 0 ? now_s : stream->first_s;
    stream->arrived_s[bvh->frame_count % LMBI_STREAM_RECENT] = now_s;
    stream->numbers[bvh->frame_count++] = number;
    stream->report.frames += 1;
    return true;
}

bool lmbi_stream_frame(lmbi_bvh_stream *stream, const lmbi_stream_head *head, const float *values,
                       size_t count, double now_s)
{
    uint32_t number = 0;
    for (size_t k = 0; k < count; ++k) {
        // No position or angle is larger than this; also refuses NaN and infinity.
        if (!(fabsf(values[k]) < 1e6f)) {
            return false;
        }
    }
    if (count == 0 ||
        (stream->width == 0 ? !learn_width(stream, count, values) : count != stream->width)) {
        return false;
    }
    if (head->has_avatar && stream->has_avatar && head->avatar != stream->avatar) {
        stream->report.ignored += 1;
        return true;
    }
    stream->has_avatar = stream->has_avatar || head->has_avatar;
    stream->avatar = head->has_avatar ? head->avatar : stream->avatar;
    if (find_number(stream, head, &number)) {
        (void)keep_frame(stream, number, values + stream->reference, now_s);
    }
    return true;
}
