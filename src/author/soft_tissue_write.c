/// The clip of baked soft tissue, and meshes with a morph target for each of its frames.
#include "author/soft_tissue_bake.h"

#include "base/alloc.h"
#include "base/error.h"
#include "limber/anim.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 24 };

lmb_result lmbi_tissue_make_mesh(lmbi_tissue_bake *b, const lmbi_tissue_part *p,
                                 const lmb_allocator *alloc, lmb_mesh **out, lmb_error *error)
{
    const uint32_t frames = b->opts->frame_count;
    lmb_mesh def = *p->from;
    const uint32_t old = def.target_count;
    def.target_count += frames;
    lmb_morph_target *targets = lmbi_arena_array(&b->arena, def.target_count, sizeof *targets);
    float *weights = lmbi_arena_array(&b->arena, def.target_count, sizeof *weights);
    char(*names)[NAME_SIZE] = lmbi_arena_array(&b->arena, frames, sizeof *names);
    if (targets == NULL || weights == NULL || names == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < old; ++k) {
        targets[k] = def.targets[k];
        weights[k] = def.target_weights != NULL ? def.target_weights[k] : 0;
    }
    for (uint32_t f = 0; f < frames; ++f) {
        const size_t first = (size_t)f * def.vertex_count;
        snprintf(names[f], sizeof names[f], "flesh %u", (unsigned)f);
        targets[old + f] = (lmb_morph_target){.name = names[f], .positions = p->targets + first};
        if (p->normal_targets != NULL) {
            targets[old + f].normals = p->normal_targets + first;
        }
    }
    def.targets = targets;
    def.target_weights = weights;
    return lmb_mesh_create(&def, alloc, out, error);
}

/// At frame f target f has weight 1 alone; between two frames their targets are interpolated.
static bool fill_weights(lmbi_tissue_bake *b, const lmbi_tissue_part *p, float *ticks,
                         lmb_channel *channel)
{
    const lmb_instance *instance = &b->character->instances[p->instance];
    const float *rest =
        instance->target_weights != NULL ? instance->target_weights : p->from->target_weights;
    const uint32_t frames = b->opts->frame_count, old = p->from->target_count, width = old + frames;
    float *values = lmbi_arena_array(&b->arena, (size_t)frames * width, sizeof *values);
    for (uint32_t f = 0; values != NULL && f < frames; ++f) {
        float *row = values + (size_t)f * width;
        for (uint32_t k = 0; k < old; ++k) {
            row[k] = rest != NULL ? rest[k] : 0;
        }
        row[old + f] = 1;
    }
    *channel = (lmb_channel){.joint = instance->joint,
                             .path = LMB_PATH_WEIGHTS,
                             .width = width,
                             .key_count = frames,
                             .ticks = ticks,
                             .values = values};
    return values != NULL;
}

/// The channels of `joints` and one of weights for each part.
static lmb_result add_weights(lmbi_tissue_bake *b, const lmb_clip *joints,
                              const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    lmb_clip def = *joints;
    float *ticks = lmbi_arena_array(&b->arena, b->opts->frame_count, sizeof *ticks);
    def.channels = lmbi_arena_array(&b->arena, (size_t)joints->channel_count + b->part_count,
                                    sizeof *def.channels);
    if (ticks == NULL || def.channels == NULL) {
        return lmbi_fail_memory(error);
    }
    if (joints->channel_count > 0) { // no joint moves: no array
        memcpy(def.channels, joints->channels, joints->channel_count * sizeof *def.channels);
    }
    for (uint32_t f = 0; f < b->opts->frame_count; ++f) {
        ticks[f] = (float)f;
    }
    for (uint32_t k = 0; k < b->part_count; ++k) {
        if (!fill_weights(b, &b->parts[k], ticks, &def.channels[def.channel_count++])) {
            return lmbi_fail_memory(error);
        }
    }
    return lmb_clip_create(&def, alloc, out, error);
}

lmb_result lmbi_tissue_make_clip(lmbi_tissue_bake *b, const lmb_allocator *alloc, lmb_clip **out,
                                 lmb_error *error)
{
    lmb_clip *joints = NULL;
    lmb_result result =
        lmb_clip_from_poses(b->character->skeleton, b->poses, b->opts->frame_count,
                            (float)b->opts->rate_hz, b->opts->name, alloc, &joints, error);
    if (result == LMB_OK) {
        result = add_weights(b, joints, alloc, out, error);
    }
    lmb_clip_destroy(joints);
    return result;
}
