/// What kind of body a character has: rigged, on four legs, a walking human.
#include "author/author.h"
#include "limber/author.h"
#include "procedural/procedural.h"

#include <string.h>

/// Confidence of the joint map from which a skeleton counts as a humanoid's.
#define HUMANOID_CONFIDENCE 0.8f

/// Meshes that hang from this many joints move with them without a skin: robots, dolls of rigid
/// parts.
static const uint32_t RIGID_PARTS = 6;

/// Joints that carry a mesh, counted up to RIGID_PARTS.
static uint32_t count_carrying_joints(const lmb_character *character)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < character->instance_count && count < RIGID_PARTS; ++i) {
        bool is_counted = false;
        for (uint32_t k = 0; k < i && !is_counted; ++k) {
            is_counted = character->instances[k].joint == character->instances[i].joint;
        }
        count += is_counted ? 0 : 1;
    }
    return count;
}

bool lmb_character_is_rigged(const lmb_character *character, const lmb_joint_map *map)
{
    return (character->skin_count > 0 || count_carrying_joints(character) >= RIGID_PARTS) &&
           map->confidence >= HUMANOID_CONFIDENCE;
}

/// Model-space position of a joint at rest.
static lmb_vec3 rest_position(const lmb_skeleton *skeleton, int32_t joint)
{
    lmb_vec3 at = {0, 0, 0};
    for (int32_t j = joint; j >= 0; j = skeleton->parents[j]) {
        at = lmb_transform_point(skeleton->rest[j], at);
    }
    return at;
}

bool lmb_joint_map_is_on_all_fours(const lmb_joint_map *map, const lmb_skeleton *skeleton)
{
    enum { HIPS, HEAD, LEFT_HAND, RIGHT_HAND, LEFT_FOOT, RIGHT_FOOT, BONES };
    static const lmb_human_bone bones[BONES] = {LMB_HUMAN_HIPS,      LMB_HUMAN_HEAD,
                                                LMB_HUMAN_LEFT_HAND, LMB_HUMAN_RIGHT_HAND,
                                                LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_RIGHT_FOOT};
    lmb_vec3 at[BONES];
    for (int k = 0; k < BONES; ++k) {
        const int32_t joint = map->bones[bones[k]].joint;
        if (joint == LMB_NONE) {
            return false;
        }
        at[k] = rest_position(skeleton, joint);
    }
    const lmb_vec3 trunk = lmb_vec3_sub(at[HEAD], at[HIPS]);
    const bool is_lying = trunk.x * trunk.x + trunk.z * trunk.z > trunk.y * trunk.y;
    const float feet_y = 0.5f * (at[LEFT_FOOT].y + at[RIGHT_FOOT].y),
                hands_y = 0.5f * (at[LEFT_HAND].y + at[RIGHT_HAND].y);
    return is_lying && hands_y - feet_y < 0.3f * (at[HIPS].y - feet_y);
}

// ---- the legs that a gait moves

static int32_t bone_joint(const lmb_joint_map *map, lmb_human_bone bone)
{
    return map->bones[bone].joint;
}

/// Appends the joints of those bones that are mapped; returns their number.
static uint32_t append_mapped(const lmb_joint_map *map, const lmb_human_bone *row, uint32_t count,
                              uint32_t *out)
{
    uint32_t used = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (bone_joint(map, row[k]) >= 0) {
            out[used++] = (uint32_t)bone_joint(map, row[k]);
        }
    }
    return used;
}

static bool is_below(const lmb_skeleton *skeleton, int32_t joint, int32_t above)
{
    while (joint > above) {
        joint = skeleton->parents[joint];
    }
    return joint == above;
}

/// Fails where thigh, shin and foot do not descend from the hips in this order, as in rigs whose
/// feet hang from controls.
static bool map_leg(const lmb_joint_map *map, const lmb_skeleton *skeleton, int side,
                    lmb_gait_body *body)
{
    const int leg = LMB_HUMAN_LEFT_UPPER_LEG + 4 * side;
    for (int k = 0; k < 3; ++k) {
        const int above = k > 0 ? leg + k - 1 : LMB_HUMAN_HIPS;
        const int32_t joint = bone_joint(map, (lmb_human_bone)(leg + k));
        if (joint < 0 || !is_below(skeleton, joint, bone_joint(map, (lmb_human_bone)above))) {
            return false;
        }
    }
    body->legs[side].hip = (uint32_t)bone_joint(map, (lmb_human_bone)leg);
    body->legs[side].knee = (uint32_t)bone_joint(map, (lmb_human_bone)(leg + 1));
    body->legs[side].ankle = (uint32_t)bone_joint(map, (lmb_human_bone)(leg + 2));
    body->legs[side].blade = LMB_NONE;
    body->legs[side].toes = bone_joint(map, (lmb_human_bone)(leg + 3));
    return true;
}

/// The body of an upright humanoid; false where the map is doubtful or a leg is not whole.
static bool map_human_body(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                           lmb_gait_body *body)
{
    static const lmb_human_bone trunk[] = {LMB_HUMAN_SPINE, LMB_HUMAN_CHEST, LMB_HUMAN_UPPER_CHEST};
    static const lmb_human_bone neck[] = {LMB_HUMAN_NECK, LMB_HUMAN_HEAD};
    if (map->confidence < HUMANOID_CONFIDENCE || bone_joint(map, LMB_HUMAN_HIPS) < 0) {
        return false;
    }
    memset(body, 0, sizeof *body);
    body->hips = (uint32_t)bone_joint(map, LMB_HUMAN_HIPS);
    body->leg_count = 2;
    for (int side = 0; side < 2; ++side) {
        const int arm = LMB_HUMAN_LEFT_SHOULDER + 4 * side;
        if (!map_leg(map, skeleton, side, body)) {
            return false;
        }
        body->arms[side] = (lmb_gait_arm){
            bone_joint(map, (lmb_human_bone)arm), bone_joint(map, (lmb_human_bone)(arm + 1)),
            bone_joint(map, (lmb_human_bone)(arm + 2)), bone_joint(map, (lmb_human_bone)(arm + 3))};
    }
    const lmb_vec3 facing = lmb_joint_map_facing(map, skeleton);
    body->facing_rad = lmb_atan2(facing.x, facing.z);
    body->trunk_count = append_mapped(map, trunk, 3, body->trunk);
    body->neck_count = append_mapped(map, neck, 2, body->neck);
    return true;
}

/// Whether the left hand is about as low as the left foot.
static bool stands_on_hands(const lmb_skeleton *skeleton, const lmb_gait_body *body)
{
    const int32_t hand = body->arms[0].hand;
    const float foot_y = rest_position(skeleton, (int32_t)body->legs[0].ankle).y,
                hips_y = rest_position(skeleton, (int32_t)body->hips).y;
    return hand >= 0 && rest_position(skeleton, hand).y - foot_y < 0.3f * (hips_y - foot_y);
}

lmb_result lmb_gait_body_of_character(const lmb_character *character, const lmb_allocator *alloc,
                                      lmb_gait_body *out, lmb_error *error)
{
    const lmb_skeleton *skeleton = character->skeleton;
    lmb_joint_map map;
    const lmb_result result = lmb_joint_map_make(skeleton, alloc, &map, error);
    if (result != LMB_OK) {
        return result;
    }
    return map_human_body(&map, skeleton, out) && !stands_on_hands(skeleton, out)
               ? lmbi_gait_body_fit(character, alloc, out, error)
               : lmb_gait_body_find(character, alloc, out, error);
}
