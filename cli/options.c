#include "cli/cli.h"
#include "cli/common.options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Where an option was found: the table it is in decides which struct its value goes to.
typedef struct found {
    const cli_option *option;
    bool common;
    unsigned index;
} found;

static const cli_option no_options[] = {CLI_END};

static const cli_option *options_of(const cli_command *command)
{
    return command->options != NULL ? command->options : no_options;
}

/// The options of every command, stored in the cli_run itself. The first is left out where a command
/// writes no file.
static const cli_option *common_of(const cli_command *command)
{
    return command->output != NULL ? common_options : common_options + 1;
}

static bool matches(const cli_option *option, const char *name, size_t length, bool letter)
{
    if (letter) {
        return option->letter != 0 && option->letter == name[0];
    }
    return strlen(option->name) == length && memcmp(option->name, name, length) == 0;
}

static bool find_option(const cli_command *command, const char *name, size_t length, bool letter,
                        found *out)
{
    unsigned index = 0;
    for (const cli_option *o = options_of(command); o->name != NULL; ++o, ++index) {
        if (matches(o, name, length, letter)) {
            *out = (found){o, false, index};
            return true;
        }
    }
    for (const cli_option *o = common_of(command); o->name != NULL; ++o) {
        if (matches(o, name, length, letter)) {
            *out = (found){o, true, 0};
            return true;
        }
    }
    return false;
}

bool cli_given(const cli_run *cli, const char *option)
{
    found at;
    return find_option(cli->command, option, strlen(option), false, &at) && !at.common &&
           (cli->given >> at.index & 1u);
}

// Damerau-Levenshtein without the table: words here are short.
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    const size_t n = strlen(a), m = strlen(b);
    size_t row[LONGEST + 1], before[LONGEST + 1], two_before[LONGEST + 1];
    if (n > LONGEST || m > LONGEST) {
        return LONGEST;
    }
    for (size_t j = 0; j <= m; ++j) {
        before[j] = two_before[j] = j;
    }
    for (size_t i = 1; i <= n; ++i) {
        row[0] = i;
        for (size_t j = 1; j <= m; ++j) {
            size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
            best = before[j] + 1 < best ? before[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_before[j - 2] + 1 < best) {
                best = two_before[j - 2] + 1;
            }
            row[j] = best;
        }
        memcpy(two_before, before, sizeof(row));
        memcpy(before, row, sizeof(row));
    }
    return before[m];
}

const char *cli_nearest(const char *word, const char *const *words, size_t count)
{
    const char *nearest = NULL;
    size_t least = 1 + strlen(word) / 3;
    for (size_t i = 0; i < count; ++i) {
        const size_t distance = edit_distance(word, words[i]);
        if (distance < least || (distance == least && nearest == NULL)) {
            least = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

static cli_exit unknown_option(const cli_run *cli, const char *argument)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    for (const cli_option *o = options_of(cli->command); o->name != NULL && count < MOST; ++o) {
        names[count++] = o->name;
    }
    for (const cli_option *o = common_of(cli->command); o->name != NULL && count < MOST; ++o) {
        names[count++] = o->name;
    }
    char word[41] = {0};
    const char *start = argument + strspn(argument, "-");
    const size_t length = strcspn(start, "=");
    memcpy(word, start, length < sizeof(word) - 1 ? length : sizeof(word) - 1);
    const char *nearest = word[0] != 0 && word[1] != 0 ? cli_nearest(word, names, count) : NULL;
    if (nearest != NULL) {
        return cli_fail(cli, CLI_USAGE, "unknown option %s; did you mean --%s?", argument, nearest);
    }
    return cli_fail(cli, CLI_USAGE, "unknown option %s; `limber %s --help` lists them", argument,
                    cli->command->name);
}

static bool read_choice(const char *words, const char *text, int *out)
{
    const size_t length = strlen(text);
    for (int index = 0;; ++index) {
        const size_t word = strcspn(words, "|");
        if (word == length && memcmp(words, text, length) == 0) {
            *out = index;
            return true;
        }
        if (words[word] == 0) {
            return false;
        }
        words += word + 1;
    }
}

static bool read_integer(const char *text, int64_t *out)
{
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    *out = value;
    return end != text && *end == 0 && errno == 0;
}

static bool read_number(const char *text, double *out)
{
    char *end = NULL;
    const double value = strtod(text, &end);
    *out = value;
    return end != text && *end == 0 && isfinite(value);
}

static void append(cli_list *list, const char *text)
{
    list->items = cli_resize(list->items, (size_t)list->count + 1, sizeof(*list->items));
    list->items[list->count++] = text;
}

/// Stores one value. `text` is NULL for a flag and a count.
static cli_exit store(const cli_run *cli, const cli_option *option, void *field, const char *text)
{
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)field = true;
        return CLI_DONE;
    case CLI_COUNT:
        ++*(int *)field;
        return CLI_DONE;
    case CLI_TEXT:
        *(const char **)field = text;
        return CLI_DONE;
    case CLI_INTEGER:
        if (read_integer(text, field)) {
            return CLI_DONE;
        }
        return cli_fail(cli, CLI_USAGE, "--%s: expected a whole number, found \"%s\"", option->name,
                        text);
    case CLI_NUMBER:
        if (read_number(text, field)) {
            return CLI_DONE;
        }
        return cli_fail(cli, CLI_USAGE, "--%s: expected a number, found \"%s\"", option->name,
                        text);
    case CLI_CHOICE:
        if (read_choice(option->value, text, field)) {
            return CLI_DONE;
        }
        return cli_fail(cli, CLI_USAGE, "--%s: expected %s, found \"%s\"", option->name,
                        option->value, text);
    case CLI_LIST:
        append(field, text);
        return CLI_DONE;
    }
    return CLI_FAILED;
}

/// Reads the option at argv[at]; *used is how many arguments it took.
static cli_exit read_option(cli_run *cli, void *options, int argc, char **argv, int at, int *used)
{
    const char *argument = argv[at];
    const bool letter = argument[1] != '-';
    const char *name = argument + (letter ? 1 : 2);
    const size_t length = letter ? 1 : strcspn(name, "=");
    found option;
    if (!find_option(cli->command, name, length, letter, &option)) {
        return unknown_option(cli, argument);
    }
    const char *attached = NULL;
    if (letter && name[1] != 0) {
        attached = name + 1;
    } else if (!letter && name[length] == '=') {
        attached = name + length + 1;
    }
    void *field = (char *)(option.common ? (void *)cli : options) + option.option->field;
    if (!option.common) {
        cli->given |= (uint64_t)1 << option.index;
    }
    *used = 1;
    if (option.option->kind == CLI_FLAG || option.option->kind == CLI_COUNT) {
        if (attached != NULL) {
            return cli_fail(cli, CLI_USAGE, "--%s takes no value", option.option->name);
        }
        return store(cli, option.option, field, NULL);
    }
    if (attached == NULL) {
        if (at + 1 >= argc) {
            return cli_fail(cli, CLI_USAGE, "--%s needs a value: %s", option.option->name,
                            option.option->value);
        }
        attached = argv[at + 1];
        *used = 2;
    }
    return store(cli, option.option, field, attached);
}

static cli_exit check_counts(const cli_run *cli)
{
    const cli_command *command = cli->command;
    if (cli->input_count < command->min_inputs) {
        return cli_fail(cli, CLI_USAGE, "expected %s; `limber %s --help` tells more",
                        command->arguments, command->name);
    }
    if (cli->input_count > command->max_inputs) {
        return cli_fail(cli, CLI_USAGE, "expected %s and no more, found \"%s\"", command->arguments,
                        cli->inputs[command->max_inputs]);
    }
    if (command->output != NULL && !command->output_optional && cli->output == NULL) {
        return cli_fail(cli, CLI_USAGE, "no output: add -o %s", command->output);
    }
    if (cli->json && cli->output != NULL && strcmp(cli->output, "-") == 0) {
        return cli_fail(cli, CLI_USAGE, "--json and -o - both write to stdout");
    }
    if (cli->thread_count < 0 || cli->thread_count > 1024) {
        return cli_fail(cli, CLI_USAGE, "--threads: expected 1 to 1024, found %lld",
                        (long long)cli->thread_count);
    }
    return CLI_DONE;
}

cli_exit cli_options_read(cli_run *cli, void *options, int argc, char **argv)
{
    bool only_inputs = false;
    cli->inputs = cli_resize(NULL, (size_t)argc + 1, sizeof(*cli->inputs));
    for (int at = 0; at < argc;) {
        const char *argument = argv[at];
        int used = 1;
        if (!only_inputs && strcmp(argument, "--") == 0) {
            only_inputs = true;
        } else if (only_inputs || argument[0] != '-' || argument[1] == 0) {
            cli->inputs[cli->input_count++] = argument;
        } else {
            const cli_exit code = read_option(cli, options, argc, argv, at, &used);
            if (code != CLI_DONE) {
                return code;
            }
        }
        at += used;
    }
    return check_counts(cli);
}

/// Text wrapped at 100 columns, every line after the first moved in by `indent`; the cursor is at
/// `column` already.
static void print_wrapped(FILE *out, const char *text, int indent, int column)
{
    while (*text != 0) {
        const int word = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + word > 100) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            ++column;
        }
        fwrite(text, 1, (size_t)word, out);
        column += word;
        text += word;
        if (*text == '\n') {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            ++text;
        } else if (*text == ' ') {
            ++text;
        }
    }
    fputc('\n', out);
}

static void print_options(FILE *out, const char *title, const cli_option *options)
{
    enum { COLUMN = 30 };
    if (options->name != NULL) {
        fprintf(out, "\n%s:\n", title);
    }
    for (const cli_option *o = options; o->name != NULL; ++o) {
        int column = o->letter != 0 ? fprintf(out, "  -%c, --%s", o->letter, o->name)
                                    : fprintf(out, "  --%s", o->name);
        if (o->value != NULL) {
            column += fprintf(out, " %s", o->value);
        }
        if (column + 2 > COLUMN) {
            fprintf(out, "\n%*s", COLUMN, "");
        } else {
            fprintf(out, "%*s", COLUMN - column, "");
        }
        print_wrapped(out, o->help, COLUMN, COLUMN);
    }
}

void cli_options_help(const cli_command *command, FILE *out)
{
    const char *output = command->output;
    fprintf(out, "usage: limber %s %s", command->name, command->arguments);
    if (output != NULL) {
        fprintf(out, command->output_optional ? " [-o %s]" : " -o %s", output);
    }
    fprintf(out, " [options]\n\n");
    print_wrapped(out, command->summary, 0, 0);
    if (command->details != NULL) {
        fputc('\n', out);
        print_wrapped(out, command->details, 0, 0);
    }
    print_options(out, "options", options_of(command));
    print_options(out, "every command takes", common_of(command));
}
