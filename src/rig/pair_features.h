/// What a learned model knows of a vertex and a joint that may pull it.
#ifndef RIG_PAIR_FEATURES_H
#define RIG_PAIR_FEATURES_H

#include "base/arena.h"
#include "rig/heat.h"

/// Rows of a surface by the shipped solver, and softer and sharper ones, from which candidates and
/// features are made.
typedef struct lmbi_pairs {
    lmbi_heat *heat;                ///< its rows are the shipped solver's
    lmb_influence *soft;            ///< [vertex_count][row_width]
    lmb_influence *sharp;           ///< [vertex_count][row_width]
    struct lmbi_pair_joint *joints; ///< [slot_count]
    float *piece_shares;            ///< [piece][slot] fraction of the piece's weight, by vertices
    float *piece_sizes;             ///< [piece] fraction of the vertices
} lmbi_pairs;

/// Solves for the rows and measures the joints. Needs heat prepared, with claims and rows. Allocates
/// in heat's arena. Errors: MEMORY, CANCELLED.
lmb_result lmbi_pairs_solve(lmbi_heat *heat, lmbi_pairs *out, lmb_error *error);

/// Candidates of a vertex: slots with the largest weight in any of the rows, those nearest to it,
/// and the parent and children of the strongest, at most LMB_WEIGHT_CANDIDATES; their features
/// [candidate][LMB_WEIGHT_FEATURES]. Returns how many.
uint32_t lmbi_pairs_of(const lmbi_pairs *pairs, uint32_t vertex, uint32_t *slots, float *features);

#endif
