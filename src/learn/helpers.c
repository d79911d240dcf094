/// Helper joints: rigid bones added to those that are given, where the error is.
#include <math.h>
#include <string.h>

#include "base/block.h"
#include "base/error.h"
#include "learn/helpers.h"
#include "learn/helping.h"

enum {
    MOST = 32,        ///< helpers, where none are asked for
    ROUNDS = 6,       ///< of bones and weights after helpers were added
    LAST_ROUNDS = 40, ///< after all were
    SWEEPS = 5,       ///< over the bones of a frame, between two solves for weights
    LEAST_POINTS = 6, ///< of a cluster
    SPARSENESS = 16,  ///< a cluster has at most this fraction of the points
};
/// A cluster is connected points whose square error is at least this fraction of its seed's.
static const double CLUSTER_ERROR = 0.25;
/// Without a number helpers are added until they lower the error to this fraction of that without...
static const double ENOUGH = 0.3;
/// ... or a round of adding lowers the mean square error by less than this fraction.
static const double GAIN = 0.05, ROUND_GAIN = 5e-3;
/// Helpers with a smaller sum of weights are dropped.
static const double LEAST_WEIGHT = 1e-3;

// ---- clusters of error

/// The point with the largest error that no cluster has. UINT32_MAX for none.
static uint32_t find_seed(const lmbi_helping *h)
{
    const lmbi_learn *p = &h->g.p;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < p->point_count; ++i) {
        if (h->cluster_of[i] == 0 && p->point_errors[i] > 0 &&
            (best == UINT32_MAX || p->point_errors[i] > p->point_errors[best])) {
            best = i;
        }
    }
    return best;
}

/// Grows a cluster over the surface into `queue`; returns its size.
static uint32_t grow(lmbi_helping *h, uint32_t seed)
{
    const lmbi_learn *p = &h->g.p;
    const uint32_t number = ++h->cluster_count;
    const uint32_t most = p->point_count / SPARSENESS + LEAST_POINTS;
    const double least = CLUSTER_ERROR * p->point_errors[seed];
    uint32_t count = 0;
    h->cluster_of[seed] = number;
    h->queue[count++] = seed;
    for (uint32_t at = 0; at < count; ++at) {
        const uint32_t i = h->queue[at];
        for (uint32_t k = p->neighbour_first[i]; k < p->neighbour_first[i + 1]; ++k) {
            const uint32_t n = p->neighbours[k];
            if (count < most && h->cluster_of[n] == 0 &&
                (p->point_errors[n] >= least || count < LEAST_POINTS)) {
                h->cluster_of[n] = number;
                h->queue[count++] = n;
            }
        }
    }
    return count;
}

/// Adds up to `wanted` bones, each moving as its cluster does. Returns how many.
static uint32_t add_helpers(lmbi_helping *h, uint32_t wanted)
{
    lmbi_learn *p = &h->g.p;
    uint32_t added = 0;
    memset(h->cluster_of, 0, p->point_count * sizeof *h->cluster_of);
    h->cluster_count = 0;
    while (added < wanted) {
        const uint32_t seed = find_seed(h);
        if (seed == UINT32_MAX) {
            break;
        }
        const uint32_t count = grow(h, seed);
        if (count < LEAST_POINTS) {
            continue; // the points are taken: the next seed is another
        }
        // Starts as the bone that the seed follows most, in case points leave it undetermined.
        const uint32_t like = p->row_bones[(size_t)seed * p->influences];
        memcpy(lmbi_learn_bone(p, p->bone_count, 0), lmbi_learn_bone(p, like, 0),
               12 * sizeof(double) * p->frame_count);
        lmbi_learn_fit_bone(p, p->bone_count, h->queue, count);
        ++p->bone_count;
        ++added;
    }
    return added;
}

// ---- the solve

static lmb_result report_progress(const lmbi_helping *h, lmb_error *error)
{
    const lmb_progress *progress = h->g.opts.progress;
    const float done = (float)(h->g.p.bone_count - h->given) / (float)h->most;
    return !progress || !progress->report || progress->report(progress->user, "helpers", done)
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a request to stop");
}

/// Weights and the helpers' motion alternately. `*square` is the mean square error that comes out.
static lmb_result alternate(lmbi_helping *h, int rounds, double *square, lmb_error *error)
{
    lmbi_learn *p = &h->g.p;
    double before = (double)INFINITY;
    for (int round = 0; round < rounds; ++round) {
        lmb_result result = report_progress(h, error);
        if (result != LMB_OK) {
            return result;
        }
        if (p->opts.smooth > 0) {
            lmbi_learn_smooth_weights(p);
        }
        lmbi_learn_solve_weights(p);
        lmbi_learn_index_rows(p);
        result = lmbi_learn_fit_transforms(p, SWEEPS, error);
        if (result != LMB_OK) {
            return result;
        }
        *square = lmbi_learn_measure_errors(p);
        if (round > 0 && !(before - *square > ROUND_GAIN * before)) {
            break;
        }
        before = *square;
    }
    return LMB_OK;
}

static lmb_result allocate(lmbi_helping *h, lmb_error *error)
{
    lmbi_learn *p = &h->g.p;
    const size_t rows = (size_t)p->point_count * p->influences;
    h->linear_bones = lmbi_arena_array(&p->arena, rows, sizeof *h->linear_bones);
    h->linear_weights = lmbi_arena_array(&p->arena, rows, sizeof *h->linear_weights);
    h->cluster_of = lmbi_arena_array(&p->arena, p->point_count, sizeof *h->cluster_of);
    h->queue = lmbi_arena_array(&p->arena, p->point_count, sizeof *h->queue);
    if (!h->linear_bones || !h->linear_weights || !h->cluster_of || !h->queue) {
        return lmbi_fail_memory(error);
    }
    memcpy(h->linear_bones, p->row_bones, rows * sizeof *h->linear_bones);
    memcpy(h->linear_weights, p->row_weights, rows * sizeof *h->linear_weights);
    return LMB_OK;
}

/// Weights alone first; then helpers, twice as many in every round.
static lmb_result solve(lmbi_helping *h, bool counted, lmb_error *error)
{
    lmbi_learn *p = &h->g.p;
    uint32_t iterations = 0;
    lmb_result result = lmbi_given_solve(&h->g, &iterations, error);
    if (result == LMB_OK) {
        result = allocate(h, error);
    }
    h->linear_error = lmbi_learn_measure_errors(p);
    double now = h->linear_error;
    p->fixed_count = h->given;
    while (result == LMB_OK && p->bone_count - h->given < h->most) {
        const uint32_t have = p->bone_count - h->given, room = h->most - have;
        const uint32_t added = add_helpers(h, have > 1 ? (have < room ? have : room) : 1);
        const double before = now;
        if (added == 0) {
            break;
        }
        result = alternate(h, ROUNDS, &now, error);
        if (!counted && (now < ENOUGH * ENOUGH * h->linear_error || before - now < GAIN * before)) {
            break;
        }
    }
    return result == LMB_OK ? alternate(h, LAST_ROUNDS, &now, error) : result;
}

/// Takes bones without a new number out of a row.
static void renumber_row(lmbi_learn *p, size_t point, const uint32_t *number)
{
    uint32_t *bones = p->row_bones + point * p->influences, kept = 0;
    double *weights = p->row_weights + point * p->influences;
    for (uint32_t k = 0; k < p->influences; ++k) {
        if (number[bones[k]] != UINT32_MAX) {
            weights[kept] = weights[k];
            bones[kept++] = number[bones[k]];
        }
    }
    for (; kept < p->influences; ++kept) {
        weights[kept] = 0;
        bones[kept] = 0;
    }
}

/// Drops helpers that move next to nothing.
static void drop_idle(lmbi_helping *h)
{
    lmbi_learn *p = &h->g.p;
    uint32_t *number = h->queue, kept = h->given; // at least as many points as bones
    lmbi_learn_index_rows(p);
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        double sum = 0;
        for (uint32_t k = p->list_first[j]; k < p->list_first[j + 1]; ++k) {
            sum += p->list_weights[k];
        }
        const bool keeps = j < h->given || sum > LEAST_WEIGHT;
        number[j] = j < h->given ? j : keeps ? kept++ : UINT32_MAX;
        if (keeps && number[j] != j) {
            memcpy(lmbi_learn_bone(p, number[j], 0), lmbi_learn_bone(p, j, 0),
                   12 * sizeof(double) * p->frame_count);
        }
    }
    for (size_t i = 0; i < p->point_count; ++i) {
        renumber_row(p, i, number);
    }
    p->bone_count = kept;
    lmbi_learn_index_rows(p);
}

// ---- the whole

static lmb_result learn(lmbi_helping *h, const lmb_learn_frames *frames,
                        const lmb_character *character, const lmbi_learn_helpers_opts *opts,
                        lmb_error *error)
{
    lmb_result result = lmbi_bound_make(character, frames, h->g.p.arena.alloc, &h->g.bound, error);
    if (result != LMB_OK) {
        return result;
    }
    h->given = h->g.bound.bone_count;
    h->most = opts->helper_count > 0 ? opts->helper_count : MOST;
    if (opts->helper_count == 0 && h->most > h->g.bound.vertex_count / SPARSENESS) {
        h->most = h->g.bound.vertex_count / SPARSENESS;
    }
    if (h->most > LMB_LEARN_BONES || h->given > LMB_LEARN_BONES - h->most) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 512 joints and helpers", "%u and %u",
                         h->given, h->most);
    }
    result = lmbi_given_prepare(&h->g, h->most, error);
    if (result == LMB_OK) {
        result = solve(h, opts->helper_count > 0, error);
    }
    if (result == LMB_OK) {
        drop_idle(h);
    }
    return result;
}

lmb_result lmbi_learn_helpers(const lmb_character *character, const lmb_learn_frames *frames,
                              const lmbi_learn_helpers_opts *opts, const lmb_allocator *alloc,
                              lmbi_learned_helpers **out, lmb_error *error)
{
    lmbi_helping h = {.g = {.opts = {.influences = opts->influences,
                                     .smooth = opts->smooth,
                                     .hold_out = opts->hold_out,
                                     .jobs = opts->jobs,
                                     .progress = opts->progress}}};
    lmbi_arena_init(&h.g.p.arena, alloc);
    lmbi_arena_init(&h.g.bound.arena, alloc);
    lmb_result result = lmbi_given_check(frames, &h.g.opts, error);
    if (result == LMB_OK) {
        result = learn(&h, frames, character, opts, error);
    }
    if (result == LMB_OK) {
        result = lmbi_helping_result(&h, alloc, out, error);
    }
    lmbi_bound_free(&h.g.bound);
    lmbi_arena_free(&h.g.p.arena);
    return result;
}
