#include "base/cpu.h"

#include <stddef.h>

static lmbi_cpu machine_widest(void)
{
#if LMBI_SIMD_X86
    // The compiler's runtime queries the processor, and the system's support of wide registers,
    // before main; this reads the result.
    __builtin_cpu_init();
    if (LMBI_HAS_AVX512 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw")) {
        return LMBI_CPU_AVX512;
    }
    if (LMBI_HAS_AVX2 && __builtin_cpu_supports("avx2")) {
        return LMBI_CPU_AVX2;
    }
    return LMBI_HAS_SSE2 ? LMBI_CPU_BASE : LMBI_CPU_SCALAR;
#elif LMBI_SIMD_NEON || LMBI_SIMD_WASM
    return LMBI_CPU_BASE;
#else
    return LMBI_CPU_SCALAR;
#endif
}

/// The next level down that the build has kernels for: LIMBER_SETS may leave some out.
static lmbi_cpu built_level(lmbi_cpu level)
{
#if LMBI_SIMD_X86
    level = level == LMBI_CPU_AVX2 && !LMBI_HAS_AVX2 ? LMBI_CPU_BASE : level;
    level = level == LMBI_CPU_BASE && !LMBI_HAS_SSE2 ? LMBI_CPU_SCALAR : level;
#endif
    return level;
}

lmbi_cpu lmbi_cpu_widest(void)
{
    const lmbi_cpu widest = machine_widest();
    if (lmbi_cpu_limit == NULL || LMBI_SIMD_WASM) { // where there is one set only
        return widest;
    }
    const lmbi_cpu limit = lmbi_cpu_limit();
    return limit < widest ? built_level(limit) : widest;
}

bool lmbi_cpu_fuses(void)
{
#if LMBI_SIMD_X86
    return lmbi_cpu_widest() >= LMBI_CPU_AVX2 && __builtin_cpu_supports("fma");
#else
    return LMBI_SIMD_NEON && lmbi_cpu_widest() == LMBI_CPU_BASE;
#endif
}
