/// Packs the smoothing result of direct delta mush by point: selects the strongest joints and
/// normalises.
#include <stddef.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "skin/binding.h"
#include "skin/mush.h"

// ----------------------------------------------------------------------------------------- binding
// Variants v4 and v5 of direct delta mush (Le and Lewis 2019): one smoothed weight per joint,
// evaluated by other deformers.

/// Expands the rows of the points to the vertices.
static void expand_rows(const lmbi_mush_rows *rows, uint32_t *first, lmb_influence *items)
{
    for (uint32_t v = 0; v < rows->vertex_count; ++v) {
        const uint32_t begin = rows->first[rows->point_of[v]];
        const uint32_t count = rows->first[rows->point_of[v] + 1] - begin;
        for (uint32_t k = 0; k < count; ++k) {
            items[first[v] + k] =
                (lmb_influence){rows->joints[begin + k], rows->items[begin + k].weight};
        }
        first[v + 1] = first[v] + count;
    }
}

static bool keep_smoothed_centers(const lmbi_mush_rows *rows, lmb_mush *mush)
{
    const lmb_allocator *alloc = &mush->allocator;
    lmb_centers centers = {.vertex_count = rows->vertex_count};
    centers.positions = lmbi_alloc_array(alloc, rows->vertex_count, sizeof(lmb_vec3));
    if (centers.positions == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < rows->vertex_count; ++v) {
        centers.positions[v] = rows->smoothed[rows->point_of[v]];
    }
    const bool kept = lmb_binding_keep_centers(mush->binding, &centers, NULL) == LMB_OK;
    lmbi_free(alloc, centers.positions);
    return kept;
}

static bool bind_mush(const lmbi_mush_rows *rows, const lmb_mesh *mesh, lmb_mush *mush)
{
    const lmb_allocator *alloc = &mush->allocator;
    uint32_t *first = lmbi_alloc_array(alloc, (size_t)rows->vertex_count + 1, sizeof(*first));
    lmb_influence *items = lmbi_alloc_array(alloc, mush->influence_count, sizeof(*items));
    bool made = first != NULL && items != NULL && mush->influence_count <= UINT32_MAX;
    if (made) {
        expand_rows(rows, first, items);
        lmb_mesh smoothed = *mesh;
        smoothed.influences.first = first;
        smoothed.influences.items = items;
        made = lmbi_binding_create(&smoothed, rows->joint_count, true, alloc, &mush->binding,
                                   NULL) == LMB_OK &&
               (mush->variant != LMB_MUSH_V4 || keep_smoothed_centers(rows, mush));
    }
    lmbi_free(alloc, first);
    lmbi_free(alloc, items);
    return made;
}

// ----------------------------------------------------------------------------------------- packing

void lmbi_mush_scale(lmbi_mush_item *item, float scale)
{
    item->weight *= scale;
    for (int i = 0; i < 3; ++i) {
        item->mean[i] *= scale;
    }
    for (int i = 0; i < 6; ++i) {
        item->spread[i] *= scale;
    }
}

/// By descending weight; of equal weights the lower joint first, the order of the records.
static uint32_t pick_strongest(const lmbi_mush_record *records, const uint32_t *order,
                               uint32_t count, uint32_t most, uint32_t *out)
{
    uint32_t size = 0;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t at = size < most ? size++ : most;
        while (at > 0 && records[out[at - 1]].item.weight < records[order[k]].item.weight) {
            if (at < most) {
                out[at] = out[at - 1];
            }
            --at;
        }
        if (at < most) {
            out[at] = order[k];
        }
    }
    return size;
}

/// After pruning, normalises the weights to 1 and re-centres the moments on the remaining mean, so
/// that a mesh at rest stays exactly in place.
static void normalize_row(lmbi_mush_item *items, uint32_t count, lmb_vec3 *smoothed_position)
{
    double weight = 0, mean[3] = {0}, trace = 0;
    for (uint32_t k = 0; k < count; ++k) {
        weight += (double)items[k].weight;
    }
    for (uint32_t k = 0; k < count; ++k) {
        lmbi_mush_scale(&items[k], (float)(1 / weight));
        for (int i = 0; i < 3; ++i) {
            mean[i] += (double)items[k].mean[i];
            trace += (double)items[k].spread[i];
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            items[k].mean[i] -= (float)((double)items[k].weight * mean[i]);
        }
    }
    *smoothed_position =
        lmb_vec3_make(smoothed_position->x + (float)mean[0], smoothed_position->y + (float)mean[1],
                      smoothed_position->z + (float)mean[2]);
    // If the neighbourhood is a line or a point, its second moment leaves the rotation
    // undetermined. A small multiple of the weights' own blend of rotations determines it.
    const float regularization = (float)(1e-4 * trace + 1e-20);
    for (uint32_t k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            items[k].spread[i] += regularization * items[k].weight;
        }
    }
}

typedef struct packing {
    lmbi_mush_rows made;
    uint32_t *record_first, *order; ///< the records of each point, in order
    uint32_t *picked;               ///< of the current point
} packing;

static void group_records(const lmbi_mush_smoothing *s, packing *p)
{
    const uint32_t count = s->points->surface->vertex_count;
    for (size_t r = 0; r < s->record_count; ++r) {
        ++p->record_first[s->records[r].point];
    }
    for (uint32_t i = 0, total = 0; i <= count; ++i) {
        const uint32_t size = i < count ? p->record_first[i] : 0;
        p->record_first[i] = total;
        total += size;
    }
    for (size_t r = 0; r < s->record_count; ++r) {
        p->order[p->record_first[s->records[r].point]++] = (uint32_t)r;
    }
    for (uint32_t i = count; i > 0; --i) {
        p->record_first[i] = p->record_first[i - 1];
    }
    p->record_first[0] = 0;
}

static void pack_point(const lmbi_mush_smoothing *s, packing *p, uint32_t i)
{
    lmbi_mush_rows *made = &p->made;
    const uint32_t begin = p->record_first[i], count = p->record_first[i + 1] - begin;
    const uint32_t most = s->influences > 0 ? s->influences : UINT32_MAX;
    const uint32_t size = pick_strongest(s->records, p->order + begin, count, most, p->picked);
    const uint32_t first = made->first[i];
    for (uint32_t k = 0; k < size; ++k) {
        made->joints[first + k] = s->records[p->picked[k]].joint;
        made->items[first + k] = s->records[p->picked[k]].item;
    }
    made->first[i + 1] = first + size;
    if (size == 0) { // hundreds of joints, all below the least weight
        made->joints[first] = (uint16_t)s->points->rows[s->points->first[i]].joint;
        made->items[first].weight = 1;
        made->first[i + 1] = first + 1;
    }
    normalize_row(made->items + first, made->first[i + 1] - first, &made->smoothed[i]);
}

static lmb_mush *create_mush(const lmbi_mush_smoothing *s, const lmbi_mush_rows *rows,
                             const lmb_mesh *mesh, const lmb_allocator *alloc)
{
    lmb_mush *mush = lmbi_alloc(alloc, sizeof(*mush));
    if (mush == NULL) {
        return NULL;
    }
    mush->allocator = alloc != NULL ? *alloc : (lmb_allocator){0};
    mush->variant = s->variant;
    mush->vertex_count = rows->vertex_count;
    for (uint32_t v = 0; v < rows->vertex_count; ++v) {
        const uint32_t point = rows->point_of[v];
        mush->influence_count += rows->first[point + 1] - rows->first[point];
    }
    const bool is_bound = s->variant == LMB_MUSH_V4 || s->variant == LMB_MUSH_V5;
    if (!(is_bound ? bind_mush : lmbi_mush_compile)(rows, mesh, mush)) {
        lmb_mush_destroy(mush);
        return NULL;
    }
    return mush;
}

lmb_mush *lmbi_mush_pack(const lmbi_mush_smoothing *s, const lmb_mesh *mesh, lmbi_arena *arena,
                         const lmb_allocator *alloc)
{
    const uint32_t count = s->points->surface->vertex_count;
    packing p = {.made = {.joint_count = s->points->joint_count,
                          .point_count = count,
                          .vertex_count = s->points->surface->part_vertex_count,
                          .point_of = s->points->surface->vertex_of,
                          .smoothed = s->smoothed}};
    p.record_first = lmbi_arena_array(arena, (size_t)count + 1, sizeof(uint32_t));
    p.order = lmbi_arena_array(arena, s->record_count, sizeof(uint32_t));
    p.picked = lmbi_arena_array(arena, s->points->joint_count + 1u, sizeof(uint32_t));
    p.made.first = lmbi_arena_array(arena, (size_t)count + 1, sizeof(uint32_t));
    p.made.joints = lmbi_arena_array(arena, s->record_count + count, sizeof(uint16_t));
    p.made.items = lmbi_arena_array(arena, s->record_count + count, sizeof(lmbi_mush_item));
    if (!p.record_first || !p.order || !p.picked || !p.made.first || !p.made.joints ||
        !p.made.items || s->record_count + count > UINT32_MAX) {
        return NULL;
    }
    group_records(s, &p);
    for (uint32_t i = 0; i < count; ++i) {
        pack_point(s, &p, i);
    }
    return create_mush(s, &p.made, mesh, alloc);
}
