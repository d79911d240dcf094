/// PLY: whatever reads must write, and read again with as many indices.
#include <stdlib.h>

#include "io/surface/surface.h"
#include "limber/limber.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *read = NULL, *again = NULL;
    lmb_error error;
    if (lmbi_ply_read(data, size, NULL, NULL, &read, &error) != LMB_OK) {
        return 0;
    }
    lmb_buffer bytes = {0};
    const lmbi_mesh_write_opts opts = {.ascii = size % 2};
    if (lmbi_ply_write(read, &opts, NULL, &bytes, &error) != LMB_OK ||
        lmbi_ply_read(bytes.data, bytes.size, NULL, NULL, &again, &error) != LMB_OK ||
        again->meshes[0]->index_count != read->meshes[0]->index_count) {
        abort();
    }
    lmb_buffer_free(&bytes);
    lmb_character_destroy(read);
    lmb_character_destroy(again);
    return 0;
}
