#include "cli/blend/blend.h"

#include <stdlib.h>

static const cli_option options[] = {
    {"layer", 0, CLI_LIST, offsetof(blend_options, layers), "CLIP[:WEIGHT[:MASK]]",
     "a clip of the mixture; weights are relative"},
    {"over", 0, CLI_LIST, offsetof(blend_options, over), "CLIP[:WEIGHT[:MASK]]",
     "a clip laid over what is below it"},
    {"add", 0, CLI_LIST, offsetof(blend_options, add), "CLIP[:WEIGHT[:MASK]]",
     "what a clip changes against its first frame, added"},
    {"sequence", 0, CLI_TEXT, offsetof(blend_options, sequence), "CLIP[:S],CLIP[:S],…",
     "clips one after another, each for S seconds (without: once)"},
    {"machine", 0, CLI_TEXT, offsetof(blend_options, machine), "FILE.json",
     "a state machine (docs/blending.md)"},
    {"set", 0, CLI_LIST, offsetof(blend_options, set), "NAME[=VALUE][@S]",
     "sets a parameter of the machine S seconds in"},
    {"crossfade", 0, CLI_NUMBER, offsetof(blend_options, crossfade), "S",
     "seconds from one clip of a sequence to the next (0.3)"},
    {"how", 0, CLI_CHOICE, offsetof(blend_options, how), "crossfade|spring|quintic|dead|frozen",
     "in which way (crossfade)"},
    {"seconds", 0, CLI_NUMBER, offsetof(blend_options, seconds), "S",
     "length of the result (layers: the longest clip; machine: 10)"},
    {"rate", 0, CLI_NUMBER, offsetof(blend_options, rate), "HZ",
     "frames a second of the result (60)"},
    {"feather", 0, CLI_INTEGER, offsetof(blend_options, feather), "N",
     "joints over which a mask comes in (0)"},
    {"model-space", 0, CLI_FLAG, offsetof(blend_options, model_space), NULL,
     "--over and --add rotate joints in model space, not from their parents"},
    {"no-sync", 0, CLI_FLAG, offsetof(blend_options, no_sync), NULL,
     "clips do not keep step with each other"},
    {"no-lock", 0, CLI_FLAG, offsetof(blend_options, no_lock), NULL,
     "feet are not pinned where they stand"},
    {"no-root", 0, CLI_FLAG, offsetof(blend_options, no_root), NULL,
     "blend root positions of the clips, not root motion"},
    {"in-place", 0, CLI_FLAG, offsetof(blend_options, in_place), NULL,
     "the character stays above one spot"},
    {"name", 0, CLI_TEXT, offsetof(blend_options, name), "NAME", "of the new clip (blend)"},
    {"replace", 0, CLI_FLAG, offsetof(blend_options, replace), NULL,
     "leave out the character's own clips"},
    CLI_IN_OPTIONS(blend_options),
    CLI_END,
};

static cli_exit check_options(cli_run *cli, const blend_options *opts)
{
    const int kinds = (opts->layers.count > 0) + (opts->sequence != NULL) + (opts->machine != NULL);
    if (kinds != 1) {
        return cli_fail(cli, CLI_USAGE,
                        "it takes one of --layer (again and again), --sequence and --machine");
    }
    if (opts->layers.count == 0 && (opts->over.count > 0 || opts->add.count > 0)) {
        return cli_fail(cli, CLI_USAGE,
                        "--over and --add go on --layer; a machine has layers of its own");
    }
    if (opts->set.count > 0 && opts->machine == NULL) {
        return cli_fail(cli, CLI_USAGE, "--set is for --machine");
    }
    if (!(opts->rate > 0 && opts->rate <= 480) || !(opts->seconds >= 0 && opts->seconds <= 3600)) {
        return cli_fail(cli, CLI_USAGE,
                        "--rate takes up to 480 frames a second and --seconds up to 3600");
    }
    if (!(opts->crossfade >= 0 && opts->crossfade <= 60) || opts->feather < 0 ||
        opts->feather > 100) {
        return cli_fail(cli, CLI_USAGE,
                        "--crossfade takes 0 to 60 seconds, --feather 0 to 100 joints");
    }
    return CLI_DONE;
}

static cli_exit make_clip(cli_run *cli, const blend_options *opts, const lmb_character *character,
                          lmb_clip **out)
{
    blend_stage stage = {.cli = cli, .character = character};
    const cli_exit code = opts->layers.count > 0 ? blend_layers_run(&stage, opts, out)
                                                 : blend_machine_run(&stage, opts, out);
    blend_stage_end(&stage);
    return code;
}

static cli_exit run_blend(cli_run *cli, const void *given)
{
    const blend_options *opts = given;
    cli_read_opts in;
    lmb_character *character = NULL;
    lmb_clip *clip = NULL;
    cli_exit code = check_options(cli, opts);
    if (code == CLI_DONE) {
        code = cli_in_read(cli, &opts->in, &in);
    }
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[0], &in, NULL, &character);
    }
    if (code == CLI_DONE) {
        code = make_clip(cli, opts, character, &clip);
    }
    if (code == CLI_DONE) {
        code = cli_clip_put_first(cli, &character, clip, opts->replace);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", character);
    }
    lmb_character_destroy(character);
    return code;
}

static const blend_options defaults = {.crossfade = 0.3, .rate = 60};

const cli_command cli_command_blend = {
    .name = "blend",
    .arguments = "CHARACTER",
    .summary = "Mixes clips into a new one: layers with weights and masks, additive ones, "
               "crossfades, state machines.",
    .details = "CLIP is a clip of the character by name or index, a made motion (walk, run, idle, "
               "wave, jump), or a file with a motion "
               "(FILE#CLIP for one that is not its first), which is put on the character. WEIGHT "
               "is a number, or W@S,W@S,… that changes "
               "smoothly over time: walk:1@0,0@2. MASK is a joint, or a humanoid's part such as "
               "spine or leftUpperArm, with all that hangs "
               "from it. Clips of a stride keep step, and the way that the character goes is "
               "blended with them.",
    .min_inputs = 1,
    .max_inputs = 1,
    .output = "OUT.glb|.gltf|.bvh",
    .options = options,
    .options_size = sizeof(blend_options),
    .defaults = &defaults,
    .run = run_blend,
};
