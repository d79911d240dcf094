#include "cli/rig/rigging.h"

#include <string.h>

typedef struct weights_options {
    cli_in_opts in;
    cli_weights_edit edit;
    cli_weights_transfer_opts transfer;
    int64_t influences;
    int side, weights;
    bool soft;
    const char *style, *from, *strokes;
} weights_options;

#include "cli/weights/weights.options.h"

#define OPS                                                                                      \
    "smooth, prune, limit, normalize, assign, move, paint, mirror, transfer, pieces, check and " \
    "compare"

enum {
    OP_COUNT = LMB_WEIGHTS_MOVE + 1,
    OP_CHECK = OP_COUNT,
    OP_MIRROR,
    OP_TRANSFER,
    OP_COMPARE,
    OP_PIECES,
    OP_PAINT
};

static cli_exit find_op(const cli_run *cli, const char *name, int *out)
{
    for (int k = 0; k < OP_COUNT; ++k) {
        if (strcmp(name, cli_weights_op_name((lmb_weights_op)k)) == 0) {
            *out = k;
            return CLI_DONE;
        }
    }
    static const char *const others[] = {"check",   "mirror", "transfer",
                                         "compare", "pieces", "paint"};
    for (int k = 0; k < (int)(sizeof others / sizeof *others); ++k) {
        if (strcmp(name, others[k]) == 0) {
            *out = OP_CHECK + k;
            return CLI_DONE;
        }
    }
    return cli_fail(cli, CLI_USAGE, "unknown operation %s; there are " OPS, name);
}

static cli_exit check_options(cli_run *cli, const weights_options *opts,
                              const lmb_character *character)
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
        cli_json_integer(&json, "idle_joints", a.idle_count);
        cli_json_bool(&json, "good", good);
        cli_json_end(&json, '}');
    }
    return good ? CLI_DONE : CLI_GATE;
}

static cli_exit compare(cli_run *cli, const weights_options *opts, const cli_read_opts *in)
{
    const bool learned = opts->style && !cli_given(cli, "weights");
    const cli_weights_compare_opts compare = {
        .style = opts->style,
        .weights = {.method = learned ? LMB_WEIGHTS_LEARNED : (lmb_rig_weights)opts->weights,
                    .influences = (uint32_t)opts->influences,
                    .soft = opts->soft,
                    .jobs = &cli->jobs,
                    .progress = cli->progress_or_null}};
    if (compare.weights.method == LMB_WEIGHTS_LEARNED && !opts->style) {
        return cli_fail(cli, CLI_USAGE,
                        "--weights learned wants --style FILE.lmbs, which limber train makes");
    }
    return cli_weights_compare(cli, &compare, in);
}

/// Whether all is given that the operation needs, within its range.
static cli_exit check_operation(const cli_run *cli, const weights_options *opts, int op)
{
    if (opts->influences < 0 || opts->influences > 16) {
        return cli_fail(cli, CLI_USAGE, "--influences takes 1 to 16");
    }
    if (op != OP_COMPARE && cli->input_count != 2) {
        return cli_fail(cli, CLI_USAGE, "weights %s takes one character", cli->inputs[0]);
    }
    if (op != OP_CHECK && op != OP_COMPARE && op != OP_PIECES && cli->output == NULL) {
        return cli_fail(cli, CLI_USAGE, "weights %s wants -o OUT", cli->inputs[0]);
    }
    if (op == LMB_WEIGHTS_ASSIGN && opts->edit.where.to == NULL) {
        return cli_fail(cli, CLI_USAGE, "weights assign wants --to JOINT");
    }
    if (op == LMB_WEIGHTS_MOVE && (opts->edit.where.to == NULL || opts->from == NULL)) {
        return cli_fail(cli, CLI_USAGE, "weights move wants --from JOINT and --to JOINT");
    }
    if (op == OP_PAINT && opts->strokes == NULL) {
        return cli_fail(cli, CLI_USAGE, "weights paint wants --strokes FILE");
    }
    if (op == OP_TRANSFER && opts->from == NULL) {
        return cli_fail(cli, CLI_USAGE, "weights transfer wants --from FILE");
    }
    return cli_weights_edit_check(cli, &opts->edit);
}

static cli_exit run_weights(cli_run *cli, const void *given)
{
    const weights_options *opts = given;
    int op = 0;
    cli_exit code = find_op(cli, cli->inputs[0], &op);
    if (code != CLI_DONE) {
        return code;
    }
    code = check_operation(cli, opts, op);
    if (code != CLI_DONE) {
        return code;
    }
    cli_read_opts in;
    lmb_character *character = NULL;
    code = cli_in_read(cli, &opts->in, &in);
    if (code == CLI_DONE && op == OP_COMPARE) {
        return compare(cli, opts, &in);
    }
    if (code == CLI_DONE) {
        code = cli_character_read(cli, cli->inputs[1], &in, NULL, &character);
    }
    if (code == CLI_DONE) {
        if (op == OP_PIECES) {
            code = cli_weights_pieces(cli, character);
        } else if (op == OP_CHECK) {
            code = check_options(cli, opts, character);
        } else if (op == OP_PAINT) {
            code = cli_weights_paint(cli, opts->strokes, &character);
        } else if (op == OP_MIRROR) {
            code = cli_weights_mirror(cli, (lmb_mirror_side)opts->side, (uint32_t)opts->influences,
                                      &character);
        } else if (op == OP_TRANSFER) {
            cli_weights_transfer_opts transfer = opts->transfer;
            transfer.from = opts->from;
            transfer.influences = (uint32_t)opts->influences;
            transfer.rounds = (uint32_t)opts->edit.rounds;
            code = cli_weights_transfer(cli, &transfer, &character);
        } else {
            cli_weights_edit edit = opts->edit;
            edit.where.from = op == LMB_WEIGHTS_MOVE ? opts->from : NULL;
            code = cli_weights_apply(cli, &edit, (lmb_weights_op)op, (uint32_t)opts->influences,
                                     &character);
        }
        lmb_character_destroy(character);
    }
    return code;
}
