/// Filling an lmb_error, in one line where the fault was found.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "limber/base.h"

/// Writes the error (which may be NULL) and returns `code`. `found` is a printf format.
lmb_result lmbi_fail(lmb_error *error, lmb_result code, const char *expected, const char *found,
                     ...) __attribute__((format(printf, 4, 5)));
/// The same for a byte of a binary file.
lmb_result lmbi_fail_byte(lmb_error *error, lmb_result code, size_t offset, const char *expected,
                          const char *found, ...) __attribute__((format(printf, 5, 6)));
/// The same for a position in a text.
lmb_result lmbi_fail_text(lmb_error *error, lmb_result code, unsigned line, unsigned column,
                          const char *expected, const char *found, ...)
    __attribute__((format(printf, 6, 7)));
lmb_result lmbi_fail_memory(lmb_error *error);

#endif
