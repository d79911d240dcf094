/// Alignment rotations A between the two reference poses, one per human bone.
#include "retarget/align.h"

#include <math.h>

static bool is_finger(int slot)
{
    return slot >= LMB_SLOT_LEFT_THUMB_METACARPAL;
}

static bool both(const lmbi_humanoid *source, const lmbi_humanoid *target, int slot)
{
    return slot < LMB_SLOT_COUNT && lmbi_joint(source, slot) >= 0 && lmbi_joint(target, slot) >= 0;
}

static lmb_quat bone_turn(const lmbi_humanoid *source, const lmbi_humanoid *target, int slot,
                          lmb_quat otherwise)
{
    lmb_vec3 from, to;
    const int after = lmbi_slot_after(slot);
    const bool known = after == LMB_SLOT_COUNT || both(source, target, after) ||
                       (lmbi_joint(source, after) < 0 && lmbi_joint(target, after) < 0);
    if (!known || !lmbi_bone_direction(target, slot, &from) ||
        !lmbi_bone_direction(source, slot, &to)) {
        return otherwise;
    }
    return lmb_quat_between(from, to);
}

/// Feet rotate about the vertical only, so that soles stay flat.
static lmb_quat yaw_turn(const lmbi_humanoid *source, const lmbi_humanoid *target, int slot)
{
    lmb_vec3 from, to;
    if (!lmbi_bone_direction(target, slot, &from) || !lmbi_bone_direction(source, slot, &to)) {
        return lmb_quat_identity();
    }
    const lmb_vec3 a = {from.x, 0, from.z}, b = {to.x, 0, to.z}, up = {0, 1, 0};
    if (lmb_vec3_length(a) < 0.2f || lmb_vec3_length(b) < 0.2f) {
        return lmb_quat_identity(); // a foot that points down has no yaw
    }
    const float turn = lmb_atan2(lmb_vec3_dot(up, lmb_vec3_cross(a, b)), lmb_vec3_dot(a, b));
    return fabsf(turn) < 0.8f ? lmb_quat_axis_angle(up, turn) : lmb_quat_identity();
}

static lmb_quat slot_turn(const lmbi_humanoid *source, const lmbi_humanoid *target,
                          const lmb_quat *align, int slot)
{
    const int above = (int)lmb_slot_parent((lmb_slot)slot);
    const lmb_quat inherited = above < LMB_SLOT_COUNT ? align[above] : lmb_quat_identity();
    switch (slot) {
    case LMB_SLOT_LEFT_UPPER_LEG:
    case LMB_SLOT_RIGHT_UPPER_LEG:
    case LMB_SLOT_LEFT_UPPER_ARM:
    case LMB_SLOT_RIGHT_UPPER_ARM:
        return bone_turn(source, target, slot, lmb_quat_identity());
    case LMB_SLOT_LEFT_LOWER_LEG:
    case LMB_SLOT_RIGHT_LOWER_LEG:
    case LMB_SLOT_LEFT_LOWER_ARM:
    case LMB_SLOT_RIGHT_LOWER_ARM:
    case LMB_SLOT_LEFT_HAND:
    case LMB_SLOT_RIGHT_HAND:
        return bone_turn(source, target, slot, inherited);
    case LMB_SLOT_LEFT_FOOT:
    case LMB_SLOT_RIGHT_FOOT:
        return yaw_turn(source, target, slot);
    case LMB_SLOT_LEFT_TOES:
    case LMB_SLOT_RIGHT_TOES:
        return inherited;
    default:
        return is_finger(slot) ? bone_turn(source, target, slot, inherited) : lmb_quat_identity();
    }
}

void lmbi_align(const lmbi_humanoid *source, const lmbi_humanoid *target,
                lmb_quat align[LMB_SLOT_COUNT])
{
    for (int slot = 0; slot < LMB_SLOT_COUNT; ++slot) {
        align[slot] = slot_turn(source, target, align, slot);
    }
}
