/// Measures of a simulation per frame, as JSON and as a plot.
#include "cli/plot.h"
#include "cli/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 760, HEIGHT = 460, LEFT = 70, RIGHT = 20, TOP = 20, BOTTOM = 40, DECADES = 8 };

typedef struct axes {
    lmb_picture picture;
    float seconds;
} axes;

static float x_of(const axes *a, float time_s)
{
    return (float)LEFT + time_s / a->seconds * (float)(WIDTH - LEFT - RIGHT);
}

/// Logarithmic: from ten thousand at the top to a ten thousandth.
static float y_of(float value)
{
    const float exponent = log10f(fminf(fmaxf(value, 1e-4f), 1e4f));
    return (float)TOP + (4.0f - exponent) / (float)DECADES * (float)(HEIGHT - TOP - BOTTOM);
}

static void draw_grid(const axes *a)
{
    static const uint8_t grey[3] = {222, 222, 222};
    static const char *const marks[DECADES + 1] = {"1e4", "1e3",  "100",  "10",  "1",
                                                   "0.1", "0.01", "1e-3", "1e-4"};
    for (int k = 0; k <= DECADES; ++k) {
        const float y = y_of(powf(10.0f, (float)(4 - k)));
        cli_plot_line(a->picture, (float)LEFT, y, (float)(WIDTH - RIGHT), y, 1, grey);
        cli_plot_label(a->picture, LEFT - 8 - 8 * (int)strlen(marks[k]), (int)y - 5, marks[k]);
    }
    const float step = a->seconds > 20 ? ceilf(a->seconds / 10) : (a->seconds > 5 ? 1.0f : 0.5f);
    char text[32];
    for (float s = 0; s <= a->seconds * 1.0001f; s += step) {
        const float x = x_of(a, s);
        cli_plot_line(a->picture, x, (float)TOP, x, (float)(HEIGHT - BOTTOM), 1, grey);
        snprintf(text, sizeof text, "%gs", (double)s);
        cli_plot_label(a->picture, (int)x - 4 * (int)strlen(text), HEIGHT - BOTTOM + 10, text);
    }
}

static void draw_curve(const axes *a, const simulate_tracks *t, const simulate_track *track,
                       const uint8_t color[3])
{
    for (uint32_t f = 0; f + 1 < t->frame_count; ++f) {
        const float from_s = (float)(f / t->fps), to_s = (float)((f + 1) / t->fps);
        cli_plot_line(a->picture, x_of(a, from_s), y_of(track->scale * track->values[f]),
                      x_of(a, to_s), y_of(track->scale * track->values[f + 1]), 2, color);
    }
}

cli_exit simulate_tracks_plot(const cli_run *cli, const char *path, const simulate_tracks *t)
{
    static const uint8_t colors[SIMULATE_CURVES][3] = {
        {60, 150, 70}, {214, 80, 40}, {40, 110, 200}, {150, 70, 170}};
    static const char *const names[SIMULATE_CURVES] = {"green", "red", "blue", "violet"};
    const axes a = {{WIDTH, HEIGHT, cli_resize(NULL, (size_t)WIDTH * HEIGHT, 4)},
                    fmaxf((float)((t->frame_count - 1) / t->fps), 1e-3f)};
    memset(a.picture.rgba, 255, (size_t)WIDTH * HEIGHT * 4);
    draw_grid(&a);
    for (uint32_t k = 0, curve = 0; k < t->count && curve < SIMULATE_CURVES; ++k) {
        if (t->items[k].label != NULL) {
            draw_curve(&a, t, &t->items[k], colors[curve]);
            cli_say(cli, "plot", "%s: %s", names[curve++], t->items[k].label);
        }
    }
    const cli_exit code = cli_png_write(cli, a.picture, path);
    free(a.picture.rgba);
    return code;
}

// ------------------------------------------------------------------------------------------ tracks

simulate_tracks simulate_tracks_start(uint32_t frame_count, double fps)
{
    return (simulate_tracks){.frame_count = frame_count, .fps = fps};
}

float *simulate_track_add(simulate_tracks *t, const char *name, const char *label, float scale)
{
    float *values = cli_resize(NULL, t->frame_count, sizeof *values);
    memset(values, 0, t->frame_count * sizeof *values);
    t->items[t->count++] = (simulate_track){name, label, scale, values};
    return values;
}

float simulate_track_most(const simulate_tracks *t, uint32_t index)
{
    float most = 0;
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        most = fmaxf(most, t->items[index].values[f]);
    }
    return most;
}

static void write_row(cli_json *json, const char *name, const float *values, uint32_t count)
{
    cli_json_begin(json, name, '[');
    for (uint32_t f = 0; f < count; ++f) {
        cli_json_number(json, NULL, values[f]);
    }
    cli_json_end(json, ']');
}

void simulate_tracks_write(cli_json *json, const simulate_tracks *t)
{
    float *times = cli_resize(NULL, t->frame_count, sizeof *times);
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        times[f] = (float)(f / t->fps);
    }
    cli_json_begin(json, "moments", '{');
    write_row(json, "time_s", times, t->frame_count);
    for (uint32_t k = 0; k < t->count; ++k) {
        write_row(json, t->items[k].name, t->items[k].values, t->frame_count);
    }
    cli_json_end(json, '}');
    free(times);
}

void simulate_tracks_end(simulate_tracks *t)
{
    for (uint32_t k = 0; k < t->count; ++k) {
        free(t->items[k].values);
    }
}
