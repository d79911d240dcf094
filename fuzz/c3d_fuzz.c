// C3D: whatever reads is written as every format of markers, and reads again with the same gaps.
#include <stdlib.h>
#include <string.h>

#include "io/mocap/markers.h"
#include "limber/io.h"
#include "target.h"

static void check(lmb_markers *markers, bool expected)
{
    if (!expected) {
        abort();
    }
    lmb_markers_destroy(markers);
}

static void write_c3d(const lmb_markers *markers)
{
    lmb_buffer file = {0};
    lmb_markers *again = NULL;
    if (lmbi_c3d_write(markers, NULL, NULL, &file, NULL) == LMB_OK && markers->frame_count > 0) {
        const lmb_result result = lmbi_c3d_read(file.data, file.size, NULL, NULL, &again, NULL);
        const size_t count = (size_t)markers->marker_count * markers->frame_count;
        check(again, result == LMB_OK && again->marker_count == markers->marker_count &&
                         again->frame_count == markers->frame_count &&
                         (count == 0 || again->seen != NULL));
    }
    lmb_buffer_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_markers *markers = NULL;
    lmb_error error;
    if (lmbi_c3d_read(data, size, NULL, NULL, &markers, &error) != LMB_OK) {
        return 0;
    }
    write_c3d(markers);
    lmb_buffer text = {0};
    if (lmbi_trc_write(markers, NULL, NULL, &text, NULL) == LMB_OK) {
        lmb_buffer_free(&text);
    }
    lmb_markers_destroy(markers);
    return 0;
}
