// Shared by deformers that blend rotations, for blocks of BLOCK_LANES lanes of a run.
#define LMBI_BLEND_ALONE
#include "skin/linear_body.inl"

/// All weights of a step's lanes; the last is 1 minus the others.
LMBI_WIDE void load_all_weights(const step_weights *from, uint32_t width, wide *weights)
{
    wide left = lmbi_wide_splat(1);
    load_weights(from, width - 1, weights);
    for (uint32_t k = 0; k + 1 < width; ++k) {
        left = left - weights[k];
    }
    weights[width - 1] = left;
}

/// The rotations of a run, each flipped into the hemisphere of the first.
typedef struct rotations {
    lmb_quat q[LMBI_SKIN_WIDEST_RUN];
    /// two of them still have a negative dot product: the right signs depend on the vertex
    bool are_split;
} rotations;

/// A blended rotation, not normalised; `factor` is 2 / |q|^2.
typedef struct blended_rotation {
    wide3 u;
    wide w, factor;
} blended_rotation;

LMBI_WIDE rotations load_rotations(const lmb_quat *given, const uint16_t *joints, uint32_t width)
{
    rotations of;
    of.are_split = false;
    for (uint32_t k = 0; k < width; ++k) {
        const lmb_quat q = given[joints[k]];
        const float sign = k > 0 && lmb_quat_dot(q, of.q[0]) < 0 ? -1.0f : 1.0f;
        of.q[k] = (lmb_quat){q.x * sign, q.y * sign, q.z * sign, q.w * sign};
        for (uint32_t i = 1; i < k; ++i) {
            of.are_split = of.are_split || lmb_quat_dot(of.q[k], of.q[i]) < 0;
        }
    }
    return of;
}

/// Per lane, negates the weights of rotations outside the hemisphere of the strongest joint's.
LMBI_WIDE void choose_signs(const rotations *of, const uint8_t *strongest, uint32_t width,
                            wide *weights)
{
    const lmbi_wide_int which = lmbi_wide_int_from_u8(strongest);
    for (uint32_t k = 0; k < width; ++k) {
        wide sign = lmbi_wide_splat(1);
        for (uint32_t i = 0; i < width; ++i) {
            const float pair_sign = lmb_quat_dot(of->q[k], of->q[i]) < 0 ? -1.0f : 1.0f;
            sign = lmbi_wide_select((lmbi_wide_int)(which == (int32_t)i),
                                    lmbi_wide_splat(pair_sign), sign);
        }
        weights[k] *= sign;
    }
}

/// Replaces all but the last by their difference to the last, if all are in one hemisphere; saves a
/// product per entry, as for matrices.
LMBI_WIDE void subtract_last(rotations *of, uint32_t width)
{
    const lmb_quat last = of->q[width - 1];
    for (uint32_t k = 0; k + 1 < width; ++k) {
        of->q[k].x -= last.x;
        of->q[k].y -= last.y;
        of->q[k].z -= last.z;
        of->q[k].w -= last.w;
    }
}

/// Blends rotations in one hemisphere after subtract_last, by all weights but the last. The sum's
/// length is at least half.
LMBI_WIDE blended_rotation blend_near_rotations(const rotations *of, const wide *weights,
                                                uint32_t width)
{
    const lmb_quat last = of->q[width - 1];
    blended_rotation t = {{weights[0] * of->q[0].x + last.x, weights[0] * of->q[0].y + last.y,
                           weights[0] * of->q[0].z + last.z},
                          weights[0] * of->q[0].w + last.w,
                          {0}};
    for (uint32_t k = 1; k + 1 < width; ++k) {
        t.u.x += weights[k] * of->q[k].x;
        t.u.y += weights[k] * of->q[k].y;
        t.u.z += weights[k] * of->q[k].z;
        t.w += weights[k] * of->q[k].w;
    }
    t.factor = 2.0f / (dot(t.u, t.u) + t.w * t.w);
    return t;
}

LMBI_WIDE blended_rotation blend_rotations(const rotations *of, const wide *weights, uint32_t width)
{
    blended_rotation t = {
        {weights[0] * of->q[0].x, weights[0] * of->q[0].y, weights[0] * of->q[0].z},
        weights[0] * of->q[0].w,
        {0},
    };
    for (uint32_t k = 1; k < width; ++k) {
        t.u.x += weights[k] * of->q[k].x;
        t.u.y += weights[k] * of->q[k].y;
        t.u.z += weights[k] * of->q[k].z;
        t.w += weights[k] * of->q[k].w;
    }
    const wide square = dot(t.u, t.u) + t.w * t.w;
    t.factor =
        lmbi_wide_select((lmbi_wide_int)(square > 1e-20f), 2.0f / square, lmbi_wide_splat(0));
    return t;
}

/// v + 2 / |q|^2 u x (u x v + w v)
LMBI_WIDE wide3 rotate(const blended_rotation *t, wide3 v)
{
    const wide3 across = cross(t->u, v);
    const wide3 twice =
        cross(t->u, (wide3){across.x + t->w * v.x, across.y + t->w * v.y, across.z + t->w * v.z});
    return (wide3){v.x + t->factor * twice.x, v.y + t->factor * twice.y, v.z + t->factor * twice.z};
}

LMBI_WIDE void store_rotated(const lmbi_linear_pass *p, const blended_rotation *t, unsigned outputs,
                             size_t lane, size_t base, size_t offset)
{
    if (outputs & HAS_NORMALS) {
        const wide3 n = unit_of(rotate(t, load3(p, p->normals, p->binding->normals, lane,
                                                base * 3 + offset, LMBI_NORMAL_SCALE)));
        const lmbi_rows out = rows_at(p, p->out_normals, p->normal_stride, lane);
        lmbi_scatter3(&out, n.x, n.y, n.z);
    }
    if (outputs & HAS_TANGENTS) {
        wide3 along;
        wide w;
        load4(p, lane, base * 4 + offset, &along, &w);
        const wide3 unit = unit_of(rotate(t, along));
        const lmbi_rows out = rows_at(p, p->out_tangents, p->tangent_stride, lane);
        lmbi_scatter4(&out, unit.x, unit.y, unit.z, w);
    }
}
