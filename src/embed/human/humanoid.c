#include "embed/body_joint.h"

typedef struct bone {
    const char *name;
    int8_t parent, next; ///< next: the child at the end of the bone, or -1
} bone;

static const bone bones[LMBI_BODY_JOINTS] = {
    [LMBI_HIPS] = {"hips", -1, LMBI_SPINE},
    [LMBI_SPINE] = {"spine", LMBI_HIPS, LMBI_CHEST},
    [LMBI_CHEST] = {"chest", LMBI_SPINE, LMBI_UPPER_CHEST},
    [LMBI_UPPER_CHEST] = {"upperChest", LMBI_CHEST, LMBI_NECK},
    [LMBI_NECK] = {"neck", LMBI_UPPER_CHEST, LMBI_HEAD},
    [LMBI_HEAD] = {"head", LMBI_NECK, -1},
    [LMBI_LEFT_SHOULDER] = {"leftShoulder", LMBI_UPPER_CHEST, LMBI_LEFT_UPPER_ARM},
    [LMBI_LEFT_UPPER_ARM] = {"leftUpperArm", LMBI_LEFT_SHOULDER, LMBI_LEFT_LOWER_ARM},
    [LMBI_LEFT_LOWER_ARM] = {"leftLowerArm", LMBI_LEFT_UPPER_ARM, LMBI_LEFT_HAND},
    [LMBI_LEFT_HAND] = {"leftHand", LMBI_LEFT_LOWER_ARM, -1},
    [LMBI_RIGHT_SHOULDER] = {"rightShoulder", LMBI_UPPER_CHEST, LMBI_RIGHT_UPPER_ARM},
    [LMBI_RIGHT_UPPER_ARM] = {"rightUpperArm", LMBI_RIGHT_SHOULDER, LMBI_RIGHT_LOWER_ARM},
    [LMBI_RIGHT_LOWER_ARM] = {"rightLowerArm", LMBI_RIGHT_UPPER_ARM, LMBI_RIGHT_HAND},
    [LMBI_RIGHT_HAND] = {"rightHand", LMBI_RIGHT_LOWER_ARM, -1},
    [LMBI_LEFT_UPPER_LEG] = {"leftUpperLeg", LMBI_HIPS, LMBI_LEFT_LOWER_LEG},
    [LMBI_LEFT_LOWER_LEG] = {"leftLowerLeg", LMBI_LEFT_UPPER_LEG, LMBI_LEFT_FOOT},
    [LMBI_LEFT_FOOT] = {"leftFoot", LMBI_LEFT_LOWER_LEG, LMBI_LEFT_TOES},
    [LMBI_LEFT_TOES] = {"leftToes", LMBI_LEFT_FOOT, -1},
    [LMBI_RIGHT_UPPER_LEG] = {"rightUpperLeg", LMBI_HIPS, LMBI_RIGHT_LOWER_LEG},
    [LMBI_RIGHT_LOWER_LEG] = {"rightLowerLeg", LMBI_RIGHT_UPPER_LEG, LMBI_RIGHT_FOOT},
    [LMBI_RIGHT_FOOT] = {"rightFoot", LMBI_RIGHT_LOWER_LEG, LMBI_RIGHT_TOES},
    [LMBI_RIGHT_TOES] = {"rightToes", LMBI_RIGHT_FOOT, -1},
};

static const char *const finger_names[LMBI_FINGER_JOINTS] = {
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

const char *lmbi_body_joint_name(uint32_t joint)
{
    return joint < LMBI_BODY_JOINTS ? bones[joint].name
                                    : finger_names[(joint - LMBI_BODY_JOINTS) % LMBI_FINGER_JOINTS];
}

int32_t lmbi_body_joint_parent(uint32_t joint)
{
    if (joint < LMBI_BODY_JOINTS) {
        return bones[joint].parent;
    }
    const uint32_t finger = joint - LMBI_BODY_JOINTS;
    if (finger % 3 != 0) {
        return (int32_t)joint - 1;
    }
    return finger < LMBI_FINGER_JOINTS / 2 ? LMBI_LEFT_HAND : LMBI_RIGHT_HAND;
}

lmb_vec3 lmbi_bone_end(const lmb_embedding *e, uint32_t joint)
{
    if (joint < LMBI_BODY_JOINTS) {
        return bones[joint].next >= 0 ? e->joints[bones[joint].next] : e->tips[joint];
    }
    return (joint - LMBI_BODY_JOINTS) % 3 < 2 ? e->joints[joint + 1] : e->tips[joint];
}

/// The axis of a hinge whose positive rotation flexes the joint: knees backward, elbows and fingers
/// forward or inward.
static lmb_vec3 hinge_axis(const lmb_embedding *e, uint32_t joint, lmb_vec3 along)
{
    if (joint == LMBI_LEFT_LOWER_LEG || joint == LMBI_RIGHT_LOWER_LEG) {
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
    case LMBI_HIPS:
        return (lmb_joint_limit){.kind = LMB_JOINT_FREE, .axis = along};
    case LMBI_LEFT_LOWER_LEG:
    case LMBI_RIGHT_LOWER_LEG:
    case LMBI_LEFT_LOWER_ARM:
    case LMBI_RIGHT_LOWER_ARM:
        return (lmb_joint_limit){.kind = LMB_JOINT_HINGE,
                                 .axis = hinge_axis(e, joint, along),
                                 .twist_min_rad = -5 * degree,
                                 .twist_max_rad = 150 * degree};
    case LMBI_LEFT_UPPER_ARM:
    case LMBI_RIGHT_UPPER_ARM:
        limit.swing_rad = 120 * degree;
        limit.twist_min_rad = -90 * degree;
        limit.twist_max_rad = 90 * degree;
        return limit;
    case LMBI_LEFT_UPPER_LEG:
    case LMBI_RIGHT_UPPER_LEG:
        limit.swing_rad = 120 * degree;
        limit.twist_min_rad = -60 * degree;
        limit.twist_max_rad = 60 * degree;
        return limit;
    case LMBI_LEFT_HAND:
    case LMBI_RIGHT_HAND:
        limit.swing_rad = 80 * degree;
        limit.twist_min_rad = -90 * degree;
        limit.twist_max_rad = 90 * degree;
        return limit;
    case LMBI_NECK:
    case LMBI_HEAD:
        limit.swing_rad = 50 * degree;
        limit.twist_min_rad = -60 * degree;
        limit.twist_max_rad = 60 * degree;
        return limit;
    default:
        return limit;
    }
}
