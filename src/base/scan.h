/// A cursor over text that knows its line and column. Never reads past the end, never needs a
/// terminator.
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include "limber/base.h"

/// A run of bytes inside the scanned text.
typedef struct lmbi_word {
    const char *at;
    size_t size;
} lmbi_word;

typedef struct lmbi_scan {
    const char *at, *end;
    const char *line_start;
    unsigned line; ///< from 1
} lmbi_scan;

/// Skips a UTF-8 byte order mark.
void lmbi_scan_init(lmbi_scan *scan, const void *data, size_t size);
bool lmbi_scan_done(const lmbi_scan *scan);
/// Column of the cursor, from 1, in characters of UTF-8. Walks the line: for errors, not for every
/// word.
unsigned lmbi_scan_column(const lmbi_scan *scan);
/// Skips spaces, tabs and other blanks on this line. LF, CRLF and lone CR all end a line.
void lmbi_scan_blanks(lmbi_scan *scan);
/// Skips blanks and line ends.
void lmbi_scan_space(lmbi_scan *scan);
/// True at a line end or the end of the text, after blanks.
bool lmbi_scan_line_end(lmbi_scan *scan);
/// Goes to the first byte of the next line.
void lmbi_scan_next_line(lmbi_scan *scan);
/// The next run of non-blank bytes on this line, consumed; size 0 at the end of the line.
lmbi_word lmbi_scan_word(lmbi_scan *scan);
/// The rest of the line without trailing blanks, consumed (the line end is not).
lmbi_word lmbi_scan_rest(lmbi_scan *scan);
/// A number after blanks on this line. False, and nothing consumed but blanks, when there is none.
bool lmbi_scan_number(lmbi_scan *scan, double *value);
/// ASCII case ignored.
bool lmbi_word_is(lmbi_word word, const char *text);
bool lmbi_word_is_exact(lmbi_word word, const char *text);
/// Which of `count` texts the word is; -1: none.
int lmbi_word_choice(lmbi_word word, const char *const *texts, int count);
/// The number below `count` that is all of a word of digits; -1: none.
int32_t lmbi_word_index(lmbi_word word, uint32_t count);
/// Fails MALFORMED at the cursor: what was expected, and the next word or "the end of the line /
/// file" as found.
lmb_result lmbi_scan_fail(const lmbi_scan *at, lmb_error *error, const char *expected);

#endif
