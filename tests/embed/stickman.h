/// A figure of capsules whose joints are known.
#ifndef TESTS_EMBED_STICKMAN_H
#define TESTS_EMBED_STICKMAN_H

#include <stdlib.h>

#include "mapping/body_joint.h"
#include "embed/turns.h"

typedef struct true_joint {
    uint32_t joint;
    lmb_vec3 at;
} true_joint;

static const true_joint stickman_joints[] = {
    {LMBI_LEFT_UPPER_ARM, {0.17f, 1.44f, 0}},     {LMBI_LEFT_LOWER_ARM, {0.37f, 1.22f, -0.01f}},
    {LMBI_LEFT_HAND, {0.55f, 1.02f, 0.01f}},      {LMBI_LEFT_UPPER_LEG, {0.1f, 0.93f, 0}},
    {LMBI_LEFT_LOWER_LEG, {0.11f, 0.51f, 0.01f}}, {LMBI_LEFT_FOOT, {0.12f, 0.09f, -0.02f}},
};
enum { TRUE_JOINTS = sizeof stickman_joints / sizeof stickman_joints[0] };

static inline void add_limb(capsules *s, int side)
{
    lmb_vec3 p[TRUE_JOINTS], tip = {0.66f, 0.9f, 0.02f}, toe = {0.13f, 0.03f, 0.16f},
                             heel = {0.12f, 0.04f, -0.05f};
    for (int k = 0; k < TRUE_JOINTS; ++k) {
        p[k] = side == 0 ? stickman_joints[k].at : other_side(stickman_joints[k].at);
    }
    if (side == 1) {
        tip = other_side(tip);
        toe = other_side(toe);
        heel = other_side(heel);
    }
    add_capsule(s, p[0], p[1], 0.06f, 0.05f);
    add_capsule(s, p[1], p[2], 0.05f, 0.033f);
    add_capsule(s, p[2], lmb_vec3_lerp(p[2], tip, 0.5f), 0.035f, 0.045f);
    add_capsule(s, lmb_vec3_lerp(p[2], tip, 0.5f), tip, 0.045f, 0.02f);
    add_capsule(s, p[3], p[4], 0.085f, 0.06f);
    add_capsule(s, p[4], p[5], 0.06f, 0.045f);
    add_capsule(s, heel, toe, 0.04f, 0.03f);
}

/// A figure 1.8 tall, in an A-pose, feet to +Z.
static inline capsules *make_stickman(void)
{
    capsules *s = capsules_create();
    add_limb(s, 0);
    add_limb(s, 1);
    const lmb_vec3 pelvis = {0, 1, 0}, chest = {0, 1.35f, 0}, neck = {0, 1.5f, 0},
                   head = {0, 1.68f, 0.01f};
    add_capsule(s, lmb_vec3_make(-0.07f, 0.98f, 0), lmb_vec3_make(0.07f, 0.98f, 0), 0.1f, 0.1f);
    add_capsule(s, pelvis, chest, 0.13f, 0.14f);
    add_capsule(s, lmb_vec3_make(-0.1f, 1.42f, 0), lmb_vec3_make(0.1f, 1.42f, 0), 0.08f, 0.08f);
    add_capsule(s, chest, neck, 0.1f, 0.055f);
    add_capsule(s, neck, head, 0.05f, 0.11f);
    return s;
}

#endif
