// Linear blend and rigid skinning of loose vertices.
#define BLOCK_LANES 16
#define LMBI_BLEND_ALONE
#include "skin/linear_body.inl"

#include "skin/loose_body.inl"

LMBI_WIDE void run_width(const lmbi_linear_pass *pass, const lmbi_loose_run *run, uint32_t width,
                         unsigned outputs)
{
    lane_matrices of;
    lane_indices padded;
    // Padding lanes repeat a vertex of the same step, which is read before any is written.
    for (uint32_t i = 0; i < run->count; i += LMBI_LANES) {
        const uint32_t left = run->count - i, count = left < LMBI_LANES ? left : LMBI_LANES;
        const vertices v = loose_step(pass->binding, run, i, count, &padded);
        blend_lanes(pass, run, i, count, width, &of);
        const blended m = transpose_matrices(&of);
        store_vertices(pass, &m, outputs, &v);
    }
}

LMBI_WIDE void run_outputs(const lmbi_linear_pass *pass, const lmbi_loose_run *run,
                           unsigned outputs)
{
    switch (run->width) {
    case 1:
        run_width(pass, run, 1, outputs);
        break;
    case 2:
        run_width(pass, run, 2, outputs);
        break;
    case 3:
        run_width(pass, run, 3, outputs);
        break;
    case 4:
        run_width(pass, run, 4, outputs);
        break;
    default:
        run_width(pass, run, 0, outputs);
        break;
    }
}

static void run_loose(const lmbi_linear_pass *pass, const lmbi_loose_run *run)
{
    const unsigned outputs = needed_outputs(pass, pass->binding->loose_normals);
    if (pass->rigid) {
        run_width(pass, run, RIGID_WIDTH, outputs);
        return;
    }
    switch (outputs) {
    case HAS_POSITIONS:
        run_outputs(pass, run, HAS_POSITIONS);
        break;
    case HAS_POSITIONS | HAS_NORMALS:
        run_outputs(pass, run, HAS_POSITIONS | HAS_NORMALS);
        break;
    default:
        run_outputs(pass, run, outputs);
        break;
    }
}

LMBI_ALSO_FUSED
const lmbi_loose_kernels LMBI_TABLE(lmbi_linear_loose) = {run_loose};
