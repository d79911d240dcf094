/// What a character stands on: its legs, as blends, state machines and planting take them.
#include <string.h>

#include "author/author.h"
#include "base/alloc.h"
#include "base/error.h"

static lmb_transform rest_of(const lmb_skeleton *skeleton, int32_t joint)
{
    lmb_transform t = skeleton->rest[joint];
    for (int32_t j = skeleton->parents[joint]; j >= 0; j = skeleton->parents[j]) {
        t = lmb_transform_mul(skeleton->rest[j], t);
    }
    return t;
}

lmb_plant_foot lmb_plant_foot_of_leg(const lmb_skeleton *skeleton, const lmb_joint_map *map,
                                     lmb_human_bone bone, float flat)
{
    const int32_t upper = map->bones[bone].joint, lower = map->bones[bone + 1].joint,
                  ankle = map->bones[bone + 2].joint, toes = map->bones[bone + 3].joint;
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

static lmb_vec3 in_joint(const lmb_mat4 *model, uint32_t joint, lmb_vec3 point)
{
    lmb_mat4 inverse;
    (void)lmb_mat4_inverse_affine(model[joint], &inverse);
    return lmb_mat4_point(inverse, point);
}

static void store_leg(lmb_stance *stance, const lmb_gait_body *body, const lmb_mat4 *model,
                      uint32_t index)
{
    const lmb_gait_leg *from = &body->legs[index];
    const lmb_quat facing = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), body->facing_rad);
    const lmb_vec3 tip = lmb_quat_rotate(facing, from->tip);
    lmb_foot_lock_leg *leg = &stance->legs[index];
    *leg = (lmb_foot_lock_leg){.upper = from->hip, .lower = from->knee, .foot = from->ankle};
    if (from->toes > 0) {
        leg->toes = (uint32_t)from->toes;
        leg->tip = in_joint(model, leg->toes, tip);
        leg->ball = in_joint(model, leg->foot, lmb_mat4_translation(model[from->toes]));
    } else {
        leg->ball = leg->tip = in_joint(model, leg->foot, tip);
    }
}

/// Knees of humans bend about the axis across the body.
static void store_hinges(const lmb_skeleton *skeleton, const lmb_joint_map *map, lmb_stance *stance)
{
    static const int bones[2] = {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG};
    for (int k = 0; k < 2; ++k) {
        bool same = true;
        for (int i = 0; i < 3; ++i) {
            same = same && map->bones[bones[k] + i].joint >= 0;
        }
        if (same && (uint32_t)map->bones[bones[k] + 2].joint == stance->legs[k].foot) {
            stance->legs[k].hinge =
                lmb_plant_foot_of_leg(skeleton, map, (lmb_human_bone)bones[k], 0).hinge;
        }
    }
}

static void store_legs(const lmb_skeleton *skeleton, const lmb_joint_map *map,
                       const lmb_gait_body *body, const lmb_mat4 *model, lmb_stance *out)
{
    out->leg_count = body->leg_count;
    out->hips = body->hips;
    for (uint32_t k = 0; k < body->leg_count; ++k) {
        store_leg(out, body, model, k);
        const lmb_foot_lock_leg *leg = &out->legs[k];
        out->feet[k] = (lmb_machine_foot){leg->foot, leg->ball, leg->toes, leg->tip};
    }
    if (body->leg_count == 2) {
        store_hinges(skeleton, map, out);
    }
    if (body->leg_count > 2 || out->root == LMB_NONE) {
        out->root = (int32_t)body->hips;
        out->left_foot = (int32_t)body->legs[0].ankle;
        out->right_foot = (int32_t)body->legs[1].ankle;
    }
}

/// The first joint that a clip of the character moves about.
static int32_t first_moved(const lmb_character *character)
{
    int32_t first = LMB_NONE;
    for (uint32_t k = 0; k < character->clip_count; ++k) {
        for (uint32_t c = 0; c < character->clips[k]->channel_count; ++c) {
            const lmb_channel *channel = &character->clips[k]->channels[c];
            if (channel->path == LMB_PATH_TRANSLATION && channel->key_count > 1 &&
                (first == LMB_NONE || channel->joint < (uint32_t)first)) {
                first = (int32_t)channel->joint;
            }
        }
    }
    return first;
}

lmb_result lmb_stance_find(const lmb_character *character, const lmb_allocator *alloc,
                           lmb_stance *out, lmb_error *error)
{
    const lmb_skeleton *skeleton = character->skeleton;
    lmb_stance made = {.root = LMB_NONE, .left_foot = LMB_NONE, .right_foot = LMB_NONE};
    lmb_joint_map map;
    lmb_gait_body body;
    lmb_result result = lmb_joint_map_make(skeleton, alloc, &map, error);
    if (result != LMB_OK) {
        return result;
    }
    if (map.confidence > 0.5f) {
        made.root = map.bones[LMB_HUMAN_HIPS].joint;
        made.left_foot = map.bones[LMB_HUMAN_LEFT_FOOT].joint;
        made.right_foot = map.bones[LMB_HUMAN_RIGHT_FOOT].joint;
    }
    result = lmb_gait_body_of_character(character, alloc, &body, error);
    if (result == LMB_OK) {
        lmb_mat4 *model = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *model);
        if (model == NULL) {
            return lmbi_fail_memory(error);
        }
        lmb_pose_to_model(
            &(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
        store_legs(skeleton, &map, &body, model, &made);
        lmbi_free(alloc, model);
    } else if (result == LMB_ERROR_MEMORY) {
        return result;
    } else if (error != NULL) {
        *error = (lmb_error){0}; // a body without legs is no fault
    }
    made.root = made.root == LMB_NONE ? first_moved(character) : made.root;
    *out = made;
    return LMB_OK;
}
