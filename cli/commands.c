#include "cli/cli.h"
#include "cli/command_line.h"

#include <stdlib.h>
#include <string.h>

/// Every command that Limber is to have, in the order of a character's life. The definition is in
/// cli/<name>.c or cli/<folder>/<name>.c; the symbol is weak, so that a command whose file is not in
/// this build has a NULL here and is refused by name.
#define COMMANDS(X)                                                              \
    X(animate, "rig a mesh, put a motion on it, write a playable character")     \
    X(motions, "the motions that are made here, as text")                        \
    X(sample, "make a mesh to try things on")                                    \
    X(rig, "put a skeleton into a mesh and bind its skin")                       \
    X(weights, "smooth, prune, limit, normalize, mirror, transfer skin weights") \
    X(train, "a maker's style, learned from rigged characters")                  \
    X(retarget, "put a motion on another skeleton")                              \
    X(blend, "mix clips: crossfades, layers, masks")                             \
    X(ik, "pose by goals")                                                       \
    X(simulate, "ragdolls and springs, baked to a clip")                         \
    X(learn, "skeleton and weights from example meshes")                         \
    X(correct, "correctives from sculpts, on as joints bend")                    \
    X(fit, "joint angles from positions, markers or keypoints")                  \
    X(bake, "the deformed mesh at a time, as a viewer shows it")                 \
    X(render, "pictures of a character")                                         \
    X(info, "what is in a file")                                                 \
    X(check, "what is wrong with a file")                                        \
    X(convert, "from any format read to any format written")                     \
    X(clean, "spikes, gaps, tremble and sliding feet put right")                 \
    X(listen, "live motion capture in")                                          \
    X(play, "a clip sent out live")                                              \
    X(batch, "thousands of jobs")                                                \
    X(studio, "all this in a page, on this machine")

#define DECLARE(name, summary) extern const cli_command cli_command_##name __attribute__((weak));
COMMANDS(DECLARE)

typedef struct entry {
    const char *name, *summary;
    const cli_command *command; ///< NULL when this build lacks it
} entry;

#define ENTRY(name, summary) {#name, summary, &cli_command_##name},
static const entry entries[] = {COMMANDS(ENTRY)};
enum { ENTRY_COUNT = sizeof(entries) / sizeof(entries[0]) };

static void print_help(FILE *out)
{
    fputs("usage: limber COMMAND … ; `limber COMMAND --help` tells about one\n\n"
          "  limber animate mesh.obj walk.bvh -o out.glb    a still mesh and a motion in, a "
          "walking character out\n\n",
          out);
    for (int i = 0; i < ENTRY_COUNT; ++i) {
        if (entries[i].command != NULL) {
            fprintf(out, "  %-10s %s\n", entries[i].name, entries[i].summary);
        }
    }
    fputs("\nexit codes: 0 done, 1 failed, 2 usage, 3 input unreadable or malformed, 4 not "
          "supported,\n"
          "5 output could not be written, 6 a check failed, 7 some items of a batch failed\n",
          out);
}

static const entry *entry_find(const char *name)
{
    for (int i = 0; i < ENTRY_COUNT; ++i) {
        if (strcmp(entries[i].name, name) == 0) {
            return &entries[i];
        }
    }
    return NULL;
}

bool cli_is_command(const char *name)
{
    const entry *found = entry_find(name);
    return found != NULL && found->command != NULL;
}

static cli_exit unknown_command(const char *name)
{
    const char *names[ENTRY_COUNT];
    for (int i = 0; i < ENTRY_COUNT; ++i) {
        names[i] = entries[i].name;
    }
    const char *nearest = cli_nearest(name, names, ENTRY_COUNT);
    const cli_run none = {0};
    if (nearest != NULL) {
        return cli_fail(&none, CLI_USAGE, "unknown command \"%s\"; did you mean %s?", name,
                        nearest);
    }
    return cli_fail(&none, CLI_USAGE, "unknown command \"%s\"; `limber --help` lists them", name);
}

static bool asks_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static cli_exit run_with(cli_run *cli, void *options, int argc, char **argv)
{
    cli_exit code = cli_options_read(cli, options, argc, argv);
    if (code != CLI_DONE) {
        return code;
    }
    if (cli->output != NULL) {
        code = cli_output_check(cli, cli->output);
    }
    code = code == CLI_DONE ? cli_simd_choose(cli) : code;
    if (code != CLI_DONE) {
        return code;
    }
    code = cli_memory_start(cli);
    if (code != CLI_DONE) {
        return code;
    }
    cli_progress_start(cli);
    code = cli_threads_start(cli);
    if (code == CLI_DONE) {
        code = cli->command->run(cli, options);
        cli_threads_end(cli);
    }
    cli_progress_end(cli);
    if (fflush(stdout) != 0 && code == CLI_DONE) {
        code = cli_fail(cli, CLI_OUTPUT, "stdout cannot be written");
    }
    return code;
}

static void free_lists(const cli_command *command, void *options)
{
    for (const cli_option *o = command->options; o != NULL && o->name != NULL; ++o) {
        if (o->kind == CLI_LIST) {
            const cli_list *list = (const void *)((char *)options + o->field);
            free(list->items);
        }
    }
}

static cli_exit run_command(const cli_command *command, int argc, char **argv)
{
    if (asks_help(argc, argv)) {
        cli_options_help(command, stdout);
        return CLI_DONE;
    }
    cli_run cli = {.command = command};
    void *options = cli_resize(NULL, 1, command->options_size + 1);
    memset(options, 0, command->options_size + 1);
    if (command->defaults != NULL) {
        memcpy(options, command->defaults, command->options_size);
    }
    const cli_exit code = run_with(&cli, options, argc, argv);
    free_lists(command, options);
    free(options);
    free(cli.inputs);
    return code;
}

static cli_exit dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (strcmp(name, "help") == 0 && argc == 2)) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        puts("limber " LMB_VERSION);
        return CLI_DONE;
    }
    const bool help = strcmp(name, "help") == 0;
    if (help) {
        name = argv[2];
    }
    const entry *found = entry_find(name);
    if (found == NULL) {
        return unknown_command(name);
    }
    if (found->command == NULL) {
        const cli_run none = {0};
        return cli_fail(&none, CLI_UNSUPPORTED,
                        "not supported: the command %s (%s) is not part of this version",
                        found->name, found->summary);
    }
    if (help) {
        cli_options_help(found->command, stdout);
        return CLI_DONE;
    }
    return run_command(found->command, argc - 2, argv + 2);
}

int cli_main(int argc, char **argv)
{
    const cli_exit code = dispatch(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_DONE) {
        const cli_run none = {0};
        return (int)cli_fail(&none, CLI_OUTPUT, "stdout cannot be written");
    }
    return (int)code;
}
