// MD5: the bytes as a mesh, as a motion, and, split at a line of three dashes, as both.
#include <string.h>

#include "limber/io.h"
#include "target.h"

static void read_both(const uint8_t *mesh, size_t mesh_size, const uint8_t *anim, size_t anim_size)
{
    const lmb_md5_anim anims[1] = {{.bytes = {anim, anim_size}}};
    lmb_character *character = NULL;
    lmb_error error;
    if (lmb_md5_read(mesh, mesh_size, anims, anim != NULL, NULL, NULL, &character, &error) ==
        LMB_OK) {
        lmb_character_destroy(character);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t k = 0; k + 5 <= size; ++k) {
        if (memcmp(data + k, "\n---\n", 5) == 0) {
            read_both(data, k, data + k + 5, size - k - 5);
            return 0;
        }
    }
    read_both(data, size, NULL, 0);
    read_both(NULL, 0, data, size);
    return 0;
}
