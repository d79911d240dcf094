/// Lays the channels of a motion over a figure: trunk, arms, legs, then hands that reach.
///
/// Trunk channels add to the base; an arm or a leg that has keys replaces it, by its weight.
#include <math.h>

#include "limber/ik.h"
#include "math/scalar.h"
#include "procedural/motion_text.h"

/// A planted foot is at most this fraction of the leg's length from its hip.
#define LAY_REACH 0.998f

static float side_sign(int side)
{
    return side == 0 ? 1.0f : -1.0f;
}

static lmb_quat mul3(lmb_quat a, lmb_quat b, lmb_quat c)
{
    return lmb_quat_mul(lmb_quat_mul(a, b), c);
}

/// Rotated about the vertical first, then leaned to the side, then bent.
static lmb_quat trunk_rotation(const lmbi_motion_values *v, lmbi_motion_row bend)
{
    return mul3(lmbi_rotation_y(v->at[bend + 1][0]), lmbi_rotation_z(-v->at[bend + 2][0]),
                lmbi_rotation_x(v->at[bend][0]));
}

// ------------------------------------------------------------------------------------------- trunk

static void lay_trunk(const lmbi_motion_values *v, lmbi_figure_state *figure)
{
    const lmbi_figure_state base = *figure;
    const lmb_quat chest_since_pelvis = lmb_quat_mul(lmb_quat_conjugate(base.pelvis), base.chest),
                   head_since_chest = lmb_quat_mul(lmb_quat_conjugate(base.chest), base.head);
    const lmb_vec3 by = {v->at[ROW_HIPS_X][0], v->at[ROW_HIPS_Y][0], v->at[ROW_HIPS_Z][0]};
    figure->hips = lmb_vec3_mad(base.hips, by, FIGURE_LEG);
    figure->pelvis = lmb_quat_mul(base.pelvis, trunk_rotation(v, ROW_PELVIS_BEND));
    figure->chest = mul3(figure->pelvis, chest_since_pelvis, trunk_rotation(v, ROW_CHEST_BEND));
    figure->head = mul3(figure->chest, head_since_chest, trunk_rotation(v, ROW_HEAD_BEND));
    // Arms of the base are carried along.
    const lmb_quat carry = lmb_quat_mul(figure->chest, lmb_quat_conjugate(base.chest));
    for (int side = 0; side < 2; ++side) {
        const float s = side_sign(side);
        figure->shoulder[side] =
            mul3(base.shoulder[side], lmbi_rotation_z(s * v->at[ROW_SHOULDER_RAISE][side]),
                 lmbi_rotation_y(-s * v->at[ROW_SHOULDER_FORWARD][side]));
        figure->upper_arm[side] = lmb_quat_mul(carry, base.upper_arm[side]);
        figure->lower_arm[side] = lmb_quat_mul(carry, base.lower_arm[side]);
        figure->hand[side] = lmb_quat_mul(carry, base.hand[side]);
    }
}

// -------------------------------------------------------------------------------------------- arms

/// Since the hanging arm, palm inward; the figure's are since the T-pose.
static void lay_arm(const lmbi_motion_values *v, int side, lmbi_figure_state *figure)
{
    const float s = side_sign(side), weight = v->at[ROW_ARM_WEIGHT][side];
    const lmb_quat level = lmbi_rotation_z(-s * 90.0f);
    const lmb_quat upper =
        lmb_quat_mul(figure->chest, mul3(lmbi_rotation_x(-v->at[ROW_UPPER_ARM_SWING][side]),
                                         lmbi_rotation_z(s * v->at[ROW_UPPER_ARM_SPREAD][side]),
                                         lmbi_rotation_y(-s * v->at[ROW_UPPER_ARM_TWIST][side])));
    const lmb_quat fore = lmb_quat_mul(upper, lmbi_rotation_x(-v->at[ROW_FOREARM_BEND][side]));
    const float twist = -s * v->at[ROW_FOREARM_TWIST][side];
    const lmb_quat hand = mul3(fore, lmbi_rotation_y(twist),
                               lmb_quat_mul(lmbi_rotation_z(-s * v->at[ROW_HAND_BEND][side]),
                                            lmbi_rotation_x(-v->at[ROW_HAND_SIDE][side])));
    const lmb_quat lower = lmb_quat_mul(fore, lmbi_rotation_y(0.5f * twist));
    figure->upper_arm[side] =
        lmb_quat_slerp(figure->upper_arm[side], lmb_quat_mul(upper, level), weight);
    figure->lower_arm[side] =
        lmb_quat_slerp(figure->lower_arm[side], lmb_quat_mul(lower, level), weight);
    figure->hand[side] = lmb_quat_slerp(figure->hand[side], lmb_quat_mul(hand, level), weight);
}

void lmbi_figure_spread_arms(lmbi_figure_state *figure, float degrees)
{
    for (int side = 0; side < 2; ++side) {
        const lmb_quat outward = mul3(figure->chest, lmbi_rotation_z(side_sign(side) * degrees),
                                      lmb_quat_conjugate(figure->chest));
        figure->upper_arm[side] = lmb_quat_mul(outward, figure->upper_arm[side]);
        figure->lower_arm[side] = lmb_quat_mul(outward, figure->lower_arm[side]);
        figure->hand[side] = lmb_quat_mul(outward, figure->hand[side]);
    }
}

static lmb_transform anchor_place(lmbi_motion_anchor anchor, int side, const lmb_transform *model)
{
    static const int joints[] = {[ANCHOR_HIPS] = FIGURE_HIPS,
                                 [ANCHOR_CHEST] = FIGURE_UPPER_CHEST,
                                 [ANCHOR_HEAD] = FIGURE_HEAD,
                                 [ANCHOR_THIGH] = FIGURE_LEFT_UPPER_LEG};
    if (anchor == ANCHOR_GROUND) {
        return lmb_transform_identity();
    }
    return model[joints[anchor] + (anchor == ANCHOR_THIGH && side == 1 ? 4 : 0)];
}

/// Brings the wrist to its goal by its weight; the elbow keeps the side it is on.
static void reach(const lmbi_motion_values *v, lmbi_motion_anchor anchor, int side,
                  const lmb_transform *model, lmbi_figure_state *figure)
{
    const int arm = side == 0 ? FIGURE_LEFT_SHOULDER + 1 : FIGURE_RIGHT_SHOULDER + 1;
    const lmb_vec3 offset = {side_sign(side) * v->at[ROW_REACH_X][side] * FIGURE_ARM,
                             v->at[ROW_REACH_Y][side] * FIGURE_ARM,
                             v->at[ROW_REACH_Z][side] * FIGURE_ARM};
    const lmb_vec3 goal = lmb_transform_point(anchor_place(anchor, side, model), offset);
    const lmb_two_bone_points limb = {model[arm].translation, model[arm + 1].translation,
                                      model[arm + 2].translation};
    // The elbow bends about the arm's lateral axis, which is vertical in the T-pose.
    const lmb_vec3 hinge =
        lmb_quat_rotate(figure->upper_arm[side], lmb_vec3_make(0, -side_sign(side), 0));
    const lmb_vec3 zero = {0, 0, 0};
    const lmb_vec3 target = lmb_vec3_lerp(limb.end, goal, v->at[ROW_REACH_WEIGHT][side]);
    const lmb_two_bone_rotation by = lmb_two_bone_solve(limb, target, hinge, zero, 0.02f);
    const lmb_quat lower = lmb_quat_mul(by.start, by.mid);
    figure->upper_arm[side] = lmb_quat_mul(by.start, figure->upper_arm[side]);
    figure->lower_arm[side] = lmb_quat_mul(lower, figure->lower_arm[side]);
    figure->hand[side] = lmb_quat_mul(lower, figure->hand[side]);
}

static void lay_arms(const lmb_motion *m, const lmbi_motion_values *v, lmbi_figure_state *figure)
{
    for (int side = 0; side < 2; ++side) {
        bool posed = false;
        for (int row = ROW_UPPER_ARM_SWING; row <= ROW_HAND_SIDE; ++row) {
            posed = posed || m->uses[row][side];
        }
        if (posed) {
            lay_arm(v, side, figure);
        }
        if (m->uses[ROW_HAND_CURL][side]) {
            figure->curl[side] = v->at[ROW_HAND_CURL][side];
        }
    }
}

static void reach_hands(const lmb_motion *m, const lmbi_motion_values *v, lmbi_figure_state *figure)
{
    lmb_transform model[FIGURE_JOINTS];
    if (m->anchors[0] == ANCHOR_NONE && m->anchors[1] == ANCHOR_NONE) {
        return;
    }
    lmbi_figure_place(figure, model);
    for (int side = 0; side < 2; ++side) {
        if (m->anchors[side] != ANCHOR_NONE && v->at[ROW_REACH_WEIGHT][side] > 0) {
            reach(v, m->anchors[side], side, model, figure);
        }
    }
}

// -------------------------------------------------------------------------------------------- legs

static void plant_leg(const lmbi_motion_values *v, int side, lmbi_figure_state *figure)
{
    const float s = side_sign(side), turn = s * v->at[ROW_FOOT_TURN][side];
    const lmb_vec3 stand = {s * 0.115f, FIGURE_TOE_HEIGHT, FIGURE_TOE_FORWARD};
    const lmb_vec3 by = {v->at[ROW_FOOT_X][side], v->at[ROW_FOOT_Y][side], v->at[ROW_FOOT_Z][side]};
    const float pitch = v->at[ROW_FOOT_PITCH][side];
    lmb_vec3 toe = lmb_vec3_mad(stand, by, FIGURE_LEG);
    if (pitch > 0) {
        // Toes up, the heel stays where it is.
        const lmb_vec3 heel = {0, -FIGURE_TOE_HEIGHT, -FIGURE_TOE_FORWARD - FIGURE_HEEL_BACK};
        const lmb_vec3 raised = lmb_vec3_sub(heel, lmb_quat_rotate(lmbi_rotation_x(-pitch), heel));
        toe = lmb_vec3_add(toe, lmb_quat_rotate(lmbi_rotation_y(turn), raised));
    }
    lmbi_figure_foot(figure, side, toe, pitch, turn);
    figure->hinged_leg[side] = true;
    figure->knee[side] = lmb_quat_rotate(lmbi_rotation_y(turn + s * v->at[ROW_KNEE_OUT][side]),
                                         lmb_vec3_make(0, 0, 1));
}

static void free_leg(const lmbi_motion_values *v, int side, lmbi_figure_state *figure)
{
    const float s = side_sign(side), weight = 1.0f - v->at[ROW_FOOT_PLANT][side];
    const lmb_quat thigh =
        lmb_quat_mul(figure->pelvis, mul3(lmbi_rotation_x(-v->at[ROW_THIGH_SWING][side]),
                                          lmbi_rotation_z(s * v->at[ROW_THIGH_SPREAD][side]),
                                          lmbi_rotation_y(-s * v->at[ROW_THIGH_TWIST][side])));
    const lmb_quat shin = lmb_quat_mul(thigh, lmbi_rotation_x(v->at[ROW_SHIN_BEND][side]));
    const lmb_quat foot = lmb_quat_mul(shin, lmbi_rotation_x(-v->at[ROW_ANKLE_BEND][side]));
    figure->free_leg[side] = weight;
    figure->thigh[side] = thigh;
    figure->shin[side] = shin;
    figure->foot[side] = lmb_quat_slerp(figure->foot[side], foot, weight);
    figure->toes[side] = lmb_quat_slerp(figure->toes[side], foot, weight);
}

/// Lowers the hips until planted feet are within reach.
static void lower_hips(lmbi_figure_state *figure)
{
    float drop = 0;
    for (int side = 0; side < 2; ++side) {
        const lmb_vec3 across = {side_sign(side) * FIGURE_HIP_WIDTH, 0, 0};
        const lmb_vec3 hip = lmb_vec3_add(figure->hips, lmb_quat_rotate(figure->pelvis, across)),
                       to = lmb_vec3_sub(hip, figure->ankle[side]);
        const float reach = LAY_REACH * FIGURE_LEG,
                    allowed = lmb_sqrt(fmaxf(reach * reach - to.x * to.x - to.z * to.z, 0.0f));
        drop = fmaxf(drop, (1.0f - figure->free_leg[side]) * (to.y - allowed));
    }
    figure->hips.y -= drop;
}

static void lay_legs(const lmb_motion *m, const lmbi_motion_values *v, lmbi_figure_state *figure)
{
    for (int side = 0; side < 2; ++side) {
        bool placed = false;
        for (int row = ROW_FOOT_X; row <= ROW_KNEE_OUT; ++row) {
            placed = placed || m->uses[row][side];
        }
        if (placed) {
            plant_leg(v, side, figure);
        }
        if (v->at[ROW_FOOT_PLANT][side] < 1.0f) {
            free_leg(v, side, figure);
        }
    }
}

// ------------------------------------------------------------------------------------------- whole

void lmbi_motion_lay_over(const lmb_motion *m, const lmbi_motion_values *v,
                          lmbi_figure_state *figure)
{
    lay_trunk(v, figure);
    lay_arms(m, v, figure);
    lay_legs(m, v, figure);
    if (m->base != BASE_JUMP) {
        lower_hips(figure);
    }
    reach_hands(m, v, figure);
}

static lmb_quat mirror_rotation(lmb_quat q)
{
    return lmb_quat_make(q.x, -q.y, -q.z, q.w);
}

static lmb_vec3 mirror_point(lmb_vec3 v)
{
    return lmb_vec3_make(-v.x, v.y, v.z);
}

lmbi_figure_state lmbi_figure_mirror(const lmbi_figure_state *f)
{
    lmbi_figure_state out = *f;
    out.hips = mirror_point(f->hips);
    out.pelvis = mirror_rotation(f->pelvis);
    out.chest = mirror_rotation(f->chest);
    out.head = mirror_rotation(f->head);
    for (int side = 0; side < 2; ++side) {
        const int other = 1 - side;
        out.shoulder[side] = mirror_rotation(f->shoulder[other]);
        out.upper_arm[side] = mirror_rotation(f->upper_arm[other]);
        out.lower_arm[side] = mirror_rotation(f->lower_arm[other]);
        out.hand[side] = mirror_rotation(f->hand[other]);
        out.curl[side] = f->curl[other];
        out.ankle[side] = mirror_point(f->ankle[other]);
        out.foot[side] = mirror_rotation(f->foot[other]);
        out.toes[side] = mirror_rotation(f->toes[other]);
        out.knee[side] = mirror_point(f->knee[other]);
        out.hinged_leg[side] = f->hinged_leg[other];
        out.free_leg[side] = f->free_leg[other];
        out.thigh[side] = mirror_rotation(f->thigh[other]);
        out.shin[side] = mirror_rotation(f->shin[other]);
    }
    return out;
}
