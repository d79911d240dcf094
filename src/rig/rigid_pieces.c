/// Armour, props, eyes: what is a piece of its own, and follows one joint nearly, follows it alone.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/heat.h"

/// Of a piece's weight this share belongs to one joint.
static const double MOST_OF_IT = 0.7;

static void add_rows(const lmbi_heat *heat, const uint32_t *piece_of, double *sums, double *totals)
{
    for (uint32_t v = 0; v < heat->surface->vertex_count; ++v) {
        const lmb_influence *row = heat->rows + (size_t)v * heat->row_width;
        double *piece = sums + (size_t)piece_of[v] * heat->slot_count;
        for (uint32_t k = 0; k < heat->row_width && row[k].weight > 0; ++k) {
            piece[row[k].joint] += (double)row[k].weight;
            totals[piece_of[v]] += (double)row[k].weight;
        }
    }
}

/// The joint that has most of each piece, UINT32_MAX where none has enough.
static uint32_t choose(const lmbi_heat *heat, uint32_t pieces, const double *sums,
                       const double *totals, uint32_t *slots)
{
    uint32_t rigid = 0;
    for (uint32_t p = 0; p < pieces; ++p) {
        const double *piece = sums + (size_t)p * heat->slot_count;
        uint32_t best = 0;
        for (uint32_t s = 1; s < heat->slot_count; ++s) {
            best = piece[s] > piece[best] ? s : best;
        }
        // what is carried along follows what it sits on, whatever moves that
        const bool carried = heat->piece_kinds && heat->piece_kinds[p] == LMBI_PIECE_SMALL;
        const bool follows = !carried && totals[p] > 0 && piece[best] >= MOST_OF_IT * totals[p];
        slots[p] = follows ? best : UINT32_MAX;
        rigid += follows ? 1 : 0;
    }
    return rigid;
}

static lmb_result settle(lmbi_heat *heat, const uint32_t *piece_of, uint32_t pieces,
                         lmb_error *error)
{
    double *sums = lmbi_alloc_array(heat->alloc, (size_t)pieces * heat->slot_count, sizeof *sums);
    double *totals = lmbi_alloc_array(heat->alloc, pieces, sizeof *totals);
    uint32_t *slots = lmbi_alloc_array(heat->alloc, pieces, sizeof *slots);
    const bool room = sums && totals && slots;
    if (room) {
        add_rows(heat, piece_of, sums, totals);
        heat->report.rigid_count = choose(heat, pieces, sums, totals, slots);
    }
    for (uint32_t v = 0; room && v < heat->surface->vertex_count; ++v) {
        lmb_influence *row = heat->rows + (size_t)v * heat->row_width;
        if (slots[piece_of[v]] != UINT32_MAX) {
            memset(row, 0, heat->row_width * sizeof *row);
            row[0] = (lmb_influence){slots[piece_of[v]], 1.0f};
        }
    }
    lmbi_free(heat->alloc, slots);
    lmbi_free(heat->alloc, totals);
    lmbi_free(heat->alloc, sums);
    return room ? LMB_OK : lmbi_fail_memory(error);
}

lmb_result lmbi_rigid_pieces(lmbi_heat *heat, lmb_error *error)
{
    uint32_t pieces = 0;
    uint32_t *piece_of =
        lmbi_alloc_array(heat->alloc, heat->surface->vertex_count, sizeof *piece_of);
    if (!piece_of) {
        return lmbi_fail_memory(error);
    }
    lmb_result result =
        lmb_surface_components(heat->surface, heat->alloc, piece_of, &pieces, error);
    heat->report.component_count = pieces;
    if (result == LMB_OK && pieces > 1 && heat->slot_count > 1) {
        result = settle(heat, piece_of, pieces, error);
    }
    lmbi_free(heat->alloc, piece_of);
    return result;
}
