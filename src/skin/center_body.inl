// Skinning about centres of rotation of the blocks of BLOCK_LANES lanes of a run (Le and Hodgins 2016, algorithm 2).
#define LMBI_BLEND_ALONE
#include "skin/linear_body.inl"

#include "skin/center_kernels.h"

/// The rotations of a run, each in the hemisphere of the first.
typedef struct rotations {
    lmb_quat q[LMBI_SKIN_WIDEST_RUN];
    /// Some two of them are in opposite hemispheres all the same: which signs are right depends on the vertex.
    bool are_split;
} rotations;

/// A blended rotation that need not be unit: turns by 2 / |q|^2.
typedef struct turning {
    wide3 u;
    wide w, factor;
} turning;

static rotations load_rotations(const lmbi_center_pass *pass, const uint16_t *joints,
                                uint32_t width)
{
    rotations of = {.are_split = false};
    for (uint32_t k = 0; k < width; ++k) {
        const lmb_quat q = pass->rotations[joints[k]];
        const float sign = k > 0 && lmb_quat_dot(q, of.q[0]) < 0 ? -1.0f : 1.0f;
        of.q[k] = (lmb_quat){q.x * sign, q.y * sign, q.z * sign, q.w * sign};
        for (uint32_t i = 1; i < k; ++i) {
            of.are_split = of.are_split || lmb_quat_dot(of.q[k], of.q[i]) < 0;
        }
    }
    return of;
}

/// Turns the weights of rotations negative that are not in the hemisphere of the one that pulls most, lane by lane.
LMBI_WIDE void choose_signs(const rotations *of, const uint8_t *strongest, uint32_t width,
                            wide *weights)
{
    const lmbi_wide_int which = lmbi_wide_int_from_u8(strongest);
    for (uint32_t k = 0; k < width; ++k) {
        wide sign = lmbi_wide_splat(1);
        for (uint32_t i = 0; i < width; ++i) {
            const float toward = lmb_quat_dot(of->q[k], of->q[i]) < 0 ? -1.0f : 1.0f;
            sign = lmbi_wide_select((lmbi_wide_int)(which == (int32_t)i), lmbi_wide_splat(toward),
                                    sign);
        }
        weights[k] *= sign;
    }
}

LMBI_WIDE turning blend_rotations(const rotations *of, const wide *weights, uint32_t width)
{
    turning t = {
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
LMBI_WIDE wide3 rotate(const turning *t, wide3 v)
{
    const wide3 across = cross(t->u, v);
    const wide3 twice =
        cross(t->u, (wide3){across.x + t->w * v.x, across.y + t->w * v.y, across.z + t->w * v.z});
    return (wide3){v.x + t->factor * twice.x, v.y + t->factor * twice.y, v.z + t->factor * twice.z};
}

LMBI_WIDE wide3 unit_of(wide3 v)
{
    return scale(v, inverse_root(dot(v, v)));
}

LMBI_WIDE void put_turned(const lmbi_center_pass *pass, const turning *t, unsigned outputs,
                          size_t lane, size_t base, size_t offset)
{
    const lmbi_linear_pass *p = &pass->linear;
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

/// The lanes from `lane` of the run on; `base` is the first lane of their block, `offset` what lies between.
LMBI_WIDE void put_centered(const lmbi_center_pass *pass, const blended *m, const turning *t,
                            unsigned outputs, size_t base, size_t offset)
{
    const lmbi_linear_pass *p = &pass->linear;
    const size_t lane = base + offset;
    put_turned(pass, t, outputs, lane, base, offset);
    if (outputs & HAS_POSITIONS) {
        const wide3 v = load3(p, p->positions, p->binding->positions, lane, base * 3 + offset, 1);
        const lmbi_rows rows = rows_at(p, pass->centers, sizeof(lmb_vec3), lane);
        wide at_center[3];
        lmbi_gather3(&rows, at_center);
        const wide3 c = {at_center[0], at_center[1], at_center[2]};
        const wide3 arm = rotate(t, (wide3){v.x - c.x, v.y - c.y, v.z - c.z}), at = turn(m, c);
        const lmbi_rows out = rows_at(p, p->out_positions, p->position_stride, lane);
        lmbi_scatter3(&out, arm.x + (at.x + m->c[3].x), arm.y + (at.y + m->c[3].y),
                      arm.z + (at.z + m->c[3].z));
    }
}

/// `width` is a constant of 2 to 4, or 0 for any; `outputs` is a constant, too.
LMBI_WIDE void run_width(const lmbi_center_pass *pass, const lmbi_skin_run *run, uint32_t width,
                         unsigned outputs)
{
    const lmbi_linear_pass *p = &pass->linear;
    const span blocks = span_of(run);
    const uint16_t *joints = p->binding->joints + run->joint_first;
    const uint32_t real_width = width > 0 ? width : run->width;
    const rotations turns = load_rotations(pass, joints, real_width);
    matrices of;
    load_matrices(p, run, width, &of);
    // A last step holds all vertices that its padding repeats: it reads them before it writes any.
    for (size_t i = 0; i < blocks.count; i += LMBI_LANES) {
        const size_t offset = i % BLOCK_LANES, base = blocks.lane + i - offset;
        const float *from =
            p->binding->weights + blocks.weight + (i - offset) * (real_width - 1) + offset;
        wide weights[LMBI_SKIN_WIDEST_RUN];
        load_weights(from, real_width, weights);
        const blended m =
            width > 0 ? blend_few(&of, weights, width) : blend_many(p, joints, weights, real_width);
        if (turns.are_split) {
            choose_signs(&turns, p->binding->strongest + base + offset, real_width, weights);
        }
        const turning t = blend_rotations(&turns, weights, real_width);
        put_centered(pass, &m, &t, outputs, base, offset);
    }
}

LMBI_WIDE void run_outputs(const lmbi_center_pass *pass, const lmbi_skin_run *run, unsigned outputs)
{
    switch (run->width) {
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

static void run_blocks(const lmbi_center_pass *pass, const lmbi_skin_run *run)
{
    const unsigned outputs = (pass->linear.out_positions != NULL ? HAS_POSITIONS : 0u) |
                             (pass->linear.out_normals != NULL ? HAS_NORMALS : 0u) |
                             (pass->linear.out_tangents != NULL ? HAS_TANGENTS : 0u);
    switch (outputs) {
    case HAS_POSITIONS:
        run_outputs(pass, run, HAS_POSITIONS);
        break;
    case HAS_POSITIONS | HAS_NORMALS:
        run_outputs(pass, run, HAS_POSITIONS | HAS_NORMALS);
        break;
    default:
        run_width(pass, run, 0, outputs);
        break;
    }
}
