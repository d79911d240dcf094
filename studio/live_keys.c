/// Clips of keys that a person sets, and poses of one side put on the other.
#include "live.h"
#include "live_exports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- keys

static bool keep_text(live_character *live, const lmb_buffer *text)
{
    char *copy = live_room(text->size + 1, 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, text->data, text->size);
    copy[text->size] = 0;
    free(live->keys_text);
    live->keys_text = copy;
    return true;
}

/// Does what the text of the keys says, so that `limber animate` does the same by it.
static int apply_keys(live_character *live, const lmb_keys *keys)
{
    lmb_buffer text = {0};
    lmb_error error = {0};
    if (lmb_keys_write(live->character, keys, NULL, &text, &error) != LMB_OK) {
        return live_fail_call("the keys", &error);
    }
    bool done = keep_text(live, &text);
    if (done) {
        live_forget_skin(live);
        live_play_free(live);
        done =
            lmb_keys_apply(&live->character, text.data, text.size, NULL, NULL, &error) == LMB_OK ||
            live_fail_call("the keys", &error);
    }
    lmb_buffer_free(&text);
    return done;
}

EXPORT(limber_keys_text) const char *limber_keys_text(int handle)
{
    const live_character *live = live_find(handle);
    if (live != NULL && live->keys_text == NULL) {
        (void)live_fail("no keys were set");
    }
    return live != NULL ? live->keys_text : NULL;
}

/// The clip, or NULL, with an error, when there is none.
static const lmb_clip *clip_at(const live_character *live, uint32_t clip)
{
    if (clip >= live->character->clip_count) {
        (void)live_fail("there is no clip %u, there are %u", (unsigned)clip,
                        (unsigned)live->character->clip_count);
        return NULL;
    }
    return live->character->clips[clip];
}

static bool check_times(uint32_t count, const float *times)
{
    for (uint32_t k = 0; k < count; ++k) {
        if (!(isfinite(times[k]) && times[k] >= (k > 0 ? times[k - 1] + 1e-4f : 0))) {
            return live_fail("key %u: expected a time after that of the key before", (unsigned)k);
        }
    }
    return count > 0 || live_fail("expected a key");
}

static bool read_poses(const live_character *live, uint32_t count, const float *numbers,
                       lmb_transform *out)
{
    const uint32_t joints = live->character->skeleton->joint_count;
    for (size_t k = 0; k < (size_t)count * joints; ++k) {
        if (!live_transform(numbers + 10 * k, &out[k])) {
            return live_fail("key %u, joint %u: expected ten finite numbers and a rotation",
                             (unsigned)(k / joints), (unsigned)(k % joints));
        }
    }
    return true;
}

EXPORT(limber_clip_keep) int limber_clip_keep(int handle, const char *name)
{
    live_character *live = live_find(handle);
    if (live == NULL || !live_paint_store(live)) {
        return 0;
    }
    return apply_keys(live, &(lmb_keys){.name = name,
                                        .interpolation = LMB_CUBIC,
                                        .key_count = 1,
                                        .times_s = &(float){0},
                                        .poses = live->shown});
}

EXPORT(limber_clip_of_keys)
int limber_clip_of_keys(int handle, int32_t replaced, const char *name, uint32_t count,
                        const float *times, const float *poses, int interpolation)
{
    static const lmb_interpolation ways[] = {[LIMBER_KEYS_LINEAR] = LMB_LINEAR,
                                             [LIMBER_KEYS_STEP] = LMB_STEP,
                                             [LIMBER_KEYS_SMOOTH] = LMB_CUBIC};
    live_character *live = live_find(handle);
    if (live == NULL || !live_paint_store(live)) {
        return 0;
    }
    const lmb_clip *from = replaced >= 0 ? clip_at(live, (uint32_t)replaced) : NULL;
    if (replaced >= 0 && from == NULL) {
        return 0;
    }
    if (interpolation < LIMBER_KEYS_LINEAR || interpolation > LIMBER_KEYS_SMOOTH) {
        return live_fail("there is no interpolation %d", interpolation);
    }
    if (!check_times(count, times)) {
        return 0;
    }
    lmb_transform *made =
        live_room((size_t)count * live->character->skeleton->joint_count, sizeof *made);
    const int done = made != NULL && read_poses(live, count, poses, made) &&
                     apply_keys(live, &(lmb_keys){.name = name,
                                                  .from = from,
                                                  .replaces = from != NULL,
                                                  .interpolation = ways[interpolation],
                                                  .key_count = count,
                                                  .times_s = times,
                                                  .poses = made});
    free(made);
    return done;
}

EXPORT(limber_clip_slope)
int limber_clip_slope(int handle, uint32_t clip, uint32_t joint, double time_s,
                      const float *velocities)
{
    live_character *live = live_find_joint(handle, joint);
    const lmb_clip *from = live != NULL ? clip_at(live, clip) : NULL;
    if (from == NULL || !live_paint_store(live)) {
        return 0;
    }
    lmb_key_slope slope = {
        .joint = joint, .time_s = (float)time_s, .automatic = velocities == NULL};
    if (velocities != NULL) {
        slope.in = (lmb_vec3){velocities[0], velocities[1], velocities[2]};
        slope.out = (lmb_vec3){velocities[3], velocities[4], velocities[5]};
    }
    return apply_keys(
        live, &(lmb_keys){.from = from, .replaces = true, .slope_count = 1, .slopes = &slope});
}

// ----------------------------------------------------------------------------------------- mirror

/// The pose mirrored at x = 0.
static bool mirror(const lmb_skeleton *skeleton, const uint32_t *pairs, const lmb_transform *pose,
                   lmb_transform *out)
{
    lmb_clip *clip = NULL, *mirrored = NULL;
    lmb_error error = {0};
    // A clip that is mirrored has to last.
    const uint32_t n = skeleton->joint_count;
    lmb_transform *twice = live_room(2 * (size_t)n, sizeof *twice);
    if (twice == NULL) {
        return false;
    }
    memcpy(twice, pose, n * sizeof *twice);
    memcpy(twice + n, pose, n * sizeof *twice);
    lmb_result result = lmb_clip_from_poses(skeleton, twice, 2, 30, NULL, NULL, &clip, &error);
    free(twice);
    if (result == LMB_OK) {
        result = lmb_clip_apply(
            clip, &(lmb_clip_edit){.op = LMB_CLIP_MIRROR, .skeleton = skeleton, .pairs = pairs},
            NULL, &mirrored, &error);
    }
    if (result == LMB_OK) {
        memcpy(out, skeleton->rest, skeleton->joint_count * sizeof *out);
        lmb_sample(
            &(lmb_sample_job){.clip = mirrored, .joint_count = skeleton->joint_count, .pose = out});
    }
    lmb_clip_destroy(clip);
    lmb_clip_destroy(mirrored);
    return result == LMB_OK || live_fail_call("the mirror", &error);
}

/// How far to the left a joint is at rest.
static float left_of(const lmb_mat4 *rest, uint32_t joint)
{
    return rest[joint].m[12];
}

EXPORT(limber_pose_mirror) int limber_pose_mirror(int handle, int side)
{
    live_character *live = live_find(handle);
    if (live == NULL) {
        return 0;
    }
    if (side < LIMBER_MIRROR_BOTH || side > LIMBER_MIRROR_RIGHT) {
        return live_fail("there is no side %d to mirror", side);
    }
    const lmb_skeleton *skeleton = live->character->skeleton;
    const uint32_t n = skeleton->joint_count;
    uint32_t *pairs = live_room(n, sizeof *pairs);
    lmb_transform *other = live_room(n, sizeof *other);
    lmb_mat4 *rest = live_room(n, sizeof *rest);
    bool done = pairs != NULL && other != NULL && rest != NULL;
    if (done) {
        lmb_mirror_pairs(skeleton, pairs);
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = rest});
        done = mirror(skeleton, pairs, live->pose, other);
    }
    for (uint32_t j = 0; j < n && done; ++j) {
        const float more = left_of(rest, j) - left_of(rest, pairs[j]);
        const bool takes =
            side == LIMBER_MIRROR_BOTH || (side == LIMBER_MIRROR_LEFT ? more < 0 : more > 0);
        live->pose[j] = takes ? other[j] : live->pose[j];
    }
    free(pairs);
    free(other);
    free(rest);
    if (done) {
        live_drag_end(live);
        live_show_driven(live, NULL);
    }
    return done;
}
