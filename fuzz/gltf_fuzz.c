// glTF and GLB in any state. What is read must be written, in every way there is; what is written
// must be read, and written again be the same bytes.
#include <stdlib.h>
#include <string.h>

#include "limber/io.h"
#include "target.h"

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

/// Rounding to integers may leave joints without weight, and with them whole sets: what comes back
/// from that is held to come back the same.
static void check_rounded(const lmb_character *character, const lmb_gltf_write_opts *opts)
{
    lmb_buffer file = {0};
    lmb_character *rounded = NULL;
    if (lmb_gltf_write(character, opts, NULL, &file, NULL) != LMB_OK ||
        lmb_gltf_read(file.data, file.size, NULL, NULL, &rounded, NULL) != LMB_OK) {
        abort();
    }
    check_again(rounded, opts);
    lmb_buffer_free(&file);
    lmb_character_destroy(rounded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *character = NULL;
    lmb_notes notes;
    lmb_error error = {0};
    const lmb_gltf_read_opts opts = {.notes = &notes};
    if (lmb_gltf_read(data, size, &opts, NULL, &character, &error) == LMB_OK) {
        const lmb_gltf_write_opts few = {.text = true, .max_influences = 2};
        const lmb_gltf_write_opts integers = {.weights_u16 = true};
        check_again(character, NULL);
        check_again(character, &few);
        check_rounded(character, &integers);
        lmb_character_destroy(character);
    }
    return 0;
}
