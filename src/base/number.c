#include "base/number.h"
#include "base/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double small_powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double scale_by_ten(double value, int exponent)
{
    while (exponent > 22 && value != 0 && isfinite(value)) {
        value *= 1e22;
        exponent -= 22;
    }
    while (exponent < -22 && value != 0) {
        value /= 1e22;
        exponent += 22;
    }
    if (value == 0 || !isfinite(value)) {
        return value;
    }
    return exponent < 0 ? value / small_powers[-exponent] : value * small_powers[exponent];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool word_at(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    if ((size_t)(end - at) < length) {
        return false;
    }
    for (size_t i = 0; i < length; ++i) {
        if ((at[i] | 0x20) != word[i]) {
            return false;
        }
    }
    return true;
}

static const char *read_word(const char *at, const char *end, double *value)
{
    if (word_at(at, end, "nan")) {
        *value = (double)NAN;
        return at + 3;
    }
    if (word_at(at, end, "inf")) {
        *value = (double)INFINITY;
        return word_at(at, end, "infinity") ? at + 8 : at + 3;
    }
    return NULL;
}

/// Gathers up to 19 digits; the rest only move the exponent.
static const char *read_digits(const char *at, const char *end, uint64_t *mantissa, int *dropped,
                               int *taken, int *seen)
{
    for (; at < end && is_digit(*at); ++at) {
        ++*seen;
        if (*taken < 19) {
            *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
            *taken += *mantissa != 0;
        } else {
            ++*dropped;
        }
    }
    return at;
}

static const char *read_exponent(const char *at, const char *end, int *exponent)
{
    if (at >= end || (*at != 'e' && *at != 'E')) {
        return at;
    }
    const char *p = at + 1;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        ++p;
    }
    if (p >= end || !is_digit(*p)) {
        return at;
    }
    int value = 0;
    for (; p < end && is_digit(*p); ++p) {
        value = value < 100000 ? value * 10 + (*p - '0') : value;
    }
    *exponent = negative ? -value : value;
    return p;
}

/// Eight bytes, the first lowest.
static inline uint64_t load_eight(const char *from)
{
    const unsigned char *at = (const unsigned char *)from;
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

/// How many of eight bytes, from the first, are digits. `apart` is the bytes with '0' taken off by
/// bits: a digit leaves 0 to 9, and 0x76 carries what is more into the top bit.
static int leading_digits(uint64_t apart)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f, top = 0x8080808080808080;
    const uint64_t other = (((apart & low) + 0x7676767676767676) | apart) & top;
    return other == 0 ? 8 : __builtin_ctzll(other) / 8;
}

/// Eight digits at once, the first worth most: pairs, then fours, then all, by multiplication.
static uint64_t join_digits(uint64_t digits)
{
    digits = (digits * 10) + (digits >> 8);
    const uint64_t mask = 0x000000ff000000ff;
    return (((digits & mask) * 0x000f424000000064) +
            (((digits >> 16) & mask) * 0x0000271000000001)) >>
           32;
}

/// Up to eight digits behind those of the mantissa.
static inline const char *take_digits(const char *at, const char *end, uint64_t *mantissa)
{
    static const uint32_t powers[9] = {1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000};
    if (end - at >= 8) {
        const uint64_t apart = load_eight(at) ^ 0x3030303030303030;
        const int count = leading_digits(apart), half = 4 * (8 - count);
        // Leading zeros: the digits after them are shifted out at the top.
        *mantissa = *mantissa * powers[count] + join_digits(apart << half << half);
        return at + count;
    }
    for (int k = 0; k < 8 && at < end && is_digit(*at); ++k, ++at) {
        *mantissa = *mantissa * 10 + (uint64_t)(*at - '0');
    }
    return at;
}

/// The common case alone: sign, up to 15 digits with a point among them, and a power of ten that a
/// double has exactly: one product or quotient rounds once. NULL for any other.
static const char *read_plain(const char *at, const char *end, double *value)
{
    const bool negative = at < end && *at == '-';
    const char *const begin = at + negative;
    uint64_t mantissa = 0;
    int exponent = 0, decimals = 0;
    const char *p = take_digits(begin, end, &mantissa);
    long digits = (long)(p - begin);
    if (p < end && *p == '.') {
        const char *const fraction = p + 1;
        for (p = take_digits(fraction, end, &mantissa);
             p < end && is_digit(*p) && digits + (p - fraction) < 16; ++p) {
            mantissa = mantissa * 10 + (uint64_t)(*p - '0');
        }
        decimals = (int)(p - fraction);
        digits += decimals;
    }
    if (digits < 1 || digits > 15 || (p < end && is_digit(*p))) {
        return NULL;
    }
    if (p < end && (*p | 0x20) >= 'a') {
        if ((*p | 0x20) != 'e') {
            return NULL;
        }
        p = read_exponent(p, end, &exponent);
    }
    const int power = exponent - decimals;
    if (power < -22 || power > 22) {
        return NULL;
    }
    const double whole = (double)mantissa;
    const double magnitude = power < 0 ? whole / small_powers[-power] : whole * small_powers[power];
    *value = negative ? -magnitude : magnitude;
    return p;
}

const char *lmbi_number_read(const char *at, const char *end, double *value)
{
    const char *plain = read_plain(at, end, value);
    if (plain) {
        return plain;
    }
    const char *p = at;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        ++p;
    }
    const char *after = read_word(p, end, value);
    if (after == NULL) {
        uint64_t mantissa = 0;
        int dropped = 0, taken = 0, seen = 0, exponent = 0;
        p = read_digits(p, end, &mantissa, &dropped, &taken, &seen);
        int shift = dropped;
        if (p < end && *p == '.') {
            const char *fraction = p + 1;
            int dropped_here = 0;
            p = read_digits(fraction, end, &mantissa, &dropped_here, &taken, &seen);
            shift -= (int)(p - fraction) - dropped_here;
        }
        if (seen == 0) {
            return at;
        }
        after = read_exponent(p, end, &exponent);
        *value = scale_by_ten((double)mantissa, exponent + shift);
    }
    if (negative) {
        *value = -*value;
    }
    return after;
}

/// The shortest of 6 to 9 digits that reads back the same.
static size_t write_printf(char out[32], float value)
{
    int length = 0;
    for (int digits = 6; digits <= 9; ++digits) {
        length = lmbi_format(out, 32, "%.*g", digits, (double)value);
        double back = 0;
        lmbi_number_read(out, out + length, &back);
        if ((float)back == value) {
            break;
        }
    }
    return (size_t)length;
}

/// The decimal exponent of value > 0: 10^e <= value < 10^(e + 1), for 1e-22 <= value < 1e22.
static int decimal_exponent(double value)
{
    int e = 0;
    if (value >= 1) {
        while (value >= small_powers[e + 1]) {
            ++e;
        }
        return e;
    }
    while (value * small_powers[-e] < 1) {
        --e;
    }
    return e;
}

/// d.ddd e, or plain digits for exponents from -5 to `digits`, as %g writes them. `mantissa` has
/// `digits` digits.
static size_t write_digits(char *out, uint64_t mantissa, int digits, int exponent)
{
    char d[20];
    for (int i = digits; i-- > 0; mantissa /= 10) {
        d[i] = (char)('0' + mantissa % 10);
    }
    while (digits > 1 && d[digits - 1] == '0') {
        --digits;
    }
    char *at = out;
    const bool scientific = exponent < -5 || exponent >= 9;
    const int point = scientific ? 1 : exponent + 1;
    if (point <= 0) {
        *at++ = '0';
        *at++ = '.';
    }
    for (int i = point; i < 0; ++i) {
        *at++ = '0';
    }
    for (int i = 0; i < digits || i < point; ++i) {
        if (i == point && point > 0) {
            *at++ = '.';
        }
        *at++ = i < digits ? d[i] : '0';
    }
    *at = 0;
    if (scientific) {
        at += snprintf(at, 8, "e%d", exponent);
    }
    return (size_t)(at - out);
}

/// For magnitudes whose powers of ten are exact in double: no printf, several times faster.
static size_t write_fast(char *out, double value)
{
    const int first_exponent = decimal_exponent(value);
    for (int digits = 6;; ++digits) {
        int exponent = first_exponent;
        uint64_t mantissa = (uint64_t)(scale_by_ten(value, digits - 1 - exponent) + 0.5);
        if (mantissa >= (uint64_t)small_powers[digits]) {
            mantissa /= 10; // 9.9999996 rounds up to one digit more
            ++exponent;
        }
        if (digits == 9 ||
            (float)scale_by_ten((double)mantissa, exponent + 1 - digits) == (float)value) {
            return write_digits(out, mantissa, digits, exponent);
        }
    }
}

size_t lmbi_float_write(char out[32], float value)
{
    if (!isfinite(value) || value == 0) {
        memcpy(out, "0", 2);
        return 1;
    }
    const double magnitude = fabs((double)value);
    if (magnitude > 1e-12 && magnitude < 1e15) {
        out[0] = '-';
        const size_t sign = value < 0;
        return sign + write_fast(out + sign, magnitude);
    }
    return write_printf(out, value);
}
