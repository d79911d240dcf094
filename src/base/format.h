/// snprintf that writes the same in every locale of the host: '.' is the point. All text of the
/// library with floats in it goes through here, or through lmbi_float_write.
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/// Flags, widths and precisions as in C; the conversions d i u x X o c s p f e g and their capitals,
/// with h, hh, l, ll, z, j or t. Returns the length without the end, also where it did not fit.
int lmbi_format(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int lmbi_format_list(char *out, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
