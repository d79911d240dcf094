#include "cli/live/sender.h"
#include "os/network.h"
#include "os/paths.h"

#include <stdlib.h>
#include <string.h>

enum { DATAGRAM = 65536 };

static bool is_bvh(const sender *s)
{
    return s->opts->bvh != NULL;
}

// ---------------------------------------------------------------------------------------- opening

static cli_exit open_vmc(const cli_run *cli, sender *s)
{
    const sender_opts *o = s->opts;
    lmb_error error = {0};
    if (lmbi_udp_listen(o->bind, (uint16_t)o->vmc, &s->udp, &error) != LMB_OK) {
        return cli_fail(cli, CLI_FAILED, "%s port %d: %s", o->bind, (int)o->vmc, error.found);
    }
    const lmb_receiver_opts how = {.kind = LMB_RECEIVER_VMC, .delay_s = o->delay_s};
    const lmb_result result = lmb_receiver_create(&how, NULL, &s->receiver, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "VMC", result, &error);
    }
    cli_say(cli, "listening", "VMC on %s port %u; an interrupt ends it", o->bind,
            (unsigned)lmbi_udp_port(s->udp));
    return CLI_DONE;
}

static cli_exit make_stream(const cli_run *cli, sender *s)
{
    const sender_opts *o = s->opts;
    cli_bytes bytes = {0};
    lmb_error error = {0};
    if (o->hierarchy != NULL) {
        const cli_exit code = cli_bytes_read(o->hierarchy, &bytes);
        if (code != CLI_DONE) {
            return code;
        }
    }
    const lmb_receiver_opts how = {.kind = LMB_RECEIVER_BVH,
                                   .delay_s = o->delay_s,
                                   .skeleton = bytes.data,
                                   .skeleton_size = bytes.size,
                                   .order = o->order,
                                   .frame_rate = o->capture_rate};
    const lmb_result result = lmb_receiver_create(&how, NULL, &s->receiver, &error);
    free(bytes.data);
    if (result == LMB_ERROR_MALFORMED) {
        return cli_fail_file(o->hierarchy, &error);
    }
    if (result == LMB_ERROR_INVALID) {
        return cli_fail(cli, CLI_USAGE, "--order: expected %s, found \"%s\"", error.expected,
                        o->order);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "BVH", result, &error);
}

static cli_exit open_bvh(const cli_run *cli, sender *s)
{
    const char *at = s->opts->bvh;
    lmb_error error = {0};
    cli_exit code = make_stream(cli, s);
    if (code != CLI_DONE) {
        return code;
    }
    if (strchr(at, ':') != NULL) {
        code = cli_inlet_connect(cli, "bvh", at, &s->inlet);
        if (code == CLI_DONE) {
            cli_say(cli, "listening", "BVH from %s; an interrupt ends it", at);
        }
        return code;
    }
    char *end = NULL;
    const unsigned long port = strtoul(at, &end, 10);
    if (at[0] < '0' || at[0] > '9' || *end != 0 || port > 65535) {
        return cli_fail(cli, CLI_USAGE, "--bvh: expected PORT or HOST:PORT, found \"%s\"", at);
    }
    if (lmbi_inlet_listen(s->opts->bind, (uint16_t)port, &s->inlet, &error) != LMB_OK) {
        return cli_fail(cli, CLI_FAILED, "%s port %s: %s", s->opts->bind, at, error.found);
    }
    cli_say(cli, "listening", "BVH on %s port %u; an interrupt ends it", s->opts->bind,
            (unsigned)lmbi_inlet_port(s->inlet));
    return CLI_DONE;
}

cli_exit sender_open(const cli_run *cli, sender *s, const sender_opts *opts)
{
    s->opts = opts;
    return opts->bvh != NULL ? open_bvh(cli, s) : open_vmc(cli, s);
}

void sender_close(sender *s)
{
    lmbi_udp_close(s->udp);
    lmbi_inlet_close(s->inlet);
    lmb_receiver_destroy(s->receiver);
    free(s->frames);
}

// ---------------------------------------------------------------------------------------- hearing

/// A performer's clock may run this much faster or slower than ours between two frames; a frame that
/// is farther off was sent by a clock that was set, or by another sender.
#define LEAP_S 2.0

/// The frame's time in the recording: the performer's clock, or after a leap of it the time that
/// went by here.
static void place_in_time(sender *s, lmb_vmc_frame *frame)
{
    if (s->count > 0) {
        const lmb_vmc_frame *last = &s->frames[s->count - 1];
        const double step = frame->time_s + s->shift_s - last->time_s;
        const double waited = frame->arrived_s - last->arrived_s;
        if (!(step - waited < LEAP_S && waited - step < LEAP_S)) { // also when it is no number
            const double least = 1e-3;
            s->shift_s = last->time_s + (waited > least ? waited : least) - frame->time_s;
            s->leaps += 1;
        }
    }
    frame->time_s += s->shift_s;
}

/// A quarter of the memory that the command may use: the character made of the frames takes the rest.
static bool has_room(const sender *s)
{
    const uint64_t most = lmbi_memory_capped();
    return most == 0 || s->kept_bytes < most / 4;
}

static bool grow(sender *s)
{
    const uint32_t capacity = s->capacity > 0 ? s->capacity + s->capacity / 2 : 256;
    lmb_vmc_frame *grown = realloc(s->frames, capacity * sizeof *grown);
    s->capacity = grown != NULL ? capacity : s->capacity;
    s->frames = grown != NULL ? grown : s->frames;
    return grown != NULL;
}

static void keep_frames(sender *s)
{
    lmb_vmc_frame frame;
    while (!s->full && lmb_receiver_next(s->receiver, &frame)) {
        s->full = !has_room(s) || (s->count == s->capacity && !grow(s));
        if (!s->full && frame.time_s - frame.time_s == 0) {
            place_in_time(s, &frame);
            s->frames[s->count++] = frame;
            s->kept_bytes += sizeof frame;
        }
    }
}

static void handle_packet(sender *s, const uint8_t *bytes, size_t size, bool datagram)
{
    const double now = lmb_clock_s();
    const uint32_t before = s->count;
    const uint32_t completed = lmb_receiver_receive(s->receiver, bytes, size, now, datagram);
    if (is_bvh(s)) {
        s->kept_bytes += size;
        s->full = !has_room(s);
        s->count += completed;
    } else if (completed > 0) {
        keep_frames(s);
    }
    if (s->count > before) {
        s->first_s = before == 0 ? now : s->first_s;
        s->last_s = now;
    }
}

cli_exit sender_hear(const cli_run *cli, sender *s, double timeout_s)
{
    static uint8_t bytes[DATAGRAM];
    bool datagram = true;
    const int64_t size =
        s->inlet != NULL ? lmbi_inlet_receive(s->inlet, bytes, sizeof bytes, timeout_s, &datagram)
                         : lmbi_udp_receive(s->udp, bytes, sizeof bytes, timeout_s);
    if (size > 0) {
        handle_packet(s, bytes, (size_t)size, datagram);
    }
    // If the sender closes a connection that we opened, the recording ends and is kept.
    s->ended = size < 0 && s->inlet != NULL;
    return size < 0 && !s->ended ? cli_fail(cli, CLI_FAILED, "the socket cannot be read any more")
                                 : CLI_DONE;
}

void sender_finish(sender *s)
{
    const uint32_t completed = lmb_receiver_flush(s->receiver, lmb_clock_s());
    if (is_bvh(s)) {
        s->count += completed;
    } else {
        keep_frames(s);
    }
}

// --------------------------------------------------------------------------------------- results

lmb_result sender_character(sender *s, bool first_only, lmb_character **out, lmb_error *error)
{
    return is_bvh(s) ? lmb_receiver_character(s->receiver, NULL, out, error)
                     : lmb_vmc_character(s->frames, first_only ? 1 : s->count, NULL, out, error);
}

lmb_result sender_face(const sender *s, lmb_face_motion **out, lmb_error *error)
{
    *out = NULL;
    return !is_bvh(s) ? lmb_face_motion_of_vmc(s->frames, s->count, NULL, out, error) : LMB_OK;
}

bool sender_pose(const sender *s, double now_s, const lmb_skeleton *skeleton, lmb_transform *pose,
                 lmb_vmc_frame *frame)
{
    return lmb_receiver_pose(s->receiver, now_s, skeleton, pose, frame);
}

// ---------------------------------------------------------------------------------- what is said

void sender_say(const cli_run *cli, const sender *s)
{
    const lmb_receiver_report r = lmb_receiver_describe(s->receiver);
    if (s->full) {
        char hint[64];
        cli_memory_hint(hint);
        cli_warn(cli, "the recording ended when its memory was full%s", hint);
    }
    if (s->leaps > 0) {
        cli_warn(cli,
                 "the performer's clock leapt %llu times: the time between those frames is "
                 "this machine's",
                 (unsigned long long)s->leaps);
    }
    cli_say(cli, "received", "%llu packets, %llu frames, %.2f s", (unsigned long long)r.packets,
            (unsigned long long)r.frames, s->count > 1 ? s->last_s - s->first_s : 0.0);
    if (r.malformed + r.late + r.missed + r.restarts > 0) {
        cli_warn(cli, "%llu %s malformed and dropped, %llu frames late, %llu missed",
                 (unsigned long long)r.malformed,
                 !is_bvh(s) ? "packets were" : "pieces of the stream were",
                 (unsigned long long)r.late, (unsigned long long)r.missed);
    }
}

void sender_json(cli_json *json, const sender *s)
{
    const lmb_receiver_report r = lmb_receiver_describe(s->receiver);
    cli_json_integer(json, "packets", (int64_t)r.packets);
    cli_json_integer(json, "malformed", (int64_t)r.malformed);
    cli_json_integer(json, "messages", (int64_t)r.messages);
    cli_json_integer(json, "ignored", (int64_t)r.ignored);
    cli_json_integer(json, "frames", (int64_t)r.frames);
    cli_json_integer(json, "late", (int64_t)r.late);
    cli_json_integer(json, "missed", (int64_t)r.missed);
    cli_json_integer(json, "restarts", (int64_t)r.restarts);
}
