// One pose of a clip, as a game asks for it every frame: forward with cursors, forward without, and
// at random times.
// Beside it a copy of as many bytes as a pose and its keys have. JSON on stdout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/anim.h"
#include "limber/os.h"

enum { JOINTS = 65, KEYS = 300, ROUNDS = 7, POSES = 20000 };

static lmb_clip *make_clip(lmb_interpolation interpolation)
{
    static float ticks[KEYS], values[JOINTS][3 * 4 * KEYS];
    lmb_channel channels[JOINTS];
    lmb_random random = lmb_random_seed(5);
    const uint32_t per_key = interpolation == LMB_CUBIC ? 3 : 1;
    for (int k = 0; k < KEYS; ++k) {
        ticks[k] = (float)k / 30.0f;
    }
    for (uint32_t j = 0; j < JOINTS; ++j) {
        for (uint32_t k = 0; k < KEYS; ++k) {
            const lmb_quat q =
                lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), lmb_random_range(&random, -0.2f, 0.2f));
            memset(&values[j][4 * per_key * k], 0, 4 * per_key * sizeof(float));
            memcpy(&values[j][4 * per_key * k + (per_key == 3 ? 4 : 0)], &q, sizeof(q));
        }
        channels[j] = (lmb_channel){j, LMB_PATH_ROTATION, interpolation, 4, KEYS, ticks, values[j]};
    }
    const lmb_clip def = {.ticks_per_s = 1,
                          .duration = ticks[KEYS - 1],
                          .channel_count = JOINTS,
                          .channels = channels};
    lmb_clip *clip = NULL;
    if (lmb_clip_create(&def, NULL, &clip, NULL) != LMB_OK) {
        exit(1);
    }
    return clip;
}

/// Seconds a pose, the best of several rounds.
static double time_poses(const lmb_clip *clip, bool cursors, bool forward)
{
    static lmb_transform rest[JOINTS], pose[JOINTS];
    static uint32_t places[JOINTS];
    double best = 1e9;
    for (int j = 0; j < JOINTS; ++j) {
        rest[j] = lmb_transform_identity();
    }
    for (int round = 0; round < ROUNDS; ++round) {
        lmb_random random = lmb_random_seed(9);
        const double begun = lmb_clock_s();
        for (int i = 0; i < POSES; ++i) {
            const double share = forward ? (double)i / POSES : (double)lmb_random_unit(&random);
            lmb_sample(&(lmb_sample_job){.clip = clip,
                                         .time_s = share * (double)clip->duration,
                                         .joint_count = JOINTS,
                                         .rest = rest,
                                         .pose = pose,
                                         .cursors = cursors ? places : NULL});
        }
        const double took = (lmb_clock_s() - begun) / POSES;
        best = took < best ? took : best;
    }
    return best;
}

static double time_copy(void)
{
    static uint8_t from[JOINTS * (sizeof(lmb_transform) + 2 * 16)], to[sizeof(from)];
    volatile uint8_t seen = 0;
    const double begun = lmb_clock_s();
    for (int i = 0; i < POSES; ++i) {
        memcpy(to, from, sizeof(to));
        from[i % (int)sizeof(from)] = (uint8_t)i;
        seen = (uint8_t)(seen + to[i % (int)sizeof(to)]);
    }
    return (lmb_clock_s() - begun) / POSES;
}

int main(void)
{
    static const char *const names[] = {
        [LMB_LINEAR] = "linear", [LMB_STEP] = "step", [LMB_CUBIC] = "cubic"};
    printf("{\n  \"bench\": \"sample\", \"build\": \"%s\", \"joints\": %d, \"keys\": %d, "
           "\"copy_us\": %.3f,\n  \"runs\": [\n",
           LMBI_BUILD, JOINTS, KEYS, time_copy() * 1e6);
    for (lmb_interpolation kind = LMB_LINEAR; kind <= LMB_CUBIC; ++kind) {
        lmb_clip *clip = make_clip(kind);
        printf("    {\"keys\": \"%s\", \"forward_us\": %.3f, \"forward_searching_us\": %.3f, "
               "\"random_us\": %.3f}%s\n",
               names[kind], time_poses(clip, true, true) * 1e6, time_poses(clip, false, true) * 1e6,
               time_poses(clip, false, false) * 1e6, kind == LMB_CUBIC ? "" : ",");
        lmb_clip_destroy(clip);
    }
    puts("  ]\n}");
    return 0;
}
