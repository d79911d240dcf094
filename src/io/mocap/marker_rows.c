#include "io/mocap/markers.h"

#include <math.h>

#include "base/alloc.h"
#include "base/number.h"

// ------------------------------------------------------------------------------------------ cells

static bool ends_line(const lmbi_scan *scan)
{
    return scan->at >= scan->end || *scan->at == '\n' || *scan->at == '\r';
}

char lmbi_cell_delimiter(lmbi_scan scan)
{
    size_t tabs = 0, commas = 0, semicolons = 0;
    for (; !ends_line(&scan); ++scan.at) {
        tabs += *scan.at == '\t';
        commas += *scan.at == ',';
        semicolons += *scan.at == ';';
    }
    if (tabs >= commas && tabs >= semicolons) {
        return '\t';
    }
    return commas >= semicolons ? ',' : ';';
}

const char *lmbi_delimiter_name(char delimiter)
{
    return delimiter == '\t' ? "tabs" : delimiter == ',' ? "commas" : "semicolons";
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '"';
}

bool lmbi_cell_next(lmbi_scan *scan, char delimiter, lmbi_word *cell, lmbi_scan *start)
{
    *start = *scan;
    if (ends_line(scan)) {
        return false;
    }
    const char *first = scan->at;
    while (!ends_line(scan) && *scan->at != delimiter) {
        ++scan->at;
    }
    const char *last = scan->at;
    if (!ends_line(scan)) {
        ++scan->at; // the delimiter
    }
    while (first < last && is_blank(*first)) {
        ++first;
    }
    while (last > first && is_blank(last[-1])) {
        --last;
    }
    start->at = first;
    *cell = (lmbi_word){first, (size_t)(last - first)};
    return true;
}

// ------------------------------------------------------------------------------------------- rows

static bool reserve_row(lmbi_marker_rows *rows)
{
    const size_t frames = (size_t)rows->frame_count + 1, n = rows->marker_count;
    void *values = rows->values, *seen = rows->seen;
    const bool grown =
        lmbi_grow(rows->alloc, &values, &rows->value_capacity, lmbi_size_mul(frames, 3 * n),
                  sizeof(float)) &&
        lmbi_grow(rows->alloc, &seen, &rows->seen_capacity, lmbi_size_mul(frames, n), 1);
    rows->values = values;
    rows->seen = seen;
    return grown;
}

/// Reads a cell; "nan" and "" are missing values. False for a cell that is not a number.
static bool read_cell(lmbi_word cell, double *value)
{
    *value = (double)NAN;
    if (cell.size == 0) {
        return true;
    }
    const char *end = lmbi_number_read(cell.at, cell.at + cell.size, value);
    if (!isfinite((float)*value)) {
        *value = (double)NAN;
    }
    return end == cell.at + cell.size;
}

static void read_time(lmbi_marker_rows *rows, int32_t column, double value)
{
    if (isnan(value)) {
        return;
    }
    if (column == LMBI_COLUMN_FRAME && rows->frame_count == 0) {
        rows->first_frame = value;
    }
    if (column == LMBI_COLUMN_TIME) {
        rows->first_time = rows->frame_count == 0 ? value : rows->first_time;
        rows->time = value;
    }
}

/// Reads the line's cells into the next frame. `*filled`: any of them is not empty.
static lmb_result read_row(lmbi_marker_rows *rows, lmbi_scan *scan, bool *filled, lmb_error *error)
{
    const size_t base = (size_t)rows->frame_count * rows->marker_count * 3;
    for (size_t k = 0; k < (size_t)rows->marker_count * 3; ++k) {
        rows->values[base + k] = NAN;
    }
    lmbi_word cell;
    lmbi_scan start, last = *scan;
    uint32_t more = 0;
    *filled = false;
    for (uint32_t c = 0; lmbi_cell_next(scan, rows->delimiter, &cell, &start); ++c) {
        double value;
        *filled = *filled || cell.size > 0;
        const int32_t column = c < rows->column_count ? rows->columns[c] : LMBI_COLUMN_OTHER;
        if (column != LMBI_COLUMN_OTHER && !read_cell(cell, &value)) {
            return lmbi_scan_fail(&start, error, "a number, or an empty cell");
        }
        if (c >= rows->column_count && cell.size > 0) {
            more = c - rows->column_count + 1;
            last = start;
        }
        if (column >= 0) {
            rows->values[base + (size_t)column] = (float)value;
        } else if (column != LMBI_COLUMN_OTHER) {
            read_time(rows, column, value);
        }
    }
    if (more > 0 && (!rows->allows_more || more % 3 != 0)) {
        return lmbi_scan_fail(&last, error, "no more cells than the head has");
    }
    rows->more_cells = more > rows->more_cells ? more : rows->more_cells;
    return LMB_OK;
}

/// Marks positions whose three coordinates are all present. Returns the first marker with only some
/// of them, or marker_count.
static uint32_t mark_seen(lmbi_marker_rows *rows)
{
    const size_t first = (size_t)rows->frame_count * rows->marker_count;
    for (uint32_t m = 0; m < rows->marker_count; ++m) {
        const float *v = rows->values + 3 * (first + m);
        const int there = !isnan(v[0]) + !isnan(v[1]) + !isnan(v[2]);
        if (there != 0 && there != 3) {
            return m;
        }
        rows->seen[first + m] = there == 3;
    }
    return rows->marker_count;
}

/// Handles a row with one or two coordinates of a marker: the last row was truncated and is
/// dropped; any other is an error.
static lmb_result drop_row(const lmbi_scan *row, uint32_t marker, lmbi_scan *scan, lmb_notes *notes,
                           lmb_error *error)
{
    const unsigned column = lmbi_scan_column(scan);
    lmbi_scan_space(scan);
    if (!lmbi_scan_done(scan)) {
        return lmbi_fail_text(error, LMB_ERROR_MALFORMED, row->line, column,
                              "all three coordinates of a marker, or none",
                              "some of marker %u in this row", marker + 1);
    }
    lmbi_note(notes, row->line, "the last row is cut off and was left out");
    return LMB_OK;
}

lmb_result lmbi_marker_rows_read(lmbi_marker_rows *rows, lmbi_scan *scan, lmb_notes *notes,
                                 lmb_error *error)
{
    const uint64_t most = 4 * (uint64_t)(scan->end - scan->at) + 4 * rows->marker_count;
    for (lmbi_scan_space(scan); !lmbi_scan_done(scan); lmbi_scan_space(scan)) {
        scan->at = scan->line_start; // go back to the start of the line: blanks may be empty cells
        const lmbi_scan start = *scan;
        bool filled = false;
        // Short rows are rows of gaps. A file of nothing else would take memory without bound.
        if (((uint64_t)rows->frame_count + 1) * rows->marker_count > most) {
            lmbi_scan at = start;
            return lmbi_scan_fail(&at, error, "cells for most of the markers");
        }
        if (!reserve_row(rows)) {
            return lmbi_fail_memory(error);
        }
        lmb_result result = read_row(rows, scan, &filled, error);
        const uint32_t cut = result == LMB_OK ? mark_seen(rows) : 0;
        const bool whole = cut == rows->marker_count;
        if (result == LMB_OK && !whole) {
            result = drop_row(&start, cut, scan, notes, error);
        }
        if (result != LMB_OK) {
            return result;
        }
        rows->frame_count += whole && filled;
        rows->last_time = whole && filled ? rows->time : rows->last_time;
    }
    return rows->frame_count > 0 ? LMB_OK : lmbi_scan_fail(scan, error, "a row of positions");
}

void lmbi_marker_rows_free(lmbi_marker_rows *rows)
{
    lmbi_free(rows->alloc, rows->values);
    lmbi_free(rows->alloc, rows->seen);
}

/// Frames a second from the times of the first and last row; 0 without times.
static float rate_of_times(const lmbi_marker_rows *rows)
{
    const double span = rows->last_time - rows->first_time;
    return span > 0 && rows->frame_count > 1 ? (float)((rows->frame_count - 1) / span) : 0;
}

lmb_markers lmbi_marker_rows_draft(const lmbi_marker_rows *rows, const char **names, double rate)
{
    const bool numbered = fabs(rows->first_frame) < 1e9;
    union {
        float *numbers;
        lmb_vec3 *points;
    } values = {.numbers = rows->values};
    return (lmb_markers){
        .marker_count = rows->marker_count,
        .frame_count = rows->frame_count,
        .frame_rate = rate > 0 && rate < 1e6 ? (float)rate : rate_of_times(rows),
        .first_frame = numbered ? (int32_t)rows->first_frame : 0,
        .names = names,
        .positions = values.points,
        .seen = rows->seen,
    };
}
