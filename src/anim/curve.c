/// Tangents for keys that have none.
#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/channel.h"
#include "anim/mix.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/anim.h"

/// Slopes of the two sides of a key.
typedef struct slopes {
    float before, after;
} slopes;

/// Kochanek and Bartels 1984, eq. 8 and 9, with slopes instead of differences, to allow uneven
/// keys.
void lmbi_curve_tcb(float before, float after, float tension, float continuity, float bias,
                    float *in, float *out)
{
    const float t = 0.5f * (1 - tension);
    *out = t * (1 + bias) * (1 + continuity) * before + t * (1 - bias) * (1 - continuity) * after;
    *in = t * (1 + bias) * (1 - continuity) * before + t * (1 - bias) * (1 + continuity) * after;
}

/// Fritsch and Carlson 1980: at most three times the flatter slope, 0 where the slopes change sign.
float lmbi_curve_monotone(float before, float after)
{
    if (!(before * after > 0)) {
        return 0;
    }
    const float mean = 0.5f * (before + after);
    const float limit = 3 * fminf(fabsf(before), fabsf(after));
    return fabsf(mean) <= limit ? mean : (mean < 0 ? -limit : limit);
}

/// A linear channel that becomes cubic.
typedef struct smoothing {
    const lmb_smooth_opts *opts;
    const lmb_channel *from;
    float *values; ///< [key_count][width], rotations in the hemisphere of the previous key
} smoothing;

static slopes slopes_at(const smoothing *s, uint32_t key, uint32_t i)
{
    const lmb_channel *c = s->from;
    const float *v = s->values + (size_t)key * c->width + i;
    slopes out = {0, 0};
    if (key > 0 && c->ticks[key] > c->ticks[key - 1]) {
        out.before = (v[0] - v[-(ptrdiff_t)c->width]) / (c->ticks[key] - c->ticks[key - 1]);
    }
    if (key + 1 < c->key_count && c->ticks[key + 1] > c->ticks[key]) {
        out.after = (v[c->width] - v[0]) / (c->ticks[key + 1] - c->ticks[key]);
    }
    if (key == 0) {
        out.before = out.after;
    } else if (key + 1 == c->key_count) {
        out.after = out.before;
    }
    return out;
}

static void set_tangents(const smoothing *s, uint32_t key, uint32_t i, float *in, float *out)
{
    const slopes at = slopes_at(s, key, i);
    if (s->opts->kind == LMB_TANGENTS_MONOTONE) {
        *in = *out = lmbi_curve_monotone(at.before, at.after);
    } else {
        lmbi_curve_tcb(at.before, at.after, s->opts->tension, s->opts->continuity, s->opts->bias,
                       in, out);
    }
}

static bool smooth_channel(lmbi_arena *arena, const void *context, const lmb_channel *from,
                           lmb_channel *to)
{
    const lmb_smooth_opts *opts = context;
    *to = *from;
    if (from->interpolation != LMB_LINEAR || from->key_count < 2) {
        return true;
    }
    const uint32_t width = from->width;
    const size_t floats = (size_t)from->key_count * width;
    smoothing s = {opts, from, lmbi_arena_array(arena, floats, sizeof(float))};
    to->values = lmbi_arena_array(arena, floats, 3 * sizeof(float));
    if (s.values == NULL || to->values == NULL) {
        return false;
    }
    memcpy(s.values, from->values, floats * sizeof(float));
    for (uint32_t k = 1; from->path == LMB_PATH_ROTATION && k < from->key_count; ++k) {
        float *q = s.values + (size_t)k * 4, *p = q - 4;
        const bool is_opposite = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0;
        for (int i = 0; is_opposite && i < 4; ++i) {
            q[i] = -q[i];
        }
    }
    for (uint32_t k = 0; k < from->key_count; ++k) {
        float *key = to->values + (size_t)k * 3 * width;
        for (uint32_t i = 0; i < width; ++i) {
            key[width + i] = s.values[(size_t)k * width + i];
            set_tangents(&s, k, i, &key[i], &key[2 * width + i]);
        }
    }
    to->interpolation = LMB_CUBIC;
    return true;
}

lmb_result lmbi_clip_smooth(const lmb_clip *clip, const lmb_smooth_opts *opts,
                            const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    return lmbi_clip_edit(clip, smooth_channel, opts, alloc, out, error);
}
