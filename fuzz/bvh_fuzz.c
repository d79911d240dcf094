/// BVH: whatever reads must write, and read again with as many joints and channels.
#include <stdlib.h>

#include "io/bvh/bvh.h"
#include "limber/limber.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *read = NULL, *again = NULL;
    lmb_error error;
    lmb_bvh_info info, info_again;
    const lmbi_bvh_read_opts opts = {.info = &info}, opts_again = {.info = &info_again};
    if (lmbi_bvh_read(data, size, &opts, NULL, &read, &error) != LMB_OK) {
        return 0;
    }
    lmb_buffer text = {0};
    if (lmbi_bvh_write(read, NULL, NULL, &text, &error) != LMB_OK) {
        abort();
    }
    // Values near the end of float's range may leave it on the way; that is an error, not a crash.
    if (lmbi_bvh_read(text.data, text.size, &opts_again, NULL, &again, &error) == LMB_OK &&
        (info.joint_count != info_again.joint_count ||
         info.channel_count != info_again.channel_count)) {
        abort();
    }
    lmb_buffer_free(&text);
    lmb_character_destroy(read);
    lmb_character_destroy(again);
    return 0;
}
