/// The clip of `limber simulate --flesh`, and meshes with a morph target for each of its frames.
#include "cli/simulate/soft_tissue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The mesh with one more target a frame.
static lmb_result grow_mesh(const soft_tissue_bake *b, const soft_tissue_bake_part *p,
                            lmb_mesh **out, lmb_error *error)
{
    lmb_mesh def = *p->from;
    const uint32_t old = def.target_count, count = old + b->frame_count;
    lmb_morph_target *targets = cli_resize(NULL, count, sizeof *targets);
    float *weights = cli_resize(NULL, count, sizeof *weights);
    char(*names)[24] = cli_resize(NULL, b->frame_count, sizeof *names);
    memset(targets, 0, count * sizeof *targets);
    for (uint32_t k = 0; k < count; ++k) {
        weights[k] = k < old && def.target_weights != NULL ? def.target_weights[k] : 0;
    }
    if (old > 0) {
        memcpy(targets, def.targets, old * sizeof *targets);
    }
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        snprintf(names[f], sizeof names[f], "flesh %u", (unsigned)f);
        targets[old + f] = (lmb_morph_target){
            .name = names[f], .positions = p->targets + (size_t)f * def.vertex_count};
        if (p->normal_targets != NULL) {
            targets[old + f].normals = p->normal_targets + (size_t)f * def.vertex_count;
        }
    }
    def.target_count = count;
    def.targets = targets;
    def.target_weights = weights;
    const lmb_result result = lmb_mesh_create(&def, NULL, out, error);
    free(targets);
    free(weights);
    free(names);
    return result;
}

/// Frame f is target f alone; in between two fade into each other.
static void fill_weights(const soft_tissue_bake *b, const soft_tissue_bake_part *p, float *ticks,
                         lmb_channel *channel)
{
    const lmb_instance *instance = &b->character->instances[p->instance];
    const float *rest =
        instance->target_weights != NULL ? instance->target_weights : p->from->target_weights;
    const uint32_t old = p->from->target_count, width = old + b->frame_count;
    float *values = cli_resize(NULL, (size_t)b->frame_count * width, sizeof *values);
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        float *row = values + (size_t)f * width;
        for (uint32_t k = 0; k < width; ++k) {
            row[k] = k < old ? (rest != NULL ? rest[k] : 0) : (k == old + f ? 1.0f : 0.0f);
        }
    }
    *channel = (lmb_channel){.joint = instance->joint,
                             .path = LMB_PATH_WEIGHTS,
                             .width = width,
                             .key_count = b->frame_count,
                             .ticks = ticks,
                             .values = values};
}

static cli_exit make_clip(const soft_tissue_bake *b, lmb_clip **out)
{
    lmb_clip *joints = NULL;
    lmb_error error = {0};
    lmb_result result = lmb_clip_from_poses(b->character->skeleton, b->poses, b->frame_count,
                                            (float)b->fps, b->opts->name, NULL, &joints, &error);
    if (result != LMB_OK) {
        return cli_fail_call(b->cli, "the result", result, &error);
    }
    lmb_clip def = *joints;
    float *ticks = cli_resize(NULL, b->frame_count, sizeof *ticks);
    lmb_channel *channels =
        cli_resize(NULL, joints->channel_count + b->part_count, sizeof *channels);
    if (joints->channel_count > 0) { // no joint moves: no array
        memcpy(channels, joints->channels, joints->channel_count * sizeof *channels);
    }
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        ticks[f] = (float)f;
    }
    for (uint32_t k = 0; k < b->part_count; ++k) {
        fill_weights(b, &b->parts[k], ticks, &channels[def.channel_count++]);
    }
    def.channels = channels;
    result = lmb_clip_create(&def, NULL, out, &error);
    for (uint32_t k = joints->channel_count; k < def.channel_count; ++k) {
        free(channels[k].values);
    }
    free(channels);
    free(ticks);
    lmb_clip_destroy(joints);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(b->cli, "the result", result, &error);
}

cli_exit soft_tissue_bake_rebuild(soft_tissue_bake *b, lmb_character **character)
{
    lmb_character *old = *character, *made = NULL, def = *old;
    lmb_mesh **meshes = cli_resize(NULL, def.mesh_count, sizeof *meshes);
    lmb_instance *instances = cli_resize(NULL, def.instance_count, sizeof *instances);
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    lmb_result result = LMB_OK;
    uint32_t grown = 0;
    memcpy(meshes, def.meshes, def.mesh_count * sizeof *meshes);
    memcpy(instances, def.instances, def.instance_count * sizeof *instances);
    cli_exit code = make_clip(b, &clip);
    for (; code == CLI_DONE && grown < b->part_count && result == LMB_OK; ++grown) {
        result = grow_mesh(b, &b->parts[grown], &meshes[b->parts[grown].mesh], &error);
        instances[b->parts[grown].instance].target_weights = NULL;
    }
    def.meshes = meshes;
    def.instances = instances;
    def.clips = &clip;
    def.clip_count = 1;
    if (code == CLI_DONE && result == LMB_OK) {
        result = lmb_character_create(&def, NULL, &made, &error);
    }
    if (code == CLI_DONE && result != LMB_OK) {
        code = cli_fail_call(b->cli, "the result", result, &error);
    }
    if (code == CLI_DONE) {
        for (uint32_t k = 0; k < b->part_count; ++k) {
            lmb_mesh_destroy(old->meshes[b->parts[k].mesh]);
        }
        for (uint32_t k = 0; k < old->clip_count; ++k) {
            lmb_clip_destroy(old->clips[k]);
        }
        b->clip = NULL;
        lmb_character_release(old);
        *character = made;
    } else {
        for (uint32_t k = 0; k < b->part_count; ++k) {
            lmb_mesh *mesh = meshes[b->parts[k].mesh];
            if (mesh != old->meshes[b->parts[k].mesh]) {
                lmb_mesh_destroy(mesh);
            }
        }
        lmb_clip_destroy(clip);
    }
    free(meshes);
    free(instances);
    return code;
}
