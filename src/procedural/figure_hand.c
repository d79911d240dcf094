#include "procedural/figure_hand.h"

#define RAD (LMB_PI / 180.0f)

#define FINGER(name, first, x, z, a, b, c)                             \
    {name "Proximal", -1, {x, 0.0f, z}, {0, 0, 0}},                    \
        {name "Intermediate", first, {(x) + (a), 0.0f, z}, {0, 0, 0}}, \
    {                                                                  \
        name "Distal", (first) + 1, {(x) + (a) + (b), 0.0f, z},        \
        {                                                              \
            c, 0, 0                                                    \
        }                                                              \
    }

/// In metres, of a hand of 0.17 from the wrist to the end of the middle finger.
const lmbi_finger_bone lmbi_finger_bones[FIGURE_HAND_JOINTS] = {
    {"ThumbMetacarpal", -1, {0.022f, -0.010f, 0.022f}, {0, 0, 0}},
    {"ThumbProximal", 0, {0.048f, -0.020f, 0.053f}, {0, 0, 0}},
    {"ThumbDistal", 1, {0.068f, -0.027f, 0.077f}, {0.016f, -0.005f, 0.018f}},
    FINGER("Index", 3, 0.088f, 0.0295f, 0.040f, 0.023f, 0.019f),
    FINGER("Middle", 6, 0.090f, 0.0095f, 0.043f, 0.027f, 0.021f),
    FINGER("Ring", 9, 0.086f, -0.0105f, 0.040f, 0.025f, 0.021f),
    FINGER("Little", 12, 0.079f, -0.0285f, 0.032f, 0.018f, 0.018f),
};

/// A finger's joints flex about the palm's width, the outer fingers more than the index; the thumb
/// closes over the palm.
void lmbi_finger_turns(int side, float curl, lmb_quat turns[FIGURE_HAND_JOINTS])
{
    static const float flexion[3] = {70, 85, 50}, thumb[3] = {18, 35, 40},
                       more[FIGURE_FINGERS] = {1.0f, 0.85f, 1.0f, 1.08f, 1.15f};
    const float s = side == 0 ? 1.0f : -1.0f;
    for (int j = 0; j < FIGURE_HAND_JOINTS; ++j) {
        const float *full = j < 3 ? thumb : flexion;
        const lmb_vec3 axis = j < 3 ? lmb_vec3_make(0.0f, 1.0f, 0.0f) : lmb_vec3_make(0, 0, -1);
        const lmb_quat own = lmb_quat_axis_angle(axis, s * curl * full[j % 3] * more[j / 3] * RAD);
        turns[j] = j % 3 == 0 ? own : lmb_quat_mul(turns[j - 1], own);
    }
}
