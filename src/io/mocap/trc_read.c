/// TRC (Motion Analysis, OpenSim): three header lines, a line of labels, a line of "X1 Y1 Z1", and
/// one row a frame.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/number.h"
#include "io/mocap/markers.h"

typedef struct reader {
    lmbi_scan scan;
    lmbi_arena arena;
    char delimiter;
    double rate, declared_frames, declared_markers;
    lmbi_word units;
    const char **names;
    uint32_t name_count;
    int32_t *columns;
    lmbi_marker_rows rows;
    lmb_markers_info *info;
    lmb_error *error;
} reader;

static double number_of(lmbi_word cell)
{
    double value = 0;
    const char *end = lmbi_number_read(cell.at, cell.at + cell.size, &value);
    return cell.size > 0 && end == cell.at + cell.size && isfinite(value) ? value : 0;
}

static void read_key_value(reader *r, lmbi_word key, lmbi_word value)
{
    if (lmbi_word_is(key, "DataRate")) {
        r->rate = number_of(value);
    } else if (lmbi_word_is(key, "NumFrames")) {
        r->declared_frames = number_of(value);
    } else if (lmbi_word_is(key, "NumMarkers")) {
        r->declared_markers = number_of(value);
    } else if (lmbi_word_is(key, "Units")) {
        r->units = value;
    }
}

/// Some writers set two tabs between values and one between their keys.
static bool next_filled(lmbi_scan *scan, char delimiter, lmbi_word *cell)
{
    lmbi_scan start;
    do {
        if (!lmbi_cell_next(scan, delimiter, cell, &start)) {
            return false;
        }
    } while (cell->size == 0);
    return true;
}

/// The header: PathFileType, a line of keys, a line of their values.
static lmb_result read_head(reader *r)
{
    lmbi_scan *scan = &r->scan;
    lmbi_scan start = *scan, keys, values;
    lmbi_word key, value;
    r->delimiter = lmbi_cell_delimiter(*scan);
    // Blanks may stand where the tab should.
    const size_t size = strlen("PathFileType");
    if (!lmbi_cell_next(scan, r->delimiter, &key, &start) || key.size < size ||
        !lmbi_word_is((lmbi_word){key.at, size}, "PathFileType")) {
        return lmbi_scan_fail(&start, r->error, "PathFileType, the head of a TRC file");
    }
    lmbi_scan_next_line(scan);
    keys = *scan;
    lmbi_scan_next_line(scan);
    values = *scan;
    while (next_filled(&keys, r->delimiter, &key) && next_filled(&values, r->delimiter, &value)) {
        read_key_value(r, key, value);
    }
    lmbi_scan_next_line(scan);
    return LMB_OK;
}

/// "Frame#  Time  A      B": every cell that is not empty from the third on is a label.
static lmb_result read_labels(reader *r)
{
    lmbi_scan start, line;
    lmbi_word cell;
    lmbi_scan_space(&r->scan);
    r->scan.at = r->scan.line_start;
    line = r->scan;
    if (!lmbi_cell_next(&line, r->delimiter, &cell, &start) ||
        (!lmbi_word_is(cell, "Frame#") && !lmbi_word_is(cell, "Frame"))) {
        return lmbi_scan_fail(&start, r->error, "Frame#, Time and the labels of the markers");
    }
    lmbi_cell_next(&line, r->delimiter, &cell, &start);
    const lmbi_scan first = line;
    uint32_t count = 0;
    while (lmbi_cell_next(&line, r->delimiter, &cell, &start)) {
        count += cell.size > 0;
    }
    r->names = lmbi_arena_array(&r->arena, count, sizeof *r->names);
    if (r->names == NULL) {
        return lmbi_fail_memory(r->error);
    }
    line = first;
    while (lmbi_cell_next(&line, r->delimiter, &cell, &start)) {
        if (cell.size > 0) {
            r->names[r->name_count] = lmbi_arena_string(&r->arena, cell.at, cell.size);
            if (r->names[r->name_count++] == NULL) {
                return lmbi_fail_memory(r->error);
            }
        }
    }
    lmbi_scan_next_line(&r->scan);
    return LMB_OK;
}

/// Skips the line "X1 Y1 Z1" below the labels, which some writers leave out.
static void skip_axes(reader *r)
{
    lmbi_scan line = r->scan, start;
    lmbi_word cell;
    while (lmbi_cell_next(&line, r->delimiter, &cell, &start)) {
        if (cell.size > 0) {
            if (cell.at[0] == 'X' || cell.at[0] == 'x') {
                lmbi_scan_next_line(&r->scan);
            }
            return;
        }
    }
}

static lmb_result lay_out_columns(reader *r)
{
    const uint32_t count = 2 + 3 * r->name_count;
    r->columns = lmbi_arena_array(&r->arena, count, sizeof *r->columns);
    if (r->columns == NULL) {
        return lmbi_fail_memory(r->error);
    }
    r->columns[0] = LMBI_COLUMN_FRAME;
    r->columns[1] = LMBI_COLUMN_TIME;
    for (uint32_t c = 2; c < count; ++c) {
        r->columns[c] = (int32_t)(c - 2);
    }
    r->rows = (lmbi_marker_rows){.alloc = r->arena.alloc,
                                 .delimiter = r->delimiter,
                                 .columns = r->columns,
                                 .column_count = count,
                                 .marker_count = r->name_count,
                                 .allows_more = r->delimiter == '\t'};
    return LMB_OK;
}

static lmb_result read_all(reader *r, const void *bytes, size_t size)
{
    lmb_result result = lmbi_text_open(&r->scan, bytes, size, r->error);
    if (result == LMB_OK) {
        result = read_head(r);
    }
    if (result == LMB_OK) {
        result = read_labels(r);
    }
    if (result == LMB_OK && r->name_count == 0) {
        result = lmbi_scan_fail(&r->scan, r->error, "labels of markers");
    }
    if (result == LMB_OK) {
        skip_axes(r);
        result = lay_out_columns(r);
    }
    if (result == LMB_OK) {
        result = lmbi_marker_rows_read(&r->rows, &r->scan, &r->info->notes, r->error);
    }
    return result;
}

static void collect_facts(reader *r)
{
    lmb_markers_info *info = r->info;
    snprintf(info->encoding, sizeof info->encoding, "%s", lmbi_delimiter_name(r->delimiter));
    if (r->declared_markers > 0 && r->declared_markers != r->name_count) {
        lmbi_note(&info->notes, 4, "%.0f markers are declared and %u labelled: those were read",
                  r->declared_markers, r->name_count);
    }
    if (r->rows.more_cells > 0) {
        lmbi_note(&info->notes, 0, "rows have up to %u positions without a label: left out",
                  r->rows.more_cells / 3);
    }
    const double declared = r->declared_frames;
    info->declared_frames = declared >= 1 && declared < 1e15 ? (uint64_t)declared : 0;
    if (info->declared_frames != r->rows.frame_count) {
        lmbi_note(&info->notes, 0, "%llu frames are declared and %u are there: those were read",
                  (unsigned long long)info->declared_frames, r->rows.frame_count);
    }
}

static lmb_result build_markers(reader *r, const lmb_markers_read_opts *opts,
                                const lmb_allocator *alloc, lmb_markers **out)
{
    lmb_markers draft = lmbi_marker_rows_draft(&r->rows, r->names, r->rate);
    const lmbi_marker_facts facts = {.unit_m = lmbi_unit_of(r->units), .usual_up = LMB_AXIS_Y};
    return lmbi_markers_finish(&draft, &facts, opts, r->info, alloc, out, r->error);
}

lmb_result lmbi_trc_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                         const lmb_allocator *alloc, lmb_markers **out, lmb_error *error)
{
    lmb_markers_info info = {0};
    reader r = {.info = &info, .error = error};
    lmbi_arena_init(&r.arena, alloc);
    lmb_result result = read_all(&r, bytes, size);
    if (result == LMB_OK) {
        collect_facts(&r);
        result = build_markers(&r, opts, alloc, out);
    }
    lmbi_marker_rows_free(&r.rows);
    lmbi_arena_free(&r.arena);
    return result;
}
