// Dual quaternion skinning (Kavan et al. 2008) of runs of blocks of BLOCK_LANES lanes.
#include "skin/dual_palette.h"
#include "skin/lanes.inl"

/// A blended dual quaternion, not normalised.
typedef struct dual {
    wide3 real;
    wide real_w;
    wide3 dual;
    wide dual_w;
} dual;

/// The joints of a run as dual quaternions: real x y z w, dual x y z w.
typedef struct duals {
    float q[LMBI_SKIN_WIDEST_RUN][8];
    bool same_hemisphere; ///< no pair has a negative dot product: all vertices use the same signs
} duals;

/// Replaces all but the last by their difference to the last. Weights sum to 1, so the blend is
/// q_last + sum of w_k (q_k - q_last), which saves a product per entry.
LMBI_WIDE void subtract_last(duals *of, uint32_t width)
{
    for (uint32_t k = 0; k + 1 < width; ++k) {
        for (int e = 0; e < 8; ++e) {
            of->q[k][e] -= of->q[width - 1][e];
        }
    }
}

LMBI_WIDE void load_dual(const lmbi_linear_pass *pass, uint16_t joint, float sign, float *out)
{
    float made[8];
    const float *from = made;
    if (pass->duals != NULL) {
        from = pass->duals + (size_t)joint * 8;
    } else {
        lmbi_dual_of(&pass->rotations[joint], &pass->palette[joint], made);
    }
    const lmbi_four real = sign * lmbi_four_load(from), moved = sign * lmbi_four_load(from + 4);
    memcpy(out, &real, sizeof(real));
    memcpy(out + 4, &moved, sizeof(moved));
}

LMBI_WIDE float dot4(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/// Flips all into the hemisphere of the first. If two of them still have a negative dot product,
/// each vertex chooses signs by its own strongest joint.
LMBI_WIDE void load_duals(const lmbi_linear_pass *pass, const lmbi_skin_run *run, uint32_t width,
                          duals *of)
{
    const uint16_t *joints = pass->binding->joints + run->joint_first;
    of->same_hemisphere = true;
    for (uint32_t k = 0; k < width; ++k) {
        const float sign =
            lmb_quat_dot(pass->rotations[joints[0]], pass->rotations[joints[k]]) < 0 ? -1.0f : 1.0f;
        load_dual(pass, joints[k], sign, of->q[k]);
        for (uint32_t i = 1; i < k; ++i) {
            of->same_hemisphere = of->same_hemisphere && dot4(of->q[i], of->q[k]) >= 0;
        }
    }
}

LMBI_WIDE void add_dual(dual *sum, const float *q, wide weight)
{
    sum->real.x += weight * q[0];
    sum->real.y += weight * q[1];
    sum->real.z += weight * q[2];
    sum->real_w += weight * q[3];
    sum->dual.x += weight * q[4];
    sum->dual.y += weight * q[5];
    sum->dual.z += weight * q[6];
    sum->dual_w += weight * q[7];
}

/// Per lane, the rotation of the joint with the largest weight.
LMBI_WIDE void strongest(const duals *of, const lmbi_skin_run *run, const uint8_t *slots,
                         wide pivot[4])
{
    const lmbi_wide_int which = lmbi_wide_int_from_u8(slots);
    for (int c = 0; c < 4; ++c) {
        pivot[c] = lmbi_wide_splat(of->q[0][c]);
    }
    for (uint32_t k = 1; k < run->width; ++k) {
        const lmbi_wide_int chosen = (lmbi_wide_int)(which == (int32_t)k);
        for (int c = 0; c < 4; ++c) {
            pivot[c] = lmbi_wide_select(chosen, lmbi_wide_splat(of->q[k][c]), pivot[c]);
        }
    }
}

LMBI_WIDE wide signed_weight(const float *q, const wide pivot[4], wide weight)
{
    const wide cosine = pivot[0] * q[0] + pivot[1] * q[1] + pivot[2] * q[2] + pivot[3] * q[3];
    return lmbi_wide_select((lmbi_wide_int)(cosine < 0.0f), -weight, weight);
}

LMBI_WIDE wide entry(const duals *of, const wide *weights, uint32_t width, int e)
{
    if (width == 1) {
        return lmbi_wide_splat(of->q[0][e]);
    }
    wide sum = weights[0] * of->q[0][e] + of->q[width - 1][e];
    if (width > 2) {
        sum += weights[1] * of->q[1][e];
    }
    if (width > 3) {
        sum += weights[2] * of->q[2][e];
    }
    return sum;
}

/// Blends up to four joints in one hemisphere, after subtract_last; `width` is a constant.
LMBI_WIDE dual blend_few(const duals *of, uint32_t width, const step_weights *from)
{
    wide w[3];
    for (uint32_t k = 0; k + 1 < width; ++k) {
        w[k] = weight_at(from, k);
    }
    return (dual){{entry(of, w, width, 0), entry(of, w, width, 1), entry(of, w, width, 2)},
                  entry(of, w, width, 3),
                  {entry(of, w, width, 4), entry(of, w, width, 5), entry(of, w, width, 6)},
                  entry(of, w, width, 7)};
}

LMBI_WIDE dual blend_many(const duals *of, const lmbi_skin_run *run, const step_weights *weights,
                          const uint8_t *slots)
{
    const uint32_t width = run->width;
    const bool same_hemisphere = of->same_hemisphere;
    dual sum = {{{0}}};
    wide left = lmbi_wide_splat(1.0f), pivot[4] = {{0}, {0}, {0}, {0}};
    if (!same_hemisphere) {
        strongest(of, run, slots, pivot);
    }
    for (uint32_t k = 0; k < width; ++k) {
        wide weight = left;
        if (k + 1 < width) {
            weight = weight_at(weights, k);
            left = left - weight;
        }
        add_dual(&sum, of->q[k], same_hemisphere ? weight : signed_weight(of->q[k], pivot, weight));
    }
    return sum;
}

/// v + s (r x (r x v + w v)): rotates v if s = 2 / |(r, w)|^2.
LMBI_WIDE wide3 rotate(const dual *b, wide s, wide3 v)
{
    const wide3 u = cross(b->real, v);
    const wide3 across = cross(
        b->real, (wide3){u.x + b->real_w * v.x, u.y + b->real_w * v.y, u.z + b->real_w * v.z});
    return (wide3){v.x + s * across.x, v.y + s * across.y, v.z + s * across.z};
}

/// v + s (r x (r x v + w v + d) + w d - d_w r): rotates v and adds the translation, the vector part
/// of 2 dual conj(real), with one shared cross product.
LMBI_WIDE wide3 move(const dual *b, wide s, wide3 v)
{
    const wide3 u = cross(b->real, v);
    const wide3 across =
        cross(b->real, (wide3){u.x + b->real_w * v.x + b->dual.x, u.y + b->real_w * v.y + b->dual.y,
                               u.z + b->real_w * v.z + b->dual.z});
    return (wide3){
        v.x + s * (across.x + (b->real_w * b->dual.x - b->dual_w * b->real.x)),
        v.y + s * (across.y + (b->real_w * b->dual.y - b->dual_w * b->real.y)),
        v.z + s * (across.z + (b->real_w * b->dual.z - b->dual_w * b->real.z)),
    };
}

// The loose kernels use only the functions above.
#ifndef LMBI_DUAL_ALONE

/// `outputs` is a constant in the specialised functions.
LMBI_WIDE void store_lanes(const lmbi_linear_pass *pass, const dual *b, unsigned outputs,
                           size_t base, size_t offset)
{
    const lmb_binding *binding = pass->binding;
    const size_t lane = base + offset, at3 = base * 3 + offset, at4 = base * 4 + offset;
    const wide s = 2.0f / (dot(b->real, b->real) + b->real_w * b->real_w);
    if (outputs & HAS_NORMALS) {
        const wide3 n = unit_of(rotate(
            b, s, load3(pass, pass->normals, binding->normals, lane, at3, LMBI_NORMAL_SCALE)));
        const lmbi_rows out = rows_at(pass, pass->out_normals, pass->normal_stride, lane);
        lmbi_scatter3(&out, n.x, n.y, n.z);
    }
    if (outputs & HAS_TANGENTS) {
        wide3 t;
        wide w;
        load4(pass, lane, at4, &t, &w);
        const wide3 rotated = unit_of(rotate(b, s, t));
        const lmbi_rows out = rows_at(pass, pass->out_tangents, pass->tangent_stride, lane);
        lmbi_scatter4(&out, rotated.x, rotated.y, rotated.z, w);
    }
    if (outputs & HAS_POSITIONS) {
        const wide3 p = move(b, s, load3(pass, pass->positions, binding->positions, lane, at3, 1));
        const lmbi_rows out = rows_at(pass, pass->out_positions, pass->position_stride, lane);
        lmbi_scatter3(&out, p.x, p.y, p.z);
    }
}

/// Any number of joints; where rotations span hemispheres, each vertex chooses its own signs.
LMBI_WIDE void run_any(const lmbi_linear_pass *pass, const lmbi_skin_run *run, unsigned outputs)
{
    duals of;
    load_duals(pass, run, run->width, &of);
    // Padding lanes repeat a vertex of the same step, which is read before any is written.
    for (size_t i = 0; i < run->count; i += LMBI_LANES) {
        const size_t offset = i % BLOCK_LANES, base = run->lane_first + i - offset;
        const step_weights from = weights_of(pass->binding, run, i, offset);
        const dual b = blend_many(&of, run, &from, pass->binding->strongest + base + offset);
        store_lanes(pass, &b, outputs, base, offset);
    }
}

static __attribute__((noinline)) void run_split(const lmbi_linear_pass *pass,
                                                const lmbi_skin_run *run)
{
    run_any(pass, run, requested_outputs(pass));
}

/// `width` is a constant of 1 to 4; `outputs` is a constant in the specialised functions.
LMBI_WIDE void run_few(const lmbi_linear_pass *pass, const lmbi_skin_run *run, uint32_t width,
                       unsigned outputs)
{
    duals of;
    load_duals(pass, run, width, &of);
    if (!of.same_hemisphere) { // rare
        run_split(pass, run);
        return;
    }
    subtract_last(&of, width);
    for (size_t i = 0; i < run->count; i += LMBI_LANES) {
        const size_t offset = i % BLOCK_LANES, base = run->lane_first + i - offset;
        const step_weights from = weights_of(pass->binding, run, i, offset);
        // Stops the compiler from broadcasting all entries ahead of the loop and spilling them.
        __asm__("" : "+m"(of));
        const dual b = blend_few(&of, width, &from);
        store_lanes(pass, &b, outputs, base, offset);
    }
}

LMBI_WIDE void run_width(const lmbi_linear_pass *pass, const lmbi_skin_run *runs, uint32_t count,
                         uint32_t width, unsigned outputs)
{
    for (uint32_t r = 0; r < count; ++r) {
        if (width > 0) {
            run_few(pass, &runs[r], width, outputs);
        } else {
            run_any(pass, &runs[r], outputs);
        }
    }
}

#define RUN_PARAMETERS const lmbi_linear_pass *pass, const lmbi_skin_run *runs, uint32_t count
#define RUN(width, outputs) run_width(pass, runs, count, width, outputs)
#define OUTPUTS requested_outputs(pass)
#include "skin/shapes.inl"

static void run_blocks(RUN_PARAMETERS)
{
    SHAPES[shape_row(OUTPUTS)][runs->width <= 4 ? runs->width : 0](pass, runs, count);
}

#endif
