#include "simd/kernels.h"

lmb_simd lmb_simd_best(void)
{
#if LMBI_SIMD_X86
    // The compiler's runtime asks the processor, and the system for its wide registers, before
    // main; this reads the answer.
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        return LMB_SIMD_AVX512;
    }
    return __builtin_cpu_supports("avx2") ? LMB_SIMD_AVX2 : LMB_SIMD_SSE2;
#elif LMBI_SIMD_NEON
    return LMB_SIMD_NEON;
#elif LMBI_SIMD_WASM
    return LMB_SIMD_WASM;
#else
    return LMB_SIMD_SCALAR;
#endif
}

/// The fused kernels stand beside AVX2, AVX-512 and NEON.
static bool fuses(void)
{
#if LMBI_SIMD_X86
    return lmb_simd_best() >= LMB_SIMD_AVX2 && __builtin_cpu_supports("fma");
#else
    return LMBI_SIMD_NEON;
#endif
}

bool lmb_simd_runs(lmb_simd set)
{
    if (set == LMB_SIMD_FAST) {
        return fuses();
    }
    const lmb_simd best = lmb_simd_best();
    if (set == LMB_SIMD_SSE2 || set == LMB_SIMD_AVX2) {
        return LMBI_SIMD_X86 && set <= best;
    }
    return set == LMB_SIMD_BEST || set == LMB_SIMD_SCALAR || set == best;
}

lmb_simd lmbi_simd_resolve(lmb_simd set)
{
    return set != LMB_SIMD_BEST && set != LMB_SIMD_FAST && lmb_simd_runs(set) ? set
                                                                              : lmb_simd_best();
}

const char *lmb_simd_name(lmb_simd set)
{
    static const char *const names[] = {"best",   "scalar", "sse2", "avx2",
                                        "avx512", "neon",   "wasm", "fast"};
    return (unsigned)set < sizeof(names) / sizeof(names[0]) ? names[set] : "unknown";
}
