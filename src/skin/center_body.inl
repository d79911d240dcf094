// Skinning about centres of rotation of the blocks of BLOCK_LANES lanes of a run (Le and Hodgins
// 2016, algorithm 2).
#include "skin/center_kernels.h"
#include "skin/turn_body.inl"

/// The lanes from `lane` of the run on; `base` is the first lane of their block, `offset` what lies
/// between.
LMBI_WIDE void put_centered(const lmbi_center_pass *pass, const blended *m, const turning *t,
                            unsigned outputs, size_t base, size_t offset)
{
    const lmbi_linear_pass *p = &pass->linear;
    const size_t lane = base + offset;
    put_turned(p, t, outputs, lane, base, offset);
    if (outputs & HAS_POSITIONS) {
        const wide3 v = load3(p, p->positions, p->binding->positions, lane, base * 3 + offset, 1);
        const wide3 c = load3(p, pass->centers, p->binding->centers, lane, base * 3 + offset, 1);
        const wide3 arm = rotate(t, (wide3){v.x - c.x, v.y - c.y, v.z - c.z}), at = turn(m, c);
        const lmbi_rows out = rows_at(p, p->out_positions, p->position_stride, lane);
        lmbi_scatter3(&out, arm.x + (at.x + m->c[3].x), arm.y + (at.y + m->c[3].y),
                      arm.z + (at.z + m->c[3].z));
    }
}

/// `width` is a constant of 2 to 4, or 0 for any; `outputs` is a constant where that pays.
LMBI_WIDE void run_width(const lmbi_center_pass *pass, const lmbi_skin_run *run, uint32_t width,
                         unsigned outputs)
{
    const lmbi_linear_pass *p = &pass->linear;
    const span blocks = span_of(run);
    const uint16_t *joints = p->binding->joints + run->joint_first;
    const uint32_t real_width = width > 0 ? width : run->width;
    const rotations turns = load_rotations(pass->rotations, joints, real_width);
    matrices of;
    load_matrices(p, run, width, &of);
    // A last step holds all vertices that its padding repeats: it reads them before it writes any.
    for (size_t i = 0; i < blocks.count; i += LMBI_LANES) {
        const size_t offset = i % BLOCK_LANES, base = blocks.lane + i - offset;
        const float *from =
            p->binding->weights + blocks.weight + (i - offset) * (real_width - 1) + offset;
        wide weights[LMBI_SKIN_WIDEST_RUN];
        load_all_weights(from, real_width, weights);
        // Else all entries would be spread over lanes ahead of the loop, and spilled: most runs are
        // short.
        __asm__("" : "+m"(of));
        const blended m = width > 0 ? blend_few(&of, weights, width) : blend_many(p, run, from);
        if (turns.are_split) {
            choose_signs(&turns, p->binding->strongest + base + offset, real_width, weights);
        }
        const turning t = blend_rotations(&turns, weights, real_width);
        put_centered(pass, &m, &t, outputs, base, offset);
    }
}

#define RUN_PARAMETERS const lmbi_center_pass *pass, const lmbi_skin_run *run
#define RUN(width, outputs) run_width(pass, run, width, outputs)
#define OUTPUTS asked_of(&pass->linear)
#include "skin/shapes.inl"

static void run_blocks(const lmbi_center_pass *pass, const lmbi_skin_run *run)
{
    SHAPES[shape_row(OUTPUTS)][run->width <= 4 ? run->width : 0](pass, run);
}
