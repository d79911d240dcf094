/// `limber clean`: repairs a clip.
#include "cli/animate/feet_compare.h"
#include "cli/clean/edit.h"

#include <stdlib.h>
#include <string.h>

typedef struct clean_options {
    cli_in_opts in;
    const char *clip, *name, *plot;
    bool keep_spikes, keep_gaps, keep_feet, trim, loop, mirror, alone, instead;
    double smooth;
    clean_edits edits;
} clean_options;

#include "cli/clean/clean.options.h"

static void say_result(const cli_run *cli, const lmb_clean_report *r)
{
    cli_say(cli, "clean", "%u frames at %g Hz, %u spikes and %u frames of gaps bridged",
            (unsigned)r->frame_count, (double)r->frame_rate, (unsigned)r->spike_count,
            (unsigned)r->gap_frames);
    if (r->feet_held) {
        cli_say(cli, "feet", "%u contacts held, moved by up to %.1f cm", (unsigned)r->contact_count,
                100 * (double)r->largest_correction);
    } else {
        cli_say(cli, "feet", "left as they are");
    }
    cli_say(cli, "part", "%.2f to %.2f s", r->begin_s, r->end_s);
}

static void print_json(const cli_run *cli, const lmb_clean_report *r,
                       const lmb_feet_measure measures[2])
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_integer(&json, "frames", r->frame_count);
    cli_json_number(&json, "rate_hz", r->frame_rate);
    cli_json_integer(&json, "spikes", r->spike_count);
    cli_json_integer(&json, "gap_frames", r->gap_frames);
    cli_json_bool(&json, "feet_held", r->feet_held);
    cli_json_text(&json, "way", r->by_chains ? "chains" : "human");
    cli_json_integer(&json, "contacts", r->contact_count);
    cli_json_number(&json, "largest_correction_m", r->largest_correction);
    cli_json_number(&json, "begin_s", (float)r->begin_s);
    cli_json_number(&json, "end_s", (float)r->end_s);
    cli_feet_json(&json, measures);
    cli_json_end(&json, '}');
}

static cli_exit make_clip(cli_run *cli, const clean_options *opts, const lmb_character *character,
                          uint32_t index, lmb_clip **clip, lmb_clean_report *report)
{
    const lmb_clean_opts how = {.keep_spikes = opts->keep_spikes,
                                .keep_gaps = opts->keep_gaps,
                                .keep_feet = opts->keep_feet,
                                .smooth_hz = (float)opts->smooth,
                                .trim = opts->trim,
                                .loop = opts->loop,
                                .mirror = opts->mirror,
                                .name = opts->name};
    lmb_error error = {0};
    const lmb_result result = lmb_clean_clip(character, index, &how, NULL, clip, report, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, cli->inputs[0], result, &error);
}

static cli_exit put_clip(cli_run *cli, const clean_options *opts, uint32_t index,
                         lmb_character **character, lmb_clip *clip)
{
    const cli_exit code = cli_clip_put_first(cli, character, clip, opts->alone);
    if (code == CLI_DONE && opts->instead && !opts->alone) {
        lmb_character *c = *character;
        const uint32_t old = index + 1;
        lmb_clip_destroy(c->clips[old]);
        --c->clip_count;
        memmove(c->clips + old, c->clips + old + 1, (c->clip_count - old) * sizeof(*c->clips));
    }
    return code;
}

static cli_exit clean_clip(cli_run *cli, const clean_options *opts, lmb_character **character)
{
    uint32_t index = 0;
    lmb_clip *clip = NULL;
    lmb_clean_report report;
    lmb_feet_measure measures[2];
    cli_exit code = CLI_DONE;
    if ((*character)->clip_count == 0) {
        return cli_fail(cli, CLI_INPUT, "%s: expected a motion, found a file without clips",
                        cli->inputs[0]);
    }
    if (opts->clip != NULL) {
        code = cli_clip_find(cli, *character, opts->clip, &index);
    }
    if (code == CLI_DONE) {
        code = make_clip(cli, opts, *character, index, &clip, &report);
    }
    if (code != CLI_DONE) {
        return code;
    }
    code = clean_edit(cli, &opts->edits, *character, &clip);
    if (code != CLI_DONE) {
        lmb_clip_destroy(clip);
        return code;
    }
    const lmb_chain_map *chains = report.by_chains ? &report.chains : NULL;
    const lmb_feet_source sides[2] = {{*character, (*character)->clips[index], NULL, chains, 0},
                                      {*character, clip, NULL, chains, 0}};
    code = cli_feet_compare(cli, sides, opts->plot, measures);
    if (code != CLI_DONE) {
        lmb_clip_destroy(clip);
        return code;
    }
    code = put_clip(cli, opts, index, character, clip);
    if (code == CLI_DONE) {
        say_result(cli, &report);
        code = cli_character_write(cli, cli->output, "glb", *character);
    }
    if (code == CLI_DONE && cli->json) {
        print_json(cli, &report, measures);
    }
    return code;
}

static cli_exit run_clean(cli_run *cli, const void *given)
{
    const clean_options *opts = given;
    cli_read_opts in;
    lmb_character *character = NULL;
    cli_exit code = cli_in_read(cli, &opts->in, &in);
    if (code == CLI_DONE && !(opts->smooth >= 0 && opts->smooth <= 1000)) {
        code = cli_fail(cli, CLI_USAGE, "--smooth takes up to 1000 Hz, found %g", opts->smooth);
    }
    if (code == CLI_DONE && !(opts->edits.rate >= 0 && opts->edits.rate <= 1000)) {
        code = cli_fail(cli, CLI_USAGE, "--rate takes up to 1000 Hz, found %g", opts->edits.rate);
    }
    if (code == CLI_DONE && !(opts->edits.tempo >= 0.01 && opts->edits.tempo <= 100)) {
        code = cli_fail(cli, CLI_USAGE, "--tempo takes 0.01 to 100 times, found %g",
                        opts->edits.tempo);
    }
    if (code == CLI_DONE && !(opts->edits.reduce_m >= 0 && opts->edits.reduce_m <= 1000)) {
        code = cli_fail(cli, CLI_USAGE, "--reduce takes a distance in metres, found %g",
                        opts->edits.reduce_m);
    }
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &in, NULL, &character);
    }
    code = code == CLI_DONE ? clean_clip(cli, opts, &character) : code;
    lmb_character_destroy(character);
    return code;
}
