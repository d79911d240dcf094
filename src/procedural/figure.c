/// Posing the made humanoid.
#include "procedural/figure.h"

#include "limber/ik.h"

#include <string.h>

#define RAD (LMB_PI / 180.0f)

typedef struct bone {
    const char *name;
    int parent;
    lmb_vec3 at, tip; ///< in the T-pose; tip of leaves, from the joint
} bone;

#define LEG(side, sign, first)                                                                    \
    {side "UpperLeg", FIGURE_HIPS, {(sign)*FIGURE_HIP_WIDTH, FIGURE_HIP_HEIGHT, 0}, {0, 0, 0}},   \
        {side "LowerLeg", first, {(sign)*FIGURE_HIP_WIDTH, 0.5f, 0.006f}, {0, 0, 0}},             \
        {side "Foot", (first) + 1, {(sign)*FIGURE_HIP_WIDTH, FIGURE_ANKLE_HEIGHT, 0}, {0, 0, 0}}, \
    {                                                                                             \
        side "Toes", (first) + 2,                                                                 \
            {(sign)*FIGURE_HIP_WIDTH, FIGURE_TOE_HEIGHT, FIGURE_TOE_FORWARD},                     \
        {                                                                                         \
            0, -0.005f, 0.065f                                                                    \
        }                                                                                         \
    }
#define ARM(side, sign, first)                                                       \
    {side "Shoulder", FIGURE_UPPER_CHEST, {(sign)*0.025f, 1.405f, 0.0f}, {0, 0, 0}}, \
        {side "UpperArm", first, {(sign)*0.17f, 1.405f, -0.015f}, {0, 0, 0}},        \
        {side "LowerArm", (first) + 1, {(sign)*0.45f, 1.405f, -0.018f}, {0, 0, 0}},  \
    {                                                                                \
        side "Hand", (first) + 2, {(sign)*0.70f, 1.405f, -0.015f},                   \
        {                                                                            \
            (sign) * 0.17f, 0, 0                                                     \
        }                                                                            \
    }

static const bone bones[FIGURE_BODY_JOINTS] = {
    {"hips", LMB_NONE, {0, 0.965f, 0}, {0, 0, 0}},
    {"spine", FIGURE_HIPS, {0, 1.055f, 0}, {0, 0, 0}},
    {"chest", FIGURE_SPINE, {0, 1.165f, -0.005f}, {0, 0, 0}},
    {"upperChest", FIGURE_CHEST, {0, 1.29f, -0.005f}, {0, 0, 0}},
    {"neck", FIGURE_UPPER_CHEST, {0, 1.46f, -0.01f}, {0, 0, 0}},
    {"head", FIGURE_NECK, {0, 1.55f, 0.01f}, {0, 0.2f, 0}},
    LEG("left", 1.0f, FIGURE_LEFT_UPPER_LEG),
    LEG("right", -1.0f, FIGURE_RIGHT_UPPER_LEG),
    ARM("left", 1.0f, FIGURE_LEFT_SHOULDER),
    ARM("right", -1.0f, FIGURE_RIGHT_SHOULDER),
};

lmb_quat lmbi_turn_x(float degrees)
{
    return lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), degrees * RAD);
}

lmb_quat lmbi_turn_y(float degrees)
{
    return lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), degrees * RAD);
}

lmb_quat lmbi_turn_z(float degrees)
{
    return lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), degrees * RAD);
}

static float sign_of(int side)
{
    return side == 0 ? 1.0f : -1.0f;
}

void lmbi_figure_arm(lmbi_figure_state *figure, int side, lmb_quat body, float down, float forward,
                     float elbow, float across)
{
    const float s = sign_of(side);
    const lmb_quat hang = lmb_quat_mul(lmbi_turn_x(-forward), lmbi_turn_z(-s * down));
    const lmb_quat bend = lmb_quat_mul(lmbi_turn_y(-s * across), lmbi_turn_x(-elbow));
    const lmb_quat fore =
        lmb_quat_mul(lmb_quat_mul(lmbi_turn_x(-forward), bend), lmbi_turn_z(-s * down));
    figure->upper_arm[side] = lmb_quat_mul(body, hang);
    figure->lower_arm[side] = lmb_quat_mul(body, fore);
    figure->hand[side] = figure->lower_arm[side];
}

void lmbi_figure_foot(lmbi_figure_state *figure, int side, lmb_vec3 toe, float pitch, float yaw)
{
    const lmb_quat turn = lmbi_turn_y(yaw), foot = lmb_quat_mul(turn, lmbi_turn_x(-pitch));
    const lmb_vec3 to_ankle = {0, FIGURE_ANKLE_HEIGHT - FIGURE_TOE_HEIGHT, -FIGURE_TOE_FORWARD};
    figure->foot[side] = foot;
    figure->toes[side] = pitch < 0.0f ? turn : foot;
    figure->ankle[side] = lmb_vec3_add(toe, lmb_quat_rotate(foot, to_ankle));
    figure->knee[side] = lmb_quat_rotate(turn, lmb_vec3_make(0, 0, 1));
}

lmbi_figure_state lmbi_figure_stand(void)
{
    lmbi_figure_state figure;
    memset(&figure, 0, sizeof(figure));
    const lmb_quat none = lmb_quat_identity();
    figure.hips = lmb_vec3_make(0, FIGURE_HIP_HEIGHT - 0.0025f, 0);
    figure.pelvis = figure.chest = figure.head = none;
    for (int side = 0; side < 2; ++side) {
        figure.shoulder[side] = none;
        figure.curl[side] = FIGURE_CURL_AT_EASE;
        lmbi_figure_arm(&figure, side, none, 76.0f, 2.0f, 14.0f, 4.0f);
        lmbi_figure_foot(
            &figure, side,
            lmb_vec3_make(sign_of(side) * 0.115f, FIGURE_TOE_HEIGHT, FIGURE_TOE_FORWARD), 0.0f,
            sign_of(side) * 9.0f);
    }
    return figure;
}

/// Thigh and shin from pelvis to ankle, the knee towards its direction.
static void solve_leg(const lmbi_figure_state *figure, int side, lmb_vec3 hip, lmb_quat *thigh,
                      lmb_quat *shin)
{
    const int first = side == 0 ? FIGURE_LEFT_UPPER_LEG : FIGURE_RIGHT_UPPER_LEG;
    const lmb_vec3 upper = lmb_vec3_sub(bones[first + 1].at, bones[first].at),
                   lower = lmb_vec3_sub(bones[first + 2].at, bones[first + 1].at);
    // Begin as the foot's direction has it: the thigh does not twist against the knee.
    const lmb_vec3 z = figure->knee[side];
    const lmb_quat face = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), lmb_atan2(z.x, z.z));
    lmb_two_bone_points limb = {.start = hip};
    limb.mid = lmb_vec3_add(hip, lmb_quat_rotate(face, upper));
    limb.end = lmb_vec3_add(limb.mid, lmb_quat_rotate(face, lower));
    const lmb_vec3 axis = lmb_quat_rotate(face, lmb_vec3_make(1, 0, 0));
    const lmb_two_bone_turn turn = lmb_two_bone_solve(limb, figure->ankle[side], axis, z, 0.0f);
    *thigh = lmb_quat_mul(turn.start, face);
    *shin = lmb_quat_mul(lmb_quat_mul(turn.start, turn.mid), face);
}

static int arm_of(int side)
{
    return side == 0 ? FIGURE_LEFT_SHOULDER : FIGURE_RIGHT_SHOULDER;
}

static int fingers_of(int side)
{
    return side == 0 ? FIGURE_LEFT_FINGERS : FIGURE_RIGHT_FINGERS;
}

int lmbi_figure_parent(int joint)
{
    if (joint < FIGURE_BODY_JOINTS) {
        return bones[joint].parent;
    }
    const int side = joint >= FIGURE_RIGHT_FINGERS, first = fingers_of(side);
    const int parent = lmbi_finger_bones[joint - first].parent;
    return parent < 0 ? arm_of(side) + 3 : first + parent;
}

static lmb_vec3 mirrored(int side, lmb_vec3 v)
{
    return lmb_vec3_make(sign_of(side) * v.x, v.y, v.z);
}

lmbi_figure_bone lmbi_figure_bone_of(int joint)
{
    if (joint < FIGURE_BODY_JOINTS) {
        const bone *b = &bones[joint];
        return (lmbi_figure_bone){"", b->name, b->at, b->tip};
    }
    const int side = joint >= FIGURE_RIGHT_FINGERS;
    const lmbi_finger_bone *b = &lmbi_finger_bones[joint - fingers_of(side)];
    return (lmbi_figure_bone){side == 0 ? "left" : "right", b->name,
                              lmb_vec3_add(bones[arm_of(side) + 3].at, mirrored(side, b->at)),
                              mirrored(side, b->tip)};
}

static void finger_turns(const lmbi_figure_state *figure, int side, lmb_quat turns[FIGURE_JOINTS])
{
    lmb_quat own[FIGURE_HAND_JOINTS];
    lmbi_finger_turns(side, figure->curl[side], own);
    for (int j = 0; j < FIGURE_HAND_JOINTS; ++j) {
        turns[fingers_of(side) + j] = lmb_quat_mul(figure->hand[side], own[j]);
    }
}

static void model_turns(const lmbi_figure_state *figure, lmb_quat turns[FIGURE_JOINTS])
{
    turns[FIGURE_HIPS] = figure->pelvis;
    turns[FIGURE_SPINE] = lmb_quat_slerp(figure->pelvis, figure->chest, 0.35f);
    turns[FIGURE_CHEST] = lmb_quat_slerp(figure->pelvis, figure->chest, 0.7f);
    turns[FIGURE_UPPER_CHEST] = figure->chest;
    turns[FIGURE_NECK] = lmb_quat_slerp(figure->chest, figure->head, 0.5f);
    turns[FIGURE_HEAD] = figure->head;
    for (int side = 0; side < 2; ++side) {
        const int leg = side == 0 ? FIGURE_LEFT_UPPER_LEG : FIGURE_RIGHT_UPPER_LEG;
        const int arm = arm_of(side);
        const lmb_vec3 across = {sign_of(side) * FIGURE_HIP_WIDTH, 0, 0};
        const lmb_vec3 hip = lmb_vec3_add(figure->hips, lmb_quat_rotate(figure->pelvis, across));
        solve_leg(figure, side, hip, &turns[leg], &turns[leg + 1]);
        turns[leg + 2] = figure->foot[side];
        turns[leg + 3] = figure->toes[side];
        turns[arm] = lmb_quat_mul(figure->chest, figure->shoulder[side]);
        turns[arm + 1] = figure->upper_arm[side];
        turns[arm + 2] = figure->lower_arm[side];
        turns[arm + 3] = figure->hand[side];
        finger_turns(figure, side, turns);
    }
}

void lmbi_figure_pose(const lmbi_figure_state *figure, lmb_transform *local)
{
    lmb_quat turns[FIGURE_JOINTS];
    model_turns(figure, turns);
    for (int j = 0; j < FIGURE_JOINTS; ++j) {
        const int parent = lmbi_figure_parent(j);
        local[j] = lmb_transform_identity();
        if (parent < 0) {
            const lmb_vec3 up = {0, bones[FIGURE_HIPS].at.y - FIGURE_HIP_HEIGHT, 0};
            local[j].rotation = lmb_quat_normalize(turns[j]);
            local[j].translation = lmb_vec3_add(figure->hips, lmb_quat_rotate(turns[j], up));
        } else {
            local[j].rotation =
                lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(turns[parent]), turns[j]));
            local[j].translation =
                lmb_vec3_sub(lmbi_figure_bone_of(j).at, lmbi_figure_bone_of(parent).at);
        }
    }
}
