/// Poses the generated humanoid.
#include "procedural/figure.h"

#include "limber/ik.h"

#include <string.h>

#define RAD (LMB_PI / 180.0f)

typedef struct bone {
    const char *name;
    int parent;
    lmb_vec3 at, tip; ///< positions in the T-pose; tips of leaves relative to the joint
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

typedef struct finger_bone {
    const char *name; ///< without the side
    int parent;       ///< index among the hand's joints; -1: the hand
    lmb_vec3 at;      ///< position relative to the wrist, of the left hand
    lmb_vec3 tip;     ///< of the last joints: offset of the tip; else zero
} finger_bone;

#define FINGER(name, first, x, z, a, b, c)                             \
    {name "Proximal", -1, {x, 0.0f, z}, {0, 0, 0}},                    \
        {name "Intermediate", first, {(x) + (a), 0.0f, z}, {0, 0, 0}}, \
    {                                                                  \
        name "Distal", (first) + 1, {(x) + (a) + (b), 0.0f, z},        \
        {                                                              \
            c, 0, 0                                                    \
        }                                                              \
    }

/// Thumb, index, middle, ring, little. Metres, for a hand of 0.17 m from the wrist to the tip of
/// the middle finger.
static const finger_bone finger_bones[FIGURE_HAND_JOINTS] = {
    {"ThumbMetacarpal", -1, {0.022f, -0.010f, 0.022f}, {0, 0, 0}},
    {"ThumbProximal", 0, {0.048f, -0.020f, 0.053f}, {0, 0, 0}},
    {"ThumbDistal", 1, {0.068f, -0.027f, 0.077f}, {0.016f, -0.005f, 0.018f}},
    FINGER("Index", 3, 0.088f, 0.0295f, 0.040f, 0.023f, 0.019f),
    FINGER("Middle", 6, 0.090f, 0.0095f, 0.043f, 0.027f, 0.021f),
    FINGER("Ring", 9, 0.086f, -0.0105f, 0.040f, 0.025f, 0.021f),
    FINGER("Little", 12, 0.079f, -0.0285f, 0.032f, 0.018f, 0.018f),
};

lmb_quat lmbi_rotation_x(float degrees)
{
    return lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), degrees * RAD);
}

lmb_quat lmbi_rotation_y(float degrees)
{
    return lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), degrees * RAD);
}

lmb_quat lmbi_rotation_z(float degrees)
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
    const lmb_quat hang = lmb_quat_mul(lmbi_rotation_x(-forward), lmbi_rotation_z(-s * down));
    const lmb_quat bend = lmb_quat_mul(lmbi_rotation_y(-s * across), lmbi_rotation_x(-elbow));
    const lmb_quat fore =
        lmb_quat_mul(lmb_quat_mul(lmbi_rotation_x(-forward), bend), lmbi_rotation_z(-s * down));
    figure->upper_arm[side] = lmb_quat_mul(body, hang);
    figure->lower_arm[side] = lmb_quat_mul(body, fore);
    figure->hand[side] = figure->lower_arm[side];
}

void lmbi_figure_foot(lmbi_figure_state *figure, int side, lmb_vec3 toe, float pitch, float yaw)
{
    const lmb_quat rotation = lmbi_rotation_y(yaw),
                   foot = lmb_quat_mul(rotation, lmbi_rotation_x(-pitch));
    const lmb_vec3 to_ankle = {0, FIGURE_ANKLE_HEIGHT - FIGURE_TOE_HEIGHT, -FIGURE_TOE_FORWARD};
    figure->foot[side] = foot;
    figure->toes[side] = pitch < 0.0f ? rotation : foot;
    figure->ankle[side] = lmb_vec3_add(toe, lmb_quat_rotate(foot, to_ankle));
    figure->knee[side] = lmb_quat_rotate(rotation, lmb_vec3_make(0, 0, 1));
}

lmbi_figure_state lmbi_figure_stand(void)
{
    lmbi_figure_state figure;
    memset(&figure, 0, sizeof(figure));
    const lmb_quat identity = lmb_quat_identity();
    figure.hips = lmb_vec3_make(0, FIGURE_HIP_HEIGHT - 0.0025f, 0);
    figure.pelvis = figure.chest = figure.head = identity;
    for (int side = 0; side < 2; ++side) {
        figure.shoulder[side] = identity;
        figure.curl[side] = FIGURE_CURL_AT_EASE;
        lmbi_figure_arm(&figure, side, identity, 76.0f, 2.0f, 14.0f, 4.0f);
        lmbi_figure_foot(
            &figure, side,
            lmb_vec3_make(sign_of(side) * 0.115f, FIGURE_TOE_HEIGHT, FIGURE_TOE_FORWARD), 0.0f,
            sign_of(side) * 9.0f);
    }
    return figure;
}

/// Solves thigh and shin from hip to ankle, with the knee towards its direction.
static void solve_leg(const lmbi_figure_state *figure, int side, lmb_vec3 hip, lmb_quat *thigh,
                      lmb_quat *shin)
{
    const int first = side == 0 ? FIGURE_LEFT_UPPER_LEG : FIGURE_RIGHT_UPPER_LEG;
    const lmb_vec3 upper = lmb_vec3_sub(bones[first + 1].at, bones[first].at),
                   lower = lmb_vec3_sub(bones[first + 2].at, bones[first + 1].at);
    // Starts from the foot's heading, so that the thigh does not twist against the knee.
    const lmb_vec3 z = figure->knee[side];
    const lmb_quat face = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), lmb_atan2(z.x, z.z));
    lmb_two_bone_points limb = {.start = hip};
    limb.mid = lmb_vec3_add(hip, lmb_quat_rotate(face, upper));
    limb.end = lmb_vec3_add(limb.mid, lmb_quat_rotate(face, lower));
    const lmb_vec3 axis = lmb_quat_rotate(face, lmb_vec3_make(1, 0, 0));
    const lmb_vec3 pole =
        figure->hinged_leg[side] ? lmb_vec3_cross(axis, lmb_vec3_sub(hip, figure->ankle[side])) : z;
    const lmb_two_bone_rotation rotation =
        lmb_two_bone_solve(limb, figure->ankle[side], axis, pole, 0.0f);
    *thigh = lmb_quat_mul(rotation.start, face);
    *shin = lmb_quat_mul(lmb_quat_mul(rotation.start, rotation.mid), face);
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
    const int parent = finger_bones[joint - first].parent;
    return parent < 0 ? arm_of(side) + 3 : first + parent;
}

static lmb_vec3 mirror_side(int side, lmb_vec3 v)
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
    const finger_bone *b = &finger_bones[joint - fingers_of(side)];
    return (lmbi_figure_bone){side == 0 ? "left" : "right", b->name,
                              lmb_vec3_add(bones[arm_of(side) + 3].at, mirror_side(side, b->at)),
                              mirror_side(side, b->tip)};
}

/// Rotations of a hand's joints since the T-pose, in the hand's frame: flat with `curl` 0, a fist
/// with 1. Finger joints flex about the palm's lateral axis, outer fingers more than the index; the
/// thumb closes over the palm.
static void finger_rotations(int side, float curl, lmb_quat rotations[FIGURE_HAND_JOINTS])
{
    static const float flexion[3] = {70, 85, 50}, thumb[3] = {18, 35, 40},
                       finger_factor[FIGURE_FINGERS] = {1.0f, 0.85f, 1.0f, 1.08f, 1.15f};
    const float s = side == 0 ? 1.0f : -1.0f;
    for (int j = 0; j < FIGURE_HAND_JOINTS; ++j) {
        const float *degrees = j < 3 ? thumb : flexion;
        const lmb_vec3 axis = j < 3 ? lmb_vec3_make(0.0f, 1.0f, 0.0f) : lmb_vec3_make(0, 0, -1);
        const lmb_quat flexion_rotation =
            lmb_quat_axis_angle(axis, s * curl * degrees[j % 3] * finger_factor[j / 3] * RAD);
        rotations[j] =
            j % 3 == 0 ? flexion_rotation : lmb_quat_mul(rotations[j - 1], flexion_rotation);
    }
}

static void set_finger_rotations(const lmbi_figure_state *figure, int side,
                                 lmb_quat rotations[FIGURE_JOINTS])
{
    lmb_quat since_hand[FIGURE_HAND_JOINTS];
    finger_rotations(side, figure->curl[side], since_hand);
    for (int j = 0; j < FIGURE_HAND_JOINTS; ++j) {
        rotations[fingers_of(side) + j] = lmb_quat_mul(figure->hand[side], since_hand[j]);
    }
}

static void model_rotations(const lmbi_figure_state *figure, lmb_quat rotations[FIGURE_JOINTS])
{
    rotations[FIGURE_HIPS] = figure->pelvis;
    rotations[FIGURE_SPINE] = lmb_quat_slerp(figure->pelvis, figure->chest, 0.35f);
    rotations[FIGURE_CHEST] = lmb_quat_slerp(figure->pelvis, figure->chest, 0.7f);
    rotations[FIGURE_UPPER_CHEST] = figure->chest;
    rotations[FIGURE_NECK] = lmb_quat_slerp(figure->chest, figure->head, 0.5f);
    rotations[FIGURE_HEAD] = figure->head;
    for (int side = 0; side < 2; ++side) {
        const int leg = side == 0 ? FIGURE_LEFT_UPPER_LEG : FIGURE_RIGHT_UPPER_LEG;
        const int arm = arm_of(side);
        const lmb_vec3 across = {sign_of(side) * FIGURE_HIP_WIDTH, 0, 0};
        const lmb_vec3 hip = lmb_vec3_add(figure->hips, lmb_quat_rotate(figure->pelvis, across));
        solve_leg(figure, side, hip, &rotations[leg], &rotations[leg + 1]);
        if (figure->free_leg[side] > 0.0f) {
            const float weight = figure->free_leg[side];
            rotations[leg] = lmb_quat_slerp(rotations[leg], figure->thigh[side], weight);
            rotations[leg + 1] = lmb_quat_slerp(rotations[leg + 1], figure->shin[side], weight);
        }
        rotations[leg + 2] = figure->foot[side];
        rotations[leg + 3] = figure->toes[side];
        rotations[arm] = lmb_quat_mul(figure->chest, figure->shoulder[side]);
        rotations[arm + 1] = figure->upper_arm[side];
        rotations[arm + 2] = figure->lower_arm[side];
        rotations[arm + 3] = figure->hand[side];
        set_finger_rotations(figure, side, rotations);
    }
}

void lmbi_figure_pose(const lmbi_figure_state *figure, lmb_transform *local)
{
    lmb_quat rotations[FIGURE_JOINTS];
    model_rotations(figure, rotations);
    for (int j = 0; j < FIGURE_JOINTS; ++j) {
        const int parent = lmbi_figure_parent(j);
        local[j] = lmb_transform_identity();
        if (parent < 0) {
            const lmb_vec3 hips_offset = {0, bones[FIGURE_HIPS].at.y - FIGURE_HIP_HEIGHT, 0};
            local[j].rotation = lmb_quat_normalize(rotations[j]);
            local[j].translation =
                lmb_vec3_add(figure->hips, lmb_quat_rotate(rotations[j], hips_offset));
        } else {
            local[j].rotation = lmb_quat_normalize(
                lmb_quat_mul(lmb_quat_conjugate(rotations[parent]), rotations[j]));
            local[j].translation =
                lmb_vec3_sub(lmbi_figure_bone_of(j).at, lmbi_figure_bone_of(parent).at);
        }
    }
}

void lmbi_figure_place(const lmbi_figure_state *figure, lmb_transform *model)
{
    lmbi_figure_pose(figure, model);
    for (int j = 0; j < FIGURE_JOINTS; ++j) {
        const int parent = lmbi_figure_parent(j);
        model[j] = parent < 0 ? model[j] : lmb_transform_mul(model[parent], model[j]);
    }
}
