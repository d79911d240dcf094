/// Binding to a skeleton from a file, and the words for what binding did.
#include "rigging.h"

#include <stdlib.h>

static const char *const method_names[] = {"bone heat", "nearest bones", "voxel distances",
                                           "bounded biharmonic"};

void cli_say_weights(const cli_run *cli, const lmb_weights_opts *opts,
                     const lmb_weights_report *report)
{
    const float height = report->height > 0 ? report->height : 1;
    cli_say(cli, "weights",
            "%s, %u influences, dropped weight %.2f%% on average, at most %.1f%%; moves %.2f%% of "
            "the height at most",
            method_names[opts->method], opts->influences ? opts->influences : 4u,
            100 * (double)report->lost_mean, 100 * (double)report->lost_max,
            100 * (double)(report->shift_max / height));
    if (report->component_count > 1) {
        cli_say(cli, "",
                "%u pieces: %u rigid, %u bound under others, %u carried along, %u that see no bone",
                report->component_count, report->rigid_count, report->layer_count,
                report->inherited_count, report->unseen_count);
    }
    if (report->idle_joint_count > 0) {
        cli_say(cli, "", "%u of %u joints move nothing", report->idle_joint_count,
                report->joint_count);
    }
}

void cli_json_weights(cli_json *json, const lmb_weights_report *report)
{
    cli_json_begin(json, "weights", '{');
    cli_json_integer(json, "vertices", report->vertex_count);
    cli_json_integer(json, "joints", report->joint_count);
    cli_json_integer(json, "idleJoints", report->idle_joint_count);
    cli_json_integer(json, "pieces", report->component_count);
    cli_json_integer(json, "rigid", report->rigid_count);
    cli_json_integer(json, "layers", report->layer_count);
    cli_json_integer(json, "carried", report->inherited_count);
    cli_json_integer(json, "unseen", report->unseen_count);
    cli_json_integer(json, "hiddenVertices", report->hidden_count);
    cli_json_number(json, "droppedMean", report->lost_mean);
    cli_json_number(json, "droppedMax", report->lost_max);
    cli_json_number(json, "shiftMean", report->shift_mean);
    cli_json_number(json, "shiftMax", report->shift_max);
    cli_json_end(json, '}');
}

/// Joints that carry weight in the file's own meshes; without meshes those of its skins; without
/// skins all but the nodes that hold meshes.
static void find_deforming(const lmb_character *from, uint8_t *deforms)
{
    const uint32_t n = from->skeleton->joint_count;
    bool any = false;
    for (uint32_t i = 0; i < from->instance_count; ++i) {
        const lmb_instance *instance = &from->instances[i];
        const lmb_mesh *mesh = from->meshes[instance->mesh];
        const uint32_t count = instance->skin != LMB_NONE && mesh->influences.first
                                   ? mesh->influences.first[mesh->vertex_count]
                                   : 0;
        for (uint32_t k = 0; k < count; ++k) {
            deforms[from->skins[instance->skin]->joints[mesh->influences.items[k].joint]] = 1;
            any = true;
        }
    }
    for (uint32_t s = 0; !any && s < from->skin_count; ++s) {
        for (uint32_t k = 0; k < from->skins[s]->joint_count; ++k) {
            deforms[from->skins[s]->joints[k]] = 1;
        }
    }
    if (!any && from->skin_count == 0) {
        for (uint32_t j = 0; j < n; ++j) {
            deforms[j] = 1;
        }
        for (uint32_t i = 0; i < from->instance_count; ++i) {
            deforms[from->instances[i].joint] = 0;
        }
    }
}

static uint32_t count_deforming(const uint8_t *deforms, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t j = 0; j < count; ++j) {
        sum += deforms[j];
    }
    return sum;
}

cli_exit cli_bind_to_file(cli_run *cli, lmb_character **character, const char *skeleton_path,
                          const lmb_weights_opts *opts, lmb_weights_report *report)
{
    lmb_character *from = NULL;
    const cli_exit code = cli_character_read(cli, skeleton_path, NULL, NULL, &from);
    if (code != CLI_DONE) {
        return code;
    }
    const uint32_t n = from->skeleton->joint_count;
    uint8_t *deforms = cli_resize(NULL, n, 1);
    for (uint32_t j = 0; j < n; ++j) {
        deforms[j] = 0;
    }
    find_deforming(from, deforms);
    lmb_error error = {0};
    const lmb_bind_opts bind = {.skeleton = from->skeleton, .deforms = deforms, .weights = *opts};
    const lmb_result result = lmb_bind(character, &bind, report, NULL, &error);
    if (result == LMB_OK) {
        cli_say(cli, "skeleton", "%s, %u joints, %u of them move flesh", skeleton_path, n,
                count_deforming(deforms, n));
        cli_say_weights(cli, opts, report);
    }
    free(deforms);
    lmb_character_destroy(from);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, cli->inputs[0], result, &error);
}
