/// Seams between parts that were not welded: vertices that coincide within rounding get one row.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/surface_math.h"
#include "rig/heat.h"

/// Tolerance as a fraction of the size: float error of a position after two matrices.
static const float ROUNDING = 2e-6f;

typedef struct seam {
    lmbi_heat *heat;
    uint32_t *position_of; ///< [vertex_count]
    uint32_t *first;       ///< [vertex_count + 1] into the members of each position
    uint32_t *members;
    float *sums; ///< [slot_count]
} seam;

static void list_members(seam *s, uint32_t n)
{
    for (uint32_t v = 0; v < n; ++v) {
        ++s->first[s->position_of[v] + 2];
    }
    for (uint32_t p = 0; p < n; ++p) {
        s->first[p + 2] += s->first[p + 1];
    }
    for (uint32_t v = 0; v < n; ++v) {
        s->members[s->first[s->position_of[v] + 1]++] = v;
    }
}

static bool has_block(const lmbi_heat *heat, const uint32_t *members, uint32_t count)
{
    bool found = false;
    for (uint32_t i = 0; i < count && !found; ++i) {
        found = heat->piece_block[heat->piece_of_vertex[members[i]]];
    }
    return found;
}

/// Gives all vertices of a position the mean of their rows.
static void close_position(const seam *s, const uint32_t *members, uint32_t count)
{
    const lmbi_heat *heat = s->heat;
    const size_t width = heat->row_width;
    lmb_influence out[LMBI_WIDEST] = {{0}};
    for (uint32_t i = 0; i < count; ++i) {
        const lmb_influence *row = heat->rows + members[i] * width;
        for (uint32_t k = 0; k < width && row[k].weight > 0; ++k) {
            s->sums[row[k].joint] += row[k].weight;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        const lmb_influence *row = heat->rows + members[i] * width;
        for (uint32_t k = 0; k < width && row[k].weight > 0; ++k) {
            lmbi_row_insert(out, (uint32_t)width, row[k].joint, s->sums[row[k].joint]);
            s->sums[row[k].joint] = 0;
        }
    }
    uint32_t kept = 0;
    while (kept < width && out[kept].weight > 0) {
        ++kept;
    }
    lmbi_row_normalize(out, kept);
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(heat->rows + members[i] * width, out, width * sizeof *out);
    }
}

lmb_result lmbi_heat_close_seams(lmbi_heat *heat, lmb_error *error)
{
    const uint32_t n = heat->surface->vertex_count;
    if (heat->machine || heat->piece_count < 2) {
        return LMB_OK; // parts of machines may separate
    }
    seam s = {.heat = heat};
    s.position_of = lmbi_alloc_array(heat->alloc, n, sizeof *s.position_of);
    s.first = lmbi_alloc_array(heat->alloc, (size_t)n + 2, sizeof *s.first);
    s.members = lmbi_alloc_array(heat->alloc, n, sizeof *s.members);
    s.sums = lmbi_alloc_array(heat->alloc, heat->slot_count, sizeof *s.sums);
    uint32_t position_count = 0;
    lmb_result result = s.position_of && s.first && s.members && s.sums
                            ? lmbi_weld(heat->surface->positions, n, ROUNDING * heat->size,
                                        heat->alloc, s.position_of, &position_count, error)
                            : lmbi_fail_memory(error);
    if (result == LMB_OK && position_count < n) {
        list_members(&s, n);
        for (uint32_t p = 0; p < position_count; ++p) {
            const uint32_t count = s.first[p + 1] - s.first[p];
            // Blocks that lie flush part rather than shear.
            if (count > 1 && !has_block(heat, s.members + s.first[p], count)) {
                close_position(&s, s.members + s.first[p], count);
            }
        }
    }
    lmbi_free(heat->alloc, s.sums);
    lmbi_free(heat->alloc, s.members);
    lmbi_free(heat->alloc, s.first);
    lmbi_free(heat->alloc, s.position_of);
    return result;
}
