/// A growing text or byte buffer for writers. Failure is sticky: append freely, ask once at the
/// end.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "limber/base.h"

typedef struct lmbi_text {
    const lmb_allocator *alloc;
    uint8_t *data;
    size_t size, capacity;
    bool failed; ///< an allocation failed; data is what was written before
} lmbi_text;

void lmbi_text_init(lmbi_text *text, const lmb_allocator *alloc);
void lmbi_text_free(lmbi_text *text);
void lmbi_text_bytes(lmbi_text *text, const void *bytes, size_t size);
/// `size` zero bytes; returns where they begin, or NULL on failure.
uint8_t *lmbi_text_room(lmbi_text *text, size_t size);
void lmbi_text_add(lmbi_text *text, const char *string);
void lmbi_text_float(lmbi_text *text, float value);
void lmbi_text_int(lmbi_text *text, int64_t value);
void lmbi_text_format(lmbi_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Hands the text's bytes over to *out, or frees them and fails when an append had failed.
lmb_result lmbi_buffer_take(lmbi_text *text, lmb_buffer *out, lmb_error *error);

#endif
