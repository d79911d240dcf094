/// limber weights mirror and transfer: weights that come from elsewhere.
#include "cli/rig/rigging.h"

#include <stdlib.h>
#include <string.h>

/// A map that is less sure than this is no humanoid's.
static const float SURE = 0.5f;

/// For the joints of a humanoid's left side those of its right side.
static cli_exit find_sides(const cli_run *cli, const lmb_skeleton *skeleton, int32_t *right_of)
{
    lmb_joint_map map;
    lmb_error error = {0};
    const lmb_result result = lmb_joint_map_make(skeleton, NULL, &map, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[1], result, &error);
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        right_of[j] = LMB_NONE;
    }
    for (int s = 0; s < LMB_HUMAN_BONE_COUNT && map.confidence >= SURE; ++s) {
        const int32_t left = map.bones[s].joint;
        const int32_t right = map.bones[lmb_human_bone_mirror((lmb_human_bone)s)].joint;
        if (strncmp(lmb_human_bone_name((lmb_human_bone)s), "left", 4) == 0 && left != LMB_NONE &&
            right != LMB_NONE && left != right) {
            right_of[left] = right;
        }
    }
    return CLI_DONE;
}

static void print_mirror(const lmb_mirror_report *r, const char *output)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", output);
    cli_json_text(&json, "operation", "mirror");
    cli_json_begin(&json, "normal", '[');
    cli_json_number(&json, NULL, r->normal.x);
    cli_json_number(&json, NULL, r->normal.y);
    cli_json_number(&json, NULL, r->normal.z);
    cli_json_end(&json, ']');
    cli_json_number(&json, "offset", r->offset);
    cli_json_integer(&json, "vertices", r->vertex_count);
    cli_json_integer(&json, "copied", r->copied_count);
    cli_json_integer(&json, "seam", r->seam_count);
    cli_json_integer(&json, "alone", r->alone_count);
    cli_json_integer(&json, "changed", r->changed_count);
    cli_json_integer(&json, "joint_pairs", r->pair_count);
    cli_json_integer(&json, "middle_joints", r->middle_count);
    cli_json_integer(&json, "lone_joints", r->lone_joint_count);
    cli_json_number(&json, "distance_mean", r->distance_mean);
    cli_json_number(&json, "distance_max", r->distance_max);
    cli_json_end(&json, '}');
}

static void say_mirror(const cli_run *cli, const lmb_mirror_report *r)
{
    cli_say(cli, "plane", "%.3f x %+.3f y %+.3f z = %.4f, left where that is more",
            (double)r->normal.x, (double)r->normal.y, (double)r->normal.z, (double)r->offset);
    cli_say(cli, "joints", "%u pairs, %u in the middle, %u with weight and no partner",
            r->pair_count, r->middle_count, r->lone_joint_count);
    cli_say(cli, "weights",
            "%u of %u vertices copied, %u on the seam averaged, %u without a mirror image kept; "
            "%u changed",
            r->copied_count, r->vertex_count, r->seam_count, r->alone_count, r->changed_count);
    cli_say(cli, "", "mirror images are off the surface by %.2f mm on average, %.2f mm at most",
            1000 * (double)r->distance_mean, 1000 * (double)r->distance_max);
}

cli_exit cli_weights_mirror(cli_run *cli, lmb_mirror_side side, uint32_t influences,
                            lmb_character **character)
{
    const lmb_skeleton *skeleton = (*character)->skeleton;
    int32_t *right_of = cli_resize(NULL, skeleton->joint_count, sizeof *right_of);
    cli_exit code = find_sides(cli, skeleton, right_of);
    const lmb_mirror_opts opts = {side, right_of, influences};
    lmb_mirror_report report = {0};
    lmb_error error = {0};
    const lmb_result result =
        code == CLI_DONE ? lmb_weights_mirror(character, &opts, NULL, &report, &error) : LMB_OK;
    free(right_of);
    if (code != CLI_DONE || result != LMB_OK) {
        return code != CLI_DONE ? code : cli_fail_call(cli, cli->inputs[1], result, &error);
    }
    say_mirror(cli, &report);
    code = cli_character_write(cli, cli->output, "glb", *character);
    if (code == CLI_DONE && cli->json) {
        print_mirror(&report, cli->output);
    }
    return code;
}

/// For the joints of one humanoid those of the other.
static cli_exit find_same(const cli_run *cli, const lmb_skeleton *from, const lmb_skeleton *to,
                          int32_t *joints)
{
    lmb_joint_map a, b;
    lmb_error error = {0};
    lmb_result result = lmb_joint_map_make(from, NULL, &a, &error);
    if (result == LMB_OK) {
        result = lmb_joint_map_make(to, NULL, &b, &error);
    }
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[1], result, &error);
    }
    for (uint32_t j = 0; j < from->joint_count; ++j) {
        joints[j] = lmb_skeleton_find(to, from->names[j]);
    }
    for (int s = 0; s < LMB_HUMAN_BONE_COUNT && a.confidence >= SURE && b.confidence >= SURE; ++s) {
        const int32_t j = a.bones[s].joint;
        if (j != LMB_NONE && joints[j] == LMB_NONE) {
            joints[j] = b.bones[s].joint;
        }
    }
    return CLI_DONE;
}

static void print_transfer(const lmb_transfer_report *r, const char *output)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", output);
    cli_json_text(&json, "operation", "transfer");
    cli_json_integer(&json, "vertices", r->vertex_count);
    cli_json_integer(&json, "matched", r->matched_count);
    cli_json_integer(&json, "filled", r->filled_count);
    cli_json_integer(&json, "nearest", r->nearest_count);
    cli_json_integer(&json, "joints", r->joint_count);
    cli_json_bool(&json, "bound", r->bound);
    cli_json_number(&json, "distance_mean", r->distance_mean);
    cli_json_number(&json, "distance_max", r->distance_max);
    cli_json_end(&json, '}');
}

static cli_exit finish_transfer(cli_run *cli, const lmb_transfer_report *r,
                                const lmb_character *character)
{
    cli_say(cli, "weights",
            "%u vertices: %u matched, %u filled in between, %u in pieces without a match",
            r->vertex_count, r->matched_count, r->filled_count, r->nearest_count);
    cli_say(cli, "", "%u joints have a counterpart%s; matches are %.2f mm off, %.2f mm at most",
            r->joint_count, r->bound ? " (the skeleton came along)" : "",
            1000 * (double)r->distance_mean, 1000 * (double)r->distance_max);
    const cli_exit code = cli_character_write(cli, cli->output, "glb", character);
    if (code == CLI_DONE && cli->json) {
        print_transfer(r, cli->output);
    }
    return code;
}

cli_exit cli_weights_transfer(cli_run *cli, const cli_weights_transfer_opts *given,
                              lmb_character **character)
{
    lmb_character *from = NULL;
    if (given->distance < 0 || given->distance > 1 || given->angle_deg < 0 ||
        given->angle_deg > 180) {
        return cli_fail(cli, CLI_USAGE, "--distance takes 0 to 1, --angle 0 to 180");
    }
    cli_exit code = cli_character_read(cli, given->from, NULL, NULL, &from);
    if (code != CLI_DONE) {
        return code;
    }
    int32_t *joints = cli_resize(NULL, from->skeleton->joint_count, sizeof *joints);
    code = find_same(cli, from->skeleton, (*character)->skeleton, joints);
    bool skinned = false;
    for (uint32_t i = 0; i < (*character)->instance_count; ++i) {
        const lmb_instance *instance = &(*character)->instances[i];
        skinned = skinned || (instance->skin != LMB_NONE &&
                              (*character)->meshes[instance->mesh]->influences.first);
    }
    const lmb_transfer_opts opts = {.joints = skinned ? joints : NULL,
                                    .distance_fraction = (float)given->distance,
                                    .angle_rad = (float)(given->angle_deg * (double)LMB_PI / 180),
                                    .two_sided = given->two_sided,
                                    .rounds = given->rounds,
                                    .influences = given->influences};
    lmb_transfer_report report = {0};
    lmb_error error = {0};
    if (code == CLI_DONE) {
        const lmb_result result =
            lmb_weights_transfer(character, from, &opts, NULL, &report, &error);
        code = result == LMB_OK ? finish_transfer(cli, &report, *character)
                                : cli_fail_call(cli, cli->inputs[1], result, &error);
    }
    free(joints);
    lmb_character_destroy(from);
    return code;
}
