// Motions as text: errors point into the text, and what is read is played with finite poses, on the
// humanoid or on a snake.
#include <math.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "target.h"

static void check_clip(const lmb_clip *clip)
{
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        for (size_t k = 0; k < (size_t)channel->key_count * channel->width; ++k) {
            if (!isfinite(channel->values[k])) {
                abort();
            }
        }
    }
}

/// A line of joints from the head back.
static lmb_character *make_snake(void)
{
    enum { JOINTS = 5 };
    int32_t parents[JOINTS];
    lmb_transform rest[JOINTS];
    const char *names[JOINTS] = {"a", "b", "c", "d", "e"};
    lmb_skeleton *skeleton = NULL;
    lmb_character *out = NULL;
    for (int j = 0; j < JOINTS; ++j) {
        parents[j] = j - 1;
        rest[j] = lmb_transform_identity();
        rest[j].translation = lmb_vec3_make(0, j == 0 ? 0.1f : 0, -0.3f);
    }
    (void)lmb_skeleton_create(
        &(lmb_skeleton){.joint_count = JOINTS, .parents = parents, .rest = rest, .names = names},
        NULL, &skeleton, NULL);
    (void)lmb_character_create(&(lmb_character){.skeleton = skeleton}, NULL, &out, NULL);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_motion *motion = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_motion_read(data, size, NULL, &motion, &error);
    if (result == LMB_ERROR_MALFORMED && size <= 1 << 16 &&
        (error.line == 0 || error.column == 0 || error.expected[0] == 0)) {
        abort();
    }
    if (result != LMB_OK) {
        return 0;
    }
    const lmb_motion_info info = lmb_motion_describe(motion);
    const lmb_motion_sliders sliders = {.frame_rate = 12, .energy = 1.5f, .mirror = true};
    lmb_character *human = NULL;
    if (info.length_s < 20 && lmb_motion_perform(motion, &sliders, NULL, &human, NULL) == LMB_OK) {
        check_clip(human->clips[0]);
    }
    lmb_character_destroy(human);
    lmb_character *snake = make_snake();
    lmb_clip *clip = NULL;
    if (info.body == LMB_MOTION_SNAKE && info.length_s < 20 &&
        lmb_motion_perform_on(motion, &sliders, snake, NULL, &clip, NULL) == LMB_OK) {
        check_clip(clip);
    }
    lmb_clip_destroy(clip);
    lmb_character_destroy(snake);
    lmb_motion_destroy(motion);
    return 0;
}
