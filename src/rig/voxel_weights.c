/// Geodesic voxel binding (Dionne, de Lasa 2013): distances to the bones through the solid, and
/// weights from them.
#include "geometry/volume.h"
#include "rig/heat.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/ownership.h"
#include "rig/solid.h"

/// Voxels along the longest side; most solid voxels.
enum { ACROSS = 112, MOST_SOLID = 160000 };
/// Bones kept per voxel: weights fall at least with the square of the distance, so farther ones are
/// negligible.
enum { KEPT = 6 };
/// Least distance, in cells, so that the bone's own voxel has a finite weight.
static const float LEAST_DISTANCE = 0.25f;

typedef struct label {
    float distance; ///< in cells
    uint16_t slot;
    bool settled;
} label;

typedef struct labels {
    uint8_t count;
    label items[KEPT]; ///< ascending distance
} labels;

typedef struct entry {
    float distance;
    uint32_t voxel;
    uint32_t slot;
} entry;

typedef struct binder {
    lmbi_heat *heat;
    lmbi_solid solid;
    labels *of;   ///< [solid count]
    entry *queue; ///< binary heap
    size_t queued, capacity;
    float alpha, diagonal;
    uint32_t *farthest; ///< [slot] the joint's bone that reaches farthest
} binder;

float lmbi_voxel_pull(float distance, float alpha)
{
    const float x = (1 - alpha) * distance + alpha * distance * distance;
    return 1 / (x * x);
}

// ------------------------------------------------------------------------------------- the queue

/// A total order, so that ties break the same way everywhere.
static bool before(entry a, entry b)
{
    if (a.distance < b.distance || b.distance < a.distance) {
        return a.distance < b.distance;
    }
    return a.voxel != b.voxel ? a.voxel < b.voxel : a.slot < b.slot;
}

static bool push(binder *b, entry e)
{
    void *items = b->queue;
    const bool room =
        lmbi_grow(b->heat->alloc, &items, &b->capacity, b->queued + 1, sizeof *b->queue);
    b->queue = items;
    if (!room) {
        return false;
    }
    size_t at = b->queued++;
    for (; at > 0 && before(e, b->queue[(at - 1) / 2]); at = (at - 1) / 2) {
        b->queue[at] = b->queue[(at - 1) / 2];
    }
    b->queue[at] = e;
    return true;
}

static entry pop(binder *b)
{
    const entry top = b->queue[0], last = b->queue[--b->queued];
    size_t at = 0;
    for (size_t child = 1; child < b->queued; child = 2 * at + 1) {
        if (child + 1 < b->queued && before(b->queue[child + 1], b->queue[child])) {
            ++child;
        }
        if (!before(b->queue[child], last)) {
            break;
        }
        b->queue[at] = b->queue[child];
        at = child;
    }
    b->queue[at] = last;
    return top;
}

// ------------------------------------------------------------------------------------- the search

/// Offers a voxel a path to a bone. True if it is shorter than the known one.
static bool relax_label(labels *l, uint32_t slot, float distance)
{
    uint32_t at = 0;
    while (at < l->count && l->items[at].slot != slot) {
        ++at;
    }
    if (at < l->count) {
        if (l->items[at].settled || !(distance < l->items[at].distance)) {
            return false;
        }
    } else if (l->count < KEPT) {
        at = l->count++;
    } else if (distance < l->items[KEPT - 1].distance && !l->items[KEPT - 1].settled) {
        at = KEPT - 1;
    } else {
        return false;
    }
    for (; at > 0 && distance < l->items[at - 1].distance; --at) {
        l->items[at] = l->items[at - 1];
    }
    l->items[at] = (label){distance, (uint16_t)slot, false};
    return true;
}

/// Marks a path as final. False if a shorter one was found since.
static bool finalize_label(labels *l, const entry *e)
{
    for (uint32_t k = 0; k < l->count; ++k) {
        if (l->items[k].slot == e->slot) {
            const bool mine = !l->items[k].settled && !(e->distance > l->items[k].distance);
            l->items[k].settled = l->items[k].settled || mine;
            return mine;
        }
    }
    return false;
}

static bool relax_neighbours(binder *b, const entry *e)
{
    static const float lengths[4] = {0, 1, 1.41421356f, 1.73205081f};
    const lmbi_grid *g = &b->solid.grid;
    const uint32_t voxel = b->solid.voxels[e->voxel];
    for (int n = 0; n < 27; ++n) { // the outermost layer is empty, so neighbours are in the grid
        const int x = n % 3 - 1, y = n / 3 % 3 - 1, z = n / 9 - 1;
        const ptrdiff_t to = (ptrdiff_t)voxel + ((ptrdiff_t)z * g->ny + y) * g->nx + x;
        const uint32_t other = b->solid.number[to];
        const float distance = e->distance + lengths[x * x + y * y + z * z];
        if (n != 13 && other != UINT32_MAX && relax_label(&b->of[other], e->slot, distance) &&
            !push(b, (entry){distance, other, e->slot})) {
            return false;
        }
    }
    return true;
}

/// Dijkstra from all bones at once; each voxel keeps its nearest KEPT bones.
static lmb_result find_distances(binder *b, lmb_error *error)
{
    lmbi_bone_voxel *bones;
    uint32_t count;
    lmb_result result =
        lmbi_solid_bones(&b->solid, b->heat, 0.5f, &b->heat->arena, &bones, &count, error);
    bool room = result == LMB_OK;
    for (uint32_t k = 0; room && k < count; ++k) {
        if (relax_label(&b->of[bones[k].voxel], bones[k].slot, 0)) {
            room = push(b, (entry){0, bones[k].voxel, bones[k].slot});
        }
    }
    while (room && b->queued > 0) {
        const entry e = pop(b);
        room = !finalize_label(&b->of[e.voxel], &e) || relax_neighbours(b, &e);
    }
    return result != LMB_OK ? result : room ? LMB_OK : lmbi_fail_memory(error);
}

// ------------------------------------------------------------------------------------ the weights

/// Distances from a vertex's medial point to bones, through the solid voxels around it. A flank is
/// nearer to the arm beside it than to the spine, but surrounds the spine.
static void measure_vertex_distances(const binder *b, lmb_vec3 p, labels *out)
{
    const lmbi_grid *g = &b->solid.grid;
    const uint32_t own = lmbi_solid_at(&b->solid, p);
    out->count = 0;
    if (own == UINT32_MAX) {
        return;
    }
    for (int n = 0; n < 27; ++n) {
        const int x = n % 3 - 1, y = n / 3 % 3 - 1, z = n / 9 - 1;
        const ptrdiff_t at =
            (ptrdiff_t)b->solid.voxels[own] + ((ptrdiff_t)z * g->ny + y) * g->nx + x;
        const uint32_t v = b->solid.number[at];
        if (v == UINT32_MAX) {
            continue;
        }
        const float off = lmb_vec3_distance(lmbi_grid_center(g, (size_t)at), p) / g->cell;
        for (uint32_t k = 0; k < b->of[v].count; ++k) {
            (void)relax_label(out, b->of[v].items[k].slot, b->of[v].items[k].distance + off);
        }
    }
}

/// Reach per slot, as for heat: a chin belongs to the head.
static bool find_reach(binder *b)
{
    const lmbi_heat *heat = b->heat;
    b->farthest = lmbi_arena_array(&b->heat->arena, heat->slot_count, sizeof *b->farthest);
    for (uint32_t k = heat->bones->count; b->farthest && k-- > 0;) {
        b->farthest[heat->slot_of_bone[k]] = k;
    }
    for (uint32_t k = 0; b->farthest && k < heat->bones->count; ++k) {
        uint32_t *bone = &b->farthest[heat->slot_of_bone[k]];
        *bone = heat->reach[k] < heat->reach[*bone] ? k : *bone;
    }
    return b->farthest != NULL;
}

static void weigh_vertices(void *context, size_t begin, size_t end)
{
    const binder *b = context;
    lmbi_heat *heat = b->heat;
    for (size_t v = begin; v < end; ++v) {
        lmb_influence *row = heat->rows + v * heat->row_width;
        labels near = {0};
        measure_vertex_distances(
            b, lmb_vec3_mad(heat->surface->positions[v], heat->normals[v], -heat->depths[v]),
            &near);
        const float cell = b->solid.grid.cell;
        float sum = 0, pulls[KEPT];
        for (uint32_t k = 0; k < near.count; ++k) {
            const float d = fmaxf(near.items[k].distance, LEAST_DISTANCE) * cell;
            const uint32_t slot = near.items[k].slot;
            const float counted = lmbi_reach_distance(heat, b->farthest[slot], d) *
                                  lmbi_claim(heat, slot, (uint32_t)v);
            pulls[k] = heat->strengths[slot] * lmbi_voxel_pull(counted / b->diagonal, b->alpha);
            sum += pulls[k];
        }
        for (uint32_t k = 0; k < near.count; ++k) {
            lmbi_row_insert(row, heat->row_width, near.items[k].slot, pulls[k] / sum);
        }
    }
}

lmb_result lmbi_voxel_weights(lmbi_heat *heat, lmb_error *error)
{
    binder b = {.heat = heat, .alpha = heat->opts.falloff};
    const lmb_box box = lmb_box_of(heat->surface->positions, heat->surface->vertex_count);
    b.diagonal = lmb_vec3_distance(box.low, box.high);
    lmb_result result =
        lmbi_solid_create(heat->surface, ACROSS, MOST_SOLID, &heat->arena, &b.solid, error);
    if (result == LMB_OK) {
        b.of = lmbi_alloc_array(heat->alloc, b.solid.count, sizeof *b.of);
        result = b.of && find_reach(&b) ? find_distances(&b, error) : lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        lmb_parallel_for(heat->opts.jobs, heat->surface->vertex_count, 256, weigh_vertices, &b);
    }
    lmbi_free(heat->alloc, b.queue);
    lmbi_free(heat->alloc, b.of);
    return result;
}
