/// Weights by a learned model: heat's rows, then the model's of the candidates of each vertex.
#include "rig/heat.h"

#include <string.h>

#include "base/error.h"
#include "rig/pair_features.h"

typedef struct weigher {
    lmbi_heat *heat;
    const lmbi_pairs *pairs;
    lmb_influence *rows; ///< [vertex_count][row_width]
} weigher;

static void weigh_vertices(void *context, size_t begin, size_t end)
{
    const weigher *w = context;
    const lmbi_heat *heat = w->heat;
    const lmb_weights_model *model = heat->opts.model;
    for (size_t v = begin; v < end; ++v) {
        uint32_t slots[LMB_WEIGHT_CANDIDATES], joints[LMB_WEIGHT_CANDIDATES];
        float features[LMB_WEIGHT_CANDIDATES * LMB_WEIGHT_FEATURES], weights[LMB_WEIGHT_CANDIDATES];
        const uint32_t count = lmbi_pairs_of(w->pairs, (uint32_t)v, slots, features);
        for (uint32_t k = 0; k < count; ++k) {
            joints[k] = heat->joint_of_slot[slots[k]];
        }
        model->weigh(model->user, (uint32_t)v, joints, features, count, weights);
        for (uint32_t k = 0; k < count; ++k) {
            lmbi_row_insert(w->rows + v * heat->row_width, heat->row_width, slots[k], weights[k]);
        }
    }
}

lmb_result lmbi_learned_weights(lmbi_heat *heat, lmb_error *error)
{
    lmbi_pairs pairs;
    weigher w = {.heat = heat, .pairs = &pairs};
    lmb_result result = lmbi_pairs_solve(heat, &pairs, error);
    if (result != LMB_OK) {
        return result;
    }
    w.rows = lmbi_arena_array(&heat->arena, heat->surface->vertex_count,
                              heat->row_width * sizeof *w.rows);
    if (!w.rows) {
        return lmbi_fail_memory(error);
    }
    lmb_parallel_for(heat->opts.jobs, heat->surface->vertex_count, 64, weigh_vertices, &w);
    heat->rows = w.rows;
    return LMB_OK;
}
