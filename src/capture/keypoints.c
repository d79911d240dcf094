/// Keypoints as an asset: layout names, allocation, joining.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "capture/keypoints.h"

static const char *const layouts[] = {"OpenPose BODY_25", "OpenPose COCO", "COCO", "MediaPipe"};

const char *lmb_keypoint_layout_name(lmb_keypoint_layout layout)
{
    return (unsigned)layout < 4 ? layouts[layout] : "unknown";
}

lmb_keypoints *lmbi_keypoints_alloc(const lmb_allocator *alloc, uint32_t frame_count)
{
    lmb_keypoints *made = lmbi_alloc(alloc, sizeof *made);
    const size_t count = (size_t)frame_count * LMB_KEYPOINT_COUNT;
    if (made == NULL) {
        return NULL;
    }
    made->allocator = alloc ? *alloc : (lmb_allocator){0};
    made->frame_count = frame_count;
    made->points = lmbi_alloc_array(alloc, count, sizeof *made->points);
    made->confidence = lmbi_alloc_array(alloc, count, sizeof *made->confidence);
    if (made->points == NULL || made->confidence == NULL) {
        lmb_keypoints_destroy(made);
        return NULL;
    }
    return made;
}

void lmb_keypoints_destroy(lmb_keypoints *keypoints)
{
    if (keypoints != NULL) {
        const lmb_allocator alloc = keypoints->allocator;
        lmbi_free(&alloc, keypoints->points);
        lmbi_free(&alloc, keypoints->confidence);
        lmbi_free(&alloc, keypoints);
    }
}

lmb_result lmb_keypoints_join(const lmb_keypoints *const *list, uint32_t count,
                              const lmb_allocator *alloc, lmb_keypoints **out, lmb_error *error)
{
    uint64_t frames = 0;
    for (uint32_t k = 0; k < count; ++k) {
        frames += list[k]->frame_count;
        if (list[k]->layout != list[0]->layout) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "keypoints of one layout", "%s after %s",
                             lmb_keypoint_layout_name(list[k]->layout),
                             lmb_keypoint_layout_name(list[0]->layout));
        }
    }
    if (frames == 0 || frames > UINT32_MAX / LMB_KEYPOINT_COUNT) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "frames of keypoints", "%llu of them",
                         (unsigned long long)frames);
    }
    lmb_keypoints *made = lmbi_keypoints_alloc(alloc, (uint32_t)frames);
    if (made == NULL) {
        return lmbi_fail_memory(error);
    }
    made->frame_rate = list[0]->frame_rate;
    made->layout = list[0]->layout;
    size_t at = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const size_t n = (size_t)list[k]->frame_count * LMB_KEYPOINT_COUNT;
        memcpy(made->points + at, list[k]->points, n * sizeof *made->points);
        memcpy(made->confidence + at, list[k]->confidence, n * sizeof *made->confidence);
        made->width = list[k]->width > made->width ? list[k]->width : made->width;
        made->height = list[k]->height > made->height ? list[k]->height : made->height;
        at += n;
    }
    *out = made;
    return LMB_OK;
}
