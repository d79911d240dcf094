/// Plans the layout of a binding: which vertices form runs and which are loose.
#ifndef SKIN_BINDING_PLAN_H
#define SKIN_BINDING_PLAN_H

#include "skin/cluster.h"

/// Totals and array capacities while the layout is planned.
typedef struct lmbi_binding_planner {
    lmb_binding *binding;
    lmbi_skin_clusters clusters;
    const lmb_mesh *mesh;
    size_t run_room, loose_run_room, run_joint_count, loose_influence_count;
    size_t weight_count, short_count;
    size_t lane_count, loose_count;
    bool has_shorts;
    /// [LMBI_SKIN_CHUNK] sort key of each loose vertex of the chunk: 2 * width + (weights sum to 1)
    uint32_t *kinds;
} lmbi_binding_planner;

static inline bool lmbi_plan_is_loose(const lmbi_binding_planner *p, uint32_t v)
{
    const uint32_t group = p->clusters.group_of[v];
    return group == LMBI_SKIN_LOOSE || p->clusters.groups[group].run == LMBI_SKIN_LOOSE;
}

/// Lays out the runs of the binding, without their contents. False if out of memory.
bool lmbi_binding_plan(lmbi_binding_planner *p);

#endif
