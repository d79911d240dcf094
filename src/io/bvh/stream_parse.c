/// Bytes of a BVH stream to frames: binary headers, text rows, a hierarchy.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "io/bvh/stream.h"
#include "io/bytes.h"

enum {
    HEAD_SIZE = 64,
    NUMBERS_MAX = 1 << 16, ///< in a frame; more means that this is not a header
    TEXT_MAX = 1 << 20,    ///< bytes of a row or a hierarchy
};

/// The result of parsing one item: the number of bytes consumed, 0 when more are needed.
typedef struct step {
    size_t consumed;
    bool malformed;
} step;

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= 9 && c <= 13) || c == '|' || c == 0;
}

static bool begins_row(uint8_t c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

static bool begins_head(const uint8_t *at, size_t size)
{
    return at[0] == 0xff && (size < 2 || at[1] == 0xdd);
}

// ------------------------------------------------------------------------------------ binary frames

/// Two kinds of header exist, both of 64 bytes between DDFF and EEFF: version 1.1 has a 16-bit
/// count of numbers and a frame count, earlier ones a 32-bit count of numbers.
static size_t read_head(const uint8_t *at, lmbi_stream_head *head)
{
    const bool newer = at[5] > 1 || (at[5] == 1 && at[4] >= 1);
    *head = (lmbi_stream_head){.has_avatar = true, .has_count = newer};
    head->avatar = lmbi_load_u32(at + (newer ? 10 : 18));
    head->count = newer ? lmbi_load_u32(at + 46) : 0;
    return newer ? lmbi_load_u16(at + 6) : lmbi_load_u32(at + 6);
}

static step parse_binary(lmbi_bvh_stream *stream, const uint8_t *at, size_t size, double now_s)
{
    lmbi_stream_head head;
    if (size < HEAD_SIZE) {
        return (step){0, false};
    }
    const size_t count = read_head(at, &head);
    if (lmbi_load_u16(at + 62) != 0xeeff || count == 0 || count > NUMBERS_MAX) {
        return (step){1, true};
    }
    if (size - HEAD_SIZE < 4 * count) {
        return (step){0, false};
    }
    void *scratch = stream->scratch;
    if (!lmbi_grow(&stream->alloc, &scratch, &stream->scratch_capacity, count, sizeof(float))) {
        stream->report.missed += 1;
        return (step){HEAD_SIZE + 4 * count, false};
    }
    stream->scratch = scratch;
    for (size_t k = 0; k < count; ++k) {
        stream->scratch[k] = lmbi_load_f32(at + HEAD_SIZE + 4 * k);
    }
    const bool consumed = lmbi_stream_frame(stream, &head, stream->scratch, count, now_s);
    return (step){HEAD_SIZE + 4 * count, !consumed};
}

// ---------------------------------------------------------------------------------------------- text

/// The end of the row: before a line end or "||". NULL: not within these bytes.
static const uint8_t *row_end(const uint8_t *at, const uint8_t *end)
{
    for (; at < end; ++at) {
        if (*at == '\n' || *at == '\r' || (*at == '|' && at + 1 < end && at[1] == '|')) {
            return at;
        }
    }
    return NULL;
}

static bool push_number(lmbi_bvh_stream *stream, size_t *count, double value)
{
    void *scratch = stream->scratch;
    if (*count >= NUMBERS_MAX || !lmbi_grow(&stream->alloc, &scratch, &stream->scratch_capacity,
                                            *count + 1, sizeof(float))) {
        return false;
    }
    stream->scratch = scratch;
    stream->scratch[(*count)++] = (float)value;
    return true;
}

/// Parses a row of numbers. Where the second word is not a number, the first is an avatar's number
/// and the second its name.
static bool parse_row(lmbi_bvh_stream *stream, const char *at, const char *end, double now_s)
{
    lmbi_stream_head head = {0};
    size_t count = 0, words = 0;
    while (true) {
        while (at < end && is_blank((uint8_t)*at)) {
            ++at;
        }
        if (at == end) {
            break;
        }
        double value = 0;
        const char *after = lmbi_number_read(at, end, &value);
        const bool number = after > at && (after == end || is_blank((uint8_t)*after));
        if (!number && words == 1 && stream->scratch[0] >= 0 && stream->scratch[0] < 65536) {
            head.has_avatar = true;
            head.avatar = (uint32_t)stream->scratch[0];
            count = 0;
            for (after = at; after < end && !is_blank((uint8_t)*after); ++after) {
            }
        } else if (!number || !push_number(stream, &count, value)) {
            return false;
        }
        at = after;
        ++words;
    }
    return lmbi_stream_frame(stream, &head, stream->scratch, count, now_s);
}

static step parse_text_row(lmbi_bvh_stream *stream, const uint8_t *at, size_t size, double now_s,
                           bool last)
{
    const uint8_t *end = row_end(at, at + size);
    if (end == NULL && !last) {
        return (step){size > TEXT_MAX ? size : 0, size > TEXT_MAX};
    }
    end = end != NULL ? end : at + size;
    const bool consumed = parse_row(stream, (const char *)at, (const char *)end, now_s);
    return (step){(size_t)(end - at), !consumed};
}

static bool same_letters(const uint8_t *at, const char *word, size_t size)
{
    for (size_t k = 0; k < size; ++k) {
        if ((at[k] | 0x20) != (word[k] | 0x20)) {
            return false;
        }
    }
    return true;
}

/// The size of a hierarchy up to and with the two lines after MOTION; 0 when they have not arrived.
static size_t hierarchy_size(const uint8_t *at, size_t size)
{
    size_t lines = 0;
    for (size_t k = 0; k + 6 <= size; ++k) {
        if (!same_letters(at + k, "MOTION", 6)) {
            continue;
        }
        bool filled = false;
        for (k += 6; k < size; ++k) {
            filled = filled || !is_blank(at[k]);
            if ((at[k] == '\n' || at[k] == '\r') && (lines == 0 || filled)) {
                if (++lines == 3) {
                    return k + 1;
                }
                filled = false;
            }
        }
        return 0;
    }
    return 0;
}

static bool parse_hierarchy(lmbi_bvh_stream *stream, const uint8_t *at, size_t size)
{
    lmbi_bvh bvh = {.alloc = &stream->alloc, .header_only = true};
    const lmb_result result = lmbi_bvh_parse(&bvh, at, size, NULL);
    if (result != LMB_OK || stream->has_skeleton || bvh.channel_count == 0) {
        const bool again = result == LMB_OK && stream->has_skeleton;
        stream->report.ignored += again;
        lmbi_bvh_free(&bvh);
        return again;
    }
    lmbi_bvh_free(&stream->bvh);
    stream->bvh = bvh;
    stream->has_skeleton = true;
    return true;
}

static step parse_text(lmbi_bvh_stream *stream, const uint8_t *at, size_t size, bool last)
{
    const size_t known = size < 9 ? size : 9;
    if (!same_letters(at, "HIERARCHY", known)) {
        return (step){1, true};
    }
    const size_t consumed = hierarchy_size(at, size);
    if (consumed == 0) {
        return (step){size > TEXT_MAX || last ? size : 0, size > TEXT_MAX || last};
    }
    return (step){consumed, !parse_hierarchy(stream, at, consumed)};
}

// -------------------------------------------------------------------------------------------- both

/// The number of bytes up to where the next item may begin: a binary header, a line end or "||".
static size_t skip_junk(const uint8_t *at, size_t size)
{
    for (size_t k = 0; k < size; ++k) {
        if (begins_head(at + k, size - k) || at[k] == '\n' || at[k] == '|') {
            return k;
        }
    }
    return size;
}

size_t lmbi_stream_parse(lmbi_bvh_stream *stream, const uint8_t *bytes, size_t size, double now_s,
                         bool last)
{
    size_t at = 0;
    while (at < size) {
        step did = {1, false};
        const uint8_t *here = bytes + at;
        const size_t left = size - at;
        if (is_blank(*here)) {
            at += 1;
            continue;
        }
        if (begins_head(here, left)) {
            did = left < 2 ? (step){0, false} : parse_binary(stream, here, left, now_s);
        } else if (begins_row(*here)) {
            did = parse_text_row(stream, here, left, now_s, last);
        } else {
            did = parse_text(stream, here, left, last);
        }
        if (did.consumed == 0) {
            break;
        }
        at += did.consumed;
        // Invalid bytes count as one error, up to where the next item may begin.
        if (did.malformed) {
            stream->report.malformed += !stream->in_junk;
            at += skip_junk(bytes + at, size - at);
        }
        stream->in_junk = did.malformed;
    }
    return at;
}
