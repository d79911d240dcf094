/// Computes, once, what the methods of a deformer need beyond its bindings.
#include "base/alloc.h"
#include "base/error.h"
#include "skin/deformer.h"

static lmb_result prepare_centers(lmbi_deformed_part *part, const lmb_mesh *mesh,
                                  const lmb_jobs *jobs, const lmb_allocator *alloc,
                                  lmb_error *error)
{
    if (part->stretched == NULL) {
        part->stretched = lmbi_alloc_array(alloc, mesh->vertex_count, sizeof(lmb_vec3));
    }
    if (part->stretched == NULL) {
        return lmbi_fail_memory(error);
    }
    if (part->centers != NULL) {
        return LMB_OK;
    }
    lmb_result result = lmb_centers_create(mesh, NULL, jobs, alloc, &part->centers, error);
    if (result == LMB_OK) {
        result = lmb_binding_keep_centers(part->binding, part->centers, error);
    }
    if (result != LMB_OK) {
        lmb_centers_destroy(part->centers);
        part->centers = NULL;
    }
    return result;
}

static lmb_result prepare_delta(lmbi_deformed_part *part, const lmb_mesh *mesh,
                                const lmb_allocator *alloc, lmb_error *error)
{
    const size_t n = mesh->vertex_count;
    if (part->delta != NULL) {
        return LMB_OK;
    }
    lmb_delta_mush *delta = NULL;
    const lmb_result result = lmb_delta_mush_create(mesh, NULL, alloc, &delta, error);
    if (result != LMB_OK) {
        return result;
    }
    part->delta = delta;
    part->scratch = lmbi_alloc(alloc, lmb_delta_mush_scratch_size(delta));
    part->rest = lmbi_alloc_array(alloc, n, sizeof(lmb_vec3));
    part->rest_normals = mesh->normals ? lmbi_alloc_array(alloc, n, sizeof(lmb_vec3)) : NULL;
    part->rest_tangents = mesh->tangents ? lmbi_alloc_array(alloc, n, sizeof(lmb_vec4)) : NULL;
    const bool has_room = part->scratch && part->rest && (!mesh->normals || part->rest_normals) &&
                          (!mesh->tangents || part->rest_tangents);
    return has_room ? LMB_OK : lmbi_fail_memory(error);
}

static lmb_result prepare_pivots(lmb_deformer *deformer, uint32_t i, lmb_error *error)
{
    const lmb_character *character = deformer->character;
    const lmb_instance *instance = &character->instances[i];
    const lmb_mesh *mesh = character->meshes[instance->mesh];
    const lmb_allocator *alloc = &deformer->allocator;
    lmbi_deformed_part *part = &deformer->parts[i];
    if (part->pivots != NULL) {
        return LMB_OK;
    }
    lmb_vec3 *pivots = lmbi_alloc_array(alloc, mesh->vertex_count, sizeof(*pivots));
    if (pivots == NULL) {
        return lmbi_fail_memory(error);
    }
    const lmb_result result = lmb_skin_pivots(character->skins[instance->skin], character->skeleton,
                                              mesh, alloc, pivots, error);
    if (result != LMB_OK) {
        lmbi_free(alloc, pivots);
        return result;
    }
    part->pivots = pivots;
    return LMB_OK;
}

/// What enveloping needs, for meshes that have an envelope.
static lmb_result prepare_envelope(lmb_deformer *deformer, uint32_t i, lmb_error *error)
{
    const lmb_character *character = deformer->character;
    const lmb_instance *instance = &character->instances[i];
    const lmb_mesh *mesh = character->meshes[instance->mesh];
    const lmb_allocator *alloc = &deformer->allocator;
    lmbi_deformed_part *part = &deformer->parts[i];
    if (part->envelope != NULL || mesh->envelope == NULL) {
        return LMB_OK;
    }
    part->envelope_weights = part->envelope_weights
                                 ? part->envelope_weights
                                 : lmbi_alloc_array(alloc, mesh->target_count + 1u, sizeof(float));
    if (!part->envelope_weights) {
        return lmbi_fail_memory(error);
    }
    return lmb_envelope_skin_create(mesh, character->skins[instance->skin], alloc, &part->envelope,
                                    error);
}

lmb_mush_variant lmbi_mush_variant_of(lmb_skin_method method)
{
    switch (method) {
    case LMB_SKIN_MUSH_V2:
        return LMB_MUSH_V2;
    case LMB_SKIN_MUSH_V4:
        return LMB_MUSH_V4;
    case LMB_SKIN_MUSH_V5:
        return LMB_MUSH_V5;
    default:
        return LMB_MUSH_V0;
    }
}

static lmb_result prepare_part(lmb_deformer *deformer, uint32_t i, lmb_skin_method method,
                               const lmb_jobs *jobs, lmb_error *error)
{
    const lmb_mesh *mesh = deformer->character->meshes[deformer->character->instances[i].mesh];
    const lmb_allocator *alloc = &deformer->allocator;
    lmbi_deformed_part *part = &deformer->parts[i];
    const lmb_mush_opts mush = {.variant = lmbi_mush_variant_of(method)};
    switch (method) {
    case LMB_SKIN_CENTER:
        return prepare_centers(part, mesh, jobs, alloc, error);
    case LMB_SKIN_MUSH:
    case LMB_SKIN_MUSH_V2:
    case LMB_SKIN_MUSH_V4:
    case LMB_SKIN_MUSH_V5:
        return part->mush[mush.variant] != NULL
                   ? LMB_OK
                   : lmb_mush_create(mesh, &mush, jobs, alloc, &part->mush[mush.variant], error);
    case LMB_SKIN_DELTA_MUSH:
        return prepare_delta(part, mesh, alloc, error);
    case LMB_SKIN_LINEAR_GRADIENT:
        return part->gradients != NULL ? LMB_OK
                                       : lmb_gradients_create(mesh, alloc, &part->gradients, error);
    case LMB_SKIN_DUAL_FIXED:
        return prepare_pivots(deformer, i, error);
    case LMB_SKIN_ENVELOPE:
        return prepare_envelope(deformer, i, error);
    case LMB_SKIN_LINEAR:
    case LMB_SKIN_RIGID:
    case LMB_SKIN_DUAL:
        break;
    }
    return LMB_OK;
}

lmb_result lmb_deformer_prepare(lmb_deformer *deformer, lmb_skin_method method,
                                const lmb_jobs *jobs, lmb_error *error)
{
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; result == LMB_OK && i < deformer->character->instance_count; ++i) {
        if (deformer->parts[i].binding != NULL) {
            result = prepare_part(deformer, i, method, jobs, error);
        }
    }
    return result;
}

void lmbi_deformed_part_release(lmbi_deformed_part *part, const lmb_allocator *alloc)
{
    lmb_centers_destroy(part->centers);
    for (int v = 0; v <= LMB_MUSH_V5; ++v) {
        lmb_mush_destroy(part->mush[v]);
    }
    lmb_delta_mush_destroy(part->delta);
    lmb_gradients_destroy(part->gradients);
    lmb_envelope_skin_destroy(part->envelope);
    void *const blocks[] = {part->scratch,         part->rest,      part->rest_normals,
                            part->rest_tangents,   part->stretched, part->pivots,
                            part->envelope_weights};
    for (size_t k = 0; k < sizeof(blocks) / sizeof(blocks[0]); ++k) {
        lmbi_free(alloc, blocks[k]);
    }
}
