// Dual quaternion skinning (Kavan et al. 2008) of the blocks of BLOCK_LANES lanes of a run.
#include "skin/lanes.inl"

/// A blended dual quaternion, not normalised: rotation and its dual part.
typedef struct dual {
    wide3 real;
    wide real_w;
    wide3 dual;
    wide dual_w;
} dual;

/// The joints of a run as dual quaternions x y z w, x y z w.
typedef struct duals {
    float q[LMBI_SKIN_WIDEST_RUN][8];
    bool is_one_way; ///< all in one hemisphere: no vertex needs to turn the sign of any
} duals;

static float tidy(float x)
{
    return (x < 0 ? -x : x) < 0x1p-60f ? 0.0f : x;
}

/// q and half of t q, both with the sign given.
static void load_dual(const lmbi_linear_pass *pass, uint16_t joint, float sign, float *out)
{
    const lmb_quat q = pass->rotations[joint];
    const float *t = pass->palette[joint].m + 12;
    const float half = 0.5f * sign;
    out[0] = tidy(q.x * sign);
    out[1] = tidy(q.y * sign);
    out[2] = tidy(q.z * sign);
    out[3] = tidy(q.w * sign);
    out[4] = tidy(half * (t[0] * q.w + (t[1] * q.z - t[2] * q.y)));
    out[5] = tidy(half * (t[1] * q.w + (t[2] * q.x - t[0] * q.z)));
    out[6] = tidy(half * (t[2] * q.w + (t[0] * q.y - t[1] * q.x)));
    out[7] = tidy(-half * (t[0] * q.x + t[1] * q.y + t[2] * q.z));
}

static float dot4(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/// Turns all to the side of the first; where that leaves some two apart, each vertex has to choose
/// by its own strongest.
static void load_duals(const lmbi_linear_pass *pass, const lmbi_skin_run *run, duals *of)
{
    const uint16_t *joints = pass->binding->joints + run->joint_first;
    of->is_one_way = true;
    for (uint32_t k = 0; k < run->width; ++k) {
        const float side =
            lmb_quat_dot(pass->rotations[joints[0]], pass->rotations[joints[k]]) < 0 ? -1.0f : 1.0f;
        load_dual(pass, joints[k], side, of->q[k]);
        for (uint32_t i = 1; i < k; ++i) {
            of->is_one_way = of->is_one_way && dot4(of->q[i], of->q[k]) >= 0;
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

/// The rotation of the joint that pulls each lane most.
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

LMBI_WIDE wide to_side(const float *q, const wide pivot[4], wide weight)
{
    const wide cosine = pivot[0] * q[0] + pivot[1] * q[1] + pivot[2] * q[2] + pivot[3] * q[3];
    return lmbi_wide_select((lmbi_wide_int)(cosine < 0.0f), -weight, weight);
}

/// `width` and `one_way` are constants where that pays.
LMBI_WIDE dual blend(const duals *of, const lmbi_skin_run *run, uint32_t width, bool one_way,
                     const float *weights, const uint8_t *slots)
{
    dual sum = {{{0}}};
    wide left = lmbi_wide_splat(1.0f), pivot[4] = {{0}, {0}, {0}, {0}};
    if (!one_way) {
        strongest(of, run, slots, pivot);
    }
#pragma GCC unroll 4
    for (uint32_t k = 0; k < width; ++k) {
        wide weight = left;
        if (k + 1 < width) {
            weight = lmbi_wide_load(weights + (size_t)k * BLOCK_LANES);
            left = left - weight;
        }
        add_dual(&sum, of->q[k], one_way ? weight : to_side(of->q[k], pivot, weight));
    }
    return sum;
}

/// v + s (r x (r x v + w v)), the rotation of v when s is 2 over the squared length of (r, w).
LMBI_WIDE wide3 rotate(const dual *b, wide s, wide3 v)
{
    const wide3 u = cross(b->real, v);
    const wide3 across = cross(
        b->real, (wide3){u.x + b->real_w * v.x, u.y + b->real_w * v.y, u.z + b->real_w * v.z});
    return (wide3){v.x + s * across.x, v.y + s * across.y, v.z + s * across.z};
}

LMBI_WIDE wide3 unit(wide3 v)
{
    return scale(v, inverse_root(dot(v, v)));
}

/// The part of 2 dual conj(real) that is a vector, over the squared length.
LMBI_WIDE wide3 shift(const dual *b, wide s)
{
    const wide3 u = cross(b->real, b->dual);
    return (wide3){s * (b->real_w * b->dual.x - b->dual_w * b->real.x + u.x),
                   s * (b->real_w * b->dual.y - b->dual_w * b->real.y + u.y),
                   s * (b->real_w * b->dual.z - b->dual_w * b->real.z + u.z)};
}

LMBI_WIDE void put_lanes(const lmbi_linear_pass *pass, const dual *b, size_t base, size_t offset)
{
    const lmb_binding *binding = pass->binding;
    const size_t lane = base + offset, at3 = base * 3 + offset, at4 = base * 4 + offset;
    const wide s = 2.0f / (dot(b->real, b->real) + b->real_w * b->real_w);
    if (pass->out_normals != NULL) {
        const wide3 n = unit(rotate(
            b, s, load3(pass, pass->normals, binding->normals, lane, at3, LMBI_NORMAL_SCALE)));
        const lmbi_rows out = rows_at(pass, pass->out_normals, pass->normal_stride, lane);
        lmbi_scatter3(&out, n.x, n.y, n.z);
    }
    if (pass->out_tangents != NULL) {
        wide3 t;
        wide w;
        load4(pass, lane, at4, &t, &w);
        const wide3 turned = unit(rotate(b, s, t));
        const lmbi_rows out = rows_at(pass, pass->out_tangents, pass->tangent_stride, lane);
        lmbi_scatter4(&out, turned.x, turned.y, turned.z, w);
    }
    if (pass->out_positions != NULL) {
        const wide3 turned =
            rotate(b, s, load3(pass, pass->positions, binding->positions, lane, at3, 1));
        const wide3 by = shift(b, s);
        const lmbi_rows out = rows_at(pass, pass->out_positions, pass->position_stride, lane);
        lmbi_scatter3(&out, turned.x + by.x, turned.y + by.y, turned.z + by.z);
    }
}

LMBI_WIDE void run_width(const lmbi_linear_pass *pass, const lmbi_skin_run *run, const duals *of,
                         uint32_t width, bool one_way)
{
    const span blocks = span_of(run);
    // A last step holds all vertices that its padding repeats: it reads them before it writes any.
    for (size_t i = 0; i < blocks.count; i += LMBI_LANES) {
        const size_t offset = i % BLOCK_LANES, base = blocks.lane + i - offset;
        const float *from =
            pass->binding->weights + blocks.weight + (i - offset) * (width - 1) + offset;
        const dual b =
            blend(of, run, width, one_way, from, pass->binding->strongest + base + offset);
        put_lanes(pass, &b, base, offset);
    }
}

static void run_blocks(const lmbi_linear_pass *pass, const lmbi_skin_run *run)
{
    duals of;
    if (span_of(run).count == 0) {
        return;
    }
    load_duals(pass, run, &of);
    switch (of.is_one_way ? run->width : 0) {
    case 1:
        run_width(pass, run, &of, 1, true);
        break;
    case 2:
        run_width(pass, run, &of, 2, true);
        break;
    case 3:
        run_width(pass, run, &of, 3, true);
        break;
    case 4:
        run_width(pass, run, &of, 4, true);
        break;
    default:
        run_width(pass, run, &of, run->width, of.is_one_way);
        break;
    }
}
