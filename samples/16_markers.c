// Markers of a recording: which are there, how often they are lost, and where one goes.
//
//     16_markers [FILE.c3d]
//
// Without a file, a few points are made, written as C3D, and read back.
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "limber/os.h"

/// Two points on somebody who walks past; the second is hidden for a while.
static lmb_result make_file(lmb_buffer *out, lmb_error *error)
{
    enum { FRAMES = 50 };
    const char *names[2] = {"HEAD", "LTOE"};
    lmb_vec3 positions[2 * FRAMES];
    uint8_t seen[2 * FRAMES];
    for (int f = 0; f < FRAMES; ++f) {
        const float time_s = (float)f / 50;
        positions[2 * f] = lmb_vec3_make(0, 1.7f, 1.3f * time_s);
        positions[2 * f + 1] = lmb_vec3_make(0.1f, 0.05f, 1.3f * time_s);
        seen[2 * f] = 1;
        seen[2 * f + 1] = f < 20 || f >= 26;
    }
    const lmb_markers def = {.marker_count = 2,
                             .frame_count = FRAMES,
                             .frame_rate = 50,
                             .first_frame = 1,
                             .names = names,
                             .positions = positions,
                             .seen = seen};
    lmb_markers *markers = NULL;
    lmb_result result = lmb_markers_create(&def, NULL, &markers, error);
    if (result == LMB_OK) {
        result = lmb_markers_write(LMB_FORMAT_C3D, markers, NULL, NULL, out, error);
    }
    lmb_markers_destroy(markers);
    return result;
}

static void tell(const lmb_markers *markers)
{
    printf("%u markers, %u frames at %g Hz\n", markers->marker_count, markers->frame_count,
           (double)markers->frame_rate);
    for (uint32_t m = 0; m < markers->marker_count; ++m) {
        uint32_t lost = 0;
        lmb_box box = lmb_box_empty();
        for (uint32_t f = 0; f < markers->frame_count; ++f) {
            const size_t k = (size_t)f * markers->marker_count + m;
            if (markers->seen[k]) {
                box = lmb_box_add(box, markers->positions[k]);
            } else {
                ++lost;
            }
        }
        printf("%-12s lost in %u frames, %.2f to %.2f m high\n", markers->names[m], lost,
               (double)box.low.y, (double)box.high.y);
    }
}

static lmb_result read_made(lmb_markers **out, lmb_error *error)
{
    lmb_buffer file = {0};
    lmb_result result = make_file(&file, error);
    if (result == LMB_OK) {
        result = lmb_markers_read(LMB_FORMAT_C3D, file.data, file.size, NULL, NULL, out, error);
    }
    lmb_buffer_free(&file);
    return result;
}

static lmb_result read_file(const char *path, lmb_markers **out, lmb_error *error)
{
    lmb_file file;
    lmb_result result = lmb_file_read(path, 0, &file, error);
    if (result == LMB_OK) {
        result = lmb_markers_read(LMB_FORMAT_C3D, file.data, file.size, NULL, NULL, out, error);
        free(file.data);
    }
    return result;
}

int main(int argc, char **argv)
{
    lmb_error error = {0};
    lmb_markers *markers = NULL;
    const lmb_result result =
        argc > 1 ? read_file(argv[1], &markers, &error) : read_made(&markers, &error);
    if (result != LMB_OK) {
        fprintf(stderr, "expected %s, found %s\n", error.expected, error.found);
        return 1;
    }
    tell(markers);
    lmb_markers_destroy(markers);
    return 0;
}
