/// Text for people: names in files may hold anything, and a terminal must not obey them.
#include "cli/cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

size_t cli_utf8_size(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    const size_t size = at[0] < 0x80                    ? 1
                        : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                        : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                        : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                        : 0;
    for (size_t k = 1; k < size; ++k) {
        if ((at[k] & 0xc0) != 0x80) { // also stops at the terminator
            return 0;
        }
    }
    // Overlong forms, halves of UTF-16 pairs and what lies behind the last letter are none either.
    const bool bad =
        (size == 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0))) ||
        (size == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90)));
    return bad ? 0 : size;
}

/// Whether a terminal may take it for more than a letter: controls, with those of 0x80 to 0x9f, and
/// marks that reverse the direction of what follows.
static bool is_control(const unsigned char *at, size_t size)
{
    return at[0] < 0x20 || at[0] == 0x7f || (size == 2 && at[0] == 0xc2 && at[1] < 0xa0) ||
           (size == 3 && at[0] == 0xe2 &&
            ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) ||
             (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9)));
}

void cli_put_clean(FILE *out, const char *text, const char *also)
{
    while (*text != 0) {
        const unsigned char *at = (const unsigned char *)text;
        const size_t size = cli_utf8_size(text), taken = size > 0 ? size : 1;
        if (size > 0 && (!is_control(at, size) || strchr(also, *text) != NULL)) {
            fwrite(text, 1, size, out);
        } else {
            for (size_t k = 0; k < taken; ++k) {
                fprintf(out, "\\x%02x", at[k]);
            }
        }
        text += taken;
    }
}

void cli_print_list(FILE *out, const char *also, const char *format, va_list arguments)
{
    char brief[512]; // where memory has ended, the begin of it
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(brief, sizeof brief, format, arguments);
    const size_t size = length >= (int)sizeof brief ? (size_t)length + 1 : 0;
    char *text = size > 0 ? malloc(size) : NULL;
    if (text != NULL) {
        vsnprintf(text, size, format, again);
    }
    va_end(again);
    cli_put_clean(out, text != NULL ? text : brief, also);
    free(text);
}

void cli_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cli_print_list(stdout, "\n", format, arguments);
    va_end(arguments);
}
