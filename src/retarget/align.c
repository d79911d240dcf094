/// Alignment rotations A between the two reference poses, one per human bone.
#include "mapping/mapping.h"
#include "retarget/transfer.h"

#include <math.h>

static bool is_finger(int bone)
{
    return bone >= LMB_HUMAN_LEFT_THUMB_METACARPAL;
}

static bool has_both(const lmbi_humanoid *source, const lmbi_humanoid *target, int bone)
{
    return bone < LMB_HUMAN_BONE_COUNT && lmbi_joint(source, bone) >= 0 &&
           lmbi_joint(target, bone) >= 0;
}

int lmbi_bone_toward(const lmbi_humanoid *source, const lmbi_humanoid *target, int bone)
{
    const int after = lmbi_bone_after(bone);
    return lmbi_single_limb_of(target, bone) != NULL && lmbi_has_bone(source, after + 1) ? after + 1
                                                                                         : after;
}

bool lmbi_direction_toward(const lmbi_humanoid *body, int bone, int toward, lmb_vec3 *out)
{
    if (toward == lmbi_bone_after(bone) || !lmbi_has_bone(body, toward)) {
        return lmbi_bone_direction(body, bone, out);
    }
    const lmb_vec3 zero = {0, 0, 0};
    *out = lmb_vec3_normalize_or(
        lmb_vec3_sub(lmbi_reference_at(body, toward), lmbi_reference_at(body, bone)), zero);
    return lmb_vec3_dot(*out, *out) > 0;
}

static lmb_quat bone_rotation(const lmbi_humanoid *source, const lmbi_humanoid *target, int bone,
                              lmb_quat fallback)
{
    lmb_vec3 from, to;
    const int after = lmbi_bone_after(bone), toward = lmbi_bone_toward(source, target, bone);
    const bool known = after == LMB_HUMAN_BONE_COUNT || toward != after ||
                       has_both(source, target, after) ||
                       (lmbi_joint(source, after) < 0 && lmbi_joint(target, after) < 0);
    if (!known || !lmbi_bone_direction(target, bone, &from) ||
        !lmbi_direction_toward(source, bone, toward, &to)) {
        return fallback;
    }
    return lmb_quat_between(from, to);
}

/// Feet rotate about the vertical only, so that soles stay flat.
static lmb_quat yaw_rotation(const lmbi_humanoid *source, const lmbi_humanoid *target, int bone)
{
    lmb_vec3 from, to;
    if (!lmbi_bone_direction(target, bone, &from) || !lmbi_bone_direction(source, bone, &to)) {
        return lmb_quat_identity();
    }
    const lmb_vec3 a = {from.x, 0, from.z}, b = {to.x, 0, to.z}, up = {0, 1, 0};
    if (lmb_vec3_length(a) < 0.2f || lmb_vec3_length(b) < 0.2f) {
        return lmb_quat_identity(); // a foot that points down has no yaw
    }
    const float yaw = lmb_atan2(lmb_vec3_dot(up, lmb_vec3_cross(a, b)), lmb_vec3_dot(a, b));
    return fabsf(yaw) < 0.8f ? lmb_quat_axis_angle(up, yaw) : lmb_quat_identity();
}

static lmb_quat bone_alignment(const lmbi_humanoid *source, const lmbi_humanoid *target,
                               const lmb_quat *align, int bone)
{
    const int above = (int)lmbi_human_bone_parent((lmb_human_bone)bone);
    const lmb_quat inherited = above < LMB_HUMAN_BONE_COUNT ? align[above] : lmb_quat_identity();
    switch (bone) {
    case LMB_HUMAN_LEFT_UPPER_LEG:
    case LMB_HUMAN_RIGHT_UPPER_LEG:
    case LMB_HUMAN_LEFT_UPPER_ARM:
    case LMB_HUMAN_RIGHT_UPPER_ARM:
        return bone_rotation(source, target, bone, lmb_quat_identity());
    case LMB_HUMAN_LEFT_LOWER_LEG:
    case LMB_HUMAN_RIGHT_LOWER_LEG:
    case LMB_HUMAN_LEFT_LOWER_ARM:
    case LMB_HUMAN_RIGHT_LOWER_ARM:
    case LMB_HUMAN_LEFT_HAND:
    case LMB_HUMAN_RIGHT_HAND:
        return bone_rotation(source, target, bone, inherited);
    case LMB_HUMAN_LEFT_FOOT:
    case LMB_HUMAN_RIGHT_FOOT:
        return yaw_rotation(source, target, bone);
    case LMB_HUMAN_LEFT_TOES:
    case LMB_HUMAN_RIGHT_TOES:
        return inherited;
    default:
        return is_finger(bone) ? bone_rotation(source, target, bone, inherited)
                               : lmb_quat_identity();
    }
}

void lmbi_align(const lmbi_humanoid *source, const lmbi_humanoid *target,
                lmb_quat align[LMB_HUMAN_BONE_COUNT])
{
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        align[bone] = bone_alignment(source, target, align, bone);
    }
}
