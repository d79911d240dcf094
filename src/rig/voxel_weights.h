/// Weights computed in the volume.
#ifndef RIG_VOXEL_WEIGHTS_H
#define RIG_VOXEL_WEIGHTS_H

#include "rig/heat.h"

/// (1 / ((1 - alpha) d + alpha d^2))^2, d as a fraction of the diagonal (Dionne, de Lasa 2013).
float lmbi_voxel_pull(float distance, float alpha);
/// Rows by distance through the solid. Errors: MEMORY, INVALID for a surface without triangles.
lmb_result lmbi_voxel_weights(lmbi_heat *heat, lmb_error *error);
/// Rows of bounded biharmonic weights. Errors: as above, CANCELLED.
lmb_result lmbi_bbw_weights(lmbi_heat *heat, lmb_error *error);

#endif
