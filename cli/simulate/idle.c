/// `limber simulate --idle`: breath, weight and gaze over a clip.
#include "cli/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_point(const char *text, lmb_vec3 *out)
{
    float x[3];
    char *end = NULL;
    for (int k = 0; k < 3; ++k) {
        x[k] = (float)strtod(text, &end);
        if (end == text || *end != (k < 2 ? ',' : 0) || !isfinite(x[k])) {
            return false;
        }
        text = end + 1;
    }
    *out = lmb_vec3_make(x[0], x[1], x[2]);
    return true;
}

/// The camera of `limber render --view front`: before the body, as high as its middle.
static lmb_vec3 camera_of(const simulate_take *t, const lmb_gait_body *body)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t j = 0; j < t->skeleton->joint_count; ++j) {
        box = lmb_box_add(box, lmb_mat4_translation(t->model[j]));
    }
    const float height = box.high.y - body->ground;
    return lmb_vec3_make(0.5f * (box.low.x + box.high.x), body->ground + 0.9f * height,
                         box.high.z + 2.5f * height);
}

static cli_exit read_look(const cli_run *cli, const simulate_take *t, const lmb_gait_body *body,
                          lmb_idle_opts *out)
{
    const char *gaze = t->opts->gaze;
    if (strcmp(gaze, "none") == 0) {
        out->look = LMB_IDLE_NOWHERE;
    } else if (strcmp(gaze, "about") == 0) {
        out->look = LMB_IDLE_ABOUT;
    } else {
        out->look = LMB_IDLE_AT;
        out->target = camera_of(t, body);
        if (strcmp(gaze, "camera") != 0 && !read_point(gaze, &out->target)) {
            return cli_fail(cli, CLI_USAGE,
                            "--gaze: expected about, camera, none or X,Y,Z, found \"%s\"", gaze);
        }
    }
    return CLI_DONE;
}

static void find_eyes(const simulate_take *t, int32_t eyes[2])
{
    const lmb_joint_map map = cli_joint_map(t->skeleton);
    eyes[0] = eyes[1] = LMB_NONE;
    if (map.confidence > 0.8f) {
        eyes[0] = map.bones[LMB_HUMAN_LEFT_EYE].joint;
        eyes[1] = map.bones[LMB_HUMAN_RIGHT_EYE].joint;
    }
}

typedef struct lived {
    float missed_m, head_rad;
    uint32_t shifts;
} lived;

static lived live(const simulate_take *t, lmb_idle *idle)
{
    const double dt = 1 / t->opts->fps;
    lived out = {0};
    float side = 0;
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        lmb_transform *pose = t->poses + (size_t)f * t->skeleton->joint_count;
        simulate_take_sample(t, f * dt, pose);
        const lmb_idle_report r = lmb_idle_step(idle, pose, f > 0 ? (float)dt : 0);
        out.missed_m = fmaxf(out.missed_m, r.missed_m);
        out.head_rad = fmaxf(out.head_rad, fabsf(r.head_rad[0]));
        const float now =
            fabsf(r.lean) > 0.5f * (float)t->opts->shift ? (r.lean > 0 ? 1.0f : -1.0f) : side;
        out.shifts += now * side < 0;
        side = now;
    }
    return out;
}

static void report_idle(const cli_run *cli, const simulate_take *t, const lived *l)
{
    cli_say(cli, "idle",
            "%u frames, weight shifted %u times, feet within %.2f mm, head up to %.0f "
            "degrees aside",
            (unsigned)t->frame_count, (unsigned)l->shifts, 1e3 * (double)l->missed_m,
            (double)l->head_rad * 57.29577951308232);
    if (cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "output", cli->output);
        cli_json_integer(&json, "frames", t->frame_count);
        cli_json_number(&json, "fps", (float)t->opts->fps);
        cli_json_integer(&json, "shifts", l->shifts);
        cli_json_number(&json, "feet_off", l->missed_m);
        cli_json_number(&json, "head_rad", l->head_rad);
        cli_json_end(&json, '}');
    }
}

static cli_exit bake_idle(cli_run *cli, const simulate_take *t, lmb_character **character)
{
    lmb_gait_body body;
    lmb_idle *idle = NULL;
    lmb_error error = {0};
    const cli_simulate_opts *o = t->opts;
    lmb_idle_opts opts = {.seed = (uint64_t)cli->seed,
                          .breath = (float)o->breath,
                          .breath_hz = (float)o->breath_hz,
                          .shift = (float)o->shift};
    if (!(o->breath >= 0 && o->breath <= 10) || !(o->breath_hz >= 0.01 && o->breath_hz <= 10) ||
        !(o->shift >= 0 && o->shift <= 1.5)) {
        return cli_fail(cli, CLI_USAGE,
                        "expected --breath of 0 to 10, --breath-hz of 0.01 to 10 and --shift of 0 "
                        "to 1.5");
    }
    cli_exit code = simulate_find_legs(cli, t->character, &body);
    simulate_take_sample(t, 0, t->poses);
    find_eyes(t, opts.eyes);
    if (code == CLI_DONE) {
        code = read_look(cli, t, &body, &opts);
    }
    if (code == CLI_DONE) {
        const lmb_result result = lmb_idle_create(t->skeleton, &body, &opts, NULL, &idle, &error);
        code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "--idle", result, &error);
    }
    if (code == CLI_DONE) {
        const lived l = live(t, idle);
        code = simulate_take_write(cli, t, character);
        if (code == CLI_DONE) {
            report_idle(cli, t, &l);
        }
    }
    lmb_idle_destroy(idle);
    return code;
}

cli_exit cli_simulate_idle(cli_run *cli, const cli_simulate_opts *opts, lmb_character **character)
{
    simulate_take take;
    cli_exit code = simulate_take_start(cli, opts, *character, &take);
    if (code == CLI_DONE) {
        code = bake_idle(cli, &take, character);
    }
    simulate_take_end(&take);
    return code;
}
