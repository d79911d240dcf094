/// Interpolates rows for vertices that have none.
#ifndef RIG_WEIGHTS_FILL_H
#define RIG_WEIGHTS_FILL_H

#include "rig/row_sum.h"

typedef struct lmbi_fill {
    const lmb_surface *surface;
    /// [vertex_count] 1 where the row is given; each connected piece has at least one
    const uint8_t *known;
    lmb_influence *rows; ///< [vertex_count][LMBI_ROW_WIDTH], unknown rows are written
    uint32_t joint_count;
    uint32_t influences; ///< most influences of a written row
} lmbi_fill;

/// For each joint the function of least bending and a little stretching that passes through the
/// known rows with their slopes: (L M^-1 L + t L) w = 0 at unknown vertices (Abdrashitov,
/// Raichstat, Monsen, Hill 2023). Undershoot below 0 is dropped; rows sum to 1. Errors: MEMORY.
lmb_result lmbi_fill_rows(const lmbi_fill *fill, const lmb_allocator *alloc, lmb_error *error);

typedef struct lmbi_soften {
    const lmbi_fill *fill; ///< with all rows filled
    float reach; ///< known rows within this distance of filled ones, along edges, change too
    uint32_t rounds;
} lmbi_soften;

/// Moves rows `rounds` times toward the mean of their neighbours, as the paper does after filling.
/// Errors: MEMORY.
lmb_result lmbi_soften_rows(const lmbi_soften *in, lmbi_row_sum *sum, lmbi_arena *arena,
                            lmb_error *error);

#endif
