/// Body part, side and numbers in a joint's name.
#ifndef MAPPING_NAMES_H
#define MAPPING_NAMES_H

#include "limber/base.h"

typedef enum lmbi_name_part {
    PART_NONE = 0,
    PART_ROOT,
    PART_HIPS,
    PART_SPINE,
    PART_NECK,
    PART_HEAD,
    PART_EYE,
    PART_JAW,
    PART_CLAVICLE,
    PART_SHOULDER, ///< clavicle or upper arm
    PART_ARM,      ///< upper arm, or any bone of an arm
    PART_UPPER_ARM,
    PART_FOREARM,
    PART_WRIST, ///< hand, or a bone above it
    PART_HAND,
    PART_SIDE_HIP, ///< thigh, or a bone above it
    PART_LEG,      ///< shin, or any bone of a leg
    PART_THIGH,
    PART_SHIN,
    PART_ANKLE,
    PART_FOOT, ///< foot, or toes below an ankle
    PART_TOE,
    PART_THUMB,
    PART_INDEX,
    PART_MIDDLE,
    PART_RING,
    PART_LITTLE,
    PART_FINGER, ///< any finger, distinguished by its number, if it has one
} lmbi_name_part;

typedef enum lmbi_segment {
    SEGMENT_NONE = 0,
    SEGMENT_METACARPAL,
    SEGMENT_PROXIMAL,
    SEGMENT_INTERMEDIATE,
    SEGMENT_DISTAL,
} lmbi_segment;

typedef struct lmbi_name {
    lmbi_name_part part;
    int side;        ///< +1 left, -1 right, 0 not given; the last of several
    bool both_sides; ///< one of its letters means something else: "Lankle_r", "PalmR.L"
    int numbers[2];  ///< the first two numbers after the part's word; -1 if there are fewer
    lmbi_segment segment;
    bool twist;   ///< a roll helper
    bool end;     ///< a tip without a bone
    bool control; ///< a handle, target, socket, prop, cloth or hair; or a part of an animal
    bool handle;  ///< a control that is no part of an animal
    bool tail;
    /// named after the joint (elbow, knee), so that a wrist is the hand and an ankle the foot
    bool elbow;
    bool helper; ///< a joint between two bones that belongs to neither ("LHipJoint")
} lmbi_name;

/// Parses names of any convention, in UTF-8.
lmbi_name lmbi_name_read(const char *name);
/// The same of a joint below one of that name (NULL: of a root), whose side counts where this name
/// has both.
lmbi_name lmbi_name_read_below(const char *name, const lmbi_name *parent);

#endif
