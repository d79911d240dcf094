/// Posing a skeleton as a gait has it: turns since rest for trunk, head and arms, legs by two-bone
/// IK to where the feet are.
#include <math.h>
#include <string.h>

#include "limber/ik.h"
#include "procedural/gait_machine.h"

static void turn(lmb_gait *g, int32_t joint, lmb_quat by)
{
    if (joint >= 0) {
        g->turns[joint] = by;
        g->turned[joint] = 1;
    }
}

static void set_trunk(lmb_gait *g, const lmbi_figure_state *figure)
{
    const lmb_gait_body *body = &g->body;
    turn(g, (int32_t)body->hips, figure->pelvis);
    for (uint32_t k = 0; k < body->trunk_count; ++k) {
        const float share = (float)(k + 1) / (float)body->trunk_count;
        turn(g, (int32_t)body->trunk[k], lmb_quat_slerp(figure->pelvis, figure->chest, share));
    }
    for (uint32_t k = 0; k < body->neck_count; ++k) {
        const float share = (float)(k + 1) / (float)body->neck_count;
        turn(g, (int32_t)body->neck[k], lmb_quat_slerp(figure->chest, figure->head, share));
    }
}

/// The turn since the T-pose is one since any rest pose once the bone is brought level.
static void set_bone(lmb_gait *g, int32_t joint, int32_t end, float side, lmb_quat since_t)
{
    if (joint >= 0 && end >= 0) {
        const lmb_vec3 level = {side, 0, 0};
        const lmb_vec3 bone = lmb_vec3_normalize_or(
            lmb_vec3_sub(g->rest[end].translation, g->rest[joint].translation), level);
        turn(g, joint, lmb_quat_mul(since_t, lmb_quat_between(bone, level)));
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
        turn(g, arm->shoulder, lmb_quat_mul(figure->chest, figure->shoulder[side]));
        set_bone(g, arm->upper, arm->lower, s, figure->upper_arm[side]);
        set_bone(g, arm->lower, arm->hand, s, figure->lower_arm[side]);
        if (arm->hand >= 0) {
            turn(g, arm->hand, g->turns[arm->lower]);
        }
    }
}

/// Locals and models from the turns; joints without one go with their parents as at rest.
static void place(lmb_gait *g, lmb_vec3 hips, lmb_transform *local)
{
    for (uint32_t j = 0; j < g->skeleton->joint_count; ++j) {
        const int32_t parent = g->skeleton->parents[j];
        const lmb_transform above = parent < 0 ? g->home : g->model[parent];
        const lmb_quat back = lmb_quat_conjugate(above.rotation);
        local[j] = g->skeleton->rest[j];
        if (g->turned[j]) {
            const lmb_quat model = lmb_quat_mul(g->turns[j], g->rest[j].rotation);
            local[j].rotation = lmb_quat_normalize(lmb_quat_mul(back, model));
        }
        if (j == g->body.hips) {
            const lmb_vec3 at = lmb_quat_rotate(back, lmb_vec3_sub(hips, above.translation));
            const float scale = above.scale.x;
            local[j].translation = lmb_vec3_scale(at, fabsf(scale) > 0.0f ? 1.0f / scale : 1.0f);
        }
        g->model[j] = lmb_transform_mul(above, local[j]);
    }
}

/// A shoulder blade swings with its leg, about the chest's own axis across.
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
    turn(g, leg->blade,
         lmb_quat_mul(carrier,
                      lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), -LMBI_BLADE_SHARE * angle)));
}

/// A leg whose knee is over the body, in the plane that it bends in at rest.
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
    const lmb_two_bone_turn bent = lmb_two_bone_solve(limb, figure->ankle[index], zero, zero, 0.0f);
    turn(g, (int32_t)leg->hip, bent.start);
    turn(g, (int32_t)leg->knee, lmb_quat_mul(bent.start, bent.mid));
    turn(g, (int32_t)leg->ankle, figure->foot[index]);
    turn(g, leg->toes, figure->toes[index]);
}

/// Thigh and shin from where the hip is to the ankle, the knee to its side.
static void set_leg(lmb_gait *g, const lmbi_figure_state *figure, uint32_t index)
{
    const lmb_gait_leg *leg = &g->body.legs[index];
    if (g->gait.legs[index].raised) {
        set_raised_leg(g, figure, index);
        return;
    }
    const lmb_vec3 hip = g->rest[leg->hip].translation, knee = g->rest[leg->knee].translation,
                   ankle = g->rest[leg->ankle].translation;
    // Begin as the foot's direction has it: the thigh does not twist against the knee.
    const float side = g->gait.legs[index].knee;
    const lmb_vec3 pole = figure->knee[index], z = lmb_vec3_scale(pole, side);
    const lmb_quat face = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), lmb_atan2(z.x, z.z));
    lmb_two_bone_points limb = {.start = g->model[leg->hip].translation};
    limb.mid = lmb_vec3_add(limb.start, lmb_quat_rotate(face, lmb_vec3_sub(knee, hip)));
    limb.end = lmb_vec3_add(limb.mid, lmb_quat_rotate(face, lmb_vec3_sub(ankle, knee)));
    const lmb_vec3 axis = lmb_quat_rotate(face, lmb_vec3_make(side, 0, 0));
    const lmb_two_bone_turn bent = lmb_two_bone_solve(limb, figure->ankle[index], axis, pole, 0.0f);
    turn(g, (int32_t)leg->hip, lmb_quat_mul(bent.start, face));
    turn(g, (int32_t)leg->knee, lmb_quat_mul(lmb_quat_mul(bent.start, bent.mid), face));
    turn(g, (int32_t)leg->ankle, figure->foot[index]);
    turn(g, leg->toes, figure->toes[index]);
}

/// From the gait's own space, which begins at the origin on a ground of height 0, to the model's.
static void bring_home(const lmb_gait *g, double time_s, lmbi_figure_state *figure)
{
    lmb_vec3 at = {g->middle.x, g->body.ground, g->middle.z};
    float heading = 0;
    if (g->in_place) {
        at = lmb_vec3_sub(at, lmbi_gait_way(&g->gait, time_s, &heading));
    }
    figure->hips = lmb_vec3_add(figure->hips, at);
    for (uint32_t k = 0; k < g->body.leg_count; ++k) {
        figure->ankle[k] = lmb_vec3_add(figure->ankle[k], at);
    }
}

/// Everything but the legs' own bones; they are where the figure says that their feet are.
static void pose_trunk(lmb_gait *g, const lmbi_figure_state *figure, lmb_transform *local)
{
    const lmb_vec3 from_middle = lmb_vec3_sub(g->rest[g->body.hips].translation, g->middle);
    const lmb_vec3 hips = lmb_vec3_add(figure->hips, lmb_quat_rotate(figure->pelvis, from_middle));
    memset(g->turned, 0, g->skeleton->joint_count);
    set_trunk(g, figure);
    set_arms(g, figure);
    place(g, hips, local);
    for (uint32_t k = 0; k < g->body.leg_count; ++k) {
        set_blade(g, figure, k);
    }
    place(g, hips, local);
}

/// How much too high a hip is for the foot that it stands on.
static float too_high(const lmb_gait *g, const lmbi_figure_state *figure, uint32_t leg)
{
    const lmb_vec3 hip = g->model[g->body.legs[leg].hip].translation, ankle = figure->ankle[leg];
    const float x = ankle.x - hip.x, z = ankle.z - hip.z;
    const float reach = LMBI_GAIT_REACH * g->gait.legs[leg].length;
    return hip.y - ankle.y - lmb_sqrt(fmaxf(reach * reach - x * x - z * z, 0.0f));
}

/// The most that any hip is too high over the stances of all feet, their ends included.
static float find_drop(lmb_gait *g)
{
    enum { SAMPLES = 24 };
    float drop = 0.0f;
    for (uint32_t leg = 0; leg < g->body.leg_count; ++leg) {
        for (int i = 0; i <= SAMPLES; ++i) {
            const double share = (double)i / SAMPLES;
            lmbi_figure_state figure = lmbi_gait_at(&g->gait, (double)g->gait.legs[leg].offset +
                                                                  share * (double)g->gait.duty);
            bring_home(g, 0, &figure);
            pose_trunk(g, &figure, g->local);
            drop = fmaxf(drop, too_high(g, &figure, leg));
        }
    }
    return drop;
}

void lmbi_gait_settle(lmb_gait *g)
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
    bring_home(gait, time_s, &figure);
    pose_trunk(gait, &figure, local);
    for (uint32_t k = 0; k < gait->body.leg_count; ++k) {
        set_leg(gait, &figure, k);
    }
    const lmb_vec3 hips = gait->model[gait->body.hips].translation;
    place(gait, hips, local);
}
