/// Rows of cells, as in TRC and CSV: one row a frame, one cell a coordinate, an empty cell for a
/// missing position.
#ifndef IO_MOCAP_MARKER_ROWS_H
#define IO_MOCAP_MARKER_ROWS_H

#include "io/common.h"

/// The meaning of a column that is not coordinate (column % 3) of marker (column / 3).
enum { LMBI_COLUMN_TIME = -1, LMBI_COLUMN_FRAME = -2, LMBI_COLUMN_OTHER = -3 };

typedef struct lmbi_marker_rows {
    const lmb_allocator *alloc;
    char delimiter;
    const int32_t *columns; ///< [column_count]
    uint32_t column_count;
    uint32_t marker_count;
    uint32_t frame_count;
    float *values; ///< [frame_count][marker_count][3]
    uint8_t *seen; ///< [frame_count][marker_count]
    size_t value_capacity, seen_capacity;
    double first_frame, first_time, last_time, time;
} lmbi_marker_rows;

/// Tab, comma or semicolon: the one that is most frequent in the line.
char lmbi_cell_delimiter(lmbi_scan scan);
/// "tabs", "commas", "semicolons".
const char *lmbi_delimiter_name(char delimiter);
/// Reads the next cell of the line, trimmed, and the delimiter after it. False at the end of the
/// line. `*start` is where the cell begins, for errors.
bool lmbi_cell_next(lmbi_scan *scan, char delimiter, lmbi_word *cell, lmbi_scan *start);
/// Reads all remaining rows; blank lines are skipped. Columns and counts must be set.
lmb_result lmbi_marker_rows_read(lmbi_marker_rows *rows, lmbi_scan *scan, lmb_notes *notes,
                                 lmb_error *error);
void lmbi_marker_rows_free(lmbi_marker_rows *rows);
/// A draft that points to the rows. A rate of 0 (not stated) becomes that of the times of the first
/// and last row.
lmb_markers lmbi_marker_rows_draft(const lmbi_marker_rows *rows, const char **names, double rate);

#endif
