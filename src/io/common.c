#include "io/common.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/format.h"

static bool begins_with(const void *bytes, size_t size, const char *prefix)
{
    const size_t length = strlen(prefix);
    return size >= length && memcmp(bytes, prefix, length) == 0;
}

lmb_result lmbi_text_check(const void *bytes, size_t size, lmb_error *error)
{
    if (size == 0) {
        return lmbi_fail_text(error, LMB_ERROR_MALFORMED, 1, 1, "a text file", "an empty file");
    }
    if (begins_with(bytes, size, "\xff\xfe") || begins_with(bytes, size, "\xfe\xff")) {
        return lmbi_fail_text(error, LMB_ERROR_MALFORMED, 1, 1, "text in UTF-8",
                              "a byte order mark of UTF-16");
    }
    if (begins_with(bytes, size, "version https://git-lfs")) {
        return lmbi_fail_text(error, LMB_ERROR_MALFORMED, 1, 1, "the file itself",
                              "a Git LFS pointer to it (git lfs pull fetches it)");
    }
    return LMB_OK;
}

lmb_result lmbi_text_open(lmbi_scan *scan, const void *bytes, size_t size, lmb_error *error)
{
    lmbi_scan_init(scan, bytes, size);
    return lmbi_text_check(bytes, size, error);
}

lmb_result lmbi_fail_at(const lmbi_scan *start, const char *at, lmb_error *error,
                        const char *expected)
{
    lmbi_scan scan = *start;
    for (;;) {
        lmbi_scan next = scan;
        lmbi_scan_next_line(&next);
        if (next.at > at || next.at == scan.at || next.line == scan.line) {
            break;
        }
        scan = next;
    }
    scan.at = at;
    return lmbi_scan_fail(&scan, error, expected);
}

void lmbi_note(lmb_notes *notes, unsigned line, const char *format, ...)
{
    if (notes == NULL) {
        return;
    }
    if (notes->count < LMB_NOTE_MAX) {
        lmb_note *note = &notes->items[notes->count];
        va_list args;
        va_start(args, format);
        lmbi_format_list(note->text, sizeof note->text, format, args);
        va_end(args);
        note->line = line;
    }
    notes->count += notes->count < UINT32_MAX;
}

float lmbi_linear_from_srgb(float value)
{
    if (value <= 0.04045f) {
        return value / 12.92f;
    }
    return lmb_exp(2.4f * lmb_log((value + 0.055f) / 1.055f));
}

float lmbi_srgb_from_linear(float value)
{
    if (value <= 0.0031308f) {
        return value * 12.92f;
    }
    return 1.055f * lmb_exp(lmb_log(value) / 2.4f) - 0.055f;
}

void lmbi_influences_sort(lmb_influence *row, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        const lmb_influence item = row[i];
        uint32_t at = i;
        for (; at > 0 && lmbi_influence_is_before(item, row[at - 1]); --at) {
            row[at] = row[at - 1];
        }
        row[at] = item;
    }
}
