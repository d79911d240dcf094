/// Variants v4 and v5 of direct delta mush (Le and Lewis 2019): one smoothed weight per joint,
/// evaluated by other deformers.
#include "base/alloc.h"
#include "skin/binding.h"
#include "skin/mush.h"

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

bool lmbi_mush_bind(const lmbi_mush_rows *rows, const lmb_mesh *mesh, lmb_mush *mush)
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
