// Inflate on any bytes, with room for less than comes out and for more; a zlib stream every other
// time.
#include <stdlib.h>

#include "base/inflate.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    // Rooms from 0 to 64 KiB: the edges of the fast loop are where writing too far would show.
    const size_t room = (size_t)data[0] * (data[0] & 1 ? 257 : 1);
    uint8_t *out = malloc(room ? room : 1);
    lmbi_inflated done = {0};
    lmb_error error;
    if (out != NULL) {
        const lmb_result result = (data[0] & 2 ? lmbi_inflate_zlib : lmbi_inflate)(
            data + 1, size - 1, out, room, &done, &error);
        if (result == LMB_OK && (done.in_used > size - 1 || done.out_size > room)) {
            abort();
        }
    }
    free(out);
    return 0;
}
