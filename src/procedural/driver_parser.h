/// State of the parser of driver programs, and its lexer and code generator.
#ifndef PROCEDURAL_DRIVER_PARSER_H
#define PROCEDURAL_DRIVER_PARSER_H

#include "procedural/driver_source.h"

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
