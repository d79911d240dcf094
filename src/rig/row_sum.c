#include "rig/row_sum.h"

#include <string.h>

#include "rig/heat.h"

/// Joints left with less than this fraction of the largest weight tied with a dropped joint. They
/// are dropped too: keeping some would favour a side.
static const float TIE_FRACTION = 1e-5f;

/// Subtracts the largest weight that does not fit from all others, so that the selection does not
/// jump between vertices. If all are equal, they stay. Returns how many remain.
static uint32_t subtract_excess(lmb_influence row[LMBI_ROW_WIDTH], uint32_t influences)
{
    float off = row[influences].weight;
    if (!(row[0].weight - off > 0.01f * row[0].weight)) {
        off = 0;
    }
    uint32_t left = 0;
    while (left < influences && row[left].weight - off > TIE_FRACTION * row[0].weight) {
        row[left].weight -= off;
        ++left;
    }
    memset(row + left, 0, (LMBI_ROW_WIDTH - left) * sizeof *row);
    return left;
}

void lmbi_row_sum_store(lmbi_row_sum *s, uint32_t influences, lmb_influence row[LMBI_ROW_WIDTH])
{
    memset(row, 0, LMBI_ROW_WIDTH * sizeof *row);
    for (uint32_t k = 0; k < s->count; ++k) {
        lmbi_row_insert(row, LMBI_ROW_WIDTH, s->touched[k], s->sums[s->touched[k]]);
        s->sums[s->touched[k]] = 0;
    }
    s->count = 0;
    uint32_t count = lmbi_row_count(row);
    if (count > influences) {
        count = subtract_excess(row, influences);
    }
    if (count > 0) {
        lmbi_row_normalize(row, count);
    }
}

lmb_influence *lmbi_table_gather(const lmbi_table *table, const uint32_t *vertex_of,
                                 uint32_t vertex_count, lmbi_arena *arena, uint32_t *longest)
{
    lmb_influence *rows = lmbi_arena_array(arena, vertex_count, LMBI_ROW_WIDTH * sizeof *rows);
    for (uint32_t v = 0; rows && v < table->count; ++v) {
        const lmb_influence *row = table->rows + (size_t)v * LMBI_ROW_WIDTH;
        uint32_t count = lmbi_row_count(row);
        *longest = count > *longest ? count : *longest;
        if (count > 0) {
            memcpy(rows + (size_t)vertex_of[v] * LMBI_ROW_WIDTH, row, LMBI_ROW_WIDTH * sizeof *row);
        }
    }
    return rows;
}
