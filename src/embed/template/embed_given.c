/// Embeds the skeleton of a user's template, unless the body is clearly of another kind or lacks chains that it needs.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/creature/animal.h"
#include "embed/creature/creature.h"
#include "embed/kinds.h"
#include "embed/template/template.h"
#include "math/math.h"

#include <stdio.h>

/// What is seen with more chance is likelier than not.
static const float EVEN = 0.5f;

/// The kind that networks see in the whole mesh, or GENERIC where none is likelier than not.
static lmb_result see_kind(lmbi_embed_input *input, const lmb_embed_opts *opts,
                           lmb_skeleton_kind *out, lmbi_seen_animal *animal, lmb_error *error)
{
    lmbi_seen_figure figure;
    lmb_embed_opts any = *opts;
    any.body_template = NULL;
    any.kind = LMB_SKELETON_AUTO;
    lmb_result result = lmbi_see_human(input, &any, &figure, error);
    if (result == LMB_OK && !input->animals) {
        result =
            lmbi_volume_network_create(LMBI_VOLUME_ANIMAL, input->alloc, &input->animals, error);
    }
    if (result == LMB_OK) {
        result = lmbi_find_animal(input->animals, &input->whole, &any, animal, error);
    }
    if (result == LMB_OK) {
        *out = figure.chance > fmaxf(animal->chance, EVEN) ? LMB_SKELETON_HUMAN
               : animal->chance > EVEN                     ? animal->kind
                                                           : LMB_SKELETON_GENERIC;
    }
    return result;
}

/// Whether a body that is seen as a kind may be one of the template: a kind of one's own may look like any animal.
static bool may_be(const lmb_body_template *t, lmb_skeleton_kind seen)
{
    return seen == LMB_SKELETON_GENERIC || seen == t->kind ||
           (t->kind == LMB_SKELETON_GENERIC && seen != LMB_SKELETON_HUMAN);
}

static lmb_result refuse(lmb_skeleton_kind seen, lmb_error *error)
{
    static const char expected[] = "a body such as the template describes";
    return seen == LMB_SKELETON_GENERIC
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, expected,
                           "a body without the chains that it needs")
               : lmbi_fail(error, LMB_ERROR_UNSUPPORTED, expected, "%s, likely a %s",
                           lmbi_kind_needs(seen), lmb_skeleton_kind_name(seen));
}

/// The best reading, with the facing of an animal of the template's kind that is seen. *out_facing is the chance that its
/// front is the front. False if there is none.
static bool find_reading(const lmbi_body_shape *coarse, const lmb_embed_opts *opts,
                         const lmbi_seen_animal *animal, lmbi_reading *out, float *out_facing)
{
    const float same = 0.7f;
    const lmbi_template_standards *standard = &lmbi_template_standard;
    const bool seen = animal->chance > EVEN && animal->kind == opts->body_template->kind;
    const lmb_vec3 front = animal->axes[2];
    const lmbi_search_opts search = {
        .up = seen ? animal->axes[1] : opts->up, .forward = opts->forward, .y_up = opts->y_up};
    lmbi_reading list[LMBI_READINGS];
    const uint32_t count = lmbi_search_readings(&coarse->body, coarse->tips, coarse->tip_count,
                                                opts->body_template, &search, list);
    uint32_t best = 0, other = 0;
    if (count == 0) {
        return false;
    }
    while (seen && best < count && lmb_vec3_dot(list[best].forward, front) < same) {
        ++best;
    }
    best = best < count ? best : 0;
    while (other < count && lmb_vec3_dot(list[other].forward, list[best].forward) > same &&
           lmb_vec3_dot(list[other].up, list[best].up) > same) {
        ++other;
    }
    const float more = other < count ? list[best].score - list[other].score : 1e3f;
    *out = list[best];
    *out_facing = seen ? animal->facing : lmbi_logistic(standard->per_score * more);
    return true;
}

/// Places the joints of a reading.
static lmb_result embed_reading(lmbi_voxel_cache *cache, const lmb_body_template *t,
                                const lmbi_reading *r, lmb_embedding *out, lmb_error *error)
{
    lmbi_body_shape rotated;
    lmb_result result =
        lmbi_body_shape_create_rotated(cache, r->left, r->up, r->offset, &rotated, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_template_lines *lines = lmbi_alloc(cache->alloc, sizeof *lines);
    result = lines ? lmbi_template_find_lines(&rotated, t, r, &cache->variant[LMBI_VOXELS_COARSE],
                                              lines, error)
                   : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        lmbi_template_place(&rotated, t, lines, out);
    }
    lmbi_free(cache->alloc, lines);
    lmbi_body_shape_destroy(&rotated);
    return result;
}

/// Embeds in the body of a cache. Errors: UNSUPPORTED, without a message, where chains are missing; MEMORY.
static lmb_result embed_in(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                           const lmbi_seen_animal *animal, lmb_embedding *out, lmb_error *error)
{
    const lmbi_template_standards *standard = &lmbi_template_standard;
    const lmbi_body_shape *coarse;
    lmbi_reading reading;
    float facing;
    lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, &coarse, error);
    if (result != LMB_OK) {
        return result;
    }
    if (!find_reading(coarse, opts, animal, &reading, &facing)) {
        return LMB_ERROR_UNSUPPORTED;
    }
    const float fits = lmbi_logistic(standard->at_none + standard->per_fit * reading.fit);
    if (fits < LMBI_HOPELESS_ANIMAL) {
        return LMB_ERROR_UNSUPPORTED;
    }
    result = embed_reading(cache, opts->body_template, &reading, out, error);
    if (result == LMB_OK) {
        lmbi_embedding_rate(out, fits * facing,
                            fits < 0.7f     ? "unlike the template"
                            : facing < 0.7f ? "head and tail may be exchanged"
                                            : "its limbs are clear");
    }
    return result;
}

lmb_result lmbi_embed_given(lmbi_embed_input *input, const lmb_embed_opts *opts, lmb_embedding *out,
                            lmb_error *error)
{
    lmb_skeleton_kind seen;
    lmbi_seen_animal animal;
    lmbi_voxel_cache *body;
    lmb_result result = see_kind(input, opts, &seen, &animal, error);
    if (result != LMB_OK) {
        return result;
    }
    if (!may_be(opts->body_template, seen)) {
        return refuse(seen, error);
    }
    result = embed_in(&input->whole, opts, &animal, out, error);
    if (result != LMB_ERROR_UNSUPPORTED) {
        return result;
    }
    // A floor or a loose prop may be the reason.
    result = lmbi_embed_input_main_body(input, NULL, &body, error);
    if (result == LMB_OK) {
        result = body ? embed_in(body, opts, &animal, out, error) : LMB_ERROR_UNSUPPORTED;
    }
    return result == LMB_ERROR_UNSUPPORTED ? refuse(LMB_SKELETON_GENERIC, error) : result;
}
