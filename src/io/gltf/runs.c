// Where the vertex data of each primitive lies in the mesh's pool. Writers that keep one array of
// vertices give each primitive the stretch that it uses, and stretches overlap: what is one vertex
// in the file's bytes is one in the pool.
#include <stdlib.h>
#include <string.h>

#include "io/gltf/mesh.h"

/// Runs whose stretches of the same arrays overlap, end to end. Places are vertices from the start
/// of the anchor.
typedef struct run_group {
    const lmbi_gltf_vertices *anchor;
    int64_t low, high;
    uint32_t start; ///< in the pool
    bool placed;
} run_group;

typedef struct placed_run {
    lmbi_gltf_vertices *run;
    uint32_t index; ///< in the order of appearance
    uint32_t group;
    int64_t place;
} placed_run;

enum { GROUPS_TRIED = 4 };

/// How many vertices b begins after a, in one attribute. `known` says that *delta is set and must
/// agree.
static bool slot_delta(const lmbi_gltf_accessor *a, const lmbi_gltf_accessor *b, bool *known,
                       int64_t *delta)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    const bool alike = a->stride == b->stride && a->component_type == b->component_type &&
                       a->components == b->components && a->normalized == b->normalized;
    const bool plain = a->data && b->data && a->stride > 0 && !a->sparse_count && !b->sparse_count;
    if (!alike || !plain) {
        return false;
    }
    const int64_t bytes = (int64_t)(uintptr_t)b->data - (int64_t)(uintptr_t)a->data,
                  stride = (int64_t)a->stride;
    if (bytes % stride != 0 || (*known && bytes / stride != *delta)) {
        return false;
    }
    *delta = bytes / stride;
    *known = true;
    return true;
}

static bool slots_delta(const lmbi_gltf_accessor *const *a, const lmbi_gltf_accessor *const *b,
                        uint32_t count, bool *known, int64_t *delta)
{
    for (uint32_t k = 0; k < count; ++k) {
        if (!slot_delta(a[k], b[k], known, delta)) {
            return false;
        }
    }
    return true;
}

/// Whether b is the same data as a, *delta vertices on. Runs with morph targets are left apart.
static bool run_delta(const lmbi_gltf_vertices *a, const lmbi_gltf_vertices *b, int64_t *delta)
{
    bool known = false;
    if (a->targets || b->targets || a->bits != b->bits || a->joint_sets != b->joint_sets) {
        return false;
    }
    return slot_delta(a->position, b->position, &known, delta) &&
           slot_delta(a->normal, b->normal, &known, delta) &&
           slot_delta(a->tangent, b->tangent, &known, delta) &&
           slots_delta(a->uvs, b->uvs, LMB_UV_SETS, &known, delta) &&
           slots_delta(a->colors, b->colors, LMB_COLOR_SETS, &known, delta) &&
           slots_delta(a->joints, b->joints, a->joint_sets, &known, delta) &&
           slots_delta(a->weights, b->weights, a->joint_sets, &known, delta);
}

/// By where the positions begin in memory, so that what overlaps comes together; the index makes
/// the order total.
static int compare_runs(const void *a, const void *b)
{
    const placed_run *first = a, *second = b;
    const uintptr_t p = (uintptr_t)first->run->position->data,
                    q = (uintptr_t)second->run->position->data;
    if (p != q) {
        return p < q ? -1 : 1;
    }
    return first->index < second->index ? -1 : 1;
}

static int compare_indices(const void *a, const void *b)
{
    const placed_run *first = a, *second = b;
    return first->index < second->index ? -1 : 1;
}

/// Puts the run into one of the latest groups, where it overlaps, or into a new one. Only bytes of
/// one buffer overlap.
static void join_group(placed_run *placed, run_group *groups, uint32_t *group_count)
{
    for (uint32_t back = 1; back <= GROUPS_TRIED && back <= *group_count; ++back) {
        run_group *group = &groups[*group_count - back];
        int64_t delta = 0;
        if (!run_delta(group->anchor, placed->run, &delta)) {
            continue;
        }
        const int64_t end = delta + (int64_t)placed->run->count;
        if (delta < group->high && end > group->low) {
            placed->group = *group_count - back;
            placed->place = delta;
            group->low = delta < group->low ? delta : group->low;
            group->high = end > group->high ? end : group->high;
            return;
        }
    }
    placed->group = *group_count;
    placed->place = 0;
    groups[(*group_count)++] =
        (run_group){.anchor = placed->run, .low = 0, .high = (int64_t)placed->run->count};
}

/// Groups take their place in the pool in the order in which the file first names one of their
/// runs.
static uint64_t place_groups(placed_run *placed, uint32_t count, run_group *groups)
{
    uint64_t used = 0;
    for (uint32_t k = 0; k < count; ++k) {
        run_group *group = &groups[placed[k].group];
        if (!group->placed) {
            group->placed = true;
            group->start = (uint32_t)used;
            used += (uint64_t)(group->high - group->low);
        }
        placed[k].run->first = group->start + (uint32_t)(placed[k].place - group->low);
    }
    return used;
}

bool lmbi_gltf_runs_place(lmbi_gltf *g, lmbi_gltf_vertices **runs, uint32_t count,
                          uint64_t *vertex_count)
{
    if (count < 2) {
        return true;
    }
    placed_run *placed = lmbi_gltf_array(g, count, sizeof *placed);
    run_group *groups = lmbi_gltf_array(g, count, sizeof *groups);
    if (placed == NULL || groups == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count; ++k) {
        placed[k] = (placed_run){.run = runs[k], .index = k};
    }
    qsort(placed, count, sizeof *placed, compare_runs);
    uint32_t group_count = 0;
    for (uint32_t k = 0; k < count; ++k) {
        join_group(&placed[k], groups, &group_count);
    }
    qsort(placed, count, sizeof *placed, compare_indices);
    *vertex_count = place_groups(placed, count, groups);
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const lmbi_gltf_vertices *const *first = a, *const *second = b;
    if ((*first)->first != (*second)->first) {
        return (*first)->first < (*second)->first ? -1 : 1;
    }
    return (*first)->count > (*second)->count ? -1 : (*first)->count < (*second)->count;
}

void lmbi_gltf_runs_sort(lmbi_gltf_vertices **runs, uint32_t count)
{
    qsort(runs, count, sizeof *runs, compare_places);
}
