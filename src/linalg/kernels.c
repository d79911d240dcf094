#include "linalg/kernels.h"

#define KERNELS lmbi_kernels_base
#if defined(LMBI_FORCE_SCALAR)
#define LANES 1
#else
#define LANES 2
#endif
#include "linalg/kernels.inl"

const lmbi_kernels *lmbi_kernels_pick(void)
{
#if defined(__x86_64__) && !defined(LMBI_FORCE_SCALAR)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        return &lmbi_kernels_avx512;
    }
    if (__builtin_cpu_supports("avx2")) {
        return &lmbi_kernels_avx2;
    }
#endif
    return &lmbi_kernels_base;
}
