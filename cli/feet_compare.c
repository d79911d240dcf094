/// Feet and hips before and after, in numbers and as a picture.
#include "feet_compare.h"
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 960, PANEL = 130, PANELS = 4, MAP = 300, GAP = 24, LEFT = 60 };
enum { HEIGHT = PANELS * (PANEL + GAP) + MAP + 2 * GAP };

#define LOW_M 0.025f ///< on a body of 1.75 m

/// One clip, sampled at 60 Hz.
typedef struct track {
    uint32_t count;
    float floor[2];
    lmb_vec3 *feet[2], *hips; ///< metres of a body of 1.75 m
} track;

static bool foot_joints(const lmb_joint_map *map, int32_t feet[2])
{
    for (int k = 0; k < 2; ++k) {
        const int toes = k == 0 ? LMB_SLOT_LEFT_TOES : LMB_SLOT_RIGHT_TOES;
        feet[k] = map->slots[toes].joint >= 0 ? map->slots[toes].joint : map->slots[toes - 1].joint;
    }
    return feet[0] >= 0 && feet[1] >= 0 && map->slots[LMB_SLOT_HIPS].joint >= 0;
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// The height that a foot is hardly ever under: of 50 frames one.
static float floor_of(const lmb_vec3 *path, uint32_t count)
{
    float *heights = cli_resize(NULL, count, sizeof *heights);
    for (uint32_t f = 0; f < count; ++f) {
        heights[f] = path[f].y;
    }
    qsort(heights, count, sizeof *heights, by_size);
    const float low = heights[count / 50];
    free(heights);
    return low;
}

/// How many metres of a body of 1.75 m a unit is: by the heights of what hangs from the hips.
static float size_of(const lmb_skeleton *skeleton, const lmb_mat4 *model, int32_t hips)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        int32_t above = (int32_t)j;
        while (above > hips) {
            above = skeleton->parents[above];
        }
        if (above == hips) {
            low = fminf(low, lmb_mat4_translation(model[j]).y);
            high = fmaxf(high, lmb_mat4_translation(model[j]).y);
        }
    }
    return high > low ? 1.75f / (high - low) : 1;
}

static void take_track(const cli_feet_side *side, const int32_t feet[2], int32_t hips, track *out)
{
    const lmb_skeleton *skeleton = side->character->skeleton;
    const uint32_t n = skeleton->joint_count;
    lmb_transform *pose = cli_resize(NULL, n, sizeof *pose);
    lmb_mat4 *model = cli_resize(NULL, n, sizeof *model);
    const double frames = ((double)lmb_clip_duration_s(side->clip) - side->begin_s) * 60 + 1;
    float size = 1;
    out->count = frames < 1e7 ? (frames > 1 ? (uint32_t)frames : 1) : 10000000;
    out->hips = cli_resize(NULL, out->count, sizeof *out->hips);
    out->feet[0] = cli_resize(NULL, out->count, sizeof *out->hips);
    out->feet[1] = cli_resize(NULL, out->count, sizeof *out->hips);
    for (uint32_t f = 0; f < out->count; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = side->clip,
                                     .time_s = side->begin_s + f / 60.0,
                                     .joint_count = n,
                                     .rest = skeleton->rest,
                                     .pose = pose});
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = skeleton, .local = pose, .model_from_joint = model});
        size = f == 0 ? size_of(skeleton, model, hips) : size;
        out->hips[f] = lmb_vec3_scale(lmb_mat4_translation(model[hips]), size);
        out->feet[0][f] = lmb_vec3_scale(lmb_mat4_translation(model[feet[0]]), size);
        out->feet[1][f] = lmb_vec3_scale(lmb_mat4_translation(model[feet[1]]), size);
    }
    out->floor[0] = floor_of(out->feet[0], out->count);
    out->floor[1] = floor_of(out->feet[1], out->count);
    free(pose);
    free(model);
}

static void free_track(track *t)
{
    free(t->hips);
    free(t->feet[0]);
    free(t->feet[1]);
}

static float ground_speed(const lmb_vec3 *path, uint32_t f)
{
    const float x = path[f].x - path[f - 1].x, z = path[f].z - path[f - 1].z;
    return 60 * sqrtf(x * x + z * z);
}

static cli_feet_measure measure(const track *t)
{
    cli_feet_measure m = {.feet = 2};
    uint32_t low = 0;
    for (uint32_t f = 1; f < t->count; ++f) {
        m.hips_path_m += ground_speed(t->hips, f) / 60;
        for (int k = 0; k < 2; ++k) {
            if (t->feet[k][f].y - t->floor[k] < LOW_M) {
                m.slide_m_s += ground_speed(t->feet[k], f);
                ++low;
            }
        }
    }
    m.slide_m_s = low > 0 ? m.slide_m_s / (float)low : 0;
    return m;
}

// ------------------------------------------------------------------------------------- the picture

static const uint8_t grey[3] = {170, 170, 170}, frame[3] = {215, 215, 215},
                     colors[2][3] = {{40, 110, 200}, {214, 80, 40}}, green[3] = {60, 150, 70};

static float panel_top(int panel)
{
    return (float)(GAP + panel * (PANEL + GAP));
}

static void draw_frame(lmb_picture p, float top, float height, const char *most)
{
    const float right = (float)(WIDTH - GAP);
    cli_plot_line(p, (float)LEFT, top, right, top, 1, frame);
    cli_plot_line(p, (float)LEFT, top + height, right, top + height, 1, frame);
    cli_plot_line(p, (float)LEFT, top, (float)LEFT, top + height, 1, frame);
    cli_plot_label(p, LEFT - 8 - 8 * (int)strlen(most), (int)top - 5, most);
}

static float time_x(uint32_t f, uint32_t longest)
{
    return (float)LEFT + (float)f / (float)longest * (float)(WIDTH - GAP - LEFT);
}

/// Height (up to 0.3 m) or speed (up to 2 m/s) of one foot over time.
static void draw_curve(lmb_picture p, const track *t, int foot, bool speed, uint32_t longest,
                       int thick, const uint8_t rgb[3])
{
    const float top = panel_top(2 * foot + speed);
    float x0 = 0, y0 = 0;
    for (uint32_t f = 1; f < t->count; ++f) {
        const float value = speed ? ground_speed(t->feet[foot], f) / 2
                                  : (t->feet[foot][f].y - t->floor[foot]) / (0.3f);
        const float x = time_x(f, longest),
                    y = top + (float)PANEL * (1 - fminf(fmaxf(value, -0.05f), 1));
        if (f > 1) {
            cli_plot_line(p, x0, y0, x, y, thick, rgb);
        }
        x0 = x;
        y0 = y;
    }
}

/// A bar under the heights where the foot stands: low and slow.
static void draw_contacts(lmb_picture p, const track *t, int foot, uint32_t longest)
{
    const float y = panel_top(2 * foot) + (float)PANEL + 6;
    for (uint32_t f = 1; f < t->count; ++f) {
        if (t->feet[foot][f].y - t->floor[foot] < LOW_M && ground_speed(t->feet[foot], f) < 0.15f) {
            cli_plot_line(p, time_x(f, longest), y, time_x(f, longest) + 1, y, 3, green);
        }
    }
}

static void draw_way(lmb_picture p, const track *t, lmb_box box, const uint8_t rgb[3])
{
    const float top = panel_top(PANELS), width = (float)(WIDTH - GAP - LEFT);
    const float spread = fmaxf(
        fmaxf((box.high.x - box.low.x) / width, (box.high.z - box.low.z) / (float)MAP), 1e-4f);
    for (uint32_t f = 1; f < t->count; ++f) {
        const lmb_vec3 a = t->hips[f - 1], b = t->hips[f];
        cli_plot_line(p, (float)LEFT + (a.x - box.low.x) / spread, top + (a.z - box.low.z) / spread,
                      (float)LEFT + (b.x - box.low.x) / spread, top + (b.z - box.low.z) / spread, 2,
                      rgb);
    }
}

static void draw_all(lmb_picture p, const track tracks[2])
{
    const uint32_t longest = tracks[0].count > tracks[1].count ? tracks[0].count : tracks[1].count;
    lmb_box box = lmb_box_empty();
    for (int k = 0; k < 2; ++k) {
        for (uint32_t f = 0; f < tracks[k].count; ++f) {
            box = lmb_box_add(box, tracks[k].hips[f]);
        }
    }
    for (int panel = 0; panel < PANELS; ++panel) {
        draw_frame(p, panel_top(panel), (float)PANEL, panel % 2 == 0 ? "300mm" : "2m");
    }
    draw_frame(p, panel_top(PANELS), (float)MAP, "");
    for (int k = 0; k < 2; ++k) {
        for (int foot = 0; foot < 2; ++foot) {
            const uint8_t *rgb = k == 0 ? grey : colors[foot];
            draw_curve(p, &tracks[k], foot, false, longest, 1 + k, rgb);
            draw_curve(p, &tracks[k], foot, true, longest, 1 + k, rgb);
        }
        draw_way(p, &tracks[k], box, k == 0 ? grey : green);
    }
    draw_contacts(p, &tracks[1], 0, longest);
    draw_contacts(p, &tracks[1], 1, longest);
}

static cli_exit draw(const cli_run *cli, const track tracks[2], const char *path)
{
    lmb_picture p = {WIDTH, HEIGHT, cli_resize(NULL, (size_t)WIDTH * HEIGHT, 4)};
    cli_bytes png = {0};
    memset(p.rgba, 255, (size_t)WIDTH * HEIGHT * 4);
    draw_all(p, tracks);
    cli_exit code = cli_png_encode(cli, p, &png);
    if (code == CLI_DONE) {
        code = cli_bytes_write(path, png.data, png.size);
    }
    free(png.data);
    free(p.rgba);
    return code;
}

static cli_exit find_feet(const cli_run *cli, const cli_feet_side *side, lmb_joint_map *map,
                          int32_t feet[2], bool *found)
{
    lmb_error error = {0};
    lmb_result result = LMB_OK;
    if (side->map != NULL) {
        *map = *side->map;
    } else {
        result = lmb_joint_map_make(side->character->skeleton, NULL, map, &error);
    }
    *found = result == LMB_OK && foot_joints(map, feet);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, cli->inputs[0], result, &error);
}

cli_exit cli_feet_compare(cli_run *cli, const cli_feet_side sides[2], const char *path,
                          cli_feet_measure measures[2])
{
    lmb_joint_map maps[2];
    int32_t feet[2][2];
    track tracks[2] = {{0}, {0}};
    bool found[2] = {false, false};
    cli_exit code = CLI_DONE;
    memset(measures, 0, 2 * sizeof *measures);
    for (int k = 0; k < 2 && code == CLI_DONE; ++k) {
        code = find_feet(cli, &sides[k], &maps[k], feet[k], &found[k]);
    }
    if (code != CLI_DONE) {
        return code;
    }
    if (!found[0] || !found[1]) {
        return path == NULL ? CLI_DONE
                            : cli_fail(cli, CLI_UNSUPPORTED,
                                       "not supported: --plot of %s, which has no humanoid's feet",
                                       cli->inputs[0]);
    }
    for (int k = 0; k < 2; ++k) {
        take_track(&sides[k], feet[k], maps[k].slots[LMB_SLOT_HIPS].joint, &tracks[k]);
        measures[k] = measure(&tracks[k]);
    }
    cli_say(cli, "sliding", "%.1f cm/s before, %.1f after", 100 * (double)measures[0].slide_m_s,
            100 * (double)measures[1].slide_m_s);
    code = path != NULL ? draw(cli, tracks, path) : CLI_DONE;
    free_track(&tracks[0]);
    free_track(&tracks[1]);
    return code;
}

void cli_feet_json(cli_json *json, const cli_feet_measure measures[2])
{
    static const char *const when[2] = {"before", "after"};
    for (int k = 0; k < 2; ++k) {
        if (measures[k].feet > 0) {
            cli_json_begin(json, when[k], '{');
            cli_json_number(json, "slide_m_s", measures[k].slide_m_s);
            cli_json_number(json, "hips_path_m", measures[k].hips_path_m);
            cli_json_end(json, '}');
        }
    }
}
