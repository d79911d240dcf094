#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "io/c3d.h"
#include "io/marker_out.h"

enum { LABELS_A_LIST = 255, FRAMES_MAX = 65535 };

static void put_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put_float(uint8_t *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u16(at, bits & 0xffff);
    put_u16(at + 2, bits >> 16);
}

// ------------------------------------------------------------------------------------- parameters

/// The group's number, its name, how far the next record is, and no description.
static void add_group(lmbi_text *text, int number, const char *name)
{
    const uint8_t head[2] = {(uint8_t)strlen(name), (uint8_t)-number};
    const uint8_t rest[3] = {3, 0, 0};
    lmbi_text_bytes(text, head, 2);
    lmbi_text_add(text, name);
    lmbi_text_bytes(text, rest, 3);
}

/// Room for the values of a parameter of up to two dimensions (0: none).
static uint8_t *add_param(lmbi_text *text, int group, const char *name, int type, uint32_t columns,
                          uint32_t rows)
{
    const uint32_t dimensions = rows > 0 ? 2 : columns > 0 ? 1 : 0;
    const uint32_t count = (columns > 0 ? columns : 1) * (rows > 0 ? rows : 1);
    const uint32_t size = count * (uint32_t)(type < 0 ? 1 : type);
    const uint8_t head[2] = {(uint8_t)strlen(name), (uint8_t)group};
    uint8_t shape[6] = {0, 0, (uint8_t)type, (uint8_t)dimensions, (uint8_t)columns, (uint8_t)rows};
    put_u16(shape, 2 + 2 + dimensions + size + 1);
    lmbi_text_bytes(text, head, 2);
    lmbi_text_add(text, name);
    lmbi_text_bytes(text, shape, 4 + dimensions);
    // The byte after the values is the length of a description that is not there.
    return lmbi_text_room(text, (size_t)size + 1);
}

static void add_integer(lmbi_text *text, int group, const char *name, uint32_t value)
{
    uint8_t *at = add_param(text, group, name, 2, 0, 0);
    if (at != NULL) {
        put_u16(at, value);
    }
}

static void add_real(lmbi_text *text, int group, const char *name, float value)
{
    uint8_t *at = add_param(text, group, name, 4, 0, 0);
    if (at != NULL) {
        put_float(at, value);
    }
}

static void add_letters(lmbi_text *text, int group, const char *name, const char *value)
{
    uint8_t *at = add_param(text, group, name, -1, (uint32_t)strlen(value), 0);
    if (at != NULL) {
        memcpy(at, value, strlen(value));
    }
}

/// Labels first to first + 254, padded with blanks to the longest of them.
static void add_labels(lmbi_text *text, const lmb_markers *markers, uint32_t first)
{
    char name[24] = "LABELS";
    if (first > 0) {
        snprintf(name, sizeof name, "LABELS%u", first / LABELS_A_LIST + 1);
    }
    const uint32_t left = markers->marker_count - first;
    const uint32_t rows = left < LABELS_A_LIST ? left : LABELS_A_LIST;
    size_t longest = 1;
    for (uint32_t k = 0; k < rows; ++k) {
        const size_t length = strlen(markers->names[first + k]);
        longest = length > longest ? length : longest;
    }
    longest = longest < 127 ? longest : 127;
    uint8_t *at = add_param(text, 1, name, -1, (uint32_t)longest, rows);
    for (uint32_t k = 0; at != NULL && k < rows; ++k) {
        const char *label = markers->names[first + k];
        const size_t length = strlen(label) < longest ? strlen(label) : longest;
        memset(at + k * longest, ' ', longest);
        memcpy(at + k * longest, label, length);
    }
}

static void add_trial(lmbi_text *text, uint32_t first, uint32_t last)
{
    add_group(text, 2, "TRIAL");
    const char *const names[2] = {"ACTUAL_START_FIELD", "ACTUAL_END_FIELD"};
    const uint32_t values[2] = {first, last};
    for (int k = 0; k < 2; ++k) {
        uint8_t *at = add_param(text, 2, names[k], 2, 2, 0);
        if (at != NULL) {
            put_u16(at, values[k] & 0xffff);
            put_u16(at + 2, values[k] >> 16);
        }
    }
}

// --------------------------------------------------------------------------------------- together

typedef struct writer {
    const lmb_markers *markers;
    lmbi_marker_frame to;
    float scale; ///< of a residual's 255 steps, in the file's unit
    uint32_t first, last;
} writer;

/// Where the block of frames begins is known only once all is there: DATA_START stays 0, as other
/// writers leave it, and the header says it.
static lmb_result add_params(lmbi_text *text, const writer *w, lmb_error *error)
{
    const lmb_markers *markers = w->markers;
    const uint8_t head[4] = {1, 0x50, 0, LMBI_C3D_INTEL};
    const size_t begin = text->size;
    lmbi_text_bytes(text, head, 4);
    add_group(text, 1, "POINT");
    add_integer(text, 1, "USED", markers->marker_count);
    add_integer(text, 1, "FRAMES",
                markers->frame_count < FRAMES_MAX ? markers->frame_count : FRAMES_MAX);
    add_integer(text, 1, "DATA_START", 0);
    add_real(text, 1, "SCALE", -w->scale);
    add_real(text, 1, "RATE", markers->frame_rate);
    add_letters(text, 1, "UNITS", w->to.unit);
    add_letters(text, 1, "X_SCREEN", "+X");
    add_letters(text, 1, "Y_SCREEN", lmb_axis_name(w->to.up));
    for (uint32_t first = 0; first < markers->marker_count; first += LABELS_A_LIST) {
        add_labels(text, markers, first);
    }
    add_trial(text, w->first, w->last);
    lmbi_text_room(text, 2); // the end of the list
    lmbi_text_room(text, (LMBI_C3D_BLOCK - text->size % LMBI_C3D_BLOCK) % LMBI_C3D_BLOCK);
    const size_t blocks = (text->size - begin) / LMBI_C3D_BLOCK;
    if (text->failed) {
        return lmbi_fail_memory(error);
    }
    if (blocks > 255) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "labels in 255 blocks of 512 bytes",
                         "a C3D file with %zu blocks of them", blocks);
    }
    text->data[begin + 2] = (uint8_t)blocks;
    return LMB_OK;
}

static void fill_header(uint8_t *at, const writer *w, size_t data_block)
{
    const uint32_t words[] = {0,
                              w->markers->marker_count,
                              0,
                              w->first <= FRAMES_MAX ? w->first : FRAMES_MAX,
                              w->last <= FRAMES_MAX ? w->last : FRAMES_MAX,
                              0};
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
        put_u16(at + 2 * k, words[k]);
    }
    at[0] = 2;
    at[1] = 0x50;
    put_float(at + 12, -w->scale);
    put_u16(at + 16, (uint32_t)data_block);
    put_float(at + 20, w->markers->frame_rate);
}

static void add_frames(lmbi_text *text, const writer *w)
{
    const lmb_markers *markers = w->markers;
    const size_t count = (size_t)markers->frame_count * markers->marker_count;
    uint8_t *at = lmbi_text_room(text, count * 16);
    for (size_t k = 0; at != NULL && k < count; ++k, at += 16) {
        const lmb_vec3 p = lmbi_marker_place(&w->to, markers->positions[k]);
        const float residual =
            markers->residuals != NULL ? markers->residuals[k] / w->to.unit_m / w->scale : 0;
        put_float(at, p.x);
        put_float(at + 4, p.y);
        put_float(at + 8, p.z);
        put_float(at + 12, markers->seen[k] ? fminf(rintf(residual), 255) : -1);
    }
    lmbi_text_room(text, (LMBI_C3D_BLOCK - text->size % LMBI_C3D_BLOCK) % LMBI_C3D_BLOCK);
}

/// 255 steps up to the largest residual.
static float scale_of(const lmb_markers *markers, float unit_m)
{
    const size_t count = (size_t)markers->frame_count * markers->marker_count;
    float most = 0;
    for (size_t k = 0; markers->residuals != NULL && k < count; ++k) {
        most = fmaxf(most, markers->residuals[k]);
    }
    return most > 0 ? most / unit_m / 255 : 1;
}

lmb_result lmb_c3d_write(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                         const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    writer w = {.markers = markers, .first = 1};
    lmb_result result = lmbi_marker_frame_of(opts, 0.001f, LMB_AXIS_Z, &w.to, error);
    if (result == LMB_OK && (markers->marker_count > 65535 || markers->marker_count == 0)) {
        result = lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "1 to 65535 markers", "a C3D file with %u",
                           markers->marker_count);
    }
    if (result != LMB_OK) {
        return result;
    }
    w.scale = scale_of(markers, w.to.unit_m);
    w.first = markers->first_frame > 0 ? (uint32_t)markers->first_frame : 1;
    w.last = w.first + (markers->frame_count > 0 ? markers->frame_count - 1 : 0);
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    lmbi_text_room(&text, LMBI_C3D_BLOCK);
    result = add_params(&text, &w, error);
    if (result != LMB_OK) {
        lmbi_text_free(&text);
        return result;
    }
    fill_header(text.data, &w, text.size / LMBI_C3D_BLOCK + 1);
    add_frames(&text, &w);
    return lmbi_buffer_take(&text, out, error);
}
