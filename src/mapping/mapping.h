/// Relations of human bones and joints.
#ifndef MAPPING_MAPPING_H
#define MAPPING_MAPPING_H

#include "limber/mapping.h"

/// The parent as in VRM ("leftShoulder" for "leftUpperArm"); LMB_HUMAN_BONE_COUNT for the hips.
lmb_human_bone lmbi_human_bone_parent(lmb_human_bone bone);

/// Computes the spine and neck chains of a map whose bones were set by hand, and its confidence.
void lmbi_joint_map_complete(lmb_joint_map *map, const lmb_skeleton *skeleton);

#endif
