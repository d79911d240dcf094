#include "cli/animate/made.h"

#include <ctype.h>
#include <string.h>

/// Whether the word is part of the name, the title, the tags or the body's name; case ignored.
static bool has_word(const char *text, const char *word)
{
    for (; *text != 0; ++text) {
        size_t k = 0;
        while (word[k] != 0 && tolower((unsigned char)text[k]) == tolower((unsigned char)word[k])) {
            ++k;
        }
        if (word[k] == 0) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const cli_run *cli, const lmb_motion_info *info)
{
    bool all = true;
    for (int i = 0; i < cli->input_count; ++i) {
        const char *word = cli->inputs[i];
        all =
            all && (has_word(info->name, word) || has_word(info->title, word) ||
                    has_word(info->tags, word) || has_word(lmb_motion_body_name(info->body), word));
    }
    return all;
}

static const char *way_of(const lmb_motion_info *info)
{
    return info->is_loop ? "loop" : "once";
}

static void print_line(const lmb_motion_info *info)
{
    char seconds[16] = "-";
    if (info->length_s > 0) {
        snprintf(seconds, sizeof seconds, "%.1f", (double)info->length_s);
    }
    printf("%-18s %-9s %-4s %5s  %s\n", info->name, lmb_motion_body_name(info->body), way_of(info),
           seconds, info->title);
}

static void write_json(cli_json *json, const lmb_motion_info *info, const char *text)
{
    cli_json_begin(json, NULL, '{');
    cli_json_text(json, "name", info->name);
    cli_json_text(json, "title", info->title);
    cli_json_text(json, "body", lmb_motion_body_name(info->body));
    cli_json_bool(json, "loop", info->is_loop);
    cli_json_bool(json, "gait", info->is_gait);
    cli_json_bool(json, "travels", info->travels);
    if (info->length_s > 0) {
        cli_json_number(json, "seconds", info->length_s);
    } else {
        cli_json_null(json, "seconds");
    }
    cli_json_text(json, "tags", info->tags);
    if (text != NULL) {
        cli_json_text(json, "text", text);
    }
    cli_json_end(json, '}');
}

/// One line of the list, or one object; counted where it is wanted.
static cli_exit list_one(const cli_run *cli, const lmb_motion_file *file, cli_json *json,
                         size_t *shown)
{
    lmb_motion *motion = NULL;
    const cli_exit code = cli_made_read(cli, file->name, &motion);
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_motion_info info = lmb_motion_describe(motion);
    if (is_wanted(cli, &info)) {
        ++*shown;
        if (cli->json) {
            write_json(json, &info, NULL);
        } else {
            print_line(&info);
        }
    }
    lmb_motion_destroy(motion);
    return CLI_DONE;
}

static cli_exit list(const cli_run *cli)
{
    size_t count = 0, shown = 0;
    const lmb_motion_file *files = lmb_motion_files(&count);
    cli_exit code = CLI_DONE;
    cli_json json = {.file = stdout};
    if (cli->json) {
        cli_json_begin(&json, NULL, '{');
        cli_json_begin(&json, "motions", '[');
    }
    for (size_t k = 0; code == CLI_DONE && k < count; ++k) {
        code = list_one(cli, &files[k], &json, &shown);
    }
    if (cli->json) {
        cli_json_end(&json, ']');
        cli_json_end(&json, '}');
    }
    if (code == CLI_DONE && shown == 0) {
        return cli->input_count == 1 ? cli_made_refuse(cli, cli->inputs[0])
                                     : cli_fail(cli, CLI_USAGE, "no motion has all of these words");
    }
    return code;
}

static cli_exit print_text(const cli_run *cli, const lmb_motion_file *file)
{
    lmb_motion *motion = NULL;
    const cli_exit code = cli_made_read(cli, file->name, &motion);
    if (code == CLI_DONE && cli->json) {
        const lmb_motion_info info = lmb_motion_describe(motion);
        cli_json json = {.file = stdout};
        write_json(&json, &info, file->text);
    } else if (code == CLI_DONE) {
        fwrite(file->text, 1, file->size, stdout);
    }
    lmb_motion_destroy(motion);
    return code;
}

static cli_exit run_motions(cli_run *cli, const void *given)
{
    (void)given;
    const lmb_motion_file *file = cli->input_count == 1 ? cli_made_find(cli->inputs[0]) : NULL;
    return file != NULL ? print_text(cli, file) : list(cli);
}

#include "cli/motions.options.h"
