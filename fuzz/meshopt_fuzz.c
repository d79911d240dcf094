// Packed arrays on any bytes: mode, filter, stride and count in the first four.
#include <stdlib.h>

#include "io/meshopt.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) {
        return 0;
    }
    const lmbi_meshopt_array array = {.mode = (lmbi_meshopt_mode)(data[0] % 3),
                                      .filter = (lmbi_meshopt_filter)(data[1] % 5),
                                      .stride = data[2],
                                      .count = data[3]};
    const size_t room = (size_t)array.count * array.stride;
    uint8_t *out = malloc(room ? room : 1);
    if (out != NULL && lmbi_meshopt_is_valid(&array)) {
        lmbi_meshopt_unpack(&array, data + 4, size - 4, out);
    }
    free(out);
    return 0;
}
