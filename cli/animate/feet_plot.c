/// Feet and hips before and after, as a picture.
#include "cli/animate/feet_compare.h"
#include "cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 960, TALL = 130, LOW = 56, MAP = 300, GAP = 24, LEFT = 60 };

#define LOW_M 0.025f
#define SLOW_M_S 0.15f

/// Horizontal speed between the frame before and this one, of a track's 60 a second; metres a second.
static float speed_at(const lmb_vec3 *path, uint32_t frame)
{
    const float x = path[frame].x - path[frame - 1].x, z = path[frame].z - path[frame - 1].z;
    return 60 * sqrtf(x * x + z * z);
}

static const uint8_t grey[3] = {170, 170, 170}, frame[3] = {215, 215, 215},
                     colors[2][3] = {{40, 110, 200}, {214, 80, 40}}, green[3] = {60, 150, 70};

typedef struct sheet {
    lmb_picture p;
    const lmb_feet_track *tracks; ///< [2]
    uint32_t longest;
    int feet, panel; ///< how many feet, and how high a panel is
} sheet;

static float panel_top(const sheet *s, int panel)
{
    return (float)(GAP + panel * (s->panel + GAP));
}

static void draw_frame(const sheet *s, float top, float height, const char *most)
{
    const float right = (float)(WIDTH - GAP);
    cli_plot_line(s->p, (float)LEFT, top, right, top, 1, frame);
    cli_plot_line(s->p, (float)LEFT, top + height, right, top + height, 1, frame);
    cli_plot_line(s->p, (float)LEFT, top, (float)LEFT, top + height, 1, frame);
    cli_plot_label(s->p, LEFT - 8 - 8 * (int)strlen(most), (int)top - 5, most);
}

static float time_x(const sheet *s, uint32_t f)
{
    return (float)LEFT + (float)f / (float)s->longest * (float)(WIDTH - GAP - LEFT);
}

/// Height (up to 0.3 m) or speed (up to 2 m/s) of one foot over time.
static void draw_curve(const sheet *s, int side, int foot, bool speed, int thick,
                       const uint8_t rgb[3])
{
    const lmb_feet_track *t = &s->tracks[side];
    const float top = panel_top(s, 2 * foot + speed);
    float x0 = 0, y0 = 0;
    for (uint32_t f = 1; f < t->frame_count && foot < (int)t->foot_count; ++f) {
        const float value = speed ? speed_at(t->paths[foot], f) / 2
                                  : (t->paths[foot][f].y - t->floor_m[foot]) / 0.3f;
        const float x = time_x(s, f),
                    y = top + (float)s->panel * (1 - fminf(fmaxf(value, -0.05f), 1));
        if (f > 1) {
            cli_plot_line(s->p, x0, y0, x, y, thick, rgb);
        }
        x0 = x;
        y0 = y;
    }
}

/// A bar under the heights where the foot stands: low and slow.
static void draw_contacts(const sheet *s, int foot)
{
    const lmb_feet_track *t = &s->tracks[1];
    const float y = panel_top(s, 2 * foot) + (float)s->panel + 6;
    for (uint32_t f = 1; f < t->frame_count && foot < (int)t->foot_count; ++f) {
        if (t->paths[foot][f].y - t->floor_m[foot] < LOW_M &&
            speed_at(t->paths[foot], f) < SLOW_M_S) {
            cli_plot_line(s->p, time_x(s, f), y, time_x(s, f) + 1, y, 3, green);
        }
    }
}

static void draw_way(const sheet *s, int side, lmb_box box, const uint8_t rgb[3])
{
    const lmb_feet_track *t = &s->tracks[side];
    const float top = panel_top(s, 2 * s->feet), width = (float)(WIDTH - GAP - LEFT);
    const float spread = fmaxf(
        fmaxf((box.high.x - box.low.x) / width, (box.high.z - box.low.z) / (float)MAP), 1e-4f);
    for (uint32_t f = 1; f < t->frame_count; ++f) {
        const lmb_vec3 a = t->hips[f - 1], b = t->hips[f];
        cli_plot_line(s->p, (float)LEFT + (a.x - box.low.x) / spread,
                      top + (a.z - box.low.z) / spread, (float)LEFT + (b.x - box.low.x) / spread,
                      top + (b.z - box.low.z) / spread, 2, rgb);
    }
}

static void draw_all(const sheet *s)
{
    lmb_box box = lmb_box_empty();
    for (int k = 0; k < 2; ++k) {
        for (uint32_t f = 0; f < s->tracks[k].frame_count; ++f) {
            box = lmb_box_add(box, s->tracks[k].hips[f]);
        }
    }
    for (int panel = 0; panel < 2 * s->feet; ++panel) {
        draw_frame(s, panel_top(s, panel), (float)s->panel, panel % 2 == 0 ? "300mm" : "2m");
    }
    draw_frame(s, panel_top(s, 2 * s->feet), (float)MAP, "");
    for (int k = 0; k < 2; ++k) {
        for (int foot = 0; foot < s->feet; ++foot) {
            const uint8_t *rgb = k == 0 ? grey : colors[s->tracks[k].is_right[foot] ? 1 : 0];
            draw_curve(s, k, foot, false, 1 + k, rgb);
            draw_curve(s, k, foot, true, 1 + k, rgb);
        }
        draw_way(s, k, box, k == 0 ? grey : green);
    }
    for (int foot = 0; foot < s->feet; ++foot) {
        draw_contacts(s, foot);
    }
}

cli_exit cli_feet_draw(const cli_run *cli, const lmb_feet_track tracks[2], const char *path)
{
    sheet s = {.tracks = tracks};
    s.longest = tracks[0].frame_count > tracks[1].frame_count ? tracks[0].frame_count
                                                              : tracks[1].frame_count;
    s.feet = (int)(tracks[0].foot_count > tracks[1].foot_count ? tracks[0].foot_count
                                                               : tracks[1].foot_count);
    s.panel = s.feet > 2 ? LOW : TALL;
    const int height = 2 * s.feet * (s.panel + GAP) + MAP + 2 * GAP;
    s.p =
        (lmb_picture){WIDTH, (uint32_t)height, cli_resize(NULL, (size_t)WIDTH * (size_t)height, 4)};
    memset(s.p.rgba, 255, (size_t)WIDTH * (size_t)height * 4);
    draw_all(&s);
    const cli_exit code = cli_png_write(cli, s.p, path);
    free(s.p.rgba);
    return code;
}
