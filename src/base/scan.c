#include "base/scan.h"

#include <string.h>

#include "base/error.h"
#include "base/number.h"

void lmbi_scan_init(lmbi_scan *scan, const void *data, size_t size)
{
    scan->at = data;
    scan->end = size ? scan->at + size : scan->at;
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        scan->at += 3;
    }
    scan->line_start = scan->at;
    scan->line = 1;
}

bool lmbi_scan_done(const lmbi_scan *scan)
{
    return scan->at >= scan->end;
}

unsigned lmbi_scan_column(const lmbi_scan *scan)
{
    unsigned column = 1;
    for (const char *at = scan->line_start; at < scan->at; ++at) {
        // continuation bytes of UTF-8 begin no character
        column += ((unsigned char)*at & 0xc0) != 0x80;
    }
    return column;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\0';
}

void lmbi_scan_blanks(lmbi_scan *scan)
{
    while (scan->at < scan->end && is_blank(*scan->at)) {
        ++scan->at;
    }
}

bool lmbi_scan_line_end(lmbi_scan *scan)
{
    lmbi_scan_blanks(scan);
    return scan->at >= scan->end || is_line_end(*scan->at);
}

static void step_over_line_end(lmbi_scan *scan)
{
    if (scan->at + 1 < scan->end && scan->at[0] == '\r' && scan->at[1] == '\n') {
        ++scan->at;
    }
    ++scan->at;
    ++scan->line;
    scan->line_start = scan->at;
}

void lmbi_scan_next_line(lmbi_scan *scan)
{
    while (scan->at < scan->end && !is_line_end(*scan->at)) {
        ++scan->at;
    }
    if (scan->at < scan->end) {
        step_over_line_end(scan);
    }
}

void lmbi_scan_space(lmbi_scan *scan)
{
    while (lmbi_scan_line_end(scan) && scan->at < scan->end) {
        step_over_line_end(scan);
    }
}

lmbi_word lmbi_scan_word(lmbi_scan *scan)
{
    lmbi_scan_blanks(scan);
    lmbi_word word = {scan->at, 0};
    while (scan->at < scan->end && !is_blank(*scan->at) && !is_line_end(*scan->at)) {
        ++scan->at;
    }
    word.size = (size_t)(scan->at - word.at);
    return word;
}

lmbi_word lmbi_scan_rest(lmbi_scan *scan)
{
    lmbi_scan_blanks(scan);
    lmbi_word word = {scan->at, 0};
    while (scan->at < scan->end && !is_line_end(*scan->at)) {
        ++scan->at;
    }
    const char *last = scan->at;
    while (last > word.at && is_blank(last[-1])) {
        --last;
    }
    word.size = (size_t)(last - word.at);
    return word;
}

bool lmbi_scan_number(lmbi_scan *scan, double *value)
{
    lmbi_scan_blanks(scan);
    const char *after = lmbi_number_read(scan->at, scan->end, value);
    if (after == scan->at) {
        return false;
    }
    scan->at = after;
    return true;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool lmbi_word_is(lmbi_word word, const char *text)
{
    if (strlen(text) != word.size) {
        return false;
    }
    for (size_t i = 0; i < word.size; ++i) {
        if (lower(word.at[i]) != lower(text[i])) {
            return false;
        }
    }
    return true;
}

bool lmbi_word_is_exact(lmbi_word word, const char *text)
{
    return strlen(text) == word.size && memcmp(word.at, text, word.size) == 0;
}

int lmbi_word_choice(lmbi_word word, const char *const *texts, int count)
{
    int k = 0;
    while (k < count && !lmbi_word_is_exact(word, texts[k])) {
        ++k;
    }
    return k < count ? k : -1;
}

int32_t lmbi_word_index(lmbi_word word, uint32_t count)
{
    uint32_t number = 0;
    for (size_t k = 0; k < word.size; ++k) {
        if (word.at[k] < '0' || word.at[k] > '9' || number >= count) {
            return -1;
        }
        number = 10 * number + (uint32_t)(word.at[k] - '0');
    }
    return word.size > 0 && number < count ? (int32_t)number : -1;
}

lmb_result lmbi_scan_fail(const lmbi_scan *at, lmb_error *error, const char *expected)
{
    lmbi_scan scan = *at;
    lmbi_scan_blanks(&scan);
    const unsigned line = scan.line, column = lmbi_scan_column(&scan);
    lmbi_scan peek = scan;
    const lmbi_word word = lmbi_scan_word(&peek);
    if (word.size == 0) {
        const char *found = lmbi_scan_done(&scan) ? "the end of the file" : "the end of the line";
        return lmbi_fail_text(error, LMB_ERROR_MALFORMED, line, column, expected, "%s", found);
    }
    const int shown = word.size > 40 ? 40 : (int)word.size;
    return lmbi_fail_text(error, LMB_ERROR_MALFORMED, line, column, expected, "\"%.*s\"", shown,
                          word.at);
}
