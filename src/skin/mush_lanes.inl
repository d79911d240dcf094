// Shared by the kernels of direct delta mush: vectors and matrices over lanes, loads and stores.
#include "skin/mush_kernels.h"

#include "simd/rows.h"
#include "simd/wide3.h"

typedef lmbi_wide wide;

/// Rows by columns.
typedef struct matrix {
    wide3 r[3];
} matrix;

LMBI_WIDE wide3 transform_direction(const matrix *m, wide3 v)
{
    return (wide3){dot(m->r[0], v), dot(m->r[1], v), dot(m->r[2], v)};
}

LMBI_WIDE wide3 load3(const float *from)
{
    return (wide3){lmbi_wide_load(from), lmbi_wide_load(from + LMBI_MUSH_LANES),
                   lmbi_wide_load(from + 2 * LMBI_MUSH_LANES)};
}

// ---- loads and stores

LMBI_WIDE wide3 load_input3(const uint8_t *given, const float *rest, const uint16_t *index,
                            size_t at)
{
    if (given != NULL) {
        const lmbi_rows rows = {(uint8_t *)(uintptr_t)given, sizeof(lmb_vec3), index};
        wide v[3];
        lmbi_gather3(&rows, v);
        return (wide3){v[0], v[1], v[2]};
    }
    return load3(rest + at);
}

LMBI_WIDE void store_directions(const lmbi_mush_pass *pass, const matrix *r, const uint16_t *index,
                                size_t at3, size_t at4)
{
    const lmb_mush *mush = pass->mush;
    if (pass->out_normals != NULL) {
        const wide3 n =
            transform_direction(r, load_input3(pass->normals, mush->normals, index, at3));
        const wide3 unit = unit_of(n);
        const lmbi_rows out = {pass->out_normals, pass->normal_stride, index};
        lmbi_scatter3(&out, unit.x, unit.y, unit.z);
    }
    if (pass->out_tangents != NULL) {
        wide v[4];
        if (pass->tangents != NULL) {
            const lmbi_rows rows = {(uint8_t *)(uintptr_t)pass->tangents, sizeof(lmb_vec4), index};
            lmbi_gather4(&rows, v);
        } else {
            for (int i = 0; i < 4; ++i) {
                v[i] = lmbi_wide_load(mush->tangents + at4 + (size_t)i * LMBI_MUSH_LANES);
            }
        }
        const wide3 t = transform_direction(r, (wide3){v[0], v[1], v[2]});
        const wide3 unit = unit_of(t);
        const lmbi_rows out = {pass->out_tangents, pass->tangent_stride, index};
        lmbi_scatter4(&out, unit.x, unit.y, unit.z, v[3]);
    }
}

LMBI_WIDE void store_positions(const lmbi_mush_pass *pass, const matrix *r, wide3 center, wide3 q,
                               const uint16_t *index, size_t at3)
{
    if (pass->out_positions != NULL) {
        const wide3 v = load_input3(pass->positions, pass->mush->positions, index, at3);
        const wide3 arm = {v.x - center.x, v.y - center.y, v.z - center.z};
        const wide3 moved = add(transform_direction(r, arm), q);
        const lmbi_rows out = {pass->out_positions, pass->position_stride, index};
        lmbi_scatter3(&out, moved.x, moved.y, moved.z);
    }
}

LMBI_WIDE wide3 splat3(float x, float y, float z)
{
    return (wide3){lmbi_wide_splat(x), lmbi_wide_splat(y), lmbi_wide_splat(z)};
}

/// Vertices whose neighbourhood has a single joint move rigidly with it.
LMBI_WIDE void store_rigid(const lmbi_mush_pass *pass, size_t b, uint32_t offset)
{
    const lmb_mush *mush = pass->mush;
    const size_t at3 = b * 3 * LMBI_MUSH_LANES + offset, at4 = b * 4 * LMBI_MUSH_LANES + offset;
    const uint16_t *index = mush->index + b * LMBI_MUSH_LANES + offset;
    const float *m = pass->palette[mush->joints[mush->blocks[b].joint_first]].m;
    const matrix r = {
        {splat3(m[0], m[4], m[8]), splat3(m[1], m[5], m[9]), splat3(m[2], m[6], m[10])}};
    store_positions(pass, &r, splat3(0, 0, 0), splat3(m[12], m[13], m[14]), index, at3);
    store_directions(pass, &r, index, at3, at4);
}
