/// Declaring kernels and choosing between instruction sets. A kernel is one body,
/// src/<room>/<name>_kernels.inl, that the build compiles once per instruction set:
///
///     // blend_kernels.h
///     typedef struct lmbi_blend_kernels {
///         void (*blend)(const blend_piece *piece);
///     } lmbi_blend_kernels;
///     LMBI_KERNELS(lmbi_blend_kernels, lmbi_blend)
///
///     // blend_kernels.inl
///     #include "anim/blend_kernels.h"
///     #include "simd/wide.h"
///     static void blend(const blend_piece *piece) { … }
///     const lmbi_blend_kernels LMBI_TABLE(lmbi_blend) = {blend};
///
///     // the caller
///     lmbi_blend_pick(job->simd)->blend(&piece);
#ifndef SIMD_KERNELS_H
#define SIMD_KERNELS_H

#include "base/cpu.h"
#include "limber/simd.h"

/// The instruction set to use: the given one if this machine has it, otherwise the best.
lmb_simd lmbi_simd_resolve(lmb_simd set);

#if LMBI_HAS_SSE2
#define LMBI_CASE_SSE2(name) \
    case LMB_SIMD_SSE2:      \
        return &name##_sse2;
#else
#define LMBI_CASE_SSE2(name)
#endif
#if LMBI_HAS_AVX2
#define LMBI_CASE_AVX2(name) \
    case LMB_SIMD_AVX2:      \
        return &name##_avx2;
#else
#define LMBI_CASE_AVX2(name)
#endif
#if LMBI_HAS_AVX512
#define LMBI_CASE_AVX512(name) \
    case LMB_SIMD_AVX512:      \
        return &name##_avx512;
#else
#define LMBI_CASE_AVX512(name)
#endif

#if LMBI_SIMD_X86
#define LMBI_KERNELS_AS(type, name, pick)                                     \
    extern const type name##_scalar, name##_sse2, name##_avx2, name##_avx512; \
    static inline const type *pick(lmb_simd set)                              \
    {                                                                         \
        switch (lmbi_simd_resolve(set)) {                                     \
            LMBI_CASE_AVX512(name)                                            \
            LMBI_CASE_AVX2(name)                                              \
            LMBI_CASE_SSE2(name)                                              \
        default:                                                              \
            return &name##_scalar;                                            \
        }                                                                     \
    }
#elif LMBI_SIMD_NEON
#define LMBI_KERNELS_AS(type, name, pick)                                                 \
    extern const type name##_scalar, name##_neon;                                         \
    static inline const type *pick(lmb_simd set)                                          \
    {                                                                                     \
        return lmbi_simd_resolve(set) == LMB_SIMD_SCALAR ? &name##_scalar : &name##_neon; \
    }
#elif LMBI_SIMD_WASM
// Whoever runs the module loads it first: it comes without the scalar bodies, which nothing there needs.
#define LMBI_KERNELS_AS(type, name, pick)        \
    extern const type name##_wasm;               \
    static inline const type *pick(lmb_simd set) \
    {                                            \
        (void)set;                               \
        return &name##_wasm;                     \
    }
#else
#define LMBI_KERNELS_AS(type, name, pick)        \
    extern const type name##_scalar;             \
    static inline const type *pick(lmb_simd set) \
    {                                            \
        (void)set;                               \
        return &name##_scalar;                   \
    }
#endif
#define LMBI_KERNELS(type, name) LMBI_KERNELS_AS(type, name, name##_pick)

// Kernels that are also compiled with fused multiply-add, for LMB_SIMD_FAST. The build finds their
// bodies by a line LMBI_ALSO_FUSED.
#if LMBI_SIMD_X86 && LMBI_HAS_AVX2
#if LMBI_HAS_AVX512
#define LMBI_FUSED_WIDEST(name) \
    (lmb_simd_best() == LMB_SIMD_AVX512 ? &name##_avx512fused : &name##_avx2fused)
#else
#define LMBI_FUSED_WIDEST(name) (&name##_avx2fused)
#endif
#define LMBI_FUSED_KERNELS(type, name)                                              \
    LMBI_KERNELS_AS(type, name, name##_exact_pick)                                  \
    extern const type name##_avx2fused, name##_avx512fused;                         \
    static inline const type *name##_pick(lmb_simd set)                             \
    {                                                                               \
        return set == LMB_SIMD_FAST && lmb_simd_runs(set) ? LMBI_FUSED_WIDEST(name) \
                                                          : name##_exact_pick(set); \
    }
#elif LMBI_SIMD_NEON
#define LMBI_FUSED_KERNELS(type, name)                                              \
    LMBI_KERNELS_AS(type, name, name##_exact_pick)                                  \
    extern const type name##_neonfused;                                             \
    static inline const type *name##_pick(lmb_simd set)                             \
    {                                                                               \
        return set == LMB_SIMD_FAST && lmb_simd_runs(set) ? &name##_neonfused       \
                                                          : name##_exact_pick(set); \
    }
#else
#define LMBI_FUSED_KERNELS(type, name) LMBI_KERNELS(type, name)
#endif
#define LMBI_ALSO_FUSED

// ---- for kernel bodies: the build defines LMBI_SET as the name of the instruction set

#define LMBI_PASTE2(a, b) a##_##b
#define LMBI_PASTE(a, b) LMBI_PASTE2(a, b)
/// The name of this set's table; each *_kernels.inl defines it once.
#define LMBI_TABLE(name) LMBI_PASTE(name, LMBI_SET)

#endif
