#include "io/npz/smpl_names.h"

#include <stdio.h>

const char *const lmbi_smpl_names[24] = {
    "pelvis",     "left_hip",    "right_hip",    "spine1",      "left_knee",     "right_knee",
    "spine2",     "left_ankle",  "right_ankle",  "spine3",      "left_foot",     "right_foot",
    "neck",       "left_collar", "right_collar", "head",        "left_shoulder", "right_shoulder",
    "left_elbow", "right_elbow", "left_wrist",   "right_wrist", "left_hand",     "right_hand"};
static const char *const face_names[3] = {"jaw", "left_eye", "right_eye"};
static const char *const finger_names[5] = {"index", "middle", "pinky", "ring", "thumb"};

enum { HEAD = 15, LEFT_WRIST = 20, RIGHT_WRIST = 21 };

/// Joint offsets of a body of 1.70 m by the fractions of stature of Drillis and Contini (1966):
/// ankle 0.039, knee 0.285, hip 0.53, shoulder 0.818 high; upper arm 0.186, forearm 0.146, hand
/// 0.108 long. The trunk is divided evenly; the pelvis is where released models have it, to within
/// centimetres.
static const struct {
    int8_t parent;
    float x, y, z;
} body[24] = {
    {-1, 0, -0.23f, 0.03f}, {0, 0.09f, -0.03f, 0},   {0, -0.09f, -0.03f, 0}, {0, 0, 0.1f, 0},
    {1, 0, -0.416f, 0},     {2, 0, -0.416f, 0},      {3, 0, 0.13f, 0},       {4, 0, -0.419f, 0},
    {5, 0, -0.419f, 0},     {6, 0, 0.08f, 0},        {7, 0, -0.046f, 0.12f}, {8, 0, -0.046f, 0.12f},
    {9, 0, 0.204f, 0},      {9, 0.05f, 0.13f, 0},    {9, -0.05f, 0.13f, 0},  {12, 0, 0.102f, 0.02f},
    {13, 0.135f, 0.02f, 0}, {14, -0.135f, 0.02f, 0}, {16, 0.316f, 0, 0},     {17, -0.316f, 0, 0},
    {18, 0.248f, 0, 0},     {19, -0.248f, 0, 0},     {20, 0.085f, 0, 0},     {21, -0.085f, 0, 0},
};
static const lmb_vec3 face[3] = {{0, 0, 0.01f}, {0.03f, 0.07f, 0.07f}, {-0.03f, 0.07f, 0.07f}};
/// The first bone of each finger, relative to the left wrist; the other bones continue outward.
static const lmb_vec3 knuckles[5] = {{0.09f, 0, 0.025f},
                                     {0.095f, 0, 0},
                                     {0.08f, -0.01f, -0.04f},
                                     {0.09f, 0, -0.02f},
                                     {0.025f, -0.015f, 0.03f}};
static const lmb_vec3 phalanx = {0.03f, 0, 0}, thumb_phalanx = {0.025f, 0, 0.02f};

bool lmbi_smpl_is_known(uint32_t joint_count)
{
    return (joint_count >= 1 && joint_count <= LMBI_SMPL) || joint_count == LMBI_SMPL_H ||
           joint_count == LMBI_SMPL_X;
}

/// Finger bone k of 30: five fingers of three bones on the left hand, then on the right. `first` is
/// the index of the first one's joint.
static void finger_of(uint32_t k, uint32_t first, lmbi_smpl_joint *out)
{
    const bool left = k < 15;
    const uint32_t finger = k % 15 / 3, bone = k % 3;
    lmb_vec3 offset = bone == 0 ? knuckles[finger] : finger == 4 ? thumb_phalanx : phalanx;
    offset.x = left ? offset.x : -offset.x;
    snprintf(out->name, sizeof out->name, "%s_%s%u", left ? "left" : "right", finger_names[finger],
             bone + 1);
    out->parent = bone > 0 ? (int32_t)(first + k) - 1 : left ? LEFT_WRIST : RIGHT_WRIST;
    out->offset = offset;
}

void lmbi_smpl_joint_of(uint32_t joint_count, uint32_t j, lmbi_smpl_joint *out)
{
    const uint32_t hands = joint_count == LMBI_SMPL_X ? LMBI_SMPL_BODY + 3 : LMBI_SMPL_BODY;
    if (j < LMBI_SMPL_BODY || joint_count <= LMBI_SMPL) {
        snprintf(out->name, sizeof out->name, "%s", lmbi_smpl_names[j]);
        out->parent = body[j].parent;
        out->offset = lmb_vec3_make(body[j].x, body[j].y, body[j].z);
    } else if (j < hands) {
        snprintf(out->name, sizeof out->name, "%s", face_names[j - LMBI_SMPL_BODY]);
        out->parent = HEAD;
        out->offset = face[j - LMBI_SMPL_BODY];
    } else {
        finger_of(j - hands, hands, out);
    }
}
