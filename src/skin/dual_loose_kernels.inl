// Dual quaternion skinning (Kavan et al. 2008) of loose vertices: dual quaternions are blended per
// vertex, the rest runs one vertex per lane.
#define BLOCK_LANES 16
#define LMBI_DUAL_ALONE
#include "skin/dual_body.inl"

#include "skin/vertices.inl"

/// One dual quaternion per lane, x y z w of both parts.
typedef struct lane_duals {
    lmbi_four real[LMBI_LANES], dual[LMBI_LANES];
} lane_duals;

/// b = sum of s_k w_k (q_k + eps t_k q_k / 2), with s_k = +-1 such that q_k is in the hemisphere of
/// the strongest joint's.
LMBI_WIDE void blend_one(const lmbi_linear_pass *pass, const lmbi_loose_run *run, uint32_t i,
                         lmbi_four *real, lmbi_four *shift)
{
    const lmb_binding *b = pass->binding;
    const size_t at = run->influence_first + (size_t)i * run->width;
    const lmbi_four pivot = lmbi_four_load(&pass->rotations[b->loose_strongest[run->first + i]]);
    *real = *shift = (lmbi_four){0};
    for (uint32_t k = 0; k < run->width; ++k) {
        const uint16_t joint = b->loose_joints[at + k];
        const float weight = b->loose_weights[at + k];
        const lmbi_four q = lmbi_four_load(&pass->rotations[joint]),
                        t = lmbi_four_load(pass->palette[joint].m + 12);
        const float w = lmbi_four_dot4(q, pivot) < 0 ? -weight : weight, half = 0.5f * w;
        lmbi_four moved = t * q[3] + lmbi_four_cross(t, q);
        moved[3] = -lmbi_four_dot3(t, q);
        *real += w * q;
        *shift += half * moved;
    }
}

LMBI_WIDE dual transpose_duals(const lane_duals *of)
{
    const lmbi_rows real = {(uint8_t *)(uintptr_t)of->real, sizeof(lmbi_four), in_order},
                    moved = {(uint8_t *)(uintptr_t)of->dual, sizeof(lmbi_four), in_order};
    wide q[4], d[4];
    lmbi_gather4(&real, q);
    lmbi_gather4(&moved, d);
    return (dual){{q[0], q[1], q[2]}, q[3], {d[0], d[1], d[2]}, d[3]};
}

LMBI_WIDE void store_loose(const lmbi_linear_pass *pass, const dual *d, const vertices *v)
{
    const lmb_binding *b = pass->binding;
    const wide s = 2.0f / (dot(d->real, d->real) + d->real_w * d->real_w);
    if (pass->out_normals != NULL) {
        const wide3 in = load_input3(v, pass->normals, NULL, b->loose_normals, LMBI_NORMAL_SCALE);
        const wide3 n = unit_of(rotate(d, s, in));
        const lmbi_rows out = output_rows(v, pass->out_normals, pass->normal_stride);
        lmbi_scatter3(&out, n.x, n.y, n.z);
    }
    if (pass->out_tangents != NULL) {
        wide w;
        const wide3 in = load_tangents(pass, v, &w), t = unit_of(rotate(d, s, in));
        const lmbi_rows out = output_rows(v, pass->out_tangents, pass->tangent_stride);
        lmbi_scatter4(&out, t.x, t.y, t.z, w);
    }
    if (pass->out_positions != NULL) {
        const wide3 p = move(d, s, load_input3(v, pass->positions, NULL, b->loose_positions, 1));
        const lmbi_rows out = output_rows(v, pass->out_positions, pass->position_stride);
        lmbi_scatter3(&out, p.x, p.y, p.z);
    }
}

static void run_loose(const lmbi_linear_pass *pass, const lmbi_loose_run *run)
{
    lane_duals of;
    lane_indices padded;
    // Padding lanes repeat a vertex of the same step, which is read before any is written.
    for (uint32_t i = 0; i < run->count; i += LMBI_LANES) {
        const uint32_t left = run->count - i, count = left < LMBI_LANES ? left : LMBI_LANES;
        const vertices v = loose_step(pass->binding, run, i, count, &padded);
        for (uint32_t lane = 0; lane < LMBI_LANES; ++lane) {
            if (lane < count) {
                blend_one(pass, run, i + lane, &of.real[lane], &of.dual[lane]);
            } else {
                of.real[lane] = of.real[count - 1];
                of.dual[lane] = of.dual[count - 1];
            }
        }
        const dual d = transpose_duals(&of);
        store_loose(pass, &d, &v);
    }
}

LMBI_ALSO_FUSED
const lmbi_loose_kernels LMBI_TABLE(lmbi_dual_loose) = {run_loose};
