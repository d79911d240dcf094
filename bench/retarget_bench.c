// Frames a second of retargeting on one core, feet free and locked, for a recording of 60 s. JSON
// on stdout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"
#include "limber/os.h"

enum { ROUNDS = 5, FRAMES = 3600 };

/// A walk of a minute: the made cycle again and again, a stride further on each time, and no loop
/// any more.
static lmb_character *long_walk(void)
{
    lmb_character *walk = NULL;
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &walk, NULL) !=
        LMB_OK) {
        exit(1);
    }
    const lmb_clip *cycle = walk->clips[0];
    lmb_channel *channels = calloc(cycle->channel_count, sizeof(*channels));
    float *ticks = calloc(FRAMES, sizeof(*ticks));
    for (uint32_t f = 0; f < FRAMES; ++f) {
        ticks[f] = (float)f;
    }
    for (uint32_t c = 0; c < cycle->channel_count; ++c) {
        const lmb_channel *from = &cycle->channels[c];
        const uint32_t n = from->key_count - 1, w = from->width;
        float *values = calloc((size_t)FRAMES * w, sizeof(*values));
        for (uint32_t f = 0; f < FRAMES; ++f) {
            memcpy(values + (size_t)f * w, from->values + (size_t)(f % n) * w, w * sizeof(float));
            if (from->path == LMB_PATH_TRANSLATION) {
                values[(size_t)f * w + 2] +=
                    (float)(f / n) * (from->values[(size_t)n * w + 2] - from->values[2]) +
                    0.0001f * (float)f;
            }
        }
        channels[c] = *from;
        channels[c].key_count = FRAMES;
        channels[c].ticks = ticks;
        channels[c].values = values;
    }
    lmb_clip def = *cycle;
    def.channels = channels;
    def.duration = FRAMES - 1;
    lmb_clip *clip = NULL;
    if (lmb_clip_create(&def, NULL, &clip, NULL) != LMB_OK) {
        exit(1);
    }
    lmb_clip_destroy(walk->clips[0]);
    walk->clips[0] = clip;
    for (uint32_t c = 0; c < def.channel_count; ++c) {
        free(channels[c].values);
    }
    free(channels);
    free(ticks);
    return walk;
}

static double best_of(const lmb_character *target, const lmb_character *source, bool lock)
{
    double best = 1e30;
    for (int round = 0; round < ROUNDS; ++round) {
        lmb_clip *clip = NULL;
        const lmb_retarget_opts opts = {.no_lock_feet = !lock};
        const double begin = lmb_clock_s();
        if (lmb_retarget(target, source, 0, &opts, NULL, &clip, NULL, NULL) != LMB_OK) {
            exit(1);
        }
        const double spent = lmb_clock_s() - begin;
        best = spent < best ? spent : best;
        lmb_clip_destroy(clip);
    }
    return best;
}

int main(void)
{
    lmb_character *source = long_walk(), *target = NULL;
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_IDLE}, NULL, &target, NULL) !=
        LMB_OK) {
        return 1;
    }
    const double free_s = best_of(target, source, false), locked_s = best_of(target, source, true);
    printf("{\"bench\": \"retarget\", \"joints\": 22, \"frames\": %d, \"free_frames_per_s\": %.0f, "
           "\"locked_frames_per_s\": %.0f}\n",
           FRAMES, FRAMES / free_s, FRAMES / locked_s);
    lmb_character_destroy(source);
    lmb_character_destroy(target);
    return 0;
}
