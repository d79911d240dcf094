/// What the parts of the parser of driver programs share: where it is in the text, and instructions.
#ifndef PROCEDURAL_DRIVER_PARSER_H
#define PROCEDURAL_DRIVER_PARSER_H

#include "procedural/driver_source.h"

typedef struct lmbi_parser {
    lmbi_driver_source *source;
    lmb_error *error;
    const char *at;
    size_t statement_code;  ///< where the code of this statement begins
    uint32_t depth, height; ///< of nested expressions; of the stack
    int64_t own_slot;       ///< of the channel that is driven; -1: a `let`
    lmb_result result;
} lmbi_parser;

bool lmbi_parser_fail(lmbi_parser *p, const char *at, const char *expected, const char *found);
bool lmbi_parser_fail_memory(lmbi_parser *p);
char lmbi_parser_peek(const lmbi_parser *p);
/// Blanks and comments; line ends too where a statement cannot end.
void lmbi_parser_skip(lmbi_parser *p, bool lines);
/// Inside an expression a line goes on within brackets alone.
void lmbi_parser_skip_inside(lmbi_parser *p);
/// Fails with what stands at the cursor.
bool lmbi_parser_fail_here(lmbi_parser *p, const char *expected);
/// Takes a sign where it is next; else the cursor stays.
bool lmbi_parser_take(lmbi_parser *p, const char *sign);
lmbi_word lmbi_parser_word_here(const lmbi_parser *p);
bool lmbi_parser_take_word(lmbi_parser *p, const char *text);
/// "…" on one line, without escapes.
bool lmbi_parser_string(lmbi_parser *p, lmbi_word *out);
bool lmbi_parser_is_letter(char c);
bool lmbi_parser_is_digit(char c);

bool lmbi_parser_emit(lmbi_parser *p, lmbi_driver_instruction instruction);
bool lmbi_parser_emit_number(lmbi_parser *p, double number);
/// An operation on the values before it; computed now when they are constant.
bool lmbi_parser_emit_operation(lmbi_parser *p, lmbi_driver_op op, uint16_t arity);

#endif
