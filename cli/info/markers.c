#include "cli/files/markers.h"

/// What one marker does over the whole recording.
typedef struct marker_survey {
    uint32_t seen, gaps, longest_gap; ///< frames, runs, frames
    lmb_box box;
} marker_survey;

static marker_survey survey_marker(const lmb_markers *markers, uint32_t marker)
{
    marker_survey s = {.box = lmb_box_empty()};
    uint32_t run = 0;
    for (uint32_t f = 0; f < markers->frame_count; ++f) {
        const size_t k = (size_t)f * markers->marker_count + marker;
        if (markers->seen[k]) {
            s.box = lmb_box_add(s.box, markers->positions[k]);
            ++s.seen;
            run = 0;
        } else {
            s.gaps += run == 0;
            ++run;
            s.longest_gap = run > s.longest_gap ? run : s.longest_gap;
        }
    }
    return s;
}

/// The range of one analog channel.
typedef struct channel_survey {
    float low, high;
} channel_survey;

static channel_survey survey_channel(const lmb_markers *markers, uint32_t channel)
{
    const size_t n = markers->analog_count;
    const size_t rows = (size_t)markers->frame_count * markers->analog_per_frame;
    channel_survey s = {0, 0};
    for (size_t r = 0; r < rows; ++r) {
        const float value = markers->analog[r * n + channel];
        s.low = r == 0 || value < s.low ? value : s.low;
        s.high = r == 0 || value > s.high ? value : s.high;
    }
    return s;
}

static lmb_box box_of(const lmb_markers *markers)
{
    lmb_box box = lmb_box_empty();
    const size_t count = (size_t)markers->frame_count * markers->marker_count;
    for (size_t k = 0; k < count; ++k) {
        box = markers->seen[k] ? lmb_box_add(box, markers->positions[k]) : box;
    }
    return box;
}

static double duration_of(const lmb_markers *markers)
{
    return markers->frame_rate > 0 && markers->frame_count > 0
               ? (markers->frame_count - 1) / (double)markers->frame_rate
               : 0;
}

static void print_marker(const lmb_markers *markers, uint32_t m)
{
    const marker_survey s = survey_marker(markers, m);
    cli_print("%-14s %4u %s, seen in %u frames", "", m, markers->names[m], s.seen);
    if (s.gaps > 0) {
        cli_print(", %u gap%s, the longest of %u", s.gaps, s.gaps == 1 ? "" : "s", s.longest_gap);
    }
    putchar('\n');
}

static void print_text(const cli_run *cli, const lmb_markers *markers, const cli_source *source)
{
    const lmb_markers_info *info = &source->markers;
    char size[32];
    cli_print("%-14s %s, %s bytes\n", "format", cli_format_name(source->format),
              cli_grouped(source->size, size));
    cli_print("%-14s %s, %g m a unit%s, %s up%s\n", "conventions", info->encoding,
              (double)info->unit_m, info->unit_guessed ? " (guessed)" : "", lmb_axis_name(info->up),
              info->up_guessed ? " (guessed)" : "");
    const lmb_box box = box_of(markers);
    if (box.low.x <= box.high.x) {
        cli_print("%-14s x %g to %g, y %g to %g, z %g to %g\n", "bounds", (double)box.low.x,
                  (double)box.high.x, (double)box.low.y, (double)box.high.y, (double)box.low.z,
                  (double)box.high.z);
    }
    cli_print("%-14s %u, %u frames from %d on", "markers", markers->marker_count,
              markers->frame_count, markers->first_frame);
    if (markers->frame_rate > 0) {
        cli_print(", %g Hz, %g s", (double)markers->frame_rate, duration_of(markers));
    }
    cli_print(", %u positions not seen\n", info->gap_count);
    for (uint32_t m = 0; cli->verbose > 0 && m < markers->marker_count; ++m) {
        print_marker(markers, m);
    }
    if (markers->analog_count > 0) {
        cli_print("%-14s %u channels at %g Hz\n", "analog", markers->analog_count,
                  (double)(markers->frame_rate * (float)markers->analog_per_frame));
    }
    for (uint32_t c = 0; cli->verbose > 0 && c < markers->analog_count; ++c) {
        const channel_survey s = survey_channel(markers, c);
        cli_print("%-14s %4u %s, %g to %g %s\n", "", c, markers->analog_names[c], (double)s.low,
                  (double)s.high, markers->analog_units[c]);
    }
    for (uint32_t e = 0; e < markers->event_count; ++e) {
        const lmb_marker_event *event = &markers->events[e];
        cli_print("%-14s %g s: %s%s%s\n", e == 0 ? "events" : "", (double)event->time_s,
                  event->context, event->context[0] != 0 ? " " : "", event->name);
    }
}

static void json_marker(cli_json *json, const lmb_markers *markers, uint32_t m)
{
    const marker_survey s = survey_marker(markers, m);
    cli_json_begin(json, NULL, '{');
    cli_json_text(json, "name", markers->names[m]);
    cli_json_integer(json, "seen", s.seen);
    cli_json_integer(json, "gaps", s.gaps);
    cli_json_integer(json, "longest_gap", s.longest_gap);
    if (s.seen > 0) {
        cli_json_vec3(json, "low", s.box.low);
        cli_json_vec3(json, "high", s.box.high);
    }
    cli_json_end(json, '}');
}

static void json_analog(cli_json *json, const lmb_markers *markers)
{
    cli_json_integer(json, "analog_per_frame", markers->analog_per_frame);
    cli_json_begin(json, "analog", '[');
    for (uint32_t c = 0; c < markers->analog_count; ++c) {
        const channel_survey s = survey_channel(markers, c);
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "name", markers->analog_names[c]);
        cli_json_text(json, "unit", markers->analog_units[c]);
        cli_json_number(json, "low", s.low);
        cli_json_number(json, "high", s.high);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
    cli_json_begin(json, "events", '[');
    for (uint32_t e = 0; e < markers->event_count; ++e) {
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "name", markers->events[e].name);
        cli_json_text(json, "context", markers->events[e].context);
        cli_json_number(json, "time_s", markers->events[e].time_s);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

static void print_json(const char *path, const lmb_markers *markers, const cli_source *source)
{
    const lmb_markers_info *info = &source->markers;
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "file", path);
    cli_json_text(&json, "format", cli_format_name(source->format));
    cli_json_integer(&json, "bytes", (int64_t)source->size);
    cli_json_text(&json, "encoding", info->encoding);
    cli_json_number(&json, "unit_m", info->unit_m);
    cli_json_bool(&json, "unit_guessed", info->unit_guessed);
    cli_json_text(&json, "up", lmb_axis_name(info->up));
    cli_json_bool(&json, "up_guessed", info->up_guessed);
    cli_json_integer(&json, "frames", markers->frame_count);
    cli_json_integer(&json, "first_frame", markers->first_frame);
    cli_json_number(&json, "frame_rate", markers->frame_rate);
    cli_json_number(&json, "duration_s", (float)duration_of(markers));
    cli_json_integer(&json, "positions_not_seen", info->gap_count);
    cli_json_integer(&json, "points_left_out", info->other_count);
    cli_json_integer(&json, "analog_channels", markers->analog_count);
    cli_json_begin(&json, "markers", '[');
    for (uint32_t m = 0; m < markers->marker_count; ++m) {
        json_marker(&json, markers, m);
    }
    cli_json_end(&json, ']');
    json_analog(&json, markers);
    cli_json_end(&json, '}');
}

void cli_markers_print(const cli_run *cli, const char *path, const lmb_markers *markers,
                       const cli_source *source)
{
    if (cli->json) {
        print_json(path, markers, source);
    } else {
        print_text(cli, markers, source);
    }
}
