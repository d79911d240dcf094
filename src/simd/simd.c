#include "simd/kernels.h"

lmb_simd lmb_simd_best(void)
{
#if LMBI_SIMD_NEON
    const lmb_simd base = LMB_SIMD_NEON;
#elif LMBI_SIMD_WASM
    const lmb_simd base = LMB_SIMD_WASM;
#else
    const lmb_simd base = LMB_SIMD_SSE2;
#endif
    switch (lmbi_cpu_widest()) {
    case LMBI_CPU_AVX512:
        return LMB_SIMD_AVX512;
    case LMBI_CPU_AVX2:
        return LMB_SIMD_AVX2;
    case LMBI_CPU_BASE:
        return base;
    default:
        return LMB_SIMD_SCALAR;
    }
}

bool lmb_simd_runs(lmb_simd set)
{
    if (set == LMB_SIMD_FAST) {
        return lmbi_cpu_fuses();
    }
    const lmb_simd best = lmb_simd_best();
    if (set == LMB_SIMD_SSE2 || set == LMB_SIMD_AVX2) {
        const bool built = set == LMB_SIMD_SSE2 ? LMBI_HAS_SSE2 : LMBI_HAS_AVX2;
        return LMBI_SIMD_X86 && built && set <= best;
    }
    return set == LMB_SIMD_BEST || (set == LMB_SIMD_SCALAR && !LMBI_SIMD_WASM) || set == best;
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
