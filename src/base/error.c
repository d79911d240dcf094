#include "base/error.h"
#include "base/format.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *lmb_result_name(lmb_result result)
{
    switch (result) {
    case LMB_OK:
        return "done";
    case LMB_ERROR_MEMORY:
        return "out of memory";
    case LMB_ERROR_MALFORMED:
        return "malformed";
    case LMB_ERROR_UNSUPPORTED:
        return "not supported";
    case LMB_ERROR_INVALID:
        return "invalid";
    case LMB_ERROR_CANCELLED:
        return "cancelled";
    }
    return "unknown result";
}

/// Length of the well-formed UTF-8 sequence at `at`, or 0.
static size_t sequence_length(const unsigned char *at)
{
    const size_t length = at[0] < 0x80                    ? 1
                          : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                          : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                          : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                          : 0;
    for (size_t i = 1; i < length; ++i) {
        if ((at[i] & 0xc0) != 0x80) { // also stops at the terminator
            return 0;
        }
    }
    return length;
}

/// A message may quote bytes of a hostile file: only printable UTF-8 goes on to a terminal or into
/// JSON.
static void make_printable(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at;) {
        const size_t length = sequence_length(at);
        if (length == 0 || *at < 0x20 || *at == 0x7f) {
            *at++ = '?';
        } else {
            at += length;
        }
    }
}

static void fill_error(lmb_error *error, lmb_result code, const char *expected, const char *found,
                       va_list args) __attribute__((format(printf, 4, 0)));

static void fill_error(lmb_error *error, lmb_result code, const char *expected, const char *found,
                       va_list args)
{
    memset(error, 0, sizeof *error);
    error->code = code;
    snprintf(error->expected, sizeof error->expected, "%s", expected);
    lmbi_format_list(error->found, sizeof error->found, found, args);
    make_printable(error->found);
}

lmb_result lmbi_fail(lmb_error *error, lmb_result code, const char *expected, const char *found,
                     ...)
{
    if (error) {
        va_list args;
        va_start(args, found);
        fill_error(error, code, expected, found, args);
        va_end(args);
    }
    return code;
}

lmb_result lmbi_fail_byte(lmb_error *error, lmb_result code, size_t offset, const char *expected,
                          const char *found, ...)
{
    if (error) {
        va_list args;
        va_start(args, found);
        fill_error(error, code, expected, found, args);
        va_end(args);
        error->offset = offset;
    }
    return code;
}

lmb_result lmbi_fail_text(lmb_error *error, lmb_result code, unsigned line, unsigned column,
                          const char *expected, const char *found, ...)
{
    if (error) {
        va_list args;
        va_start(args, found);
        fill_error(error, code, expected, found, args);
        va_end(args);
        error->line = line;
        error->column = column;
    }
    return code;
}

lmb_result lmbi_fail_memory(lmb_error *error)
{
    return lmbi_fail(error, LMB_ERROR_MEMORY, "memory", "the allocator returned none");
}
