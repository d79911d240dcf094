/// `limber simulate --springs`.
#include "cli/simulate/simulate.h"

#include <math.h>
#include <string.h>

static cli_exit add_chain(const cli_run *cli, const simulate_take *t, const char *name,
                          lmb_spring_set **set)
{
    const int32_t joint = lmb_skeleton_find(t->skeleton, name);
    if (joint == LMB_NONE) {
        return cli_fail(cli, CLI_USAGE, "--chain: the character has no joint \"%s\"", name);
    }
    const lmb_spring_joint soft = lmb_spring_soft();
    lmb_spring_set *more = NULL;
    lmb_error error = {0};
    const lmb_result result =
        lmb_spring_set_add_chain(*set, t->skeleton, (uint32_t)joint, &soft, NULL, &more, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, name, result, &error);
    }
    lmb_spring_set_destroy(*set);
    *set = more;
    return CLI_DONE;
}

static cli_exit read_length(const cli_run *cli, const char *name, lmb_spring_length *out)
{
    static const char *const names[] = {"bone", "three-vrm", "three-vrm-updated"};
    for (int k = 0; k < 3; ++k) {
        if (name == NULL || strcmp(name, names[k]) == 0) {
            *out = (lmb_spring_length)k;
            return CLI_DONE;
        }
    }
    return cli_fail(cli, CLI_USAGE,
                    "--spring-length takes bone, three-vrm or three-vrm-updated, not %s", name);
}

static cli_exit find_springs(const cli_run *cli, const simulate_take *t, lmb_spring_set **set)
{
    lmb_error error = {0};
    if (lmb_spring_set_read(t->character, NULL, set, &error) != LMB_OK) {
        return cli_fail_file(cli->inputs[0], &error);
    }
    for (int k = 0; k < t->opts->chains.count; ++k) {
        const cli_exit code = add_chain(cli, t, t->opts->chains.items[k], set);
        if (code != CLI_DONE) {
            return code;
        }
    }
    if ((*set)->joint_count == 0) {
        return cli_fail(cli, CLI_INPUT, "%s: expected springs or --chain JOINT, found none",
                        cli->inputs[0]);
    }
    return read_length(cli, t->opts->spring_length, &(*set)->length);
}

/// Numbers of a frame, in the order of their tracks.
enum { SWING_KINETIC, SWING_TURN, SWING_PENETRATION };

/// How springs are in a frame.
static void note(const simulate_take *t, const lmb_spring_set *set, const lmb_springs *springs,
                 uint32_t frame, simulate_tracks *tracks)
{
    const lmb_transform *pose = t->poses + (size_t)frame * t->skeleton->joint_count;
    lmb_springs_report r;
    float turn_rad = 0;
    for (uint32_t i = 0; i < set->joint_count; ++i) {
        const uint32_t j = set->joints[i].joint;
        turn_rad = fmaxf(turn_rad, lmb_quat_angle(pose[j].rotation, t->skeleton->rest[j].rotation));
    }
    lmb_springs_measure(springs, &r);
    tracks->items[SWING_KINETIC].values[frame] = r.kinetic;
    tracks->items[SWING_TURN].values[frame] = turn_rad;
    tracks->items[SWING_PENETRATION].values[frame] = r.penetration;
}

static cli_exit swing(const cli_run *cli, const simulate_take *t, const lmb_spring_set *set,
                      simulate_tracks *tracks)
{
    lmb_springs *springs = NULL;
    lmb_error error = {0};
    const uint32_t n = t->skeleton->joint_count;
    const double fps = t->opts->fps;
    const lmb_result result = lmb_springs_create(set, t->skeleton, NULL, &springs, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the springs", result, &error);
    }
    *tracks = simulate_tracks_start(t->frame_count, fps);
    simulate_track_add(tracks, "kinetic", "joules a kilogram of what swings", 1);
    simulate_track_add(tracks, "turn_rad", "farthest from rest in degrees", 57.29578f);
    simulate_track_add(tracks, "penetration", "deepest in a collider in mm", 1e3f);
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        lmb_transform *pose = t->poses + (size_t)f * n;
        simulate_take_sample(t, f / fps, pose);
        lmb_springs_step(&(lmb_springs_step_job){.springs = springs,
                                                 .local = pose,
                                                 .model_from_joint = t->model,
                                                 .dt_s = f > 0 ? (float)(1 / fps) : 0});
        note(t, set, springs, f, tracks);
    }
    lmb_springs_destroy(springs);
    return CLI_DONE;
}

static void report_springs(const cli_run *cli, const simulate_take *t, const lmb_spring_set *set,
                           const simulate_tracks *tracks)
{
    const float turn_rad = simulate_track_most(tracks, SWING_TURN);
    const uint32_t joints = set->joint_count, colliders = set->collider_count;
    cli_say(cli, "springs", "%u joints, %u colliders, %u frames, at most %.1f degrees from rest",
            (unsigned)joints, (unsigned)colliders, (unsigned)t->frame_count,
            (double)turn_rad * 180 / 3.14159265358979);
    if (cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "output", cli->output);
        cli_json_integer(&json, "spring_joints", joints);
        cli_json_integer(&json, "colliders", colliders);
        cli_json_integer(&json, "frames", t->frame_count);
        cli_json_number(&json, "fps", (float)t->opts->fps);
        cli_json_number(&json, "turn_rad", turn_rad);
        cli_json_number(&json, "penetration", simulate_track_most(tracks, SWING_PENETRATION));
        simulate_tracks_write(&json, tracks);
        cli_json_end(&json, '}');
    }
}

cli_exit cli_simulate_springs(cli_run *cli, const cli_simulate_opts *opts,
                              lmb_character **character)
{
    simulate_take take;
    lmb_spring_set *set = NULL;
    simulate_tracks tracks = {0};
    cli_exit code = simulate_take_start(cli, opts, *character, &take);
    if (code == CLI_DONE) {
        code = find_springs(cli, &take, &set);
    }
    if (code == CLI_DONE) {
        code = swing(cli, &take, set, &tracks);
    }
    if (code == CLI_DONE) {
        code = simulate_take_write(cli, &take, character);
    }
    if (code == CLI_DONE && opts->plot != NULL) {
        code = simulate_tracks_plot(cli, opts->plot, &tracks);
    }
    if (code == CLI_DONE) {
        report_springs(cli, &take, set, &tracks);
    }
    simulate_tracks_end(&tracks);
    lmb_spring_set_destroy(set);
    simulate_take_end(&take);
    return code;
}
