/// Clusters grown over the surface from the best point of each (the relabelling of Dem Bones).
#include "learn/learn.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/// A candidate assignment of a point to a bone, with its error.
typedef struct lmbi_grow_candidate {
    double error;
    uint32_t point, bone;
} lmbi_grow_candidate;

/// A total order, so that the heap yields the same sequence on every machine.
static bool before(const lmbi_grow_candidate *a, const lmbi_grow_candidate *b)
{
    if (a->error < b->error || a->error > b->error) {
        return a->error < b->error;
    }
    return a->point != b->point ? a->point < b->point : a->bone < b->bone;
}

static void push(lmbi_growing *g, uint32_t point, uint32_t bone)
{
    const lmbi_grow_candidate moving = {lmbi_learn_bone_error(g->p, point, bone), point, bone};
    size_t at = g->heap_count++;
    while (at > 0 && before(&moving, &g->heap[(at - 1) / 2])) {
        g->heap[at] = g->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    g->heap[at] = moving;
}

static lmbi_grow_candidate pop(lmbi_growing *g)
{
    const lmbi_grow_candidate top = g->heap[0], moving = g->heap[--g->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= g->heap_count) {
            break;
        }
        child += child + 1 < g->heap_count && before(&g->heap[child + 1], &g->heap[child]);
        if (!before(&g->heap[child], &moving)) {
            break;
        }
        g->heap[at] = g->heap[child];
        at = child;
    }
    g->heap[at] = moving;
    return top;
}

/// Labels the connected components; `stack` has room for every point.
static void label_components(lmbi_growing *g, uint32_t *stack)
{
    const lmbi_learn *p = g->p;
    uint32_t count = 0;
    memset(g->component, 0xFF, p->point_count * sizeof *g->component);
    for (uint32_t i = 0; i < p->point_count; ++i) {
        if (g->component[i] != UINT32_MAX) {
            continue;
        }
        uint32_t top = 0;
        stack[top++] = i;
        g->component[i] = count;
        while (top > 0) {
            const uint32_t at = stack[--top];
            for (uint32_t k = p->neighbour_first[at]; k < p->neighbour_first[at + 1]; ++k) {
                if (g->component[p->neighbours[k]] == UINT32_MAX) {
                    g->component[p->neighbours[k]] = count;
                    stack[top++] = p->neighbours[k];
                }
            }
        }
        ++count;
    }
}

lmb_result lmbi_grow_init(lmbi_growing *g, lmbi_learn *p, lmb_error *error)
{
    // Capacity: each bone's seeds, which are all different (n); each direction of each edge, once;
    // and as many reseeds as points (n).
    const size_t n = p->point_count, most = 2 * n + p->neighbour_first[n];
    *g = (lmbi_growing){.p = p};
    g->labels = lmbi_arena_array(&p->arena, n, sizeof *g->labels);
    g->previous = lmbi_arena_array(&p->arena, n, sizeof *g->previous);
    g->heap = lmbi_arena_array(&p->arena, most, sizeof *g->heap);
    g->members = lmbi_arena_array(&p->arena, p->opts.bone_count, sizeof *g->members);
    g->component = lmbi_arena_array(&p->arena, n, sizeof *g->component);
    g->seeds = lmbi_arena_array(&p->arena, n, sizeof *g->seeds);
    g->seed_errors = lmbi_arena_array(&p->arena, n, sizeof *g->seed_errors);
    if (!g->labels || !g->previous || !g->heap || !g->members || !g->component || !g->seeds ||
        !g->seed_errors) {
        return lmbi_fail_memory(error);
    }
    label_components(g, g->previous);
    return LMB_OK;
}

/// Seeds a bone at its best point in each component of the surface where it has any.
static void seed_bone(lmbi_growing *g, uint32_t bone)
{
    const lmbi_learn *p = g->p;
    const uint32_t first = p->list_first[bone], last = p->list_first[bone + 1];
    for (uint32_t k = first; k < last; ++k) {
        g->seeds[g->component[p->list_points[k]]] = UINT32_MAX;
    }
    for (uint32_t k = first; k < last; ++k) {
        const uint32_t point = p->list_points[k], component = g->component[point];
        const double error = lmbi_learn_bone_error(p, point, bone);
        if (g->seeds[component] == UINT32_MAX || error < g->seed_errors[component]) {
            g->seed_errors[component] = error;
            g->seeds[component] = point;
        }
    }
    for (uint32_t k = first; k < last; ++k) {
        if (g->seeds[g->component[p->list_points[k]]] == p->list_points[k]) {
            push(g, p->list_points[k], bone);
        }
    }
}

/// Reseeds a bone whose seed went to others at its best unassigned point. (After a split the old
/// bone fits nothing well, and the new one, which fits, floods past its seed.)
static void reseed_bone(lmbi_growing *g, const uint32_t *assigned, uint32_t bone)
{
    const lmbi_learn *p = g->p;
    uint32_t best = UINT32_MAX;
    double least = 0;
    for (uint32_t k = p->list_first[bone]; k < p->list_first[bone + 1]; ++k) {
        const uint32_t point = p->list_points[k];
        const double error =
            assigned[point] == UINT32_MAX ? lmbi_learn_bone_error(p, point, bone) : 0;
        if (assigned[point] == UINT32_MAX && (best == UINT32_MAX || error < least)) {
            least = error;
            best = point;
        }
    }
    if (best != UINT32_MAX) {
        push(g, best, bone);
    }
}

/// The bone of least error among those with at least `least_members` points.
static uint32_t best_bone(const lmbi_growing *g, uint32_t point, uint32_t least_members)
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

static void count_members(lmbi_growing *g)
{
    memset(g->members, 0, g->p->opts.bone_count * sizeof *g->members);
    for (uint32_t i = 0; i < g->p->point_count; ++i) {
        ++g->members[g->labels[i]];
    }
}

/// Removes bones with fewer than `least` points; the others keep their order.
static void prune_small_bones(lmbi_growing *g, uint32_t least)
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

uint32_t lmbi_grow_labels(lmbi_growing *g, uint32_t least)
{
    lmbi_learn *p = g->p;
    uint32_t *assigned = g->previous, changed = 0;
    memset(assigned, 0xFF, p->point_count * sizeof *assigned);
    memset(g->members, 0, p->opts.bone_count * sizeof *g->members);
    g->heap_count = 0;
    uint32_t reseeds_left = p->point_count;
    for (uint32_t j = 0; j < p->bone_count; ++j) {
        seed_bone(g, j);
    }
    while (g->heap_count > 0) {
        const lmbi_grow_candidate f = pop(g);
        if (assigned[f.point] != UINT32_MAX) {
            if (g->members[f.bone] == 0 && reseeds_left > 0) {
                --reseeds_left;
                reseed_bone(g, assigned, f.bone);
            }
            continue;
        }
        assigned[f.point] = f.bone;
        ++g->members[f.bone];
        for (uint32_t k = p->neighbour_first[f.point]; k < p->neighbour_first[f.point + 1]; ++k) {
            if (assigned[p->neighbours[k]] == UINT32_MAX) {
                push(g, p->neighbours[k], f.bone);
            }
        }
    }
    for (uint32_t i = 0; i < p->point_count; ++i) {
        assigned[i] = assigned[i] == UINT32_MAX ? best_bone(g, i, 0) : assigned[i];
        changed += assigned[i] != g->labels[i];
    }
    g->previous = g->labels;
    g->labels = assigned;
    count_members(g);
    prune_small_bones(g, least);
    return changed;
}
