#include "linalg/kernels.h"

#if defined(__AVX2__)
#define KERNELS lmbi_kernels_avx2
#define LANES 4
#include "linalg/kernels.inl"
#endif
