#include "base/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/// Room for any one number: %f of the largest double has 309 digits before its point.
enum { NUMBER_ROOM = 512, SPEC_ROOM = 64 };

typedef struct writing {
    char *out;
    size_t size, length; ///< the length counts on when nothing fits any more
} writing;

typedef struct conversion {
    char text[SPEC_ROOM]; ///< as written, with numbers instead of stars
    int longs;            ///< how many l; -1 h, -2 hh
    char kind;            ///< z, j, t or 0
    char letter;
} conversion;

static void append_text(writing *w, const char *text, size_t size)
{
    for (size_t k = 0; k < size; ++k, ++w->length) {
        if (w->length + 1 < w->size) {
            w->out[w->length] = text[k];
        }
    }
}

/// Reads what follows a % up to its letter; stars take ints.
static const char *read_conversion(const char *at, conversion *c, va_list *arguments)
{
    size_t used = 0;
    memset(c, 0, sizeof *c);
    c->text[used++] = '%';
    while (*at != 0 && strchr("-+ #0123456789.*hlzjt", *at) != NULL) {
        if (*at == '*') {
            used += (size_t)snprintf(c->text + used, 16, "%d", va_arg(*arguments, int));
        } else if (used < SPEC_ROOM - 24) {
            c->text[used++] = *at;
        }
        c->longs += *at == 'l' ? 1 : *at == 'h' ? -1 : 0;
        c->kind = strchr("zjt", *at) != NULL ? *at : c->kind;
        ++at;
    }
    c->letter = *at;
    c->text[used] = *at;
    return *at != 0 ? at + 1 : at;
}

/// Whatever stands for the point in the host's locale becomes one: digits are not grouped unless
/// they are asked to.
static size_t make_point(char *text, size_t length)
{
    static const char usual[] = "0123456789+-eEaAfFiInNtTyYxXpP ";
    size_t kept = 0;
    bool before = false;
    for (size_t k = 0; k < length; ++k) {
        const bool strange = strchr(usual, text[k]) == NULL;
        if (!strange || !before) {
            text[kept++] = strange ? '.' : text[k];
        }
        before = strange;
    }
    return kept;
}

static int signed_text(char *out, const conversion *c, va_list *arguments)
{
    if (c->kind == 'z' || c->kind == 't') {
        return snprintf(out, NUMBER_ROOM, c->text, va_arg(*arguments, ptrdiff_t));
    }
    if (c->kind == 'j') {
        return snprintf(out, NUMBER_ROOM, c->text, va_arg(*arguments, intmax_t));
    }
    return c->longs > 1    ? snprintf(out, NUMBER_ROOM, c->text, va_arg(*arguments, long long))
           : c->longs == 1 ? snprintf(out, NUMBER_ROOM, c->text, va_arg(*arguments, long))
                           : snprintf(out, NUMBER_ROOM, c->text, va_arg(*arguments, int));
}

static int unsigned_text(char *out, const conversion *c, va_list *arguments)
{
    if (c->kind == 'z' || c->kind == 't') {
        return snprintf(out, NUMBER_ROOM, c->text, va_arg(*arguments, size_t));
    }
    if (c->kind == 'j') {
        return snprintf(out, NUMBER_ROOM, c->text, va_arg(*arguments, uintmax_t));
    }
    return c->longs > 1
               ? snprintf(out, NUMBER_ROOM, c->text, va_arg(*arguments, unsigned long long))
           : c->longs == 1 ? snprintf(out, NUMBER_ROOM, c->text, va_arg(*arguments, unsigned long))
                           : snprintf(out, NUMBER_ROOM, c->text, va_arg(*arguments, unsigned));
}

static void put_number(writing *w, const conversion *c, va_list *arguments)
{
    char text[NUMBER_ROOM];
    int length = 0;
    const bool is_float = strchr("fFeEgGaA", c->letter) != NULL;
    if (is_float) {
        length = snprintf(text, sizeof text, c->text, va_arg(*arguments, double));
    } else if (c->letter == 'p') {
        length = snprintf(text, sizeof text, c->text, va_arg(*arguments, void *));
    } else if (c->letter == 'd' || c->letter == 'i' || c->letter == 'c') {
        length = signed_text(text, c, arguments);
    } else {
        length = unsigned_text(text, c, arguments);
    }
    size_t size = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    append_text(w, text, is_float ? make_point(text, size) : size);
}

/// Text of any length goes straight to where it belongs.
static void put_text(writing *w, const conversion *c, va_list *arguments)
{
    const bool full = w->length >= w->size;
    char none[1];
    const int length = snprintf(full ? none : w->out + w->length, full ? 0 : w->size - w->length,
                                c->text, va_arg(*arguments, const char *));
    w->length += length > 0 ? (size_t)length : 0;
}

int lmbi_format_list(char *out, size_t size, const char *format, va_list arguments)
{
    writing w = {.out = out, .size = size};
    va_list rest;
    va_copy(rest, arguments);
    while (*format != 0) {
        const size_t plain = strcspn(format, "%");
        append_text(&w, format, plain);
        format += plain;
        if (format[0] == '%' && format[1] == '%') {
            append_text(&w, "%", 1);
            format += 2;
        } else if (format[0] == '%') {
            conversion c;
            format = read_conversion(format + 1, &c, &rest);
            if (c.letter == 's') {
                put_text(&w, &c, &rest);
            } else if (c.letter != 0) {
                put_number(&w, &c, &rest);
            }
        }
    }
    va_end(rest);
    if (size > 0) {
        out[w.length < size ? w.length : size - 1] = 0;
    }
    return (int)w.length;
}

int lmbi_format(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = lmbi_format_list(out, size, format, arguments);
    va_end(arguments);
    return length;
}
