/// Humanoid joint names of other programs.
#include "author/author.h"
#include "mapping/body_joint.h"

#include <stdio.h>

static const char *const body[3][LMBI_BODY_JOINTS] = {
    {"mixamorig:Hips",         "mixamorig:Spine",         "mixamorig:Spine1",
     "mixamorig:Spine2",       "mixamorig:Neck",          "mixamorig:Head",
     "mixamorig:LeftShoulder", "mixamorig:LeftArm",       "mixamorig:LeftForeArm",
     "mixamorig:LeftHand",     "mixamorig:RightShoulder", "mixamorig:RightArm",
     "mixamorig:RightForeArm", "mixamorig:RightHand",     "mixamorig:LeftUpLeg",
     "mixamorig:LeftLeg",      "mixamorig:LeftFoot",      "mixamorig:LeftToeBase",
     "mixamorig:RightUpLeg",   "mixamorig:RightLeg",      "mixamorig:RightFoot",
     "mixamorig:RightToeBase"},
    {"pelvis",     "spine_01",   "spine_02",   "spine_03", "neck_01",    "head",
     "clavicle_l", "upperarm_l", "lowerarm_l", "hand_l",   "clavicle_r", "upperarm_r",
     "lowerarm_r", "hand_r",     "thigh_l",    "calf_l",   "foot_l",     "ball_l",
     "thigh_r",    "calf_r",     "foot_r",     "ball_r"},
    {"spine",      "spine.001",   "spine.002", "spine.003", "spine.004",  "spine.006",
     "shoulder.L", "upper_arm.L", "forearm.L", "hand.L",    "shoulder.R", "upper_arm.R",
     "forearm.R",  "hand.R",      "thigh.L",   "shin.L",    "foot.L",     "toe.L",
     "thigh.R",    "shin.R",      "foot.R",    "toe.R"}};

static const char *const fingers[3][5] = {{"Thumb", "Index", "Middle", "Ring", "Pinky"},
                                          {"thumb", "index", "middle", "ring", "pinky"},
                                          {"thumb", "f_index", "f_middle", "f_ring", "f_pinky"}};

static void name_finger(lmb_joint_names scheme, uint32_t k, char out[LMB_EMBEDDING_NAME])
{
    const char *finger = fingers[scheme - LMB_NAMES_MIXAMO][k / 3 % 5];
    const uint32_t number = k % 3 + 1;
    const bool right = k >= LMBI_FINGER_JOINTS / 2;
    if (scheme == LMB_NAMES_MIXAMO) {
        snprintf(out, LMB_EMBEDDING_NAME, "mixamorig:%sHand%s%u", right ? "Right" : "Left", finger,
                 number);
    } else if (scheme == LMB_NAMES_UNREAL) {
        snprintf(out, LMB_EMBEDDING_NAME, "%s_%02u_%c", finger, number, right ? 'r' : 'l');
    } else {
        snprintf(out, LMB_EMBEDDING_NAME, "%s.%02u.%c", finger, number, right ? 'R' : 'L');
    }
}

bool lmbi_humanoid_name(lmb_joint_names scheme, lmb_human_bone bone, char out[LMB_EMBEDDING_NAME])
{
    uint32_t k = 0;
    while (k < LMBI_BODY_JOINTS + LMBI_FINGER_JOINTS && lmbi_body_joint_bone(k) != bone) {
        ++k;
    }
    if (k == LMBI_BODY_JOINTS + LMBI_FINGER_JOINTS) {
        return false;
    }
    if (scheme == LMB_NAMES_VRM) {
        snprintf(out, LMB_EMBEDDING_NAME, "%s", lmbi_body_joint_name(k));
    } else if (k < LMBI_BODY_JOINTS) {
        snprintf(out, LMB_EMBEDDING_NAME, "%s", body[scheme - LMB_NAMES_MIXAMO][k]);
    } else {
        name_finger(scheme, k - LMBI_BODY_JOINTS, out);
    }
    return true;
}

void lmbi_name_humanoid(lmb_joint_names scheme, lmb_embedding *e)
{
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        if (e->human[b] != LMB_NONE) {
            lmbi_humanoid_name(scheme, (lmb_human_bone)b, e->names[e->human[b]]);
        }
    }
}
