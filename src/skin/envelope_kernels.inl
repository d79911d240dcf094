// Multi-weight enveloping of blocks of sixteen vertices. One vertex per lane.
#include "skin/envelope_kernels.h"

#include "simd/rows.h"
#include "simd/wide3.h"
#include "skin/binding.h"

typedef lmbi_wide wide;

typedef struct affine {
    wide3 r[3]; ///< rows of the linear part
    wide t[3];
} affine;

LMBI_WIDE wide3 transform_direction(const affine *m, wide3 v)
{
    return (wide3){dot(m->r[0], v), dot(m->r[1], v), dot(m->r[2], v)};
}

LMBI_WIDE wide3 transform_point(const affine *m, wide3 v)
{
    const wide3 p = transform_direction(m, v);
    return (wide3){p.x + m->t[0], p.y + m->t[1], p.z + m->t[2]};
}

// ---- loads

/// Row r of the matrix of each lane, which begins `stride` bytes after that of the index before.
LMBI_WIDE void load_row(const void *from, size_t stride, const uint16_t *index, bool is_mixed,
                        size_t r, wide out[4])
{
    const uint8_t *row = (const uint8_t *)from + r * 4 * sizeof(float);
    if (is_mixed) {
        const lmbi_rows rows = {(uint8_t *)(uintptr_t)row, stride, index};
        lmbi_gather4(&rows, out);
        return;
    }
    float same[4];
    memcpy(same, row + index[0] * stride, sizeof(same));
    for (int c = 0; c < 4; ++c) {
        out[c] = lmbi_wide_splat(same[c]);
    }
}

LMBI_WIDE affine load_affine(const void *from, size_t stride, const uint16_t *index, bool is_mixed)
{
    affine m;
    for (size_t r = 0; r < 3; ++r) {
        wide row[4];
        load_row(from, stride, index, is_mixed, r, row);
        m.r[r] = (wide3){row[0], row[1], row[2]};
        m.t[r] = row[3];
    }
    return m;
}

LMBI_WIDE wide3 load_vector(const uint8_t *from, const uint16_t *index, float factor)
{
    const lmbi_rows rows = {(uint8_t *)(uintptr_t)from, sizeof(lmb_vec3), index};
    wide v[3] = {{0}};
    if (from != NULL) {
        lmbi_gather3(&rows, v);
    }
    return (wide3){v[0] * factor, v[1] * factor, v[2] * factor};
}

// ---- steps

/// The lanes of one step.
typedef struct step {
    const lmbi_envelope_pass *pass;
    const lmbi_envelope_block *block;
    uint32_t offset; ///< first lane
    const uint16_t *index, *references;
} step;

/// Adds a joint's matrix, each entry by its own coefficient.
LMBI_WIDE void add_joint(const step *s, uint32_t k, affine *sum)
{
    const lmb_envelope_skin *e = s->pass->skin;
    const uint16_t *pairs =
        e->lane_pairs + (s->block->pair_first + (size_t)k) * LMBI_ENVELOPE_LANES + s->offset;
    const bool is_mixed = (s->block->mixed >> (1 + k) & 1) != 0;
    const float *from =
        e->coefficients + s->offset +
        (s->block->coefficient_first + LMBI_ENVELOPE_FIRST + (size_t)k * LMBI_ENVELOPE_OTHER) *
            LMBI_ENVELOPE_LANES;
    for (size_t r = 0; r < 3; ++r) {
        wide row[4];
        load_row(s->pass->relative, sizeof(*s->pass->relative), pairs, is_mixed, r, row);
        for (size_t c = 0; c < 4; ++c) {
            row[c] *= lmbi_wide_load(from + (4 * r + c) * LMBI_ENVELOPE_LANES);
        }
        sum->r[r] = add(sum->r[r], (wide3){row[0], row[1], row[2]});
        sum->t[r] += row[3];
    }
}

LMBI_WIDE affine blend(const step *s)
{
    const wide none = lmbi_wide_splat(0);
    const float *from =
        s->pass->skin->coefficients + s->offset + s->block->coefficient_first * LMBI_ENVELOPE_LANES;
    affine sum = {
        {{lmbi_wide_load(from), none, none},
         {none, lmbi_wide_load(from + LMBI_ENVELOPE_LANES), none},
         {none, none, lmbi_wide_load(from + (size_t)2 * LMBI_ENVELOPE_LANES)}},
        {none, none, none},
    };
    for (uint32_t k = 0; k < s->block->others; ++k) {
        add_joint(s, k, &sum);
    }
    return sum;
}

LMBI_WIDE affine frame_part(const step *s, const void *from)
{
    return load_affine(from, sizeof(lmbi_envelope_frame), s->references,
                       (s->block->mixed & 1) != 0);
}

/// Normals by cofactors, which take products apart as matrices do, and the sign of the determinant;
/// see lmbi_normal.
LMBI_WIDE wide3 normal_of(const step *s, const affine *sum, wide *determinant)
{
    const lmb_envelope_skin *e = s->pass->skin;
    const affine rest = frame_part(s, e->joint_from_bind->cofactors),
                 posed = frame_part(s, e->model_from_joint->cofactors);
    const affine cofactors = {
        {cross(sum->r[1], sum->r[2]), cross(sum->r[2], sum->r[0]), cross(sum->r[0], sum->r[1])},
        {sum->t[0], sum->t[1], sum->t[2]}};
    const wide blended = dot(sum->r[0], cofactors.r[0]);
    *determinant = lmbi_wide_flip_sign(lmbi_wide_flip_sign(blended, rest.t[0]), posed.t[0]);
    wide3 n = load_vector(s->pass->normals, s->index, LMBI_NORMAL_SCALE);
    n = transform_direction(&rest, n);
    n = transform_direction(&cofactors, n);
    n = transform_direction(&posed, n);
    return scale(n, lmbi_wide_flip_sign(lmbi_wide_inverse_root(dot(n, n)), *determinant));
}

/// Tangents by the linear parts, then Gram-Schmidt against the normal; see lmbi_tangent.
LMBI_WIDE void store_tangents(const step *s, const affine *rest, const affine *sum,
                              const affine *posed, wide3 normal, wide determinant)
{
    const lmbi_rows in = {(uint8_t *)(uintptr_t)s->pass->tangents, sizeof(lmb_vec4), s->index};
    wide v[4];
    lmbi_gather4(&in, v);
    wide3 t = transform_direction(rest, (wide3){v[0], v[1], v[2]});
    t = transform_direction(sum, t);
    t = transform_direction(posed, t);
    const wide along = dot(t, normal);
    const wide3 unit =
        unit_of((wide3){t.x - normal.x * along, t.y - normal.y * along, t.z - normal.z * along});
    const lmbi_rows out = {s->pass->out_tangents, sizeof(lmb_vec4), s->index};
    lmbi_scatter4(&out, unit.x, unit.y, unit.z, lmbi_wide_flip_sign(v[3], determinant));
}

LMBI_WIDE void envelop_step(const step *s)
{
    const lmbi_envelope_pass *pass = s->pass;
    const affine sum = blend(s);
    const affine rest = frame_part(s, pass->skin->joint_from_bind->rows),
                 posed = frame_part(s, pass->skin->model_from_joint->rows);
    if (pass->out_normals != NULL || pass->out_tangents != NULL) {
        wide determinant;
        const wide3 normal = normal_of(s, &sum, &determinant);
        if (pass->out_tangents != NULL) {
            store_tangents(s, &rest, &sum, &posed, normal, determinant);
        }
        if (pass->out_normals != NULL) {
            const lmbi_rows out = {pass->out_normals, sizeof(lmb_vec3), s->index};
            lmbi_scatter3(&out, normal.x, normal.y, normal.z);
        }
    }
    wide3 p = load_vector(pass->positions, s->index, 1);
    p = transform_point(&rest, p);
    p = transform_point(&sum, p);
    p = transform_point(&posed, p);
    const lmbi_rows out = {pass->out_positions, sizeof(lmb_vec3), s->index};
    lmbi_scatter3(&out, p.x, p.y, p.z);
}

static void envelop_blocks(const lmbi_envelope_pass *pass, uint32_t block_begin, uint32_t block_end)
{
    const lmb_envelope_skin *e = pass->skin;
    for (uint32_t b = block_begin; b < block_end; ++b) {
        // Padding lanes repeat a vertex of the same step, which is read before any is written.
        for (uint32_t lane = 0; lane < e->blocks[b].count; lane += LMBI_LANES) {
            const size_t at = (size_t)b * LMBI_ENVELOPE_LANES + lane;
            envelop_step(&(step){pass, &e->blocks[b], lane, e->index + at, e->references + at});
        }
    }
}

LMBI_ALSO_FUSED
const lmbi_envelope_kernels LMBI_TABLE(lmbi_envelope) = {envelop_blocks};
