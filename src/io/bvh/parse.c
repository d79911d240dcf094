#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "io/bvh/bvh.h"

typedef struct bvh_reader {
    lmbi_bvh *bvh;
    lmbi_scan scan;
    lmb_error *error;
    int32_t current; ///< the joint whose block is open, or -1
} bvh_reader;

/// The next word, across line ends; a brace is a word of its own.
static lmbi_word next_word(lmbi_scan *scan)
{
    lmbi_scan_space(scan);
    lmbi_word word = {scan->at, 0};
    while (scan->at < scan->end && memchr(" \t\r\n\v\f{}", *scan->at, 9) == NULL) {
        ++scan->at;
    }
    if (scan->at == word.at && scan->at < scan->end) {
        ++scan->at;
    }
    word.size = (size_t)(scan->at - word.at);
    return word;
}

static lmbi_word peek_word(const bvh_reader *r)
{
    lmbi_scan scan = r->scan;
    return next_word(&scan);
}

static lmb_result fail_here(bvh_reader *r, const char *expected)
{
    lmbi_scan_space(&r->scan);
    return lmbi_scan_fail(&r->scan, r->error, expected);
}

static lmb_result read_vector(bvh_reader *r, lmb_vec3 *out)
{
    float v[3];
    for (int i = 0; i < 3; ++i) {
        double value = 0;
        lmbi_scan_space(&r->scan);
        const lmbi_scan before = r->scan;
        if (!lmbi_bvh_number(r->bvh, &r->scan, &value)) {
            return fail_here(r, "three numbers of an offset");
        }
        v[i] = (float)value;
        if (!isfinite(v[i])) {
            r->scan = before;
            return fail_here(r, "a finite number");
        }
    }
    *out = lmb_vec3_make(v[0], v[1], v[2]);
    return LMB_OK;
}

static char channel_letter(lmbi_word word)
{
    static const struct {
        const char *name;
        char letter;
    } names[] = {{"Xposition", 'X'}, {"Yposition", 'Y'}, {"Zposition", 'Z'},
                 {"Xrotation", 'x'}, {"Yrotation", 'y'}, {"Zrotation", 'z'}};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (lmbi_word_is(word, names[i].name)) {
            return names[i].letter;
        }
    }
    return 0;
}

static lmb_result read_channels(bvh_reader *r, lmbi_bvh_joint *joint)
{
    double count = 0;
    lmbi_scan_space(&r->scan);
    const lmbi_scan before = r->scan;
    const bool is_number = lmbi_bvh_number(r->bvh, &r->scan, &count);
    if (!is_number || !(count >= 0) || count > LMBI_BVH_CHANNELS || count > floor(count)) {
        r->scan = before;
        return fail_here(r, "a channel count from 0 to 6");
    }
    for (int i = 0; i < (int)count; ++i) {
        const lmbi_scan at = r->scan;
        const char letter = channel_letter(next_word(&r->scan));
        if (letter == 0 || strchr(joint->channels, letter)) {
            r->scan = at;
            return fail_here(r, letter ? "a channel that this joint does not have yet"
                                       : "Xposition … Zrotation, as many as the channel count");
        }
        joint->channels[i] = letter;
    }
    joint->has_channels = true;
    joint->first_value = r->bvh->channel_count;
    r->bvh->channel_count += (uint32_t)count;
    return LMB_OK;
}

/// The rest of the line up to a brace, trimmed: names may contain spaces, points and colons.
static lmbi_word read_name(lmbi_scan *scan)
{
    lmbi_scan_blanks(scan);
    lmbi_word name = {scan->at, 0};
    while (scan->at < scan->end && memchr("\r\n{", *scan->at, 3) == NULL) {
        ++scan->at;
    }
    const char *last = scan->at;
    while (last > name.at && memchr(" \t\v\f", last[-1], 4)) {
        --last;
    }
    name.size = (size_t)(last - name.at);
    return name;
}

static lmb_result expect_brace(bvh_reader *r)
{
    if (!lmbi_word_is(peek_word(r), "{")) {
        return fail_here(r, "{");
    }
    next_word(&r->scan);
    return LMB_OK;
}

static lmb_result open_joint(bvh_reader *r)
{
    lmbi_bvh *bvh = r->bvh;
    void *joints = bvh->joints;
    const unsigned line = r->scan.line;
    const lmbi_word name = read_name(&r->scan);
    if (bvh->joint_count >= INT32_MAX || !lmbi_grow(bvh->alloc, &joints, &bvh->joint_capacity,
                                                    bvh->joint_count + 1, sizeof *bvh->joints)) {
        return lmbi_fail_memory(r->error);
    }
    bvh->joints = joints;
    lmbi_bvh_joint *joint = &bvh->joints[bvh->joint_count];
    memset(joint, 0, sizeof *joint);
    joint->parent = r->current;
    char made[32];
    const int made_size = snprintf(made, sizeof made, "joint%zu", bvh->joint_count);
    if (name.size == 0) {
        lmbi_note(&bvh->info.notes, line, "a joint without a name was called %s", made);
    }
    joint->name = name.size ? lmbi_arena_string(&bvh->arena, name.at, name.size)
                            : lmbi_arena_string(&bvh->arena, made, (size_t)made_size);
    if (joint->name == NULL) {
        return lmbi_fail_memory(r->error);
    }
    bvh->info.root_count += r->current < 0;
    r->current = (int32_t)bvh->joint_count++;
    return expect_brace(r);
}

/// End Site { OFFSET x y z }; words after End are ignored.
static lmb_result read_end_site(bvh_reader *r)
{
    lmbi_bvh_joint *joint = &r->bvh->joints[r->current];
    lmb_vec3 tip = {0, 0, 0};
    read_name(&r->scan);
    lmb_result result = expect_brace(r);
    if (result == LMB_OK && lmbi_word_is(peek_word(r), "OFFSET")) {
        next_word(&r->scan);
        result = read_vector(r, &tip);
    }
    if (result != LMB_OK) {
        return result;
    }
    if (!lmbi_word_is(peek_word(r), "}")) {
        return fail_here(r, "} after the offset of an End Site");
    }
    next_word(&r->scan);
    ++r->bvh->info.end_site_count;
    if (!joint->has_tip) {
        joint->tip = tip;
        joint->has_tip = true;
    }
    return LMB_OK;
}

static lmb_result read_joint_word(bvh_reader *r)
{
    lmbi_bvh_joint *joint = &r->bvh->joints[r->current];
    const lmbi_scan before = r->scan;
    const lmbi_word word = next_word(&r->scan);
    if (lmbi_word_is(word, "}")) {
        r->current = joint->parent;
        return LMB_OK;
    }
    if (lmbi_word_is(word, "OFFSET") && !joint->has_offset) {
        joint->has_offset = true;
        return read_vector(r, &joint->offset);
    }
    if (lmbi_word_is(word, "CHANNELS") && !joint->has_channels) {
        return read_channels(r, joint);
    }
    if (lmbi_word_is(word, "JOINT")) {
        return open_joint(r);
    }
    if (lmbi_word_is(word, "End")) {
        return read_end_site(r);
    }
    r->scan = before;
    return fail_here(r, "OFFSET, CHANNELS, JOINT, End Site or }");
}

static lmb_result read_hierarchy(bvh_reader *r)
{
    if (!lmbi_word_is(peek_word(r), "HIERARCHY")) {
        return fail_here(r, "HIERARCHY");
    }
    next_word(&r->scan);
    for (;;) {
        const lmbi_scan before = r->scan;
        const lmbi_word word = next_word(&r->scan);
        lmb_result result = LMB_OK;
        if (lmbi_word_is(word, "ROOT")) {
            result = open_joint(r);
        } else if (lmbi_word_is(word, "MOTION") && r->bvh->joint_count) {
            return LMB_OK;
        } else {
            r->scan = before;
            return fail_here(r, r->bvh->joint_count ? "ROOT or MOTION" : "ROOT");
        }
        while (result == LMB_OK && r->current >= 0) {
            result = read_joint_word(r);
        }
        if (result != LMB_OK) {
            return result;
        }
    }
}

/// Matches a label in any case, with any blanks between its words: "Frame Time :", "FRAMETIME".
static bool match_label(lmbi_scan *scan, const char *letters)
{
    lmbi_scan at = *scan;
    lmbi_scan_space(&at);
    for (; *letters; ++letters) {
        lmbi_scan_blanks(&at);
        if (at.at >= at.end || (*at.at | 0x20) != *letters) {
            return false;
        }
        ++at.at;
    }
    lmbi_scan_blanks(&at);
    if (at.at < at.end && *at.at == ':') {
        ++at.at;
    }
    *scan = at;
    return true;
}

static lmb_result read_frame_time(bvh_reader *r)
{
    const lmbi_scan before = r->scan;
    double *time = &r->bvh->frame_time_s;
    if (!lmbi_bvh_number(r->bvh, &r->scan, time) || !(*time >= 0) || !isfinite((float)*time)) {
        r->scan = before;
        return lmbi_scan_fail(&r->scan, r->error, "the seconds of a frame, more than 0");
    }
    if (!(*time > 1e-9)) {
        lmbi_note(&r->bvh->info.notes, before.line, "a frame time of 0 was taken as 1/30 s");
        *time = 1.0 / 30;
    }
    return LMB_OK;
}

static lmb_result read_frames(bvh_reader *r)
{
    const lmbi_scan before = r->scan;
    double count = 0;
    const bool is_number = lmbi_bvh_number(r->bvh, &r->scan, &count);
    // A row takes at least one byte: a count beyond that is an error, not a truncated file.
    const double most = r->bvh->header_only ? 1e15 : (double)(r->scan.end - r->scan.at);
    if (!is_number || !(count >= 0) || count > floor(count) || count > most) {
        r->scan = before;
        return lmbi_scan_fail(&r->scan, r->error, "a frame count that the file can hold");
    }
    r->bvh->info.declared_frames = (uint64_t)count;
    return LMB_OK;
}

enum { POSES = 10 }; ///< so few frames may be poses, which are no motion
#define SLOW_S 0.5   ///< seconds between frames; no capture is slower than 10 Hz

static lmb_result read_motion_header(bvh_reader *r)
{
    bool frames = false, time = false;
    while (!frames || !time) {
        lmb_result result = LMB_OK;
        if (!time && match_label(&r->scan, "frametime")) {
            result = read_frame_time(r);
            time = true;
        } else if (!frames && match_label(&r->scan, "frames")) {
            result = read_frames(r);
            frames = true;
        } else {
            return fail_here(r, frames ? "Frame Time:"
                                : time ? "Frames:"
                                       : "Frames: and Frame Time:");
        }
        if (result != LMB_OK) {
            return result;
        }
    }
    if (r->bvh->frame_time_s >= SLOW_S && r->bvh->info.declared_frames > POSES) {
        lmbi_note(&r->bvh->info.notes, r->scan.line,
                  "frames are %g s apart: perhaps a placeholder, and the motion is faster",
                  r->bvh->frame_time_s);
    }
    return LMB_OK;
}

lmb_result lmbi_bvh_parse(lmbi_bvh *bvh, const void *bytes, size_t size, lmb_error *error)
{
    const char *text = bytes;
    // Old tools pad the file with NUL or end it with Ctrl-Z.
    while (size > 0 && (text[size - 1] == '\0' || text[size - 1] == 0x1a)) {
        --size;
    }
    bvh_reader r = {.bvh = bvh, .error = error, .current = -1};
    lmbi_arena_init(&bvh->arena, bvh->alloc);
    lmb_result result = lmbi_text_open(&r.scan, bytes, size, error);
    if (result == LMB_OK) {
        result = read_hierarchy(&r);
    }
    if (result == LMB_OK) {
        result = read_motion_header(&r);
    }
    return result == LMB_OK && !bvh->header_only ? lmbi_bvh_parse_rows(bvh, &r.scan, error)
                                                 : result;
}

void lmbi_bvh_free(lmbi_bvh *bvh)
{
    lmbi_free(bvh->alloc, bvh->joints);
    lmbi_free(bvh->alloc, bvh->values);
    lmbi_arena_free(&bvh->arena);
}
