#include "linalg/kernels.h"

#include "base/cpu.h"

#define KERNELS lmbi_kernels_base
#if defined(LMBI_FORCE_SCALAR)
#define LANES 1
#else
#define LANES 2
#endif
#include "linalg/kernels.inl"

const lmbi_kernels *lmbi_kernels_pick(void)
{
#if defined(__x86_64__)
    const lmbi_cpu widest = lmbi_cpu_widest();
    if (widest >= LMBI_CPU_AVX2) {
        return widest == LMBI_CPU_AVX512 ? &lmbi_kernels_avx512 : &lmbi_kernels_avx2;
    }
#endif
    return &lmbi_kernels_base;
}
