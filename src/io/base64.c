#include "io/base64.h"

static const char letters[64] = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"};

enum { NO_LETTER = 255 };

/// The value of every byte; NO_LETTER for bytes outside the alphabet.
static void make_values(uint8_t values[256])
{
    for (int k = 0; k < 256; ++k) {
        values[k] = NO_LETTER;
    }
    for (int k = 0; k < 64; ++k) {
        values[(uint8_t)letters[k]] = (uint8_t)k;
    }
}

size_t lmbi_base64_bound(size_t size)
{
    return size / 4 * 3 + 3;
}

bool lmbi_base64_decode(const char *at, size_t size, uint8_t *out, size_t *out_size, size_t *bad)
{
    size_t used = size;
    if (size % 4 == 0) {
        while (used > 0 && size - used < 2 && at[used - 1] == '=') {
            --used;
        }
    }
    uint8_t values[256];
    make_values(values);
    uint32_t bits = 0;
    size_t written = 0;
    for (size_t k = 0; k < used; ++k) {
        const uint8_t value = values[(uint8_t)at[k]];
        if (value == NO_LETTER) {
            *bad = k;
            return false;
        }
        bits = bits << 6 | value;
        if (k % 4 == 3) {
            out[written++] = (uint8_t)(bits >> 16);
            out[written++] = (uint8_t)(bits >> 8);
            out[written++] = (uint8_t)bits;
        }
    }
    if (used % 4 == 1) {
        *bad = used;
        return false;
    }
    if (used % 4 == 2) {
        out[written++] = (uint8_t)(bits >> 4);
    } else if (used % 4 == 3) {
        out[written++] = (uint8_t)(bits >> 10);
        out[written++] = (uint8_t)(bits >> 2);
    }
    *out_size = written;
    return true;
}

void lmbi_base64_encode(lmbi_text *text, const uint8_t *bytes, size_t size)
{
    uint8_t *out = lmbi_text_room(text, (size + 2) / 3 * 4);
    for (size_t k = 0; out && k < size; k += 3, out += 4) {
        const uint32_t b1 = k + 1 < size ? bytes[k + 1] : 0;
        const uint32_t b2 = k + 2 < size ? bytes[k + 2] : 0;
        const uint32_t bits = (uint32_t)bytes[k] << 16 | b1 << 8 | b2;
        out[0] = (uint8_t)letters[bits >> 18];
        out[1] = (uint8_t)letters[bits >> 12 & 63];
        out[2] = (uint8_t)(k + 1 < size ? letters[bits >> 6 & 63] : '=');
        out[3] = (uint8_t)(k + 2 < size ? letters[bits & 63] : '=');
    }
}
