/// Clips of keys that a person sets, and poses of one side put on the other.
#include "live.h"
#include "live_exports.h"
#include "live_slopes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------- keys

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

static bool check_times(uint32_t count, const float *times)
{
    for (uint32_t k = 0; k < count; ++k) {
        if (!(isfinite(times[k]) && times[k] >= (k > 0 ? times[k - 1] + 1e-4f : 0))) {
            return live_fail("key %u: expected a time after that of the key before", (unsigned)k);
        }
    }
    return count > 0 || live_fail("expected a key");
}

static bool is_root_rotation(const lmb_channel *channel)
{
    return channel->joint == 0 && channel->path == LMB_PATH_ROTATION;
}

/// The clip with every key in one channel at least, that of the first joint's rotation: tracks that do
/// not change have one key, or none where they are at rest. Takes the clip over.
static lmb_clip *keep_all_keys(lmb_clip *clip, uint32_t joints, uint32_t count,
                               const lmb_transform *poses)
{
    lmb_clip def = *clip, *whole = NULL;
    lmb_error error = {0};
    def.channels = live_room((size_t)clip->channel_count + 1, sizeof *def.channels);
    float *ticks = live_room(count, sizeof *ticks);
    lmb_quat *values = live_room(count, sizeof *values);
    if (def.channels != NULL && ticks != NULL && values != NULL) {
        def.channel_count = 1;
        def.channels[0] = (lmb_channel){.path = LMB_PATH_ROTATION,
                                        .width = 4,
                                        .key_count = count,
                                        .ticks = ticks,
                                        .values = (float *)values};
        for (uint32_t k = 0; k < count; ++k) {
            ticks[k] = (float)k;
            values[k] = poses[(size_t)k * joints].rotation;
        }
        for (uint32_t c = 0; c < clip->channel_count; ++c) {
            if (!is_root_rotation(&clip->channels[c])) {
                def.channels[def.channel_count++] = clip->channels[c];
            }
        }
        if (lmb_clip_create(&def, NULL, &whole, &error) != LMB_OK) {
            (void)live_fail_call("the keys", &error);
        }
    }
    free(def.channels);
    free(ticks);
    free(values);
    lmb_clip_destroy(clip);
    return whole;
}

/// Keys of linear channels, a tick each, become those at the times.
static void set_times(lmb_clip *clip, uint32_t count, const float *times, bool step)
{
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        lmb_channel *channel = &clip->channels[c];
        for (uint32_t k = 0; k < channel->key_count && channel->key_count == count; ++k) {
            channel->ticks[k] = times[k];
        }
        channel->interpolation = step ? LMB_STEP : channel->interpolation;
    }
    clip->ticks_per_s = 1;
    clip->duration = times[count - 1];
    clip->frame_rate = 0;
}

static lmb_clip *make_clip(live_character *live, const char *name, uint32_t count,
                           const float *times, const lmb_transform *poses, int interpolation)
{
    lmb_clip *clip = NULL, *smooth = NULL;
    lmb_error error = {0};
    if (lmb_clip_from_poses(live->character->skeleton, poses, count, 1, name, NULL, &clip,
                            &error) != LMB_OK) {
        (void)live_fail_call("the keys", &error);
        return NULL;
    }
    clip = keep_all_keys(clip, live->character->skeleton->joint_count, count, poses);
    if (clip == NULL) {
        return NULL;
    }
    set_times(clip, count, times, interpolation == LIMBER_KEYS_STEP);
    if (interpolation != LIMBER_KEYS_SMOOTH || count < 2) {
        return clip;
    }
    const lmb_result result =
        lmb_clip_apply(clip, &(lmb_clip_edit){.op = LMB_CLIP_SMOOTH}, NULL, &smooth, &error);
    lmb_clip_destroy(clip);
    if (result != LMB_OK) {
        (void)live_fail_call("the keys", &error);
        return NULL;
    }
    return smooth;
}

EXPORT(limber_clip_of_keys)
int limber_clip_of_keys(int handle, int32_t replaced, const char *name, uint32_t count,
                        const float *times, const float *poses, int interpolation)
{
    live_character *live = live_find(handle);
    lmb_error error = {0};
    if (live == NULL || !live_paint_store(live)) {
        return 0;
    }
    if (replaced >= 0 && (uint32_t)replaced >= live->character->clip_count) {
        return live_fail("there is no clip %u, there are %u", (unsigned)replaced,
                         (unsigned)live->character->clip_count);
    }
    if (interpolation < LIMBER_KEYS_LINEAR || interpolation > LIMBER_KEYS_SMOOTH) {
        return live_fail("there is no interpolation %d", interpolation);
    }
    const uint32_t joints = live->character->skeleton->joint_count;
    if (!check_times(count, times) || joints == 0) {
        return joints > 0 ? 0 : live_fail("there are no joints");
    }
    lmb_transform *made = live_room((size_t)count * joints, sizeof *made);
    lmb_clip *clip = made != NULL && read_poses(live, count, poses, made)
                         ? make_clip(live, name, count, times, made, interpolation)
                         : NULL;
    free(made);
    if (clip != NULL && replaced >= 0 &&
        !live_slopes_keep(live->character->clips[replaced], clip)) {
        lmb_clip_destroy(clip);
        clip = NULL;
    }
    if (clip == NULL) {
        return 0;
    }
    live_forget_skin(live);
    live_play_free(live);
    if (live_put_clip(live, clip, replaced, &error) != LMB_OK) {
        lmb_clip_destroy(clip);
        return live_fail_call("the clip", &error);
    }
    return 1;
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
        live_show(live);
    }
    return done;
}
