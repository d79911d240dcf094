#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "io/bytes.h"
#include "io/mocap/c3d.h"
#include "io/mocap/markers.h"

enum { LABELS_A_LIST = 255, FRAMES_MAX = 65535 };

static void put_float(uint8_t *at, float value)
{
    lmbi_store_bytes(at, lmbi_bits_of_float(value), 4);
}

// ------------------------------------------------------------------------------------- parameters

/// Writes a group: its number, its name, the offset to the next record, and no description.
static void add_group(lmbi_text *text, int number, const char *name)
{
    const uint8_t head[2] = {(uint8_t)strlen(name), (uint8_t)-number};
    const uint8_t rest[3] = {3, 0, 0};
    lmbi_text_bytes(text, head, 2);
    lmbi_text_add(text, name);
    lmbi_text_bytes(text, rest, 3);
}

/// Writes a parameter's header and returns the memory for its values, of up to two dimensions (0:
/// none).
static uint8_t *add_param(lmbi_text *text, int group, const char *name, int type, uint32_t columns,
                          uint32_t rows)
{
    const uint32_t dimensions = rows > 0 ? 2 : columns > 0 ? 1 : 0;
    const uint32_t count = (columns > 0 ? columns : 1) * (rows > 0 ? rows : 1);
    const uint32_t size = count * (uint32_t)(type < 0 ? 1 : type);
    const uint8_t head[2] = {(uint8_t)strlen(name), (uint8_t)group};
    uint8_t shape[6] = {0, 0, (uint8_t)type, (uint8_t)dimensions, (uint8_t)columns, (uint8_t)rows};
    lmbi_store_bytes(shape, 2 + 2 + dimensions + size + 1, 2);
    lmbi_text_bytes(text, head, 2);
    lmbi_text_add(text, name);
    lmbi_text_bytes(text, shape, 4 + dimensions);
    // The byte after the values is the length of the description: 0.
    return lmbi_text_room(text, (size_t)size + 1);
}

static void add_integer(lmbi_text *text, int group, const char *name, uint32_t value)
{
    uint8_t *at = add_param(text, group, name, 2, 0, 0);
    if (at != NULL) {
        lmbi_store_bytes(at, value, 2);
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

/// Writes texts padded with blanks to the longest of them, at most 255 letters.
static void add_texts(lmbi_text *text, int group, const char *name, const char *const *texts,
                      uint32_t rows)
{
    size_t longest = 1;
    for (uint32_t k = 0; k < rows; ++k) {
        const size_t length = strlen(texts[k]);
        longest = length > longest ? length : longest;
    }
    longest = longest < 127 ? longest : 127;
    uint8_t *at = add_param(text, group, name, -1, (uint32_t)longest, rows);
    for (uint32_t k = 0; at != NULL && k < rows; ++k) {
        const char *label = texts[k];
        const size_t length = strlen(label) < longest ? strlen(label) : longest;
        memset(at + k * longest, ' ', longest);
        memcpy(at + k * longest, label, length);
    }
}

/// Writes labels `first` to `first` + 254.
static void add_labels(lmbi_text *text, const lmb_markers *markers, uint32_t first)
{
    char name[24] = "LABELS";
    if (first > 0) {
        snprintf(name, sizeof name, "LABELS%u", first / LABELS_A_LIST + 1);
    }
    const uint32_t left = markers->marker_count - first;
    add_texts(text, 1, name, markers->names + first, left < LABELS_A_LIST ? left : LABELS_A_LIST);
}

enum { TRIAL = 2, ANALOG = 3, EVENT = 4 };

/// Analog samples are written in their units: offset 0, scale 1.
static void add_analog(lmbi_text *text, const lmb_markers *markers)
{
    const uint32_t count = markers->analog_count;
    if (count == 0) {
        return;
    }
    add_group(text, ANALOG, "ANALOG");
    add_integer(text, ANALOG, "USED", count);
    add_texts(text, ANALOG, "LABELS", markers->analog_names, count);
    add_texts(text, ANALOG, "UNITS", markers->analog_units, count);
    add_real(text, ANALOG, "GEN_SCALE", 1);
    uint8_t *at = add_param(text, ANALOG, "SCALE", 4, count, 0);
    for (uint32_t k = 0; at != NULL && k < count; ++k) {
        put_float(at + 4 * (size_t)k, 1);
    }
    (void)add_param(text, ANALOG, "OFFSET", 2, count, 0);
    add_real(text, ANALOG, "RATE", markers->frame_rate * (float)markers->analog_per_frame);
}

/// Writes events; their times are in minutes and seconds, relative to frame 1.
static void add_events(lmbi_text *text, const lmb_markers *markers, uint32_t first_frame)
{
    const uint32_t count = markers->event_count;
    const char *texts[LABELS_A_LIST];
    if (count == 0) {
        return;
    }
    const double rate = (double)markers->frame_rate;
    const double begin_s = rate > 0 ? (first_frame - 1) / rate : 0;
    add_group(text, EVENT, "EVENT");
    add_integer(text, EVENT, "USED", count);
    for (uint32_t k = 0; k < count; ++k) {
        texts[k] = markers->events[k].context;
    }
    add_texts(text, EVENT, "CONTEXTS", texts, count);
    for (uint32_t k = 0; k < count; ++k) {
        texts[k] = markers->events[k].name;
    }
    add_texts(text, EVENT, "LABELS", texts, count);
    uint8_t *at = add_param(text, EVENT, "TIMES", 4, 2, count);
    for (uint32_t k = 0; at != NULL && k < count; ++k) {
        const double time_s = (double)markers->events[k].time_s + begin_s;
        const double minutes = floor(time_s / 60);
        put_float(at + 8 * (size_t)k, (float)minutes);
        put_float(at + 8 * (size_t)k + 4, (float)(time_s - 60 * minutes));
    }
}

static void add_trial(lmbi_text *text, uint32_t first, uint32_t last)
{
    add_group(text, TRIAL, "TRIAL");
    const char *const names[2] = {"ACTUAL_START_FIELD", "ACTUAL_END_FIELD"};
    const uint32_t values[2] = {first, last};
    for (int k = 0; k < 2; ++k) {
        uint8_t *at = add_param(text, TRIAL, names[k], 2, 2, 0);
        if (at != NULL) {
            lmbi_store_bytes(at, values[k], 4);
        }
    }
}

// --------------------------------------------------------------------------------------- together

typedef struct writer {
    const lmb_markers *markers;
    lmbi_marker_frame to;
    float scale; ///< of the 255 steps of a residual, in the file's unit
    uint32_t first, last;
} writer;

/// Writes all parameters. The block where frames begin is known only afterwards: DATA_START stays
/// 0, as in other writers' files, and the header gives it.
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
    add_analog(text, markers);
    add_events(text, markers, w->first);
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
                              w->markers->analog_count * w->markers->analog_per_frame,
                              w->first <= FRAMES_MAX ? w->first : FRAMES_MAX,
                              w->last <= FRAMES_MAX ? w->last : FRAMES_MAX,
                              0};
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
        lmbi_store_bytes(at + 2 * k, words[k], 2);
    }
    at[0] = 2;
    at[1] = 0x50;
    put_float(at + 12, -w->scale);
    lmbi_store_bytes(at + 16, (uint32_t)data_block, 2);
    lmbi_store_bytes(at + 18, w->markers->analog_count > 0 ? w->markers->analog_per_frame : 0, 2);
    put_float(at + 20, w->markers->frame_rate);
}

static void add_points(uint8_t *at, const writer *w, size_t first)
{
    const lmb_markers *markers = w->markers;
    for (size_t k = first; k < first + markers->marker_count; ++k, at += 16) {
        const lmb_vec3 p = lmbi_marker_file_position(&w->to, markers->positions[k]);
        const float residual =
            markers->residuals != NULL ? markers->residuals[k] / w->to.unit_m / w->scale : 0;
        put_float(at, p.x);
        put_float(at + 4, p.y);
        put_float(at + 8, p.z);
        put_float(at + 12, markers->seen[k] ? fminf(rintf(residual), 255) : -1);
    }
}

static void add_frames(lmbi_text *text, const writer *w)
{
    const lmb_markers *markers = w->markers;
    const size_t n = markers->marker_count;
    const size_t samples = (size_t)markers->analog_count * markers->analog_per_frame;
    uint8_t *at = lmbi_text_room(text, markers->frame_count * (16 * n + 4 * samples));
    for (size_t f = 0; at != NULL && f < markers->frame_count; ++f) {
        add_points(at, w, f * n);
        at += 16 * n;
        for (size_t k = 0; k < samples; ++k, at += 4) {
            put_float(at, markers->analog[f * samples + k]);
        }
    }
    lmbi_text_room(text, (LMBI_C3D_BLOCK - text->size % LMBI_C3D_BLOCK) % LMBI_C3D_BLOCK);
}
/// The step of residuals: the largest residual is 255 steps.
static float scale_of(const lmb_markers *markers, float unit_m)
{
    const size_t count = (size_t)markers->frame_count * markers->marker_count;
    float most = 0;
    for (size_t k = 0; markers->residuals != NULL && k < count; ++k) {
        most = fmaxf(most, markers->residuals[k]);
    }
    return most > 0 ? most / unit_m / 255 : 1;
}

lmb_result lmbi_c3d_write(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    writer w = {.markers = markers, .first = 1};
    lmb_result result = lmbi_marker_frame_of(markers, opts, 0.001f, LMB_AXIS_Z, &w.to, error);
    if (result == LMB_OK && (markers->marker_count > 65535 || markers->marker_count == 0)) {
        result = lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "1 to 65535 markers", "a C3D file with %u",
                           markers->marker_count);
    }
    const uint64_t words = (uint64_t)markers->analog_count * markers->analog_per_frame;
    if (result == LMB_OK && (markers->analog_count > LABELS_A_LIST || words > 65535 ||
                             markers->event_count > LABELS_A_LIST)) {
        result =
            lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "255 analog channels and 255 events at most",
                      "%u channels, %u samples a frame, %u events", markers->analog_count,
                      (unsigned)words, markers->event_count);
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
