// Shared by the skinning kernels: vectors over lanes, loads of inputs and weights. The including
// file defines BLOCK_LANES, and LMBI_LANES_AT_MOST for blocks of 8.
#include "simd/rows.h"
#include "simd/wide3.h"
#include "skin/linear_kernels.h"

typedef lmbi_wide wide;

/// Rows of a mesh-order array for the lanes from `lane` on.
LMBI_WIDE lmbi_rows rows_at(const lmbi_linear_pass *pass, const uint8_t *from, size_t stride,
                            size_t lane)
{
    return (lmbi_rows){(uint8_t *)(uintptr_t)from, stride, pass->binding->index + lane};
}

LMBI_WIDE wide3 load3(const lmbi_linear_pass *pass, const uint8_t *given, const float *rest,
                      size_t lane, size_t at, float factor)
{
    wide v[3];
    if (given != NULL) {
        const lmbi_rows rows = rows_at(pass, given, sizeof(lmb_vec3), lane);
        lmbi_gather3(&rows, v);
        return (wide3){v[0] * factor, v[1] * factor, v[2] * factor};
    }
    return (wide3){lmbi_wide_load(rest + at), lmbi_wide_load(rest + at + BLOCK_LANES),
                   lmbi_wide_load(rest + at + 2 * BLOCK_LANES)};
}

LMBI_WIDE void load4(const lmbi_linear_pass *pass, size_t lane, size_t at, wide3 *t, wide *w)
{
    wide v[4];
    if (pass->tangents != NULL) {
        const lmbi_rows rows = rows_at(pass, pass->tangents, sizeof(lmb_vec4), lane);
        lmbi_gather4(&rows, v);
    } else {
        for (int k = 0; k < 4; ++k) {
            v[k] = lmbi_wide_load(pass->binding->tangents + at + (size_t)k * BLOCK_LANES);
        }
    }
    *t = (wide3){v[0], v[1], v[2]};
    *w = v[3];
}

/// All weights of a step's lanes but the last, which is 1 minus their sum. One of the two is NULL.
typedef struct step_weights {
    const float *floats;
    const uint16_t *shorts; ///< in steps of 2^-16
} step_weights;

/// Weights of the lanes from `offset` on, in the block that begins with vertex `i` - `offset` of
/// the run.
LMBI_WIDE step_weights weights_of(const lmb_binding *binding, const lmbi_skin_run *run, size_t i,
                                  size_t offset)
{
    const size_t at = run->weight_first + (i - offset) * (run->width - 1) + offset;
    return lmbi_run_has_shorts(binding, run) ? (step_weights){NULL, binding->shorts + at}
                                             : (step_weights){binding->weights + at, NULL};
}

LMBI_WIDE wide weight_at(const step_weights *from, uint32_t k)
{
    const size_t at = (size_t)k * BLOCK_LANES;
    return from->shorts != NULL
               ? lmbi_wide_from_int(lmbi_wide_int_from_u16(from->shorts + at)) * 0x1p-16f
               : lmbi_wide_load(from->floats + at);
}

/// Attributes that a job computes.
enum { HAS_POSITIONS = 1, HAS_NORMALS = 2, HAS_TANGENTS = 4 };

LMBI_WIDE unsigned requested_outputs(const lmbi_linear_pass *pass)
{
    return (pass->out_positions != NULL ? HAS_POSITIONS : 0u) |
           (pass->out_normals != NULL ? HAS_NORMALS : 0u) |
           (pass->out_tangents != NULL ? HAS_TANGENTS : 0u);
}
