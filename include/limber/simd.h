/// Which vector instructions the kernels use. Every kernel gives the same bits with each of the
/// sets, so the choice is one of speed alone; leave it at zero. LMB_SIMD_FAST gives up those bits.
#ifndef LIMBER_SIMD_H
#define LIMBER_SIMD_H

#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lmb_simd {
    LMB_SIMD_BEST = 0, ///< the widest that this machine runs
    LMB_SIMD_SCALAR,
    LMB_SIMD_SSE2,
    LMB_SIMD_AVX2,
    LMB_SIMD_AVX512, ///< F, BW, DQ and VL
    LMB_SIMD_NEON,
    LMB_SIMD_WASM, ///< WebAssembly's simd128
    /// The best set with products and sums fused where the machine does that and the kernel offers
    /// it (those of skinning and blending do): last digits then differ from machine to machine,
    /// never from run to run. For pictures, not for what is compared or stored.
    LMB_SIMD_FAST,
} lmb_simd;
enum { LMB_SIMD_COUNT = 7 }; ///< those that give the same bits

/// What LMB_SIMD_BEST means here.
LMB_API lmb_simd lmb_simd_best(void);
/// Whether this build has kernels for the set and this machine can run them; for LMB_SIMD_FAST,
/// whether there is anything to fuse. A job that asks for
/// one that does not run gets the best.
LMB_API bool lmb_simd_runs(lmb_simd set);
/// "scalar", "sse2", "avx2", "avx512", "neon", "wasm"; "best" and "fast" for those.
LMB_API const char *lmb_simd_name(lmb_simd set);

#ifdef __cplusplus
}
#endif
#endif
