/// Morph targets of correctives, and weights in every clip that drive them.
#include "author/correct.h"

#include <math.h>
#include <string.h>

#include "author/drivers.h"
#include "base/error.h"
#include "limber/anim.h"

// ---- morph targets

static bool moves_instance(const lmbi_correction *c, const lmbi_corrective *k, uint32_t instance)
{
    for (uint32_t v = c->first_vertex[instance]; v < c->first_vertex[instance + 1]; ++v) {
        if (lmb_vec3_dot(k->displacements[v], k->displacements[v]) > 0) {
            return true;
        }
    }
    return false;
}

/// A copy of an instance's mesh with a target for every sculpt.
static lmb_result copy_mesh(lmbi_correction *c, uint32_t instance, const lmb_allocator *alloc,
                            lmb_mesh **out, lmb_error *error)
{
    lmb_mesh def = *lmbi_correct_mesh(c, instance);
    const uint32_t old = def.target_count;
    lmb_morph_target *targets = lmbi_arena_array(&c->arena, old + c->count, sizeof *targets);
    float *weights = lmbi_arena_array(&c->arena, old + c->count, sizeof *weights);
    if (!targets || !weights) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t t = 0; t < old; ++t) {
        targets[t] = def.targets[t];
        weights[t] = def.target_weights ? def.target_weights[t] : 0;
    }
    for (uint32_t k = 0; k < c->count; ++k) {
        targets[old + k] = (lmb_morph_target){.name = c->correctives[k].name,
                                              .positions = c->correctives[k].displacements +
                                                           c->first_vertex[instance]};
    }
    def.targets = targets;
    def.target_weights = weights;
    def.target_count = old + c->count;
    return lmb_mesh_create(&def, alloc, out, error);
}

// ---- clips

float lmbi_correct_rate(const lmbi_correction *c, uint32_t clip)
{
    const float recorded = c->character->clips[clip]->frame_rate;
    return c->frame_rate > 0 ? c->frame_rate : recorded > 0 ? recorded : 30;
}

uint32_t lmbi_correct_time_room(const lmbi_correction *c)
{
    float longest = 0;
    for (uint32_t k = 0; k < c->character->clip_count; ++k) {
        longest =
            fmaxf(longest, lmb_clip_duration_s(c->character->clips[k]) * lmbi_correct_rate(c, k));
    }
    return (uint32_t)fminf(longest, 1e7f) + c->key_count + 3;
}

uint32_t lmbi_correct_times(const lmbi_correction *c, uint32_t clip, float *times, uint32_t room)
{
    const float rate = lmbi_correct_rate(c, clip);
    const float end = lmb_clip_duration_s(c->character->clips[clip]);
    uint32_t count = 0;
    for (uint32_t f = 0; (float)f / rate < end && count + c->key_count + 1 < room; ++f) {
        times[count++] = (float)f / rate;
    }
    times[count++] = end;
    for (uint32_t k = 0; k < c->key_count; ++k) {
        const float at = (float)c->keys[k].time_s;
        if (c->keys[k].clip != clip || at < 0 || at > end) {
            continue;
        }
        uint32_t to = count++;
        for (; to > 0 && times[to - 1] > at; --to) {
            times[to] = times[to - 1];
        }
        times[to] = at;
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (kept == 0 || times[k] > times[kept - 1]) {
            times[kept++] = times[k];
        }
    }
    return kept;
}

typedef struct baking {
    lmbi_correction *c;
    const bool *corrected; ///< [instance_count]
    uint32_t *first;       ///< of lmb_character_weights of the character as it was
    float *rest, *now;     ///< weights of the same layout
    float *weights;        ///< [2 count] of the correctives
    lmb_transform *local;
    float *times;
    uint32_t room;
} baking;

static bool allocate_baking(lmbi_correction *c, baking *b)
{
    const lmb_character *ch = c->character;
    const uint32_t joints = ch->skeleton->joint_count;
    b->room = lmbi_correct_time_room(c);
    b->first = lmbi_arena_array(&c->arena, (size_t)joints + 1, sizeof *b->first);
    const size_t count = b->first ? lmb_character_weights(ch, b->first, NULL) : 0;
    b->rest = lmbi_arena_array(&c->arena, count + 1, sizeof *b->rest);
    b->now = lmbi_arena_array(&c->arena, count + 1, sizeof *b->now);
    b->weights = lmbi_arena_array(&c->arena, 2 * (size_t)c->count, sizeof *b->weights);
    b->local = lmbi_arena_array(&c->arena, joints, sizeof *b->local);
    b->times = lmbi_arena_array(&c->arena, b->room, sizeof *b->times);
    if (!b->first || !b->rest || !b->now || !b->weights || !b->local || !b->times) {
        return false;
    }
    lmb_character_weights(ch, b->first, b->rest);
    return true;
}

/// Fills the values of the new channels of one key: the weights that were, then the correctives'.
static void fill_key(const baking *b, uint32_t clip, uint32_t key, lmb_channel *channels,
                     const uint32_t *instances, uint32_t count)
{
    const lmbi_correction *c = b->c;
    const lmb_skeleton *s = c->character->skeleton;
    memcpy(b->now, b->rest, b->first[s->joint_count] * sizeof *b->now);
    lmb_sample(&(lmb_sample_job){.clip = c->character->clips[clip],
                                 .time_s = (double)b->times[key],
                                 .joint_count = s->joint_count,
                                 .rest = s->rest,
                                 .pose = b->local,
                                 .weight_first = b->first,
                                 .rest_weights = b->rest,
                                 .weights = b->now});
    lmbi_correct_weights(c, b->local, b->weights);
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t joint = channels[n].joint,
                       old = lmbi_correct_mesh(c, instances[n])->target_count;
        float *to = channels[n].values + (size_t)key * channels[n].width;
        memcpy(to, b->now + b->first[joint], old * sizeof *to);
        memcpy(to + old, b->weights, c->count * sizeof *to);
    }
}

/// A copy of a clip in which channels of morph weights of corrected instances are replaced.
static lmb_result copy_clip(baking *b, uint32_t clip, const lmb_allocator *alloc, lmb_clip **out,
                            lmb_error *error)
{
    lmbi_correction *c = b->c;
    const lmb_character *ch = c->character;
    lmb_clip def = *ch->clips[clip];
    const uint32_t keys = lmbi_correct_times(c, clip, b->times, b->room);
    lmb_channel *channels =
        lmbi_arena_array(&c->arena, def.channel_count + ch->instance_count, sizeof *channels);
    uint32_t *instances = lmbi_arena_array(&c->arena, ch->instance_count, sizeof *instances);
    float *ticks = lmbi_arena_array(&c->arena, keys, sizeof *ticks);
    if (!channels || !instances || !ticks) {
        return lmbi_fail_memory(error);
    }
    const float per_second = def.ticks_per_s > 0 ? def.ticks_per_s : 1;
    for (uint32_t k = 0; k < keys; ++k) {
        ticks[k] = b->times[k] * per_second;
    }
    uint32_t kept = 0, added = 0;
    for (uint32_t n = 0; n < def.channel_count; ++n) {
        bool replaced = false;
        for (uint32_t i = 0; i < ch->instance_count; ++i) {
            replaced = replaced || (b->corrected[i] && def.channels[n].path == LMB_PATH_WEIGHTS &&
                                    def.channels[n].joint == ch->instances[i].joint);
        }
        if (!replaced) {
            channels[kept++] = def.channels[n];
        }
    }
    for (uint32_t i = 0; i < ch->instance_count; ++i) {
        if (!b->corrected[i]) {
            continue;
        }
        const uint32_t width = lmbi_correct_mesh(c, i)->target_count + c->count;
        float *values = lmbi_arena_array(&c->arena, (size_t)keys * width, sizeof *values);
        if (!values) {
            return lmbi_fail_memory(error);
        }
        instances[added] = i;
        channels[kept + added++] = (lmb_channel){.joint = ch->instances[i].joint,
                                                 .path = LMB_PATH_WEIGHTS,
                                                 .width = width,
                                                 .key_count = keys,
                                                 .ticks = ticks,
                                                 .values = values};
    }
    for (uint32_t k = 0; k < keys; ++k) {
        fill_key(b, clip, k, channels + kept, instances, added);
    }
    def.channels = channels;
    def.channel_count = kept + added;
    return lmb_clip_create(&def, alloc, out, error);
}

// ---- the character

/// The weights at rest of an instance that had its own, with zeros for the correctives.
static lmb_result widen_weights(lmbi_correction *c, lmb_instance *instance, lmb_error *error)
{
    const uint32_t old = c->character->meshes[instance->mesh]->target_count;
    if (!instance->target_weights) {
        return LMB_OK;
    }
    float *weights = lmbi_arena_array(&c->arena, old + c->count, sizeof *weights);
    if (!weights) {
        return lmbi_fail_memory(error);
    }
    memcpy(weights, instance->target_weights, old * sizeof *weights);
    instance->target_weights = weights;
    return LMB_OK;
}

static lmb_result make_parts(lmbi_correction *c, const bool *corrected, const lmb_allocator *alloc,
                             lmb_character *def, lmb_error *error)
{
    const lmb_character *ch = c->character;
    lmb_result result = LMB_OK;
    baking b = {.c = c, .corrected = corrected};
    for (uint32_t i = 0; result == LMB_OK && i < ch->instance_count; ++i) {
        const uint32_t m = ch->instances[i].mesh;
        if (corrected[i] && def->meshes[m] == ch->meshes[m]) {
            result = copy_mesh(c, i, alloc, &def->meshes[m], error);
        }
        if (result == LMB_OK && corrected[i]) {
            result = widen_weights(c, &def->instances[i], error);
        }
    }
    if (result == LMB_OK && !allocate_baking(c, &b)) {
        result = lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; result == LMB_OK && k < ch->clip_count; ++k) {
        result = copy_clip(&b, k, alloc, &def->clips[k], error);
    }
    return result;
}

void lmbi_correct_drop_parts(const lmb_character *made, const lmb_character *other)
{
    for (uint32_t m = 0; m < made->mesh_count; ++m) {
        if (made->meshes[m] != other->meshes[m]) {
            lmb_mesh_destroy(made->meshes[m]);
        }
    }
    for (uint32_t k = 0; k < made->skin_count; ++k) {
        if (made->skins[k] != other->skins[k]) {
            lmb_skin_destroy(made->skins[k]);
        }
    }
    for (uint32_t k = 0; k < made->clip_count; ++k) {
        if (made->clips[k] != other->clips[k]) {
            lmb_clip_destroy(made->clips[k]);
        }
    }
    if (made->appearance != other->appearance) {
        lmb_appearance_destroy(made->appearance);
    }
    if (made->skeleton != other->skeleton) {
        lmb_skeleton_destroy(made->skeleton);
    }
}

lmb_result lmbi_correct_make(lmbi_correction *c, const lmb_allocator *alloc, lmb_character **out,
                             lmb_error *error)
{
    const lmb_character *old = c->character;
    lmb_character def = *old;
    bool *corrected = lmbi_arena_array(&c->arena, old->instance_count, sizeof *corrected);
    def.meshes = lmbi_arena_array(&c->arena, old->mesh_count, sizeof(lmb_mesh *));
    def.clips = lmbi_arena_array(&c->arena, old->clip_count, sizeof(lmb_clip *));
    def.instances = lmbi_arena_array(&c->arena, old->instance_count, sizeof(lmb_instance));
    if (!corrected || !def.meshes || !def.clips || !def.instances) {
        return lmbi_fail_memory(error);
    }
    memcpy(def.meshes, old->meshes, old->mesh_count * sizeof(lmb_mesh *));
    memcpy(def.clips, old->clips, old->clip_count * sizeof(lmb_clip *));
    memcpy(def.instances, old->instances, old->instance_count * sizeof(lmb_instance));
    for (uint32_t i = 0; i < old->instance_count; ++i) {
        for (uint32_t k = 0; k < c->count; ++k) {
            corrected[i] = corrected[i] || moves_instance(c, &c->correctives[k], i);
        }
    }
    lmb_result result = make_parts(c, corrected, alloc, &def, error);
    if (result == LMB_OK) {
        result = lmbi_drivers_keep_targets(c, alloc, &def.appearance, error);
    }
    if (result == LMB_OK) {
        result = lmb_character_create(&def, alloc, out, error);
    }
    if (result != LMB_OK) {
        lmbi_correct_drop_parts(&def, old);
    }
    return result;
}

void lmbi_correct_drop(lmb_character *dropped, const lmb_character *kept)
{
    lmbi_correct_drop_parts(dropped, kept);
    lmb_character_release(dropped);
}
