/// How well a simulation holds together, as a picture.
#include "plot.h"
#include "simulate.h"

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

/// Kinetic energy in joules, separation and penetration in millimetres, excess in degrees.
static float value_of(const simulate_moment *m, int curve)
{
    switch (curve) {
    case 0:
        return m->kinetic;
    case 1:
        return 1e3f * m->separation;
    case 2:
        return 1e3f * m->penetration;
    default:
        return m->excess_rad * 57.29578f;
    }
}

cli_exit simulate_plot(const cli_run *cli, const char *path, const simulate_moment *moments,
                       uint32_t count)
{
    static const uint8_t colors[4][3] = {
        {60, 150, 70}, {214, 80, 40}, {40, 110, 200}, {150, 70, 170}};
    const axes a = {{WIDTH, HEIGHT, cli_resize(NULL, (size_t)WIDTH * HEIGHT, 4)},
                    fmaxf(moments[count - 1].time_s, 1e-3f)};
    memset(a.picture.rgba, 255, (size_t)WIDTH * HEIGHT * 4);
    draw_grid(&a);
    for (uint32_t f = 0; f + 1 < count; ++f) {
        for (int k = 0; k < 4; ++k) {
            cli_plot_line(a.picture, x_of(&a, moments[f].time_s), y_of(value_of(&moments[f], k)),
                          x_of(&a, moments[f + 1].time_s), y_of(value_of(&moments[f + 1], k)), 2,
                          colors[k]);
        }
    }
    cli_bytes png = {0};
    cli_exit code = cli_png_encode(cli, a.picture, &png);
    if (code == CLI_DONE) {
        code = cli_bytes_write(path, png.data, png.size);
    }
    free(png.data);
    free(a.picture.rgba);
    return code;
}
