#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/machine.h"
#include "base/alloc.h"
#include "base/error.h"

/// Least common multiple of the clips' mark counts, at most 2^30: wrapping a phase at it is
/// seamless.
static double phase_period(const lmb_machine *m)
{
    uint64_t period = 2;
    for (uint32_t k = 0; k < m->graph->clip_count; ++k) {
        const uint64_t count = m->sources[k].stride->mark_count;
        uint64_t a = period, b = count;
        while (b != 0) {
            const uint64_t remainder = a % b;
            a = b;
            b = remainder;
        }
        if (count > 0 && period / a * count < (1u << 30)) {
            period = period / a * count;
        }
    }
    return (double)period;
}

/// Allocates a pose and sets it to rest. False when out of memory.
static bool alloc_full_pose(lmb_machine *m, lmbi_full_pose *out)
{
    const uint32_t joints = m->skeleton->joint_count;
    out->joints = lmbi_arena_array(&m->arena, joints, sizeof(*out->joints));
    if (out->joints == NULL) {
        return false;
    }
    memcpy(out->joints, m->skeleton->rest, joints * sizeof(*out->joints));
    if (m->weight_count > 0) {
        out->weights = lmbi_arena_array(&m->arena, m->weight_count, sizeof(float));
        if (out->weights == NULL) {
            return false;
        }
        memcpy(out->weights, m->rest_weights, m->weight_count * sizeof(float));
    }
    return true;
}

static lmb_result init_mask(lmb_machine *m, const lmbi_graph_layer *graph, lmbi_layer *layer,
                            lmb_error *error)
{
    if (graph->mask_count == 0) {
        return LMB_OK;
    }
    layer->mask = lmbi_arena_array(&m->arena, m->skeleton->joint_count, sizeof(float));
    if (layer->mask == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < graph->mask_count; ++k) {
        const int32_t joint = lmb_skeleton_find(m->skeleton, graph->mask[k].joint);
        if (joint == LMB_NONE) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "joints of the skeleton in a mask",
                             "\"%.100s\"", graph->mask[k].joint);
        }
        lmb_mask_branch(m->skeleton, (uint32_t)joint, graph->mask[k].weight, graph->feather,
                        layer->mask);
    }
    return LMB_OK;
}

static bool alloc_layer(lmb_machine *m, lmbi_layer *layer)
{
    if (!alloc_full_pose(m, &layer->recent[0]) || !alloc_full_pose(m, &layer->recent[1]) ||
        !alloc_full_pose(m, &layer->reference)) {
        return false;
    }
    layer->weight_offsets = lmbi_arena_array(&m->arena, 2 * (size_t)m->weight_count, sizeof(float));
    if (layer->weight_offsets == NULL) {
        return false;
    }
    layer->weight_velocities = layer->weight_offsets + m->weight_count;
    return true;
}

static lmb_result init_layer(lmb_machine *m, uint32_t index, lmb_error *error)
{
    const lmbi_graph_layer *graph = &m->graph->layers[index];
    lmbi_layer *layer = &m->layers[index];
    if (!alloc_layer(m, layer)) {
        return lmbi_fail_memory(error);
    }
    if (graph->reference != LMB_NONE) {
        const lmbi_clip_source *source = &m->sources[graph->reference];
        lmbi_source_pose(m, source, 0, LMB_PLAY_CLAMP, layer->reference);
        if (source->track != NULL) {
            lmbi_pose_extract_root(m->skeleton, source->track->joint,
                                   lmbi_root_track_at(source->track, 0), layer->reference.joints);
        }
    }
    lmb_result result = init_mask(m, graph, layer, error);
    if (result == LMB_OK) {
        result = lmb_transition_create(m->skeleton->joint_count, &m->allocator, &layer->transition,
                                       error);
    }
    if (result == LMB_OK) {
        const lmbi_state *start = lmbi_transition_enter(m, graph, NULL, graph->start);
        lmbi_player_start(m, &layer->current, start, -1);
    }
    return result;
}

static bool alloc_arrays(lmb_machine *m)
{
    const lmb_graph *graph = m->graph;
    m->sources = lmbi_arena_array(&m->arena, graph->clip_count, sizeof(*m->sources));
    m->parameters = lmbi_arena_array(&m->arena, 3 * (size_t)graph->parameter_count, sizeof(float));
    m->rotations =
        lmbi_arena_array(&m->arena, 3 * (size_t)m->skeleton->joint_count, sizeof(lmb_quat));
    bool made = m->sources != NULL && m->parameters != NULL && m->rotations != NULL;
    for (int k = 0; k < 4 && made; ++k) {
        made = alloc_full_pose(m, &m->poses[k]) && (k == 3 || alloc_full_pose(m, &m->samples[k]));
    }
    if (made && m->weight_count > 0) {
        m->weights = lmbi_arena_array(&m->arena, m->weight_count, sizeof(float));
        made = m->weights != NULL;
    }
    return made;
}

static lmb_result init_machine(lmb_machine *m, const lmb_machine_def *def, lmb_error *error)
{
    const lmb_graph *graph = m->graph;
    if (!alloc_arrays(m)) {
        return lmbi_fail_memory(error);
    }
    m->targets = m->parameters + graph->parameter_count;
    m->velocities = m->targets + graph->parameter_count;
    for (uint32_t k = 0; k < graph->parameter_count; ++k) {
        m->parameters[k] = m->targets[k] = graph->parameters[k].start;
    }
    if (m->weight_count > 0) {
        memcpy(m->weights, m->rest_weights, m->weight_count * sizeof(float));
    }
    lmb_result result = LMB_OK;
    for (uint32_t k = 0; k < graph->clip_count && result == LMB_OK; ++k) {
        result = lmbi_source_create(m, def, k, error);
    }
    m->phase_period = result == LMB_OK ? phase_period(m) : 2;
    for (uint32_t l = 0; l < graph->layer_count && result == LMB_OK; ++l) {
        result = init_layer(m, l, error);
    }
    return result;
}

static lmb_result check_joint(const lmb_machine_def *def, int32_t joint, const char *what,
                              lmb_error *error)
{
    if (joint != LMB_NONE && (joint < 0 || (uint32_t)joint >= def->skeleton->joint_count)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "joints of the skeleton", "%s %d", what, joint);
    }
    return LMB_OK;
}

lmb_result lmb_machine_create(const lmb_machine_def *def, const lmb_allocator *alloc,
                              lmb_machine **out, lmb_error *error)
{
    lmb_result result = check_joint(def, def->root, "root", error);
    if (result == LMB_OK) {
        result = check_joint(def, def->left_foot, "left foot", error);
    }
    if (result == LMB_OK) {
        result = check_joint(def, def->right_foot, "right foot", error);
    }
    for (uint32_t k = 0; k < def->foot_count && result == LMB_OK; ++k) {
        result = check_joint(def, (int32_t)def->feet[k].joint, "foot", error);
        if (result == LMB_OK) {
            result = check_joint(def, (int32_t)def->feet[k].toes, "toes", error);
        }
    }
    if (result != LMB_OK) {
        return result;
    }
    lmb_machine *m = lmbi_alloc(alloc, sizeof(*m));
    if (m == NULL) {
        return lmbi_fail_memory(error);
    }
    m->graph = def->graph;
    m->skeleton = def->skeleton;
    m->foot_count = def->foot_count < LMB_MACHINE_FEET ? def->foot_count : LMB_MACHINE_FEET;
    if (def->weight_first != NULL && def->rest_weights != NULL) {
        m->weight_first = def->weight_first;
        m->rest_weights = def->rest_weights;
        m->weight_count = def->weight_first[def->skeleton->joint_count];
    }
    if (alloc != NULL) {
        m->allocator = *alloc;
    }
    lmbi_arena_init(&m->arena, &m->allocator);
    result = init_machine(m, def, error);
    if (result != LMB_OK) {
        lmb_machine_destroy(m);
        return result;
    }
    *out = m;
    return LMB_OK;
}

void lmb_machine_destroy(lmb_machine *m)
{
    if (m == NULL) {
        return;
    }
    for (uint32_t k = 0; m->sources != NULL && k < m->graph->clip_count; ++k) {
        lmbi_source_release(&m->sources[k]);
    }
    for (uint32_t l = 0; l < m->graph->layer_count; ++l) {
        lmb_transition_destroy(m->layers[l].transition);
    }
    const lmb_allocator alloc = m->allocator;
    lmbi_arena_free(&m->arena);
    lmbi_free(&alloc, m);
}
