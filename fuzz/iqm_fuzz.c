// IQM: whatever reads is written as GLB.
#include "io/skinned/iqm.h"
#include "limber/io.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *character = NULL;
    lmb_error error;
    if (lmbi_iqm_read(data, size, NULL, NULL, &character, &error) == LMB_OK) {
        lmb_buffer file = {0};
        if (lmb_gltf_write(character, NULL, NULL, &file, &error) == LMB_OK) {
            lmb_buffer_free(&file);
        }
        lmb_character_destroy(character);
    }
    return 0;
}
