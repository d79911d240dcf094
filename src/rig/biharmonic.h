/// Bounded biharmonic weights on a graph with a Laplacian (Jacobson, Baran, Popovic, Sorkine 2011):
/// for each handle the smoothest function in [0, 1] that is 1 on the handle and 0 on the others.
#ifndef RIG_BIHARMONIC_H
#define RIG_BIHARMONIC_H

#include "limber/base.h"
#include "limber/jobs.h"
#include "linalg/linalg.h"

/// A handle's weight at a constrained node. The weights of a node sum to 1.
typedef struct lmbi_hold {
    uint32_t node, handle;
    double share;
} lmbi_hold;

typedef struct lmbi_biharmonic {
    /// positive semi-definite, rows sum to 0; any unit
    const lmbi_sparse *laplacian;
    const double *masses; ///< [size] positive
    /// [size] 1 where the node's own bending is free: constrained nodes on the border; or NULL
    const uint8_t *hinged;
    const lmbi_hold *holds;
    uint32_t hold_count, handle_count;
    /// Mean bound violation plus mean change of an iteration to stop at. 0 means 3e-4, which leaves
    /// weights within 0.003 of the exact ones.
    double tolerance;
    uint32_t most_rounds; ///< 0 means 200
    /// solve each handle alone instead of grouping handles with disjoint supports
    bool apart;
    const lmb_jobs *jobs;
    const lmb_progress *progress;
} lmbi_biharmonic;

typedef struct lmbi_biharmonic_report {
    uint32_t group_count; ///< right-hand sides after grouping
    uint32_t rounds;      ///< iterations of the slowest batch
    size_t entry_count;   ///< entries of a factor
} lmbi_biharmonic_report;

/// out[size][handle_count] in [0, 1], exact at constrained nodes; a node's weights sum to 1 only
/// approximately. Nodes not connected to a handle get 0. Errors: MEMORY; CANCELLED.
lmb_result lmbi_biharmonic_solve(const lmbi_biharmonic *problem, const lmb_allocator *alloc,
                                 float *out, lmbi_biharmonic_report *report, lmb_error *error);

#endif
