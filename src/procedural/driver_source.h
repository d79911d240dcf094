/// A driver program during compilation.
#ifndef PROCEDURAL_DRIVER_SOURCE_H
#define PROCEDURAL_DRIVER_SOURCE_H

#include "base/arena.h"
#include "base/scan.h"
#include "procedural/driver.h"

/// `name = expression`: instructions first to first + count - 1, whose result goes into a slot.
typedef struct lmbi_driver_statement {
    uint32_t first, count, slot;
    const char *at; ///< in the text
} lmbi_driver_statement;

typedef struct lmbi_driver_name {
    const char *at;
    size_t size;
    uint32_t slot;
    bool parameter;
} lmbi_driver_name;

/// Output of the parser. Arrays grow; lmbi_driver_source_free frees them.
typedef struct lmbi_driver_source {
    const lmb_character *character;
    const lmb_allocator *alloc;
    const char *text, *end;
    lmbi_driver_instruction *code;
    lmbi_driver_statement *statements;
    lmbi_driver_name *names;
    lmbi_driver_joint *joints;
    lmbi_driver_morph *morphs;
    uint32_t *weight_indices;
    double *slots;
    size_t code_count, code_room, statement_count, statement_room, name_count, name_room,
        joint_count, joint_room, morph_count, morph_room, weight_index_count, weight_index_capacity,
        slot_count, slot_room;
    uint32_t memory_count, channel_count, parameter_count;
} lmbi_driver_source;

lmb_result lmbi_driver_parse(lmbi_driver_source *source, lmb_error *error);
void lmbi_driver_source_free(lmbi_driver_source *source);
/// The following return false when out of memory. The find functions give NULL for an unknown name.
bool lmbi_driver_add_slots(lmbi_driver_source *source, uint32_t count, uint32_t *first);
bool lmbi_driver_add_statement(lmbi_driver_source *source, lmbi_driver_statement statement);
bool lmbi_driver_add_name(lmbi_driver_source *source, lmbi_word word, bool parameter,
                          uint32_t *slot);
const lmbi_driver_name *lmbi_driver_find_name(const lmbi_driver_source *source, lmbi_word word);
bool lmbi_driver_find_joint(lmbi_driver_source *source, lmbi_word word, lmbi_driver_joint **out);
bool lmbi_driver_find_morph(lmbi_driver_source *source, lmbi_word word, lmbi_driver_morph **out);

/// Sorts statements so that every slot is stored before it is read: `order` [statement_count].
lmb_result lmbi_driver_order(const lmbi_driver_source *source, lmbi_arena *arena, uint32_t *order,
                             lmb_error *error);
/// Fails with MALFORMED at a position in the text.
lmb_result lmbi_driver_fail(const lmbi_driver_source *source, const char *at, lmb_error *error,
                            const char *expected, const char *found, ...)
    __attribute__((format(printf, 5, 6)));

// ---- State of the parser of driver programs, and its lexer and code generator.

typedef struct lmbi_parser {
    lmbi_driver_source *source;
    lmb_error *error;
    const char *at;
    size_t statement_code;  ///< first instruction of this statement
    uint32_t depth, height; ///< nesting of expressions; height of the stack
    int64_t own_slot;       ///< slot of the driven channel; -1 in a `let`
    lmb_result result;
} lmbi_parser;

bool lmbi_parser_fail(lmbi_parser *p, const char *at, const char *expected, const char *found);
bool lmbi_parser_fail_memory(lmbi_parser *p);
char lmbi_parser_peek(const lmbi_parser *p);
/// Skips blanks and comments; also line ends if `lines`.
void lmbi_parser_skip(lmbi_parser *p, bool lines);
/// Skips inside an expression, which continues over line ends only in brackets.
void lmbi_parser_skip_inside(lmbi_parser *p);
/// Fails with the text at the cursor as found.
bool lmbi_parser_fail_here(lmbi_parser *p, const char *expected);
/// Consumes a sign if it is next; otherwise the cursor does not move.
bool lmbi_parser_accept(lmbi_parser *p, const char *sign);
lmbi_word lmbi_parser_word_here(const lmbi_parser *p);
bool lmbi_parser_accept_word(lmbi_parser *p, const char *text);
/// "…" on one line, without escapes.
bool lmbi_parser_string(lmbi_parser *p, lmbi_word *out);
bool lmbi_parser_is_letter(char c);
bool lmbi_parser_is_digit(char c);

#endif
