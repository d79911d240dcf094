/// Open Sound Control 1.0 (Wright 2002): big-endian numbers, texts padded with zeros to four bytes.
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "io/bytes.h"
#include "io/stream/osc.h"
#include "limber/io.h"

enum { BUNDLES = 8, BUNDLE_HEAD = 16 };

typedef struct reader {
    const uint8_t *start;
    lmbi_osc_each each; ///< NULL: only checks the packet
    void *user;
    lmb_error *error;
} reader;

static lmb_result fail_at(const reader *r, const uint8_t *at, const char *expected,
                          const char *found)
{
    return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, (size_t)(at - r->start), expected, "%s",
                          found);
}

/// The text at `at`, which a zero before `end` terminates; `at` moves past its padding.
static const char *read_text(const uint8_t **at, const uint8_t *end, uint32_t *size)
{
    const uint8_t *zero = *at < end ? memchr(*at, 0, (size_t)(end - *at)) : NULL;
    if (zero == NULL) {
        return NULL;
    }
    const char *text = (const char *)*at;
    const size_t padded = ((size_t)(zero - *at) / 4 + 1) * 4;
    if (padded > (size_t)(end - *at)) {
        return NULL;
    }
    *size = (uint32_t)(zero - *at);
    *at += padded;
    return text;
}

static bool read_blob(const uint8_t **at, const uint8_t *end, lmbi_osc_argument *out)
{
    if (end - *at < 4) {
        return false;
    }
    const size_t size = lmbi_load_u32_big(*at), padded = (size + 3) / 4 * 4;
    if (padded > (size_t)(end - *at) - 4) {
        return false;
    }
    out->text = (const char *)*at + 4;
    out->size = (uint32_t)size;
    *at += 4 + padded;
    return true;
}

static bool read_number(const uint8_t **at, const uint8_t *end, lmbi_osc_argument *out)
{
    const bool wide = strchr("hdt", out->type) != NULL;
    if (end - *at < (wide ? 8 : 4)) {
        return false;
    }
    const uint64_t bits = wide ? (uint64_t)lmbi_load_u32_big(*at) << 32 | lmbi_load_u32_big(*at + 4)
                               : (uint64_t)lmbi_load_u32_big(*at);
    *at += wide ? 8 : 4;
    if (out->type == 'f') {
        out->real = (double)lmbi_float_of_bits((uint32_t)bits);
    } else if (out->type == 'd') {
        out->real = lmbi_double_of_bits(bits);
    } else {
        out->whole = wide ? (int64_t)bits : (int64_t)(int32_t)(uint32_t)bits;
    }
    return true;
}

static bool read_argument(const uint8_t **at, const uint8_t *end, lmbi_osc_argument *out)
{
    switch (out->type) {
    case 's':
    case 'S':
        out->text = read_text(at, end, &out->size);
        return out->text != NULL;
    case 'b':
        return read_blob(at, end, out);
    case 'i':
    case 'f':
    case 'h':
    case 'd':
    case 't':
    case 'c':
    case 'r':
    case 'm':
        return read_number(at, end, out);
    default:
        return true; // T F N I and brackets have no data
    }
}

static lmb_result read_message(const reader *r, const uint8_t *at, const uint8_t *end)
{
    lmbi_osc_message message = {.argument_count = 0};
    const uint8_t *start = at;
    uint32_t size;
    message.address = read_text(&at, end, &size);
    if (message.address == NULL || message.address[0] != '/') {
        return fail_at(r, start, "an address that begins with /", "other bytes");
    }
    // Old senders omit the type string of messages without arguments.
    const uint8_t *types_at = at;
    const char *types = at < end ? read_text(&at, end, &size) : ",";
    if (types == NULL || types[0] != ',') {
        return fail_at(r, types_at, "type letters after a comma", "other bytes");
    }
    for (++types; *types != 0; ++types) {
        lmbi_osc_argument argument = {.type = *types};
        const uint8_t *before = at;
        if (strchr("ifsbhdtcrmSTFNI[]", *types) == NULL) {
            return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, (size_t)(types_at - r->start),
                                  "a known type letter", "byte 0x%02x", (unsigned char)*types);
        }
        if (!read_argument(&at, end, &argument)) {
            return fail_at(r, before, "an argument", "the end of the message");
        }
        if (message.argument_count < LMBI_OSC_ARGUMENTS) {
            message.arguments[message.argument_count++] = argument;
        }
    }
    if (r->each != NULL) {
        r->each(r->user, &message);
    }
    return LMB_OK;
}

/// Reads a packet in one pass; a small stack holds the ends of the open bundles.
static lmb_result read_packet(const reader *r, size_t size)
{
    const uint8_t *ends[BUNDLES], *at = r->start, *element_end = r->start + size;
    int depth = 0;
    for (;;) {
        const size_t left = (size_t)(element_end - at);
        if (left >= BUNDLE_HEAD && memcmp(at, "#bundle", 8) == 0) {
            if (depth == BUNDLES) {
                return fail_at(r, at, "bundles no more than eight deep", "one deeper");
            }
            ends[depth++] = element_end;
            at += BUNDLE_HEAD;
        } else {
            const lmb_result result = read_message(r, at, element_end);
            if (result != LMB_OK) {
                return result;
            }
            at = element_end;
        }
        while (depth > 0 && at == ends[depth - 1]) {
            --depth;
        }
        if (depth == 0) {
            return LMB_OK;
        }
        const size_t room = (size_t)(ends[depth - 1] - at);
        if (room < 4 || lmbi_load_u32_big(at) > room - 4 || lmbi_load_u32_big(at) == 0 ||
            lmbi_load_u32_big(at) % 4 != 0) {
            return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, (size_t)(at - r->start),
                                  "the size of an element, in fours, inside its bundle",
                                  "%zu bytes left for %u", room,
                                  room < 4 ? 0u : lmbi_load_u32_big(at));
        }
        element_end = at + 4 + lmbi_load_u32_big(at);
        at += 4;
    }
}

lmb_result lmbi_osc_read(const void *bytes, size_t size, lmbi_osc_each each, void *user,
                         lmb_error *error)
{
    reader r = {.start = bytes, .error = error};
    if (size == 0 || size % 4 != 0) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, size, "a packet of four-byte words",
                              "%zu bytes", size);
    }
    lmb_result result = read_packet(&r, size);
    if (result == LMB_OK) {
        r.each = each;
        r.user = user;
        result = read_packet(&r, size);
    }
    return result;
}

// ---------------------------------------------------------------------------------------- writing

static uint8_t *room_for(lmbi_osc_out *out, size_t size)
{
    if (out->full || size > out->capacity - out->size) {
        out->full = true;
        return NULL;
    }
    uint8_t *at = out->bytes + out->size;
    memset(at, 0, size);
    out->size += size;
    return at;
}

static void store_u32(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

static void write_u32(lmbi_osc_out *out, uint32_t value)
{
    uint8_t *at = room_for(out, 4);
    if (at != NULL) {
        store_u32(at, value);
    }
}

static void write_text(lmbi_osc_out *out, const char *before, const char *text)
{
    const size_t first = strlen(before), size = first + strlen(text);
    uint8_t *at = room_for(out, (size / 4 + 1) * 4);
    if (at != NULL) {
        memcpy(at, before, first);
        memcpy(at + first, text, size - first);
    }
}

void lmbi_osc_bundle(lmbi_osc_out *out)
{
    write_text(out, "", "#bundle");
    write_u32(out, 0);
    write_u32(out, 1); // the time tag for "immediately"
}

void lmbi_osc_write(lmbi_osc_out *out, const char *address, const char *types, ...)
{
    const bool in_bundle = out->size > 0;
    const size_t length_at = out->size;
    if (in_bundle) {
        write_u32(out, 0);
    }
    const size_t begin = out->size;
    write_text(out, "", address);
    write_text(out, ",", types);
    va_list list;
    va_start(list, types);
    for (; *types != 0; ++types) {
        if (*types == 's') {
            write_text(out, "", va_arg(list, const char *));
        } else if (*types == 'i') {
            write_u32(out, (uint32_t)va_arg(list, int));
        } else {
            const float value = (float)va_arg(list, double);
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            write_u32(out, bits);
        }
    }
    va_end(list);
    if (in_bundle && !out->full) {
        store_u32(out->bytes + length_at, (uint32_t)(out->size - begin));
    }
}
