#include "rigging.h"

#include <string.h>

typedef struct weights_options {
    cli_in_opts in;
    double least, amount;
    int64_t influences, rounds;
    const char *from;
    int side;
} weights_options;

static const cli_option options[] = {
    {"least", 0, CLI_NUMBER, offsetof(weights_options, least), "W",
     "prune: weights below this go (0.01)"},
    {"influences", 0, CLI_INTEGER, offsetof(weights_options, influences), "N",
     "limit, smooth, mirror, transfer: most joints a vertex follows (4; the last two: as before); "
     "check: the "
     "gate"},
    {"rounds", 0, CLI_INTEGER, offsetof(weights_options, rounds), "N", "smooth: how often (3)"},
    {"amount", 0, CLI_NUMBER, offsetof(weights_options, amount), "S",
     "smooth: how far to the mean of the neighbours, 0 to 1 (0.5)"},
    {"from", 0, CLI_TEXT, offsetof(weights_options, from), "FILE",
     "transfer: the character to take weights from"},
    {"side", 0, CLI_CHOICE, offsetof(weights_options, side), "left|right",
     "mirror: the side that is copied (left)"},
    CLI_IN_OPTIONS(weights_options),
    CLI_END,
};

#define OPS "smooth, prune, limit, normalize, mirror, transfer and check"

static const char *const op_names[] = {"normalize", "prune", "limit", "smooth"};
enum {
    OP_COUNT = sizeof(op_names) / sizeof(op_names[0]),
    OP_CHECK = OP_COUNT,
    OP_MIRROR,
    OP_TRANSFER
};

static cli_exit find_op(const cli_run *cli, const char *name, int *out)
{
    for (int k = 0; k < OP_COUNT; ++k) {
        if (strcmp(name, op_names[k]) == 0) {
            *out = k;
            return CLI_DONE;
        }
    }
    if (strcmp(name, "check") == 0) {
        *out = OP_CHECK;
        return CLI_DONE;
    }
    if (strcmp(name, "mirror") == 0) {
        *out = OP_MIRROR;
        return CLI_DONE;
    }
    if (strcmp(name, "transfer") == 0) {
        *out = OP_TRANSFER;
        return CLI_DONE;
    }
    return cli_fail(cli, CLI_USAGE, "unknown operation %s; there are " OPS, name);
}

static cli_exit check(cli_run *cli, const weights_options *opts, const lmb_character *character)
{
    lmb_weights_audit a;
    lmb_error error = {0};
    const lmb_result result = lmb_weights_check(character, NULL, &a, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[1], result, &error);
    }
    const bool good = a.vertex_count > 0 && a.empty_count == 0 && a.uneven_count == 0 &&
                      (opts->influences == 0 || a.most <= (uint64_t)opts->influences);
    cli_say(
        cli, cli->inputs[1],
        "%u skinned vertices: %u without weight, %u that do not sum to 1, at most %u influences",
        a.vertex_count, a.empty_count, a.uneven_count, a.most);
    cli_say(cli, "joints", "%u, of which %u move nothing", a.joint_count, a.idle_count);
    if (cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_integer(&json, "vertices", a.vertex_count);
        cli_json_integer(&json, "empty", a.empty_count);
        cli_json_integer(&json, "uneven", a.uneven_count);
        cli_json_integer(&json, "influences", a.most);
        cli_json_integer(&json, "joints", a.joint_count);
        cli_json_integer(&json, "idleJoints", a.idle_count);
        cli_json_bool(&json, "good", good);
        cli_json_end(&json, '}');
    }
    return good ? CLI_DONE : CLI_GATE;
}

static void print_change(const lmb_weights_change *c, const char *op, const char *output)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", output);
    cli_json_text(&json, "operation", op);
    cli_json_integer(&json, "vertices", c->vertex_count);
    cli_json_integer(&json, "changed", c->changed_count);
    cli_json_integer(&json, "filled", c->empty_count);
    cli_json_integer(&json, "influencesBefore", c->most_before);
    cli_json_integer(&json, "influencesAfter", c->most_after);
    cli_json_number(&json, "droppedMean", c->lost_mean);
    cli_json_number(&json, "droppedMax", c->lost_max);
    cli_json_number(&json, "shiftMax", c->shift_max);
    cli_json_end(&json, '}');
}

static cli_exit edit(cli_run *cli, const weights_options *opts, int op, lmb_character **character)
{
    const lmb_weights_edit what = {.op = (lmb_weights_op)op,
                                   .least = (float)opts->least,
                                   .influences = (uint32_t)opts->influences,
                                   .rounds = (uint32_t)opts->rounds,
                                   .amount = (float)opts->amount};
    lmb_weights_change change;
    lmb_error error = {0};
    const lmb_result result = lmb_weights_apply(character, &what, NULL, &change, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[1], result, &error);
    }
    cli_say(cli, "weights",
            "%s: %u of %u vertices changed, %u had none, influences %u before, %u now",
            op_names[op], change.changed_count, change.vertex_count, change.empty_count,
            change.most_before, change.most_after);
    if (change.lost_max > 0) {
        cli_say(cli, "",
                "dropped %.2f%% of the weight on average, at most %.1f%%; moves %.1f mm at most",
                100 * (double)change.lost_mean, 100 * (double)change.lost_max,
                1000 * (double)change.shift_max);
    }
    const cli_exit code = cli_character_write(cli, cli->output, "glb", *character);
    if (code == CLI_DONE && cli->json) {
        print_change(&change, op_names[op], cli->output);
    }
    return code;
}

static cli_exit run(cli_run *cli, const void *given)
{
    const weights_options *opts = given;
    int op = 0;
    cli_exit code = find_op(cli, cli->inputs[0], &op);
    if (code != CLI_DONE) {
        return code;
    }
    if (opts->least < 0 || opts->least >= 1 || opts->amount < 0 || opts->amount > 1 ||
        opts->influences < 0 || opts->influences > 16 || opts->rounds < 0 || opts->rounds > 1000) {
        return cli_fail(
            cli, CLI_USAGE,
            "--least and --amount take 0 to 1, --influences 1 to 16, --rounds up to 1000");
    }
    if (op != OP_CHECK && cli->output == NULL) {
        return cli_fail(cli, CLI_USAGE, "weights %s wants -o OUT", cli->inputs[0]);
    }
    if (op == OP_TRANSFER && opts->from == NULL) {
        return cli_fail(cli, CLI_USAGE, "weights transfer wants --from FILE");
    }
    cli_read_opts in;
    lmb_character *character = NULL;
    code = cli_in_read(cli, &opts->in, &in);
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[1], &in, NULL, &character);
    }
    if (code == CLI_DONE) {
        if (op == OP_CHECK) {
            code = check(cli, opts, character);
        } else if (op == OP_MIRROR) {
            code = cli_weights_mirror(cli, (lmb_mirror_side)opts->side, (uint32_t)opts->influences,
                                      &character);
        } else if (op == OP_TRANSFER) {
            code = cli_weights_transfer(cli, opts->from, (uint32_t)opts->influences, &character);
        } else {
            code = edit(cli, opts, op, &character);
        }
        lmb_character_destroy(character);
    }
    return code;
}

const cli_command cli_command_weights = {
    .name = "weights",
    .arguments = "OP CHARACTER",
    .summary = "Edits how a character's meshes follow its joints",
    .details =
        "OP is smooth, prune, limit, normalize, mirror, transfer or check. After any of the first "
        "four, every vertex has weights and they sum to 1; what was dropped is told. "
        "mirror copies the weights of one side to the other, transfer those of another "
        "character. check exits 6 when a vertex "
        "has no weight, a sum is off, "
        "or there are more influences than "
        "--influences.",
    .min_inputs = 2,
    .max_inputs = 2,
    .output = "OUT.glb|.gltf",
    .output_optional = true,
    .options = options,
    .options_size = sizeof(weights_options),
    .run = run,
};
