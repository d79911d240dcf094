/// OBJ: whatever reads must write, and read again with as many indices.
#include <stdlib.h>

#include "io/surface/surface.h"
#include "limber/limber.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *read = NULL, *again = NULL;
    lmb_error error;
    if (lmbi_obj_read(data, size, NULL, NULL, &read, &error) != LMB_OK) {
        return 0;
    }
    lmb_buffer text = {0};
    if (lmbi_obj_write(read, NULL, NULL, &text, &error) != LMB_OK ||
        lmbi_obj_read(text.data, text.size, NULL, NULL, &again, &error) != LMB_OK ||
        again->meshes[0]->index_count != read->meshes[0]->index_count) {
        abort();
    }
    lmb_buffer_free(&text);
    lmb_character_destroy(read);
    lmb_character_destroy(again);
    return 0;
}
