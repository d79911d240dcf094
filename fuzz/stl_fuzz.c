/// STL: whatever reads is a valid character.
#include <stdlib.h>

#include "io/surface/surface.h"
#include "limber/limber.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *read = NULL;
    lmb_error error;
    if (lmbi_stl_read(data, size, NULL, NULL, &read, &error) == LMB_OK) {
        lmb_character_destroy(read);
    }
    return 0;
}
