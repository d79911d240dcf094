#include "skin/each.h"

static void each_of_run(const lmb_binding *b, const lmbi_skin_run *run, size_t vertex_first,
                        lmbi_each_fn call, void *context)
{
    const uint32_t step = lmbi_run_block(run);
    for (uint32_t i = 0; i < run->count; ++i) {
        const uint32_t block = i / LMBI_SKIN_BLOCK * LMBI_SKIN_BLOCK;
        const size_t lane = run->lane_first + i,
                     at =
                         run->weight_first + (size_t)block * (run->width - 1) + i % LMBI_SKIN_BLOCK;
        const bool has_shorts = lmbi_run_has_shorts(b, run);
        lmbi_each_row row = {.width = run->width,
                             .strongest = b->joints[run->joint_first + b->strongest[lane]],
                             .joints = b->joints + run->joint_first,
                             .weights = has_shorts ? NULL : b->weights + at,
                             .shorts = has_shorts ? b->shorts + at : NULL,
                             .step = step,
                             .last = 1,
                             .is_short = true};
        for (uint32_t k = 0; k + 1 < row.width; ++k) {
            row.last -= lmbi_each_weight(&row, k);
        }
        call(context, vertex_first + b->index[lane], &row);
    }
}

static void each_of_loose(const lmb_binding *b, const lmbi_loose_run *run, size_t vertex_first,
                          lmbi_each_fn call, void *context)
{
    for (uint32_t i = 0; i < run->count; ++i) {
        const size_t first = run->influence_first + (size_t)i * run->width;
        const lmbi_each_row row = {.width = run->width,
                                   .strongest = b->loose_strongest[run->first + i],
                                   .joints = b->loose_joints + first,
                                   .weights = b->loose_weights + first,
                                   .step = 1};
        call(context, vertex_first + b->loose_index[run->first + i], &row);
    }
}

void lmbi_binding_each(const lmb_binding *binding, size_t chunk, lmbi_each_fn call, void *context)
{
    const lmbi_skin_chunk *c = &binding->chunks[chunk];
    const size_t vertex_first = chunk * LMBI_SKIN_CHUNK;
    for (uint32_t r = c->run_first; r < c->run_first + c->run_count; ++r) {
        each_of_run(binding, &binding->runs[r], vertex_first, call, context);
    }
    for (uint32_t r = c->loose_first; r < c->loose_first + c->loose_count; ++r) {
        each_of_loose(binding, &binding->loose_runs[r], vertex_first, call, context);
    }
}
