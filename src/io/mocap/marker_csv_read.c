/// Markers in a table: a header of "NAME x,NAME y,NAME z" and one row a frame.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "io/common.h"
#include "io/mocap/markers.h"

typedef struct reader {
    lmbi_scan scan;
    lmbi_arena arena;
    lmbi_names names;
    lmbi_marker_rows rows;
    lmb_markers_info *info;
    lmb_error *error;
} reader;

/// The axis, 0 to 2, of "NAME x", "NAME_Y", "NAME.z", "NAME:X", "NAME-y", and the name without it;
/// -1 for any other cell.
static int axis_of(lmbi_word *cell)
{
    if (cell->size < 3 || memchr(" _.:-", cell->at[cell->size - 2], 5) == NULL) {
        return -1;
    }
    const char letter = (char)(cell->at[cell->size - 1] | 0x20);
    cell->size -= 2;
    return letter >= 'x' && letter <= 'z' ? letter - 'x' : -1;
}

static lmb_result read_column(reader *r, lmbi_word cell, int32_t *column)
{
    const lmbi_word whole = cell;
    const int axis = axis_of(&cell);
    if (axis >= 0) {
        const int32_t marker = lmbi_names_add(&r->names, cell);
        if (marker < 0) {
            return lmbi_fail_memory(r->error);
        }
        *column = 3 * marker + axis;
    } else if (lmbi_word_is(whole, "frame") || lmbi_word_is(whole, "frame#")) {
        *column = LMBI_COLUMN_FRAME;
    } else if (lmbi_word_is(whole, "time") || lmbi_word_is(whole, "time_s")) {
        *column = LMBI_COLUMN_TIME;
    } else {
        *column = LMBI_COLUMN_OTHER;
    }
    return LMB_OK;
}

/// Every coordinate of every marker must have one column.
static lmb_result check_columns(reader *r, const lmbi_scan *head, const int32_t *columns,
                                uint32_t count)
{
    lmbi_scan at = *head;
    uint8_t *found = lmbi_arena_array(&r->arena, r->names.count, 3);
    if (found == NULL) {
        return lmbi_fail_memory(r->error);
    }
    for (uint32_t c = 0; c < count; ++c) {
        if (columns[c] >= 0 && found[columns[c]]++ != 0) {
            return lmbi_fail_text(r->error, LMB_ERROR_MALFORMED, at.line, 1,
                                  "every coordinate once", "%.60s twice",
                                  r->names.items[columns[c] / 3]);
        }
    }
    for (size_t k = 0; k < 3 * r->names.count; ++k) {
        if (found[k] == 0) {
            return lmbi_fail_text(r->error, LMB_ERROR_MALFORMED, at.line, 1,
                                  "columns x, y and z of every marker", "no %c of %.60s",
                                  (char)('x' + k % 3), r->names.items[k / 3]);
        }
    }
    return r->names.count > 0
               ? LMB_OK
               : lmbi_scan_fail(&at, r->error, "a head of columns NAME x, NAME y, NAME z");
}

static lmb_result read_head(reader *r)
{
    lmbi_scan_space(&r->scan);
    r->scan.at = r->scan.line_start;
    const lmbi_scan head = r->scan;
    const char delimiter = lmbi_cell_delimiter(head);
    lmbi_scan start;
    lmbi_word cell;
    uint32_t count = 0;
    for (lmbi_scan line = head; lmbi_cell_next(&line, delimiter, &cell, &start);) {
        ++count;
    }
    int32_t *columns = lmbi_arena_array(&r->arena, count, sizeof *columns);
    if (columns == NULL) {
        return lmbi_fail_memory(r->error);
    }
    lmb_result result = LMB_OK;
    for (uint32_t c = 0; c < count && result == LMB_OK; ++c) {
        lmbi_cell_next(&r->scan, delimiter, &cell, &start);
        result = read_column(r, cell, &columns[c]);
    }
    if (result == LMB_OK) {
        result = check_columns(r, &head, columns, count);
    }
    lmbi_scan_next_line(&r->scan);
    r->rows = (lmbi_marker_rows){.alloc = r->arena.alloc,
                                 .delimiter = delimiter,
                                 .columns = columns,
                                 .column_count = count,
                                 .marker_count = (uint32_t)r->names.count};
    return result;
}

static lmb_result read_all(reader *r, const void *bytes, size_t size)
{
    lmb_result result = lmbi_text_open(&r->scan, bytes, size, r->error);
    if (result == LMB_OK) {
        result = read_head(r);
    }
    if (result == LMB_OK) {
        result = lmbi_marker_rows_read(&r->rows, &r->scan, &r->info->notes, r->error);
    }
    return result;
}

lmb_result lmbi_marker_csv_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                                const lmb_allocator *alloc, lmb_markers **out, lmb_error *error)
{
    lmb_markers_info info = {0};
    reader r = {.info = &info, .error = error};
    lmbi_arena_init(&r.arena, alloc);
    lmbi_names_init(&r.names, alloc);
    lmb_result result = read_all(&r, bytes, size);
    if (result == LMB_OK) {
        info.declared_frames = r.rows.frame_count;
        snprintf(info.encoding, sizeof info.encoding, "%s", lmbi_delimiter_name(r.rows.delimiter));
        lmb_markers draft = lmbi_marker_rows_draft(&r.rows, r.names.items, 0);
        const lmbi_marker_facts facts = {.usual_up = LMB_AXIS_Y};
        result = lmbi_markers_finish(&draft, &facts, opts, &info, alloc, out, error);
    }
    lmbi_marker_rows_free(&r.rows);
    lmbi_names_free(&r.names);
    lmbi_arena_free(&r.arena);
    return result;
}
