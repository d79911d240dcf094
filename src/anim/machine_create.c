#include <math.h>
#include <string.h>

#include "anim/machine.h"
#include "base/alloc.h"
#include "base/error.h"

/// Without feet, clips keep step by their length: the beginning and the middle are the marks.
static lmb_result make_stride(const lmb_machine_def *def, lmbi_source *source,
                              const lmb_allocator *alloc, lmb_error *error)
{
    if (def->left_foot != LMB_NONE && def->right_foot != LMB_NONE) {
        return lmb_stride_create(source->clip, def->skeleton, source->track,
                                 (uint32_t)def->left_foot, (uint32_t)def->right_foot, alloc,
                                 &source->stride, error);
    }
    source->stride = lmbi_alloc(alloc, sizeof(*source->stride));
    if (source->stride == NULL) {
        return lmbi_fail_memory(error);
    }
    if (alloc != NULL) {
        source->stride->allocator = *alloc;
    }
    source->stride->duration_s = source->duration_s;
    source->stride->mark_count = source->duration_s > 0 ? 2 : 0;
    source->stride->marks_s[1] = 0.5 * source->duration_s;
    return LMB_OK;
}

static bool is_looped(const lmb_graph *graph, uint32_t clip)
{
    for (uint32_t l = 0; l < graph->layer_count; ++l) {
        for (uint32_t s = 0; s < graph->layers[l].state_count; ++s) {
            const lmbi_state *state = &graph->layers[l].states[s];
            for (uint32_t i = 0; i < state->motion_count; ++i) {
                if (state->clips[i] == clip && state->mode == LMB_PLAY_LOOP) {
                    return true;
                }
            }
        }
    }
    return false;
}

static lmb_result make_source(lmb_machine *m, const lmb_machine_def *def, uint32_t index,
                              lmb_error *error)
{
    const char *name = m->graph->clips[index].name;
    lmbi_source *source = &m->sources[index];
    for (uint32_t c = 0; c < def->clip_count && source->clip == NULL; ++c) {
        if (def->clips[c]->name != NULL && strcmp(def->clips[c]->name, name) == 0) {
            source->clip = def->clips[c];
        }
    }
    if (source->clip == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip for every name in the graph",
                         "none is named \"%.100s\"", name);
    }
    source->duration_s = (double)lmb_clip_duration_s(source->clip);
    source->cursors = lmbi_arena_array(&m->arena, source->clip->channel_count, sizeof(uint32_t));
    if (source->cursors == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = LMB_OK;
    if (def->root != LMB_NONE) {
        // Sway stays in the pose of a cycle; what plays once may start, stop and turn on its way.
        const lmb_root_opts opts = {.joint = (uint32_t)def->root,
                                    .even = is_looped(m->graph, index)};
        result = lmb_root_track_create(source->clip, def->skeleton, &opts, &m->allocator,
                                       &source->track, error);
    }
    return result == LMB_OK ? make_stride(def, source, &m->allocator, error) : result;
}

/// The least common multiple of all counts of marks, so that a phase folds without a seam; at most
/// 2^30.
static double phase_period(const lmb_machine *m)
{
    uint64_t period = 2;
    for (uint32_t k = 0; k < m->graph->clip_count; ++k) {
        const uint64_t count = m->sources[k].stride->mark_count;
        uint64_t a = period, b = count;
        while (b != 0) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (count > 0 && period / a * count < (1u << 30)) {
            period = period / a * count;
        }
    }
    return (double)period;
}

static lmb_transform *new_pose(lmb_machine *m)
{
    lmb_transform *pose = lmbi_arena_array(&m->arena, m->skeleton->joint_count, sizeof(*pose));
    if (pose != NULL) {
        memcpy(pose, m->skeleton->rest, m->skeleton->joint_count * sizeof(*pose));
    }
    return pose;
}

static lmb_result make_mask(lmb_machine *m, const lmbi_graph_layer *graph, lmbi_layer *layer,
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

static lmb_result make_layer(lmb_machine *m, uint32_t index, lmb_error *error)
{
    const lmbi_graph_layer *graph = &m->graph->layers[index];
    lmbi_layer *layer = &m->layers[index];
    layer->shown[0] = new_pose(m);
    layer->shown[1] = new_pose(m);
    layer->reference = new_pose(m);
    if (layer->shown[0] == NULL || layer->shown[1] == NULL || layer->reference == NULL) {
        return lmbi_fail_memory(error);
    }
    if (graph->reference != LMB_NONE) {
        const lmbi_source *source = &m->sources[graph->reference];
        lmb_sample(&(lmb_sample_job){.clip = source->clip,
                                     .joint_count = m->skeleton->joint_count,
                                     .rest = m->skeleton->rest,
                                     .pose = layer->reference});
        if (source->track != NULL) {
            lmb_pose_take_root(m->skeleton, source->track->joint,
                               lmb_root_track_at(source->track, 0), layer->reference);
        }
    }
    lmb_result result = make_mask(m, graph, layer, error);
    if (result == LMB_OK) {
        result = lmb_transition_create(m->skeleton->joint_count, &m->allocator, &layer->transition,
                                       error);
    }
    if (result == LMB_OK) {
        lmbi_player_start(m, &layer->current, &graph->states[graph->start], -1);
    }
    return result;
}

static lmb_result make_parts(lmb_machine *m, const lmb_machine_def *def, lmb_error *error)
{
    const lmb_graph *graph = m->graph;
    m->sources = lmbi_arena_array(&m->arena, graph->clip_count, sizeof(*m->sources));
    m->parameters = lmbi_arena_array(&m->arena, 3 * (size_t)graph->parameter_count, sizeof(float));
    m->rotations =
        lmbi_arena_array(&m->arena, 3 * (size_t)def->skeleton->joint_count, sizeof(lmb_quat));
    bool made = m->sources != NULL && m->parameters != NULL && m->rotations != NULL;
    for (int k = 0; k < 4 && made; ++k) {
        made = (m->poses[k] = new_pose(m)) != NULL &&
               (k == 3 || (m->samples[k] = new_pose(m)) != NULL);
    }
    if (!made) {
        return lmbi_fail_memory(error);
    }
    m->goals = m->parameters + graph->parameter_count;
    m->speeds = m->goals + graph->parameter_count;
    for (uint32_t k = 0; k < graph->parameter_count; ++k) {
        m->parameters[k] = m->goals[k] = graph->parameters[k].start;
    }
    lmb_result result = LMB_OK;
    for (uint32_t k = 0; k < graph->clip_count && result == LMB_OK; ++k) {
        result = make_source(m, def, k, error);
    }
    m->phase_period = result == LMB_OK ? phase_period(m) : 2;
    for (uint32_t l = 0; l < graph->layer_count && result == LMB_OK; ++l) {
        result = make_layer(m, l, error);
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
    if (result != LMB_OK) {
        return result;
    }
    lmb_machine *m = lmbi_alloc(alloc, sizeof(*m));
    if (m == NULL) {
        return lmbi_fail_memory(error);
    }
    m->graph = def->graph;
    m->skeleton = def->skeleton;
    if (alloc != NULL) {
        m->allocator = *alloc;
    }
    lmbi_arena_init(&m->arena, &m->allocator);
    result = make_parts(m, def, error);
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
        lmb_root_track_destroy(m->sources[k].track);
        lmb_stride_destroy(m->sources[k].stride);
    }
    for (uint32_t l = 0; l < m->graph->layer_count; ++l) {
        lmb_transition_destroy(m->layers[l].transition);
    }
    const lmb_allocator alloc = m->allocator;
    lmbi_arena_free(&m->arena);
    lmbi_free(&alloc, m);
}
