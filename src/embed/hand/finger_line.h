/// The line of a finger through the middles of its sections.
#ifndef EMBED_HAND_FINGER_LINE_H
#define EMBED_HAND_FINGER_LINE_H

#include "embed/shape/limb_line.h"

/// Moves a line that was traced from the end of a finger into the middle of its flesh, as far as
/// the arc `free`, where the finger parts from the hand, and its end to where the middle leaves the
/// solid. Returns the finger's radius; 0, and the line as it was, where no section tells.
float lmbi_finger_center(const lmbi_voxel_body *body, float free, lmbi_limb_profile *line);

#endif
