/// The feet that a character stands on, and their contacts in each clip.
#include "cli/animate/legs.h"
#include "cli/blend/blend.h"

#include <stdlib.h>

static lmb_vec3 in_joint(const lmb_mat4 *model, uint32_t joint, lmb_vec3 point)
{
    lmb_mat4 inverse;
    (void)lmb_mat4_inverse_affine(model[joint], &inverse);
    return lmb_mat4_point(inverse, point);
}

static void put_leg(blend_stage *stage, const lmb_gait_body *body, const lmb_mat4 *model,
                    uint32_t index)
{
    const lmb_gait_leg *from = &body->legs[index];
    const lmb_quat facing = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), body->facing_rad);
    const lmb_vec3 tip = lmb_quat_rotate(facing, from->tip);
    lmb_foot_lock_leg *leg = &stage->legs[index];
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
static void put_hinges(blend_stage *stage, const lmb_joint_map *map)
{
    static const int bones[2] = {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG};
    for (int k = 0; k < 2; ++k) {
        bool same = true;
        for (int i = 0; i < 3; ++i) {
            same = same && map->bones[bones[k] + i].joint >= 0;
        }
        if (same && (uint32_t)map->bones[bones[k] + 2].joint == stage->legs[k].foot) {
            stage->legs[k].hinge =
                cli_plant_foot(stage->character->skeleton, map, bones[k], 0).hinge;
        }
    }
}

void blend_legs_find(blend_stage *stage)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    lmb_gait_body body;
    const lmb_result found = lmb_gait_body_of_character(stage->character, NULL, &body, NULL);
    if (found == LMB_ERROR_MEMORY) {
        cli_out_of_memory();
    }
    if (found != LMB_OK) {
        return;
    }
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof(*model));
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    stage->leg_count = body.leg_count;
    stage->hips = body.hips;
    for (uint32_t k = 0; k < body.leg_count; ++k) {
        put_leg(stage, &body, model, k);
        const lmb_foot_lock_leg *leg = &stage->legs[k];
        stage->feet[k] = (lmb_machine_foot){leg->foot, leg->ball, leg->toes, leg->tip};
    }
    free(model);
    if (body.leg_count == 2) {
        const lmb_joint_map map = cli_joint_map(skeleton);
        put_hinges(stage, &map);
    }
    if (body.leg_count > 2 || stage->root == LMB_NONE) {
        stage->root = (int32_t)body.hips;
        stage->left_foot = (int32_t)body.legs[0].ankle;
        stage->right_foot = (int32_t)body.legs[1].ankle;
    }
}

lmb_result blend_steps_learn(const blend_stage *stage, const lmb_clip *clip, blend_steps *out,
                             lmb_error *error)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    lmb_result result = LMB_OK;
    for (uint32_t k = 0; k < stage->leg_count && result == LMB_OK; ++k) {
        const lmb_foot_lock_leg *leg = &stage->legs[k];
        result = lmb_contacts_create(clip, skeleton, leg->foot, leg->ball, true, NULL,
                                     &out->contacts[k], error);
        if (result == LMB_OK) {
            result = lmb_contacts_create(clip, skeleton, leg->toes > 0 ? leg->toes : leg->foot,
                                         leg->tip, true, NULL, &out->tips[k], error);
        }
    }
    return result;
}

void blend_steps_end(blend_steps *steps)
{
    for (int k = 0; k < LMB_PLANT_FEET; ++k) {
        lmb_contacts_destroy(steps->contacts[k]);
        lmb_contacts_destroy(steps->tips[k]);
    }
}

void blend_steps_add(const blend_stage *stage, const blend_steps *steps, double time_s,
                     float fraction, blend_foot_contacts *contacts_now)
{
    for (uint32_t k = 0; k < stage->leg_count; ++k) {
        contacts_now->planted[k] += fraction * lmb_contacts_at(steps->contacts[k], time_s);
        contacts_now->floors[k][0] += fraction * steps->contacts[k]->floor;
        contacts_now->floors[k][1] += fraction * steps->tips[k]->floor;
    }
}
