/// Choices of vertices between joints.
#include "rig/ownership_sample.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

/// Least distance to a bone, as a fraction of the size.
static const float LEAST_DISTANCE = 1e-3f;

typedef struct offer {
    float distance;
    uint32_t slot, bone;
    bool seen;
} offer;

/// The nearest slots of a vertex, nearest first.
static uint32_t find_offers(const lmbi_heat *heat, uint32_t v, offer *out)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        offer o = {lmbi_counted_distance(heat, b, v), heat->slot_of_bone[b], b, false};
        uint32_t at = 0;
        while (at < count && out[at].slot != o.slot) {
            ++at;
        }
        if (at < count) {
            if (!(o.distance < out[at].distance)) {
                continue;
            }
        } else if (count < LMBI_OFFERED) {
            at = count++;
        } else if (o.distance < out[count - 1].distance) {
            at = count - 1;
        } else {
            continue;
        }
        for (; at > 0 && o.distance < out[at - 1].distance; --at) {
            out[at] = out[at - 1];
        }
        out[at] = o;
    }
    return count;
}

/// Keeps the offers whose bones are seen, or all where none is.
static uint32_t keep_seen(const lmbi_heat *heat, uint32_t v, offer *offers, uint32_t count)
{
    uint32_t seen = 0, kept = 0;
    for (uint32_t k = 0; k < count; ++k) {
        offers[k].seen = lmbi_heat_sees(heat, v, offers[k].bone);
        seen += offers[k].seen ? 1 : 0;
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (seen == 0 || offers[k].seen) {
            offers[kept++] = offers[k];
        }
    }
    return kept;
}

static void describe_pair(const lmbi_heat *heat, const lmbi_ownership *owned, uint32_t v,
                          const offer *o, float *x)
{
    const float least = LEAST_DISTANCE * heat->size;
    const bool has = owned->own_piece[o->slot] != UINT32_MAX,
               own = owned->own_piece[o->slot] == heat->piece_of_vertex[v];
    x[0] = lmb_log((o->distance > least ? o->distance : least) / heat->size);
    x[1] = own ? 1 : 0;
    x[2] = has && !own ? 1 : 0;
    memcpy(x + LMBI_PAIR_FEATURES, owned->features + (size_t)o->slot * LMBI_JOINT_FEATURES,
           LMBI_JOINT_FEATURES * sizeof *x);
}

static lmb_result take_samples(lmbi_heat *heat, uint32_t most, lmbi_arena *arena,
                               lmbi_ownership_samples *out, lmb_error *error)
{
    const uint32_t n = heat->surface->vertex_count, stride = n > most ? (n + most - 1) / most : 1,
                   count = n / stride;
    lmbi_ownership owned;
    lmb_result result = lmbi_ownership_measure(heat, &owned, error);
    if (result != LMB_OK) {
        return result;
    }
    out->vertices = lmbi_arena_array(arena, count, sizeof *out->vertices);
    out->areas = lmbi_arena_array(arena, n, sizeof *out->areas);
    out->first = lmbi_arena_array(arena, (size_t)count + 1, sizeof *out->first);
    out->joints = lmbi_arena_array(arena, (size_t)count * LMBI_OFFERED, sizeof *out->joints);
    out->features = lmbi_arena_array(arena, (size_t)count * LMBI_OFFERED * LMBI_OWNERSHIP_FEATURES,
                                     sizeof *out->features);
    if (!out->vertices || !out->areas || !out->first || !out->joints || !out->features) {
        return lmbi_fail_memory(error);
    }
    lmbi_vertex_areas(heat->surface, out->areas);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t v = k * stride;
        offer offers[LMBI_OFFERED];
        const uint32_t kept = keep_seen(heat, v, offers, find_offers(heat, v, offers));
        out->vertices[k] = v;
        out->areas[k] = out->areas[v]; // v >= k, so none is overwritten before it is read
        for (uint32_t i = 0; i < kept; ++i) {
            const size_t pair = out->pair_count++;
            out->joints[pair] = heat->joint_of_slot[offers[i].slot];
            describe_pair(heat, &owned, v, &offers[i],
                          out->features + pair * LMBI_OWNERSHIP_FEATURES);
        }
        out->first[k + 1] = out->pair_count;
    }
    out->vertex_count = count;
    return LMB_OK;
}

lmb_result lmbi_ownership_sample(const lmb_surface *surface, const lmb_bones *bones, uint32_t most,
                                 lmbi_arena *arena, lmbi_ownership_samples *out, lmb_error *error)
{
    lmbi_heat heat = {.surface = surface, .bones = bones, .alloc = arena->alloc};
    *out = (lmbi_ownership_samples){0};
    lmbi_arena_init(&heat.arena, arena->alloc);
    lmb_result result = lmbi_heat_prepare(&heat, error);
    if (result == LMB_OK) {
        result = take_samples(&heat, most, arena, out, error);
    }
    lmbi_heat_end(&heat);
    return result;
}
