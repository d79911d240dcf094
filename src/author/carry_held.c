/// Swords, shields and hats that a file keys beside the skeleton instead of hanging them from it.
#include "author/carry.h"

#include <math.h>

#include "base/error.h"
#include "limber/anim.h"

/// Fractions of the body's height: a part that stays within HELD of its place beside a joint is held
/// by it, if it moves MOVED itself; ARM is the lever at which turning counts.
static const float HELD = 0.003f, MOVED = 0.03f, ARM = 0.1f;
/// Two joints hold a part equally well within this fraction; then the upper one does.
static const float ALIKE = 0.0003f;
/// Times of a clip at which places are compared.
enum { SAMPLES = 16 };

typedef struct held_search {
    const lmb_character *character;
    const uint8_t *part;
    float height;
    lmb_mat4 *model; ///< [SAMPLES][joint_count] of the clip
} held_search;

static const lmb_mat4 *model_at(const held_search *s, uint32_t sample)
{
    return s->model + (size_t)sample * s->character->skeleton->joint_count;
}

/// The greatest distance, at ARM, between two places.
static float place_distance(const held_search *s, lmb_mat4 a, lmb_mat4 b)
{
    const float arm = ARM * s->height;
    const lmb_vec3 points[] = {{0, 0, 0}, {arm, 0, 0}, {0, arm, 0}, {0, 0, arm}};
    float most = 0;
    for (uint32_t k = 0; k < sizeof points / sizeof *points; ++k) {
        most = fmaxf(most,
                     lmb_vec3_distance(lmb_mat4_point(a, points[k]), lmb_mat4_point(b, points[k])));
    }
    return most;
}

/// How far a joint strays from its first place beside `holder`; LMB_NONE: in the model.
static float stray(const held_search *s, uint32_t joint, int32_t holder, lmb_mat4 *first)
{
    float most = 0;
    for (uint32_t k = 0; k < SAMPLES; ++k) {
        const lmb_mat4 *model = model_at(s, k);
        lmb_mat4 inverse = lmb_mat4_identity();
        if (holder >= 0 && !lmb_mat4_inverse_affine(model[holder], &inverse)) {
            return INFINITY;
        }
        const lmb_mat4 place = lmb_mat4_mul(inverse, model[joint]);
        *first = k == 0 ? place : *first;
        most = fmaxf(most, place_distance(s, *first, place));
    }
    return most;
}

static int32_t find_holder(const held_search *s, uint32_t joint, lmb_mat4 *holder_from_joint)
{
    lmb_mat4 place;
    float best = HELD * s->height;
    int32_t found = LMB_NONE;
    if (stray(s, joint, LMB_NONE, &place) < MOVED * s->height) {
        return LMB_NONE;
    }
    for (uint32_t j = 0; j < s->character->skeleton->joint_count; ++j) {
        const float most = s->part[j] == 1 ? stray(s, joint, (int32_t)j, &place) : INFINITY;
        if (most < best - (found >= 0 ? ALIKE * s->height : 0)) {
            best = most;
            found = (int32_t)j;
            *holder_from_joint = place;
        }
    }
    return found;
}

static void sample_clip(const held_search *s, const lmb_clip *clip, lmb_transform *pose)
{
    const double length_s = (double)lmb_clip_duration_s(clip);
    for (uint32_t k = 0; k < SAMPLES; ++k) {
        lmb_clip_to_model(clip, s->character->skeleton, length_s * k / (SAMPLES - 1), pose,
                          s->model + (size_t)k * s->character->skeleton->joint_count);
    }
}

/// Whether an instance is a rigid part whose joint nothing carries yet.
static bool is_wanted(const held_search *s, const lmb_instance *instance, const int32_t *carrier)
{
    return instance->skin == LMB_NONE && s->part[instance->joint] == 0 &&
           carrier[instance->joint] < 0;
}

lmb_result lmbi_find_holders(const lmb_character *character, const uint8_t *part, float height,
                             lmbi_arena *arena, int32_t *carrier, lmb_mat4 *carrier_from_joint,
                             uint32_t *count, lmb_error *error)
{
    held_search s = {.character = character, .part = part, .height = height};
    bool any = false;
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        any = any || is_wanted(&s, &character->instances[i], carrier);
    }
    if (!any || character->clip_count == 0 || height <= 0) {
        return LMB_OK;
    }
    const uint32_t n = character->skeleton->joint_count;
    lmb_transform *pose = lmbi_arena_array(arena, n, sizeof *pose);
    s.model = lmbi_arena_array(arena, (size_t)n * SAMPLES, sizeof *s.model);
    if (!pose || !s.model) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < character->clip_count; ++k) {
        sample_clip(&s, character->clips[k], pose);
        for (uint32_t i = 0; i < character->instance_count; ++i) {
            const uint32_t joint = (uint32_t)character->instances[i].joint;
            if (is_wanted(&s, &character->instances[i], carrier)) {
                carrier[joint] = find_holder(&s, joint, &carrier_from_joint[joint]);
                *count += carrier[joint] >= 0;
            }
        }
    }
    return LMB_OK;
}
