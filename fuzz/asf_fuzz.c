/// ASF and AMC in one input: the skeleton up to a line "=====", the motion after it.
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "=====\n";
    size_t split = size;
    for (size_t i = 0; i + sizeof mark - 1 <= size; ++i) {
        if (memcmp(data + i, mark, sizeof mark - 1) == 0) {
            split = i;
            break;
        }
    }
    const size_t begin = split < size ? split + sizeof mark - 1 : size;
    lmb_character *read = NULL;
    lmb_error error;
    if (lmb_asf_read(data, split, split < size ? data + begin : NULL, size - begin, NULL, NULL,
                     &read, &error) == LMB_OK) {
        lmb_character_destroy(read);
    }
    return 0;
}
