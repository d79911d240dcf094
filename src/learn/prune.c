/// Fewer free bones. Clusters end in a local optimum, which depends on where they were split: more of them
/// than are asked for, of which those go without which the points' rows, solved again, cost least, end in a
/// better one.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/learn.h"

enum {
    PRUNE_ROUNDS = 4,     ///< between which weights and bones are solved for
    PRUNE_ITERATIONS = 2, ///< in one of them
};

typedef struct removal {
    lmbi_learn *p;
    double *costs;    ///< [point_count][influences] of the row without that bone
    double *totals;   ///< [bone]
    uint32_t *points; ///< whose rows are solved for
    uint32_t point_count;
} removal;

/// The bone that alone is nearest to the point's frames, `without` one.
static uint32_t nearest_bone(const lmbi_learn *p, uint32_t point, uint32_t without)
{
    uint32_t best = 0;
    double least = (double)INFINITY;
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        const double error = j == without ? (double)INFINITY : lmbi_learn_bone_error(p, point, j);
        if (error < least) {
            least = error;
            best = j;
        }
    }
    return best;
}

/// Takes the bone out of a row; the others keep their order.
static void take_out(const lmbi_learn *p, uint32_t i, uint32_t bone)
{
    uint32_t *bones = p->row_bones + (size_t)i * p->influences, count = 0;
    double *weights = p->row_weights + (size_t)i * p->influences, sum = 0;
    for (uint32_t k = 0; k < p->influences; ++k) {
        if (weights[k] > 0 && bones[k] != bone) {
            bones[count] = bones[k];
            weights[count] = weights[k];
            sum += weights[count++];
        }
    }
    if (count == 0) {
        bones[count] = nearest_bone(p, i, bone);
        weights[count++] = sum = 1;
    }
    for (uint32_t k = 0; k < p->influences; ++k) {
        weights[k] = k < count ? weights[k] / sum : 0;
        bones[k] = k >= count ? 0 : bones[k] - (bones[k] > bone);
    }
}

/// Points that follow the bone do no more, and its number is gone.
static void take_away(removal *r, uint32_t bone)
{
    lmbi_learn *p = r->p;
    r->point_count = 0;
    for (uint32_t k = p->list_first[bone]; k < p->list_first[bone + 1]; ++k) {
        r->points[r->point_count++] = p->list_points[k];
    }
    for (uint32_t i = 0; i < p->point_count; ++i) {
        take_out(p, i, bone);
    }
    --p->bone_count;
    memmove(lmbi_learn_bone(p, bone, 0), lmbi_learn_bone(p, bone + 1, 0),
            (size_t)(p->bone_count - bone) * 12 * p->frame_count * sizeof *p->bones);
}

static void solve_points(void *context, size_t begin, size_t end)
{
    const removal *r = context;
    for (size_t k = begin; k < end; ++k) {
        lmbi_learn_solve_point(r->p, r->points[k]);
    }
}

static void find_costs(void *context, size_t begin, size_t end)
{
    const removal *r = context;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = r->points[k];
        lmbi_learn_cost_without(r->p, (uint32_t)i, r->costs + i * r->p->influences);
    }
}

static void solve_again(removal *r)
{
    lmbi_learn *p = r->p;
    if (p->opts.smooth > 0) {
        lmbi_learn_smooth_weights(p);
    }
    lmb_parallel_for(p->opts.jobs, r->point_count, 16, solve_points, r);
    for (uint32_t k = 0; k < r->point_count; ++k) {
        const size_t at = (size_t)r->points[k] * p->influences;
        memcpy(p->row_bones + at, p->next_bones + at, p->influences * sizeof *p->row_bones);
        memcpy(p->row_weights + at, p->next_weights + at, p->influences * sizeof *p->row_weights);
    }
    lmbi_learn_index_rows(p);
}

static uint32_t find_cheapest(const removal *r)
{
    const lmbi_learn *p = r->p;
    uint32_t least = 0;
    memset(r->totals, 0, p->bone_count * sizeof *r->totals);
    for (size_t k = 0; k < (size_t)p->point_count * p->influences; ++k) {
        r->totals[p->row_bones[k]] += p->row_weights[k] > 0 ? r->costs[k] : 0;
    }
    for (uint32_t j = 1; j < p->bone_count; ++j) {
        least = r->totals[j] < r->totals[least] ? j : least;
    }
    return least;
}

/// Removes the bones that are missed least until so many are left.
static lmb_result remove_bones(lmbi_learn *p, uint32_t bone_count, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    const size_t n = p->point_count;
    removal r = {.p = p, .point_count = p->point_count};
    r.costs = lmbi_arena_array(&arena, n, p->influences * sizeof *r.costs);
    r.totals = lmbi_arena_array(&arena, p->bone_count, sizeof *r.totals);
    r.points = lmbi_arena_array(&arena, n, sizeof *r.points);
    const bool allocated = r.costs && r.totals && r.points;
    for (uint32_t i = 0; allocated && i < n; ++i) {
        r.points[i] = i;
    }
    p->seeks_everywhere = true;
    if (allocated && p->opts.smooth > 0) {
        lmbi_learn_smooth_weights(p);
    }
    while (allocated && p->bone_count > bone_count) {
        lmb_parallel_for(p->opts.jobs, r.point_count, 16, find_costs, &r);
        take_away(&r, find_cheapest(&r));
        solve_again(&r);
    }
    lmbi_arena_free(&arena);
    return allocated ? LMB_OK : lmbi_fail_memory(error);
}

lmb_result lmbi_learn_prune(lmbi_learn *p, lmb_learn_report *report, double *error_now,
                            lmb_error *error)
{
    lmb_result result = LMB_OK;
    const uint32_t target = p->target_count;
    for (uint32_t k = PRUNE_ROUNDS; result == LMB_OK && k > 0 && p->bone_count > target; --k) {
        result = lmbi_learn_alternate(p, NULL, PRUNE_ITERATIONS, report, error_now, error);
        if (result == LMB_OK) {
            result = remove_bones(p, target + (p->bone_count - target) * (k - 1) / k, error);
            *error_now = (double)INFINITY;
        }
    }
    return result;
}
