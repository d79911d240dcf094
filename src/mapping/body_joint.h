/// The joints of the skeletons that humans get here, in their order: parents first.
#ifndef MAPPING_BODY_JOINT_H
#define MAPPING_BODY_JOINT_H

#include "limber/base.h"
#include "limber/mapping.h"

#include <stdint.h>

typedef enum lmbi_body_joint {
    LMBI_HIPS = 0,
    LMBI_SPINE,
    LMBI_CHEST,
    LMBI_UPPER_CHEST,
    LMBI_NECK,
    LMBI_HEAD,
    LMBI_LEFT_SHOULDER,
    LMBI_LEFT_UPPER_ARM,
    LMBI_LEFT_LOWER_ARM,
    LMBI_LEFT_HAND,
    LMBI_RIGHT_SHOULDER,
    LMBI_RIGHT_UPPER_ARM,
    LMBI_RIGHT_LOWER_ARM,
    LMBI_RIGHT_HAND,
    LMBI_LEFT_UPPER_LEG,
    LMBI_LEFT_LOWER_LEG,
    LMBI_LEFT_FOOT,
    LMBI_LEFT_TOES,
    LMBI_RIGHT_UPPER_LEG,
    LMBI_RIGHT_LOWER_LEG,
    LMBI_RIGHT_FOOT,
    LMBI_RIGHT_TOES,
    LMBI_BODY_JOINTS,
    LMBI_FINGER_JOINTS = 30, ///< thumb, index, middle, ring, little; three each; left hand first
    LMBI_HUMANOID_JOINTS = LMBI_BODY_JOINTS + LMBI_FINGER_JOINTS,
} lmbi_body_joint;

/// The same joint among all bones of humans. Of the fingers the order is the same.
lmb_human_bone lmbi_body_joint_bone(uint32_t joint);
/// VRM's name of the joint, a static string.
const char *lmbi_body_joint_name(uint32_t joint);
/// The parent joint, LMB_NONE for the hips.
int32_t lmbi_body_joint_parent(uint32_t joint);

#endif
