#include "cli/cli.h"

#include "limber/os.h"
#include "os/paths.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABEL_WIDTH = 14 };

static void print_label(const char *label)
{
    cli_put_clean(stderr, label, "");
    const int width = (int)strlen(label);
    fprintf(stderr, "%*s", width < LABEL_WIDTH ? LABEL_WIDTH - width + 1 : 1, "");
}

__attribute__((format(printf, 2, 0))) static void print_line(const char *label, const char *format,
                                                             va_list arguments)
{
    print_label(label);
    cli_print_list(stderr, "", format, arguments);
    fputc('\n', stderr);
}

void cli_say(const cli_run *cli, const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!cli->quiet) {
        print_line(label, format, arguments);
    }
    va_end(arguments);
}

void cli_detail(const cli_run *cli, const char *label, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!cli->quiet && cli->verbose > 0) {
        print_line(label, format, arguments);
    }
    va_end(arguments);
}

static void print_name(const cli_run *cli)
{
    if (cli->command != NULL) {
        fprintf(stderr, "limber %s: ", cli->command->name);
    } else {
        fputs("limber: ", stderr);
    }
}

void cli_warn(const cli_run *cli, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_name(cli);
    fputs("warning: ", stderr);
    cli_print_list(stderr, "", format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

cli_exit cli_fail(const cli_run *cli, cli_exit code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_name(cli);
    cli_print_list(stderr, "", format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

static cli_exit exit_of(lmb_result result)
{
    switch (result) {
    case LMB_OK:
        return CLI_DONE;
    case LMB_ERROR_MALFORMED:
    case LMB_ERROR_INVALID:
        return CLI_INPUT;
    case LMB_ERROR_UNSUPPORTED:
        return CLI_UNSUPPORTED;
    case LMB_ERROR_MEMORY:
    case LMB_ERROR_CANCELLED:
        break;
    }
    return CLI_FAILED;
}

static void print_clean(const char *text)
{
    cli_put_clean(stderr, text, "");
}

static void print_error(const lmb_error *error)
{
    if (error->code == LMB_ERROR_MEMORY || (error->expected[0] == 0 && error->found[0] == 0)) {
        char hint[64] = "";
        if (error->code == LMB_ERROR_MEMORY) {
            cli_memory_hint(hint);
        }
        fprintf(stderr, "%s%s", lmb_result_name(error->code), hint);
    } else if (error->code == LMB_ERROR_UNSUPPORTED) {
        fputs("not supported: ", stderr);
        print_clean(error->found[0] != 0 ? error->found : error->expected);
    } else {
        fputs("expected ", stderr);
        print_clean(error->expected);
        if (error->found[0] != 0) {
            fputs(", found ", stderr);
            print_clean(error->found);
        }
    }
    fputc('\n', stderr);
}

cli_exit cli_fail_file(const char *file, const lmb_error *error)
{
    print_clean(strcmp(file, "-") == 0 ? "<stdin>" : file);
    if (error->code == LMB_ERROR_MEMORY || error->code == LMB_ERROR_CANCELLED) {
        fputs(": ", stderr);
    } else if (error->line != 0) {
        fprintf(stderr, ":%u:%u: ", error->line, error->column);
    } else {
        fprintf(stderr, ": byte %zu: ", error->offset);
    }
    print_error(error);
    return exit_of(error->code);
}

cli_exit cli_fail_call(const cli_run *cli, const char *what, lmb_result result,
                       const lmb_error *error)
{
    print_name(cli);
    if (what != NULL) {
        print_clean(what);
        fputs(": ", stderr);
    }
    if (error != NULL) {
        print_error(error);
    } else {
        print_error(&(lmb_error){.code = result});
    }
    return exit_of(result);
}

_Noreturn void cli_out_of_memory(void)
{
    char hint[64];
    cli_memory_hint(hint);
    fprintf(stderr, "limber: out of memory%s\n", hint);
    exit(CLI_FAILED);
}

void *cli_resize(void *block, size_t count, size_t size)
{
    if (count == 0) {
        count = 1;
    }
    void *grown = count <= SIZE_MAX / size ? realloc(block, count * size) : NULL;
    if (grown == NULL) {
        cli_out_of_memory();
    }
    return grown;
}

static bool report_progress(void *user, const char *stage, float fraction)
{
    cli_run *cli = user;
    const int percent = (int)(100.0f * fraction);
    const bool same_stage = cli->stage != NULL && strcmp(cli->stage, stage) == 0;
    if (cli->progress_mode == CLI_PROGRESS_PLAIN) {
        if (!same_stage || percent / 10 != cli->percent / 10) {
            fprintf(stderr, "progress %s %d%%\n", stage, percent);
        }
    } else if (!same_stage || percent != cli->percent) {
        fprintf(stderr, "\r\033[K%-*s %3d%%", LABEL_WIDTH, stage, percent);
        fflush(stderr);
    }
    cli->stage = stage;
    cli->percent = percent;
    return true;
}

void cli_progress_start(cli_run *cli)
{
    const bool shown =
        cli->progress_mode == CLI_PROGRESS_PLAIN ||
        (cli->progress_mode == CLI_PROGRESS_AUTO && !cli->quiet && isatty(STDERR_FILENO));
    cli->progress = (lmb_progress){report_progress, cli};
    cli->progress_or_null = shown ? &cli->progress : NULL;
}

void cli_progress_end(cli_run *cli)
{
    if (cli->stage != NULL && cli->progress_mode != CLI_PROGRESS_PLAIN) {
        fputs("\r\033[K", stderr);
    }
    cli->stage = NULL;
}

void cli_print_notes(const cli_run *cli, const char *path, const lmb_notes *notes)
{
    const uint32_t shown = notes->count < LMB_NOTE_MAX ? notes->count : LMB_NOTE_MAX;
    for (uint32_t i = 0; i < shown && !cli->quiet; ++i) {
        if (notes->items[i].line != 0) {
            cli_warn(cli, "%s:%u: %s", path, notes->items[i].line, notes->items[i].text);
        } else {
            cli_warn(cli, "%s: %s", path, notes->items[i].text);
        }
    }
    if (notes->count > shown && !cli->quiet) {
        cli_warn(cli, "%s: %u more like these", path, notes->count - shown);
    }
}

const char *cli_grouped(uint64_t number, char text[32])
{
    char digits[24];
    const int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
    char *out = text;
    for (int i = 0; i < length; ++i) {
        if (i > 0 && (length - i) % 3 == 0) {
            *out++ = ' ';
        }
        *out++ = digits[i];
    }
    *out = 0;
    return text;
}

void cli_memory_hint(char out[64])
{
    const uint64_t most = lmbi_memory_capped();
    out[0] = 0;
    if (most > 0) {
        snprintf(out, 64, " (--max-memory is %.4gM)", (double)most / 1048576);
    }
}
