/// Lexer of driver programs: blanks, signs, words, and errors at a position.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "procedural/driver_source.h"

bool lmbi_parser_fail(lmbi_parser *p, const char *at, const char *expected, const char *found)
{
    if (p->result == LMB_OK) {
        p->result = lmbi_driver_fail(p->source, at, p->error, expected, "%s", found);
    }
    return false;
}

bool lmbi_parser_fail_memory(lmbi_parser *p)
{
    p->result = p->result == LMB_OK ? lmbi_fail_memory(p->error) : p->result;
    return false;
}

bool lmbi_parser_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool lmbi_parser_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

char lmbi_parser_peek(const lmbi_parser *p)
{
    return p->at < p->source->end ? *p->at : 0;
}

void lmbi_parser_skip(lmbi_parser *p, bool lines)
{
    for (char c; (c = lmbi_parser_peek(p)) != 0 || p->at < p->source->end;) {
        if (c == '#') {
            while (p->at < p->source->end && *p->at != '\n') {
                ++p->at;
            }
        } else if (c == ' ' || c == '\t' || c == '\r' || (lines && c == '\n')) {
            ++p->at;
        } else {
            break;
        }
    }
}

void lmbi_parser_skip_inside(lmbi_parser *p)
{
    lmbi_parser_skip(p, p->depth > 1);
}

bool lmbi_parser_fail_here(lmbi_parser *p, const char *expected)
{
    char found[40];
    lmbi_parser_skip_inside(p);
    const char *end = p->source->end;
    size_t size = 0;
    if (p->at >= end) {
        return lmbi_parser_fail(p, p->at, expected, "the end of the text");
    }
    if (*p->at == '\n' || *p->at == '\r') {
        return lmbi_parser_fail(p, p->at, expected, "the end of the line");
    }
    while (p->at + size < end && size < 24 &&
           (lmbi_parser_is_letter(p->at[size]) || lmbi_parser_is_digit(p->at[size]))) {
        ++size;
    }
    if (size == 0 && (*p->at < 0x20 || *p->at > 0x7e)) {
        snprintf(found, sizeof found, "byte 0x%02x", (unsigned)(unsigned char)*p->at);
    } else {
        snprintf(found, sizeof found, "\"%.*s\"", size > 0 ? (int)size : 1, p->at);
    }
    return lmbi_parser_fail(p, p->at, expected, found);
}

bool lmbi_parser_accept(lmbi_parser *p, const char *sign)
{
    const size_t size = strlen(sign);
    const char *at = p->at;
    lmbi_parser_skip_inside(p);
    if ((size_t)(p->source->end - p->at) < size || memcmp(p->at, sign, size) != 0) {
        p->at = at;
        return false;
    }
    p->at += size;
    return true;
}

lmbi_word lmbi_parser_word_here(const lmbi_parser *p)
{
    lmbi_word word = {p->at, 0};
    while (p->at + word.size < p->source->end &&
           (lmbi_parser_is_letter(word.at[word.size]) ||
            (word.size > 0 && lmbi_parser_is_digit(word.at[word.size])))) {
        ++word.size;
    }
    return word;
}

bool lmbi_parser_accept_word(lmbi_parser *p, const char *text)
{
    const char *at = p->at;
    lmbi_parser_skip_inside(p);
    const lmbi_word word = lmbi_parser_word_here(p);
    if (!lmbi_word_is_exact(word, text)) {
        p->at = at;
        return false;
    }
    p->at += word.size;
    return true;
}

bool lmbi_parser_string(lmbi_parser *p, lmbi_word *out)
{
    if (!lmbi_parser_accept(p, "\"")) {
        return lmbi_parser_fail_here(p, "a name in quotes");
    }
    out->at = p->at;
    while (p->at < p->source->end && *p->at != '"' && *p->at != '\n') {
        ++p->at;
    }
    out->size = (size_t)(p->at - out->at);
    return lmbi_parser_accept(p, "\"") || lmbi_parser_fail_here(p, "a closing quote");
}
