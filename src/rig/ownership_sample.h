/// Choices of vertices between joints, to learn from who owns what.
#ifndef RIG_OWNERSHIP_SAMPLE_H
#define RIG_OWNERSHIP_SAMPLE_H

#include "base/arena.h"
#include "rig/ownership.h"

/// Joints offered to each vertex at most.
enum { LMBI_OFFERED = 12 };

/// For each sampled vertex the nearest joints whose bones it sees (all of the nearest where it sees
/// none), with what lmbi_ownership_claim looks at. All arrays in the arena.
typedef struct lmbi_ownership_samples {
    uint32_t vertex_count, pair_count;
    uint32_t *vertices; ///< [vertex_count] of the surface
    float *areas;       ///< [vertex_count] their share of the skin
    uint32_t *first;    ///< [vertex_count + 1] into the pairs
    uint32_t *joints;   ///< [pair_count] in the skeleton
    float *features;    ///< [pair_count][LMBI_OWNERSHIP_FEATURES]
} lmbi_ownership_samples;

/// Samples at most `most` vertices, evenly over their order. Errors: as lmbi_heat_prepare.
lmb_result lmbi_ownership_sample(const lmb_surface *surface, const lmb_bones *bones, uint32_t most,
                                 lmbi_arena *arena, lmbi_ownership_samples *out, lmb_error *error);

#endif
