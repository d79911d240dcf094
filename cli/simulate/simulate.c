#include "cli/simulate/simulate.h"

#include <string.h>

typedef cli_simulate_opts simulate_options;

#include "cli/simulate/simulate.options.h"

typedef struct kind {
    const char *option;
    cli_exit (*run)(cli_run *cli, const cli_simulate_opts *opts, lmb_character **character);
} kind;

static const kind kinds[] = {{"springs", cli_simulate_springs}, {"drivers", cli_simulate_drivers},
                             {"gait", cli_simulate_gait},       {"flesh", cli_simulate_flesh},
                             {"idle", cli_simulate_idle},       {"ragdoll", cli_simulate_ragdoll}};

/// The one kind that was asked for, else NULL.
static const kind *kind_of(const cli_run *cli)
{
    const kind *found = NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        if (cli_given(cli, kinds[k].option)) {
            if (found != NULL) {
                return NULL;
            }
            found = &kinds[k];
        }
    }
    return found;
}

/// An option that only one kind has, given with another.
static cli_exit check_options(const cli_run *cli, const kind *what)
{
    static const char *const owned[][2] = {{"set", "drivers"},
                                           {"speed", "gait"},
                                           {"slope", "gait"},
                                           {"turn", "gait"},
                                           {"style", "gait"},
                                           {"in-place", "gait"},
                                           {"soft", "flesh"},
                                           {"frequency", "flesh"},
                                           {"soft-paint", "flesh"},
                                           {"soft-file", "flesh"},
                                           {"damping", "flesh"},
                                           {"chain", "springs"},
                                           {"spring-length", "springs"},
                                           {"release", "ragdoll"},
                                           {"drop", "ragdoll"},
                                           {"recover", "ragdoll"},
                                           {"get-up", "ragdoll"},
                                           {"strength", "ragdoll"},
                                           {"balance", "ragdoll"},
                                           {"only", "ragdoll"},
                                           {"push", "ragdoll"},
                                           {"ground", "ragdoll"},
                                           {"mass", "ragdoll"},
                                           {"ground-size", "ragdoll"},
                                           {"keep-ground", "ragdoll"},
                                           {"motion-up", "ragdoll"},
                                           {"hit", "ragdoll"},
                                           {"breath", "idle"},
                                           {"breath-hz", "idle"},
                                           {"shift", "idle"},
                                           {"gaze", "idle"}};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; ++k) {
        if (cli_given(cli, owned[k][0]) && strcmp(owned[k][1], what->option) != 0) {
            return cli_fail(cli, CLI_USAGE, "--%s is for --%s", owned[k][0], owned[k][1]);
        }
    }
    return CLI_DONE;
}

static cli_exit run_simulate(cli_run *cli, const void *given)
{
    const simulate_options *opts = given;
    const kind *what = kind_of(cli);
    cli_read_opts in;
    lmb_character *character = NULL;
    if (what == NULL) {
        return cli_fail(
            cli, CLI_USAGE,
            "expected what to simulate: one of --springs, --ragdoll, --drivers FILE, --gait "
            "NAME, --idle, --flesh");
    }
    if (opts->fps < 1 || opts->fps > 1000 || opts->seconds < 0) {
        return cli_fail(cli, CLI_USAGE, "expected --fps of 1 to 1000 and --seconds of 0 or more");
    }
    cli_exit code = check_options(cli, what);
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &in);
    }
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &in, NULL, &character);
    }
    if (code == CLI_DONE && character->skeleton->joint_count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected a skeleton, found none", cli->inputs[0]);
    }
    if (code == CLI_DONE) {
        code = what->run(cli, opts, &character);
    }
    lmb_character_destroy(character);
    return code;
}
