/// Kernels of linear blend, rigid and dual quaternion skinning, for runs of blocks of 16 lanes and
/// of 8.
#ifndef SKIN_LINEAR_KERNELS_H
#define SKIN_LINEAR_KERNELS_H

#include <string.h>

#include "limber/skin.h"
#include "simd/kernels.h"
#include "skin/binding.h"

/// One chunk of a job. Inputs that are NULL come from the binding; outputs that are NULL are not
/// written.
typedef struct lmbi_linear_pass {
    const lmb_binding *binding;
    const lmb_mat4 *palette;
    const uint8_t *positions, *normals, *tangents; ///< of the chunk's first vertex
    uint8_t *out_positions, *out_normals, *out_tangents;
    size_t position_stride, normal_stride,
        tangent_stride; ///< of the outputs; inputs are tightly packed
    /// dual quaternions only, like `duals`
    const lmb_quat *rotations;
    /// [joint_count][8] of lmbi_dual_of; NULL: too many joints, converted run by run
    const float *duals;
    bool is_plain; ///< linear: no inputs are passed, outputs are tightly packed
    bool rigid;
    bool has_tiny; ///< a matrix has entries so small that products with them are slow denormals
} lmbi_linear_pass;

typedef struct lmbi_linear_kernels {
    /// `count` runs of one width and block size, see lmbi_runs_alike.
    void (*run)(const lmbi_linear_pass *pass, const lmbi_skin_run *runs, uint32_t count);
    /// Whether a matrix has entries that lmbi_drop_tiny drops; NULL for dual quaternions.
    bool (*has_tiny)(const lmb_mat4 *palette, uint32_t count);
} lmbi_linear_kernels;

LMBI_FUSED_KERNELS(lmbi_linear_kernels, lmbi_linear)      ///< runs of blocks of 16
LMBI_FUSED_KERNELS(lmbi_linear_kernels, lmbi_linear_half) ///< runs of one block of 8

typedef struct lmbi_loose_kernels {
    void (*run)(const lmbi_linear_pass *pass, const lmbi_loose_run *run);
} lmbi_loose_kernels;
LMBI_FUSED_KERNELS(lmbi_loose_kernels, lmbi_linear_loose)
LMBI_FUSED_KERNELS(lmbi_linear_kernels, lmbi_dual) ///< dual quaternions
LMBI_FUSED_KERNELS(lmbi_linear_kernels, lmbi_dual_half)
LMBI_FUSED_KERNELS(lmbi_loose_kernels, lmbi_dual_loose)

/// Matrix entries below these are treated as zero. This moves no vertex by 1e-12 of its
/// coordinates, and keeps denormals, which are slow, out of the kernels.
#define LMBI_TINY_LINEAR 0x1p-40f
#define LMBI_TINY_TRANSLATION 0x1p-100f

typedef int32_t lmbi_column_bits __attribute__((vector_size(16)));

static inline lmbi_column_bits lmbi_column_of(const float *column)
{
    lmbi_column_bits bits;
    memcpy(&bits, column, sizeof(bits));
    return bits;
}

/// All ones where an entry of column c is below the limit. Non-negative floats compare like
/// integers.
static inline lmbi_column_bits lmbi_tiny_entries(lmbi_column_bits bits, size_t c)
{
    const float limit = c < 3 ? LMBI_TINY_LINEAR : LMBI_TINY_TRANSLATION;
    int32_t limit_bits;
    memcpy(&limit_bits, &limit, sizeof(limit_bits));
    return (bits & INT32_MAX) < limit_bits;
}

/// Copies a matrix with its tiny entries set to zero.
static inline void lmbi_drop_tiny(const float *m, float *out)
{
    for (size_t c = 0; c < 4; ++c) {
        const lmbi_column_bits bits = lmbi_column_of(m + 4 * c);
        const lmbi_column_bits kept = bits & ~lmbi_tiny_entries(bits, c);
        memcpy(out + 4 * c, &kept, sizeof(kept));
    }
}

// Dual quaternion skinning with the options of lmb_skin_dual_job.

void lmbi_dual_options(const lmb_skin_dual_job *job);

#endif
