/// Fewer points for the first steps, which cost most: a maximal set of which no two are neighbours, about a quarter of
/// them, as algebraic multigrid chooses (Ruge and Stüben 1987). Each other point is at the side of one of these.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "learn/learn.h"

enum {
    LEAST_POINTS = 32, ///< for each bone, after
    EXPECTED_SHARE = 4 ///< a fine point for each coarse one, about
};

typedef struct coarsening {
    const lmbi_learn *fine;
    lmbi_learn *coarse;
    uint32_t *points;  ///< [coarse point_count] in the fine one
    uint32_t *seed_of; ///< [fine point_count] coarse point
} coarsening;

bool lmbi_learn_is_fine(const lmbi_learn *p)
{
    return !p->opts.move_rest && !p->importance && p->opts.skeleton != LMB_LEARN_TREE &&
           p->point_count / (LEAST_POINTS * EXPECTED_SHARE) >= p->opts.bone_count;
}

/// Chooses the points, and gives each other one to the chosen neighbour that it moves with most.
static uint32_t choose_points(coarsening *c)
{
    const lmbi_learn *p = c->fine;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->point_count; ++i) {
        c->seed_of[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < p->point_count; ++i) {
        if (c->seed_of[i] != UINT32_MAX) {
            continue;
        }
        c->seed_of[i] = count;
        for (uint32_t k = p->neighbour_first[i]; k < p->neighbour_first[i + 1]; ++k) {
            c->seed_of[p->neighbours[k]] = count; // a neighbour is not chosen
        }
        c->points[count++] = i;
    }
    for (uint32_t i = 0; i < p->point_count; ++i) {
        double most = c->points[c->seed_of[i]] == i ? 2 : 0;
        for (uint32_t k = p->neighbour_first[i]; k < p->neighbour_first[i + 1]; ++k) {
            const uint32_t at = p->neighbours[k];
            if (p->neighbour_weights[k] > most && c->points[c->seed_of[at]] == at) {
                most = p->neighbour_weights[k];
                c->seed_of[i] = c->seed_of[at];
            }
        }
    }
    return count;
}

/// Adds what a fine point's edges say of the coarse neighbours of its own.
static void add_edges(const coarsening *c, uint32_t point, uint32_t first)
{
    const lmbi_learn *p = c->fine;
    lmbi_learn *q = c->coarse;
    const uint32_t own = c->seed_of[point];
    uint32_t *end = &q->neighbour_first[own + 1];
    for (uint32_t k = p->neighbour_first[point]; k < p->neighbour_first[point + 1]; ++k) {
        const uint32_t other = c->seed_of[p->neighbours[k]];
        uint32_t at = first;
        if (other == own) {
            continue;
        }
        while (at < *end && q->neighbours[at] != other) {
            ++at;
        }
        if (at == *end) {
            q->neighbours[at] = other;
            q->neighbour_weights[at] = 0;
            ++*end;
        }
        q->neighbour_weights[at] += p->neighbour_weights[k];
    }
}

/// Coarse points are neighbours where fine ones at their sides are.
static bool connect(const coarsening *c)
{
    const lmbi_learn *p = c->fine;
    lmbi_learn *q = c->coarse;
    lmbi_arena *arena = &q->arena;
    const uint32_t n = q->point_count, edges = p->neighbour_first[p->point_count];
    q->neighbour_first = lmbi_arena_array(arena, (size_t)n + 1, sizeof *q->neighbour_first);
    q->neighbours = lmbi_arena_array(arena, edges, sizeof *q->neighbours);
    q->neighbour_weights = lmbi_arena_array(arena, edges, sizeof *q->neighbour_weights);
    uint32_t *list_first = lmbi_arena_array(arena, (size_t)n + 1, sizeof *list_first);
    uint32_t *list = lmbi_arena_array(arena, p->point_count, sizeof *list);
    if (!q->neighbour_first || !q->neighbours || !q->neighbour_weights || !list_first || !list) {
        return false;
    }
    for (uint32_t i = 0; i < p->point_count; ++i) {
        ++list_first[c->seed_of[i]];
    }
    for (uint32_t k = 1; k <= n; ++k) {
        list_first[k] += list_first[k - 1]; // ends
    }
    for (uint32_t i = p->point_count; i-- > 0;) {
        list[--list_first[c->seed_of[i]]] = i;
    }
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t first = q->neighbour_first[k],
                       last = k + 1 < n ? list_first[k + 1] : p->point_count;
        double sum = 0;
        q->neighbour_first[k + 1] = first;
        for (uint32_t l = list_first[k]; l < last; ++l) {
            add_edges(c, list[l], first);
        }
        for (uint32_t l = first; l < q->neighbour_first[k + 1]; ++l) {
            sum += q->neighbour_weights[l];
        }
        for (uint32_t l = first; l < q->neighbour_first[k + 1]; ++l) {
            q->neighbour_weights[l] /= sum;
        }
    }
    return true;
}

static bool copy_points(const coarsening *c)
{
    const lmbi_learn *p = c->fine;
    lmbi_learn *q = c->coarse;
    const size_t n = q->point_count, m = p->frame_count;
    q->rest = lmbi_arena_array(&q->arena, n, 3 * sizeof *q->rest);
    q->positions = lmbi_arena_array(&q->arena, n, 3 * m * sizeof *q->positions);
    if (!q->rest || !q->positions) {
        return false;
    }
    for (size_t k = 0; k < n; ++k) {
        const size_t i = c->points[k];
        memcpy(q->rest + 3 * k, p->rest + 3 * i, 3 * sizeof *q->rest);
        memcpy(q->positions + 3 * k * m, p->positions + 3 * i * m, 3 * m * sizeof *q->positions);
    }
    return true;
}

lmb_result lmbi_learn_coarsen(const lmbi_learn *p, lmbi_learn *coarse, uint32_t *seed_of,
                              lmb_error *error)
{
    *coarse = *p;
    lmbi_arena_init(&coarse->arena, p->arena.alloc);
    coarsening c = {.fine = p, .coarse = coarse, .seed_of = seed_of};
    c.points = lmbi_arena_array(&coarse->arena, p->point_count, sizeof *c.points);
    if (!c.points) {
        return lmbi_fail_memory(error);
    }
    coarse->point_count = choose_points(&c);
    return copy_points(&c) && connect(&c) ? LMB_OK : lmbi_fail_memory(error);
}

/// A copy in the arena; NULL if there is no memory.
static void *keep(lmbi_arena *arena, const void *from, size_t count, size_t size)
{
    void *to = lmbi_arena_array(arena, count, size);
    return to ? memcpy(to, from, count * size) : NULL;
}

lmb_result lmbi_learn_take_coarse(lmbi_learn *p, lmbi_learn *coarse, const uint32_t *seed_of,
                                  lmb_error *error)
{
    const size_t width = coarse->influences, rows = coarse->point_count * width,
                 numbers = (size_t)coarse->bone_count * 12 * p->frame_count;
    const double *bones = keep(&p->arena, coarse->bones, numbers, sizeof *bones);
    const double *weights = keep(&p->arena, coarse->row_weights, rows, sizeof *weights);
    const uint32_t *joined = keep(&p->arena, coarse->row_bones, rows, sizeof *joined);
    p->bone_count = coarse->bone_count;
    lmbi_arena_free(&coarse->arena);
    const lmb_result result =
        bones && weights && joined ? lmbi_learn_allocate(p, error) : lmbi_fail_memory(error);
    if (result != LMB_OK) {
        return result;
    }
    memcpy(p->bones, bones, numbers * sizeof *bones);
    for (size_t i = 0; i < p->point_count; ++i) {
        const size_t from = seed_of[i] * width;
        memcpy(p->row_bones + i * width, joined + from, width * sizeof *joined);
        memcpy(p->row_weights + i * width, weights + from, width * sizeof *weights);
    }
    lmbi_learn_index_rows(p);
    return LMB_OK;
}
