/// Converts rigid transforms to dual quaternions.
#ifndef SKIN_DUAL_PALETTE_H
#define SKIN_DUAL_PALETTE_H

#include "simd/four.h"

/// Flushes to zero the components whose products would be denormals, which are slow.
static inline lmbi_four lmbi_dual_flush_tiny(lmbi_four v)
{
    // Two comparisons: with one on the absolute value, clang 14 for WebAssembly does not terminate.
    const lmbi_four_bits is_large =
        (lmbi_four_bits)(v >= 0x1p-60f) | (lmbi_four_bits)(v <= -0x1p-60f);
    return (lmbi_four)((lmbi_four_bits)v & is_large);
}

/// Real part q and dual part t q / 2, x y z w each.
static inline void lmbi_dual_of(const lmb_quat *rotation, const lmb_mat4 *rigid, float out[8])
{
    const lmbi_four q = lmbi_four_load(rotation), t = lmbi_four_load(rigid->m + 12);
    lmbi_four dual = 0.5f * (t * q[3] + lmbi_four_cross(t, q));
    dual[3] = -0.5f * lmbi_four_dot3(t, q);
    dual = lmbi_dual_flush_tiny(dual);
    const lmbi_four real = lmbi_dual_flush_tiny(q);
    memcpy(out, &real, sizeof(real));
    memcpy(out + 4, &dual, sizeof(dual));
}

#endif
