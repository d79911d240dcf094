/// Accumulates weights per joint to merge rows into one.
#ifndef RIG_ROW_SUM_H
#define RIG_ROW_SUM_H

#include "rig/weights_rows.h"

typedef struct lmbi_row_sum {
    float *sums;       ///< [joint_count] all 0 between rows
    uint32_t *touched; ///< joints whose sum is not 0
    uint32_t count;
} lmbi_row_sum;

static inline bool lmbi_row_sum_init(lmbi_row_sum *s, uint32_t joint_count, lmbi_arena *arena)
{
    *s = (lmbi_row_sum){.sums = lmbi_arena_array(arena, joint_count, sizeof *s->sums),
                        .touched = lmbi_arena_array(arena, joint_count, sizeof *s->touched)};
    return s->sums && s->touched;
}

/// Ignores weights that are not positive.
static inline void lmbi_row_sum_add(lmbi_row_sum *s, uint32_t joint, float weight)
{
    if (!(weight > 0)) {
        return;
    }
    if (s->sums[joint] == 0) {
        s->touched[s->count++] = joint;
    }
    s->sums[joint] += weight;
}

/// Stores the largest `influences` sums as a normalised row, and resets the sums to 0.
void lmbi_row_sum_store(lmbi_row_sum *s, uint32_t influences, lmb_influence row[LMBI_ROW_WIDTH]);

/// The table's rows for the welded surface: [vertex_count][LMBI_ROW_WIDTH]. Of the vertices welded
/// into one, the last with weights counts. `longest` (in and out) grows to the longest row. NULL
/// without memory.
lmb_influence *lmbi_table_gather(const lmbi_table *table, const uint32_t *vertex_of,
                                 uint32_t vertex_count, lmbi_arena *arena, uint32_t *longest);

#endif
