#include "cli/bake/body_model.h"
#include "cli/posed.h"
#include "cli/still.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bake_options {
    cli_in_opts in;
    const char *clip;
    double time_s, fps;
    int64_t frame;
    int skin;
    cli_body_opts body;
} bake_options;

#include "cli/bake/bake.options.h"

// ----------------------------------------------------------------------------------------- baking

typedef struct bake {
    cli_run *cli;
    cli_posed posed;
    const lmb_clip *clip; ///< NULL: the rest pose
    bool by_primitive;
    cli_json json;
} bake;

static uint32_t vertex_count(const lmb_character *character)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        count += character->meshes[character->instances[i].mesh]->vertex_count;
    }
    return count;
}

static cli_exit bake_moment(bake *b, double time_s, const char *path)
{
    cli_posed_at(&b->posed, b->cli, b->clip, time_s);
    lmb_character *still = NULL;
    lmb_error error = {0};
    const lmb_result result = cli_still_character(&b->posed, b->by_primitive, &still, &error);
    if (result != LMB_OK) {
        return cli_fail_call(b->cli, "the deformed mesh", result, &error);
    }
    const uint32_t count = vertex_count(still);
    const cli_exit code = cli_character_write(b->cli, path, "obj", still);
    lmb_character_destroy(still);
    if (code == CLI_DONE) {
        cli_detail(b->cli, path, "%u vertices at %g s", count, time_s);
    }
    if (code == CLI_DONE && b->cli->json) {
        cli_json_begin(&b->json, NULL, '{');
        cli_json_text(&b->json, "file", path);
        cli_json_number(&b->json, "time_s", (float)time_s);
        cli_json_integer(&b->json, "vertices", count);
        cli_json_vec3(&b->json, "low", b->posed.box.low);
        cli_json_vec3(&b->json, "high", b->posed.box.high);
        cli_json_end(&b->json, '}');
    }
    return code;
}

/// The name of one file of a series: {frame} replaced, or _0000 before the extension.
static char *series_name(const char *path, uint32_t frame)
{
    static const char mark[] = "{frame}";
    const char *at = strstr(path, mark), *rest = at != NULL ? at + sizeof(mark) - 1 : NULL;
    const char *lead = "";
    if (at == NULL) {
        at = strrchr(path, '.');
        rest = at;
        lead = "_";
    }
    const size_t size = strlen(path) + 16;
    char *name = cli_resize(NULL, size, 1);
    snprintf(name, size, "%.*s%s%04u%s", (int)(at - path), path, lead, frame, rest);
    return name;
}

static cli_exit bake_series(bake *b, double fps, const char *path)
{
    const double duration = b->clip != NULL ? (double)lmb_clip_duration_s(b->clip) : 0;
    // A clip of 1 s at 30 a second has frames 0 to 30; rounding must not drop the last.
    const double frames = floor(duration * fps + 1e-4) + 1;
    if (!(fps > 0) || frames > 1e6) {
        return cli_fail(b->cli, CLI_USAGE,
                        "--fps: expected a rate that gives 1 to 1000000 files, found %g", fps);
    }
    if (strcmp(path, "-") == 0 || strrchr(path, '.') == NULL) {
        return cli_fail(b->cli, CLI_USAGE,
                        "--fps writes many files: -o needs a name with an extension");
    }
    cli_exit code = CLI_DONE;
    for (uint32_t frame = 0; code == CLI_DONE && frame < (uint32_t)frames; ++frame) {
        char *name = series_name(path, frame);
        code = bake_moment(b, fmin(frame / fps, duration), name);
        free(name);
    }
    if (code == CLI_DONE) {
        cli_say(b->cli, "baked", "%u files", (uint32_t)frames);
    }
    return code;
}

static cli_exit choose_clip(bake *b, const bake_options *opts)
{
    const lmb_character *character = b->posed.character;
    // With --pose the default frame is that pose, not the rest pose.
    const bool timed = cli_given(b->cli, "time") || cli_given(b->cli, "frame") ||
                       cli_given(b->cli, "fps") || cli_given(b->cli, "pose");
    uint32_t index = 0;
    if (opts->clip != NULL) {
        const cli_exit code = cli_clip_find(b->cli, character, opts->clip, &index);
        if (code != CLI_DONE) {
            return code;
        }
    }
    if ((timed || opts->clip != NULL) && character->clip_count > 0) {
        b->clip = character->clips[index];
    } else if (timed) {
        cli_say(b->cli, b->cli->inputs[0], "no clips: the rest pose");
    }
    return CLI_DONE;
}

static cli_exit bake_all(bake *b, const bake_options *opts)
{
    cli_exit code = choose_clip(b, opts);
    if (code != CLI_DONE) {
        return code;
    }
    const double rate =
        b->clip != NULL && b->clip->frame_rate > 0 ? (double)b->clip->frame_rate : 30.0;
    b->json = (cli_json){.file = stdout};
    if (b->cli->json) {
        cli_json_begin(&b->json, NULL, '{');
        cli_json_text(&b->json, "clip", b->clip != NULL ? b->clip->name : NULL);
        cli_json_begin(&b->json, "baked", '[');
    }
    if (cli_given(b->cli, "fps")) {
        code = bake_series(b, opts->fps, b->cli->output);
    } else {
        const double time_s =
            cli_given(b->cli, "frame") ? (double)opts->frame / rate : opts->time_s;
        code = bake_moment(b, time_s, b->cli->output);
    }
    if (b->cli->json) {
        cli_json_end(&b->json, ']');
        cli_json_end(&b->json, '}');
    }
    return code;
}

static cli_exit check_options(const cli_run *cli, const bake_options *opts)
{
    if (cli_given(cli, "time") + cli_given(cli, "frame") + cli_given(cli, "fps") > 1) {
        return cli_fail(cli, CLI_USAGE, "expected one of --time, --frame and --fps");
    }
    if (opts->frame < 0) {
        return cli_fail(cli, CLI_USAGE, "--frame: expected 0 or more, found %lld",
                        (long long)opts->frame);
    }
    return CLI_DONE;
}

/// A body model's motion is written as a clip if the format has clips and no single time is given.
static bool stays_clip(const cli_run *cli)
{
    const cli_format out = cli_format_of_name(cli->output);
    return cli_given(cli, "pose") && (out == CLI_GLB || out == CLI_GLTF) &&
           !cli_given(cli, "time") && !cli_given(cli, "frame") && !cli_given(cli, "fps");
}

static cli_exit run_bake(cli_run *cli, const void *given)
{
    const bake_options *opts = given;
    cli_read_opts in;
    cli_source source;
    lmb_character *character = NULL;
    cli_exit code = check_options(cli, opts);
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &in);
    }
    if (code == CLI_DONE) {
        code = cli_body_given(cli)
                   ? cli_body_read(cli, cli->inputs[0], &opts->body, &in, stays_clip(cli), &source,
                                   &character)
                   : cli_character_read(cli, cli->inputs[0], &in, &source, &character);
    }
    if (code != CLI_DONE) {
        return code;
    }
    if (stays_clip(cli)) {
        code = cli_character_write(cli, cli->output, "glb", character);
    } else if (character->instance_count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected a mesh to bake, found none", cli->inputs[0]);
    } else {
        bake b = {.cli = cli};
        code = cli_posed_start(&b.posed, cli, character);
        if (code == CLI_DONE) {
            code = cli_posed_method(&b.posed, cli, opts->skin);
        }
        const cli_format out = cli_format_of_name(cli->output);
        const bool is_gltf = source.format == CLI_GLB || source.format == CLI_GLTF;
        b.by_primitive = is_gltf && out != CLI_GLB && out != CLI_GLTF;
        if (code == CLI_DONE) {
            code = bake_all(&b, opts);
        }
        cli_posed_end(&b.posed);
    }
    lmb_character_destroy(character);
    return code;
}
