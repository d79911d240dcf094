// Skinning with centres of rotation (Le and Hodgins 2016, algorithm 2), for runs of blocks of
// BLOCK_LANES lanes.
#include "skin/center_kernels.h"
#include "skin/turn_body.inl"

/// Writes the lanes from `base` + `offset` on; `base` is the first lane of their block.
LMBI_WIDE void store_centered(const lmbi_center_pass *pass, const blended *m,
                              const blended_rotation *t, unsigned outputs, size_t base,
                              size_t offset)
{
    const lmbi_linear_pass *p = &pass->linear;
    const size_t lane = base + offset;
    store_rotated(p, t, outputs, lane, base, offset);
    if (outputs & HAS_POSITIONS) {
        const wide3 v = load3(p, p->positions, p->binding->positions, lane, base * 3 + offset, 1);
        const wide3 c = load3(p, pass->centers, p->binding->centers, lane, base * 3 + offset, 1);
        const wide3 arm = rotate(t, (wide3){v.x - c.x, v.y - c.y, v.z - c.z}),
                    at = transform_direction(m, c);
        const lmbi_rows out = rows_at(p, p->out_positions, p->position_stride, lane);
        lmbi_scatter3(&out, arm.x + (at.x + m->c[3].x), arm.y + (at.y + m->c[3].y),
                      arm.z + (at.z + m->c[3].z));
    }
}

/// Any number of joints; where rotations span hemispheres, each vertex chooses its own signs.
LMBI_WIDE void run_any(const lmbi_center_pass *pass, const lmbi_skin_run *run, unsigned outputs)
{
    const lmbi_linear_pass *p = &pass->linear;
    const uint32_t width = run->width;
    const rotations run_rotations =
        load_rotations(pass->rotations, p->binding->joints + run->joint_first, width);
    // Padding lanes repeat a vertex of the same step, which is read before any is written.
    for (size_t i = 0; i < run->count; i += LMBI_LANES) {
        const size_t offset = i % BLOCK_LANES, base = run->lane_first + i - offset;
        const step_weights from = weights_of(p->binding, run, i, offset);
        wide weights[LMBI_SKIN_WIDEST_RUN];
        const blended m = blend_many(p, run, &from);
        load_all_weights(&from, width, weights);
        if (run_rotations.are_split) {
            choose_signs(&run_rotations, p->binding->strongest + base + offset, width, weights);
        }
        const blended_rotation t = blend_rotations(&run_rotations, weights, width);
        store_centered(pass, &m, &t, outputs, base, offset);
    }
}

static __attribute__((noinline)) void run_split(const lmbi_center_pass *pass,
                                                const lmbi_skin_run *run)
{
    run_any(pass, run, requested_outputs(&pass->linear));
}

/// `width` is a constant of 2 to 4; `outputs` is a constant in the specialised functions.
LMBI_WIDE void run_few(const lmbi_center_pass *pass, const lmbi_skin_run *run, uint32_t width,
                       unsigned outputs)
{
    const lmbi_linear_pass *p = &pass->linear;
    const uint16_t *joints = p->binding->joints + run->joint_first;
    rotations run_rotations = load_rotations(pass->rotations, joints, width);
    if (run_rotations.are_split) { // rare
        run_split(pass, run);
        return;
    }
    subtract_last(&run_rotations, width);
    matrices of;
    load_matrices(p, run, width, &of);
    for (size_t i = 0; i < run->count; i += LMBI_LANES) {
        const size_t offset = i % BLOCK_LANES, base = run->lane_first + i - offset;
        const step_weights from = weights_of(p->binding, run, i, offset);
        wide weights[3];
        load_weights(&from, width - 1, weights);
        // Stops the compiler from broadcasting all entries ahead of the loop and spilling them:
        // most runs are short.
        __asm__("" : "+m"(of));
        const blended m = blend_few(&of, weights, width);
        const blended_rotation t = blend_near_rotations(&run_rotations, weights, width);
        store_centered(pass, &m, &t, outputs, base, offset);
    }
}

LMBI_WIDE void run_width(const lmbi_center_pass *pass, const lmbi_skin_run *runs, uint32_t count,
                         uint32_t width, unsigned outputs)
{
    for (uint32_t r = 0; r < count; ++r) {
        if (width > 1) {
            run_few(pass, &runs[r], width, outputs);
        } else {
            run_any(pass, &runs[r], outputs);
        }
    }
}

#define RUN_PARAMETERS const lmbi_center_pass *pass, const lmbi_skin_run *runs, uint32_t count
#define RUN(width, outputs) run_width(pass, runs, count, width, outputs)
#define OUTPUTS requested_outputs(&pass->linear)
#include "skin/shapes.inl"

static void run_blocks(RUN_PARAMETERS)
{
    SHAPES[shape_row(OUTPUTS)][runs->width <= 4 ? runs->width : 0](pass, runs, count);
}
