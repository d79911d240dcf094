#include "embed/human/humanoid.h"

typedef struct bone {
    const char *name;
    int8_t parent, next; ///< next: the child at the end of the bone, or -1
} bone;

static const bone bones[LMB_BODY_JOINTS] = {
    [LMB_HIPS] = {"hips", -1, LMB_SPINE},
    [LMB_SPINE] = {"spine", LMB_HIPS, LMB_CHEST},
    [LMB_CHEST] = {"chest", LMB_SPINE, LMB_UPPER_CHEST},
    [LMB_UPPER_CHEST] = {"upperChest", LMB_CHEST, LMB_NECK},
    [LMB_NECK] = {"neck", LMB_UPPER_CHEST, LMB_HEAD},
    [LMB_HEAD] = {"head", LMB_NECK, -1},
    [LMB_LEFT_SHOULDER] = {"leftShoulder", LMB_UPPER_CHEST, LMB_LEFT_UPPER_ARM},
    [LMB_LEFT_UPPER_ARM] = {"leftUpperArm", LMB_LEFT_SHOULDER, LMB_LEFT_LOWER_ARM},
    [LMB_LEFT_LOWER_ARM] = {"leftLowerArm", LMB_LEFT_UPPER_ARM, LMB_LEFT_HAND},
    [LMB_LEFT_HAND] = {"leftHand", LMB_LEFT_LOWER_ARM, -1},
    [LMB_RIGHT_SHOULDER] = {"rightShoulder", LMB_UPPER_CHEST, LMB_RIGHT_UPPER_ARM},
    [LMB_RIGHT_UPPER_ARM] = {"rightUpperArm", LMB_RIGHT_SHOULDER, LMB_RIGHT_LOWER_ARM},
    [LMB_RIGHT_LOWER_ARM] = {"rightLowerArm", LMB_RIGHT_UPPER_ARM, LMB_RIGHT_HAND},
    [LMB_RIGHT_HAND] = {"rightHand", LMB_RIGHT_LOWER_ARM, -1},
    [LMB_LEFT_UPPER_LEG] = {"leftUpperLeg", LMB_HIPS, LMB_LEFT_LOWER_LEG},
    [LMB_LEFT_LOWER_LEG] = {"leftLowerLeg", LMB_LEFT_UPPER_LEG, LMB_LEFT_FOOT},
    [LMB_LEFT_FOOT] = {"leftFoot", LMB_LEFT_LOWER_LEG, LMB_LEFT_TOES},
    [LMB_LEFT_TOES] = {"leftToes", LMB_LEFT_FOOT, -1},
    [LMB_RIGHT_UPPER_LEG] = {"rightUpperLeg", LMB_HIPS, LMB_RIGHT_LOWER_LEG},
    [LMB_RIGHT_LOWER_LEG] = {"rightLowerLeg", LMB_RIGHT_UPPER_LEG, LMB_RIGHT_FOOT},
    [LMB_RIGHT_FOOT] = {"rightFoot", LMB_RIGHT_LOWER_LEG, LMB_RIGHT_TOES},
    [LMB_RIGHT_TOES] = {"rightToes", LMB_RIGHT_FOOT, -1},
};

static const char *const finger_names[LMB_FINGER_JOINTS] = {
    "leftThumbMetacarpal",  "leftThumbProximal",       "leftThumbDistal",
    "leftIndexProximal",    "leftIndexIntermediate",   "leftIndexDistal",
    "leftMiddleProximal",   "leftMiddleIntermediate",  "leftMiddleDistal",
    "leftRingProximal",     "leftRingIntermediate",    "leftRingDistal",
    "leftLittleProximal",   "leftLittleIntermediate",  "leftLittleDistal",
    "rightThumbMetacarpal", "rightThumbProximal",      "rightThumbDistal",
    "rightIndexProximal",   "rightIndexIntermediate",  "rightIndexDistal",
    "rightMiddleProximal",  "rightMiddleIntermediate", "rightMiddleDistal",
    "rightRingProximal",    "rightRingIntermediate",   "rightRingDistal",
    "rightLittleProximal",  "rightLittleIntermediate", "rightLittleDistal",
};

const char *lmb_humanoid_name(uint32_t joint)
{
    return joint < LMB_BODY_JOINTS ? bones[joint].name
                                   : finger_names[(joint - LMB_BODY_JOINTS) % LMB_FINGER_JOINTS];
}

int32_t lmb_humanoid_parent(uint32_t joint)
{
    if (joint < LMB_BODY_JOINTS) {
        return bones[joint].parent;
    }
    const uint32_t finger = joint - LMB_BODY_JOINTS;
    if (finger % 3 != 0) {
        return (int32_t)joint - 1;
    }
    return finger < LMB_FINGER_JOINTS / 2 ? LMB_LEFT_HAND : LMB_RIGHT_HAND;
}

lmb_vec3 lmbi_bone_end(const lmb_embedding *e, uint32_t joint)
{
    if (joint < LMB_BODY_JOINTS) {
        return bones[joint].next >= 0 ? e->joints[bones[joint].next] : e->tips[joint];
    }
    return (joint - LMB_BODY_JOINTS) % 3 < 2 ? e->joints[joint + 1] : e->tips[joint];
}

/// The axis of a hinge whose positive rotation flexes the joint: knees backward, elbows and fingers
/// forward or inward.
static lmb_vec3 hinge_axis(const lmb_embedding *e, uint32_t joint, lmb_vec3 along)
{
    if (joint == LMB_LEFT_LOWER_LEG || joint == LMB_RIGHT_LOWER_LEG) {
        const lmb_vec3 axis = lmb_vec3_cross(e->forward, along);
        return lmb_vec3_normalize_or(lmb_vec3_dot(axis, e->left) < 0 ? lmb_vec3_neg(axis) : axis,
                                     e->left);
    }
    return lmb_vec3_normalize_or(lmb_vec3_cross(along, e->forward), e->up);
}

lmb_joint_limit lmbi_humanoid_limit(const lmb_embedding *e, uint32_t joint)
{
    const float degree = LMB_PI / 180;
    const lmb_vec3 along =
        lmb_vec3_normalize_or(lmb_vec3_sub(lmbi_bone_end(e, joint), e->joints[joint]), e->up);
    lmb_joint_limit limit = {.kind = LMB_JOINT_BALL,
                             .axis = along,
                             .swing_rad = 40 * degree,
                             .twist_min_rad = -30 * degree,
                             .twist_max_rad = 30 * degree};
    switch (joint) {
    case LMB_HIPS:
        return (lmb_joint_limit){.kind = LMB_JOINT_FREE, .axis = along};
    case LMB_LEFT_LOWER_LEG:
    case LMB_RIGHT_LOWER_LEG:
    case LMB_LEFT_LOWER_ARM:
    case LMB_RIGHT_LOWER_ARM:
        return (lmb_joint_limit){.kind = LMB_JOINT_HINGE,
                                 .axis = hinge_axis(e, joint, along),
                                 .twist_min_rad = -5 * degree,
                                 .twist_max_rad = 150 * degree};
    case LMB_LEFT_UPPER_ARM:
    case LMB_RIGHT_UPPER_ARM:
        limit.swing_rad = 120 * degree;
        limit.twist_min_rad = -90 * degree;
        limit.twist_max_rad = 90 * degree;
        return limit;
    case LMB_LEFT_UPPER_LEG:
    case LMB_RIGHT_UPPER_LEG:
        limit.swing_rad = 120 * degree;
        limit.twist_min_rad = -60 * degree;
        limit.twist_max_rad = 60 * degree;
        return limit;
    case LMB_LEFT_HAND:
    case LMB_RIGHT_HAND:
        limit.swing_rad = 80 * degree;
        limit.twist_min_rad = -90 * degree;
        limit.twist_max_rad = 90 * degree;
        return limit;
    case LMB_NECK:
    case LMB_HEAD:
        limit.swing_rad = 50 * degree;
        limit.twist_min_rad = -60 * degree;
        limit.twist_max_rad = 60 * degree;
        return limit;
    default:
        return limit;
    }
}
