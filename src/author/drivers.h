/// Drivers in a look's extras: how they are kept, and what reads them back.
#ifndef AUTHOR_DRIVERS_H
#define AUTHOR_DRIVERS_H

#include "author/helping.h"

/// Replaces `*look` (NULL: none) by one that also has the drivers of correctives, or of helpers; the
/// one that was stays. Errors: MEMORY; MALFORMED for carried text that is no JSON.
lmb_result lmbi_drivers_keep_targets(const lmbi_correction *c, const lmb_allocator *alloc,
                                     lmb_appearance **look, lmb_error *error);
lmb_result lmbi_drivers_keep_helpers(const lmbi_help *h, const lmb_allocator *alloc,
                                     lmb_appearance **look, lmb_error *error);

/// A helper's transform in its parent, from a rotation vector and a translation since rest.
lmb_transform lmbi_drivers_helper(lmb_vec3 offset, const float value[6]);
const lmb_character *lmbi_drivers_character(const lmb_pose_drivers *drivers);
/// Whether a clip, or NULL, has keys of a joint's transform, or of its instance's weights.
bool lmbi_drivers_keyed(const lmb_clip *clip, uint32_t joint, bool weights);
/// Sets moves[joint_count] of helpers, and weighs[joint_count] of joints whose instances have
/// driven weights.
void lmbi_drivers_mark(const lmb_pose_drivers *drivers, bool *moves, bool *weighs);

#endif
