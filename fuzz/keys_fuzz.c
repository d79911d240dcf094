// Keys as text, on a chain of three joints with a clip: errors point into the text, and what was read
// is written to a text that makes the same clip.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limber/anim.h"
#include "target.h"

static lmb_character *make_chain(void)
{
    static int32_t parents[3] = {LMB_NONE, 0, 1};
    static const char *names[3] = {"root", "upper arm", "root"};
    static lmb_transform rest[3];
    for (int j = 0; j < 3; ++j) {
        rest[j] = lmb_transform_identity();
    }
    const lmb_skeleton skeleton = {
        .joint_count = 3, .parents = parents, .names = names, .rest = rest};
    const lmb_clip clip = {.name = "walk"};
    lmb_clip *clips[1] = {0};
    lmb_character def = {.clip_count = 1, .clips = clips}, *out = NULL;
    if (lmb_skeleton_create(&skeleton, NULL, &def.skeleton, NULL) != LMB_OK ||
        lmb_clip_create(&clip, NULL, &clips[0], NULL) != LMB_OK ||
        lmb_character_create(&def, NULL, &out, NULL) != LMB_OK) {
        abort();
    }
    return out;
}

static lmb_buffer text_of(const lmb_character *c)
{
    lmb_buffer text = {0};
    const lmb_result result =
        lmb_keys_write(c, &(lmb_keys){.from = c->clips[0], .replaces = true}, NULL, &text, NULL);
    if (result != LMB_OK) {
        abort();
    }
    return text;
}

/// The text of the first clip, applied.
static lmb_buffer write_and_apply(lmb_character **c)
{
    const lmb_buffer text = text_of(*c);
    const uint32_t clips = (*c)->clip_count;
    if (lmb_keys_apply(c, text.data, text.size, NULL, NULL, NULL) != LMB_OK ||
        (*c)->clip_count != clips) {
        abort();
    }
    return text;
}

static void take_clip(const lmb_clip *clip, lmb_clip **out)
{
    if (lmb_clip_create(clip, NULL, out, NULL) != LMB_OK) {
        abort();
    }
}

static bool is_same(const lmb_channel *a, const lmb_channel *b)
{
    const size_t values = a->interpolation == LMB_CUBIC ? 3 : 1;
    return a->joint == b->joint && a->path == b->path && a->interpolation == b->interpolation &&
           a->key_count == b->key_count &&
           memcmp(a->ticks, b->ticks, a->key_count * sizeof *a->ticks) == 0 &&
           memcmp(a->values, b->values, values * a->key_count * a->width * sizeof(float)) == 0;
}

/// Bit by bit.
static void check_same_clip(const lmb_clip *a, const lmb_clip *b)
{
    bool same = a->channel_count == b->channel_count && a->duration == b->duration &&
                strcmp(a->name, b->name) == 0;
    for (uint32_t k = 0; same && k < a->channel_count; ++k) {
        same = is_same(&a->channels[k], &b->channels[k]);
    }
    if (!same) {
        abort();
    }
}

static void pose_at(const lmb_character *c, const lmb_clip *clip, double time_s, lmb_transform *out)
{
    lmb_sample(&(lmb_sample_job){.clip = clip,
                                 .time_s = time_s,
                                 .joint_count = c->skeleton->joint_count,
                                 .rest = c->skeleton->rest,
                                 .pose = out});
}

/// At the keys, to a millionth: what is so near to rest is taken for it.
static void check_same_poses(const lmb_character *c, const lmb_clip *a, const lmb_clip *b)
{
    const lmb_channel *keys = &a->channels[0]; // the first joint's rotation, or a channel before it
    for (uint32_t k = 0; k < a->channel_count; ++k) {
        keys = a->channels[k].key_count > keys->key_count ? &a->channels[k] : keys;
    }
    for (uint32_t k = 0; k < keys->key_count; ++k) {
        lmb_transform x[3], y[3];
        pose_at(c, a, (double)keys->ticks[k], x);
        pose_at(c, b, (double)keys->ticks[k], y);
        for (int j = 0; j < 3; ++j) {
            const float *p = &x[j].translation.x, *q = &y[j].translation.x;
            for (size_t i = 0; i < sizeof x[j] / sizeof *p; ++i) {
                if (!(fabsf(p[i] - q[i]) <= 4e-6f * fmaxf(1, fabsf(p[i])))) {
                    abort();
                }
            }
        }
    }
}

/// What was read is written to a text of the same poses, and from then on text and clip stay.
static void check_round_trip(lmb_character **c)
{
    lmb_clip *read = NULL, *again = NULL;
    take_clip((*c)->clips[0], &read);
    lmb_buffer first = write_and_apply(c);
    take_clip((*c)->clips[0], &again);
    check_same_poses(*c, read, again);
    lmb_buffer second = write_and_apply(c);
    if (first.size != second.size || memcmp(first.data, second.data, first.size) != 0) {
        abort();
    }
    check_same_clip(again, (*c)->clips[0]);
    lmb_buffer_free(&first);
    lmb_buffer_free(&second);
    lmb_clip_destroy(read);
    lmb_clip_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_character *c = make_chain();
    lmb_error error = {0};
    const lmb_result result = lmb_keys_apply(&c, data, size, NULL, NULL, &error);
    if (result == LMB_ERROR_MALFORMED &&
        (error.line == 0 || error.column == 0 || error.expected[0] == 0)) {
        abort();
    }
    if (result == LMB_OK) {
        check_round_trip(&c);
    }
    lmb_character_destroy(c);
    return 0;
}
