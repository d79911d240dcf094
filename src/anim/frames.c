#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/frames.h"
#include "anim/mix.h"
#include "base/error.h"
#include "limber/anim.h"

/// One property of one joint over all frames.
typedef struct track {
    const lmb_transform *poses;
    uint32_t stride, frame_count, joint;
    lmb_path path;
} track;

static uint32_t property_width(lmb_path path)
{
    return path == LMB_PATH_ROTATION ? 4 : 3;
}

static void read_property(const lmb_transform *t, lmb_path path, float out[4])
{
    if (path == LMB_PATH_ROTATION) {
        memcpy(out, &t->rotation, 4 * sizeof(float));
    } else {
        memcpy(out, path == LMB_PATH_SCALE ? &t->scale : &t->translation, 3 * sizeof(float));
    }
}

bool lmbi_frames_alike(const float *value, const float *first, uint32_t width)
{
    for (uint32_t i = 0; i < width; ++i) {
        if (fabsf(value[i] - first[i]) > 1e-6f * fmaxf(1, fabsf(first[i]))) {
            return false;
        }
    }
    return true;
}

static bool is_constant(const track *t, const float first[4])
{
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        float v[4];
        read_property(&t->poses[(size_t)f * t->stride + t->joint], t->path, v);
        if (!lmbi_frames_alike(v, first, property_width(t->path))) {
            return false;
        }
    }
    return true;
}

/// Writes the keys of a track. Successive rotations lie in one hemisphere.
static bool build_channel(lmbi_arena *arena, const track *t, uint32_t key_count, lmb_channel *out)
{
    const uint32_t width = property_width(t->path);
    *out =
        (lmb_channel){.joint = t->joint, .path = t->path, .width = width, .key_count = key_count};
    out->ticks = lmbi_arena_array(arena, key_count, sizeof(float));
    out->values = lmbi_arena_array(arena, (size_t)key_count * width, sizeof(float));
    if (out->ticks == NULL || out->values == NULL) {
        return false;
    }
    for (uint32_t f = 0; f < key_count; ++f) {
        lmb_transform value = t->poses[(size_t)f * t->stride + t->joint];
        if (f > 0 && t->path == LMB_PATH_ROTATION) {
            const float *last = out->values + (size_t)(f - 1) * width;
            value.rotation =
                lmbi_quat_align(lmb_quat_make(last[0], last[1], last[2], last[3]), value.rotation);
        }
        float v[4];
        read_property(&value, t->path, v);
        memcpy(out->values + (size_t)f * width, v, width * sizeof(float));
        out->ticks[f] = (float)f;
    }
    return true;
}

bool lmbi_frames_channels(lmbi_arena *arena, const lmb_skeleton *skeleton,
                          const lmb_transform *poses, uint32_t frame_count, const bool *whole,
                          lmb_clip *draft)
{
    draft->channels =
        lmbi_arena_array(arena, 3 * (size_t)skeleton->joint_count, sizeof(lmb_channel));
    if (draft->channels == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        for (int path = LMB_PATH_TRANSLATION; path <= LMB_PATH_SCALE; ++path) {
            const track t = {poses, skeleton->joint_count, frame_count, j, (lmb_path)path};
            float first[4], rest[4];
            read_property(&poses[j], t.path, first);
            read_property(&skeleton->rest[j], t.path, rest);
            const bool constant =
                !(whole && whole[j] && t.path == LMB_PATH_ROTATION) && is_constant(&t, first);
            if (constant && is_constant(&t, rest)) {
                continue;
            }
            if (!build_channel(arena, &t, constant ? 1 : frame_count,
                               &draft->channels[draft->channel_count++])) {
                return false;
            }
        }
    }
    return true;
}

lmb_result lmb_clip_from_poses(const lmb_skeleton *skeleton, const lmb_transform *poses,
                               uint32_t frame_count, float rate_hz, const char *name,
                               const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    if (frame_count == 0 || frame_count > 10000000 || !(rate_hz > 0) || !isfinite(rate_hz)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "1 to 10 million poses at a positive rate",
                         "%u at %g Hz", frame_count, (double)rate_hz);
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    lmb_clip draft = {.name = name,
                      .ticks_per_s = rate_hz,
                      .frame_rate = rate_hz,
                      .duration = (float)(frame_count - 1)};
    const lmb_result result =
        lmbi_frames_channels(&arena, skeleton, poses, frame_count, NULL, &draft)
            ? lmb_clip_create(&draft, alloc, out, error)
            : lmbi_fail_memory(error);
    lmbi_arena_free(&arena);
    return result;
}

// --------------------------------------------------------------------------------- read and write

lmb_result lmbi_frames_read(lmbi_arena *arena, const lmb_clip *clip, const lmb_skeleton *skeleton,
                            float rate_hz, lmbi_frames *out, lmb_error *error)
{
    const float duration = lmb_clip_duration_s(clip);
    const float rate = rate_hz > 0 ? rate_hz : (clip->frame_rate > 0 ? clip->frame_rate : 60);
    const float steps = fmaxf(1, roundf(duration * rate));
    if (!(rate_hz >= 0) || !(duration > 0) || !(steps < 1e6f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "a clip that lasts, and a rate that gives up to a million frames",
                         "%g s at %g Hz", (double)duration, (double)rate);
    }
    *out = (lmbi_frames){skeleton->joint_count, (uint32_t)steps + 1, steps / duration, NULL};
    out->poses =
        lmbi_arena_array(arena, (size_t)out->frame_count * out->joint_count, sizeof(lmb_transform));
    if (out->poses == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t f = 0; f < out->frame_count; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)duration * (double)f / (double)steps,
                                     .joint_count = out->joint_count,
                                     .rest = skeleton->rest,
                                     .pose = lmbi_frames_pose(out, f)});
    }
    return LMB_OK;
}

/// Creates `poses` with the morph channels of `clip`, whose ticks are frames.
static lmb_result add_weight_channels(lmbi_arena *arena, const lmb_clip *poses,
                                      const lmb_clip *clip, const lmb_allocator *alloc,
                                      lmb_clip **out, lmb_error *error)
{
    lmb_clip draft = *poses;
    const size_t most = (size_t)poses->channel_count + clip->channel_count;
    draft.channels = lmbi_arena_array(arena, most, sizeof(lmb_channel));
    if (draft.channels == NULL) {
        return lmbi_fail_memory(error);
    }
    if (poses->channel_count > 0) {
        memcpy(draft.channels, poses->channels, poses->channel_count * sizeof(lmb_channel));
    }
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (clip->channels[c].path == LMB_PATH_WEIGHTS) {
            draft.channels[draft.channel_count++] = clip->channels[c];
        }
    }
    draft.carried = clip->carried;
    return lmb_clip_create(&draft, alloc, out, error);
}

lmb_result lmbi_frames_write(const lmbi_frames *frames, const lmb_clip *clip,
                             const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                             lmb_clip **out, lmb_error *error)
{
    lmb_clip *poses = NULL, *weights = NULL;
    lmb_result result = lmb_clip_from_poses(skeleton, frames->poses, frames->frame_count,
                                            frames->rate_hz, clip->name, alloc, &poses, error);
    if (result == LMB_OK) {
        result = lmbi_clip_resample(clip, frames->rate_hz, alloc, &weights, error);
    }
    if (result == LMB_OK) {
        lmbi_arena arena;
        lmbi_arena_init(&arena, alloc);
        result = add_weight_channels(&arena, poses, weights, alloc, out, error);
        lmbi_arena_free(&arena);
    }
    lmb_clip_destroy(poses);
    lmb_clip_destroy(weights);
    return result;
}
