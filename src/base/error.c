#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *lmb_result_name(lmb_result result)
{
    switch (result) {
    case LMB_OK: return "done";
    case LMB_ERROR_MEMORY: return "out of memory";
    case LMB_ERROR_MALFORMED: return "malformed";
    case LMB_ERROR_UNSUPPORTED: return "not supported";
    case LMB_ERROR_INVALID: return "invalid";
    case LMB_ERROR_CANCELLED: return "cancelled";
    }
    return "unknown result";
}

static void fill(lmb_error *error, lmb_result code, const char *expected, const char *found, va_list args)
    __attribute__((format(printf, 4, 0)));

static void fill(lmb_error *error, lmb_result code, const char *expected, const char *found, va_list args)
{
    memset(error, 0, sizeof *error);
    error->code = code;
    snprintf(error->expected, sizeof error->expected, "%s", expected);
    vsnprintf(error->found, sizeof error->found, found, args);
}

lmb_result lmbi_fail(lmb_error *error, lmb_result code, const char *expected, const char *found, ...)
{
    if (error) {
        va_list args;
        va_start(args, found);
        fill(error, code, expected, found, args);
        va_end(args);
    }
    return code;
}

lmb_result lmbi_fail_byte(lmb_error *error, lmb_result code, size_t offset, const char *expected, const char *found, ...)
{
    if (error) {
        va_list args;
        va_start(args, found);
        fill(error, code, expected, found, args);
        va_end(args);
        error->offset = offset;
    }
    return code;
}

lmb_result lmbi_fail_text(lmb_error *error, lmb_result code, unsigned line, unsigned column, const char *expected, const char *found, ...)
{
    if (error) {
        va_list args;
        va_start(args, found);
        fill(error, code, expected, found, args);
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
