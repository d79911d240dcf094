/// limber weights normalize, prune, limit, smooth, assign and move.
#include "cli/rig/rigging.h"

#include <stdlib.h>
#include <string.h>

#include "cli/posed.h"

const char *cli_weights_op_name(lmb_weights_op op)
{
    static const char *const names[] = {
        [LMB_WEIGHTS_NORMALIZE] = "normalize", [LMB_WEIGHTS_PRUNE] = "prune",
        [LMB_WEIGHTS_LIMIT] = "limit",         [LMB_WEIGHTS_SMOOTH] = "smooth",
        [LMB_WEIGHTS_ASSIGN] = "assign",       [LMB_WEIGHTS_MOVE] = "move"};
    return names[op];
}

cli_exit cli_weights_edit_check(const cli_run *cli, const cli_weights_edit *edit)
{
    if (edit->least < 0 || edit->least >= 1 || edit->amount < 0 || edit->amount > 1 ||
        edit->share < 0 || edit->share >= 1 || edit->rounds < 0 || edit->rounds > 1000) {
        return cli_fail(cli, CLI_USAGE,
                        "--least, --share and --amount take 0 to 1, --rounds up to 1000");
    }
    if (edit->hops < 0 || edit->hops > 1000 || edit->spread < 0 || edit->spread > 1e6 ||
        edit->moments < 0 || edit->moments > 1000) {
        return cli_fail(cli, CLI_USAGE,
                        "--hops and --moments take up to 1000, --spread up to a million");
    }
    return CLI_DONE;
}

static void print_change(const lmb_weights_change *c, const char *op, bool posed,
                         const char *output)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", output);
    cli_json_text(&json, "operation", op);
    cli_json_integer(&json, "vertices", c->vertex_count);
    cli_json_integer(&json, "selected", c->selected_count);
    cli_json_integer(&json, "changed", c->changed_count);
    cli_json_integer(&json, "filled", c->empty_count);
    cli_json_integer(&json, "influences_before", c->most_before);
    cli_json_integer(&json, "influences_after", c->most_after);
    cli_json_number(&json, "dropped_mean", c->lost_mean);
    cli_json_number(&json, "dropped_max", c->lost_max);
    cli_json_number(&json, "shift_max", c->shift_max);
    if (posed) {
        cli_json_number(&json, "moved_mean", c->moved_mean);
        cli_json_number(&json, "moved_max", c->moved_max);
    }
    cli_json_end(&json, '}');
}

/// Adds `moments` poses of a clip, evenly from its start to its end.
static void add_poses(const lmb_character *c, const lmb_clip *clip, uint32_t moments,
                      lmb_mat4 **poses, uint32_t *count)
{
    const uint32_t joints = c->skeleton->joint_count;
    lmb_transform *local = cli_resize(NULL, joints, sizeof *local);
    *poses = cli_resize(*poses, ((size_t)*count + moments) * joints, sizeof **poses);
    for (uint32_t k = 0; k < moments; ++k) {
        memcpy(local, c->skeleton->rest, joints * sizeof *local);
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)lmb_clip_duration_s(clip) * (double)k /
                                               (double)(moments > 1 ? moments - 1 : 1),
                                     .joint_count = joints,
                                     .pose = local});
        lmb_pose_to_model(
            &(lmb_pose_to_model_job){.skeleton = c->skeleton,
                                     .local = local,
                                     .model_from_joint = *poses + (size_t)(*count)++ * joints});
    }
    free(local);
}

/// The poses of the clip that is named, or of all; none when none is.
static cli_exit find_poses(const cli_run *cli, const cli_weights_edit *edit, const lmb_character *c,
                           lmb_mat4 **poses, uint32_t *count)
{
    const uint32_t moments = edit->moments > 0 ? (uint32_t)edit->moments : 20;
    uint32_t which = 0;
    *poses = NULL;
    *count = 0;
    if (!edit->clip) {
        return CLI_DONE;
    }
    if (strcmp(edit->clip, "all") != 0) {
        const cli_exit code = cli_clip_find(cli, c, edit->clip, &which);
        if (code == CLI_DONE) {
            add_poses(c, c->clips[which], moments, poses, count);
        }
        return code;
    }
    for (uint32_t k = 0; k < c->clip_count; ++k) {
        add_poses(c, c->clips[k], moments, poses, count);
    }
    return c->clip_count > 0 ? CLI_DONE
                             : cli_fail(cli, CLI_USAGE, "%s has no clips", cli->inputs[1]);
}

static void say_change(const cli_run *cli, const lmb_weights_change *change, lmb_weights_op op,
                       uint32_t pose_count)
{
    cli_say(cli, "weights",
            "%s: %u of %u vertices changed, %u had none, influences %u before, %u now",
            cli_weights_op_name(op), change->changed_count, change->selected_count,
            change->empty_count, change->most_before, change->most_after);
    if (change->lost_max > 0) {
        cli_say(cli, "",
                "dropped %.2f%% of the weight on average, at most %.1f%%; moves %.1f mm at most",
                100 * (double)change->lost_mean, 100 * (double)change->lost_max,
                1000 * (double)change->shift_max);
    }
    if (pose_count > 0) {
        cli_say(cli, "", "in %u poses vertices are off by %.2f mm on average, %.2f mm at most",
                pose_count, 1000 * (double)change->moved_mean, 1000 * (double)change->moved_max);
    }
}

static cli_exit apply(cli_run *cli, const lmb_weights_edit *edit, lmb_character **character)
{
    lmb_weights_change change;
    lmb_error error = {0};
    const lmb_result result = lmb_weights_apply(character, edit, NULL, &change, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[1], result, &error);
    }
    say_change(cli, &change, edit->op, edit->pose_count);
    const cli_exit code = cli_character_write(cli, cli->output, "glb", *character);
    if (code == CLI_DONE && cli->json) {
        print_change(&change, cli_weights_op_name(edit->op), edit->pose_count > 0, cli->output);
    }
    return code;
}

cli_exit cli_weights_apply(cli_run *cli, const cli_weights_edit *edit, lmb_weights_op op,
                           uint32_t influences, lmb_character **character)
{
    lmb_mat4 *poses = NULL;
    uint32_t pose_count = 0;
    cli_selection selection;
    cli_exit code = cli_selection_read(cli, &edit->where, *character, &selection);
    if (code == CLI_DONE && op == LMB_WEIGHTS_LIMIT) {
        code = find_poses(cli, edit, *character, &poses, &pose_count);
    }
    if (code == CLI_DONE) {
        code = apply(cli,
                     &(lmb_weights_edit){.op = op,
                                         .where = selection.where,
                                         .least = (float)edit->least,
                                         .influences = influences,
                                         .rounds = (uint32_t)edit->rounds,
                                         .amount = (float)edit->amount,
                                         .spread = (float)edit->spread,
                                         .fraction = (float)edit->share,
                                         .hops = (uint32_t)edit->hops,
                                         .poses = poses,
                                         .pose_count = pose_count,
                                         .joint = selection.to,
                                         .from = selection.from,
                                         .assign = (lmb_weights_assign)edit->assign,
                                         .value = (float)edit->value},
                     character);
    }
    cli_selection_end(&selection);
    free(poses);
    return code;
}
