#include "linalg/kernels.h"

#if defined(__AVX512F__)
#define KERNELS lmbi_kernels_avx512
#define LANES 8
#include "linalg/kernels.inl"
#endif
