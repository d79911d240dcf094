// Styles: what is read is finite and is written as it was. The checksum is set right first, or
// nothing behind it would be reached.
#include <stdlib.h>
#include <string.h>

#include "base/inflate.h"
#include "limber/author.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size ? size : 1);
    lmb_style *style = NULL;
    lmb_weights_model *model = NULL;
    lmb_buffer again = {0};
    if (!bytes) {
        return 0;
    }
    memcpy(bytes, data, size);
    for (int k = 0; size >= 16 && k < 4; ++k) {
        bytes[8 + k] = (uint8_t)(size >> (8 * k));
        bytes[12 + k] = (uint8_t)(lmbi_crc32(0, data + 16, size - 16) >> (8 * k));
    }
    if (lmb_style_read(bytes, size, NULL, &style, NULL) == LMB_OK) {
        const bool newest = bytes[4] == 2; // older versions are written as the newest
        if (lmb_style_write(style, NULL, &again, NULL) != LMB_OK || again.size != size ||
            (newest && memcmp(again.data, bytes, size) != 0)) {
            abort();
        }
        if (lmb_style_model_create(style, lmb_style_describe(style).skeleton, NULL, &model, NULL) ==
            LMB_OK) {
            const uint32_t joints[2] = {0, 0};
            const float features[2 * LMB_WEIGHT_FEATURES] = {0};
            float weights[2];
            model->weigh(model->user, 0, joints, features, 2, weights);
        }
        lmb_style_model_destroy(model);
        lmb_buffer_free(&again);
    }
    lmb_style_destroy(style);
    free(bytes);
    return 0;
}
