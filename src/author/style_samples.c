/// Samples of rigged characters, taken while their weights are made anew.
#include "author/style_samples.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/bind_pose.h"

/// A vertex is sampled if candidates have this much of its painted weight.
static const float COVERED = 0.5f;

typedef struct recorder {
    const lmb_style *style;
    const lmb_character *character;
    uint32_t *origin; ///< [welded vertex] a vertex of the instances, in order
    uint32_t *kinds;  ///< [joint_count]
    uint32_t stride;
    uint32_t room; ///< of groups
    lmbi_style_samples *out;
} recorder;

/// The painted row of a vertex of the instances, in order, by joint of the skeleton.
static float painted_weight(const lmb_character *c, uint32_t vertex, uint32_t joint)
{
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        if (vertex >= mesh->vertex_count) {
            vertex -= mesh->vertex_count;
            continue;
        }
        float sum = 0, all = 0;
        const bool skinned = c->instances[i].skin != LMB_NONE && mesh->influences.first;
        for (uint32_t k = skinned ? mesh->influences.first[vertex] : 0;
             skinned && k < mesh->influences.first[vertex + 1]; ++k) {
            const lmb_influence *in = &mesh->influences.items[k];
            all += in->weight;
            sum += c->skins[c->instances[i].skin]->joints[in->joint] == joint ? in->weight : 0;
        }
        return all > 0 ? sum / all : 0;
    }
    return 0;
}

/// Records every stride-th vertex. Its weights are not used.
static void record(const void *user, uint32_t vertex, const uint32_t *joints, const float *features,
                   uint32_t count, float *weights)
{
    const recorder *r = user;
    lmbi_style_samples *s = r->out;
    for (uint32_t k = 0; k < count; ++k) {
        weights[k] = 1.0f / (float)count;
    }
    if (vertex % r->stride != 0 || s->group_count == r->room) {
        return;
    }
    const uint32_t begin = s->pair_count;
    float sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const float *x = features + (size_t)k * LMB_WEIGHT_FEATURES;
        const size_t at = begin + k;
        memcpy(s->features + at * LMB_WEIGHT_FEATURES, x, LMB_WEIGHT_FEATURES * sizeof *x);
        lmbi_style_terms(x, s->terms + at * LMBI_RANKER_TERMS);
        s->priors[at] = x[LMB_WEIGHT_FEATURE_HEAT];
        s->kinds[at] = r->kinds[joints[k]];
        s->targets[at] = painted_weight(r->character, r->origin[vertex], joints[k]);
        sum += s->targets[at];
    }
    if (sum >= COVERED) {
        for (uint32_t k = 0; k < count; ++k) {
            s->targets[begin + k] /= sum;
        }
        s->pair_count += count;
        s->first[++s->group_count] = s->pair_count;
    }
}

static lmb_result allocate(recorder *r, uint32_t vertices, uint32_t most, lmb_error *error)
{
    lmbi_style_samples *s = r->out;
    r->stride = vertices > most ? (vertices + most - 1) / most : 1;
    r->room = vertices / r->stride + 1;
    const size_t pairs = (size_t)r->room * LMB_WEIGHT_CANDIDATES;
    s->first = lmbi_arena_array(&s->arena, (size_t)r->room + 1, sizeof *s->first);
    s->features = lmbi_arena_array(&s->arena, pairs * LMB_WEIGHT_FEATURES, sizeof(float));
    s->terms = lmbi_arena_array(&s->arena, pairs * LMBI_RANKER_TERMS, sizeof(float));
    s->priors = lmbi_arena_array(&s->arena, pairs, sizeof *s->priors);
    s->targets = lmbi_arena_array(&s->arena, pairs, sizeof *s->targets);
    s->kinds = lmbi_arena_array(&s->arena, pairs, sizeof *s->kinds);
    r->kinds = lmbi_arena_array(&s->arena, r->character->skeleton->joint_count, sizeof *r->kinds);
    r->origin = lmbi_arena_array(&s->arena, vertices, sizeof *r->origin);
    return s->first && s->features && s->terms && s->priors && s->targets && s->kinds && r->kinds &&
                   r->origin
               ? LMB_OK
               : lmbi_fail_memory(error);
}

static lmb_result prepare(recorder *r, uint32_t most, const lmb_allocator *alloc, lmb_error *error)
{
    lmb_surface *surface = NULL;
    lmb_mat4 *model;
    lmb_result result =
        lmbi_bind_surface(r->character, alloc, &r->out->arena, &surface, &model, error);
    if (result == LMB_OK) {
        result = allocate(r, surface->vertex_count, most, error);
    }
    for (uint32_t v = result == LMB_OK ? surface->part_vertex_count : 0; v-- > 0;) {
        r->origin[surface->vertex_of[v]] = v;
    }
    lmb_surface_destroy(surface);
    return result == LMB_OK
               ? lmbi_style_kinds(r->style, r->character->skeleton, alloc, r->kinds, error)
               : result;
}

lmb_result lmbi_style_sample(const lmb_style *style, const lmb_character *character, uint32_t most,
                             const lmb_allocator *alloc, lmbi_style_samples *out, lmb_error *error)
{
    recorder r = {.style = style, .character = character, .out = out};
    const lmb_weights_model model = {record, &r};
    const lmb_weights_opts opts = {
        .method = LMB_WEIGHTS_LEARNED, .ownership = style->ownership, .model = &model};
    lmb_surface *surface = NULL;
    lmb_weights *weights = NULL;
    lmbi_arena_init(&out->arena, alloc);
    lmb_result result = prepare(&r, most, alloc, error);
    if (result == LMB_OK) { // without jobs: the vertices come one after the other
        result = lmb_weights_again(character, &opts, alloc, &surface, &weights, error);
    }
    lmb_weights_destroy(weights);
    lmb_surface_destroy(surface);
    return result;
}

void lmbi_style_samples_free(lmbi_style_samples *samples)
{
    lmbi_arena_free(&samples->arena);
    *samples = (lmbi_style_samples){0};
}

static bool is_part(uint32_t c, uint32_t parts, uint32_t without)
{
    return without != UINT32_MAX && c % parts == without;
}

lmb_result lmbi_style_join(const lmbi_style_samples *samples, uint32_t count, uint32_t parts,
                           uint32_t without, lmbi_arena *arena, lmbi_ranker_data *out,
                           lmb_error *error)
{
    size_t groups = 0, pairs = 0;
    for (uint32_t c = 0; c < count; ++c) {
        groups += is_part(c, parts, without) ? 0 : samples[c].group_count;
        pairs += is_part(c, parts, without) ? 0 : samples[c].pair_count;
    }
    uint32_t *first = lmbi_arena_array(arena, groups + 1, sizeof *first),
             *kinds = lmbi_arena_array(arena, pairs, sizeof *kinds);
    float *features = lmbi_arena_array(arena, pairs * LMB_WEIGHT_FEATURES, sizeof *features),
          *terms = lmbi_arena_array(arena, pairs * LMBI_RANKER_TERMS, sizeof *terms),
          *priors = lmbi_arena_array(arena, pairs, sizeof *priors),
          *targets = lmbi_arena_array(arena, pairs, sizeof *targets);
    if (!first || !kinds || !features || !terms || !priors || !targets || pairs > UINT32_MAX) {
        return lmbi_fail_memory(error);
    }
    uint32_t group = 0, at = 0;
    for (uint32_t c = 0; c < count; ++c) {
        const lmbi_style_samples *s = &samples[c];
        const size_t n = s->pair_count;
        if (is_part(c, parts, without)) {
            continue;
        }
        memcpy(features + (size_t)at * LMB_WEIGHT_FEATURES, s->features,
               n * LMB_WEIGHT_FEATURES * sizeof *features);
        memcpy(terms + (size_t)at * LMBI_RANKER_TERMS, s->terms,
               n * LMBI_RANKER_TERMS * sizeof *terms);
        memcpy(priors + at, s->priors, n * sizeof *priors);
        memcpy(targets + at, s->targets, n * sizeof *targets);
        memcpy(kinds + at, s->kinds, n * sizeof *kinds);
        for (uint32_t g = 0; g < s->group_count; ++g) {
            first[group++] = at + s->first[g];
        }
        at += s->pair_count;
    }
    first[group] = at;
    *out = (lmbi_ranker_data){group, first, features, terms, priors, targets, kinds};
    return LMB_OK;
}
