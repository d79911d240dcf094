/// Clusters grown over the surface from the best point of each (the relabelling of Dem Bones).
#include "learn/grow.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/// A point that a bone could take, and at what error.
typedef struct lmbi_front {
    double error;
    uint32_t point, bone;
} lmbi_front;

/// A total order, so that the heap gives the same sequence everywhere.
static bool before(const lmbi_front *a, const lmbi_front *b)
{
    if (a->error < b->error || a->error > b->error) {
        return a->error < b->error;
    }
    return a->point != b->point ? a->point < b->point : a->bone < b->bone;
}

static void push(lmbi_grow *g, uint32_t point, uint32_t bone)
{
    const lmbi_front moving = {lmbi_learn_bone_error(g->p, point, bone), point, bone};
    size_t at = g->front_count++;
    while (at > 0 && before(&moving, &g->front[(at - 1) / 2])) {
        g->front[at] = g->front[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    g->front[at] = moving;
}

static lmbi_front pop(lmbi_grow *g)
{
    const lmbi_front top = g->front[0], moving = g->front[--g->front_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= g->front_count) {
            break;
        }
        child += child + 1 < g->front_count && before(&g->front[child + 1], &g->front[child]);
        if (!before(&g->front[child], &moving)) {
            break;
        }
        g->front[at] = g->front[child];
        at = child;
    }
    g->front[at] = moving;
    return top;
}

/// Numbers the connected pieces; `stack` has room for every point.
static void find_pieces(lmbi_grow *g, uint32_t *stack)
{
    const lmbi_learn *p = g->p;
    uint32_t count = 0;
    memset(g->piece, 0xFF, p->point_count * sizeof *g->piece);
    for (uint32_t i = 0; i < p->point_count; ++i) {
        if (g->piece[i] != UINT32_MAX) {
            continue;
        }
        uint32_t top = 0;
        stack[top++] = i;
        g->piece[i] = count;
        while (top > 0) {
            const uint32_t at = stack[--top];
            for (uint32_t k = p->near_first[at]; k < p->near_first[at + 1]; ++k) {
                if (g->piece[p->near[k]] == UINT32_MAX) {
                    g->piece[p->near[k]] = count;
                    stack[top++] = p->near[k];
                }
            }
        }
        ++count;
    }
}

lmb_result lmbi_grow_init(lmbi_grow *g, lmbi_learn *p, lmb_error *error)
{
    // Every bone's first points, no two the same, every direction of every edge, once, and as many
    // new beginnings as there are points.
    const size_t n = p->point_count, most = 2 * n + p->near_first[n];
    *g = (lmbi_grow){.p = p};
    g->labels = lmbi_arena_array(&p->arena, n, sizeof *g->labels);
    g->was = lmbi_arena_array(&p->arena, n, sizeof *g->was);
    g->front = lmbi_arena_array(&p->arena, most, sizeof *g->front);
    g->members = lmbi_arena_array(&p->arena, p->opts.bone_count, sizeof *g->members);
    g->piece = lmbi_arena_array(&p->arena, n, sizeof *g->piece);
    g->best = lmbi_arena_array(&p->arena, n, sizeof *g->best);
    g->least = lmbi_arena_array(&p->arena, n, sizeof *g->least);
    if (!g->labels || !g->was || !g->front || !g->members || !g->piece || !g->best || !g->least) {
        return lmbi_fail_memory(error);
    }
    find_pieces(g, g->was);
    return LMB_OK;
}

/// The best point of a bone in each piece of the surface where it has any.
static void start_bone(lmbi_grow *g, uint32_t bone)
{
    const lmbi_learn *p = g->p;
    const uint32_t first = p->list_first[bone], last = p->list_first[bone + 1];
    for (uint32_t k = first; k < last; ++k) {
        g->best[g->piece[p->list_points[k]]] = UINT32_MAX;
    }
    for (uint32_t k = first; k < last; ++k) {
        const uint32_t point = p->list_points[k], piece = g->piece[point];
        const double error = lmbi_learn_bone_error(p, point, bone);
        if (g->best[piece] == UINT32_MAX || error < g->least[piece]) {
            g->least[piece] = error;
            g->best[piece] = point;
        }
    }
    for (uint32_t k = first; k < last; ++k) {
        if (g->best[g->piece[p->list_points[k]]] == p->list_points[k]) {
            push(g, p->list_points[k], bone);
        }
    }
}

/// A bone whose first point went to others begins again at its best point that is left. (A bone that
/// was split fits nothing well: what was split off, which fits, floods past its first point.)
static void start_again(lmbi_grow *g, const uint32_t *made, uint32_t bone)
{
    const lmbi_learn *p = g->p;
    uint32_t best = UINT32_MAX;
    double least = 0;
    for (uint32_t k = p->list_first[bone]; k < p->list_first[bone + 1]; ++k) {
        const uint32_t point = p->list_points[k];
        const double error = made[point] == UINT32_MAX ? lmbi_learn_bone_error(p, point, bone) : 0;
        if (made[point] == UINT32_MAX && (best == UINT32_MAX || error < least)) {
            least = error;
            best = point;
        }
    }
    if (best != UINT32_MAX) {
        push(g, best, bone);
    }
}

/// The best bone of those that have points, or all when none is asked to.
static uint32_t best_bone(const lmbi_grow *g, uint32_t point, uint32_t least_members)
{
    uint32_t best = 0;
    double least = (double)INFINITY;
    for (uint32_t j = 0; j < g->p->bone_count; ++j) {
        if (g->members[j] >= least_members) {
            const double error = lmbi_learn_bone_error(g->p, point, j);
            if (error < least) {
                least = error;
                best = j;
            }
        }
    }
    return best;
}

static void count_members(lmbi_grow *g)
{
    memset(g->members, 0, g->p->opts.bone_count * sizeof *g->members);
    for (uint32_t i = 0; i < g->p->point_count; ++i) {
        ++g->members[g->labels[i]];
    }
}

/// Drops small bones; the others keep their order.
static void prune(lmbi_grow *g, uint32_t least)
{
    lmbi_learn *p = g->p;
    uint32_t largest = 0, kept = 0;
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        largest = g->members[j] > largest ? g->members[j] : largest;
    }
    least = largest < least ? largest : least;
    for (uint32_t i = 0; i < p->point_count; ++i) {
        if (g->members[g->labels[i]] < least) {
            g->labels[i] = best_bone(g, i, least);
        }
    }
    uint32_t number[LMB_LEARN_BONES];
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        number[j] = kept;
        if (g->members[j] >= least) {
            if (kept != j) {
                memcpy(lmbi_learn_bone(p, kept, 0), lmbi_learn_bone(p, j, 0),
                       12 * sizeof(double) * p->frame_count);
            }
            ++kept;
        }
    }
    p->bone_count = kept;
    for (uint32_t i = 0; i < p->point_count; ++i) {
        g->labels[i] = number[g->labels[i]];
    }
    count_members(g);
}

uint32_t lmbi_grow_labels(lmbi_grow *g, uint32_t least)
{
    lmbi_learn *p = g->p;
    uint32_t *made = g->was, changed = 0;
    memset(made, 0xFF, p->point_count * sizeof *made);
    memset(g->members, 0, p->opts.bone_count * sizeof *g->members);
    g->front_count = 0;
    uint32_t again = p->point_count;
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        start_bone(g, j);
    }
    while (g->front_count > 0) {
        const lmbi_front f = pop(g);
        if (made[f.point] != UINT32_MAX) {
            if (g->members[f.bone] == 0 && again > 0) {
                --again;
                start_again(g, made, f.bone);
            }
            continue;
        }
        made[f.point] = f.bone;
        ++g->members[f.bone];
        for (uint32_t k = p->near_first[f.point]; k < p->near_first[f.point + 1]; ++k) {
            if (made[p->near[k]] == UINT32_MAX) {
                push(g, p->near[k], f.bone);
            }
        }
    }
    for (uint32_t i = 0; i < p->point_count; ++i) {
        made[i] = made[i] == UINT32_MAX ? best_bone(g, i, 0) : made[i];
        changed += made[i] != g->labels[i];
    }
    g->was = g->labels;
    g->labels = made;
    count_members(g);
    prune(g, least);
    return changed;
}
