// glTF and GLB in any state. What is read must be written, in every way there is; what is written
// must be read, and written again be the same bytes.
#include <stdlib.h>
#include <string.h>

#include "limber/io.h"

static void check_again(const lmb_character *character, const lmb_gltf_write_opts *opts)
{
    lmb_buffer first = {0}, second = {0};
    lmb_character *again = NULL;
    lmb_error error = {0};
    if (lmb_gltf_write(character, opts, NULL, &first, &error) != LMB_OK ||
        lmb_gltf_read(first.data, first.size, NULL, NULL, &again, &error) != LMB_OK ||
        lmb_gltf_write(again, opts, NULL, &second, &error) != LMB_OK || first.size != second.size ||
        memcmp(first.data, second.data, first.size) != 0) {
        abort();
    }
    lmb_buffer_free(&first);
    lmb_buffer_free(&second);
    lmb_character_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *character = NULL;
    lmb_notes notes;
    lmb_error error = {0};
    const lmb_gltf_read_opts opts = {.notes = &notes};
    if (lmb_gltf_read(data, size, &opts, NULL, &character, &error) == LMB_OK) {
        const lmb_gltf_write_opts ways[] = {
            {0}, {.text = true, .max_influences = 2}, {.weights_u16 = true}};
        for (size_t k = 0; k < sizeof ways / sizeof *ways; ++k) {
            check_again(character, &ways[k]);
        }
        lmb_character_destroy(character);
    }
    return 0;
}
