/// simulate --flesh: skin that swings and keeps its volume, baked to morph targets that play with
/// the clip.
#include "cli/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Whether the instance is one of those that the library simulates.
static const lmb_mesh *skinned_mesh(const lmb_character *c, uint32_t instance)
{
    const lmb_mesh *mesh = c->meshes[c->instances[instance].mesh];
    return c->instances[instance].skin >= 0 && mesh->influences.first != NULL ? mesh : NULL;
}

static size_t count_vertices(const lmb_character *c)
{
    size_t count = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = skinned_mesh(c, i);
        count += mesh != NULL ? mesh->vertex_count : 0;
    }
    return count;
}

// ---- softness of vertices and joints

static cli_exit read_colors(const cli_run *cli, const lmb_character *c, int channel, float *out)
{
    bool any = false;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = skinned_mesh(c, i);
        any = any || (mesh != NULL && mesh->colors[0] != NULL);
        for (uint32_t v = 0; mesh != NULL && v < mesh->vertex_count; ++v) {
            const lmb_vec4 color = mesh->colors[0] != NULL ? mesh->colors[0][v] : (lmb_vec4){0};
            const float rgba[4] = {color.x, color.y, color.z, color.w};
            *out++ = fminf(fmaxf(rgba[channel], 0), 1);
        }
    }
    return any ? CLI_DONE
               : cli_fail(cli, CLI_INPUT, "%s: --soft-paint: expected vertex colours, found none",
                          cli->inputs[0]);
}

/// One number a line; what follows a '#' is a comment.
static cli_exit read_numbers(const cli_run *cli, const char *path, const cli_bytes *bytes,
                             float *out, size_t count)
{
    char *text = cli_resize(NULL, bytes->size + 1, 1), *at = text;
    cli_exit code = CLI_DONE;
    size_t found = 0;
    memcpy(text, bytes->data, bytes->size);
    text[bytes->size] = 0;
    for (unsigned line = 1; code == CLI_DONE && *at != 0; ++line) {
        const size_t length = strcspn(at, "\n");
        char *next = at + length + (at[length] == '\n'), *end = NULL;
        at[length] = 0;
        at[strcspn(at, "#")] = 0;
        at += strspn(at, " \t\r");
        if (*at != 0) {
            const double value = strtod(at, &end);
            end += strspn(end, " \t\r");
            if (end == at || *end != 0 || !(value >= 0 && value <= 1)) {
                code =
                    cli_fail(cli, CLI_INPUT, "%s:%u: expected a number of 0 to 1, found \"%.30s\"",
                             path, line, at);
            } else if (found < count) {
                out[found] = (float)value;
            }
            ++found;
        }
        at = next;
    }
    free(text);
    if (code == CLI_DONE && found != count) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected %zu numbers, one a vertex, found %zu", path,
                        count, found);
    }
    return code;
}

/// What --soft-paint or --soft-file says of each vertex; *out stays NULL without either.
static cli_exit read_painted(const cli_run *cli, const cli_simulate_opts *opts,
                             const lmb_character *c, float **out)
{
    static const char *const names[] = {"red", "green", "blue", "alpha"};
    const char *channel = opts->soft_paint, *path = opts->soft_file;
    if (channel != NULL && path != NULL) {
        return cli_fail(cli, CLI_USAGE, "expected one of --soft-paint and --soft-file");
    }
    if (channel == NULL && path == NULL) {
        return CLI_DONE;
    }
    const size_t count = count_vertices(c);
    *out = cli_resize(NULL, count, sizeof **out);
    if (path != NULL) {
        cli_bytes bytes = {0};
        cli_exit code = cli_bytes_read(path, &bytes);
        if (code == CLI_DONE) {
            code = read_numbers(cli, path, &bytes, *out, count);
        }
        free(bytes.data);
        return code;
    }
    for (int k = 0; k < 4; ++k) {
        if (strcmp(channel, names[k]) == 0) {
            return read_colors(cli, c, k, *out);
        }
    }
    return cli_fail(cli, CLI_USAGE, "--soft-paint takes red, green, blue or alpha, not %s",
                    channel);
}

static cli_exit read_soft(const cli_run *cli, const char *setting, const lmb_skeleton *skeleton,
                          float *softness)
{
    const char *equals = strrchr(setting, '=');
    char name[200], *end = NULL;
    const double value = equals != NULL ? strtod(equals + 1, &end) : 0;
    if (equals == NULL || end == equals + 1 || *end != 0 || !(value >= 0 && value <= 1) ||
        equals - setting >= (long)sizeof name) {
        return cli_fail(cli, CLI_USAGE, "--soft takes JOINT=AMOUNT, an amount of 0 to 1, not %s",
                        setting);
    }
    memcpy(name, setting, (size_t)(equals - setting));
    name[equals - setting] = 0;
    const int32_t joint = lmb_skeleton_find(skeleton, name);
    if (joint == LMB_NONE) {
        return cli_fail(cli, CLI_USAGE, "--soft: the character has no joint \"%s\"", name);
    }
    softness[joint] = (float)value;
    return CLI_DONE;
}

/// The library's estimate, or 1 where vertices are painted, and what --soft says.
static cli_exit find_softness(const cli_run *cli, const cli_simulate_opts *opts,
                              const lmb_skeleton *skeleton, bool painted, float *out)
{
    lmb_error error = {0};
    const lmb_result result = lmb_soft_tissue_joint_softness(skeleton, NULL, out, &error);
    cli_exit code = result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the joints", result, &error);
    for (uint32_t j = 0; painted && j < skeleton->joint_count; ++j) {
        out[j] = 1;
    }
    for (int k = 0; code == CLI_DONE && k < opts->soft.count; ++k) {
        code = read_soft(cli, opts->soft.items[k], skeleton, out);
    }
    return code;
}

// ---- the report

static simulate_tracks make_tracks(const lmb_soft_tissue_report *frames, uint32_t count, double fps)
{
    simulate_tracks tracks = simulate_tracks_start(count, fps);
    float *kinetic =
        simulate_track_add(&tracks, "kinetic", "joules a kilogram of skin that moves", 1);
    float *offset = simulate_track_add(&tracks, "offset_m", "farthest off the skin in mm", 1e3f);
    float *volume =
        simulate_track_add(&tracks, "volume", "regions off their volumes in percent", 1e2f);
    float *stretch =
        simulate_track_add(&tracks, "stretch", "edges off the skin's lengths in percent", 1e2f);
    for (uint32_t f = 0; f < count; ++f) {
        kinetic[f] = frames[f].kinetic;
        offset[f] = frames[f].offset_m;
        volume[f] = frames[f].volume;
        stretch[f] = frames[f].stretch;
    }
    return tracks;
}

static void report_tissue(const cli_run *cli, const lmb_soft_tissue_bake_report *r,
                          const simulate_tracks *tracks)
{
    enum { VOLUME = 2, STRETCH = 3 };
    cli_say(cli, "flesh",
            "%u particles, %u edges, %u regions, %u frames as morph targets, at most %.1f mm off "
            "the skin",
            (unsigned)r->tissue.particle_count, (unsigned)r->tissue.edge_count,
            (unsigned)r->tissue.region_count, (unsigned)tracks->frame_count,
            (double)r->farthest_m * 1e3);
    if (cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "output", cli->output);
        cli_json_integer(&json, "particles", r->tissue.particle_count);
        cli_json_integer(&json, "edges", r->tissue.edge_count);
        cli_json_integer(&json, "regions", r->tissue.region_count);
        cli_json_integer(&json, "frames", tracks->frame_count);
        cli_json_number(&json, "fps", (float)tracks->fps);
        cli_json_number(&json, "farthest_m", r->farthest_m);
        cli_json_number(&json, "most_volume", simulate_track_most(tracks, VOLUME));
        cli_json_number(&json, "most_stretch", simulate_track_most(tracks, STRETCH));
        simulate_tracks_write(&json, tracks);
        cli_json_end(&json, '}');
    }
}

static cli_exit bake_and_write(cli_run *cli, const cli_simulate_opts *opts,
                               lmb_soft_tissue_bake_opts *bake, lmb_character **character)
{
    lmb_soft_tissue_bake_report report;
    lmb_error error = {0};
    bake->frames = cli_resize(NULL, bake->frame_count, sizeof *bake->frames);
    const lmb_result result = lmb_soft_tissue_bake(character, bake, &report, NULL, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    simulate_tracks tracks = make_tracks(bake->frames, bake->frame_count, bake->rate_hz);
    cli_exit code = cli_character_write(cli, cli->output, "glb", *character);
    if (code == CLI_DONE && opts->plot != NULL) {
        code = simulate_tracks_plot(cli, opts->plot, &tracks);
    }
    if (code == CLI_DONE) {
        report_tissue(cli, &report, &tracks);
    }
    simulate_tracks_end(&tracks);
    return code;
}

cli_exit cli_simulate_flesh(cli_run *cli, const cli_simulate_opts *given, lmb_character **character)
{
    cli_simulate_opts opts = *given;
    const lmb_skeleton *skeleton = (*character)->skeleton;
    // One morph target a frame: 20 a second by default.
    opts.fps = cli_given(cli, "fps") ? opts.fps : 20;
    if (!(opts.frequency >= 0 && opts.frequency <= 1000 && opts.damping >= 0 &&
          opts.damping <= 100)) {
        return cli_fail(cli, CLI_USAGE,
                        "expected --frequency of 0 to 1000 and --damping of 0 to 100, found %g and "
                        "%g",
                        opts.frequency, opts.damping);
    }
    lmb_soft_tissue_bake_opts bake = {.rate_hz = opts.fps,
                                      .name = opts.name,
                                      .frequency_hz = (float)opts.frequency,
                                      .damping = (float)opts.damping};
    float *painted = NULL;
    float *softness = cli_resize(NULL, skeleton->joint_count, sizeof *softness);
    cli_exit code = cli_simulate_frames(cli, &opts, *character, &bake.clip, &bake.frame_count);
    if (code == CLI_DONE) {
        code = read_painted(cli, &opts, *character, &painted);
    }
    if (code == CLI_DONE) {
        code = find_softness(cli, &opts, skeleton, painted != NULL, softness);
    }
    if (code == CLI_DONE) {
        bake.joint_softness = softness;
        bake.vertex_softness = painted;
        code = bake_and_write(cli, &opts, &bake, character);
    }
    free(bake.frames);
    free(painted);
    free(softness);
    return code;
}
