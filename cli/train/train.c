/// limber train: a style from rigged characters.
#include "cli/cli.h"
#include "cli/train/style.h"

#include <stdlib.h>
#include <string.h>

typedef struct train_options {
    cli_in_opts in;
    int64_t epochs, samples;
    bool quick;
} train_options;

#include "cli/train/train.options.h"

cli_exit cli_style_read(const char *path, lmb_style **out)
{
    cli_bytes bytes;
    lmb_error error = {0};
    const cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_result result = lmb_style_read(bytes.data, bytes.size, NULL, out, &error);
    free(bytes.data);
    return result == LMB_OK ? CLI_DONE : cli_fail_file(path, &error);
}

static void print_report(const lmb_style_report *r, const char *output, size_t size)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", output);
    cli_json_integer(&json, "bytes", (int64_t)size);
    cli_json_report(&json, r);
    cli_json_end(&json, '}');
}

/// Two numbers, without the style and with it.
static void put_both(cli_json *json, const char *name, float before, float after)
{
    char key[32];
    snprintf(key, sizeof key, "%s_before", name);
    cli_json_number(json, key, before);
    snprintf(key, sizeof key, "%s_after", name);
    cli_json_number(json, key, after);
}

void cli_json_report(cli_json *json, const lmb_style_report *r)
{
    const bool measured = r->l1_before >= 0, placed = r->placed_count > 0;
    cli_json_integer(json, "characters", r->character_count);
    cli_json_integer(json, "joints", r->joint_count);
    if (measured) {
        put_both(json, "l1", r->l1_before, r->l1_after);
        cli_json_integer(json, "better", r->better_count);
        cli_json_integer(json, "worse", r->worse_count);
    }
    cli_json_integer(json, "placed", r->placed_count);
    if (placed) {
        put_both(json, "joints", r->joints_before, r->joints_after);
    }
    cli_json_number(json, "trust", r->trust);
    cli_json_bool(json, "trusts_heat", !(r->trust > 0));
}

void cli_say_style(const cli_run *cli, const char *label, const lmb_style_report *r)
{
    cli_say(cli, label, "of %u characters, %u joints", r->character_count, r->joint_count);
    if (r->l1_before >= 0) {
        cli_say(cli, "weights",
                "on characters left out L1 to painted weights %.3f, by heat %.3f; nearer on %u, "
                "farther by over 0.05 on %u; %.0f%% of them the model's, %.0f%% heat's",
                (double)r->l1_after, (double)r->l1_before, r->better_count, r->worse_count,
                100 * (double)r->trust, 100 - 100 * (double)r->trust);
    }
    if (r->placed_count > 0) {
        cli_say(cli, "joints",
                "on %u characters left out %.2f%% of the height off, without the style %.2f%%",
                r->placed_count, 100 * (double)r->joints_after, 100 * (double)r->joints_before);
    }
}

static cli_exit write_style(const cli_run *cli, const lmb_style *style)
{
    lmb_buffer bytes = {0};
    lmb_error error = {0};
    const lmb_result result = lmb_style_write(style, NULL, &bytes, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->output, result, &error);
    }
    const cli_exit code = cli_bytes_write(cli->output, bytes.data, bytes.size);
    if (code == CLI_DONE) {
        const lmb_style_report report = lmb_style_describe(style);
        cli_say_style(cli, cli->output, &report);
        if (cli->json) {
            print_report(&report, cli->output, bytes.size);
        }
    }
    lmb_buffer_free(&bytes);
    return code;
}

static cli_exit train(const cli_run *cli, const train_options *given,
                      const lmb_character *const *characters)
{
    const lmb_style_opts opts = {.epochs = (uint32_t)given->epochs,
                                 .samples = (uint32_t)given->samples,
                                 .seed = (uint64_t)cli->seed,
                                 .no_report = given->quick,
                                 .jobs = &cli->jobs,
                                 .progress = cli->progress_or_null};
    lmb_style *style = NULL;
    lmb_error error = {0};
    const lmb_result result =
        lmb_style_train(characters, (uint32_t)cli->input_count, &opts, NULL, &style, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the style", result, &error);
    }
    const cli_exit code = write_style(cli, style);
    lmb_style_destroy(style);
    return code;
}

static cli_exit run_train(cli_run *cli, const void *given)
{
    const train_options *opts = given;
    if (opts->epochs < 0 || opts->epochs > 10000 || opts->samples < 0 || opts->samples > 100000) {
        return cli_fail(cli, CLI_USAGE, "--epochs takes up to 10000, --samples up to 100000");
    }
    cli_read_opts in;
    cli_exit code = cli_in_read(cli, &opts->in, &in);
    const size_t count = (size_t)cli->input_count;
    lmb_character **characters = cli_resize(NULL, count, sizeof *characters);
    memset(characters, 0, count * sizeof *characters);
    for (size_t k = 0; k < count && code == CLI_DONE; ++k) {
        code = cli_character_read(cli, cli->inputs[k], &in, NULL, &characters[k]);
    }
    if (code == CLI_DONE) {
        code = train(cli, opts, (const lmb_character *const *)characters);
    }
    for (size_t k = 0; k < count; ++k) {
        lmb_character_destroy(characters[k]);
    }
    free(characters);
    return code;
}
