/// Poses a skeleton by a gait: rotations since rest for trunk, head and arms, and two-bone IK from
/// the feet for legs.
#include <math.h>
#include <string.h>

#include "limber/ik.h"
#include "procedural/gait_machine.h"

static void set_rotation(lmb_gait *g, int32_t joint, lmb_quat rotation)
{
    if (joint >= 0) {
        g->rotations[joint] = rotation;
        g->is_rotated[joint] = 1;
    }
}

static void set_trunk(lmb_gait *g, const lmbi_figure_state *figure)
{
    const lmb_gait_body *body = &g->body;
    set_rotation(g, (int32_t)body->hips, figure->pelvis);
    for (uint32_t k = 0; k < body->trunk_count; ++k) {
        const float fraction = (float)(k + 1) / (float)body->trunk_count;
        set_rotation(g, (int32_t)body->trunk[k],
                     lmb_quat_slerp(figure->pelvis, figure->chest, fraction));
    }
    for (uint32_t k = 0; k < body->neck_count; ++k) {
        const float fraction = (float)(k + 1) / (float)body->neck_count;
        set_rotation(g, (int32_t)body->neck[k],
                     lmb_quat_slerp(figure->chest, figure->head, fraction));
    }
}

/// Sets a rotation since the T-pose; the bone's rest direction is first brought level.
static void set_bone(lmb_gait *g, int32_t joint, int32_t end, float side, lmb_quat since_t)
{
    if (joint >= 0 && end >= 0) {
        const lmb_vec3 level = {side, 0, 0};
        const lmb_vec3 bone = lmb_vec3_normalize_or(
            lmb_vec3_sub(g->rest[end].translation, g->rest[joint].translation), level);
        set_rotation(g, joint, lmb_quat_mul(since_t, lmb_quat_between(bone, level)));
    }
}

static void set_arms(lmb_gait *g, const lmbi_figure_state *figure)
{
    for (int side = 0; side < 2 && g->body.leg_count == 2; ++side) {
        const lmb_gait_arm *arm = &g->body.arms[side];
        const float s = side == 0 ? 1.0f : -1.0f;
        if (arm->upper < 0 || arm->lower < 0) {
            continue;
        }
        set_rotation(g, arm->shoulder, lmb_quat_mul(figure->chest, figure->shoulder[side]));
        set_bone(g, arm->upper, arm->lower, s, figure->upper_arm[side]);
        set_bone(g, arm->lower, arm->hand, s, figure->lower_arm[side]);
        if (arm->hand >= 0) {
            set_rotation(g, arm->hand, g->rotations[arm->lower]);
        }
    }
}

/// Local and model transforms from the rotations. Joints without one keep their rest rotation.
static void update_transforms(lmb_gait *g, lmb_vec3 hips, lmb_transform *local)
{
    for (uint32_t j = 0; j < g->skeleton->joint_count; ++j) {
        const int32_t parent = g->skeleton->parents[j];
        const lmb_transform parent_transform = parent < 0 ? g->facing_from_model : g->model[parent];
        const lmb_quat parent_inverse = lmb_quat_conjugate(parent_transform.rotation);
        local[j] = g->skeleton->rest[j];
        if (g->is_rotated[j]) {
            const lmb_quat model = lmb_quat_mul(g->rotations[j], g->rest[j].rotation);
            local[j].rotation = lmb_quat_normalize(lmb_quat_mul(parent_inverse, model));
        }
        if (j == g->body.hips) {
            const lmb_vec3 at =
                lmb_quat_rotate(parent_inverse, lmb_vec3_sub(hips, parent_transform.translation));
            const float scale = parent_transform.scale.x;
            local[j].translation = lmb_vec3_scale(at, fabsf(scale) > 0.0f ? 1.0f / scale : 1.0f);
        }
        g->model[j] = lmb_transform_mul(parent_transform, local[j]);
    }
}

/// A shoulder blade swings with its leg, about the chest's lateral axis.
static void set_blade(lmb_gait *g, const lmbi_figure_state *figure, uint32_t index)
{
    const lmb_gait_leg *leg = &g->body.legs[index];
    if (leg->blade < 0 || g->gait.legs[index].raised) {
        return;
    }
    const lmb_quat carrier = g->gait.legs[index].front ? figure->chest : figure->pelvis;
    const lmb_vec3 to =
        lmb_quat_rotate(lmb_quat_conjugate(carrier),
                        lmb_vec3_sub(figure->ankle[index], g->model[leg->hip].translation));
    const float angle = lmb_atan2(to.z, fmaxf(-to.y, 0.2f * g->gait.legs[index].length));
    set_rotation(g, leg->blade,
                 lmb_quat_mul(carrier, lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0),
                                                           -LMBI_BLADE_FRACTION * angle)));
}

/// Solves a leg whose knee is above the body, in the plane of its bend at rest.
static void set_raised_leg(lmb_gait *g, const lmbi_figure_state *figure, uint32_t index)
{
    const lmb_gait_leg *leg = &g->body.legs[index];
    const lmb_vec3 from_rest =
                       lmb_vec3_sub(g->model[leg->hip].translation, g->rest[leg->hip].translation),
                   zero = {0, 0, 0};
    const lmb_two_bone_points limb = {
        .start = g->model[leg->hip].translation,
        .mid = lmb_vec3_add(g->rest[leg->knee].translation, from_rest),
        .end = lmb_vec3_add(g->rest[leg->ankle].translation, from_rest)};
    const lmb_two_bone_rotation bent =
        lmb_two_bone_solve(limb, figure->ankle[index], zero, zero, 0.0f);
    set_rotation(g, (int32_t)leg->hip, bent.start);
    set_rotation(g, (int32_t)leg->knee, lmb_quat_mul(bent.start, bent.mid));
    set_rotation(g, (int32_t)leg->ankle, figure->foot[index]);
    set_rotation(g, leg->toes, figure->toes[index]);
}

/// Solves thigh and shin from hip to ankle, with the knee towards its direction.
static void set_leg(lmb_gait *g, const lmbi_figure_state *figure, uint32_t index)
{
    const lmb_gait_leg *leg = &g->body.legs[index];
    if (g->gait.legs[index].raised) {
        set_raised_leg(g, figure, index);
        return;
    }
    const lmb_vec3 hip = g->rest[leg->hip].translation, knee = g->rest[leg->knee].translation,
                   ankle = g->rest[leg->ankle].translation;
    // Starts from the foot's heading, so that the thigh does not twist against the knee.
    const float side = g->gait.legs[index].knee;
    const lmb_vec3 pole = figure->knee[index], z = lmb_vec3_scale(pole, side);
    const lmb_quat face = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), lmb_atan2(z.x, z.z));
    lmb_two_bone_points limb = {.start = g->model[leg->hip].translation};
    limb.mid = lmb_vec3_add(limb.start, lmb_quat_rotate(face, lmb_vec3_sub(knee, hip)));
    limb.end = lmb_vec3_add(limb.mid, lmb_quat_rotate(face, lmb_vec3_sub(ankle, knee)));
    const lmb_vec3 axis = lmb_quat_rotate(face, lmb_vec3_make(side, 0, 0));
    const lmb_two_bone_rotation bent =
        lmb_two_bone_solve(limb, figure->ankle[index], axis, pole, 0.0f);
    set_rotation(g, (int32_t)leg->hip, lmb_quat_mul(bent.start, face));
    set_rotation(g, (int32_t)leg->knee, lmb_quat_mul(lmb_quat_mul(bent.start, bent.mid), face));
    set_rotation(g, (int32_t)leg->ankle, figure->foot[index]);
    set_rotation(g, leg->toes, figure->toes[index]);
}

/// Transforms from the gait's space, which starts at the origin on a ground of height 0, to the
/// model's.
static void to_model_space(const lmb_gait *g, double time_s, lmbi_figure_state *figure)
{
    lmb_vec3 at = {g->hips_center.x, g->body.ground, g->hips_center.z};
    float heading = 0;
    if (g->in_place) {
        at = lmb_vec3_sub(at, lmbi_gait_path(&g->gait, time_s, &heading));
    }
    figure->hips = lmb_vec3_add(figure->hips, at);
    for (uint32_t k = 0; k < g->body.leg_count; ++k) {
        figure->ankle[k] = lmb_vec3_add(figure->ankle[k], at);
    }
}

/// Poses everything but the legs.
static void pose_trunk(lmb_gait *g, const lmbi_figure_state *figure, lmb_transform *local)
{
    const lmb_vec3 from_middle = lmb_vec3_sub(g->rest[g->body.hips].translation, g->hips_center);
    const lmb_vec3 hips = lmb_vec3_add(figure->hips, lmb_quat_rotate(figure->pelvis, from_middle));
    memset(g->is_rotated, 0, g->skeleton->joint_count);
    set_trunk(g, figure);
    set_arms(g, figure);
    update_transforms(g, hips, local);
    for (uint32_t k = 0; k < g->body.leg_count; ++k) {
        set_blade(g, figure, k);
    }
    update_transforms(g, hips, local);
}

/// Height of a hip above the reach of its planted foot.
static float excess_height(const lmb_gait *g, const lmbi_figure_state *figure, uint32_t leg)
{
    const lmb_vec3 hip = g->model[g->body.legs[leg].hip].translation, ankle = figure->ankle[leg];
    const float x = ankle.x - hip.x, z = ankle.z - hip.z;
    const float reach = LMBI_GAIT_REACH * g->gait.legs[leg].length;
    return hip.y - ankle.y - lmb_sqrt(fmaxf(reach * reach - x * x - z * z, 0.0f));
}

/// Largest excess height of any hip over the stances of all feet, including their ends.
static float find_drop(lmb_gait *g)
{
    enum { SAMPLES = 24 };
    float drop = 0.0f;
    for (uint32_t leg = 0; leg < g->body.leg_count; ++leg) {
        for (int i = 0; i <= SAMPLES; ++i) {
            const double fraction = (double)i / SAMPLES;
            lmbi_figure_state figure = lmbi_gait_at(&g->gait, (double)g->gait.legs[leg].offset +
                                                                  fraction * (double)g->gait.duty);
            to_model_space(g, 0, &figure);
            pose_trunk(g, &figure, g->local);
            drop = fmaxf(drop, excess_height(g, &figure, leg));
        }
    }
    return drop;
}

void lmbi_gait_lower_hips(lmb_gait *g)
{
    float drop = 1.0f;
    for (int round = 0; round < 6 && drop > 1e-5f; ++round) {
        drop = find_drop(g);
        g->gait.height -= drop;
    }
}

void lmb_gait_pose(lmb_gait *gait, double time_s, lmb_transform *local)
{
    lmbi_figure_state figure = lmbi_gait_at(&gait->gait, time_s / (double)gait->gait.period_s);
    to_model_space(gait, time_s, &figure);
    pose_trunk(gait, &figure, local);
    for (uint32_t k = 0; k < gait->body.leg_count; ++k) {
        set_leg(gait, &figure, k);
    }
    const lmb_vec3 hips = gait->model[gait->body.hips].translation;
    update_transforms(gait, hips, local);
}
