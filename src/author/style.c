/// Styles: the model of weights, and where joints go.
#include "author/style.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "mapping/mapping.h"

/// Maps that are less sure than this are no humanoid's.
static const float SURE = 0.5f;

lmb_result lmbi_style_new(const lmb_allocator *alloc, lmb_style **out, lmb_error *error)
{
    lmb_style *style = lmbi_alloc_array(alloc, 1, sizeof *style);
    if (!style) {
        return lmbi_fail_memory(error);
    }
    if (alloc) {
        style->allocator = *alloc;
    }
    lmbi_arena_init(&style->arena, &style->allocator);
    style->report = (lmb_style_report){
        .trust = 1, .l1_before = -1, .l1_after = -1, .joints_before = -1, .joints_after = -1};
    *out = style;
    return LMB_OK;
}

void lmb_style_destroy(lmb_style *style)
{
    if (style) {
        const lmb_allocator alloc = style->allocator;
        lmb_skeleton_destroy(style->skeleton);
        lmbi_arena_free(&style->arena);
        lmbi_free(&alloc, style);
    }
}

lmb_style_report lmb_style_describe(const lmb_style *style)
{
    lmb_style_report report = style->report;
    report.skeleton = style->skeleton;
    report.deforms = style->deforms;
    return report;
}

// -------------------------------------------------------------------------------------- the model

lmb_result lmbi_style_kinds(const lmb_style *style, const lmb_skeleton *skeleton,
                            const lmb_allocator *alloc, uint32_t *out, lmb_error *error)
{
    lmb_joint_map map;
    const lmb_result result = lmb_joint_map_make(skeleton, alloc, &map, error);
    if (result != LMB_OK) {
        return result;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        out[j] = UINT32_MAX;
        for (uint32_t k = 0; k < style->shape.kinds && out[j] == UINT32_MAX; ++k) {
            out[j] = strcmp(skeleton->names[j], style->kinds[k]) == 0 ? k : UINT32_MAX;
        }
    }
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT && map.confidence >= SURE; ++b) {
        const int32_t j = map.bones[b].joint;
        for (uint32_t k = 0; j != LMB_NONE && out[j] == UINT32_MAX && k < style->shape.kinds; ++k) {
            out[j] = style->bones[k] == b ? k : UINT32_MAX;
        }
    }
    return LMB_OK;
}

void lmbi_style_terms(const float *x, float terms[LMBI_RANKER_TERMS])
{
    const float along = x[LMB_WEIGHT_FEATURE_ALONG];
    const float made[LMBI_RANKER_TERMS] = {1,
                                           along,
                                           along * along,
                                           x[LMB_WEIGHT_FEATURE_RADIUS],
                                           x[LMB_WEIGHT_FEATURE_OUTWARD],
                                           x[LMB_WEIGHT_FEATURE_HEAT]};
    memcpy(terms, made, sizeof made);
}

/// The model of a style for one skeleton.
typedef struct style_model {
    lmb_weights_model model; ///< first, so that a pointer to it is one to the whole
    const lmb_style *style;
    lmb_allocator allocator;
    uint32_t kinds[]; ///< [joint_count]
} style_model;

/// Heat's own weights of the candidates.
static void share_by_heat(const float *features, uint32_t count, float *weights)
{
    float sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        weights[k] = lmb_exp(features[(size_t)k * LMB_WEIGHT_FEATURES + LMB_WEIGHT_FEATURE_HEAT]);
        sum += weights[k];
    }
    for (uint32_t k = 0; k < count; ++k) {
        weights[k] /= sum;
    }
}

static void weigh(const void *user, uint32_t vertex, const uint32_t *joints, const float *features,
                  uint32_t count, float *weights)
{
    (void)vertex;
    const style_model *m = user;
    float terms[LMB_WEIGHT_CANDIDATES * LMBI_RANKER_TERMS], priors[LMB_WEIGHT_CANDIDATES];
    uint32_t kinds[LMB_WEIGHT_CANDIDATES];
    const float trust = m->style->report.trust;
    share_by_heat(features, count, weights);
    if (!(trust > 0)) {
        return;
    }
    for (uint32_t k = 0; k < count; ++k) {
        const float *x = features + (size_t)k * LMB_WEIGHT_FEATURES;
        lmbi_style_terms(x, terms + (size_t)k * LMBI_RANKER_TERMS);
        priors[k] = x[LMB_WEIGHT_FEATURE_HEAT];
        kinds[k] = m->kinds[joints[k]];
    }
    const lmbi_ranker_group group = {
        .count = count, .features = features, .terms = terms, .priors = priors, .kinds = kinds};
    const lmb_style *style = m->style;
    for (uint32_t n = 0; n < style->member_count; ++n) {
        float fractions[LMB_WEIGHT_CANDIDATES];
        lmbi_ranker_apply(&style->shape, style->network + (size_t)n * style->network_size, &group,
                          fractions);
        for (uint32_t k = 0; k < count; ++k) {
            const float part = trust / (float)style->member_count;
            weights[k] = (n == 0 ? (1 - trust) * weights[k] : weights[k]) + part * fractions[k];
        }
    }
}

lmb_result lmb_style_model_create(const lmb_style *style, const lmb_skeleton *skeleton,
                                  const lmb_allocator *alloc, lmb_weights_model **out,
                                  lmb_error *error)
{
    style_model *m =
        lmbi_alloc(alloc, sizeof *m + (size_t)skeleton->joint_count * sizeof *m->kinds);
    if (!m) {
        return lmbi_fail_memory(error);
    }
    *m = (style_model){.model = {weigh, m}, .style = style};
    if (alloc) {
        m->allocator = *alloc;
    }
    const lmb_result result = lmbi_style_kinds(style, skeleton, alloc, m->kinds, error);
    if (result != LMB_OK) {
        lmb_style_model_destroy(&m->model);
        return result;
    }
    *out = &m->model;
    return LMB_OK;
}

void lmb_style_model_destroy(lmb_weights_model *model)
{
    if (model) {
        style_model *m = (style_model *)model;
        const lmb_allocator alloc = m->allocator;
        lmbi_free(&alloc, m);
    }
}

// ------------------------------------------------------------------------------------- the joints

/// The bone that goes on from a human bone.
static lmb_human_bone bone_below(lmb_human_bone bone)
{
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        if (lmbi_human_bone_parent((lmb_human_bone)b) == bone && b != LMB_HUMAN_LEFT_UPPER_LEG &&
            b != LMB_HUMAN_RIGHT_UPPER_LEG && b != LMB_HUMAN_LEFT_EYE && b != LMB_HUMAN_RIGHT_EYE &&
            b != LMB_HUMAN_JAW) {
            return (lmb_human_bone)b;
        }
    }
    return LMB_HUMAN_BONE_COUNT;
}

/// -1 for the right side, 1 for the left, 0 in the middle.
static float side_of(lmb_human_bone bone)
{
    if (lmb_human_bone_mirror(bone) == bone) {
        return 0;
    }
    return strncmp(lmb_human_bone_name(bone), "left", 4) == 0 ? 1 : -1;
}

bool lmbi_style_axes(const lmb_embedding *e, lmb_human_bone bone, lmb_vec3 axes[3])
{
    const int32_t at = e->human[bone];
    if (e->kind != LMB_SKELETON_HUMAN || at == LMB_NONE) {
        return false;
    }
    const lmb_human_bone below = bone_below(bone);
    const bool ends = below == LMB_HUMAN_BONE_COUNT || e->human[below] == LMB_NONE;
    const float side = side_of(bone);
    lmb_vec3 direction =
        lmb_vec3_sub(ends ? e->tips[at] : e->joints[e->human[below]], e->joints[at]);
    const bool trunk = side == 0 || !(lmb_vec3_length(direction) > 1e-4f * e->height);
    axes[0] = trunk ? e->up : lmb_vec3_normalize_or(direction, e->up);
    const lmb_vec3 across = lmb_vec3_mad(e->forward, axes[0], -lmb_vec3_dot(e->forward, axes[0]));
    axes[1] =
        lmb_vec3_normalize_or(lmb_vec3_length(across) > 0.2f
                                  ? across
                                  : lmb_vec3_mad(e->up, axes[0], -lmb_vec3_dot(e->up, axes[0])),
                              e->forward);
    // outward for a leg, up for a level arm, and both for one between
    const lmb_vec3 outward = lmb_vec3_cross(axes[0], axes[1]),
                   wanted = lmb_vec3_mad(e->up, e->left, side);
    axes[2] = lmb_vec3_scale(outward, side == 0                           ? 0
                                      : lmb_vec3_dot(outward, wanted) < 0 ? -1.0f
                                                                          : 1.0f);
    return true;
}

void lmb_style_place(const lmb_style *style, lmb_embedding *embedding)
{
    const lmb_embedding before = *embedding;
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        lmb_vec3 axes[3];
        if (!lmbi_style_axes(&before, (lmb_human_bone)b, axes)) {
            continue;
        }
        lmb_vec3 *at = &embedding->joints[before.human[b]];
        const lmb_vec3 off = lmb_vec3_scale(style->offsets[b], before.height);
        *at = lmb_vec3_mad(*at, axes[0], off.x);
        *at = lmb_vec3_mad(*at, axes[1], off.y);
        *at = lmb_vec3_mad(*at, axes[2], off.z);
    }
}

float lmbi_style_measure(const lmb_character *character, const lmb_embedding *embedding,
                         const lmb_joint_map *map, lmb_vec3 *out, bool *known)
{
    float sum = 0;
    uint32_t count = 0;
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        lmb_vec3 axes[3];
        const int32_t joint = map->bones[b].joint;
        known[b] = joint != LMB_NONE && lmbi_style_axes(embedding, (lmb_human_bone)b, axes);
        if (!known[b]) {
            continue;
        }
        lmb_vec3 at = {0, 0, 0};
        for (int32_t j = joint; j != LMB_NONE; j = character->skeleton->parents[j]) {
            at = lmb_transform_point(character->skeleton->rest[j], at);
        }
        const lmb_vec3 off = lmb_vec3_scale(
            lmb_vec3_sub(at, embedding->joints[embedding->human[b]]), 1 / embedding->height);
        out[b] = lmb_vec3_make(lmb_vec3_dot(off, axes[0]), lmb_vec3_dot(off, axes[1]),
                               lmb_vec3_dot(off, axes[2]));
        sum += lmb_vec3_length(off);
        ++count;
    }
    return count >= 10 ? sum / (float)count : -1;
}
