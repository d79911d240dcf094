/// Numbers in text, the same in every locale.
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "limber/base.h"

/// Reads a decimal number (sign, digits, point, exponent; also nan, inf, infinity in any case) from
/// [at, end).
/// Returns the byte after it, or `at` when there is none. Exact for up to 15 digits and powers of
/// ten up to 22, which is every float written in 9 digits; otherwise within an ulp of double.
const char *lmbi_number_read(const char *at, const char *end, double *value);

/// The shortest decimal of up to 9 digits that reads back as the same float, '.' as the point; "0"
/// for negative zero. Needs 32 bytes; returns the length. Non-finite values write as 0: formats
/// have no word for them.
size_t lmbi_float_write(char out[32], float value);

#endif
