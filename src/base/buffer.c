#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

void lmb_buffer_free(lmb_buffer *buffer)
{
    lmbi_free(&buffer->allocator, buffer->data);
    memset(buffer, 0, sizeof *buffer);
}

lmb_result lmbi_buffer_take(lmbi_text *text, lmb_buffer *out, lmb_error *error)
{
    if (text->failed) {
        lmbi_text_free(text);
        return lmbi_fail_memory(error);
    }
    memset(out, 0, sizeof *out);
    out->data = text->data;
    out->size = text->size;
    if (text->alloc) {
        out->allocator = *text->alloc;
    }
    return LMB_OK;
}
