#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/mocap/c3d.h"
#include "io/mocap/markers.h"

/// Layout of the frames, from the header and the parameters.
typedef struct layout {
    uint32_t point_count;  ///< a frame, markers and model outputs together
    uint32_t analog_words; ///< a frame
    bool integers;
    float scale; ///< of integer coordinates, and of residuals
    float rate;
    int32_t first_frame;
    uint64_t declared_frames;
    size_t data_at, frame_size; ///< bytes
} layout;

typedef struct reader {
    lmbi_c3d c3d;
    lmbi_arena arena;
    layout layout;
    lmbi_c3d_labels labels;
    lmb_markers draft;
    lmb_markers_info info;
    lmb_error *error;
} reader;

// ----------------------------------------------------------------------------------------- layout

/// Two 16-bit words, the low one first.
static uint64_t frame_number(const lmbi_c3d *c3d, const char *name)
{
    const lmbi_c3d_param *param = lmbi_c3d_find(c3d, "TRIAL", name);
    if (param == NULL || param->type != 2 || param->count < 2) {
        return 0;
    }
    return (uint64_t)lmbi_c3d_number(c3d, param, 0, true, 0) +
           65536 * (uint64_t)lmbi_c3d_number(c3d, param, 1, true, 0);
}

/// The number of frames. The header's 16 bits end at 65535; newer files give more in one of several
/// places.
static void count_frames(reader *r, uint32_t first, uint32_t last)
{
    const lmbi_c3d *c3d = &r->c3d;
    layout *l = &r->layout;
    const uint64_t trial_first = frame_number(c3d, "ACTUAL_START_FIELD");
    const uint64_t trial_last = frame_number(c3d, "ACTUAL_END_FIELD");
    l->first_frame = (int32_t)first;
    l->declared_frames = last >= first ? (uint64_t)last - first + 1 : 0;
    const double said = lmbi_c3d_number(c3d, lmbi_c3d_find(c3d, "POINT", "FRAMES"), 0, true, 0);
    const double many =
        lmbi_c3d_number(c3d, lmbi_c3d_find(c3d, "POINT", "LONG_FRAMES"), 0, true, 0);
    if (trial_first > 0 && trial_last >= trial_first && trial_last <= INT32_MAX) {
        l->first_frame = (int32_t)trial_first;
        l->declared_frames = trial_last - trial_first + 1;
    } else if (many >= 1 && many < 1e9) {
        l->declared_frames = (uint64_t)many;
    } else if (said > (double)l->declared_frames && said < 1e9) {
        l->declared_frames = (uint64_t)said;
    }
}

static lmb_result check_layout(reader *r, const layout *l, double points_said)
{
    if (l->data_at < LMBI_C3D_BLOCK || l->data_at >= r->c3d.size) {
        return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, 16,
                              "the block of the first frame, inside the file", "block %zu of %zu",
                              l->data_at / LMBI_C3D_BLOCK + 1,
                              (r->c3d.size + LMBI_C3D_BLOCK - 1) / LMBI_C3D_BLOCK);
    }
    if (points_said >= 0 && points_said != l->point_count) {
        return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, 2,
                              "as many points in the header as in POINT:USED", "%u and %.0f",
                              l->point_count, points_said);
    }
    if (l->point_count == 0) {
        return lmbi_fail_byte(r->error, LMB_ERROR_UNSUPPORTED, 2, "points",
                              "a C3D file without points");
    }
    if (l->scale == 0 || !isfinite(l->scale)) {
        return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, 12, "a scale of the points", "%g",
                              (double)l->scale);
    }
    return LMB_OK;
}

static float or_zero(float value)
{
    return isfinite(value) && value > 0 && value < 1e6f ? value : 0;
}

static lmb_result read_layout(reader *r)
{
    const lmbi_c3d *c3d = &r->c3d;
    const uint8_t *head = c3d->bytes;
    layout *l = &r->layout;
    l->point_count = lmbi_c3d_u16(c3d, head + 2);
    l->analog_words = lmbi_c3d_u16(c3d, head + 4);
    const double scale = lmbi_c3d_number(c3d, lmbi_c3d_find(c3d, "POINT", "SCALE"), 0, false, 0);
    l->scale = scale != 0 ? (float)scale : lmbi_c3d_float(c3d, head + 12);
    l->integers = l->scale > 0;
    l->scale = fabsf(l->scale);
    const uint32_t block = lmbi_c3d_u16(c3d, head + 16);
    l->data_at = block > 0 ? (size_t)(block - 1) * LMBI_C3D_BLOCK : 0;
    const double rate = lmbi_c3d_number(c3d, lmbi_c3d_find(c3d, "POINT", "RATE"), 0, false, 0);
    l->rate = or_zero((float)rate) > 0 ? (float)rate : or_zero(lmbi_c3d_float(c3d, head + 20));
    l->frame_size = (4 * (size_t)l->point_count + l->analog_words) * (l->integers ? 2 : 4);
    count_frames(r, lmbi_c3d_u16(c3d, head + 6), lmbi_c3d_u16(c3d, head + 8));
    const lmbi_c3d_param *used = lmbi_c3d_find(c3d, "POINT", "USED");
    return check_layout(r, l, lmbi_c3d_number(c3d, used, 0, true, -1));
}

static lmb_result count_what_is_there(reader *r)
{
    const layout *l = &r->layout;
    const uint64_t there = (r->c3d.size - l->data_at) / l->frame_size;
    r->info.declared_frames = l->declared_frames;
    if (there == 0) {
        return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, r->c3d.size, "a frame of points",
                              "%zu bytes of %zu", r->c3d.size - l->data_at, l->frame_size);
    }
    if (there < l->declared_frames || l->declared_frames == 0) {
        lmbi_note(&r->info.notes, 0, "%llu frames are declared and %llu are there: those were read",
                  (unsigned long long)l->declared_frames, (unsigned long long)there);
        r->draft.frame_count = (uint32_t)there;
    } else {
        r->draft.frame_count = (uint32_t)l->declared_frames;
    }
    return LMB_OK;
}

// ----------------------------------------------------------------------------------------- frames

/// Word 4 of a point: cameras in the high byte, residual in the low one; negative when no camera
/// saw it.
static void read_point(reader *r, const uint8_t *at, size_t k)
{
    const lmbi_c3d *c3d = &r->c3d;
    const float scale = r->layout.scale;
    float v[4];
    for (int i = 0; i < 4; ++i) {
        v[i] = r->layout.integers ? (float)lmbi_c3d_i16(c3d, at + 2 * i)
                                  : lmbi_c3d_float(c3d, at + 4 * i);
    }
    const float unit = r->layout.integers ? scale : 1;
    const lmb_vec3 position = {v[0] * unit, v[1] * unit, v[2] * unit};
    r->draft.seen[k] = v[3] >= 0 && lmb_vec3_is_finite(position);
    r->draft.positions[k] = position;
    const uint32_t word = v[3] >= 0 && v[3] < 65536.0f ? (uint32_t)v[3] : 0;
    r->draft.residuals[k] = (float)(word & 255) * scale;
}

static lmb_result read_frames(reader *r)
{
    const layout *l = &r->layout;
    const size_t n = r->draft.marker_count, count = lmbi_size_mul(n, r->draft.frame_count);
    r->draft.positions = lmbi_arena_array(&r->arena, count, sizeof(lmb_vec3));
    r->draft.residuals = lmbi_arena_array(&r->arena, count, sizeof(float));
    r->draft.seen = lmbi_arena_array(&r->arena, count, 1);
    if (r->draft.positions == NULL || r->draft.residuals == NULL || r->draft.seen == NULL) {
        return lmbi_fail_memory(r->error);
    }
    const size_t point_size = l->integers ? 8 : 16;
    for (size_t f = 0; f < r->draft.frame_count; ++f) {
        const uint8_t *frame = r->c3d.bytes + l->data_at + f * l->frame_size;
        for (size_t m = 0; m < n; ++m) {
            read_point(r, frame + r->labels.kept[m] * point_size, f * n + m);
        }
    }
    return LMB_OK;
}

// --------------------------------------------------------------------------------------- together

/// Reads an axis such as "+Z".
static lmb_axis screen_up(const lmbi_c3d *c3d)
{
    const lmbi_word word = lmbi_c3d_text(lmbi_c3d_find(c3d, "POINT", "Y_SCREEN"), 0);
    for (lmb_axis axis = LMB_AXIS_Y; axis <= LMB_AXIS_NEGATIVE_X; ++axis) {
        const char *name = lmb_axis_name(axis);
        if (lmbi_word_is(word, name) || (name[0] == '+' && lmbi_word_is(word, name + 1))) {
            return axis;
        }
    }
    return LMB_AXIS_AUTO;
}

static void collect_facts(reader *r)
{
    static const char *const machines[] = {"Intel", "DEC", "MIPS"};
    lmb_markers_info *info = &r->info;
    const lmbi_c3d *c3d = &r->c3d;
    snprintf(info->encoding, sizeof info->encoding, "%s %s",
             machines[c3d->machine - LMBI_C3D_INTEL], r->layout.integers ? "integers" : "floats");
    info->other_count = r->layout.point_count - r->labels.count;
    if (info->other_count > 0) {
        lmbi_note(&info->notes, 0,
                  "%u points are no markers (angles, forces, centres or unlabelled), the first is "
                  "%.30s: left out",
                  info->other_count, r->labels.other != NULL ? r->labels.other : "");
    }
}

/// Reads analog samples and events.
static lmb_result read_analog_and_events(reader *r)
{
    const layout *l = &r->layout;
    const lmbi_c3d_frames frames = {.data = r->c3d.bytes + l->data_at,
                                    .frame_size = l->frame_size,
                                    .analog_at = (size_t)l->point_count * (l->integers ? 8 : 16),
                                    .analog_words = l->analog_words,
                                    .integers = l->integers};
    const bool ok = lmbi_c3d_read_analog(&r->c3d, &r->arena, &frames, &r->draft) &&
                    lmbi_c3d_read_events(&r->c3d, &r->arena, &r->draft);
    if (ok && l->analog_words > 0 && r->draft.analog_count == 0) {
        lmbi_note(&r->info.notes, 0,
                  "%u analog words a frame, which ANALOG:USED does not explain, were left out",
                  l->analog_words);
    }
    return ok ? LMB_OK : lmbi_fail_memory(r->error);
}

static lmb_result read_all(reader *r, const void *bytes, size_t size)
{
    lmb_result result = lmbi_c3d_open(&r->c3d, &r->arena, bytes, size, &r->info.notes, r->error);
    if (result == LMB_OK) {
        result = read_layout(r);
    }
    if (result == LMB_OK) {
        result = count_what_is_there(r);
    }
    if (result == LMB_OK) {
        const bool named =
            lmbi_c3d_labels_read(&r->c3d, &r->arena, r->layout.point_count, &r->labels);
        r->draft.marker_count = r->labels.count;
        r->draft.names = r->labels.names;
        result = named ? read_frames(r) : lmbi_fail_memory(r->error);
    }
    r->draft.frame_rate = r->layout.rate;
    r->draft.first_frame = r->layout.first_frame;
    return result == LMB_OK ? read_analog_and_events(r) : result;
}

lmb_result lmbi_c3d_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                         const lmb_allocator *alloc, lmb_markers **out, lmb_error *error)
{
    reader r = {.error = error};
    lmbi_arena_init(&r.arena, alloc);
    lmb_result result = read_all(&r, bytes, size);
    if (result == LMB_OK) {
        collect_facts(&r);
        const lmbi_c3d_param *units = lmbi_c3d_find(&r.c3d, "POINT", "UNITS");
        const lmbi_marker_facts facts = {.unit_m = lmbi_unit_of(lmbi_c3d_text(units, 0)),
                                         .up = screen_up(&r.c3d),
                                         .usual_up = LMB_AXIS_Z};
        result = lmbi_markers_finish(&r.draft, &facts, opts, &r.info, alloc, out, error);
    }
    lmbi_arena_free(&r.arena);
    return result;
}
