#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "io/bvh/bvh.h"

bool lmbi_bvh_number(const lmbi_bvh *bvh, lmbi_scan *scan, double *value)
{
    lmbi_scan_blanks(scan);
    const char *after = lmbi_number_read(scan->at, scan->end, value);
    if (bvh->decimal_comma && after < scan->end && *after == ',') {
        char copy[64];
        lmbi_scan peek = *scan;
        const lmbi_word word = lmbi_scan_word(&peek);
        if (word.size >= sizeof copy) {
            return false;
        }
        memcpy(copy, word.at, word.size);
        char *comma = memchr(copy, ',', word.size);
        *comma = '.';
        after = scan->at + (lmbi_number_read(copy, copy + word.size, value) - copy);
    }
    if (after == scan->at ||
        (after < scan->end && (unsigned char)*after > ' ' && *after != '{' && *after != '}')) {
        return false;
    }
    scan->at = after;
    return true;
}

static bool reserve(lmbi_bvh *bvh, size_t count)
{
    void *values = bvh->values;
    const bool ok =
        lmbi_grow(bvh->alloc, &values, &bvh->value_capacity, count, sizeof *bvh->values);
    bvh->values = values;
    return ok;
}

/// Skips a number that the end of the file truncates, like "6.48054e-": the rest of its row is
/// missing too. False, and nothing skipped, for any other word.
static bool skip_truncated_number(lmbi_scan *scan)
{
    lmbi_scan peek = *scan;
    const lmbi_word word = lmbi_scan_word(&peek);
    if (!lmbi_scan_done(&peek) || word.size == 0 ||
        memchr("+-.eE", word.at[word.size - 1], 5) == NULL) {
        return false;
    }
    *scan = peek;
    return true;
}

/// Fast path for numbers separated by spaces or tabs: reads up to `most`, and stops before anything
/// else.
static void read_plain_numbers(lmbi_bvh *bvh, lmbi_scan *scan, size_t most)
{
    const char *at = scan->at, *end = scan->end;
    const size_t full = bvh->value_count + most;
    while (bvh->value_count < full) {
        while (at < end && (*at == ' ' || *at == '\t')) {
            ++at;
        }
        double value;
        const char *after = lmbi_number_read(at, end, &value);
        // A number at the very end of the file may be truncated: leave it to the slow path.
        if (after == at || after >= end || (unsigned char)*after > ' ' || !isfinite((float)value)) {
            break;
        }
        bvh->values[bvh->value_count++] = (float)value;
        at = after;
    }
    scan->at = at;
}

/// Reads every number of a line. *over is set to where the first number beyond `limit` begins.
static lmb_result read_line(lmbi_bvh *bvh, lmbi_scan *scan, size_t limit, size_t *count,
                            lmbi_scan *over, lmb_error *error)
{
    const size_t before = bvh->value_count, room = bvh->value_capacity - before;
    if (!bvh->decimal_comma) {
        read_plain_numbers(bvh, scan, limit < room ? limit : room);
    }
    *count = bvh->value_count - before;
    while (!lmbi_scan_line_end(scan)) {
        if (bvh->value_count == bvh->value_capacity && !reserve(bvh, bvh->value_count + 1)) {
            return lmbi_fail_memory(error);
        }
        if (*count == limit) {
            *over = *scan;
        }
        double value = 0;
        const char *word = scan->at;
        if (!lmbi_bvh_number(bvh, scan, &value)) {
            if (skip_truncated_number(scan)) {
                return LMB_OK;
            }
            return lmbi_scan_fail(scan, error, "a number");
        }
        const float narrow = (float)value;
        if (!isfinite(narrow)) {
            scan->at = word;
            return lmbi_scan_fail(scan, error, "a finite number");
        }
        bvh->values[bvh->value_count++] = narrow;
        ++*count;
    }
    return LMB_OK;
}

static lmb_result fail_row(const lmbi_bvh *bvh, const lmbi_scan *at, size_t row, size_t count,
                           lmb_error *error)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%u values in row %zu, one a channel", bvh->channel_count,
             row + 1);
    return lmbi_fail_text(error, LMB_ERROR_MALFORMED, at->line, lmbi_scan_column(at), expected,
                          "%zu", count);
}

static void note_frame_count(lmbi_bvh *bvh)
{
    if (bvh->frame_count != bvh->info.declared_frames) {
        lmbi_note(&bvh->info.notes, 0, "%llu frames are declared and %u are there: those were read",
                  (unsigned long long)bvh->info.declared_frames, bvh->frame_count);
    }
}

lmb_result lmbi_bvh_parse_rows(lmbi_bvh *bvh, lmbi_scan *scan, lmb_error *error)
{
    const size_t channels = bvh->channel_count;
    const size_t bytes_left = (size_t)(scan->end - scan->at);
    // A value takes at least two bytes, so a larger count cannot be true; dividing avoids overflow.
    if (channels && bvh->info.declared_frames <= bytes_left / 2 / channels &&
        !reserve(bvh, (size_t)bvh->info.declared_frames * channels)) {
        return lmbi_fail_memory(error);
    }
    size_t pending = 0, rows = 0, count = 0;
    bool wrapped = false;
    for (lmbi_scan_space(scan); !lmbi_scan_done(scan); lmbi_scan_space(scan)) {
        lmbi_scan over = *scan;
        const lmb_result result = read_line(bvh, scan, channels - pending, &count, &over, error);
        if (result != LMB_OK) {
            return result;
        }
        if (channels == 0) {
            return fail_row(bvh, &over, rows, count, error);
        }
        const lmbi_scan line_end = *scan;
        lmbi_scan_space(scan);
        // A line holds one row or several whole rows, unless the first line is shorter than a row:
        // then rows are wrapped over lines.
        wrapped = wrapped || (rows == 0 && pending == 0 && count < channels);
        pending += count;
        if (wrapped ? pending < channels : pending % channels != 0) {
            if (lmbi_scan_done(scan) && (wrapped || count < channels)) {
                lmbi_note(&bvh->info.notes, line_end.line,
                          "the last row has %zu of %zu values and was left out", pending % channels,
                          channels);
            } else if (!wrapped) {
                return fail_row(bvh, count < channels ? &line_end : &over, rows, count, error);
            }
        } else if (wrapped && pending > channels) {
            return fail_row(bvh, &over, rows, pending, error);
        }
        rows += pending / channels;
        pending = pending % channels;
    }
    if (rows > UINT32_MAX) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "at most 2^32 - 1 frames", "%zu", rows);
    }
    bvh->frame_count = (uint32_t)rows;
    note_frame_count(bvh);
    return LMB_OK;
}
