/// A motion received frame by frame over a network: recorded whole, and played back evenly
/// meanwhile.
#include "io/bvh/stream.h"
#include "math/math.h"

#include <math.h>

#include "base/alloc.h"
#include "io/common.h"

#define DELAY 0.05

static bool is_axis_order(const char *order)
{
    return strlen(order) == 3 && strchr(order, 'x') != NULL && strchr(order, 'y') != NULL &&
           strchr(order, 'z') != NULL;
}

static lmb_result set_skeleton(lmbi_bvh_stream *stream, lmb_error *error)
{
    if (stream->opts.skeleton == NULL) {
        return LMB_OK;
    }
    stream->bvh.header_only = true;
    stream->has_skeleton = true;
    return lmbi_bvh_parse(&stream->bvh, stream->opts.skeleton, stream->opts.skeleton_size, error);
}

lmb_result lmbi_bvh_stream_create(const lmb_receiver_opts *opts, const lmb_allocator *alloc,
                                  lmbi_bvh_stream **out, lmb_error *error)
{
    const char *order = opts != NULL && opts->order != NULL ? opts->order : "yxz";
    if (!is_axis_order(order)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "three different letters of xyz", "%s", order);
    }
    lmbi_bvh_stream *stream = lmbi_alloc(alloc, sizeof *stream);
    if (stream == NULL) {
        return lmbi_fail_memory(error);
    }
    stream->alloc = alloc ? *alloc : (lmb_allocator){0};
    stream->opts = opts ? *opts : (lmb_receiver_opts){0};
    stream->opts.delay_s = stream->opts.delay_s > 0 ? stream->opts.delay_s : DELAY;
    memcpy(stream->order, order, sizeof stream->order);
    stream->bvh.alloc = &stream->alloc;
    lmbi_arena_init(&stream->bvh.arena, &stream->alloc);
    const lmb_result result = set_skeleton(stream, error);
    stream->opts.skeleton = NULL;
    if (result != LMB_OK) {
        lmbi_bvh_stream_destroy(stream);
        return result;
    }
    *out = stream;
    return LMB_OK;
}

void lmbi_bvh_stream_destroy(lmbi_bvh_stream *stream)
{
    if (stream != NULL) {
        const lmb_allocator alloc = stream->alloc;
        lmbi_bvh_free(&stream->bvh);
        lmbi_free(&alloc, stream->numbers);
        lmbi_free(&alloc, stream->pending);
        lmbi_free(&alloc, stream->scratch);
        lmbi_free(&alloc, stream->adds);
        lmbi_free(&alloc, stream);
    }
}

lmbi_bvh_stream_report lmbi_bvh_stream_state(const lmbi_bvh_stream *stream)
{
    return stream->report;
}

uint32_t lmbi_bvh_stream_receive(lmbi_bvh_stream *stream, const void *bytes, size_t size,
                                 double now_s, bool datagram)
{
    const uint64_t before = stream->report.frames;
    void *pending = stream->pending;
    if (size == 0) {
        return 0;
    }
    if (!lmbi_grow(&stream->alloc, &pending, &stream->pending_capacity, stream->pending_size + size,
                   1)) {
        stream->report.missed += 1;
        stream->pending_size = 0;
        return 0;
    }
    stream->pending = pending;
    memcpy(stream->pending + stream->pending_size, bytes, size);
    stream->pending_size += size;
    const size_t done =
        lmbi_stream_parse(stream, stream->pending, stream->pending_size, now_s, datagram);
    stream->pending_size -= done;
    if (datagram) {
        stream->report.malformed += stream->pending_size > 0;
        stream->pending_size = 0;
        stream->in_junk = false;
    } else if (done > 0) {
        memmove(stream->pending, stream->pending + done, stream->pending_size);
    }
    return (uint32_t)(stream->report.frames - before);
}

double lmbi_bvh_stream_rate(const lmbi_bvh_stream *stream)
{
    const uint32_t rows = stream->bvh.frame_count;
    if (stream->opts.frame_rate > 0) {
        return stream->opts.frame_rate;
    }
    if (stream->bvh.frame_time_s > 0) {
        return 1 / stream->bvh.frame_time_s;
    }
    const double span =
        rows > 1 ? stream->arrived_s[(rows - 1) % LMBI_STREAM_RECENT] - stream->first_s : 0;
    const double rate = span > 0.1 ? (double)stream->numbers[rows - 1] / span : 60;
    return rate < 1 ? 1 : rate > 1000 ? 1000 : rate;
}

// -------------------------------------------------------------------------- character and playback

lmb_result lmbi_bvh_stream_character(lmbi_bvh_stream *stream, const lmb_allocator *alloc,
                                     lmb_character **out, lmb_error *error)
{
    lmbi_bvh bvh = stream->bvh;
    if (bvh.frame_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a frame", "none");
    }
    lmbi_bvh_builder b = {.bvh = &bvh, .frames = stream->numbers, .error = error, .name = "live"};
    bvh.alloc = alloc;
    bvh.frame_time_s = 1 / lmbi_bvh_stream_rate(stream);
    b.opts.unit_m = stream->opts.unit_m;
    b.opts.up = stream->opts.up;
    lmbi_arena_init(&b.arena, alloc);
    bool *adds = lmbi_alloc_array(&stream->alloc, bvh.joint_count, sizeof *adds);
    lmb_result result = adds != NULL ? lmbi_bvh_build(&b, out) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        memcpy(adds, b.adds, bvh.joint_count * sizeof *adds);
        lmbi_free(&stream->alloc, stream->adds);
        stream->adds = adds;
        stream->info = b.info;
    } else {
        lmbi_free(&stream->alloc, adds);
    }
    lmbi_arena_free(&b.arena);
    return result;
}

/// A joint's transform in a row, converted as lmbi_motion_convert does.
static lmb_transform row_transform(const lmbi_bvh_stream *stream, uint32_t row, size_t j)
{
    const lmbi_bvh_joint *joint = &stream->bvh.joints[j];
    const float *values = lmbi_bvh_row(&stream->bvh, row, joint);
    const lmb_bvh_info *info = &stream->info;
    const bool root = joint->parent < 0;
    const lmb_quat left = lmbi_axis_rotation(root ? info->up : info->rest_up);
    const lmb_quat right = lmb_quat_conjugate(lmbi_axis_rotation(info->rest_up));
    const lmb_vec3 position = lmbi_bvh_translation(joint, values, stream->adds[j]);
    const lmb_quat rotation = lmbi_bvh_rotation(joint, values);
    return (lmb_transform){
        .translation = lmb_vec3_scale(lmb_quat_rotate(left, position), info->unit_m),
        .rotation = lmb_quat_normalize(lmb_quat_mul(left, lmb_quat_mul(rotation, right))),
        .scale = {1, 1, 1},
    };
}

/// The two rows around the moment that is played at `now_s`. Returns the fraction of the way from
/// the first to the second.
static float find_rows_around(const lmbi_bvh_stream *stream, double now_s, uint32_t rows[2])
{
    const uint32_t newest = stream->bvh.frame_count - 1;
    const uint32_t oldest = newest < LMBI_STREAM_RECENT ? 0 : newest - LMBI_STREAM_RECENT + 1;
    const double interval = 1 / lmbi_bvh_stream_rate(stream);
    double ahead = (double)
        INFINITY; // least difference of the receiver's clock and the sender's: that of the fastest frame
    for (uint32_t row = oldest; row <= newest; ++row) {
        const double offset =
            stream->arrived_s[row % LMBI_STREAM_RECENT] - interval * (double)stream->numbers[row];
        ahead = offset < ahead ? offset : ahead;
    }
    const double moment = (now_s - stream->opts.delay_s - ahead) / interval;
    rows[0] = rows[1] = newest;
    while (rows[0] > oldest && moment < (double)stream->numbers[rows[0]]) {
        rows[1] = rows[0]--;
    }
    const double from = (double)stream->numbers[rows[0]], to = (double)stream->numbers[rows[1]];
    const double fraction = to > from ? (moment - from) / (to - from) : 0;
    return (float)(fraction < 0 ? 0 : fraction > 1 ? 1 : fraction);
}

bool lmbi_bvh_stream_pose(const lmbi_bvh_stream *stream, double now_s, lmb_transform *local)
{
    uint32_t rows[2];
    if (stream->adds == NULL) {
        return false;
    }
    const float fraction = find_rows_around(stream, now_s, rows);
    for (size_t j = 0; j < stream->bvh.joint_count; ++j) {
        const lmb_transform a = row_transform(stream, rows[0], j),
                            b = row_transform(stream, rows[1], j);
        local[j] = a;
        local[j].translation = lmb_vec3_lerp(a.translation, b.translation, fraction);
        local[j].rotation = lmbi_quat_nlerp(a.rotation, b.rotation, fraction);
    }
    return true;
}
