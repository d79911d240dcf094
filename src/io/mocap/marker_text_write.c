/// Markers as text: TRC, and a table of comma-separated values.
#include <string.h>

#include "io/common.h"
#include "io/mocap/markers.h"

static float frame_rate_or_default(const lmb_markers *markers)
{
    return markers->frame_rate > 0 ? markers->frame_rate : 30;
}

/// Writes a label without characters that would end its cell.
static void add_label(lmbi_text *text, const char *name)
{
    for (; *name != 0; ++name) {
        const bool clean = (unsigned char)*name >= ' ' && *name != ',' && *name != '"';
        lmbi_text_bytes(text, clean ? name : "_", 1);
    }
}

/// Labels that are unique after reading: one that an earlier marker has gets a number.
static bool make_labels(const lmb_markers *markers, lmbi_names *labels, const lmb_allocator *alloc)
{
    lmbi_text text;
    bool ok = true;
    for (uint32_t m = 0; m < markers->marker_count && ok; ++m) {
        for (uint32_t copy = 1; ok && labels->count == m; ++copy) {
            lmbi_text_init(&text, alloc);
            add_label(&text, markers->names[m]);
            if (copy > 1) {
                lmbi_text_format(&text, "_%u", copy);
            }
            ok = !text.failed &&
                 lmbi_names_add(labels, (lmbi_word){(const char *)text.data, text.size}) >= 0;
            lmbi_text_free(&text);
        }
    }
    return ok;
}

/// Writes the time of a frame with all digits, so that the rate can be computed from it.
static void add_time(lmbi_text *text, const lmb_markers *markers, uint32_t frame)
{
    lmbi_text_format(text, "%.6f", (double)frame / (double)frame_rate_or_default(markers));
}

static void add_rows(lmbi_text *text, const lmb_markers *markers, const lmbi_marker_frame *to,
                     const char *delimiter)
{
    for (uint32_t f = 0; f < markers->frame_count; ++f) {
        lmbi_text_int(text, (int64_t)markers->first_frame + f);
        lmbi_text_add(text, delimiter);
        add_time(text, markers, f);
        for (uint32_t m = 0; m < markers->marker_count; ++m) {
            const size_t k = (size_t)f * markers->marker_count + m;
            const lmb_vec3 p = lmbi_marker_file_position(to, markers->positions[k]);
            const float v[3] = {p.x, p.y, p.z};
            for (int i = 0; i < 3; ++i) {
                lmbi_text_add(text, delimiter);
                if (markers->seen[k]) {
                    lmbi_text_float(text, v[i]);
                }
            }
        }
        lmbi_text_add(text, "\n");
    }
}

/// A format of text: a head, and a row a frame.
typedef struct table {
    float unit_m; ///< unless the options have one
    lmb_axis up;
    const char *delimiter;
    /// False when out of memory.
    bool (*add_head)(lmbi_text *text, const lmb_markers *markers, const char *unit,
                     const lmb_allocator *alloc);
} table;

static lmb_result write_table(const table *t, const lmb_markers *markers,
                              const lmb_markers_write_opts *opts, const lmb_allocator *alloc,
                              lmb_buffer *out, lmb_error *error)
{
    lmbi_marker_frame to;
    const lmb_result result = lmbi_marker_frame_of(markers, opts, t->unit_m, t->up, &to, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    if (!t->add_head(&text, markers, to.unit, alloc)) {
        lmbi_text_free(&text);
        return lmbi_fail_memory(error);
    }
    add_rows(&text, markers, &to, t->delimiter);
    return lmbi_buffer_take(&text, out, error);
}

// -------------------------------------------------------------------------------------------- TRC

static bool add_trc_head(lmbi_text *text, const lmb_markers *markers, const char *unit,
                         const lmb_allocator *alloc)
{
    (void)alloc;
    lmbi_text_add(text, "PathFileType\t4\t(X/Y/Z)\t");
    add_label(text, markers->name != NULL ? markers->name : "markers");
    lmbi_text_add(text, ".trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\t"
                        "OrigDataStartFrame\tOrigNumFrames\n");
    lmbi_text_float(text, frame_rate_or_default(markers));
    lmbi_text_add(text, "\t");
    lmbi_text_float(text, frame_rate_or_default(markers));
    lmbi_text_format(text, "\t%u\t%u\t%s\t", markers->frame_count, markers->marker_count, unit);
    lmbi_text_float(text, frame_rate_or_default(markers));
    lmbi_text_format(text, "\t%d\t%u\nFrame#\tTime", markers->first_frame, markers->frame_count);
    for (uint32_t m = 0; m < markers->marker_count; ++m) {
        lmbi_text_add(text, "\t");
        add_label(text, markers->names[m]);
        lmbi_text_add(text, "\t\t");
    }
    lmbi_text_add(text, "\n\t");
    for (uint32_t m = 0; m < markers->marker_count; ++m) {
        lmbi_text_format(text, "\tX%u\tY%u\tZ%u", m + 1, m + 1, m + 1);
    }
    lmbi_text_add(text, "\n\n");
    return true;
}

lmb_result lmbi_trc_write(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    static const table trc = {0.001f, LMB_AXIS_Y, "\t", add_trc_head};
    return write_table(&trc, markers, opts, alloc, out, error);
}

// -------------------------------------------------------------------------------------------- CSV

static bool add_csv_head(lmbi_text *text, const lmb_markers *markers, const char *unit,
                         const lmb_allocator *alloc)
{
    (void)unit;
    lmbi_names labels;
    lmbi_names_init(&labels, alloc);
    const bool ok = make_labels(markers, &labels, alloc);
    lmbi_text_add(text, "frame,time");
    for (uint32_t m = 0; ok && m < markers->marker_count; ++m) {
        for (int i = 0; i < 3; ++i) {
            lmbi_text_add(text, ",");
            lmbi_text_add(text, labels.items[m]);
            lmbi_text_format(text, " %c", "xyz"[i]);
        }
    }
    lmbi_names_free(&labels);
    lmbi_text_add(text, "\n");
    return ok;
}

lmb_result lmbi_marker_csv_write(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                                 const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    static const table csv = {1, LMB_AXIS_Y, ",", add_csv_head};
    return write_table(&csv, markers, opts, alloc, out, error);
}
