/// Small hidden pieces follow the piece they are attached to, rigidly.
#include <string.h>

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/tree.h"
#include "rig/heat.h"

static const float ALIKE = 1.001f;

typedef struct inherit {
    lmbi_heat *heat;
    lmb_surface donors; ///< the triangles of all other pieces
    lmbi_tree *tree;
    float *sums; ///< [slot_count]
} inherit;

static bool is_small(const lmbi_heat *heat, uint32_t piece)
{
    return heat->piece_kinds[piece] == LMBI_PIECE_SMALL;
}

static lmb_result build_donor_tree(inherit *in, lmb_error *error)
{
    const lmb_surface *s = in->heat->surface;
    in->donors = (lmb_surface){.vertex_count = s->vertex_count, .positions = s->positions};
    in->donors.triangles =
        lmbi_alloc_array(in->heat->alloc, s->triangle_count, 3 * sizeof(uint32_t));
    in->sums = lmbi_alloc_array(in->heat->alloc, in->heat->slot_count, sizeof *in->sums);
    if (!in->donors.triangles || !in->sums) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        if (!is_small(in->heat, in->heat->piece_of_triangle[t])) {
            memcpy(in->donors.triangles + 3 * (size_t)in->donors.triangle_count++,
                   s->triangles + 3 * (size_t)t, 3 * sizeof(uint32_t));
        }
    }
    return lmbi_tree_create(&in->donors, in->heat->alloc, &in->tree, error);
}

static void add_row(inherit *in, uint32_t v, float weight_scale)
{
    const lmb_influence *row = in->heat->rows + (size_t)v * in->heat->row_width;
    for (uint32_t k = 0; k < in->heat->row_width && row[k].weight > 0; ++k) {
        in->sums[row[k].joint] += weight_scale * row[k].weight;
    }
}

/// Keeps the joint of the largest sum only: a machine's part follows one joint. The first joint
/// wins near-equal sums, whatever the rounding.
static void keep_largest_joint(const lmbi_heat *heat, float *sums)
{
    uint32_t best = 0;
    for (uint32_t s = 1; s < heat->slot_count; ++s) {
        best = sums[s] > ALIKE * sums[best] ? s : best;
    }
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        sums[s] = s == best ? 1.0f : 0.0f;
    }
}

/// Gives a piece one row: the mean of the donors' rows nearest to its vertices.
static void inherit_row(inherit *in, const uint32_t *vertices, uint32_t count)
{
    lmbi_heat *heat = in->heat;
    bool found = false;
    memset(in->sums, 0, heat->slot_count * sizeof *in->sums);
    for (uint32_t i = 0; i < count; ++i) {
        lmbi_closest c =
            lmbi_tree_closest(in->tree, heat->surface->positions[vertices[i]], INFINITY);
        for (uint32_t k = 0; c.triangle != UINT32_MAX && k < 3; ++k) {
            add_row(in, in->donors.triangles[3 * (size_t)c.triangle + k],
                    c.barycentric[k] / (float)count);
            found = true;
        }
    }
    if (heat->machine && found) {
        keep_largest_joint(heat, in->sums);
    }
    for (uint32_t i = 0; found && i < count; ++i) { // nothing near: the solver's rows stay
        lmb_influence *row = heat->rows + (size_t)vertices[i] * heat->row_width;
        memset(row, 0, heat->row_width * sizeof *row);
        for (uint32_t slot = 0; slot < heat->slot_count; ++slot) {
            lmbi_row_insert(row, heat->row_width, slot, in->sums[slot]);
        }
    }
}

/// Lists the vertices piece by piece: [first[p], first[p + 1]) of piece p.
static void list_pieces(const lmbi_heat *heat, uint32_t *first, uint32_t *vertices)
{
    uint32_t n = heat->surface->vertex_count;
    for (uint32_t v = 0; v < n; ++v) {
        ++first[heat->piece_of_vertex[v] + 2];
    }
    for (uint32_t p = 0; p < heat->piece_count; ++p) {
        first[p + 2] += first[p + 1];
    }
    for (uint32_t v = 0; v < n; ++v) {
        vertices[first[heat->piece_of_vertex[v] + 1]++] = v;
    }
}

lmb_result lmbi_heat_inherit(lmbi_heat *heat, lmb_error *error)
{
    if (!heat->report.inherited_count) {
        return LMB_OK;
    }
    inherit in = {.heat = heat};
    uint32_t *first = lmbi_alloc_array(heat->alloc, (size_t)heat->piece_count + 2, sizeof *first);
    uint32_t *vertices =
        lmbi_alloc_array(heat->alloc, heat->surface->vertex_count, sizeof *vertices);
    lmb_result result = first && vertices ? build_donor_tree(&in, error) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        list_pieces(heat, first, vertices);
        for (uint32_t p = 0; p < heat->piece_count; ++p) {
            if (is_small(heat, p)) {
                inherit_row(&in, vertices + first[p], first[p + 1] - first[p]);
            }
        }
    }
    lmbi_tree_destroy(in.tree);
    lmbi_free(heat->alloc, in.sums);
    lmbi_free(heat->alloc, in.donors.triangles);
    lmbi_free(heat->alloc, vertices);
    lmbi_free(heat->alloc, first);
    return result;
}
