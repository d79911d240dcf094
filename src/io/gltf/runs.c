// Where the vertex run of each primitive lies in the mesh's pool. Some writers keep one vertex array
// and give each primitive the range that it uses. Those ranges overlap: a vertex that is stored once
// in the file is stored once in the pool.
#include <stdlib.h>
#include <string.h>

#include "io/gltf/mesh.h"

/// Runs that overlap in the file's arrays.
typedef struct run_group {
    const lmbi_gltf_vertices *anchor;
    int64_t low, high; ///< range of vertices, counted from the anchor's first
    uint32_t start;    ///< in the pool
    bool has_start;
} run_group;

typedef struct run_entry {
    lmbi_gltf_vertices *run;
    uint32_t index; ///< in the order of appearance
    uint32_t group;
    int64_t offset; ///< from the group's anchor, in vertices
} run_entry;

enum { GROUPS_TRIED = 4 };

/// By how many vertices b begins after a in one attribute; false when they are different arrays or
/// disagree with *delta, which counts if *known.
static bool attribute_offset(const lmbi_gltf_accessor *a, const lmbi_gltf_accessor *b, bool *known,
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

static bool attribute_offsets(const lmbi_gltf_accessor *const *a,
                              const lmbi_gltf_accessor *const *b, uint32_t count, bool *known,
                              int64_t *delta)
{
    for (uint32_t k = 0; k < count; ++k) {
        if (!attribute_offset(a[k], b[k], known, delta)) {
            return false;
        }
    }
    return true;
}

/// Whether b's data are a's, *delta vertices further on. Runs with morph targets never share.
static bool run_offset(const lmbi_gltf_vertices *a, const lmbi_gltf_vertices *b, int64_t *delta)
{
    bool known = false;
    if (a->targets || b->targets || a->bits != b->bits || a->joint_sets != b->joint_sets) {
        return false;
    }
    return attribute_offset(a->position, b->position, &known, delta) &&
           attribute_offset(a->normal, b->normal, &known, delta) &&
           attribute_offset(a->tangent, b->tangent, &known, delta) &&
           attribute_offsets(a->uvs, b->uvs, LMB_UV_SETS, &known, delta) &&
           attribute_offsets(a->colors, b->colors, LMB_COLOR_SETS, &known, delta) &&
           attribute_offsets(a->joints, b->joints, a->joint_sets, &known, delta) &&
           attribute_offsets(a->weights, b->weights, a->joint_sets, &known, delta);
}

/// By the address of the positions, so that overlapping runs are neighbours; the index makes the
/// order total.
static int compare_runs(const void *a, const void *b)
{
    const run_entry *first = a, *second = b;
    const uintptr_t p = (uintptr_t)first->run->position->data,
                    q = (uintptr_t)second->run->position->data;
    if (p != q) {
        return p < q ? -1 : 1;
    }
    return first->index < second->index ? -1 : 1;
}

static int compare_indices(const void *a, const void *b)
{
    const run_entry *first = a, *second = b;
    return first->index < second->index ? -1 : 1;
}

/// Adds the run to one of the last groups, if it overlaps that, or to a new group.
static void join_group(run_entry *entry, run_group *groups, uint32_t *group_count)
{
    for (uint32_t back = 1; back <= GROUPS_TRIED && back <= *group_count; ++back) {
        run_group *group = &groups[*group_count - back];
        int64_t delta = 0;
        if (!run_offset(group->anchor, entry->run, &delta)) {
            continue;
        }
        const int64_t end = delta + (int64_t)entry->run->count;
        if (delta < group->high && end > group->low) {
            entry->group = *group_count - back;
            entry->offset = delta;
            group->low = delta < group->low ? delta : group->low;
            group->high = end > group->high ? end : group->high;
            return;
        }
    }
    entry->group = *group_count;
    entry->offset = 0;
    groups[(*group_count)++] =
        (run_group){.anchor = entry->run, .low = 0, .high = (int64_t)entry->run->count};
}

/// Lays out groups in the pool in the order in which the file first names one of their runs.
/// Returns the pool's size.
static uint64_t layout_groups(run_entry *entries, uint32_t count, run_group *groups)
{
    uint64_t used = 0;
    for (uint32_t k = 0; k < count; ++k) {
        run_group *group = &groups[entries[k].group];
        if (!group->has_start) {
            group->has_start = true;
            group->start = (uint32_t)used;
            used += (uint64_t)(group->high - group->low);
        }
        entries[k].run->first = group->start + (uint32_t)(entries[k].offset - group->low);
    }
    return used;
}

bool lmbi_gltf_runs_layout(lmbi_gltf *g, lmbi_gltf_vertices **runs, uint32_t count,
                           uint64_t *vertex_count)
{
    if (count < 2) {
        return true;
    }
    run_entry *entries = lmbi_gltf_array(g, count, sizeof *entries);
    run_group *groups = lmbi_gltf_array(g, count, sizeof *groups);
    if (entries == NULL || groups == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < count; ++k) {
        entries[k] = (run_entry){.run = runs[k], .index = k};
    }
    qsort(entries, count, sizeof *entries, compare_runs);
    uint32_t group_count = 0;
    for (uint32_t k = 0; k < count; ++k) {
        join_group(&entries[k], groups, &group_count);
    }
    qsort(entries, count, sizeof *entries, compare_indices);
    *vertex_count = layout_groups(entries, count, groups);
    return true;
}

static int compare_firsts(const void *a, const void *b)
{
    const lmbi_gltf_vertices *const *first = a, *const *second = b;
    if ((*first)->first != (*second)->first) {
        return (*first)->first < (*second)->first ? -1 : 1;
    }
    return (*first)->count > (*second)->count ? -1 : (*first)->count < (*second)->count;
}

void lmbi_gltf_runs_sort(lmbi_gltf_vertices **runs, uint32_t count)
{
    qsort(runs, count, sizeof *runs, compare_firsts);
}
