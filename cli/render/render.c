#include "cli/picture.h"
#include "cli/render/movie.h"
#include "cli/render/stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct render_options {
    cli_in_opts in;
    const char *clip, *time, *sheet, *weights, *size, *view;
    bool skeleton, no_ground, clear;
    double fps, yaw_deg, pitch_deg;
    int skin;
} render_options;

#include "cli/render/render.options.h"

enum { MOST_VIEWS = 8, LARGEST_SHEET = 8192 };

/// What the options come to.
typedef struct plan {
    const render_options *opts;
    const lmb_character *character;
    cli_textures textures;
    const lmb_clip *clip;  ///< NULL: the rest pose
    int32_t weight_joint;  ///< in the skeleton, or LMB_NONE
    int32_t *panel_joints; ///< with --weights all: the joint of each panel; else NULL
    uint32_t panel_count;
    uint32_t view_count;
    float yaw_rad[MOST_VIEWS], pitch_rad[MOST_VIEWS];
    uint32_t width, height; ///< of a view
    uint32_t columns, rows; ///< of a sheet; 1 x 1 for a single time
    float ground_y;
    lmb_vec3 extent; ///< largest size over all times shown, so that all panels have one scale
} plan;

// -------------------------------------------------------------------------------- reading options

static bool read_pair(const char *text, uint32_t *a, uint32_t *b, uint32_t most)
{
    char *end = NULL;
    const unsigned long first = strtoul(text, &end, 10);
    if (end == text || (*end != 'x' && *end != 'X')) {
        return false;
    }
    const char *rest = end + 1;
    const unsigned long second = strtoul(rest, &end, 10);
    *a = (uint32_t)first;
    *b = (uint32_t)second;
    return end != rest && *end == 0 && first >= 1 && second >= 1 && first <= most && second <= most;
}

static bool view_angles(const char *word, size_t length, float *yaw_deg, float *pitch_deg)
{
    static const struct {
        const char *name;
        float yaw, pitch;
    } views[] = {{"front", 0, 8},   {"side", 90, 8},    {"left", 90, 8}, {"back", 180, 8},
                 {"right", 270, 8}, {"corner", 35, 14}, {"top", 0, 80}};
    for (size_t k = 0; k < sizeof views / sizeof *views; ++k) {
        if (strlen(views[k].name) == length && memcmp(views[k].name, word, length) == 0) {
            *yaw_deg = views[k].yaw;
            *pitch_deg = views[k].pitch;
            return true;
        }
    }
    return false;
}

static cli_exit read_views(const cli_run *cli, const render_options *opts, plan *p)
{
    const char *at = opts->view ? opts->view : "front";
    while (*at) {
        const size_t length = strcspn(at, ",");
        float yaw = 0, pitch = 0;
        if (p->view_count == MOST_VIEWS || !view_angles(at, length, &yaw, &pitch)) {
            return cli_fail(cli, CLI_USAGE,
                            "expected up to %d of front, side, left, right, back, corner, top for "
                            "--view, found \"%s\"",
                            MOST_VIEWS, at);
        }
        const float degree = LMB_PI / 180.0f;
        p->yaw_rad[p->view_count] = (yaw + (float)opts->yaw_deg) * degree;
        p->pitch_rad[p->view_count++] = fminf(89.0f, pitch + (float)opts->pitch_deg) * degree;
        at += length + (at[length] == ',');
    }
    return CLI_DONE;
}

static cli_exit read_clip(const cli_run *cli, const render_options *opts, bool moving, plan *p)
{
    const bool joints = opts->weights && strcmp(opts->weights, "all") == 0;
    const bool wanted = opts->clip || opts->time || (opts->sheet && !joints) || moving;
    if (!wanted) {
        return CLI_DONE;
    }
    uint32_t index = 0;
    if (opts->clip) {
        const cli_exit code = cli_clip_find(cli, p->character, opts->clip, &index);
        if (code != CLI_DONE) {
            return code;
        }
    } else if (p->character->clip_count == 0) {
        return cli_fail(cli, CLI_USAGE, "%s has no clip to show", cli->inputs[0]);
    }
    p->clip = p->character->clips[index];
    return CLI_DONE;
}

/// --weights all: a panel a joint, on a sheet about as wide as high unless --sheet says otherwise.
static cli_exit plan_panels(const cli_run *cli, const render_options *opts, bool moving, plan *p)
{
    p->panel_joints =
        cli_resize(NULL, p->character->skeleton->joint_count + 1u, sizeof *p->panel_joints);
    p->panel_count = cli_weighted_joints(p->character, p->panel_joints);
    if (p->panel_count == 0 || moving) {
        return cli_fail(cli, CLI_USAGE,
                        "--weights all wants a still picture of a skinned character");
    }
    if (!opts->sheet) {
        p->columns = (uint32_t)ceil(sqrt(1.6 * p->panel_count / p->view_count));
        p->rows = (p->panel_count + p->columns - 1) / p->columns;
    } else if (p->columns * p->rows < p->panel_count) {
        return cli_fail(cli, CLI_USAGE,
                        "--sheet %s has fewer panels than the %u joints with weight", opts->sheet,
                        p->panel_count);
    }
    if (!opts->size) {
        p->width = p->height = 200;
    }
    return CLI_DONE;
}

static cli_exit read_plan(const cli_run *cli, const render_options *opts, bool moving, plan *p)
{
    p->opts = opts;
    p->weight_joint = LMB_NONE;
    p->columns = p->rows = 1;
    if (opts->sheet && !read_pair(opts->sheet, &p->columns, &p->rows, 64)) {
        return cli_fail(cli, CLI_USAGE, "expected --sheet COLSxROWS, such as 4x3, found \"%s\"",
                        opts->sheet);
    }
    p->width = p->height = opts->sheet ? 320 : 640;
    if (opts->size && !read_pair(opts->size, &p->width, &p->height, LARGEST_SHEET)) {
        return cli_fail(cli, CLI_USAGE, "expected --size WxH, such as 640x480, found \"%s\"",
                        opts->size);
    }
    cli_exit code = read_views(cli, opts, p);
    if (code == CLI_DONE) {
        code = read_clip(cli, opts, moving, p);
    }
    if (code == CLI_DONE && opts->weights && strcmp(opts->weights, "all") == 0) {
        code = plan_panels(cli, opts, moving, p);
    } else if (code == CLI_DONE && opts->weights) {
        p->weight_joint = lmb_skeleton_find(p->character->skeleton, opts->weights);
        if (p->weight_joint == LMB_NONE) {
            return cli_fail(cli, CLI_USAGE,
                            "%s has no joint named \"%s\"; `limber info` lists them",
                            cli->inputs[0], opts->weights);
        }
    }
    if (code == CLI_DONE && ((uint64_t)p->width * p->columns * p->view_count > 16384 ||
                             (uint64_t)p->height * p->rows > 16384)) {
        return cli_fail(cli, CLI_USAGE, "a picture over 16384 pixels a side");
    }
    return code;
}

// ---------------------------------------------------------------------------------------- drawing

/// A box of the common extent around where the character is now: the camera follows, the scale
/// stays.
static lmb_box frame_around(const plan *p, lmb_box box)
{
    const lmb_vec3 center = lmb_vec3_scale(lmb_vec3_add(box.low, box.high), 0.5f);
    const lmb_vec3 half = lmb_vec3_scale(p->extent, 0.5f);
    return (lmb_box){lmb_vec3_sub(center, half), lmb_vec3_add(center, half)};
}

/// Its top left corner comes to (x, y); what lies outside the sheet is cut off.
static void copy_panel(lmb_picture sheet, lmb_picture panel, uint32_t x, uint32_t y)
{
    if (x >= sheet.width) {
        return;
    }
    const uint32_t width = panel.width < sheet.width - x ? panel.width : sheet.width - x;
    for (uint32_t row = 0; row < panel.height && y + row < sheet.height; ++row) {
        memcpy(&sheet.rgba[4 * ((size_t)(y + row) * sheet.width + x)],
               &panel.rgba[4 * (size_t)row * panel.width], (size_t)width * 4);
    }
}

/// One time, all views side by side, into `sheet` at (x, y).
static cli_exit draw_moment(const cli_run *cli, const plan *p, cli_posed *posed, double time_s,
                            lmb_picture sheet, uint32_t x, uint32_t y)
{
    cli_posed_at(posed, cli, p->clip, time_s);
    cli_stage s;
    cli_stage_start(&s, posed, &p->textures, p->weight_joint, p->opts->skeleton);
    lmb_picture panel = {p->width, p->height, cli_resize(NULL, (size_t)p->width * p->height, 4)};
    cli_exit code = CLI_DONE;
    for (uint32_t v = 0; code == CLI_DONE && v < p->view_count; ++v) {
        const lmb_render_job job = {
            .surface_count = s.surface_count,
            .surfaces = s.surfaces,
            .bone_count = s.bone_count,
            .bones = s.bones,
            .frame = frame_around(p, posed->box),
            .yaw_rad = p->yaw_rad[v],
            .pitch_rad = p->pitch_rad[v],
            .no_ground = p->opts->no_ground || p->opts->clear,
            .ground_y = p->ground_y,
            .clear = p->opts->clear,
            .picture = panel,
            .jobs = &cli->jobs,
        };
        lmb_error error;
        const lmb_result result = lmb_render(&job, &error);
        if (result != LMB_OK) {
            code = cli_fail_call(cli, "the picture", result, &error);
        } else {
            copy_panel(sheet, panel, x + v * p->width, y);
        }
    }
    free(panel.rgba);
    cli_stage_end(&s);
    return code;
}

static double moment_of(const plan *p, uint32_t k, uint32_t count)
{
    const double duration = p->clip ? (double)lmb_clip_duration_s(p->clip) : 0;
    return count > 1 ? duration * k / (count - 1) : 0;
}

/// The largest extent and the ground height over all times shown.
static void measure_extent(const cli_run *cli, plan *p, cli_posed *posed, double time_s,
                           uint32_t count)
{
    const uint32_t step_count = count > 24 ? 24 : count;
    p->extent = lmb_vec3_make(0, 0, 0);
    p->ground_y = INFINITY;
    for (uint32_t k = 0; k < step_count; ++k) {
        cli_posed_at(posed, cli, p->clip, count > 1 ? moment_of(p, k, step_count) : time_s);
        const lmb_vec3 size = lmb_vec3_sub(posed->box.high, posed->box.low);
        p->extent = lmb_vec3_make(fmaxf(p->extent.x, size.x), fmaxf(p->extent.y, size.y),
                                  fmaxf(p->extent.z, size.z));
        p->ground_y = fminf(p->ground_y, posed->box.low.y);
    }
    const bool empty =
        !(p->extent.x >= 0 && p->extent.y >= 0 && p->extent.z >= 0) || !isfinite(p->ground_y);
    if (empty) {
        p->extent = lmb_vec3_make(1, 1, 1);
        p->ground_y = 0;
    }
}

static cli_exit draw_sheet(const cli_run *cli, plan *p, cli_posed *posed, double time_s,
                           lmb_picture *sheet)
{
    const bool joints = p->panel_joints != NULL;
    const uint32_t count = joints ? p->panel_count : p->columns * p->rows;
    measure_extent(cli, p, posed, time_s, joints ? 1 : count);
    sheet->width = p->width * p->view_count * p->columns;
    sheet->height = p->height * p->rows;
    sheet->rgba = cli_resize(NULL, (size_t)sheet->width * sheet->height, 4);
    memset(sheet->rgba, 0xFF, 4 * (size_t)sheet->width * sheet->height);
    cli_exit code = CLI_DONE;
    for (uint32_t k = 0; code == CLI_DONE && k < count; ++k) {
        const uint32_t x = (k % p->columns) * p->width * p->view_count,
                       y = (k / p->columns) * p->height;
        p->weight_joint = joints ? p->panel_joints[k] : p->weight_joint;
        code = draw_moment(cli, p, posed, count > 1 && !joints ? moment_of(p, k, count) : time_s,
                           *sheet, x, y);
    }
    if (joints && code == CLI_DONE) {
        cli_say_panels(cli, p->character->skeleton, p->panel_joints, count, p->columns);
    }
    return code;
}

static cli_exit read_time(const cli_run *cli, const render_options *opts, double *time_s)
{
    char *end = NULL;
    *time_s = opts->time ? strtod(opts->time, &end) : 0;
    if (opts->time && (end == opts->time || *end != 0 || !isfinite(*time_s))) {
        return cli_fail(cli, CLI_USAGE, "expected seconds for --time, found \"%s\"", opts->time);
    }
    return CLI_DONE;
}

static cli_exit write_still(const cli_run *cli, plan *p, cli_posed *posed)
{
    double time_s = 0;
    cli_exit code = read_time(cli, p->opts, &time_s);
    lmb_picture sheet = {0};
    if (code == CLI_DONE) {
        code = draw_sheet(cli, p, posed, time_s, &sheet);
    }
    if (code == CLI_DONE) {
        code = cli_png_write(cli, sheet, cli->output);
    }
    free(sheet.rgba);
    return code;
}

/// A moving picture being drawn.
typedef struct reel {
    const cli_run *cli;
    const plan *plan;
    cli_posed *posed;
    double fps;
} reel;

static cli_exit draw_frame(void *user, uint32_t k, uint8_t *rgba)
{
    const reel *r = user;
    const lmb_picture sheet = {r->plan->width * r->plan->view_count, r->plan->height, rgba};
    return draw_moment(r->cli, r->plan, r->posed, k / r->fps, sheet, 0, 0);
}

static cli_exit write_movie(const cli_run *cli, plan *p, cli_posed *posed, bool gif)
{
    const double duration = (double)lmb_clip_duration_s(p->clip);
    const double count = floor(duration * p->opts->fps + 0.5);
    if (!(p->opts->fps > 0) || count > 20000) {
        return cli_fail(cli, CLI_USAGE, "expected up to 20000 frames, found %g s at --fps %g",
                        duration, p->opts->fps);
    }
    measure_extent(cli, p, posed, 0, 24);
    reel r = {cli, p, posed, p->opts->fps};
    const cli_movie movie = {.width = p->width * p->view_count,
                             .height = p->height,
                             .frame_count = count < 1 ? 1 : (uint32_t)count,
                             .fps = p->opts->fps,
                             .draw = draw_frame,
                             .user = &r};
    if (!gif) {
        return cli_mp4_write(cli, &movie, cli->output);
    }
    cli_bytes bytes = {0};
    cli_exit code = cli_gif_encode(cli, &movie, &bytes);
    if (code == CLI_DONE) {
        code = cli_bytes_write(cli->output, bytes.data, bytes.size);
    }
    free(bytes.data);
    return code;
}

static cli_exit run_render(cli_run *cli, const void *given)
{
    const render_options *opts = given;
    const bool gif = cli_has_extension(cli->output, ".gif"),
               moving = gif || cli_has_extension(cli->output, ".mp4");
    cli_read_opts in;
    lmb_character *character = NULL;
    cli_exit code = cli_in_read(cli, &opts->in, &in);
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &in, NULL, &character);
    }
    if (code != CLI_DONE) {
        return code;
    }
    plan p = {.character = character};
    code = read_plan(cli, opts, moving, &p);
    if (code == CLI_DONE) {
        cli_posed posed;
        cli_textures_start(cli, &p.textures, character->appearance);
        code = cli_posed_start(&posed, cli, character);
        if (code == CLI_DONE) {
            code = cli_posed_method(&posed, cli, opts->skin);
            if (code == CLI_DONE) {
                code = moving ? write_movie(cli, &p, &posed, gif) : write_still(cli, &p, &posed);
            }
            cli_posed_end(&posed);
        }
        cli_textures_end(&p.textures);
    }
    free(p.panel_joints);
    lmb_character_destroy(character);
    return code;
}
