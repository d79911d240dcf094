#define LMBI_LANES_AT_MOST 8
#define BLOCK_LANES 8
#include "skin/dual_body.inl"

LMBI_ALSO_FUSED
const lmbi_linear_kernels LMBI_TABLE(lmbi_dual_half) = {run_blocks, NULL};
