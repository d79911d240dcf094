/// simulate --gait: a character of two to eight legs walks, trots or runs on its own skeleton.
#include "cli/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RAD (3.14159265358979 / 180)

cli_exit simulate_find_legs(const cli_run *cli, const lmb_character *character, lmb_gait_body *body)
{
    lmb_error error = {0};
    const lmb_result result = lmb_gait_body_of_character(character, NULL, body, &error);
    if (result == LMB_ERROR_UNSUPPORTED) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "%s: not supported: standing and walking take %s, found %s", cli->inputs[0],
                        error.expected, error.found);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "--gait", result, &error);
}

static bool is_below(const lmb_skeleton *skeleton, uint32_t joint, uint32_t above)
{
    int32_t j = (int32_t)joint;
    while (j > (int32_t)above) {
        j = skeleton->parents[j];
    }
    return j == (int32_t)above;
}

/// Whether the mesh instance moves with the hips or a descendant.
static bool follows(const lmb_character *character, const lmb_instance *instance, uint32_t hips)
{
    if (instance->skin == LMB_NONE) {
        return is_below(character->skeleton, instance->joint, hips);
    }
    const lmb_mesh *mesh = character->meshes[instance->mesh];
    const lmb_skin *skin = character->skins[instance->skin];
    const uint32_t count =
        mesh->influences.first != NULL ? mesh->influences.first[mesh->vertex_count] : 0;
    for (uint32_t i = 0; i < count; ++i) {
        const lmb_influence in = mesh->influences.items[i];
        if (in.weight > 0 && is_below(character->skeleton, skin->joints[in.joint], hips)) {
            return true;
        }
    }
    return false;
}

static const char *mesh_name(const lmb_character *character, uint32_t mesh)
{
    const char *name = character->meshes[mesh]->name;
    return name != NULL && *name != 0 ? name : "without a name";
}

/// Fails if no mesh follows a joint of the gait; warns of single meshes that follow none.
static cli_exit check_meshes(const cli_run *cli, const lmb_character *character,
                             const lmb_gait_body *body)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        moved += follows(character, &character->instances[i], body->hips);
    }
    if (character->instance_count > 0 && moved == 0) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "%s: not supported: --gait moves joints, and mesh \"%s\" follows none of "
                        "them; `limber rig` gives it a skeleton",
                        cli->inputs[0], mesh_name(character, character->instances[0].mesh));
    }
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        if (!follows(character, &character->instances[i], body->hips)) {
            cli_warn(cli, "mesh \"%s\" follows no joint that walks: it stays where it is",
                     mesh_name(character, character->instances[i].mesh));
        }
    }
    return CLI_DONE;
}

static cli_exit read_style(const cli_run *cli, const char *setting, lmb_gait_opts *gait)
{
    enum { FACTORS = 5 };
    const struct {
        const char *name;
        float *value;
    } styles[] = {{"bounce", &gait->bounce}, {"arms", &gait->arm_swing}, {"lift", &gait->lift},
                  {"width", &gait->width},   {"hips", &gait->hips},      {"crouch", &gait->crouch},
                  {"lean", &gait->lean_rad}, {"nod", &gait->nod_rad}};
    if (lmb_gait_manner(setting, gait)) {
        return CLI_DONE;
    }
    const char *equals = strchr(setting, '=');
    char *end = NULL;
    const double value = equals != NULL ? strtod(equals + 1, &end) : 0;
    if (equals != NULL && end != equals + 1 && *end == 0) {
        for (size_t k = 0; k < sizeof styles / sizeof styles[0]; ++k) {
            if (strlen(styles[k].name) == (size_t)(equals - setting) &&
                memcmp(styles[k].name, setting, (size_t)(equals - setting)) == 0) {
                // 0 counts as 1 in the library, and means none here.
                *styles[k].value = k < FACTORS && !(fabs(value) > 0) ? 1e-6f
                                   : k > FACTORS                     ? (float)(value * RAD)
                                                                     : (float)value;
                return CLI_DONE;
            }
        }
    }
    return cli_fail(cli, CLI_USAGE,
                    "--style takes sneak, march, tired, proud or stroll, or bounce, arms, lift, "
                    "width, hips, crouch, lean or nod and a number, not %s",
                    setting);
}

static cli_exit make_gait(const cli_run *cli, const cli_simulate_opts *opts,
                          const lmb_character *character, lmb_gait **out)
{
    lmb_gait_body body;
    lmb_error error = {0};
    lmb_gait_opts how = {.kind = lmb_gait_find(opts->gait),
                         .speed_m_s = (float)opts->speed,
                         .turn_rad_s = (float)(opts->turn * RAD),
                         .slope_rad = (float)(opts->slope * RAD),
                         .frame_rate = (float)opts->fps,
                         .in_place = opts->in_place};
    if (how.kind == LMB_GAIT_COUNT) {
        return cli_fail(cli, CLI_USAGE, "--gait takes walk, trot or run, not %s", opts->gait);
    }
    cli_exit code =
        opts->speed < 0 ? cli_fail(cli, CLI_USAGE, "--speed takes a positive number") : CLI_DONE;
    for (int k = 0; code == CLI_DONE && k < opts->style.count; ++k) {
        code = read_style(cli, opts->style.items[k], &how);
    }
    if (code == CLI_DONE) {
        code = simulate_find_legs(cli, character, &body);
    }
    if (code == CLI_DONE) {
        code = check_meshes(cli, character, &body);
    }
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_result result = lmb_gait_create(character->skeleton, &body, &how, NULL, out, &error);
    if (result == LMB_ERROR_INVALID) {
        return cli_fail(cli, CLI_USAGE, "--gait %s: expected %s, found %s", opts->gait,
                        error.expected, error.found);
    }
    if (result == LMB_ERROR_UNSUPPORTED) {
        return cli_fail(cli, CLI_UNSUPPORTED, "not supported: --gait %s on two legs; there are %s",
                        opts->gait, error.expected);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "--gait", result, &error);
}

/// The gait as the character's first clip.
static cli_exit put_gait(cli_run *cli, const cli_simulate_opts *opts, lmb_gait *gait,
                         uint32_t frame_count, lmb_character **character)
{
    const lmb_skeleton *skeleton = (*character)->skeleton;
    const uint32_t n = skeleton->joint_count;
    lmb_transform *poses = cli_resize(NULL, (size_t)frame_count * n, sizeof *poses);
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    for (uint32_t f = 0; f < frame_count; ++f) {
        lmb_gait_pose(gait, f / opts->fps, poses + (size_t)f * n);
    }
    const lmb_result result =
        lmb_clip_from_poses(skeleton, poses, frame_count, (float)opts->fps,
                            cli_given(cli, "name") ? opts->name : opts->gait, NULL, &clip, &error);
    free(poses);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the result", result, &error);
    }
    cli_exit code = cli_clip_carry(cli, *character, &clip);
    if (code != CLI_DONE) {
        lmb_clip_destroy(clip);
        return code;
    }
    return cli_clip_put_first(cli, character, clip, false);
}

/// Frames of one cycle, which loops.
static uint32_t cycle_frames(const lmb_gait *gait)
{
    return lmb_gait_describe(gait).frame_count + 1;
}

/// Numbers of a frame, in the order of their tracks.
enum { GAIT_SLIDE, GAIT_DEPTH, GAIT_SPEED };

static cli_exit measure_gait(const cli_run *cli, const cli_simulate_opts *opts, lmb_gait *gait,
                             const lmb_character *character, simulate_tracks *tracks)
{
    const uint32_t n = tracks->frame_count;
    float *slide = simulate_track_add(tracks, "slide_m_s", "planted feet slide in mm/s", 1e3f),
          *depth = simulate_track_add(tracks, "penetration", "skin under the ground in mm", 1e3f),
          *speed = simulate_track_add(tracks, "speed_m_s", "speed of the hips in m/s", 1);
    lmb_gait_moment *moments = cli_resize(NULL, n, sizeof *moments);
    lmb_error error = {0};
    const lmb_result result =
        lmb_gait_measure(gait, character, 1 / opts->fps, n, NULL, moments, &error);
    for (uint32_t f = 0; result == LMB_OK && f < n; ++f) {
        slide[f] = moments[f].slide_m_s;
        depth[f] = moments[f].depth_m;
        speed[f] = moments[f].speed_m_s;
    }
    free(moments);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "--gait", result, &error);
    }
    return opts->plot != NULL ? simulate_tracks_plot(cli, opts->plot, tracks) : CLI_DONE;
}

static void say_gait(const cli_run *cli, const char *name, const lmb_gait_info *info)
{
    cli_say(cli, name,
            "%.2f m/s, a stride of %.2f m in %.2f s, feet down %.0f%% of it, legs of %.2f m",
            (double)info->speed_m_s, (double)info->stride_m, (double)info->period_s,
            (double)info->duty * 100, (double)info->leg_m);
}

static void report_gait(const cli_run *cli, const cli_simulate_opts *opts, const lmb_gait *gait,
                        const simulate_tracks *tracks)
{
    const uint32_t frame_count = tracks->frame_count;
    const lmb_gait_info info = lmb_gait_describe(gait);
    say_gait(cli, opts->gait, &info);
    if (cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "output", cli->output);
        cli_json_text(&json, "gait", opts->gait);
        cli_json_number(&json, "speed_m_s", info.speed_m_s);
        cli_json_number(&json, "stride_m", info.stride_m);
        cli_json_number(&json, "period_s", info.period_s);
        cli_json_number(&json, "duty", info.duty);
        cli_json_number(&json, "leg_m", info.leg_m);
        cli_json_number(&json, "hip_height_m", info.hip_height);
        cli_json_integer(&json, "frames", frame_count);
        cli_json_integer(&json, "cycle_frames", info.frame_count);
        cli_json_number(&json, "slide_m_s", simulate_track_most(tracks, GAIT_SLIDE));
        cli_json_number(&json, "penetration", simulate_track_most(tracks, GAIT_DEPTH));
        simulate_tracks_write(&json, tracks);
        cli_json_end(&json, '}');
    }
}

cli_exit cli_simulate_gait(cli_run *cli, const cli_simulate_opts *opts, lmb_character **character)
{
    lmb_gait *gait = NULL;
    cli_exit code = make_gait(cli, opts, *character, &gait);
    uint32_t frame_count = 0;
    const lmb_clip *none = NULL;
    if (code == CLI_DONE && opts->clip != NULL) {
        code = cli_fail(cli, CLI_USAGE, "--clip is not for --gait, which makes the whole motion");
    }
    if (code == CLI_DONE) {
        code = cli_simulate_frames(cli, opts, *character, &none, &frame_count);
    }
    simulate_tracks tracks = {0};
    if (code == CLI_DONE) {
        frame_count = cli_given(cli, "seconds") ? frame_count : cycle_frames(gait);
        tracks = simulate_tracks_start(frame_count, opts->fps);
        if (cli->json || opts->plot != NULL) {
            code = measure_gait(cli, opts, gait, *character, &tracks);
        }
    }
    if (code == CLI_DONE) {
        code = put_gait(cli, opts, gait, frame_count, character);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", *character);
    }
    if (code == CLI_DONE) {
        report_gait(cli, opts, gait, &tracks);
    }
    simulate_tracks_end(&tracks);
    lmb_gait_destroy(gait);
    return code;
}

cli_exit cli_simulate_gait_clip(cli_run *cli, const cli_simulate_opts *opts,
                                lmb_character **character, float *period_s)
{
    lmb_gait *gait = NULL;
    cli_exit code = make_gait(cli, opts, *character, &gait);
    if (code == CLI_DONE) {
        code = put_gait(cli, opts, gait, cycle_frames(gait), character);
    }
    if (code == CLI_DONE) {
        const lmb_gait_info info = lmb_gait_describe(gait);
        say_gait(cli, opts->gait, &info);
        *period_s = info.period_s;
    }
    lmb_gait_destroy(gait);
    return code;
}
