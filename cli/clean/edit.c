#include "cli/clean/edit.h"

#include <stdlib.h>
#include <string.h>

static cli_exit replace(const cli_run *cli, const char *what, lmb_result result, lmb_clip **made,
                        const lmb_error *error, lmb_clip **clip)
{
    if (result != LMB_OK) {
        return cli_fail_call(cli, what, result, error);
    }
    lmb_clip_destroy(*clip);
    *clip = *made;
    return CLI_DONE;
}

/// "BEGIN,END" in seconds.
static cli_exit cut(const cli_run *cli, const char *text, lmb_clip **clip)
{
    char *end = NULL;
    lmb_clip *made = NULL;
    lmb_error error = {0};
    const double begin_s = strtod(text, &end);
    const bool has_end = end != text && *end == ',';
    const char *rest = has_end ? end + 1 : end;
    const double end_s = strtod(rest, &end);
    if (!has_end || end == rest || *end != 0 || !(begin_s >= 0) || !(end_s > begin_s)) {
        return cli_fail(cli, CLI_USAGE, "--cut: expected BEGIN,END in seconds, found \"%s\"", text);
    }
    return replace(
        cli, "--cut",
        lmb_clip_apply(*clip,
                       &(lmb_clip_edit){.op = LMB_CLIP_TRIM, .begin_s = begin_s, .end_s = end_s},
                       NULL, &made, &error),
        &made, &error, clip);
}

/// Clips of the character after the clip, in the order of the command line.
static cli_exit append(const cli_run *cli, const cli_list *names, const lmb_character *character,
                       lmb_clip **clip)
{
    const lmb_clip **all = cli_resize(NULL, (size_t)names->count + 1, sizeof(*all));
    cli_exit code = CLI_DONE;
    all[0] = *clip;
    for (int k = 0; k < names->count && code == CLI_DONE; ++k) {
        uint32_t index = 0;
        code = cli_clip_find(cli, character, names->items[k], &index);
        all[k + 1] = code == CLI_DONE ? character->clips[index] : NULL;
    }
    if (code == CLI_DONE) {
        lmb_clip *made = NULL;
        lmb_error error = {0};
        const lmb_result result = lmb_clip_join(all, (uint32_t)names->count + 1,
                                                character->skeleton, NULL, &made, &error);
        code = replace(cli, "--then", result, &made, &error, clip);
    }
    free(all);
    return code;
}

/// Keys stay as they are, on shorter or longer ticks.
static cli_exit retime(const cli_run *cli, double tempo, lmb_clip **clip)
{
    lmb_clip def = **clip, *made = NULL;
    lmb_error error = {0};
    const double ticks_per_s = def.ticks_per_s > 0 ? (double)def.ticks_per_s : 1;
    def.ticks_per_s = (float)(tempo * ticks_per_s);
    def.frame_rate = (float)(tempo * (double)def.frame_rate);
    return replace(cli, "--tempo", lmb_clip_create(&def, NULL, &made, &error), &made, &error, clip);
}

/// Fewer keys, as far as the skin allows; without one, 3 cm round every joint count.
static cli_exit reduce(const cli_run *cli, double precision_m, const lmb_character *character,
                       lmb_clip **clip)
{
    lmb_clip *made = NULL;
    lmb_error error = {0};
    float *reach = cli_resize(NULL, character->skeleton->joint_count, sizeof(*reach));
    lmb_character_reach(character, reach);
    const lmb_result result =
        lmb_clip_apply(*clip,
                       &(lmb_clip_edit){.op = LMB_CLIP_REDUCE,
                                        .skeleton = character->skeleton,
                                        .precision_m = (float)precision_m,
                                        .reach_m = character->instance_count > 0 ? reach : NULL},
                       NULL, &made, &error);
    free(reach);
    return replace(cli, "--reduce", result, &made, &error, clip);
}

/// "T,C,B".
static bool read_tcb(const char *text, lmb_smooth_opts *out)
{
    float *const into[3] = {&out->tension, &out->continuity, &out->bias};
    for (int k = 0; k < 3; ++k) {
        char *end = NULL;
        const double value = strtod(text, &end);
        if (end == text || *end != (k < 2 ? ',' : 0) || !(value >= -1 && value <= 1)) {
            return false;
        }
        *into[k] = (float)value;
        text = end + 1;
    }
    out->kind = LMB_TANGENTS_TCB;
    return true;
}

static cli_exit curve(const cli_run *cli, const char *text, lmb_clip **clip)
{
    lmb_clip *made = NULL;
    lmb_error error = {0};
    lmb_smooth_opts how = {.kind = LMB_TANGENTS_MONOTONE};
    if (strcmp(text, "monotone") != 0 && !read_tcb(text, &how)) {
        return cli_fail(cli, CLI_USAGE,
                        "--curves: expected monotone, or TENSION,CONTINUITY,BIAS from -1 to 1 "
                        "each, found \"%s\"",
                        text);
    }
    return replace(cli, "--curves",
                   lmb_clip_apply(*clip, &(lmb_clip_edit){.op = LMB_CLIP_SMOOTH, .tangents = how},
                                  NULL, &made, &error),
                   &made, &error, clip);
}

cli_exit clean_edit(const cli_run *cli, const clean_edits *edits, const lmb_character *character,
                    lmb_clip **clip)
{
    lmb_error error = {0};
    lmb_clip *made = NULL;
    cli_exit code = edits->cut != NULL ? cut(cli, edits->cut, clip) : CLI_DONE;
    if (code == CLI_DONE && edits->then.count > 0) {
        code = append(cli, &edits->then, character, clip);
    }
    if (code == CLI_DONE && edits->reverse) {
        code = replace(
            cli, "--reverse",
            lmb_clip_apply(*clip, &(lmb_clip_edit){.op = LMB_CLIP_REVERSE}, NULL, &made, &error),
            &made, &error, clip);
    }
    if (code == CLI_DONE && edits->tempo != 1) {
        code = retime(cli, edits->tempo, clip);
    }
    if (code == CLI_DONE && edits->rate > 0) {
        const lmb_result result = lmb_clip_apply(
            *clip, &(lmb_clip_edit){.op = LMB_CLIP_RESAMPLE, .rate_hz = (float)edits->rate}, NULL,
            &made, &error);
        code = replace(cli, "--rate", result, &made, &error, clip);
    }
    if (code == CLI_DONE && edits->reduce_m > 0) {
        code = reduce(cli, edits->reduce_m, character, clip);
    }
    if (code == CLI_DONE && edits->curves != NULL) {
        code = curve(cli, edits->curves, clip);
    }
    return code;
}
