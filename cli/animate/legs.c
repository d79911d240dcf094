#include "cli/animate/legs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAP_IS_GOOD 0.8f

static lmb_transform rest_of(const lmb_skeleton *skeleton, int32_t joint)
{
    lmb_transform t = skeleton->rest[joint];
    for (int32_t j = skeleton->parents[joint]; j >= 0; j = skeleton->parents[j]) {
        t = lmb_transform_mul(skeleton->rest[j], t);
    }
    return t;
}

lmb_plant_foot cli_plant_foot(const lmb_skeleton *skeleton, const lmb_joint_map *map, int slot,
                              float flat)
{
    const int32_t upper = map->slots[slot].joint, lower = map->slots[slot + 1].joint,
                  ankle = map->slots[slot + 2].joint, toes = map->slots[slot + 3].joint;
    const lmb_transform at = rest_of(skeleton, ankle);
    const float height = at.translation.y - flat;
    const lmb_vec3 up = {0, 1, 0}, ahead = lmb_joint_map_facing(map, skeleton);
    const lmb_vec3 sole = lmb_vec3_mad(at.translation, up, -0.7f * height);
    const lmb_vec3 ball =
        toes >= 0 ? rest_of(skeleton, toes).translation : lmb_vec3_mad(sole, ahead, 1.5f * height);
    const lmb_vec3 in_foot =
        lmb_quat_rotate(lmb_quat_conjugate(at.rotation), lmb_vec3_sub(ball, at.translation));
    const lmb_vec3 hinge = lmb_quat_rotate(lmb_quat_conjugate(rest_of(skeleton, lower).rotation),
                                           lmb_vec3_cross(up, ahead));
    return (lmb_plant_foot){.upper = (uint32_t)upper,
                            .lower = (uint32_t)lower,
                            .foot = (uint32_t)ankle,
                            .hinge = hinge,
                            .ankle_height = height,
                            .toe_height = ball.y - flat,
                            .toe = lmb_vec3_make(in_foot.x / at.scale.x, in_foot.y / at.scale.y,
                                                 in_foot.z / at.scale.z)};
}

// ----------------------------------------------------------------------------------- any body

static int32_t slot(const lmb_joint_map *map, lmb_slot which)
{
    return map->slots[which].joint;
}

/// Appends what is there of a row of slots.
static uint32_t take_slots(const lmb_joint_map *map, const lmb_slot *slots, uint32_t count,
                           uint32_t *out)
{
    uint32_t used = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (slot(map, slots[k]) >= 0) {
            out[used++] = (uint32_t)slot(map, slots[k]);
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

/// A humanoid by its joint map, standing upright. False: it is none, or its feet do not hang from
/// its legs (as in rigs that are made for other solvers).
static bool human_body(const lmb_skeleton *skeleton, lmb_gait_body *body)
{
    static const lmb_slot trunk[] = {LMB_SLOT_SPINE, LMB_SLOT_CHEST, LMB_SLOT_UPPER_CHEST};
    static const lmb_slot neck[] = {LMB_SLOT_NECK, LMB_SLOT_HEAD};
    const lmb_joint_map map = cli_joint_map(skeleton);
    if (map.confidence < MAP_IS_GOOD || slot(&map, LMB_SLOT_HIPS) < 0) {
        return false;
    }
    memset(body, 0, sizeof *body);
    body->hips = (uint32_t)slot(&map, LMB_SLOT_HIPS);
    body->leg_count = 2;
    for (int side = 0; side < 2; ++side) {
        const int leg = LMB_SLOT_LEFT_UPPER_LEG + 4 * side, arm = LMB_SLOT_LEFT_SHOULDER + 4 * side;
        for (int k = 0; k < 3; ++k) {
            const int32_t above = k > 0 ? leg + k - 1 : LMB_SLOT_HIPS;
            if (slot(&map, (lmb_slot)(leg + k)) < 0 ||
                !is_below(skeleton, slot(&map, (lmb_slot)(leg + k)), slot(&map, (lmb_slot)above))) {
                return false;
            }
        }
        body->legs[side].hip = (uint32_t)slot(&map, (lmb_slot)leg);
        body->legs[side].knee = (uint32_t)slot(&map, (lmb_slot)(leg + 1));
        body->legs[side].ankle = (uint32_t)slot(&map, (lmb_slot)(leg + 2));
        body->legs[side].blade = LMB_NONE;
        body->legs[side].toes = slot(&map, (lmb_slot)(leg + 3));
        body->arms[side] =
            (lmb_gait_arm){slot(&map, (lmb_slot)arm), slot(&map, (lmb_slot)(arm + 1)),
                           slot(&map, (lmb_slot)(arm + 2)), slot(&map, (lmb_slot)(arm + 3))};
    }
    const lmb_vec3 facing = lmb_joint_map_facing(&map, skeleton);
    body->facing_rad = lmb_atan2(facing.x, facing.z);
    body->trunk_count = take_slots(&map, trunk, 3, body->trunk);
    body->neck_count = take_slots(&map, neck, 2, body->neck);
    return true;
}

/// Whether what is named as hands stands on the ground as the feet do.
static bool stands_on_hands(const lmb_skeleton *skeleton, const lmb_gait_body *body)
{
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof *model);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    const int32_t hand = body->arms[0].hand;
    const float foot = lmb_mat4_translation(model[body->legs[0].ankle]).y,
                hips = lmb_mat4_translation(model[body->hips]).y;
    const bool low = hand >= 0 && lmb_mat4_translation(model[hand]).y - foot < 0.3f * (hips - foot);
    free(model);
    return low;
}

lmb_result cli_gait_body(const lmb_character *character, lmb_gait_body *body, lmb_error *error)
{
    if (human_body(character->skeleton, body) && !stands_on_hands(character->skeleton, body)) {
        return lmb_gait_body_fit(character, NULL, body, error);
    }
    return lmb_gait_body_find(character, NULL, body, error);
}
