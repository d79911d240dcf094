/// Keypoints from JSON: what reads is in range and joins with itself.
#include <math.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_keypoints *read = NULL, *twice = NULL;
    lmb_error error;
    const lmb_keypoints_opts opts = {.width = 640, .height = 480};
    if (lmb_keypoints_read(data, size, &opts, NULL, &read, &error) != LMB_OK) {
        return 0;
    }
    for (size_t k = 0; k < (size_t)read->frame_count * LMB_KEYPOINT_COUNT; ++k) {
        if (!isfinite(read->points[k].x) || !isfinite(read->points[k].y) ||
            !(read->confidence[k] >= 0 && read->confidence[k] <= 1)) {
            abort();
        }
    }
    const lmb_keypoints *const list[2] = {read, read};
    if (lmb_keypoints_join(list, 2, NULL, &twice, &error) != LMB_OK ||
        twice->frame_count != 2 * read->frame_count) {
        abort();
    }
    lmb_keypoints_destroy(twice);
    lmb_keypoints_destroy(read);
    return 0;
}
