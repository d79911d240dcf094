// TRC and tables of markers: whatever reads becomes a character and is written and read again.
#include <stdlib.h>
#include <string.h>

#include "io/mocap/markers.h"
#include "limber/io.h"
#include "target.h"

static void use(const lmb_markers *markers)
{
    lmb_buffer text = {0};
    lmb_markers *again = NULL;
    lmb_character *character = NULL;
    if (lmbi_marker_csv_write(markers, NULL, NULL, &text, NULL) == LMB_OK) {
        if (lmbi_marker_csv_read(text.data, text.size, NULL, NULL, &again, NULL) == LMB_OK &&
            again->frame_count > markers->frame_count) {
            abort();
        }
        lmb_markers_destroy(again);
        lmb_buffer_free(&text);
    }
    if (lmb_markers_character(markers, NULL, &character, NULL) == LMB_OK) {
        lmb_character_destroy(character);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_markers *trc = NULL, *csv = NULL;
    lmb_error error;
    if (lmbi_trc_read(data, size, NULL, NULL, &trc, &error) == LMB_OK) {
        use(trc);
    }
    if (lmbi_marker_csv_read(data, size, NULL, NULL, &csv, &error) == LMB_OK) {
        use(csv);
    }
    lmb_markers_destroy(trc);
    lmb_markers_destroy(csv);
    return 0;
}
