/// Keys of what is driven in a clip.
#include <string.h>

#include "author/drivers.h"
#include "base/error.h"
#include "limber/anim.h"

typedef struct keying {
    lmb_pose_drivers *drivers;
    const lmb_character *character;
    const lmb_clip *from;
    lmbi_arena arena;
    uint32_t joints;
    bool *moves, *weighs; ///< [joints] gets keys of translation and rotation, of weights
    uint32_t *first;      ///< of lmb_character_weights
    float *rest, *weights;
    lmb_transform *local;
    uint32_t key_count, added;
    lmb_channel *channels; ///< those of `from`, and `added`
} keying;

static bool allocate(keying *k)
{
    lmbi_arena *arena = &k->arena;
    k->joints = k->character->skeleton->joint_count;
    k->moves = lmbi_arena_array(arena, k->joints, sizeof *k->moves);
    k->weighs = lmbi_arena_array(arena, k->joints, sizeof *k->weighs);
    k->first = lmbi_arena_array(arena, (size_t)k->joints + 1, sizeof *k->first);
    k->local = lmbi_arena_array(arena, k->joints, sizeof *k->local);
    const size_t width = k->first ? lmb_character_weights(k->character, k->first, NULL) : 0;
    k->rest = lmbi_arena_array(arena, width + 1, sizeof *k->rest);
    k->weights = lmbi_arena_array(arena, width + 1, sizeof *k->weights);
    k->channels = lmbi_arena_array(arena, k->from->channel_count + 3 * (size_t)k->joints,
                                   sizeof *k->channels);
    return k->moves && k->weighs && k->first && k->local && k->rest && k->weights && k->channels;
}

/// What is driven and has no keys yet.
static void find_driven(keying *k)
{
    lmbi_drivers_mark(k->drivers, k->moves, k->weighs);
    for (uint32_t j = 0; j < k->joints; ++j) {
        k->moves[j] = k->moves[j] && !lmbi_drivers_keyed(k->from, j, false);
        k->weighs[j] = k->weighs[j] && !lmbi_drivers_keyed(k->from, j, true);
    }
}

static bool add_channel(keying *k, uint32_t joint, lmb_path path, uint32_t width, float *ticks)
{
    lmb_channel *to = &k->channels[k->from->channel_count + k->added++];
    *to = (lmb_channel){.joint = joint,
                        .path = path,
                        .width = width,
                        .key_count = k->key_count,
                        .ticks = ticks,
                        .values = lmbi_arena_array(&k->arena, k->key_count, width * sizeof(float))};
    return to->values != NULL;
}

static bool add_channels(keying *k, float *ticks)
{
    bool fine = true;
    memcpy(k->channels, k->from->channels, k->from->channel_count * sizeof *k->channels);
    for (uint32_t j = 0; fine && j < k->joints; ++j) {
        if (k->moves[j]) {
            fine = add_channel(k, j, LMB_PATH_TRANSLATION, 3, ticks) &&
                   add_channel(k, j, LMB_PATH_ROTATION, 4, ticks);
        }
        if (fine && k->weighs[j]) {
            fine = add_channel(k, j, LMB_PATH_WEIGHTS, k->first[j + 1] - k->first[j], ticks);
        }
    }
    return fine;
}

/// Neighbouring rotations are of one sign.
static void fill_rotation(float *to, lmb_quat q, bool is_first)
{
    const float *before = to - 4;
    const float dot =
        is_first ? 1 : before[0] * q.x + before[1] * q.y + before[2] * q.z + before[3] * q.w;
    const float sign = dot < 0 ? -1.0f : 1.0f;
    to[0] = sign * q.x;
    to[1] = sign * q.y;
    to[2] = sign * q.z;
    to[3] = sign * q.w;
}

static void fill_key(keying *k, uint32_t key, double time_s)
{
    const lmb_skeleton *s = k->character->skeleton;
    memcpy(k->local, s->rest, k->joints * sizeof *k->local);
    memcpy(k->weights, k->rest, k->first[k->joints] * sizeof *k->weights);
    lmb_sample(&(lmb_sample_job){.clip = k->from,
                                 .time_s = time_s,
                                 .joint_count = k->joints,
                                 .rest = s->rest,
                                 .pose = k->local,
                                 .weight_first = k->first,
                                 .rest_weights = k->rest,
                                 .weights = k->weights});
    lmb_pose_drivers_evaluate(
        &(lmb_pose_drivers_job){.drivers = k->drivers, .local = k->local, .weights = k->weights});
    for (uint32_t n = 0; n < k->added; ++n) {
        const lmb_channel *channel = &k->channels[k->from->channel_count + n];
        const lmb_transform *t = &k->local[channel->joint];
        float *to = channel->values + (size_t)key * channel->width;
        if (channel->path == LMB_PATH_ROTATION) {
            fill_rotation(to, t->rotation, key == 0);
        } else if (channel->path == LMB_PATH_TRANSLATION) {
            memcpy(to, &t->translation, 3 * sizeof *to);
        } else {
            memcpy(to, k->weights + k->first[channel->joint], channel->width * sizeof *to);
        }
    }
}

static lmb_result make(keying *k, const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    const float rate = k->from->frame_rate > 0 ? k->from->frame_rate : 30;
    const float duration = lmb_clip_duration_s(k->from), frames = duration * rate;
    k->key_count = (frames < 1e7f ? (uint32_t)(frames + 0.5f) : 10000000u) + 1;
    float *ticks = lmbi_arena_array(&k->arena, k->key_count, sizeof *ticks);
    if (!ticks || !add_channels(k, ticks)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t key = 0; key < k->key_count; ++key) {
        const float part = k->key_count > 1 ? (float)key / (float)(k->key_count - 1) : 0;
        ticks[key] = part * k->from->duration;
        fill_key(k, key, (double)(part * duration));
    }
    lmb_clip def = *k->from;
    def.channels = k->channels;
    def.channel_count += k->added;
    return lmb_clip_create(&def, alloc, out, error);
}

lmb_result lmb_pose_drivers_clip(lmb_pose_drivers *drivers, const lmb_clip *clip,
                                 const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    keying k = {.drivers = drivers, .character = lmbi_drivers_character(drivers), .from = clip};
    lmbi_arena_init(&k.arena, alloc);
    lmb_result result = allocate(&k) ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        lmb_character_weights(k.character, k.first, k.rest);
        find_driven(&k);
        result = make(&k, alloc, out, error);
    }
    lmbi_arena_free(&k.arena);
    return result;
}
