// Skinning of loose vertices with centres of rotation: matrices and rotations are blended per
// vertex, the rest runs one vertex per lane.
#define BLOCK_LANES 16
#include "skin/center_kernels.h"
#include "skin/turn_body.inl"

#include "simd/four.h"
#include "skin/loose_body.inl"

/// q and -q are the same rotation: flips each into the hemisphere of the strongest joint's.
LMBI_WIDE lmbi_four blend_one_rotation(const lmbi_center_pass *pass, const lmbi_loose_run *run,
                                       uint32_t i)
{
    const lmb_binding *b = pass->linear.binding;
    const size_t at = run->influence_first + (size_t)i * run->width;
    const lmbi_four pivot = lmbi_four_load(&pass->rotations[b->loose_strongest[run->first + i]]);
    lmbi_four sum = {0};
    for (uint32_t k = 0; k < run->width; ++k) {
        const lmbi_four q = lmbi_four_load(&pass->rotations[b->loose_joints[at + k]]);
        const float weight = b->loose_weights[at + k];
        sum += q * (lmbi_four_dot4(q, pivot) < 0 ? -weight : weight);
    }
    return sum;
}

LMBI_WIDE blended_rotation blend_lane_rotations(const lmbi_center_pass *pass,
                                                const lmbi_loose_run *run, uint32_t first,
                                                uint32_t count)
{
    lmbi_four sums[LMBI_LANES];
    for (uint32_t lane = 0; lane < LMBI_LANES; ++lane) {
        sums[lane] = lane < count ? blend_one_rotation(pass, run, first + lane) : sums[count - 1];
    }
    const lmbi_rows rows = {(uint8_t *)sums, sizeof(lmbi_four), in_order};
    wide q[4];
    lmbi_gather4(&rows, q);
    const wide square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return (blended_rotation){
        {q[0], q[1], q[2]},
        q[3],
        lmbi_wide_select((lmbi_wide_int)(square > 1e-20f), 2.0f / square, lmbi_wide_splat(0))};
}

LMBI_WIDE void store_loose(const lmbi_center_pass *pass, const blended *m,
                           const blended_rotation *t, const vertices *v)
{
    const lmbi_linear_pass *p = &pass->linear;
    const lmb_binding *b = p->binding;
    if (p->out_normals != NULL) {
        const wide3 n = unit_of(
            rotate(t, load_input3(v, p->normals, NULL, b->loose_normals, LMBI_NORMAL_SCALE)));
        const lmbi_rows out = output_rows(v, p->out_normals, p->normal_stride);
        lmbi_scatter3(&out, n.x, n.y, n.z);
    }
    if (p->out_tangents != NULL) {
        wide w;
        const wide3 along = unit_of(rotate(t, load_tangents(p, v, &w)));
        const lmbi_rows out = output_rows(v, p->out_tangents, p->tangent_stride);
        lmbi_scatter4(&out, along.x, along.y, along.z, w);
    }
    if (p->out_positions != NULL) {
        const wide3 c = load_input3(v, pass->centers, NULL, b->loose_centers, 1);
        const wide3 from = load_input3(v, p->positions, NULL, b->loose_positions, 1);
        const wide3 arm = rotate(t, (wide3){from.x - c.x, from.y - c.y, from.z - c.z}),
                    at = transform_direction(m, c);
        const lmbi_rows out = output_rows(v, p->out_positions, p->position_stride);
        lmbi_scatter3(&out, arm.x + (at.x + m->c[3].x), arm.y + (at.y + m->c[3].y),
                      arm.z + (at.z + m->c[3].z));
    }
}

static void run_loose(const lmbi_center_pass *pass, const lmbi_loose_run *run)
{
    lane_matrices of;
    lane_indices padded;
    // Padding lanes repeat a vertex of the same step, which is read before any is written.
    for (uint32_t i = 0; i < run->count; i += LMBI_LANES) {
        const uint32_t left = run->count - i, count = left < LMBI_LANES ? left : LMBI_LANES;
        const vertices v = loose_step(pass->linear.binding, run, i, count, &padded);
        blend_lanes(&pass->linear, run, i, count, 0, &of);
        const blended m = transpose_matrices(&of);
        const blended_rotation t = blend_lane_rotations(pass, run, i, count);
        store_loose(pass, &m, &t, &v);
    }
}

LMBI_ALSO_FUSED
const lmbi_center_loose_kernels LMBI_TABLE(lmbi_center_loose) = {run_loose};
