#define BLOCK_LANES 16
#include "skin/dual_body.inl"

LMBI_ALSO_FUSED
const lmbi_linear_kernels LMBI_TABLE(lmbi_dual) = {run_blocks, NULL};
