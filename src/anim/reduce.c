/// Removes keys that linear interpolation between the others restores, within a model-space bound.
#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/channel.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/anim.h"

typedef struct reducer {
    lmbi_arena arena;
    const lmb_skeleton *skeleton;
    const lmb_clip *clip;
    const float *reach; ///< or NULL: 3 cm
    /// [joint_count] farthest that a rotation of the joint moves a point, metres per radian
    float *lever_arms;
    float precision;
    bool *kept;          ///< [most keys]
    uint32_t *stack;     ///< [2 * most keys]
    lmb_channel *drafts; ///< [channel_count]
    lmb_transform *pose;
    lmb_mat4 *reduced, *original;
} reducer;

static float reach_of(const reducer *r, uint32_t joint)
{
    return r->reach != NULL ? r->reach[joint] : 0.03f;
}

static void set_lever_arms(reducer *r)
{
    const lmb_skeleton *s = r->skeleton;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        r->lever_arms[j] = reach_of(r, j);
    }
    for (uint32_t j = s->joint_count; j-- > 0;) {
        if (s->parents[j] != LMB_NONE) {
            float *parent = &r->lever_arms[s->parents[j]];
            *parent = fmaxf(*parent, lmb_vec3_length(s->rest[j].translation) + r->lever_arms[j]);
        }
    }
}

/// Error of replacing key k by interpolation between keys a and b, in metres at the farthest point.
static float key_error(const reducer *r, const lmb_channel *c, uint32_t a, uint32_t b, uint32_t k)
{
    float ticks[2] = {c->ticks[a], c->ticks[b]}, values[8], at[4];
    const float *v = c->values + (size_t)k * c->width;
    lmb_channel line = *c;
    memcpy(values, c->values + (size_t)a * c->width, c->width * sizeof(float));
    memcpy(values + c->width, c->values + (size_t)b * c->width, c->width * sizeof(float));
    line.key_count = 2;
    line.ticks = ticks;
    line.values = values;
    lmbi_channel_at(&line, (double)c->ticks[k], NULL, at);
    float plus = 0, minus = 0;
    for (uint32_t i = 0; i < c->width; ++i) {
        minus += (v[i] - at[i]) * (v[i] - at[i]);
        plus += (v[i] + at[i]) * (v[i] + at[i]);
    }
    if (c->path == LMB_PATH_ROTATION) {
        return 2 * sqrtf(fminf(plus, minus)) * r->lever_arms[c->joint];
    }
    return sqrtf(minus) * (c->path == LMB_PATH_SCALE ? r->lever_arms[c->joint] : 1.0f);
}

/// Repeatedly keeps the key with the largest error between two kept ones, until all are within
/// tolerance (Douglas and Peucker 1973).
static void choose_keys(reducer *r, const lmb_channel *c, float tolerance)
{
    uint32_t top = 0;
    memset(r->kept, 0, c->key_count * sizeof(bool));
    r->kept[0] = r->kept[c->key_count - 1] = true;
    r->stack[top++] = 0;
    r->stack[top++] = c->key_count - 1;
    while (top > 0) {
        const uint32_t b = r->stack[--top], a = r->stack[--top];
        uint32_t farthest = a;
        float most = tolerance;
        for (uint32_t k = a + 1; k < b; ++k) {
            const float error = key_error(r, c, a, b, k);
            farthest = error > most ? k : farthest;
            most = fmaxf(most, error);
        }
        if (farthest != a) {
            r->kept[farthest] = true;
            r->stack[top++] = a;
            r->stack[top++] = farthest;
            r->stack[top++] = farthest;
            r->stack[top++] = b;
        }
    }
}

static bool is_reducible(const lmb_channel *c)
{
    return c->interpolation == LMB_LINEAR && c->path != LMB_PATH_WEIGHTS && c->key_count > 2;
}

static void reduce_channel(reducer *r, const lmb_channel *from, float tolerance_fraction,
                           lmb_channel *to)
{
    if (!is_reducible(from)) {
        return;
    }
    choose_keys(r, from, tolerance_fraction * r->precision);
    to->key_count = 0;
    for (uint32_t k = 0; k < from->key_count; ++k) {
        if (r->kept[k]) {
            to->ticks[to->key_count] = from->ticks[k];
            memcpy(to->values + (size_t)to->key_count++ * to->width,
                   from->values + (size_t)k * from->width, from->width * sizeof(float));
        }
    }
}

/// Largest error at the keys of the busiest channel and midway between them.
static float measure_error(reducer *r, const lmb_clip *draft)
{
    const lmb_channel *busiest = &r->clip->channels[0];
    for (uint32_t c = 1; c < r->clip->channel_count; ++c) {
        const lmb_channel *other = &r->clip->channels[c];
        busiest = other->key_count > busiest->key_count ? other : busiest;
    }
    const double per_s = r->clip->ticks_per_s > 0 ? (double)r->clip->ticks_per_s : 1;
    float worst = 0;
    for (uint32_t half = 0; half + 1 < 2 * busiest->key_count; ++half) {
        const double a = (double)busiest->ticks[half / 2],
                     b = (double)busiest->ticks[(half + 1) / 2];
        const double middle_s = 0.5 * (a + b) / per_s;
        lmb_clip_to_model(r->clip, r->skeleton, middle_s, r->pose, r->original);
        lmb_clip_to_model(draft, r->skeleton, middle_s, r->pose, r->reduced);
        for (uint32_t j = 0; j < r->skeleton->joint_count; ++j) {
            float rotation2 = 0, translation2 = 0;
            for (int i = 0; i < 15; ++i) {
                const float d = r->reduced[j].m[i] - r->original[j].m[i];
                *(i < 12 ? &rotation2 : &translation2) += d * d;
            }
            worst = fmaxf(worst, sqrtf(translation2) + reach_of(r, j) * sqrtf(rotation2));
        }
    }
    return worst;
}

static bool alloc_arrays(reducer *r)
{
    const size_t joints = r->skeleton->joint_count;
    size_t most = 1;
    lmbi_arena *a = &r->arena;
    r->drafts = lmbi_arena_array(a, r->clip->channel_count, sizeof(lmb_channel));
    bool built = r->drafts != NULL;
    for (uint32_t c = 0; built && c < r->clip->channel_count; ++c) {
        const lmb_channel *from = &r->clip->channels[c];
        r->drafts[c] = *from;
        most = from->key_count > most ? from->key_count : most;
        if (is_reducible(from)) {
            r->drafts[c].ticks = lmbi_arena_array(a, from->key_count, sizeof(float));
            r->drafts[c].values =
                lmbi_arena_array(a, lmbi_size_mul(from->key_count, from->width), sizeof(float));
            built = r->drafts[c].ticks != NULL && r->drafts[c].values != NULL;
        }
    }
    r->lever_arms = lmbi_arena_array(a, joints, sizeof(float));
    r->kept = lmbi_arena_array(a, most, sizeof(bool));
    r->stack = lmbi_arena_array(a, most, 4 * sizeof(uint32_t));
    r->pose = lmbi_arena_array(a, joints, sizeof(lmb_transform));
    r->reduced = lmbi_arena_array(a, joints, sizeof(lmb_mat4));
    r->original = lmbi_arena_array(a, joints, sizeof(lmb_mat4));
    return built && r->lever_arms && r->kept && r->stack && r->pose && r->reduced && r->original;
}

lmb_result lmbi_clip_reduce(const lmb_skeleton *skeleton, const lmb_clip *clip, float precision_m,
                            const float *reach_m, const lmb_allocator *alloc, lmb_clip **out,
                            lmb_error *error)
{
    enum { MAX_ATTEMPTS = 16 };
    reducer r = {.skeleton = skeleton, .clip = clip, .reach = reach_m, .precision = precision_m};
    lmbi_arena_init(&r.arena, alloc);
    const bool built = alloc_arrays(&r);
    lmb_clip draft = *clip;
    draft.channels = r.drafts;
    if (built) {
        set_lever_arms(&r);
    }
    // Errors add up along a chain of joints: start with half the bound for each joint, and halve it
    // until the whole pose is within the bound.
    float tolerance_fraction = 0.5f;
    for (int attempt = 0; built && attempt < MAX_ATTEMPTS && clip->channel_count > 0; ++attempt) {
        for (uint32_t c = 0; c < clip->channel_count; ++c) {
            reduce_channel(&r, &clip->channels[c],
                           attempt + 1 < MAX_ATTEMPTS ? tolerance_fraction : 0, &r.drafts[c]);
        }
        if (measure_error(&r, &draft) <= precision_m) {
            break;
        }
        tolerance_fraction *= 0.5f;
    }
    const lmb_result result =
        built ? lmb_clip_create(&draft, alloc, out, error) : lmbi_fail_memory(error);
    lmbi_arena_free(&r.arena);
    return result;
}
