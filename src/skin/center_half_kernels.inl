#define LMBI_LANES_AT_MOST 8
#define BLOCK_LANES 8
#include "skin/center_body.inl"

LMBI_ALSO_FUSED
const lmbi_center_kernels LMBI_TABLE(lmbi_center_half) = {run_blocks};
