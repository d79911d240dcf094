#include "base/inflate_code.h"

#include <string.h>

/// RFC 1951, 3.2.5.
static const uint16_t length_base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[30] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};

static lmbi_code_entry entry_of(lmbi_alphabet alphabet, uint32_t symbol)
{
    const lmbi_code_entry bad = {0, 0, LMBI_OP_BAD};
    if (alphabet == LMBI_ALPHABET_DISTANCE) {
        const uint8_t extra = (uint8_t)(symbol < 4 ? 0 : symbol / 2 - 1);
        return symbol < 30 ? (lmbi_code_entry){distance_base[symbol], 0, extra} : bad;
    }
    if (alphabet == LMBI_ALPHABET_PRECODE || symbol < 256) {
        return (lmbi_code_entry){(uint16_t)symbol, 0, LMBI_OP_LITERAL};
    }
    if (symbol == 256) {
        return (lmbi_code_entry){0, 0, LMBI_OP_END};
    }
    return symbol < 286
               ? (lmbi_code_entry){length_base[symbol - 257], 0, length_extra[symbol - 257]}
               : bad;
}

/// Symbols in the order of their code words; counts[l] of them have l bits. Returns how many occur.
static uint32_t sort_symbols(const uint8_t *lengths, uint32_t count, uint32_t *counts,
                             uint16_t *sorted)
{
    uint32_t next[LMBI_CODE_LONGEST + 2] = {0};
    memset(counts, 0, (LMBI_CODE_LONGEST + 1) * sizeof *counts);
    for (uint32_t s = 0; s < count; ++s) {
        ++counts[lengths[s]];
    }
    for (uint32_t l = 1; l <= LMBI_CODE_LONGEST; ++l) {
        next[l + 1] = next[l] + counts[l];
    }
    for (uint32_t s = 0; s < count; ++s) {
        if (lengths[s] != 0) {
            sorted[next[lengths[s]]++] = (uint16_t)s;
        }
    }
    counts[0] = 0;
    return next[LMBI_CODE_LONGEST];
}

/// Whether words of these lengths fill all bit strings exactly. A lone word of one bit may leave
/// the other one unused.
static bool is_complete(const uint32_t *counts, uint32_t used)
{
    uint32_t left = 1;
    for (uint32_t l = 1; l <= LMBI_CODE_LONGEST; ++l) {
        left <<= 1;
        if (counts[l] > left) {
            return false;
        }
        left -= counts[l];
    }
    return left == 0 || (used == 1 && counts[1] == 1);
}

static uint32_t reversed(uint32_t word, uint32_t bits)
{
    uint32_t out = 0;
    for (uint32_t b = 0; b < bits; ++b) {
        out |= (word >> b & 1) << (bits - 1 - b);
    }
    return out;
}

/// Index bits of the second table that begins with a word of `length` bits: as many as fit the
/// words with the same first `table_bits`.
static uint32_t second_bits(const uint32_t *counts, uint32_t length, uint32_t left_of_length,
                            uint32_t table_bits)
{
    uint32_t bits = length - table_bits, room = 1u << bits;
    uint32_t here = left_of_length;
    while (bits + table_bits < LMBI_CODE_LONGEST && here < room) {
        room = (room - here) << 1;
        here = counts[++bits + table_bits];
    }
    return bits;
}

/// All entries of the table whose low bits are the word.
static void fill_entries(lmbi_code_entry *table, uint32_t size, uint32_t word, uint32_t step,
                         lmbi_code_entry entry)
{
    for (uint32_t at = word; at < size; at += step) {
        table[at] = entry;
    }
}

bool lmbi_code_build(lmbi_alphabet alphabet, const uint8_t *lengths, uint32_t count,
                     uint32_t table_bits, lmbi_code_entry *table, uint32_t capacity)
{
    uint32_t counts[LMBI_CODE_LONGEST + 1];
    uint16_t sorted[LMBI_SYMBOLS];
    const uint32_t used = sort_symbols(lengths, count, counts, sorted);
    if (used > 0 && !is_complete(counts, used)) {
        return false;
    }
    const lmbi_code_entry bad = {0, 1, LMBI_OP_BAD};
    fill_entries(table, 1u << table_bits, 0, 1, bad);
    uint32_t word = 0, end = 1u << table_bits, prefix = UINT32_MAX, begin = 0, bits = 0;
    uint32_t left = counts[1];
    for (uint32_t k = 0, length = 1; k < used; ++k, ++word, --left) {
        while (left == 0) {
            left = counts[++length];
            word <<= 1;
        }
        lmbi_code_entry entry = entry_of(alphabet, sorted[k]);
        const uint32_t low_first = reversed(word, length);
        entry.bits = (uint8_t)length;
        if (length <= table_bits) {
            fill_entries(table, 1u << table_bits, low_first, 1u << length, entry);
            continue;
        }
        if ((low_first & ((1u << table_bits) - 1)) != prefix) {
            prefix = low_first & ((1u << table_bits) - 1);
            bits = second_bits(counts, length, left, table_bits);
            begin = end;
            end += 1u << bits;
            if (end > capacity) {
                return false;
            }
            table[prefix] = (lmbi_code_entry){(uint16_t)begin, (uint8_t)table_bits,
                                              (uint8_t)(LMBI_OP_TABLE | bits)};
        }
        entry.bits = (uint8_t)(length - table_bits);
        fill_entries(table + begin, 1u << bits, low_first >> table_bits,
                     1u << (length - table_bits), entry);
    }
    return true;
}
