// The clips of a machine, keyed or compressed, and what is derived from them once.
#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/machine.h"
#include "base/alloc.h"
#include "base/error.h"

static bool name_is(const char *clip, const char *name)
{
    return clip != NULL && strcmp(clip, name) == 0;
}

static lmb_result find_clip(const lmb_machine *m, const lmb_machine_def *def, const char *name,
                            lmbi_clip_source *source, lmb_error *error)
{
    for (uint32_t c = 0; c < def->clip_count && source->clip == NULL; ++c) {
        source->clip = name_is(def->clips[c]->name, name) ? def->clips[c] : NULL;
    }
    for (uint32_t c = 0; c < def->packed_count && source->clip == NULL && source->packed == NULL;
         ++c) {
        source->packed = name_is(def->packed[c]->name, name) ? def->packed[c] : NULL;
    }
    if (source->clip == NULL && source->packed == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip for every name in the graph",
                         "none is named \"%.100s\"", name);
    }
    if (source->packed != NULL && source->packed->joint_count != m->skeleton->joint_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "compressed clips of the machine's skeleton",
                         "\"%.100s\" of %u joints", name, source->packed->joint_count);
    }
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

/// Without feet, clips synchronise by length: the start and the middle are the stride marks.
static lmb_result init_stride(const lmb_machine_def *def, const lmb_clip *keys,
                              lmbi_clip_source *source, const lmb_allocator *alloc,
                              lmb_error *error)
{
    if (def->left_foot != LMB_NONE && def->right_foot != LMB_NONE) {
        return lmbi_stride_create(keys, def->skeleton, source->track, (uint32_t)def->left_foot,
                                  (uint32_t)def->right_foot, alloc, &source->stride, error);
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

/// Computes the contacts of a foot and the lowest height of its toe tip.
static lmb_result analyse_foot(const lmb_machine_def *def, const lmb_clip *keys, bool loops,
                               uint32_t foot, lmbi_clip_source *source, const lmb_allocator *alloc,
                               lmb_error *error)
{
    const lmb_machine_foot *f = &def->feet[foot];
    lmbi_clip_contacts *tip = NULL;
    lmb_result result = lmbi_clip_contacts_create(keys, def->skeleton, f->joint, f->ball, loops,
                                                  alloc, &source->contacts[foot], error);
    if (result == LMB_OK) {
        result = lmbi_clip_contacts_create(keys, def->skeleton, f->toes > 0 ? f->toes : f->joint,
                                           f->tip, loops, alloc, &tip, error);
    }
    source->tip_floors[foot] = result == LMB_OK ? tip->floor : 0;
    lmbi_clip_contacts_destroy(tip);
    return result;
}

/// Computes the root track, strides and contacts of a clip.
static lmb_result analyse_clip(lmb_machine *m, const lmb_machine_def *def, const lmb_clip *keys,
                               bool loops, lmbi_clip_source *source, lmb_error *error)
{
    lmb_result result = LMB_OK;
    source->duration_s = (double)lmb_clip_duration_s(keys);
    if (def->root != LMB_NONE) {
        // A cycle keeps its sway in the pose; a clip that plays once may start, stop and turn.
        const lmb_root_opts opts = {.joint = (uint32_t)def->root, .even = loops};
        result =
            lmb_root_track_create(keys, def->skeleton, &opts, &m->allocator, &source->track, error);
    }
    if (result == LMB_OK) {
        result = init_stride(def, keys, source, &m->allocator, error);
    }
    for (uint32_t k = 0; k < m->foot_count && result == LMB_OK; ++k) {
        result = analyse_foot(def, keys, loops, k, source, &m->allocator, error);
    }
    return result;
}

lmb_result lmbi_source_create(lmb_machine *m, const lmb_machine_def *def, uint32_t index,
                              lmb_error *error)
{
    lmbi_clip_source *source = &m->sources[index];
    const bool loops = is_looped(m->graph, index);
    lmb_result result = find_clip(m, def, m->graph->clips[index].name, source, error);
    if (result != LMB_OK) {
        return result;
    }
    if (source->clip != NULL) {
        source->cursors =
            lmbi_arena_array(&m->arena, source->clip->channel_count, sizeof(uint32_t));
        return source->cursors != NULL ? analyse_clip(m, def, source->clip, loops, source, error)
                                       : lmbi_fail_memory(error);
    }
    lmb_clip *keys = NULL;
    result = lmb_packed_clip_unpack(source->packed, m->skeleton, &m->allocator, &keys, error);
    if (result == LMB_OK) {
        result = analyse_clip(m, def, keys, loops, source, error);
    }
    lmb_clip_destroy(keys);
    return result;
}

void lmbi_source_release(lmbi_clip_source *source)
{
    lmb_root_track_destroy(source->track);
    lmbi_stride_destroy(source->stride);
    for (int k = 0; k < LMB_MACHINE_FEET; ++k) {
        lmbi_clip_contacts_destroy(source->contacts[k]);
    }
}

void lmbi_source_pose(const lmb_machine *m, const lmbi_clip_source *source, double time_s,
                      lmb_play_mode mode, lmbi_full_pose out)
{
    if (source->clip != NULL) {
        lmb_sample(&(lmb_sample_job){.clip = source->clip,
                                     .time_s = time_s,
                                     .mode = mode,
                                     .joint_count = m->skeleton->joint_count,
                                     .rest = m->skeleton->rest,
                                     .pose = out.joints,
                                     .weight_first = m->weight_first,
                                     .rest_weights = m->rest_weights,
                                     .weights = out.weights,
                                     .cursors = source->cursors});
        return;
    }
    if (out.weights != NULL) {
        memcpy(out.weights, m->rest_weights, m->weight_count * sizeof(float));
    }
    lmb_packed_sample(&(lmb_packed_sample_job){.clip = source->packed,
                                               .time_s = time_s,
                                               .mode = mode,
                                               .pose = out.joints,
                                               .weight_first = m->weight_first,
                                               .weights = out.weights});
}
