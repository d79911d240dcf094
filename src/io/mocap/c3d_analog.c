/// Analog samples and events of a C3D file.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "io/mocap/c3d.h"

// --------------------------------------------------------------------------------------- channels

/// Item k of a parameter, or the last one where there are fewer: some files give one value for all.
static double item(const lmbi_c3d *c3d, const lmbi_c3d_param *param, uint32_t k, double otherwise)
{
    if (param == NULL || param->count == 0) {
        return otherwise;
    }
    const double value =
        lmbi_c3d_number(c3d, param, k < param->count ? k : param->count - 1, false, otherwise);
    return isfinite(value) ? value : otherwise;
}

/// Label k of the lists LABELS, LABELS2 and so on, which continue each other.
static lmbi_word label(const lmbi_c3d *c3d, const char *name, uint32_t k)
{
    char list[24];
    for (unsigned number = 1; number < 1000; ++number) {
        if (number > 1) {
            snprintf(list, sizeof list, "%s%u", name, number);
        } else {
            snprintf(list, sizeof list, "%s", name);
        }
        const lmbi_c3d_param *param = lmbi_c3d_find(c3d, "ANALOG", list);
        const uint32_t count = param != NULL ? lmbi_c3d_text_count(param) : 0;
        if (param == NULL || k < count) {
            return param != NULL ? lmbi_c3d_text(param, k) : (lmbi_word){NULL, 0};
        }
        k -= count;
    }
    return (lmbi_word){NULL, 0};
}

static bool name_channels(const lmbi_c3d *c3d, lmbi_arena *arena, lmb_markers *draft)
{
    const uint32_t count = draft->analog_count;
    draft->analog_names = lmbi_arena_array(arena, count, sizeof(char *));
    draft->analog_units = lmbi_arena_array(arena, count, sizeof(char *));
    if (draft->analog_names == NULL || draft->analog_units == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count; ++k) {
        char made[24];
        lmbi_word name = label(c3d, "LABELS", k);
        const lmbi_word unit = label(c3d, "UNITS", k);
        if (name.size == 0) {
            snprintf(made, sizeof made, "channel %u", k + 1);
            name = (lmbi_word){made, strlen(made)};
        }
        draft->analog_names[k] = lmbi_arena_string(arena, name.at, name.size);
        draft->analog_units[k] =
            lmbi_arena_string(arena, unit.at != NULL ? unit.at : "", unit.size);
        if (draft->analog_names[k] == NULL || draft->analog_units[k] == NULL) {
            return false;
        }
    }
    return true;
}

/// value = (raw - OFFSET) * SCALE * GEN_SCALE.
static void read_samples(const lmbi_c3d *c3d, const lmbi_c3d_frames *frames, lmb_markers *draft)
{
    const lmbi_c3d_param *scales = lmbi_c3d_find(c3d, "ANALOG", "SCALE");
    const lmbi_c3d_param *offsets = lmbi_c3d_find(c3d, "ANALOG", "OFFSET");
    const double general = item(c3d, lmbi_c3d_find(c3d, "ANALOG", "GEN_SCALE"), 0, 1);
    const bool is_unsigned =
        lmbi_word_is(lmbi_c3d_text(lmbi_c3d_find(c3d, "ANALOG", "FORMAT"), 0), "UNSIGNED");
    const uint32_t n = draft->analog_count;
    const size_t rows = (size_t)draft->analog_per_frame * draft->frame_count;
    const size_t width = frames->integers ? 2 : 4;
    for (uint32_t c = 0; c < n; ++c) {
        const double scale = item(c3d, scales, c, 1) * general;
        double offset = item(c3d, offsets, c, 0);
        offset = is_unsigned && offset < 0 ? offset + 65536 : offset;
        for (size_t r = 0; r < rows; ++r) {
            const uint8_t *at = frames->data + r / draft->analog_per_frame * frames->frame_size +
                                frames->analog_at + (r % draft->analog_per_frame * n + c) * width;
            const double raw = !frames->integers ? (double)lmbi_c3d_float(c3d, at)
                               : is_unsigned     ? (double)lmbi_c3d_u16(c3d, at)
                                                 : (double)lmbi_c3d_i16(c3d, at);
            const float value = (float)((raw - offset) * scale);
            draft->analog[r * n + c] = isfinite(value) ? value : 0;
        }
    }
}

bool lmbi_c3d_read_analog(const lmbi_c3d *c3d, lmbi_arena *arena, const lmbi_c3d_frames *frames,
                          lmb_markers *draft)
{
    const double used = lmbi_c3d_number(c3d, lmbi_c3d_find(c3d, "ANALOG", "USED"), 0, true, 0);
    const uint32_t words = frames->analog_words;
    const uint32_t count = used >= 1 && used <= words ? (uint32_t)used : 0;
    if (count == 0 || words % count != 0) {
        return true; // the file does not say what the words of a frame are
    }
    draft->analog_count = count;
    draft->analog_per_frame = words / count;
    draft->analog =
        lmbi_arena_array(arena, lmbi_size_mul(words, draft->frame_count), sizeof *draft->analog);
    if (draft->analog == NULL || !name_channels(c3d, arena, draft)) {
        return false;
    }
    read_samples(c3d, frames, draft);
    return true;
}

// ------------------------------------------------------------------------------------------ events

static bool add_event(lmbi_arena *arena, lmb_markers *draft, lmbi_word name, lmbi_word context,
                      double time_s)
{
    if (!(fabs(time_s) < 1e9)) {
        return true;
    }
    lmb_marker_event *event = &draft->events[draft->event_count];
    event->name = lmbi_arena_string(arena, name.size > 0 ? name.at : "", name.size);
    event->context = lmbi_arena_string(arena, context.size > 0 ? context.at : "", context.size);
    event->time_s = (float)time_s;
    draft->event_count += event->name != NULL && event->context != NULL;
    return event->name != NULL && event->context != NULL;
}

/// EVENT:TIMES gives minutes and seconds, relative to frame 1.
static bool read_group(const lmbi_c3d *c3d, lmbi_arena *arena, double begin_s, lmb_markers *draft)
{
    const lmbi_c3d_param *times = lmbi_c3d_find(c3d, "EVENT", "TIMES");
    const lmbi_c3d_param *labels = lmbi_c3d_find(c3d, "EVENT", "LABELS");
    const lmbi_c3d_param *contexts = lmbi_c3d_find(c3d, "EVENT", "CONTEXTS");
    const uint32_t count = times != NULL && times->first == 2 ? times->count / 2 : 0;
    const double used = lmbi_c3d_number(c3d, lmbi_c3d_find(c3d, "EVENT", "USED"), 0, true, count);
    draft->events = lmbi_arena_array(arena, count, sizeof *draft->events);
    bool made = draft->events != NULL;
    for (uint32_t k = 0; made && k < count && k < used; ++k) {
        const double minutes = lmbi_c3d_number(c3d, times, 2 * k, false, 0);
        const double seconds = lmbi_c3d_number(c3d, times, 2 * k + 1, false, 0);
        made = add_event(arena, draft, lmbi_c3d_text(labels, k), lmbi_c3d_text(contexts, k),
                         60 * minutes + seconds - begin_s);
    }
    return made;
}

enum { HEADER_KEY = 12345, HEADER_EVENTS = 18 };

/// Older files have up to 18 events with names of four letters in the header: word 150 is a key,
/// 151 their number, times start at word 153, names at 199.
static bool read_header(const lmbi_c3d *c3d, lmbi_arena *arena, double begin_s, lmb_markers *draft)
{
    const uint8_t *head = c3d->bytes;
    const uint32_t count = lmbi_c3d_u16(c3d, head + 2 * 150);
    if (lmbi_c3d_u16(c3d, head + 2 * 149) != HEADER_KEY || count > HEADER_EVENTS) {
        return true;
    }
    draft->events = lmbi_arena_array(arena, count, sizeof *draft->events);
    bool made = draft->events != NULL;
    for (uint32_t k = 0; made && k < count; ++k) {
        const char *name = (const char *)head + 2 * 198 + 4 * (size_t)k;
        size_t size = 4;
        while (size > 0 && (name[size - 1] == ' ' || name[size - 1] == 0)) {
            --size;
        }
        made = add_event(arena, draft, (lmbi_word){name, size}, (lmbi_word){NULL, 0},
                         (double)lmbi_c3d_float(c3d, head + 2 * 152 + 4 * (size_t)k) - begin_s);
    }
    return made;
}

bool lmbi_c3d_read_events(const lmbi_c3d *c3d, lmbi_arena *arena, lmb_markers *draft)
{
    const double rate = (double)draft->frame_rate;
    const double begin_s = rate > 0 ? (draft->first_frame - 1) / rate : 0;
    return lmbi_c3d_find(c3d, "EVENT", "TIMES") != NULL ? read_group(c3d, arena, begin_s, draft)
                                                        : read_header(c3d, arena, begin_s, draft);
}
