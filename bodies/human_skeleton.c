// Joints of a human in a T-pose, facing +Z, left at +X, soles on the ground.
#include "bodies/human.h"

static const char *const trunk_names[6] = {"hips", "spine", "chest", "upperChest", "neck", "head"};
static const char *const side_names[2][SIDE_BONES] = {
    {"leftShoulder",
     "leftUpperArm",
     "leftLowerArm",
     "leftHand",
     "leftThumbMetacarpal",
     "leftThumbProximal",
     "leftThumbDistal",
     "leftIndexProximal",
     "leftIndexIntermediate",
     "leftIndexDistal",
     "leftMiddleProximal",
     "leftMiddleIntermediate",
     "leftMiddleDistal",
     "leftRingProximal",
     "leftRingIntermediate",
     "leftRingDistal",
     "leftLittleProximal",
     "leftLittleIntermediate",
     "leftLittleDistal",
     "leftUpperLeg",
     "leftLowerLeg",
     "leftFoot",
     "leftToes"},
    {"rightShoulder",
     "rightUpperArm",
     "rightLowerArm",
     "rightHand",
     "rightThumbMetacarpal",
     "rightThumbProximal",
     "rightThumbDistal",
     "rightIndexProximal",
     "rightIndexIntermediate",
     "rightIndexDistal",
     "rightMiddleProximal",
     "rightMiddleIntermediate",
     "rightMiddleDistal",
     "rightRingProximal",
     "rightRingIntermediate",
     "rightRingDistal",
     "rightLittleProximal",
     "rightLittleIntermediate",
     "rightLittleDistal",
     "rightUpperLeg",
     "rightLowerLeg",
     "rightFoot",
     "rightToes"},
};

static void add_trunk_bones(lmbi_human *h)
{
    lmbi_plan *p = h->plan;
    // Heights as fractions of the trunk from the hip joints up; depths follow the curve of the
    // spine.
    static const float up[4] = {0.10f, 0.30f, 0.52f, 0.74f},
                       back[4] = {0.0f, 0.004f, 0.009f, 0.012f};
    int parent = LMB_NONE;
    for (int k = 0; k < 4; ++k) {
        parent = lmbi_plan_bone(p, trunk_names[k], parent,
                                lmb_vec3_make(0, h->leg + up[k] * h->torso, -back[k] * h->height));
    }
    const float base = h->leg + h->torso;
    const int neck =
        lmbi_plan_bone(p, trunk_names[NECK], parent, lmb_vec3_make(0, base, -0.012f * h->height));
    const lmb_vec3 skull = lmb_vec3_make(0, base + h->neck + 0.10f * h->head, -0.002f * h->height);
    lmbi_plan_bone(p, trunk_names[HEAD], neck, skull);
}

// Fingers, in hand lengths from the wrist, for thumb, index, middle, ring and little: first joint,
// spread angle, angle below the palm's plane per joint, and bone lengths.
typedef struct {
    float x, y, z;
    float spread_rad, drop_rad;
    float lengths[3];
} finger_shape;

static const finger_shape fingers[5] = {
    {0.10f, -0.02f, 0.11f, 0.95f, 0.25f, {0.23f, 0.19f, 0.17f}},
    {0.50f, 0.0f, 0.165f, 0.16f, 0.06f, {0.20f, 0.13f, 0.11f}},
    {0.52f, 0.005f, 0.055f, 0.04f, 0.06f, {0.22f, 0.14f, 0.12f}},
    {0.50f, 0.0f, -0.055f, -0.08f, 0.07f, {0.20f, 0.13f, 0.11f}},
    {0.465f, -0.01f, -0.155f, -0.22f, 0.08f, {0.16f, 0.10f, 0.10f}},
};

static void add_finger_bones(lmbi_human *h, int side, int parent, lmb_vec3 wrist)
{
    const float sign = side == 0 ? 1.0f : -1.0f, n = h->hand;
    const bool have = h->hands[side] == HAND_FINGERS && !h->arm_missing[side];
    for (int f = 0; f < 5; ++f) {
        const finger_shape *s = &fingers[f];
        lmb_vec3 at =
            lmb_vec3_make(wrist.x + sign * s->x * n, wrist.y + s->y * n, wrist.z + s->z * n);
        int up = parent;
        for (int k = 0; k < 3; ++k) {
            up = lmbi_plan_bone(h->plan, side_names[side][FINGERS + 3 * f + k], up, at);
            h->plan->bones[up].present = have;
            const float drop = s->drop_rad * (float)(k + 1), flat = lmb_cos(drop);
            const lmb_vec3 along = lmb_vec3_make(sign * lmb_cos(s->spread_rad) * flat,
                                                 -lmb_sin(drop), lmb_sin(s->spread_rad) * flat);
            at = lmb_vec3_mad(at, along, s->lengths[k] * n);
        }
    }
}

static void add_limb_bones(lmbi_human *h, int side)
{
    lmbi_plan *p = h->plan;
    const float sign = side == 0 ? 1.0f : -1.0f, u = h->height;
    const float y = h->leg + 0.875f * h->torso, z = -0.012f * u;
    const char *const *names = side_names[side];
    const int shoulder =
        lmbi_plan_bone(p, names[SHOULDER], UPPER_CHEST,
                       lmb_vec3_make(sign * 0.018f * u, y + 0.005f * u, z + 0.01f * u));
    lmb_vec3 at = lmb_vec3_make(sign * h->shoulder, y, z);
    const int upper = lmbi_plan_bone(p, names[UPPER_ARM], shoulder, at);
    at.x += sign * h->upper_arm;
    const int lower = lmbi_plan_bone(p, names[LOWER_ARM], upper, at);
    at.x += sign * h->lower_arm;
    at.z += 0.004f * u;
    const int wrist = lmbi_plan_bone(p, names[HAND], lower, at);
    add_finger_bones(h, side, wrist, at);
    p->bones[lower].present = p->bones[upper].present = !h->arm_missing[side];
    p->bones[wrist].present = !h->arm_missing[side] && h->hands[side] != HAND_NONE;

    const int thigh =
        lmbi_plan_bone(p, names[UPPER_LEG], HIPS, lmb_vec3_make(sign * h->hip, h->leg, 0.0f));
    const float ankle = 0.30f * h->foot, knee = ankle + 0.485f * (h->leg - ankle);
    const int shin = lmbi_plan_bone(p, names[LOWER_LEG], thigh,
                                    lmb_vec3_make(sign * h->hip * 0.97f, knee, 0.004f * u));
    const int foot = lmbi_plan_bone(p, names[FOOT], shin,
                                    lmb_vec3_make(sign * h->hip * 0.95f, ankle, -0.012f * u));
    lmbi_plan_bone(
        p, names[TOES], foot,
        lmb_vec3_make(sign * (h->hip * 0.95f + 0.03f * h->foot), 0.09f * h->foot, 0.48f * h->foot));
}

void lmbi_human_skeleton(lmbi_human *h)
{
    add_trunk_bones(h);
    add_limb_bones(h, 0);
    add_limb_bones(h, 1);
}
