/// Lines and figures into a picture.
#include "cli/plot.h"

#include <math.h>
#include <string.h>

lmb_vec4 cli_weight_color(float weight)
{
    static const lmb_vec3 stops[5] = {{0.02f, 0.05f, 0.55f},
                                      {0.0f, 0.45f, 0.75f},
                                      {0.05f, 0.60f, 0.10f},
                                      {0.85f, 0.65f, 0.02f},
                                      {0.80f, 0.04f, 0.02f}};
    if (!(weight > 0)) {
        return (lmb_vec4){0.05f, 0.05f, 0.14f, 1};
    }
    const float at = 4.0f * fminf(weight, 1.0f);
    const int stop = at >= 4.0f ? 3 : (int)at;
    const lmb_vec3 c = lmb_vec3_lerp(stops[stop], stops[stop + 1], at - (float)stop);
    return (lmb_vec4){c.x, c.y, c.z, 1};
}

static void dot(lmb_picture p, int x, int y, const uint8_t rgb[3])
{
    if (x >= 0 && y >= 0 && x < (int)p.width && y < (int)p.height) {
        memcpy(p.rgba + 4 * ((size_t)y * p.width + (size_t)x), rgb, 3);
    }
}

void cli_plot_line(lmb_picture p, float x0, float y0, float x1, float y1, int thick,
                   const uint8_t rgb[3])
{
    const float length = fmaxf(fabsf(x1 - x0), fabsf(y1 - y0));
    const int steps = (int)length + 1;
    for (int k = 0; k <= steps; ++k) {
        const float s = (float)k / (float)steps;
        for (int d = 0; d < thick * thick; ++d) {
            dot(p, (int)(x0 + s * (x1 - x0) + 0.5f) + d % thick,
                (int)(y0 + s * (y1 - y0) + 0.5f) + d / thick, rgb);
        }
    }
}

void cli_plot_label(lmb_picture p, int x, int y, const char *text)
{
    static const char glyphs[] = "0123456789e-m.sJ";
    static const uint16_t bits[] = {0x7b6f, 0x2c97, 0x73e7, 0x73cf, 0x5bc9, 0x79cf, 0x79ef, 0x7292,
                                    0x7bef, 0x7bcf, 0x7be7, 0x01c0, 0x0fed, 0x0002, 0x388e, 0x126a};
    static const uint8_t ink[3] = {70, 70, 70};
    for (; *text; ++text, x += 8) {
        const char *at = strchr(glyphs, *text);
        for (int k = 0; at != NULL && k < 15 * 4; ++k) {
            const int bit = k / 4;
            if ((bits[at - glyphs] >> (14 - bit) & 1) != 0) {
                dot(p, x + bit % 3 * 2 + k % 2, y + bit / 3 * 2 + k / 2 % 2, ink);
            }
        }
    }
}
