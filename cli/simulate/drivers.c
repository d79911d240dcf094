/// simulate --drivers: a driver program baked to a clip, joints and morph weights.
#include "cli/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bake {
    const lmb_character *character;
    const lmb_clip *clip;
    lmb_drivers *drivers;
    uint32_t frame_count, weight_count;
    uint32_t *weight_first;
    float *rest_weights;
    float *weights;       ///< [frame_count][weight_count]
    lmb_transform *poses; ///< [frame_count][joint_count]
} bake;

static cli_exit read_program(const cli_simulate_opts *opts, bake *b)
{
    cli_bytes bytes = {0};
    lmb_error error = {0};
    cli_exit code = cli_bytes_read(opts->drivers, &bytes);
    if (code == CLI_DONE && lmb_drivers_create(bytes.data, bytes.size, b->character, NULL,
                                               &b->drivers, &error) != LMB_OK) {
        code = cli_fail_file(opts->drivers, &error);
    }
    free(bytes.data);
    return code;
}

static cli_exit set_parameter(const cli_run *cli, const char *setting, lmb_drivers *drivers)
{
    const char *equals = strchr(setting, '=');
    char *end = NULL;
    const double value = equals != NULL ? strtod(equals + 1, &end) : 0;
    if (equals == NULL || end == equals + 1 || *end != 0 || !isfinite(value)) {
        return cli_fail(cli, CLI_USAGE, "--set takes NAME=VALUE, not %s", setting);
    }
    const size_t size = (size_t)(equals - setting);
    const lmb_drivers_info info = lmb_drivers_describe(drivers);
    for (uint32_t k = 0; k < info.parameter_count; ++k) {
        const char *name = info.parameter_names[k];
        if (strlen(name) == size && memcmp(name, setting, size) == 0) {
            lmb_drivers_set(drivers, k, value);
            return CLI_DONE;
        }
    }
    return cli_fail(cli, CLI_USAGE, "--set: the program has no parameter %.*s", (int)size, setting);
}

static void run_drivers(const cli_simulate_opts *opts, bake *b)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    const uint32_t n = skeleton->joint_count;
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        const double time_s = f / opts->fps;
        lmb_transform *pose = b->poses + (size_t)f * n;
        float *weights = b->weights + (size_t)f * b->weight_count;
        memcpy(pose, skeleton->rest, n * sizeof *pose);
        memcpy(weights, b->rest_weights, b->weight_count * sizeof *weights);
        if (b->clip != NULL) {
            lmb_sample(&(lmb_sample_job){.clip = b->clip,
                                         .time_s = cli_simulate_time(b->clip, time_s),
                                         .joint_count = n,
                                         .pose = pose,
                                         .weight_first = b->weight_first,
                                         .weights = weights});
        }
        lmb_drivers_step(&(lmb_drivers_step_job){.drivers = b->drivers,
                                                 .time_s = time_s,
                                                 .dt_s = f > 0 ? 1 / opts->fps : 0,
                                                 .local = pose,
                                                 .weights = weights});
    }
}

/// The weights of one joint over all frames as a channel; false when they stay as at rest.
static bool weight_channel(const bake *b, uint32_t joint, float *ticks, lmb_channel *out)
{
    const uint32_t first = b->weight_first[joint], width = b->weight_first[joint + 1] - first;
    bool moves = false;
    float *values = cli_resize(NULL, (size_t)b->frame_count * width + 1, sizeof *values);
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        const float *now = b->weights + (size_t)f * b->weight_count + first;
        memcpy(values + (size_t)f * width, now, width * sizeof *values);
        moves = moves || memcmp(now, b->rest_weights + first, width * sizeof *now) != 0;
    }
    *out = (lmb_channel){.joint = joint,
                         .path = LMB_PATH_WEIGHTS,
                         .width = width,
                         .key_count = b->frame_count,
                         .ticks = ticks,
                         .values = values};
    if (!moves) {
        free(values);
    }
    return moves;
}

/// The clip of the joints with channels of the morph weights behind them. Takes `joints` over.
static lmb_result add_weights(const bake *b, lmb_clip *joints, lmb_clip **out, lmb_error *error)
{
    const uint32_t n = b->character->skeleton->joint_count;
    float *ticks = cli_resize(NULL, b->frame_count, sizeof *ticks);
    lmb_channel *channels = cli_resize(NULL, joints->channel_count + n, sizeof *channels);
    lmb_clip def = *joints;
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        ticks[f] = (float)f;
    }
    if (joints->channel_count > 0) { // none: no array
        memcpy(channels, joints->channels, joints->channel_count * sizeof *channels);
    }
    for (uint32_t j = 0; j < n; ++j) {
        if (b->weight_first[j + 1] > b->weight_first[j] &&
            weight_channel(b, j, ticks, &channels[def.channel_count])) {
            ++def.channel_count;
        }
    }
    def.channels = channels;
    const lmb_result result = lmb_clip_create(&def, NULL, out, error);
    for (uint32_t k = joints->channel_count; k < def.channel_count; ++k) {
        free(channels[k].values);
    }
    free(channels);
    free(ticks);
    lmb_clip_destroy(joints);
    return result;
}

static cli_exit write_clip(cli_run *cli, const cli_simulate_opts *opts, const bake *b,
                           lmb_character **character)
{
    lmb_clip *clip = NULL, *whole = NULL;
    lmb_error error = {0};
    lmb_result result = lmb_clip_from_poses((*character)->skeleton, b->poses, b->frame_count,
                                            (float)opts->fps, opts->name, NULL, &clip, &error);
    if (result == LMB_OK) {
        result = add_weights(b, clip, &whole, &error);
    }
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the result", result, &error);
    }
    const cli_exit code = cli_clip_put_first(cli, character, whole, false);
    return code == CLI_DONE ? cli_character_write(cli, cli->output, "glb", *character) : code;
}

static void report_drivers(const cli_run *cli, const cli_simulate_opts *opts, const bake *b)
{
    const lmb_drivers_info info = lmb_drivers_describe(b->drivers);
    cli_say(cli, "drivers", "%u channels driven, %u instructions a frame, %u frames",
            (unsigned)info.channel_count, (unsigned)info.instruction_count,
            (unsigned)b->frame_count);
    if (cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "output", cli->output);
        cli_json_integer(&json, "channels", info.channel_count);
        cli_json_integer(&json, "instructions", info.instruction_count);
        cli_json_integer(&json, "frames", b->frame_count);
        cli_json_number(&json, "fps", (float)opts->fps);
        cli_json_end(&json, '}');
    }
}

cli_exit cli_simulate_drivers(cli_run *cli, const cli_simulate_opts *opts,
                              lmb_character **character)
{
    bake b = {.character = *character};
    const uint32_t n = (*character)->skeleton->joint_count;
    cli_exit code = cli_simulate_frames(cli, opts, *character, &b.clip, &b.frame_count);
    if (code == CLI_DONE) {
        code = read_program(opts, &b);
    }
    for (int k = 0; code == CLI_DONE && k < opts->sets.count; ++k) {
        code = set_parameter(cli, opts->sets.items[k], b.drivers);
    }
    b.weight_first = cli_resize(NULL, (size_t)n + 1, sizeof *b.weight_first);
    b.weight_count = lmb_character_weights(*character, b.weight_first, NULL);
    b.rest_weights = cli_resize(NULL, (size_t)b.weight_count + 1, sizeof *b.rest_weights);
    lmb_character_weights(*character, b.weight_first, b.rest_weights);
    if (code == CLI_DONE && (double)b.frame_count * b.weight_count > 1e8) {
        code = cli_fail(cli, CLI_UNSUPPORTED,
                        "not supported: more than a hundred million morph weights of frames");
    }
    if (code == CLI_DONE) {
        b.poses = cli_resize(NULL, (size_t)b.frame_count * n, sizeof *b.poses);
        b.weights = cli_resize(NULL, (size_t)b.frame_count * b.weight_count + 1, sizeof *b.weights);
        run_drivers(opts, &b);
        code = write_clip(cli, opts, &b, character);
    }
    if (code == CLI_DONE) {
        report_drivers(cli, opts, &b);
    }
    lmb_drivers_destroy(b.drivers);
    free(b.weight_first);
    free(b.rest_weights);
    free(b.weights);
    free(b.poses);
    return code;
}
