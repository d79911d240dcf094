#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "io/surface/obj.h"
#include "io/surface/surface.h"

typedef struct off_reader {
    lmbi_obj *obj;
    lmbi_scan scan;
    lmb_error *error;
    bool has_normal, has_color, has_uv;
    size_t vertex_count, face_count;
} off_reader;

/// Skips line ends and comments.
static void skip_blank_lines(off_reader *r)
{
    for (lmbi_scan_space(&r->scan); !lmbi_scan_done(&r->scan) && *r->scan.at == '#';
         lmbi_scan_space(&r->scan)) {
        lmbi_scan_next_line(&r->scan);
    }
}

static bool accept_letters(off_reader *r, const char *letters)
{
    const size_t length = strlen(letters);
    if ((size_t)(r->scan.end - r->scan.at) < length || memcmp(r->scan.at, letters, length) != 0) {
        return false;
    }
    r->scan.at += length;
    return true;
}

/// Reads the keyword [ST][C][N]OFF, which the counts may follow without a blank; none means plain
/// OFF.
static lmb_result read_keyword(off_reader *r)
{
    skip_blank_lines(r);
    const lmbi_scan before = r->scan;
    r->has_uv = accept_letters(r, "ST");
    r->has_color = accept_letters(r, "C");
    r->has_normal = accept_letters(r, "N");
    const bool more_dimensions = accept_letters(r, "4") || accept_letters(r, "n");
    if (!accept_letters(r, "OFF")) {
        r->has_uv = r->has_color = r->has_normal = false;
        r->scan = before;
        double count = 0;
        lmbi_scan peek = before;
        return lmbi_scan_number(&peek, &count)
                   ? LMB_OK
                   : lmbi_scan_fail(&r->scan, r->error, "OFF, COFF, NOFF or STOFF");
    }
    lmbi_scan peek = r->scan;
    const bool binary = lmbi_word_is(lmbi_scan_word(&peek), "BINARY");
    if (more_dimensions || binary) {
        return lmbi_fail_text(r->error, LMB_ERROR_UNSUPPORTED, before.line,
                              lmbi_scan_column(&before), "OFF text of three dimensions",
                              binary ? "binary OFF" : "OFF of other dimensions");
    }
    return LMB_OK;
}

/// Reads a count of items that take at least `bytes` of the file each. A count that cannot be true
/// is refused before memory is allocated.
static lmb_result read_count(off_reader *r, size_t bytes, size_t *out)
{
    double count = 0;
    skip_blank_lines(r);
    const lmbi_scan before = r->scan;
    if (!lmbi_scan_number(&r->scan, &count) || !(count >= 0) || count > floor(count) ||
        count > (double)(r->scan.end - r->scan.at) / (double)bytes + 1) {
        r->scan = before;
        return lmbi_scan_fail(&r->scan, r->error, "a count that the file can hold");
    }
    *out = (size_t)count;
    return LMB_OK;
}

/// Reads the numbers of this line, up to a comment. False when a word is not a number.
static bool read_line(off_reader *r, double *values, int limit, int *count)
{
    *count = 0;
    while (!lmbi_scan_line_end(&r->scan) && *r->scan.at != '#') {
        double value = 0;
        if (!lmbi_scan_number(&r->scan, &value)) {
            return false;
        }
        if (*count < limit) {
            values[(*count)++] = value;
        }
    }
    lmbi_scan_next_line(&r->scan);
    return true;
}

static void set_color(off_reader *r, const double *values, int count)
{
    lmb_vec4 color = {1, 1, 1, 1};
    float *c = &color.x;
    for (int i = 0; i < count && i < 4; ++i) {
        c[i] = isfinite((float)values[i]) ? (float)values[i] : 1;
    }
    r->obj->colors[r->obj->position_count - 1] = color;
}

static lmb_result read_vertex(off_reader *r)
{
    lmbi_obj *obj = r->obj;
    double n[16];
    int count = 0;
    skip_blank_lines(r);
    lmbi_scan before = r->scan;
    const int needed = 3 + (r->has_normal ? 3 : 0) + (r->has_uv ? 2 : 0);
    if (!read_line(r, n, 16, &count)) {
        return lmbi_scan_fail(&r->scan, r->error, "a number");
    }
    if (count < needed) {
        return lmbi_scan_fail(&before, r->error, "the numbers of a vertex");
    }
    if (!isfinite((float)n[0]) || !isfinite((float)n[1]) || !isfinite((float)n[2])) {
        return lmbi_scan_fail(&before, r->error, "a finite position");
    }
    obj->positions[obj->position_count++] = lmb_vec3_make((float)n[0], (float)n[1], (float)n[2]);
    if (r->has_normal) {
        obj->normals[obj->normal_count++] = lmb_vec3_make((float)n[3], (float)n[4], (float)n[5]);
    }
    if (r->has_color) {
        const int first = r->has_normal ? 6 : 3;
        set_color(r, n + first, count - first - (r->has_uv ? 2 : 0));
    }
    if (r->has_uv) {
        const bool finite = isfinite((float)n[count - 2]) && isfinite((float)n[count - 1]);
        obj->uvs[obj->uv_count++] =
            finite ? (lmb_vec2){(float)n[count - 2], (float)n[count - 1]} : (lmb_vec2){0, 0};
    }
    return LMB_OK;
}

static lmb_result read_face(off_reader *r)
{
    lmbi_obj *obj = r->obj;
    const size_t first = obj->corner_count;
    size_t corners = 0;
    lmb_result result = read_count(r, 2, &corners);
    const unsigned line = r->scan.line;
    for (size_t i = 0; i < corners && result == LMB_OK; ++i) {
        double index = 0;
        skip_blank_lines(r);
        lmbi_scan before = r->scan;
        if (!lmbi_scan_number(&r->scan, &index) || !(index >= 0) || index > floor(index) ||
            index >= (double)r->vertex_count) {
            return lmbi_scan_fail(&before, r->error, "an index of a vertex that the file has");
        }
        const int32_t v = (int32_t)index;
        if (!lmbi_obj_add_corner(
                obj, (lmbi_obj_corner){v, r->has_uv ? v : -1, r->has_normal ? v : -1})) {
            return lmbi_fail_memory(r->error);
        }
    }
    if (result != LMB_OK) {
        return result;
    }
    lmbi_scan_next_line(&r->scan); // ignore the face's colours
    if (corners < 3) {
        lmbi_note(obj->notes, line, "a face of %zu corners was passed over", corners);
        obj->corner_count = first;
        return LMB_OK;
    }
    const lmbi_obj_run run = {LMB_TRIANGLES, -1, -1, r->has_uv, r->has_normal};
    if (!lmbi_obj_choose_run(obj, run) || !lmbi_obj_add_element(obj, first, NULL)) {
        return lmbi_fail_memory(r->error);
    }
    return LMB_OK;
}

static lmb_result read_all(off_reader *r)
{
    lmb_result result = read_keyword(r);
    if (result == LMB_OK) {
        result = read_count(r, 6, &r->vertex_count);
    }
    if (result == LMB_OK) {
        result = read_count(r, 2, &r->face_count);
    }
    if (result != LMB_OK) {
        return result;
    }
    if (r->vertex_count == 0 || r->vertex_count > INT32_MAX) {
        return lmbi_scan_fail(&r->scan, r->error, "a vertex");
    }
    lmbi_scan_next_line(&r->scan); // ignore the count of edges
    if (!lmbi_obj_reserve(r->obj, r->vertex_count, r->has_normal, r->has_uv, r->has_color)) {
        return lmbi_fail_memory(r->error);
    }
    for (size_t i = 0; i < r->vertex_count && result == LMB_OK; ++i) {
        result = read_vertex(r);
    }
    for (size_t i = 0; i < r->face_count && result == LMB_OK; ++i) {
        result = read_face(r);
    }
    if (result == LMB_OK && r->obj->element_count == 0 && !lmbi_obj_add_points(r->obj)) {
        return lmbi_fail_memory(r->error);
    }
    return result;
}

lmb_result lmbi_off_read(const void *bytes, size_t size, const lmbi_mesh_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    lmbi_obj obj;
    lmbi_obj_init(&obj, alloc, opts ? opts->notes : NULL);
    off_reader r = {.obj = &obj, .error = error};
    lmb_result result = lmbi_text_open(&r.scan, bytes, size, error);
    if (result == LMB_OK) {
        result = read_all(&r);
    }
    return lmbi_obj_finish(&obj, result, opts, alloc, out, error);
}
