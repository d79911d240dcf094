#define BLOCK_LANES 16
#include "skin/center_body.inl"

LMBI_ALSO_FUSED
const lmbi_center_kernels LMBI_TABLE(lmbi_center) = {run_blocks};
