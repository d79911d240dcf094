#include <math.h>
#include <string.h>

#include "anim/mix.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/anim.h"

/// One property of one joint over all frames.
typedef struct track {
    const lmb_transform *poses;
    uint32_t stride, frame_count, joint;
    lmb_path path;
} track;

static uint32_t width_of(lmb_path path)
{
    return path == LMB_PATH_ROTATION ? 4 : 3;
}

static void value_of(const lmb_transform *t, lmb_path path, float out[4])
{
    if (path == LMB_PATH_ROTATION) {
        memcpy(out, &t->rotation, 4 * sizeof(float));
    } else {
        memcpy(out, path == LMB_PATH_SCALE ? &t->scale : &t->translation, 3 * sizeof(float));
    }
}

static bool is_constant(const track *t, const float first[4])
{
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        float v[4];
        value_of(&t->poses[(size_t)f * t->stride + t->joint], t->path, v);
        for (uint32_t i = 0; i < width_of(t->path); ++i) {
            if (fabsf(v[i] - first[i]) > 1e-6f * fmaxf(1, fabsf(first[i]))) {
                return false;
            }
        }
    }
    return true;
}

/// Keys of a track, a constant one with one key. Rotations in turn lie in one hemisphere.
static bool fill_channel(lmbi_arena *arena, const track *t, uint32_t key_count, lmb_channel *out)
{
    const uint32_t width = width_of(t->path);
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
                lmbi_quat_near(lmb_quat_make(last[0], last[1], last[2], last[3]), value.rotation);
        }
        float v[4];
        value_of(&value, t->path, v);
        memcpy(out->values + (size_t)f * width, v, width * sizeof(float));
        out->ticks[f] = (float)f;
    }
    return true;
}

static bool fill_clip(lmbi_arena *arena, const lmb_skeleton *skeleton, const lmb_transform *poses,
                      uint32_t frame_count, lmb_clip *draft)
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
            value_of(&poses[j], t.path, first);
            value_of(&skeleton->rest[j], t.path, rest);
            const bool constant = is_constant(&t, first);
            if (constant && is_constant(&t, rest)) {
                continue;
            }
            if (!fill_channel(arena, &t, constant ? 1 : frame_count,
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
    const lmb_result result = fill_clip(&arena, skeleton, poses, frame_count, &draft)
                                  ? lmb_clip_create(&draft, alloc, out, error)
                                  : lmbi_fail_memory(error);
    lmbi_arena_free(&arena);
    return result;
}
