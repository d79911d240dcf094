#include "mapping/body_joint.h"
#include "mapping/mapping.h"

lmb_human_bone lmbi_body_joint_bone(uint32_t joint)
{
    const int own = (int)joint;
    return (lmb_human_bone)(own >= LMBI_BODY_JOINTS
                                ? LMB_HUMAN_LEFT_THUMB_METACARPAL + own - LMBI_BODY_JOINTS
                            : own >= LMBI_LEFT_UPPER_LEG
                                ? LMB_HUMAN_LEFT_UPPER_LEG + own - LMBI_LEFT_UPPER_LEG
                            : own >= LMBI_LEFT_SHOULDER
                                ? LMB_HUMAN_LEFT_SHOULDER + own - LMBI_LEFT_SHOULDER
                                : own);
}

const char *lmbi_body_joint_name(uint32_t joint)
{
    return lmb_human_bone_name(lmbi_body_joint_bone(joint));
}

int32_t lmbi_body_joint_parent(uint32_t joint)
{
    const lmb_human_bone above = lmbi_human_bone_parent(lmbi_body_joint_bone(joint));
    int32_t parent = (int32_t)joint - 1;
    while (parent >= 0 && lmbi_body_joint_bone((uint32_t)parent) != above) {
        --parent;
    }
    return parent;
}
