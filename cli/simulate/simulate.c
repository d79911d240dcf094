#include "cli/simulate/simulate.h"

#include <string.h>

typedef cli_simulate_opts simulate_options;

static const cli_option options[] = {
    {"springs", 0, CLI_FLAG, offsetof(simulate_options, springs), NULL,
     "swing what the file names as springs (VRM 1.0 and 0.x)"},
    {"ragdoll", 0, CLI_FLAG, offsetof(simulate_options, ragdoll), NULL,
     "let the body fall: capsules fitted to its skin, joints with limits"},
    {"chain", 0, CLI_LIST, offsetof(simulate_options, chains), "JOINT",
     "with --springs: this joint and everything below it swings too; may be given again and again"},
    {"spring-length", 0, CLI_TEXT, offsetof(simulate_options, spring_length),
     "bone|three-vrm|three-vrm-updated",
     "with --springs: of a bone as the specification has it (default), or as three-vrm measures it "
     "(docs/springs.md)"},
    {"drivers", 0, CLI_TEXT, offsetof(simulate_options, drivers), "FILE",
     "move joints and morph weights as this program says (docs/procedural.md)"},
    {"set", 0, CLI_LIST, offsetof(simulate_options, sets), "NAME=VALUE",
     "with --drivers: a parameter of the program; may be given again and again"},
    {"gait", 0, CLI_TEXT, offsetof(simulate_options, gait), "walk|trot|run",
     "make a character of two to eight legs walk (docs/procedural.md)"},
    {"speed", 0, CLI_NUMBER, offsetof(simulate_options, speed), "M/S", "with --gait: how fast"},
    {"slope", 0, CLI_NUMBER, offsetof(simulate_options, slope), "DEGREES",
     "with --gait: the ground rises so much ahead"},
    {"turn", 0, CLI_NUMBER, offsetof(simulate_options, turn), "DEGREES/S",
     "with --gait: to the left"},
    {"style", 0, CLI_LIST, offsetof(simulate_options, style), "MANNER|NAME=VALUE",
     "with --gait: sneak, march, tired, proud or stroll; then bounce, arms, lift, width or hips, "
     "as "
     "factors, crouch, 0 to 0.4, lean or nod, degrees"},
    {"in-place", 0, CLI_FLAG, offsetof(simulate_options, in_place), NULL,
     "with --gait: the ground goes by and the character stays"},
    {"idle", 0, CLI_FLAG, offsetof(simulate_options, idle), NULL,
     "let a body of two or four legs live where it stands: breath, weight and gaze over the clip"},
    {"breath", 0, CLI_NUMBER, offsetof(simulate_options, breath), "DEPTH",
     "with --idle: a factor (default 1; 0: none)"},
    {"breath-hz", 0, CLI_NUMBER, offsetof(simulate_options, breath_hz), "HZ",
     "with --idle: breaths a second (default 0.25)"},
    {"shift", 0, CLI_NUMBER, offsetof(simulate_options, shift), "SHARE",
     "with --idle: how far the weight shifts from foot to foot (default 1: hips half the distance; "
     "0: "
     "none)"},
    {"gaze", 0, CLI_TEXT, offsetof(simulate_options, gaze), "about|camera|none|X,Y,Z",
     "with --idle: where it looks, with head and eyes (default about)"},
    {"flesh", 0, CLI_FLAG, offsetof(simulate_options, flesh), NULL,
     "let the skin swing and keep its volume, as morph targets that play with the clip"},
    {"soft", 0, CLI_LIST, offsetof(simulate_options, soft), "JOINT=AMOUNT",
     "with --flesh: how soft the skin of a joint is, 0 to 1; may be given again and again"},
    {"soft-paint", 0, CLI_TEXT, offsetof(simulate_options, soft_paint), "red|green|blue|alpha",
     "with --flesh: how soft each vertex is, as painted in this channel of its colour"},
    {"soft-file", 0, CLI_TEXT, offsetof(simulate_options, soft_file), "FILE",
     "with --flesh: how soft each vertex is, a number of 0 to 1 a line, in the order of the file"},
    {"frequency", 0, CLI_NUMBER, offsetof(simulate_options, frequency), "HZ",
     "with --flesh: of the softest skin (default 4)"},
    {"damping", 0, CLI_NUMBER, offsetof(simulate_options, damping), "Z",
     "with --flesh: 1 does not swing (default 0.25)"},
    {"clip", 0, CLI_TEXT, offsetof(simulate_options, clip), "NAME|INDEX",
     "the motion that carries it, repeated while --seconds last (default: the rest pose)"},
    {"release", 0, CLI_NUMBER, offsetof(simulate_options, release_s), "S",
     "with --ragdoll: when the clip lets go (default 0)"},
    {"recover", 0, CLI_NUMBER, offsetof(simulate_options, recover_s), "S",
     "with --ragdoll: when the body goes back to the clip, where it lies and as it faces"},
    {"get-up", 0, CLI_TEXT, offsetof(simulate_options, get_up), "CLIP|FILE,...",
     "with --recover: clips, of the character or of files, that it goes on with from their begin: "
     "the one that begins as the body lies"},
    {"motion-up", 0, CLI_TEXT, offsetof(simulate_options, motion_up), "y|z|x|-y|-z|-x",
     "up axis of the files of --get-up: one that begins lying down misleads the guess"},
    {"strength", 0, CLI_LIST, offsetof(simulate_options, strengths), "[JOINT=]HZ",
     "with --ragdoll: joints turn back to the clip this fast, 2 to 6 is a body that is awake; of "
     "JOINT and what is below it alone; may be given again and again"},
    {"balance", 0, CLI_NUMBER, offsetof(simulate_options, balance), "HZ",
     "with --ragdoll: a hand from outside takes the hips after the clip"},
    {"only", 0, CLI_LIST, offsetof(simulate_options, only), "JOINT",
     "with --ragdoll: only JOINT and what is below it falls, the clip carries the rest; may be "
     "given again and again"},
    {"push", 0, CLI_LIST, offsetof(simulate_options, pushes), "JOINT=X,Y,Z[@S]",
     "with --ragdoll: a blow of so many newton seconds at S seconds (default: at the release); may "
     "be given again and again"},
    {"hit", 0, CLI_LIST, offsetof(simulate_options, hits), "JOINT=X,Y,Z@S",
     "with --ragdoll: a blow that a body awake takes: it lets go of the clip then, stays on its "
     "feet "
     "(--strength 4, --balance 3), and is back in the clip 1.2 s later, unless those say "
     "otherwise"},
    {"ground", 0, CLI_TEXT, offsetof(simulate_options, ground), "Y|none|FILE",
     "with --ragdoll: the height of the ground (default: the lowest of the skin at rest), a mesh, "
     "or "
     "a grid (.asc) or picture (.png) of heights"},
    {"drop", 0, CLI_NUMBER, offsetof(simulate_options, drop), "M",
     "with --ragdoll: the ground is so much lower"},
    {"ground-size", 0, CLI_TEXT, offsetof(simulate_options, ground_size), "W,D,H",
     "of a picture of heights, metres (default 10,10,1)"},
    {"keep-ground", 0, CLI_FLAG, offsetof(simulate_options, keep_ground), NULL,
     "write the ground's mesh beside the character"},
    {"mass", 0, CLI_NUMBER, offsetof(simulate_options, mass), "KG",
     "with --ragdoll: of the whole body (default: 70 kg at 1.75 m, by the cube of the height)"},
    {"plot", 0, CLI_TEXT, offsetof(simulate_options, plot), "FILE.png",
     "draw how well it holds together, frame by frame (--springs, --ragdoll, --gait, --flesh)"},
    {"seconds", 0, CLI_NUMBER, offsetof(simulate_options, seconds), "S",
     "how long (default: the clip once, or 2)"},
    {"fps", 0, CLI_NUMBER, offsetof(simulate_options, fps), "N", "frames a second (default 60)"},
    {"name", 0, CLI_TEXT, offsetof(simulate_options, name), "NAME",
     "of the new clip (default: simulated)"},
    CLI_IN_OPTIONS(simulate_options),
    CLI_END,
};

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

static const simulate_options defaults = {
    .name = "simulated", .fps = 60, .breath = 1, .breath_hz = 0.25, .shift = 1, .gaze = "about"};

const cli_command cli_command_simulate = {
    .name = "simulate",
    .arguments = "CHARACTER --springs|--ragdoll|--drivers FILE|--gait NAME|--idle|--flesh",
    .summary =
        "Springs, ragdolls, driver programs, gaits, idling and soft tissue, baked to a clip.",
    .details =
        "Springs are those of the file's VRM data, and the --chain joints. A ragdoll has a body a "
        "bone, fitted to the skin; it starts with the speed of the clip at --release, and with "
        "--strength goes on after the clip. A driver program moves joints and morph weights as "
        "functions of time and of each other. A gait walks on the character's own legs, two or "
        "four. The clip that comes of it is written in front of the character's own.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output = "OUT.glb|.gltf|.bvh",
    .options = options,
    .options_size = sizeof(simulate_options),
    .defaults = &defaults,
    .run = run_simulate,
};
