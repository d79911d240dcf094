/// From triangles to an embedding: which kind of creature it is, and that kind's joints.
#include "base/alloc.h"
#include "base/error.h"
#include "rig/kinds.h"

#include <math.h>

/// Readings that cost more are of another kind.
static const float REFUSED = 0.9f;

static lmb_result check(const lmbi_soup *soup, lmb_error *error)
{
    if (soup->triangle_count == 0 || soup->triangle_count > UINT32_MAX / 3) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with triangles", "%u",
                         soup->triangle_count);
    }
    for (uint32_t c = 0; c < 3 * soup->triangle_count; ++c) {
        if (soup->triangles[c] >= soup->position_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "indices of positions", "index %u of %u",
                             soup->triangles[c], soup->position_count);
        }
        if (!lmb_vec3_is_finite(soup->positions[soup->triangles[c]])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite positions", "position %u",
                             soup->triangles[c]);
        }
    }
    return LMB_OK;
}

/// The best way to stand with `up` as up, if it beats *best.
static lmb_result try_up(const lmbi_survey *survey, lmb_vec3 up, float prior, lmb_vec3 told,
                         lmbi_reading *best, lmb_error *error)
{
    lmbi_stand stands[LMBI_MAX_STANDS];
    uint32_t count;
    const lmb_result result = lmbi_stands_find(survey, up, stands, &count, error);
    for (uint32_t s = 0; s < count && result == LMB_OK; ++s) {
        const float cost = prior + lmbi_quadruped_cost(survey, told, &stands[s]);
        if (cost < best->cost) {
            *best = (lmbi_reading){cost, stands[s]};
        }
    }
    return result;
}

static lmb_result read_stands(const lmbi_survey *survey, const lmb_embed_opts *opts,
                              lmbi_reading *best, lmb_error *error)
{
    static const struct {
        lmb_vec3 up;
        float prior;
    } ups[6] = {{{0, 1, 0}, 0},      {{0, 0, 1}, 0.08f}, {{1, 0, 0}, 0.35f},
                {{-1, 0, 0}, 0.35f}, {{0, -1, 0}, 0.4f}, {{0, 0, -1}, 0.4f}};
    const float clear = 0.5f;
    best->cost = 1e30f;
    if (lmb_vec3_dot(opts->up, opts->up) > 0) {
        return try_up(survey, opts->up, 0, opts->forward, best, error);
    }
    lmb_result result = LMB_OK;
    for (int u = 0; u < 6 && result == LMB_OK; ++u) {
        if (u < 2 || best->cost > clear) {
            result = try_up(survey, ups[u].up, ups[u].prior, opts->forward, best, error);
        }
    }
    return result;
}

static lmb_result embed_quadruped(const lmbi_soup *soup, const lmb_embed_opts *opts,
                                  const lmb_allocator *alloc, lmb_embedding *out, lmb_error *error)
{
    lmbi_survey survey, turned;
    lmbi_reading best;
    lmb_result result = lmbi_survey_create(soup, alloc, &survey, error);
    if (result != LMB_OK) {
        return result;
    }
    result = read_stands(&survey, opts, &best, error);
    if (result == LMB_OK && best.cost > REFUSED) {
        result = lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "an animal on four legs",
                           "a body that does not stand on two pairs of legs");
    }
    if (result == LMB_OK) {
        const lmbi_stand *s = &best.stand;
        result = lmbi_survey_turn(&survey, soup, s->left, s->up, s->offset, &turned, error);
        if (result == LMB_OK) {
            const lmbi_stand stand = lmbi_stand_moved(s, &survey.frame, &turned.frame);
            result = lmbi_quadruped_place(&turned, &stand, out, error);
            if (result == LMB_OK) {
                lmbi_creature c = {&turned.frame, out};
                lmbi_creature_rate(&c, 1 - 0.6f * best.cost,
                                   best.cost < 0.4f ? "two clear pairs of legs"
                                                    : "two pairs of legs, not alike");
            }
            lmbi_survey_destroy(&turned);
        }
    }
    lmbi_survey_destroy(&survey);
    return result;
}

lmb_result lmb_embed(const lmb_vec3 *positions, uint32_t position_count, const uint32_t *triangles,
                     uint32_t triangle_count, const lmb_embed_opts *opts,
                     const lmb_allocator *alloc, lmb_embedding *out, lmb_error *error)
{
    static const lmb_embed_opts defaults;
    const lmbi_soup soup = {positions, position_count, triangles, triangle_count};
    const lmb_result result = check(&soup, error);
    if (result != LMB_OK) {
        return result;
    }
    opts = opts ? opts : &defaults;
    if (opts->kind == LMB_SKELETON_QUADRUPED) {
        return embed_quadruped(&soup, opts, alloc, out, error);
    }
    const lmb_result human = lmbi_embed_human(&soup, opts, alloc, out, error);
    if (human != LMB_ERROR_UNSUPPORTED || opts->kind == LMB_SKELETON_HUMAN) {
        return human;
    }
    // What was said of the humanoid stands when it is no quadruped either.
    const lmb_result other = embed_quadruped(&soup, opts, alloc, out, NULL);
    return other == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : other == LMB_OK ? LMB_OK : human;
}
