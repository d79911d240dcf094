/// ESRI ASCII grids: lines of a key and a number, then one line of heights a row, north first.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/common.h"

typedef struct reader {
    lmbi_scan scan;
    double columns, rows, cell[2], missing;
    bool has_missing;
    lmb_error *error;
} reader;

static bool read_key(reader *r, lmbi_word key, double value)
{
    double *const targets[] = {&r->columns, &r->rows, &r->cell[0], &r->cell[0], &r->cell[1]};
    static const char *const keys[] = {"ncols", "nrows", "cellsize", "dx", "dy"};
    static const char *const passed_over[] = {"xllcorner", "yllcorner", "xllcenter", "yllcenter"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
        if (lmbi_word_is(key, keys[k])) {
            *targets[k] = value;
            r->cell[1] = k == 2 ? value : r->cell[1];
            return true;
        }
    }
    if (lmbi_word_is(key, "nodata_value")) {
        r->missing = value;
        r->has_missing = true;
        return true;
    }
    for (size_t k = 0; k < sizeof passed_over / sizeof *passed_over; ++k) {
        if (lmbi_word_is(key, passed_over[k])) {
            return true;
        }
    }
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Reads the lines that begin with a word, up to the first height. "nan" is a height.
static lmb_result read_head(reader *r)
{
    for (;;) {
        lmbi_scan_space(&r->scan);
        lmbi_scan peek = r->scan;
        double value = 0;
        if (lmbi_scan_done(&r->scan) || !is_letter(*r->scan.at) ||
            lmbi_word_is(lmbi_scan_word(&peek), "nan")) {
            return LMB_OK;
        }
        const lmbi_scan before = r->scan;
        const lmbi_word key = lmbi_scan_word(&r->scan);
        if (!lmbi_scan_number(&r->scan, &value)) {
            return lmbi_scan_fail(&r->scan, r->error, "a number");
        }
        if (!read_key(r, key, value)) {
            r->scan = before;
            return lmbi_scan_fail(&r->scan, r->error,
                                  "ncols, nrows, cellsize or another key of a grid");
        }
    }
}

static bool is_count(double x)
{
    return x >= 2 && x <= 1e8 && !(x > floor(x));
}

static lmb_result check_head(reader *r)
{
    // A height takes at least two bytes, except perhaps the last.
    const double room = ((double)(r->scan.end - r->scan.at) + 1) / 2;
    if (!is_count(r->columns) || !is_count(r->rows)) {
        return lmbi_scan_fail(&r->scan, r->error, "ncols and nrows of at least 2 before it");
    }
    if (!(r->cell[0] > 0 && r->cell[0] < 1e30 && r->cell[1] > 0 && r->cell[1] < 1e30)) {
        return lmbi_scan_fail(&r->scan, r->error, "a cellsize above 0 before it");
    }
    if (r->columns * r->rows > room) {
        return lmbi_fail_text(r->error, LMB_ERROR_MALFORMED, r->scan.line, 1,
                              "as many heights as ncols by nrows", "a file too short for them");
    }
    return LMB_OK;
}

static lmb_result read_heights(reader *r, size_t count, float *heights)
{
    for (size_t k = 0; k < count; ++k) {
        double value = 0;
        lmbi_scan_space(&r->scan);
        lmbi_scan before = r->scan;
        const bool is_nan = lmbi_word_is(lmbi_scan_word(&r->scan), "nan");
        if (!is_nan) {
            r->scan = before;
        }
        if (!is_nan && (!lmbi_scan_number(&r->scan, &value) || !(fabs(value) < 1e30))) {
            r->scan = before;
            return lmbi_scan_fail(&r->scan, r->error, "a height");
        }
        const bool gap = is_nan || (r->has_missing && !(value < r->missing || value > r->missing));
        heights[k] = gap ? NAN : (float)value;
    }
    lmbi_scan_space(&r->scan);
    return lmbi_scan_done(&r->scan)
               ? LMB_OK
               : lmbi_scan_fail(&r->scan, r->error, "the end of the file after the last height");
}

lmb_result lmb_asc_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                        lmb_height_field **out, lmb_error *error)
{
    reader r = {.error = error};
    lmb_result result = lmbi_text_open(&r.scan, bytes, size, error);
    if (result != LMB_OK) {
        return result;
    }
    result = read_head(&r);
    if (result == LMB_OK) {
        result = check_head(&r);
    }
    if (result != LMB_OK) {
        return result;
    }
    const size_t count = (size_t)r.columns * (size_t)r.rows;
    float *heights = lmbi_alloc_array(alloc, count, sizeof *heights);
    if (!heights) {
        return lmbi_fail_memory(error);
    }
    result = read_heights(&r, count, heights);
    const lmb_height_field def = {.columns = (uint32_t)r.columns,
                                  .rows = (uint32_t)r.rows,
                                  .spacing = {(float)r.cell[0], (float)r.cell[1]},
                                  .heights = heights};
    if (result == LMB_OK) {
        result = lmb_height_field_create(&def, alloc, out, error);
    }
    lmbi_free(alloc, heights);
    return result;
}
