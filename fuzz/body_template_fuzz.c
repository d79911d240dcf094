// Templates of bodies as text: errors point into the text, and what is read is written as a text
// that can be read again.
#include <stdlib.h>

#include "limber/embed.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_body_template *first = NULL, *second = NULL;
    lmb_buffer text = {0};
    lmb_error error = {0};
    const lmb_result result = lmb_body_template_read(data, size, NULL, &first, &error);
    if (result == LMB_ERROR_MALFORMED &&
        (error.line == 0 || error.column == 0 || error.expected[0] == 0)) {
        abort();
    }
    if (result != LMB_OK) {
        return 0;
    }
    if (lmb_body_template_write(first, NULL, &text, NULL) == LMB_OK &&
        lmb_body_template_read(text.data, text.size, NULL, &second, &error) != LMB_OK) {
        abort();
    }
    lmb_buffer_free(&text);
    lmb_body_template_destroy(first);
    lmb_body_template_destroy(second);
    return 0;
}
