#define BLOCK_LANES 16
#include "skin/linear_body.inl"

LMBI_ALSO_FUSED
const lmbi_linear_kernels LMBI_TABLE(lmbi_linear) = {run_blocks, has_tiny};
