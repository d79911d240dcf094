#include "base/inflate.h"

#include <string.h>

#include "base/error.h"
#include "base/inflate_code.h"

enum {
    /// Most entries of a code of 288 words with a first table of 10 bits, and of 32 words with one
    /// of 8 (counted by zlib's `enough`: 1334 and 402).
    LITERAL_ENTRIES = 1334,
    DISTANCE_ENTRIES = 402,
    /// Bytes of input and of output that one iteration of the fast loop may touch.
    FAST_IN = 24,
    FAST_OUT = 4 + 258 + 8,
};

typedef struct stream {
    const uint8_t *in, *in_begin, *in_end;
    uint8_t *out, *out_begin, *out_end;
    uint64_t bits;      ///< the next bit lowest
    uint32_t bit_count; ///< at most 64
    uint32_t beyond;    ///< zero bytes appended to `bits` past the end of the input
    lmb_error *error;
    lmbi_code_entry literals[LITERAL_ENTRIES];
    lmbi_code_entry distances[DISTANCE_ENTRIES];
} stream;

// ------------------------------------------------------------------------------------------- bits

static lmb_result fail(const stream *s, const char *expected, const char *found)
{
    return lmbi_fail_byte(s->error, LMB_ERROR_MALFORMED, (size_t)(s->in - s->in_begin), expected,
                          "%s", found);
}

static lmb_result fail_end(const stream *s)
{
    return fail(s, "more compressed data", "its end");
}

static lmb_result fail_room(const stream *s)
{
    return fail(s, "no more data than the file says", "further data");
}

static inline uint64_t load_u64(const uint8_t *at)
{
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

/// At least 56 bits, zeros where the input has ended.
static void refill(stream *s)
{
    while (s->bit_count <= 56) {
        if (s->in < s->in_end) {
            s->bits |= (uint64_t)*s->in++ << s->bit_count;
        } else {
            ++s->beyond;
        }
        s->bit_count += 8;
    }
}

/// Whether bits were taken that the input does not have.
static bool is_past_end(const stream *s)
{
    return (uint64_t)s->beyond * 8 > s->bit_count;
}

static uint32_t take(stream *s, uint32_t count)
{
    const uint32_t value = (uint32_t)(s->bits & (((uint64_t)1 << count) - 1));
    s->bits >>= count;
    s->bit_count -= count;
    return value;
}

static lmbi_code_entry peek_entry(stream *s, const lmbi_code_entry *table, uint32_t table_bits)
{
    lmbi_code_entry e = table[s->bits & ((1u << table_bits) - 1)];
    if (e.op & LMBI_OP_TABLE) {
        take(s, table_bits);
        e = table[e.value + (s->bits & ((1u << (e.op & 31)) - 1))];
    }
    take(s, e.bits);
    return e;
}

// ----------------------------------------------------------------------------------------- blocks

/// Copies a match byte by byte: what is written may be what is read next.
static lmb_result put_match(stream *s, uint32_t length, uint32_t distance)
{
    if (distance > (size_t)(s->out - s->out_begin)) {
        return fail(s, "a distance back into the data", "one to before its start");
    }
    if (length > (size_t)(s->out_end - s->out)) {
        return fail_room(s);
    }
    for (const uint8_t *from = s->out - distance; length > 0; --length) {
        *s->out++ = *from++;
    }
    return LMB_OK;
}

/// One round: a few literals, or a match. Sets *ended at the end of the block.
static lmb_result careful_turn(stream *s, bool *ended)
{
    refill(s);
    const lmbi_code_entry e = peek_entry(s, s->literals, LMBI_LITERAL_BITS);
    if (e.op >= LMBI_OP_LITERAL) {
        if (e.op == LMBI_OP_BAD) {
            return fail(s, "a code word of the block", "bits that are none");
        }
        *ended = e.op == LMBI_OP_END;
        if (is_past_end(s)) {
            return fail_end(s);
        }
        if (e.op == LMBI_OP_LITERAL) {
            if (s->out == s->out_end) {
                return fail_room(s);
            }
            *s->out++ = (uint8_t)e.value;
        }
        return LMB_OK;
    }
    const uint32_t length = e.value + take(s, e.op);
    const lmbi_code_entry d = peek_entry(s, s->distances, LMBI_DISTANCE_BITS);
    if (d.op == LMBI_OP_BAD) {
        return fail(s, "a code word of the block", "bits that are none");
    }
    const uint32_t distance = d.value + take(s, d.op);
    return is_past_end(s) ? fail_end(s) : put_match(s, length, distance);
}

/// Copies 8 bytes at a time, up to 7 beyond the end.
static inline uint8_t *copy_match(uint8_t *out, uint32_t length, uint32_t distance)
{
    const uint8_t *from = out - distance;
    uint8_t *const end = out + length;
    if (distance >= 8) {
        do {
            memcpy(out, from, 8);
            out += 8;
            from += 8;
        } while (out < end);
    } else if (distance == 1) {
        memset(out, *from, length);
    } else {
        // Of 8 bytes as many are right as lie between the two; the next step puts the rest right.
        do {
            uint64_t word;
            memcpy(&word, from, sizeof word);
            memcpy(out, &word, sizeof word);
            out += distance;
            from += distance;
        } while (out < end);
    }
    return end;
}

/// An entry as one number, so that one load brings it: op, bits, value from the top.
static inline uint32_t entry_at(const lmbi_code_entry *table, uint64_t index)
{
    const lmbi_code_entry *e = &table[index];
    return (uint32_t)e->value | (uint32_t)e->bits << 16 | (uint32_t)e->op << 24;
}

static inline uint64_t low_bits(uint64_t bits, uint32_t count)
{
    return bits & (((uint64_t)1 << count) - 1);
}

#define IS_LITERAL(entry) ((entry) >> 24 == LMBI_OP_LITERAL)
#define BITS_OF(entry) ((entry) >> 16 & 255)

/// Decodes while input and output are far from their ends, so that nothing needs checking but
/// distances and codes. The stream's state lives in locals: that is worth a third of the time. What
/// it cannot do is left to careful_turn, from before the symbol.
static void fast_turns(stream *s)
{
    const uint8_t *in = s->in;
    uint8_t *out = s->out;
    uint64_t bits = s->bits;
    uint32_t count = s->bit_count;
    while (s->in_end - in >= FAST_IN && s->out_end - out >= FAST_OUT) {
        bits |= load_u64(in) << count;
        in += (63 - count) >> 3;
        count |= 56;
        uint32_t e = entry_at(s->literals, low_bits(bits, LMBI_LITERAL_BITS));
        for (int k = 0; k < 3 && IS_LITERAL(e); ++k) {
            bits >>= BITS_OF(e);
            count -= BITS_OF(e);
            *out++ = (uint8_t)e;
            e = entry_at(s->literals, low_bits(bits, LMBI_LITERAL_BITS));
        }
        bits |= load_u64(in) << count;
        in += (63 - count) >> 3;
        count |= 56;
        // From here on the word is consumed as a whole or not at all.
        uint64_t ahead = bits;
        uint32_t taken = 0;
        if (e >> 24 & LMBI_OP_TABLE) {
            ahead >>= LMBI_LITERAL_BITS;
            taken = LMBI_LITERAL_BITS;
            e = entry_at(s->literals, (e & 0xffff) + low_bits(ahead, e >> 24 & 31));
        }
        ahead >>= BITS_OF(e);
        taken += BITS_OF(e);
        if (IS_LITERAL(e)) {
            *out++ = (uint8_t)e;
        } else if (e >> 24 < LMBI_OP_LITERAL) {
            const uint32_t length = (e & 0xffff) + (uint32_t)low_bits(ahead, e >> 24);
            ahead >>= e >> 24;
            taken += e >> 24;
            uint32_t d = entry_at(s->distances, low_bits(ahead, LMBI_DISTANCE_BITS));
            if (d >> 24 & LMBI_OP_TABLE) {
                ahead >>= LMBI_DISTANCE_BITS;
                taken += LMBI_DISTANCE_BITS;
                d = entry_at(s->distances, (d & 0xffff) + low_bits(ahead, d >> 24 & 31));
            }
            ahead >>= BITS_OF(d);
            const uint32_t distance = (d & 0xffff) + (uint32_t)low_bits(ahead, d >> 24 & 31);
            taken += BITS_OF(d) + (d >> 24);
            if (d >> 24 >= LMBI_OP_LITERAL || distance > (size_t)(out - s->out_begin)) {
                break;
            }
            out = copy_match(out, length, distance);
        } else {
            break;
        }
        bits >>= taken;
        count -= taken;
    }
    s->in = in;
    s->out = out;
    s->bits = low_bits(bits, count);
    s->bit_count = count;
}

static lmb_result read_block(stream *s)
{
    bool ended = false;
    lmb_result result = LMB_OK;
    while (result == LMB_OK && !ended) {
        if (s->beyond == 0) {
            fast_turns(s);
        }
        result = careful_turn(s, &ended);
    }
    return result;
}

static lmb_result read_stored(stream *s)
{
    refill(s);
    take(s, s->bit_count & 7); // `bits` is filled by whole bytes
    const uint32_t size = take(s, 16), check = take(s, 16);
    if (is_past_end(s)) {
        return fail_end(s);
    }
    if ((size ^ check) != 0xffff) {
        return fail(s, "a stored block's length twice", "two lengths that differ");
    }
    s->in -= s->bit_count / 8 - s->beyond;
    s->bits = s->bit_count = s->beyond = 0;
    if (size > (size_t)(s->in_end - s->in)) {
        return fail_end(s);
    }
    if (size > (size_t)(s->out_end - s->out)) {
        return fail_room(s);
    }
    if (size > 0) {
        memcpy(s->out, s->in, size);
    }
    s->in += size;
    s->out += size;
    return LMB_OK;
}

static lmb_result build_codes(stream *s, const uint8_t *lengths, uint32_t literal_count,
                              uint32_t distance_count)
{
    if (!lmbi_code_build(LMBI_ALPHABET_LITERAL, lengths, literal_count, LMBI_LITERAL_BITS,
                         s->literals, LITERAL_ENTRIES) ||
        !lmbi_code_build(LMBI_ALPHABET_DISTANCE, lengths + literal_count, distance_count,
                         LMBI_DISTANCE_BITS, s->distances, DISTANCE_ENTRIES)) {
        return fail(s, "a complete prefix code", "code lengths of none");
    }
    return LMB_OK;
}

static lmb_result read_fixed(stream *s)
{
    uint8_t lengths[LMBI_SYMBOLS + 32];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    memset(lengths + LMBI_SYMBOLS, 5, 32);
    const lmb_result result = build_codes(s, lengths, LMBI_SYMBOLS, 32);
    return result == LMB_OK ? read_block(s) : result;
}

/// The lengths of both codes, themselves coded (RFC 1951, 3.2.7).
static lmb_result read_lengths(stream *s, const lmbi_code_entry *precode, uint8_t *lengths,
                               uint32_t count)
{
    for (uint32_t k = 0; k < count;) {
        refill(s);
        const lmbi_code_entry e = peek_entry(s, precode, LMBI_PRECODE_BITS);
        if (e.op == LMBI_OP_BAD) {
            return fail(s, "a code word of the lengths", "bits that are none");
        }
        uint32_t repeat = 1;
        uint8_t value = (uint8_t)e.value;
        if (e.value >= 16) {
            if (e.value == 16 && k == 0) {
                return fail(s, "a length to repeat", "none before it");
            }
            value = e.value == 16 ? lengths[k - 1] : 0;
            repeat = e.value == 16   ? 3 + take(s, 2)
                     : e.value == 17 ? 3 + take(s, 3)
                                     : 11 + take(s, 7);
        }
        if (is_past_end(s)) {
            return fail_end(s);
        }
        if (repeat > count - k) {
            return lmbi_fail_byte(s->error, LMB_ERROR_MALFORMED, (size_t)(s->in - s->in_begin),
                                  "no more lengths than declared", "%u for the last %u", repeat,
                                  count - k);
        }
        memset(lengths + k, value, repeat);
        k += repeat;
    }
    return LMB_OK;
}

static lmb_result read_dynamic(stream *s)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LMBI_SYMBOLS + 32] = {0}, pre[19] = {0};
    lmbi_code_entry precode[1 << LMBI_PRECODE_BITS];
    refill(s);
    const uint32_t literal_count = 257 + take(s, 5), distance_count = 1 + take(s, 5);
    const uint32_t pre_count = 4 + take(s, 4);
    if (literal_count > 286 || distance_count > 30) {
        return lmbi_fail_byte(s->error, LMB_ERROR_MALFORMED, (size_t)(s->in - s->in_begin),
                              "at most 286 lengths and 30 distances", "%u and %u", literal_count,
                              distance_count);
    }
    for (uint32_t k = 0; k < pre_count; ++k) {
        refill(s);
        pre[order[k]] = (uint8_t)take(s, 3);
    }
    if (!lmbi_code_build(LMBI_ALPHABET_PRECODE, pre, 19, LMBI_PRECODE_BITS, precode,
                         1 << LMBI_PRECODE_BITS)) {
        return fail(s, "a complete prefix code", "code lengths of none");
    }
    lmb_result result = read_lengths(s, precode, lengths, literal_count + distance_count);
    if (result == LMB_OK && lengths[256] == 0) {
        result = fail(s, "a code with an end of the block", "one without");
    }
    if (result == LMB_OK) {
        result = build_codes(s, lengths, literal_count, distance_count);
    }
    return result == LMB_OK ? read_block(s) : result;
}

// ---------------------------------------------------------------------------------------- streams

lmb_result lmbi_inflate(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_capacity,
                        lmbi_inflated *done, lmb_error *error)
{
    stream s;
    s.in = s.in_begin = in;
    s.in_end = in + in_size;
    s.out = s.out_begin = out;
    s.out_end = out + out_capacity;
    s.bits = 0;
    s.bit_count = s.beyond = 0;
    s.error = error;
    bool is_last = false;
    lmb_result result = LMB_OK;
    while (result == LMB_OK && !is_last) {
        refill(&s);
        is_last = take(&s, 1) != 0;
        switch (take(&s, 2)) {
        case 0:
            result = read_stored(&s);
            break;
        case 1:
            result = read_fixed(&s);
            break;
        case 2:
            result = read_dynamic(&s);
            break;
        default:
            result = is_past_end(&s) ? fail_end(&s) : fail(&s, "a block of type 0, 1 or 2", "3");
        }
    }
    if (result == LMB_OK) {
        // Whole bytes that were loaded and not used are returned to the input.
        done->in_used = (size_t)(s.in - s.in_begin) - (s.bit_count / 8 - s.beyond);
        done->out_size = (size_t)(s.out - s.out_begin);
    }
    return result;
}

lmb_result lmbi_inflate_zlib(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_capacity,
                             lmbi_inflated *done, lmb_error *error)
{
    if (in_size < 2 || (in[0] & 15) != 8 || in[0] >> 4 > 7 || (in[0] * 256u + in[1]) % 31 != 0) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, 0, "the two bytes of a zlib stream",
                              "%zu bytes, 0x%02x first", in_size, in_size > 0 ? in[0] : 0u);
    }
    if (in[1] & 32) {
        return lmbi_fail_byte(error, LMB_ERROR_UNSUPPORTED, 1, "a zlib stream by itself",
                              "one with a preset dictionary");
    }
    lmbi_inflated bare = {0};
    const lmb_result result = lmbi_inflate(in + 2, in_size - 2, out, out_capacity, &bare, error);
    if (result != LMB_OK) {
        if (error != NULL) {
            error->offset += 2;
        }
        return result;
    }
    const size_t at = 2 + bare.in_used;
    if (in_size - at < 4) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, at, "the 4 bytes of an Adler-32",
                              "the end");
    }
    const uint32_t stored = (uint32_t)in[at] << 24 | (uint32_t)in[at + 1] << 16 |
                            (uint32_t)in[at + 2] << 8 | in[at + 3];
    const uint32_t adler = lmbi_adler32(1, out, bare.out_size);
    if (adler != stored) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, at, "the Adler-32 of the data",
                              "%08x for data of %08x", stored, adler);
    }
    *done = (lmbi_inflated){at + 4, bare.out_size};
    return LMB_OK;
}
