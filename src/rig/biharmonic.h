/// Bounded biharmonic weights of nodes that a Laplacian joins (Jacobson, Baran, Popovic, Sorkine
/// 2011): for every handle the smoothest function that is 1 on it, 0 on the others, and never below
/// 0 or above 1.
#ifndef RIG_BIHARMONIC_H
#define RIG_BIHARMONIC_H

#include "limber/base.h"
#include "limber/jobs.h"
#include "linalg/linalg.h"

/// The share that a handle has of a node that is held. A node's shares sum to 1.
typedef struct lmbi_hold {
    uint32_t node, handle;
    double share;
} lmbi_hold;

typedef struct lmbi_biharmonic {
    /// positive semi-definite, rows sum to 0; any unit
    const lmb_sparse *laplacian;
    const double *masses; ///< [size] positive
    /// [size] 1 where the node's own bending is free: held nodes on the border; or NULL
    const uint8_t *hinged;
    const lmbi_hold *holds;
    uint32_t hold_count, handle_count;
    /// ends when rows are off their bounds, and change in a round, by less than this on average; 0
    /// counts as 3e-4, which leaves rows off the exact ones by 0.003
    double tolerance;
    uint32_t most_rounds; ///< 0 counts as 200
    /// every handle by itself to the end, instead of several that keep apart as one
    bool apart;
    const lmb_jobs *jobs;
    const lmb_progress *progress;
} lmbi_biharmonic;

typedef struct lmbi_biharmonic_report {
    uint32_t group_count; ///< handles that were solved for as one count as one
    uint32_t rounds;      ///< of all batches, the most
    size_t entry_count;   ///< of a factor
} lmbi_biharmonic_report;

/// out[size][handle_count] in [0, 1], held nodes as held; rows do not quite sum to 1. Nodes that no
/// handle reaches get 0. Errors: MEMORY; CANCELLED.
lmb_result lmbi_biharmonic_solve(const lmbi_biharmonic *problem, const lmb_allocator *alloc,
                                 float *out, lmbi_biharmonic_report *report, lmb_error *error);

#endif
