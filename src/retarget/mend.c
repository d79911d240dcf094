/// Recomputes rotations of hips, spine, neck and shoulders from joint positions, for motions whose
/// own rotations there are arbitrary.
#include "math/math.h"
#include "retarget/body.h"

#define ERROR_RAD 0.8f ///< radians, mean over a clip: clavicles and twist joints stay below it
#define TWIST_RAD 1.2f ///< the same of a shoulder about its own bone: clavicles of captures reach 1

typedef struct girdle {
    int32_t joint;   ///< whose rotation carries the line across the body
    int left, right; ///< human bones at the line's ends
} girdle;

static lmb_vec3 across(const girdle *g, const lmbi_humanoid *body, const lmb_transform *pose)
{
    const lmb_vec3 zero = {0, 0, 0};
    const lmb_vec3 left = pose[lmbi_joint(body, g->left)].translation,
                   right = pose[lmbi_joint(body, g->right)].translation;
    return lmb_vec3_normalize_or(lmb_vec3_sub(left, right), zero);
}

static lmb_vec3 middle(const girdle *g, const lmbi_humanoid *body, const lmb_transform *pose)
{
    return lmb_vec3_lerp(pose[lmbi_joint(body, g->left)].translation,
                         pose[lmbi_joint(body, g->right)].translation, 0.5f);
}

static lmb_quat rotation_since_reference(const lmbi_humanoid *body, const lmb_transform *pose,
                                         int32_t joint)
{
    return lmb_quat_mul(pose[joint].rotation, lmb_quat_conjugate(body->reference[joint].rotation));
}

/// Mean angle between the line across the body and the one that its joint's rotation predicts.
static float rotation_error(const girdle *g, const lmbi_humanoid *body, const lmbi_motion *motion)
{
    const lmb_vec3 rest = across(g, body, body->reference);
    double sum = 0;
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        const lmb_transform *pose = motion->model + (size_t)f * body->count;
        const lmb_vec3 expected =
            lmb_quat_rotate(rotation_since_reference(body, pose, g->joint), rest);
        sum += (double)lmbi_acos(lmb_vec3_dot(expected, across(g, body, pose)));
    }
    return motion->frame_count > 0 ? (float)(sum / motion->frame_count) : 0.0f;
}

/// The axes of a girdle: left along the line across, up along the trunk as nearly as possible.
static lmb_quat girdle_axes(const girdle *g, const girdle *hips, const girdle *chest,
                            const lmbi_humanoid *body, const lmb_transform *pose)
{
    const lmb_vec3 zero = {0, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const lmb_vec3 left = across(g, body, pose);
    const lmb_vec3 trunk =
        lmb_vec3_normalize_or(lmb_vec3_sub(middle(chest, body, pose), middle(hips, body, pose)), y);
    lmb_vec3 forward = lmb_vec3_normalize_or(lmb_vec3_cross(left, trunk), zero);
    if (lmb_vec3_dot(forward, forward) < 0.5f || lmb_vec3_dot(left, left) < 0.5f) {
        const lmb_vec3 other =
            lmb_vec3_normalize_or(lmb_vec3_cross(trunk, z), lmb_vec3_make(1, 0, 0));
        return lmb_quat_from_axes(other, trunk, lmb_vec3_cross(other, trunk));
    }
    return lmb_quat_from_axes(left, lmb_vec3_cross(forward, left), forward);
}

static lmb_quat girdle_rotation(const girdle *g, const girdle *hips, const girdle *chest,
                                const lmbi_humanoid *body, const lmb_transform *pose)
{
    const lmb_quat rest = girdle_axes(g, hips, chest, body, body->reference);
    return lmb_quat_mul(girdle_axes(g, hips, chest, body, pose), lmb_quat_conjugate(rest));
}

static void set_rotation(const lmbi_humanoid *body, lmb_transform *pose, int32_t joint,
                         lmb_quat rotation)
{
    pose[joint].rotation =
        lmb_quat_normalize(lmb_quat_mul(rotation, body->reference[joint].rotation));
}

static void repair_chain(const lmbi_humanoid *body, lmb_transform *pose,
                         const lmbi_spine_chain *chain, lmb_quat from, lmb_quat to)
{
    for (uint32_t i = 0; i < chain->count; ++i) {
        set_rotation(body, pose, chain->joints[i], lmb_quat_slerp(from, to, chain->at[i]));
    }
}

/// Rotates neck and head with the chest, bent along the neck: positions say nothing about where the
/// head faces.
static void repair_head(const lmbi_humanoid *body, lmb_transform *pose, lmb_quat chest)
{
    const int32_t head = lmbi_joint(body, LMB_HUMAN_HEAD);
    lmb_quat rotation = chest;
    if (head >= 0 && body->neck.count > 0) {
        const int32_t neck = body->neck.joints[0];
        const lmb_vec3 y = {0, 1, 0};
        const lmb_vec3 rest = lmb_vec3_normalize_or(
            lmb_vec3_sub(body->reference[head].translation, body->reference[neck].translation), y);
        const lmb_vec3 expected = lmb_quat_rotate(chest, rest);
        const lmb_vec3 actual = lmb_vec3_normalize_or(
            lmb_vec3_sub(pose[head].translation, pose[neck].translation), expected);
        rotation = lmb_quat_mul(lmb_quat_between(expected, actual), chest);
    }
    repair_chain(body, pose, &body->neck, chest, rotation);
    if (head >= 0) {
        set_rotation(body, pose, head, rotation);
    }
}

static void repair_pose(const lmbi_humanoid *body, const girdle *hips, const girdle *chest,
                        lmb_transform *pose)
{
    const lmb_quat below = girdle_rotation(hips, hips, chest, body, pose),
                   above = girdle_rotation(chest, hips, chest, body, pose);
    set_rotation(body, pose, hips->joint, below);
    repair_chain(body, pose, &body->spine, below, above);
    repair_head(body, pose, above);
    static const int shoulders[2] = {LMB_HUMAN_LEFT_SHOULDER, LMB_HUMAN_RIGHT_SHOULDER};
    for (int k = 0; k < 2; ++k) {
        if (lmbi_joint(body, shoulders[k]) >= 0) {
            set_rotation(body, pose, lmbi_joint(body, shoulders[k]), above);
        }
    }
}

bool lmbi_trunk_repair(const lmbi_humanoid *source, lmbi_motion *motion)
{
    const bool arms = lmbi_joint(source, LMB_HUMAN_LEFT_UPPER_ARM) >= 0 &&
                      lmbi_joint(source, LMB_HUMAN_RIGHT_UPPER_ARM) >= 0;
    const bool legs = lmbi_joint(source, LMB_HUMAN_LEFT_UPPER_LEG) >= 0 &&
                      lmbi_joint(source, LMB_HUMAN_RIGHT_UPPER_LEG) >= 0;
    if (!arms || !legs || source->spine.count == 0 || lmbi_joint(source, LMB_HUMAN_HIPS) < 0) {
        return false;
    }
    const girdle hips = {lmbi_joint(source, LMB_HUMAN_HIPS), LMB_HUMAN_LEFT_UPPER_LEG,
                         LMB_HUMAN_RIGHT_UPPER_LEG};
    const girdle chest = {source->spine.joints[source->spine.count - 1], LMB_HUMAN_LEFT_UPPER_ARM,
                          LMB_HUMAN_RIGHT_UPPER_ARM};
    if (rotation_error(&hips, source, motion) < ERROR_RAD &&
        rotation_error(&chest, source, motion) < ERROR_RAD) {
        return false;
    }
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        repair_pose(source, &hips, &chest, motion->model + (size_t)f * source->count);
    }
    return true;
}

// --------------------------------------------------------------------------------------- shoulders

/// Rotation of a shoulder since the reference, relative to the chest.
static lmb_quat shoulder_turn(const lmbi_humanoid *body, const lmb_transform *pose, int32_t chest,
                              int32_t shoulder)
{
    return lmb_quat_mul(lmb_quat_conjugate(rotation_since_reference(body, pose, chest)),
                        rotation_since_reference(body, pose, shoulder));
}

/// Mean angle over the clip by which a shoulder turns about its own bone.
static float mean_twist(const lmbi_humanoid *body, const lmbi_motion *motion, int32_t chest,
                        int32_t shoulder, lmb_vec3 bone)
{
    double sum = 0;
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        const lmb_transform *pose = motion->model + (size_t)f * body->count;
        lmb_quat swing, twist;
        lmbi_quat_swing_twist(shoulder_turn(body, pose, chest, shoulder), bone, &swing, &twist);
        sum += (double)lmb_quat_angle(twist, lmb_quat_identity());
    }
    return motion->frame_count > 0 ? (float)(sum / motion->frame_count) : 0.0f;
}

bool lmbi_shoulders_repair(const lmbi_humanoid *source, lmbi_motion *motion)
{
    static const int shoulders[2] = {LMB_HUMAN_LEFT_SHOULDER, LMB_HUMAN_RIGHT_SHOULDER};
    const int32_t chest =
        source->spine.count > 0 ? source->spine.joints[source->spine.count - 1] : LMB_NONE;
    bool repaired = false;
    for (int k = 0; k < 2 && chest >= 0; ++k) {
        const int32_t shoulder = lmbi_joint(source, shoulders[k]);
        lmb_vec3 bone;
        if (shoulder < 0 || !lmbi_bone_direction(source, shoulders[k], &bone) ||
            mean_twist(source, motion, chest, shoulder, bone) < TWIST_RAD) {
            continue;
        }
        repaired = true;
        for (uint32_t f = 0; f < motion->frame_count; ++f) {
            lmb_transform *pose = motion->model + (size_t)f * source->count;
            lmb_quat swing, twist;
            lmbi_quat_swing_twist(shoulder_turn(source, pose, chest, shoulder), bone, &swing,
                                  &twist);
            set_rotation(source, pose, shoulder,
                         lmb_quat_mul(rotation_since_reference(source, pose, chest), swing));
        }
    }
    return repaired;
}
