// Linear blend skinning of runs of blocks of BLOCK_LANES lanes. Every function is inlined into
// run_blocks with constant width and outputs, so that the blended matrix stays in registers.
#include "skin/lanes.inl"
#include "skin/vertices.inl"

/// A blended matrix: three columns of the linear part, and the translation.
typedef struct blended {
    wide3 c[4];
} blended;

/// The matrices of a run of up to four joints: the last as it is, the others minus the last.
/// Weights sum to 1, so the blend is M_last + sum of w_k (M_k - M_last).
typedef struct matrices {
    /// Aligned because single entries are read right after whole matrices are stored, which is slow
    /// across cache lines.
    _Alignas(64) float m[4][16];
} matrices;

/// The linear part times v.
LMBI_WIDE wide3 transform_direction(const blended *m, wide3 v)
{
    return (wide3){m->c[0].x * v.x + m->c[1].x * v.y + m->c[2].x * v.z,
                   m->c[0].y * v.x + m->c[1].y * v.y + m->c[2].y * v.z,
                   m->c[0].z * v.x + m->c[1].z * v.y + m->c[2].z * v.z};
}

// ---- weights

LMBI_WIDE void load_weights(const step_weights *from, uint32_t count, wide *weights)
{
    for (uint32_t k = 0; k < count; ++k) {
        weights[k] = weight_at(from, k);
    }
}

// ---- blending

/// Entry e of the blend of up to four matrices; `width` is a constant.
LMBI_WIDE wide entry(const matrices *of, const wide *weights, uint32_t width, int e)
{
    if (width == 1) {
        return lmbi_wide_splat(of->m[0][e]);
    }
    wide sum = weights[0] * of->m[0][e] + of->m[width - 1][e];
    if (width > 2) {
        sum += weights[1] * of->m[1][e];
    }
    if (width > 3) {
        sum += weights[2] * of->m[2][e];
    }
    return sum;
}

LMBI_WIDE wide3 column(const matrices *of, const wide *weights, uint32_t width, int c)
{
    return (wide3){entry(of, weights, width, 4 * c), entry(of, weights, width, 4 * c + 1),
                   entry(of, weights, width, 4 * c + 2)};
}

LMBI_WIDE blended blend_few(const matrices *of, const wide *weights, uint32_t width)
{
    return (blended){{column(of, weights, width, 0), column(of, weights, width, 1),
                      column(of, weights, width, 2), column(of, weights, width, 3)}};
}

LMBI_WIDE void add_matrix(blended *sum, const lmbi_linear_pass *pass, uint16_t joint, wide weight)
{
    float cleaned[16];
    const float *m = pass->palette[joint].m;
    if (pass->has_tiny) {
        lmbi_drop_tiny(m, cleaned);
        m = cleaned;
    }
    for (int c = 0; c < 4; ++c) {
        sum->c[c].x += weight * m[4 * c];
        sum->c[c].y += weight * m[4 * c + 1];
        sum->c[c].z += weight * m[4 * c + 2];
    }
}

LMBI_WIDE blended blend_many(const lmbi_linear_pass *pass, const lmbi_skin_run *run,
                             const step_weights *from)
{
    const uint16_t *joints = pass->binding->joints + run->joint_first;
    wide left = lmbi_wide_splat(1.0f);
    blended sum = {{{{0}}}};
    for (uint32_t k = 0; k + 1 < run->width; ++k) {
        const wide weight = weight_at(from, k);
        left = left - weight;
        add_matrix(&sum, pass, joints[k], weight);
    }
    add_matrix(&sum, pass, joints[run->width - 1], left);
    return sum;
}

/// Selects the matrix of the joint with the largest weight.
LMBI_WIDE blended blend_rigid(const lmbi_linear_pass *pass, const lmbi_skin_run *run,
                              const uint8_t *strongest)
{
    const uint16_t *joints = pass->binding->joints + run->joint_first;
    const lmbi_wide_int which = lmbi_wide_int_from_u8(strongest);
    blended sum = {{{{0}}}};
    for (uint32_t k = 0; k < run->width; ++k) {
        const lmbi_wide_int chosen = (lmbi_wide_int)(which == (int32_t)k);
        add_matrix(&sum, pass, joints[k],
                   lmbi_wide_select(chosen, lmbi_wide_splat(1.0f), lmbi_wide_splat(0.0f)));
    }
    return sum;
}

// ---- loads and stores

/// Normals by the cofactors of the linear part and the sign of its determinant; tangents by the
/// linear part, then Gram-Schmidt against the normal (see lmbi_normal and lmbi_tangent).
LMBI_WIDE void store_directions(const lmbi_linear_pass *pass, const blended *m, unsigned outputs,
                                const vertices *v)
{
    const wide3 x = cross(m->c[1], m->c[2]), y = cross(m->c[2], m->c[0]),
                z = cross(m->c[0], m->c[1]);
    const wide determinant = dot(m->c[0], x);
    wide3 normal = {lmbi_wide_splat(0), lmbi_wide_splat(0), lmbi_wide_splat(0)};
    if (outputs & HAS_NORMALS) {
        const wide3 n = load_input3(v, pass->normals, pass->binding->normals,
                                    pass->binding->loose_normals, LMBI_NORMAL_SCALE);
        const wide3 sum = {x.x * n.x + y.x * n.y + z.x * n.z, x.y * n.x + y.y * n.y + z.y * n.z,
                           x.z * n.x + y.z * n.y + z.z * n.z};
        normal =
            scale(sum, lmbi_wide_flip_sign(lmbi_wide_inverse_root(dot(sum, sum)), determinant));
    }
    if (outputs & HAS_TANGENTS) {
        wide w;
        const wide3 moved = transform_direction(m, load_tangents(pass, v, &w));
        const wide along = dot(moved, normal);
        const wide3 flat = {moved.x - normal.x * along, moved.y - normal.y * along,
                            moved.z - normal.z * along};
        const wide3 unit = scale(flat, lmbi_wide_inverse_root(dot(flat, flat)));
        const lmbi_rows out = output_rows(v, pass->out_tangents, pass->tangent_stride);
        lmbi_scatter4(&out, unit.x, unit.y, unit.z, lmbi_wide_flip_sign(w, determinant));
    }
    if ((outputs & HAS_NORMALS) && pass->out_normals != NULL) {
        store3(v, pass->out_normals, pass->normal_stride, normal);
    }
}

LMBI_WIDE void store_vertices(const lmbi_linear_pass *pass, const blended *m, unsigned outputs,
                              const vertices *v)
{
    if (outputs & (HAS_NORMALS | HAS_TANGENTS)) {
        store_directions(pass, m, outputs, v);
    }
    if (outputs & HAS_POSITIONS) {
        const wide3 p = load_input3(v, pass->positions, pass->binding->positions,
                                    pass->binding->loose_positions, 1);
        const wide3 rotated = transform_direction(m, p);
        store3(v, pass->out_positions, pass->position_stride,
               (wide3){rotated.x + m->c[3].x, rotated.y + m->c[3].y, rotated.z + m->c[3].z});
    }
}

/// Attributes to compute. Tangents need the normals, too.
LMBI_WIDE unsigned needed_outputs(const lmbi_linear_pass *pass, const void *normals_at_rest)
{
    const bool normals = (pass->out_normals != NULL || pass->out_tangents != NULL) &&
                         (pass->normals != NULL || normals_at_rest != NULL);
    return (pass->out_positions != NULL ? HAS_POSITIONS : 0u) | (normals ? HAS_NORMALS : 0u) |
           (pass->out_tangents != NULL ? HAS_TANGENTS : 0u);
}

// ---- runs

/// A palette matrix in as few registers as it fits.
typedef struct matrix_registers {
    wide part[16 / LMBI_LANES];
} matrix_registers;

LMBI_WIDE matrix_registers load_matrix(const lmbi_linear_pass *pass, uint16_t joint)
{
    float cleaned[16];
    const float *m = pass->palette[joint].m;
    matrix_registers out;
    if (pass->has_tiny) {
        lmbi_drop_tiny(m, cleaned);
        m = cleaned;
    }
    for (int i = 0; i < 16 / LMBI_LANES; ++i) {
        out.part[i] = lmbi_wide_load(m + (ptrdiff_t)i * LMBI_LANES);
    }
    return out;
}

LMBI_WIDE void load_matrices(const lmbi_linear_pass *pass, const lmbi_skin_run *run, uint32_t width,
                             matrices *of)
{
    const uint16_t *joints = pass->binding->joints + run->joint_first;
    if (width == 0) {
        return;
    }
    const matrix_registers last = load_matrix(pass, joints[width - 1]);
    for (int i = 0; i < 16 / LMBI_LANES; ++i) {
        lmbi_wide_store(of->m[width - 1] + (ptrdiff_t)i * LMBI_LANES, last.part[i]);
    }
    for (uint32_t k = 0; k + 1 < width; ++k) {
        const matrix_registers m = load_matrix(pass, joints[k]);
        for (int i = 0; i < 16 / LMBI_LANES; ++i) {
            lmbi_wide_store(of->m[k] + (ptrdiff_t)i * LMBI_LANES, m.part[i] - last.part[i]);
        }
    }
}

// Other deformers that blend matrices use only the functions above.
#ifndef LMBI_BLEND_ALONE

enum kind { LINEAR, RIGID };

/// Whether the vertices of a run are contiguous in tightly packed outputs, and all inputs come from
/// the binding. Indices are ascending.
LMBI_WIDE bool is_contiguous(const lmbi_linear_pass *pass, const lmbi_skin_run *run)
{
    const uint16_t *index = pass->binding->index + run->lane_first;
    return LMBI_LANES >= 4 && pass->is_plain &&
           index[run->count - 1] - index[0] == (int)run->count - 1;
}

/// `width` is a constant of 1 to 4, or 0 for any; `outputs`, `kind` and `contiguous` are
/// constants.
LMBI_WIDE void run_steps(const lmbi_linear_pass *pass, const lmbi_skin_run *run, uint32_t width,
                         unsigned outputs, enum kind kind, bool contiguous)
{
    matrices of;
    blended m = {{{{0}}}};
    wide weights[3];
    load_matrices(pass, run, width, &of);
    if (width == 1) {
        m = blend_few(&of, weights, 1);
    }
    // Padding lanes repeat a vertex of the same step, which is read before any is written.
    for (size_t i = 0; i < run->count; i += LMBI_LANES) {
        const size_t offset = i % BLOCK_LANES, base = run->lane_first + i - offset;
        const step_weights from = weights_of(pass->binding, run, i, offset);
        if (kind == RIGID) {
            m = blend_rigid(pass, run, pass->binding->strongest + base + offset);
        } else if (width == 0) {
            m = blend_many(pass, run, &from);
        } else if (width > 1) {
            // Stops the compiler from broadcasting all entries ahead of the loop and spilling them:
            // most runs are short.
            __asm__("" : "+m"(of));
            load_weights(&from, width - 1, weights);
            m = blend_few(&of, weights, width);
        }
        const int left = (int)(run->count - i);
        const vertices v = {.index = pass->binding->index + base + offset,
                            .base = base,
                            .offset = offset,
                            .contiguous = contiguous,
                            .count = left < LMBI_LANES ? left : LMBI_LANES};
        store_vertices(pass, &m, outputs, &v);
    }
}

LMBI_WIDE void run_one(const lmbi_linear_pass *pass, const lmbi_skin_run *run, uint32_t width,
                       unsigned outputs, enum kind kind)
{
    if (kind == LINEAR && is_contiguous(pass, run)) {
        run_steps(pass, run, width, outputs, kind, true);
    } else {
        run_steps(pass, run, width, outputs, kind, false);
    }
}

LMBI_WIDE void run_width(const lmbi_linear_pass *pass, const lmbi_skin_run *runs, uint32_t count,
                         uint32_t width, unsigned outputs, enum kind kind)
{
    for (uint32_t r = 0; r < count; ++r) {
        run_one(pass, &runs[r], width, outputs, kind);
    }
}

/// Non-negative floats compare like integers. The last row of a matrix is 0 0 0 1.
static bool has_tiny(const lmb_mat4 *palette, uint32_t count)
{
    _Alignas(64) float limits[16];
    for (int e = 0; e < 16; ++e) {
        limits[e] = e < 12 ? LMBI_TINY_LINEAR : LMBI_TINY_TRANSLATION;
    }
    lmbi_wide_int tiny = {0};
    for (uint32_t j = 0; j < count; ++j) {
        for (int e = 0; e < 16; e += LMBI_LANES) {
            const lmbi_wide_int bits = lmbi_wide_bits(lmbi_wide_load(palette[j].m + e)) & INT32_MAX;
            tiny |= (lmbi_wide_int)(bits < lmbi_wide_bits(lmbi_wide_load(limits + e))) &
                    (lmbi_wide_int)(bits != 0);
        }
    }
    return lmbi_wide_any(tiny) != 0;
}

#define RUN_PARAMETERS const lmbi_linear_pass *pass, const lmbi_skin_run *runs, uint32_t count
#define RUN(width, outputs) run_width(pass, runs, count, width, outputs, LINEAR)
#define OUTPUTS needed_outputs(pass, pass->binding->normals)
#include "skin/shapes.inl"

static __attribute__((noinline)) void run_rigid(RUN_PARAMETERS)
{
    run_width(pass, runs, count, 0, OUTPUTS, RIGID);
}

static void run_blocks(RUN_PARAMETERS)
{
    if (pass->rigid) {
        run_rigid(pass, runs, count);
    } else {
        SHAPES[shape_row(OUTPUTS)][runs->width <= 4 ? runs->width : 0](pass, runs, count);
    }
}

#endif
