/// Prefix codes of DEFLATE as tables to look bits up in.
#ifndef BASE_INFLATE_CODE_H
#define BASE_INFLATE_CODE_H

#include "limber/base.h"

enum {
    LMBI_CODE_LONGEST = 15, ///< bits of the longest code word
    LMBI_SYMBOLS = 288,     ///< literals, the end of a block and lengths: the largest alphabet
    /// Index bits of the first table. Longer words continue in a second table after it.
    LMBI_LITERAL_BITS = 10,
    LMBI_DISTANCE_BITS = 8,
    LMBI_PRECODE_BITS = 7,
};

/// What an entry of a table says. Below 32 it is how many extra bits follow a length or a distance.
enum {
    LMBI_OP_LITERAL = 32, ///< `value` is the byte, or the symbol in a precode
    LMBI_OP_END = 64,     ///< the end of the block
    LMBI_OP_BAD = 96,     ///< no symbol has these bits
    LMBI_OP_TABLE = 128,  ///< plus how many bits index the second table, which begins at `value`
};

typedef struct lmbi_code_entry {
    uint16_t value;
    uint8_t bits; ///< to consume from the stream, without the extra bits
    uint8_t op;
} lmbi_code_entry;

/// What the symbols of an alphabet mean, without a table's `bits`.
typedef enum lmbi_alphabet {
    LMBI_ALPHABET_PRECODE, ///< every symbol is itself
    LMBI_ALPHABET_LITERAL, ///< literals, end of block, lengths
    LMBI_ALPHABET_DISTANCE,
} lmbi_alphabet;

/// Builds the table of the canonical code with these word lengths (0: the symbol does not occur).
/// Entries that the first look needs come first, 1 << table_bits of them. False when no such code
/// exists: words too many, or some bits unused in a code of more than one word. A code without
/// words is allowed; every look then finds LMBI_OP_BAD.
bool lmbi_code_build(lmbi_alphabet alphabet, const uint8_t *lengths, uint32_t count,
                     uint32_t table_bits, lmbi_code_entry *table, uint32_t capacity);

#endif
