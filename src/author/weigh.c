#include "author/author.h"

#include <string.h>

#include "base/error.h"
#include "embed/shape/shape.h"
#include "geometry/tree.h"
#include "rig/rig.h"
#include "rig/weights_rows.h"

/// Bones of the embedding, as a skeleton without rotations.
static lmb_result bones_of(const lmb_embedding *e, const lmbi_tree *tree,
                           const lmb_allocator *alloc, lmbi_bones **out, lmb_error *error)
{
    int32_t parents[LMB_EMBEDDING_JOINTS];
    lmb_transform rest[LMB_EMBEDDING_JOINTS];
    const char *names[LMB_EMBEDDING_JOINTS];
    lmb_vec3 tips[LMB_EMBEDDING_JOINTS];
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        parents[j] = e->parents[j];
        rest[j] = lmb_transform_identity();
        rest[j].translation = parents[j] == LMB_NONE
                                  ? e->joints[j]
                                  : lmb_vec3_sub(e->joints[j], e->joints[parents[j]]);
        names[j] = e->names[j];
        tips[j] = lmb_vec3_sub(e->tips[j], e->joints[j]);
    }
    lmb_skeleton skeleton = {.joint_count = e->joint_count,
                             .parents = parents,
                             .rest = rest,
                             .names = names,
                             .tips = tips};
    return lmbi_bones_create(&(lmbi_bones_def){.skeleton = &skeleton, .tree = tree}, alloc, out,
                             error);
}

/// Copies the rows to all vertices, and binds plates under the feet to the first joint.
static lmb_result spread_above_base(const lmb_surface *surface, const lmb_embedding *embedding,
                                    const lmb_weights *weights, lmbi_arena *arena,
                                    lmb_influences *out, lmb_weights_report *report,
                                    lmb_error *error)
{
    const uint32_t n = surface->part_vertex_count;
    uint8_t *base = lmbi_arena_array(arena, surface->vertex_count, 1);
    uint32_t *first = lmbi_arena_array(arena, (size_t)n + 1, sizeof *first), count = 0;
    if (!base || !first) {
        return lmbi_fail_memory(error);
    }
    lmb_result result =
        lmbi_slab_find_vertices(surface, embedding, arena->alloc, base, &count, error);
    if (result == LMB_OK) {
        result = lmbi_rows_unweld(weights, surface->vertex_of, n, arena, out, error);
    }
    if (result != LMB_OK || count == 0) {
        return result;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; ++i) { // in place: rows only become shorter
        const uint32_t begin = out->first[i], size = out->first[i + 1] - begin;
        const bool still = base[surface->vertex_of[i]];
        first[i] = at;
        memmove(out->items + at, out->items + begin, size * sizeof *out->items);
        if (still) {
            out->items[at] = (lmb_influence){0, 1};
        }
        at += still ? 1 : size;
    }
    first[n] = at;
    out->first = first;
    report->base_count = count;
    return LMB_OK;
}

lmb_result lmbi_weigh(const lmb_embedding *embedding, const lmb_surface_part *parts,
                      uint32_t part_count, const lmb_weights_opts *opts, lmbi_arena *arena,
                      lmb_influences *out, lmb_weights_report *report, lmb_error *error)
{
    lmb_surface *surface = NULL;
    lmbi_bones *bones = NULL;
    lmb_weights *weights = NULL;
    lmb_result result = lmb_surface_create(parts, part_count, NULL, arena->alloc, &surface, error);
    if (result == LMB_OK) { // leaves of an embedding have tips, so no tree is needed
        result = bones_of(embedding, NULL, arena->alloc, &bones, error);
    }
    if (result == LMB_OK) {
        result = lmbi_weights_create(surface, bones, opts, arena->alloc, &weights, report, error);
    }
    if (result == LMB_OK) {
        result = spread_above_base(surface, embedding, weights, arena, out, report, error);
    }
    lmb_weights_destroy(weights);
    lmbi_bones_destroy(bones);
    lmb_surface_destroy(surface);
    return result;
}
