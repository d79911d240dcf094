/// The plane that a body is symmetric about.
#ifndef EMBED_SHAPE_MIRROR_PLANE_H
#define EMBED_SHAPE_MIRROR_PLANE_H

#include "embed/shape/voxel_body.h"

/// Improves a guess: turns `normal` (unit, at right angles to `up`) about `up` by up to 15 degrees
/// and moves `offset` (of the plane along the normal, in the body's frame) so that the depths on
/// both sides agree best. Returns how much they still differ, in voxels: 0 to 3.
float lmbi_mirror_refine(const lmbi_voxel_body *body, lmb_vec3 up, lmb_vec3 *normal, float *offset);

/// The body without what only one of its sides has. The plane is about x = 0 in a body that is
/// `upright`, else it is looked for. Nothing is made, and *out_less false, where both sides have the
/// same, and where so much differs that the sides are no like ones. Errors: MEMORY.
lmb_result lmbi_body_keep_symmetric(const lmbi_voxel_body *body, bool upright, bool *out_less,
                                    lmbi_voxel_body *out, lmb_error *error);

/// The axis of the frame within 4.4 degrees of a unit vector, or else the vector itself.
lmb_vec3 lmbi_snap_to_axis(lmb_vec3 v);

#endif
