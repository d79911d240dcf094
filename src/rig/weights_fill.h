/// Rows for vertices that have none, from those around them.
#ifndef RIG_WEIGHTS_FILL_H
#define RIG_WEIGHTS_FILL_H

#include "rig/row_sum.h"

typedef struct lmbi_fill {
    const lmb_surface *surface;
    /// [vertex_count] 1 where the row stands; each connected piece has one at least
    const uint8_t *known;
    lmb_influence *rows; ///< [vertex_count][LMBI_ROW_WIDTH], those that are not known are written
    uint32_t joint_count;
    uint32_t influences; ///< most of a written row
} lmbi_fill;

/// For every joint the function that bends least (a little tension beside) and passes through the
/// known rows with their slopes: (L M^-1 L + t L) w = 0 at each vertex that is not known
/// (Abdrashitov, Raichstat, Monsen, Hill 2023). What swings below 0 is cut off; rows sum to 1.
/// Errors: MEMORY.
lmb_result lmbi_fill_rows(const lmbi_fill *fill, const lmb_allocator *alloc, lmb_error *error);

typedef struct lmbi_soften {
    const lmbi_fill *fill; ///< done
    float reach;           ///< known rows so near to filled ones, along edges, change too
    uint32_t rounds;
} lmbi_soften;

/// `rounds` steps to the mean of the neighbours, as the same paper does after filling. Errors:
/// MEMORY.
lmb_result lmbi_soften_rows(const lmbi_soften *in, lmbi_row_sum *sum, lmbi_arena *arena,
                            lmb_error *error);

#endif
