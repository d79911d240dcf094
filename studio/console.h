/// What programs print: kept in memory, one text for output and one for messages.
#ifndef LIMBER_STUDIO_CONSOLE_H
#define LIMBER_STUDIO_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum console_text { CONSOLE_OUTPUT = 1, CONSOLE_MESSAGES = 2 } console_text;

/// Forgets both texts.
void console_clear(void);
/// Appends; false when memory ends.
bool console_put(console_text text, const void *bytes, size_t size);
/// What is there; not ended by a zero.
const char *console_text_of(console_text text, size_t *size);

#endif
