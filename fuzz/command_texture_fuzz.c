/// Pictures as the command decodes them: no more pixels than the budget has, and all of them there.
#include <stdlib.h>

#include "cli/render/texture.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint64_t most = 1 << 22;
    uint64_t budget = most, sum = 0;
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL) {
        return 0;
    }
    for (size_t k = 0; k < size; ++k) {
        copy[k] = data[k];
    }
    const lmb_image image = {.bytes = copy, .byte_count = size};
    lmb_picture picture = {0, 0, NULL};
    if (cli_texture_decode(&image, &budget, &picture) && picture.rgba != NULL) {
        const uint64_t bytes = (uint64_t)picture.width * picture.height * 4;
        if (bytes > most - budget) {
            abort();
        }
        for (uint64_t k = 0; k < bytes; ++k) {
            sum += picture.rgba[k];
        }
    }
    volatile uint64_t used = sum; // every pixel was read, also by a sanitizer
    (void)used;
    free(picture.rgba);
    free(copy);
    return 0;
}
