/// .limb: whatever reads must play at every time, and write as it was read.
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"
#include "target.h"

static void play(const lmb_packed_clip *clip)
{
    lmb_transform *pose = malloc(((size_t)clip->joint_count + 1) * sizeof(*pose));
    for (int i = 0; pose != NULL && i < 9; ++i) {
        lmb_packed_sample(&(lmb_packed_sample_job){
            .clip = clip, .time_s = (double)clip->duration_s * i / 8, .pose = pose});
    }
    free(pose);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_limb_file *read = NULL, *again = NULL;
    lmb_error error;
    if (lmb_limb_file_read(data, size, NULL, &read, &error) != LMB_OK) {
        return 0;
    }
    for (uint32_t k = 0; k < read->packed_count; ++k) {
        play(read->packed[k]);
    }
    lmb_buffer buffer = {0};
    if (lmb_limb_file_write(read, NULL, &buffer, &error) != LMB_OK ||
        lmb_limb_file_read(buffer.data, buffer.size, NULL, &again, &error) != LMB_OK ||
        again->packed_count != read->packed_count || again->clip_count != read->clip_count) {
        abort();
    }
    lmb_buffer_free(&buffer);
    lmb_limb_file_destroy(read);
    lmb_limb_file_destroy(again);
    return 0;
}
